/*
 * A long answer, page by page: a session can have any number of messages, so
 * only one page is in memory.
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
	const char *total; /* the field with the total number */
	ccfc_pages_fn ask;
	struct ccfc_query query; /* its offset advances */
	int64_t left;		 /* items wanted; negative: all */
	/*
	 * Texts must be complete: an item that was cut because the page was too
	 * large is fetched again, on a page of its own.
	 */
	bool whole;
	/* The last page. */
	struct ccfc_reply *reply;
	uint32_t n; /* items of this page, which are the first of its list */
	bool alone; /* the next page has one item */
	bool ended;
	bool truncated; /* a page was truncated */
};

/* Initialises `p` for one of the three; the caller sets query and left. */
void ccfc_pages_messages(struct ccfc_pages *p, struct ccfc_client *client,
			 const char *session);
void ccfc_pages_timeline(struct ccfc_pages *p, struct ccfc_client *client,
			 const char *session);
void ccfc_pages_tree(struct ccfc_pages *p, struct ccfc_client *client,
		     const char *session);
void ccfc_pages_release(struct ccfc_pages *p);

/*
 * The next page. 1: *root is its reply, until the next call; 0: no more pages
 * (the first page exists even if it is empty); negative: an error.
 */
int ccfc_pages_next(struct ccfc_pages *p, struct ccfc_obj *root,
		    struct ccfc_err *err);

#endif
