/* A long answer, page by page; see pages.h. */
#include "cli/conversation/pages.h"

#include "cli/frame/connect.h"

#define PAGE 200

static void init_pages(struct ccfc_pages *p, struct ccfc_client *client,
		       const char *session)
{
	const struct ccfc_query query = CCFC_QUERY_INIT;

	*p = (struct ccfc_pages){
		.client = client, .session = session, .query = query, .left = -1
	};
}

void ccfc_pages_messages(struct ccfc_pages *p, struct ccfc_client *client,
			 const char *session)
{
	init_pages(p, client, session);
	p->list = "messages";
	p->total = "totalMessages";
	p->ask = ccfc_session_messages;
}

void ccfc_pages_timeline(struct ccfc_pages *p, struct ccfc_client *client,
			 const char *session)
{
	init_pages(p, client, session);
	p->list = "events";
	p->total = "totalEvents";
	p->ask = ccfc_session_timeline;
}

void ccfc_pages_tree(struct ccfc_pages *p, struct ccfc_client *client,
		     const char *session)
{
	init_pages(p, client, session);
	p->list = "nodes";
	p->total = "totalNodes";
	p->ask = ccfc_session_tree;
}

void ccfc_pages_release(struct ccfc_pages *p)
{
	ccfc_reply_free(p->reply);
	p->reply = NULL;
}

/* Counts the items before the first one that is cut. */
static uint32_t count_whole(struct ccfc_obj list)
{
	uint32_t i = 0;

	while (i < ccfc_obj_len(list) &&
	       !ccfc_obj_get_bool(ccfc_obj_at(list, i), "truncated", false))
		i++;
	return i;
}

/* How many items to ask for. */
static int64_t page_size(const struct ccfc_pages *p)
{
	if (p->alone)
		return 1;
	return p->left >= 0 && p->left < PAGE ? p->left : PAGE;
}

/*
 * Takes a page; if whole texts are wanted, only the items that are whole. An
 * item that could not be read is missing in the list but keeps its number, so
 * the offset advances by the requested number.
 */
static int64_t advance_pages(struct ccfc_pages *p, struct ccfc_obj list)
{
	uint32_t got = ccfc_obj_len(list);
	uint32_t whole = p->whole && !p->alone ? count_whole(list) : got;

	p->alone = whole < got;
	p->n = whole;
	return p->alone ? whole : p->query.limit;
}

int ccfc_pages_next(struct ccfc_pages *p, struct ccfc_obj *root,
		    struct ccfc_err *err)
{
	int64_t taken;

	do {
		int code;

		ccfc_pages_release(p);
		if (p->ended)
			return 0;
		p->query.limit = page_size(p);
		code = p->ask(&p->reply, p->client, p->session, &p->query, err);
		if (code < 0)
			return code;
		*root = ccfc_cli_value(p->reply);
		taken = advance_pages(p, ccfc_obj_get(*root, p->list));
	} while (!taken);
	p->query.offset += taken;
	if (p->left >= 0)
		p->left = taken < p->left ? p->left - taken : 0;
	if (!p->alone)
		p->truncated |= ccfc_obj_get_bool(*root, "truncated", false);
	/* The page around a message is all that was asked for. */
	p->ended = !p->left || p->query.message ||
		   p->query.offset >= ccfc_obj_get_int(*root, p->total, 0);
	return 1;
}
