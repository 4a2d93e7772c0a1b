/*
 * Candidates from the index; see complete.h. Each kind is one question; an
 * error counts as no candidates.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "cli/complete/complete.h"
#include "cli/complete/complete_path.h"
#include "cli/frame/connect.h"
#include "cli/frame/listing.h"
#include "cli/out/human.h"
#include "cli/out/render.h"

#include <stdlib.h>

/*
 * How many of the latest sessions are searched for an id with a known prefix.
 */
#define SESSIONS_MAX  2000
#define SESSIONS_PAGE 250
#define ID_SHORT      8
#define CHANGES_MAX   1000
#define MESSAGES_MAX  5000

struct asking {
	struct ccfc_candidates *to;
	const struct ccfc_complete *c;
	struct ccfc_cli *cli;
	struct ccfc_buf about;
	uint32_t before; /* candidates that were there */
};

static bool has_enough_candidates(const struct asking *a)
{
	return a->to->seen.n - a->before >= CCFC_COMPLETE_MAX;
}

/* Adds a candidate, described by its time and two texts. */
static void add_candidate(struct asking *a, struct ccfc_slice value,
			  struct ccfc_obj when, struct ccfc_slice what,
			  struct ccfc_slice more)
{
	ccfc_buf_clear(&a->about);
	ccfc_human_when(&a->about, &a->cli->out, when, ccfc_time_now());
	ccfc_buf_puts(&a->about, "  ");
	ccfc_buf_slice(&a->about, what);
	if (more.len)
		ccfc_buf_putc(&a->about, ' ');
	ccfc_buf_slice(&a->about, more);
	ccfc_candidates_add(a->to, value, ccfc_buf_view(&a->about));
}

/* `here`: only sessions of the project there; NULL: all. */
static struct ccfc_reply *list_sessions(struct asking *a, const char *here,
					int64_t limit, int64_t offset)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply = NULL;

	query.here = here;
	query.limit = limit;
	query.offset = offset;
	ccfc_session_list(&reply, a->cli->client, &query, NULL);
	return reply;
}

/* The start of an id that distinguishes it; the whole id if more was typed. */
static struct ccfc_slice short_id(const struct asking *a, struct ccfc_slice id,
				  size_t length)
{
	return a->c->prefix.len > length ? id : ccfc_slice_cut(id, length);
}

/* Adds one page of sessions; returns how many it has. */
static uint32_t add_page(struct asking *a, const char *here, int64_t limit,
			 int64_t offset)
{
	struct ccfc_reply *reply = list_sessions(a, here, limit, offset);
	struct ccfc_obj list;
	size_t length;
	uint32_t n;

	if (!reply)
		return 0;
	list = ccfc_obj_get(ccfc_cli_value(reply), "sessions");
	n = ccfc_obj_len(list);
	length = ccfc_render_unique_length(list, "sessionId", ID_SHORT);
	for (uint32_t i = 0; i < n && !has_enough_candidates(a); i++) {
		struct ccfc_obj s = ccfc_obj_at(list, i);

		add_candidate(
			a,
			short_id(a, ccfc_obj_get_str(s, "sessionId"), length),
			ccfc_obj_get(s, "endTime"),
			ccfc_human_title(ccfc_obj_get_str(s, "title")),
			CCFC_SLICE_NONE);
	}
	ccfc_reply_free(reply);
	return n;
}

/*
 * Sessions of the current project first. Each page is written at once, because
 * time may run out.
 */
static void add_sessions(struct asking *a, const struct ccfc_cwd *where)
{
	bool begun = a->c->prefix.len > 0;
	int64_t page = begun ? SESSIONS_PAGE : CCFC_COMPLETE_MAX;
	int64_t max = begun ? SESSIONS_MAX : CCFC_COMPLETE_MAX;
	char *here = ccfc_cwd_here(where);

	add_page(a, here, page, 0);
	ccfc_out_flush(&a->cli->out);
	free(here);
	for (int64_t at = 0; at < max && !has_enough_candidates(a);
	     at += page) {
		if (add_page(a, NULL, page, at) < page)
			break;
		ccfc_out_flush(&a->cli->out);
	}
}

/* Adds the elements of a list field, of all sessions. */
static void add_of_sessions(struct asking *a, const char *field)
{
	struct ccfc_reply *reply = list_sessions(a, NULL, SESSIONS_MAX, 0);
	struct ccfc_obj list;

	if (!reply)
		return;
	list = ccfc_obj_get(ccfc_cli_value(reply), "sessions");
	for (uint32_t i = 0; i < ccfc_obj_len(list); i++) {
		struct ccfc_obj of = ccfc_obj_get(ccfc_obj_at(list, i), field);

		for (uint32_t j = 0;
		     j < ccfc_obj_len(of) && !has_enough_candidates(a); j++)
			ccfc_candidates_add(a->to,
					    ccfc_obj_str(ccfc_obj_at(of, j)),
					    CCFC_SLICE_NONE);
	}
	ccfc_reply_free(reply);
}

static void add_tools(struct asking *a)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply;
	struct ccfc_obj list;

	query.limit = 1;
	if (ccfc_stats_get(&reply, a->cli->client, &query, NULL) < 0)
		return;
	list = ccfc_obj_get(ccfc_cli_value(reply), "tools");
	for (uint32_t i = 0; i < ccfc_obj_len(list); i++)
		ccfc_candidates_add(
			a->to, ccfc_obj_get_str(ccfc_obj_at(list, i), "name"),
			CCFC_SLICE_NONE);
	ccfc_reply_free(reply);
}

static void add_calls(struct asking *a, struct ccfc_obj calls)
{
	for (uint32_t i = 0;
	     i < ccfc_obj_len(calls) && !has_enough_candidates(a); i++) {
		struct ccfc_obj agent =
			ccfc_obj_get(ccfc_obj_at(calls, i), "agent");

		ccfc_candidates_add(a->to, ccfc_obj_get_str(agent, "agentId"),
				    ccfc_obj_get_str(agent, "description"));
	}
}

/*
 * The agents that calls of the session started; the session is the previous
 * argument.
 */
static void add_agents(struct asking *a)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj list;
	char *session;

	if (!a->c->nargs || ccfc_cwd_session(&session, a->c->args[0], NULL) < 0)
		return;
	query.content = CCFC_CONTENT_NO;
	query.max_content = 1;
	query.limit = MESSAGES_MAX;
	ccfc_session_messages(&reply, a->cli->client, session, &query, NULL);
	free(session);
	if (!reply)
		return;
	list = ccfc_obj_get(ccfc_cli_value(reply), "messages");
	for (uint32_t i = 0; i < ccfc_obj_len(list); i++)
		add_calls(a, ccfc_obj_get(ccfc_obj_at(list, i), "toolCalls"));
	ccfc_reply_free(reply);
}

/* ---- changes ---- */

struct change {
	struct ccfc_obj change;
	struct ccfc_slice path;
};

struct changes {
	struct change *items;
	uint32_t n, cap;
};

static int newer_first(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	return ccfc_slice_cmp(ccfc_obj_get_str(b->change, "timestamp"),
			      ccfc_obj_get_str(a->change, "timestamp"));
}

/* Collects the changes of one FileHistory. */
static void collect_changes(struct changes *all, struct ccfc_obj file)
{
	struct ccfc_slice path = ccfc_obj_get_str(file, "path");
	struct ccfc_obj sessions = ccfc_obj_get(file, "sessions");

	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++) {
		struct ccfc_obj list =
			ccfc_obj_get(ccfc_obj_at(sessions, i), "changes");

		for (uint32_t j = 0; j < ccfc_obj_len(list); j++) {
			struct change one = { ccfc_obj_at(list, j), path };

			CCFC_VEC_PUSH(*all, one);
		}
	}
}

/* The latest changes are in the files that were changed last. */
static void add_changes(struct asking *a, const struct ccfc_cwd *where)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply = NULL;
	struct changes all = { 0 };
	struct ccfc_obj files;

	query.limit = CHANGES_MAX;
	ccfc_listing_match(&reply, a->cli->client, "**", &query, where, NULL);
	if (!reply)
		return;
	files = ccfc_cli_value(reply);
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++)
		collect_changes(&all, ccfc_obj_at(files, i));
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), newer_first);
	for (uint32_t i = 0; i < all.n && !has_enough_candidates(a); i++) {
		struct ccfc_obj c = all.items[i].change;

		add_candidate(a, ccfc_obj_get_str(c, "changeId"),
			      ccfc_obj_get(c, "timestamp"),
			      ccfc_obj_get_str(c, "tool"),
			      ccfc_cwd_short(where, all.items[i].path));
	}
	free(all.items);
	ccfc_reply_free(reply);
}

/* Adds values of --at for the named file: its changes and sessions. */
static bool add_moments(struct asking *a, struct ccfc_cwd *where)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj steps;
	char *path;

	if (!a->c->nargs)
		return false;
	path = ccfc_cwd_absolute(where, a->c->args[0]);
	query.alternatives = ccfc_cwd_names(where, path, a->c->args[0]);
	if (!query.alternatives[0])
		query.alternatives = NULL;
	query.limit = CHANGES_MAX;
	ccfc_file_log(&reply, a->cli->client, path, &query, NULL);
	free(path);
	if (!reply)
		return false;
	steps = ccfc_obj_get(ccfc_cli_value(reply), "steps");
	for (uint32_t i = 0;
	     i < ccfc_obj_len(steps) && !has_enough_candidates(a); i++) {
		struct ccfc_obj s = ccfc_obj_at(steps, i);

		add_candidate(a, ccfc_obj_get_str(s, "changeId"),
			      ccfc_obj_get(s, "timestamp"),
			      ccfc_obj_get_str(s, "tool"),
			      ccfc_obj_get_str(s, "prompt"));
		add_candidate(
			a,
			short_id(a, ccfc_obj_get_str(s, "sessionId"), ID_SHORT),
			ccfc_obj_get(s, "timestamp"),
			ccfc_obj_get_str(s, "prompt"), CCFC_SLICE_NONE);
	}
	ccfc_reply_free(reply);
	return true;
}

bool ccfc_complete_must_ask(const struct ccfc_complete *c)
{
	return c->kinds & (CCFC_KIND_SESSION | CCFC_KIND_CHANGE |
			   CCFC_KIND_PATH | CCFC_KIND_WHEN | CCFC_KIND_AGENT |
			   CCFC_KIND_BRANCH | CCFC_KIND_MODEL | CCFC_KIND_TOOL);
}

static void ask_wanted_kinds(struct asking *a, struct ccfc_cwd *where)
{
	unsigned kinds = a->c->kinds;

	if (kinds & CCFC_KIND_WHEN && !add_moments(a, where))
		kinds |= CCFC_KIND_SESSION | CCFC_KIND_CHANGE;
	if (kinds & CCFC_KIND_PATH)
		ccfc_complete_paths(a->to, a->cli->client, where);
	if (kinds & CCFC_KIND_SESSION)
		add_sessions(a, where);
	/* There are too many changes to list all: the user must type a part. */
	if (kinds & CCFC_KIND_CHANGE && a->c->prefix.len)
		add_changes(a, where);
	if (kinds & CCFC_KIND_AGENT)
		add_agents(a);
	if (kinds & CCFC_KIND_BRANCH)
		add_of_sessions(a, "gitBranches");
	if (kinds & CCFC_KIND_MODEL)
		add_of_sessions(a, "models");
	if (kinds & CCFC_KIND_TOOL)
		add_tools(a);
}

void ccfc_complete_ask(struct ccfc_candidates *to,
		       const struct ccfc_complete *c, struct ccfc_cli *cli)
{
	struct asking a = { .to = to, .c = c, .cli = cli };
	struct ccfc_cwd where;

	a.before = to->seen.n;
	if (ccfc_cwd_init(&where, NULL) < 0)
		return;
	if (ccfc_cli_connect(cli, CCFC_SPAWN_NEVER, NULL) == 0)
		ask_wanted_kinds(&a, &where);
	ccfc_cwd_release(&where);
	ccfc_buf_release(&a.about);
}
