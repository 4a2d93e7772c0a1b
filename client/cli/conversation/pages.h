/*
 * A long answer, page by page: sessions can have any number of messages, so
 * no more than one page of them is in memory.
 */
#ifndef CCFC_CLI_CONVERSATION_PAGES_H
#define CCFC_CLI_CONVERSATION_PAGES_H

#include "cli/frame/cli.h"
#include "wire/obj.h"

#include <ccfc/client.h>

/* ccfc_session_messages, _timeline or _tree. */
typedef int (*ccfc_pages_fn)(struct ccfc_reply **out,
			     struct ccfc_client *client, const char *session,
			     const struct ccfc_query *query,
			     struct ccfc_err *err);

struct ccfc_pages {
	struct ccfc_client *client; /* borrowed, like the next three */
	const char *session;
	const char *list;  /* the field with the page's items */
	const char *total; /* the field with the number of all */
	ccfc_pages_fn ask;
	struct ccfc_query query; /* its offset moves on */
	int64_t left;		 /* items wanted; negative: all */
	/*
	 * Texts are wanted whole: where a page is too much for one reply, an
	 * item that is cut comes once more, on a page of its own.
	 */
	bool whole;
	/* What has come. */
	struct ccfc_reply *reply;
	uint32_t n; /* items of this page, which are the first of its list */
	bool alone; /* the next page is of one item */
	bool ended;
	bool truncated; /* some page said so */
};

/* Sets the fields for one of the three; query and left are the caller's. */
void ccfc_pages_messages(struct ccfc_pages *p, struct ccfc_client *client,
			 const char *session);
void ccfc_pages_timeline(struct ccfc_pages *p, struct ccfc_client *client,
			 const char *session);
void ccfc_pages_tree(struct ccfc_pages *p, struct ccfc_client *client,
		     const char *session);
void ccfc_pages_release(struct ccfc_pages *p);

/*
 * The next page. 1: *root is its reply, until the next call; 0: that was all
 * (the first page may be empty, but there is one); negative: an error.
 */
int ccfc_pages_next(struct ccfc_pages *p, struct ccfc_obj *root,
		    struct ccfc_err *err);

#endif
