/*
 * From a message to its reply: the table of methods, and what is the same for
 * all of them. A question first lets the daemon take in what was written
 * before it was asked; then its options are read against the table, and the
 * method packs its result behind the head of the response. An error replaces
 * whatever was packed.
 */
#include "serve/rpc/request.h"

#include "base/alloc.h"
#include "serve/conversation/session_messages.h"
#include "serve/methods/subscriptions.h"

#include <stdlib.h>

/* Content in one reply; each text is bounded by maxContent besides. */
#define CONTENT_TOTAL ((size_t)64 << 20)
/* Lines that are read for it: each change reads its own, however many share. */
#define READING_TOTAL ((size_t)512 << 20)
#define STOP_FLUSH_MS 1000

#define CONTENT (CCFC_OPT(INCLUDE_CONTENT) | CCFC_OPT(MAX_CONTENT))
#define WHY	CCFC_OPT(INCLUDE_PROMPT)
#define PAGE	(CCFC_OPT(LIMIT) | CCFC_OPT(OFFSET))
#define DATES	(CCFC_OPT(FROM_DATE) | CCFC_OPT(TO_DATE))
#define PLACE	(CCFC_OPT(CWD) | CCFC_OPT(PROJECT_PATH))
#define EVENTS	(PLACE | CCFC_OPT(PATH) | CCFC_OPT(SESSION) | CCFC_OPT(STATES))

struct method {
	const char *name;
	ccfc_method_fn run;
	uint64_t allowed, required;
	/* Defaults that differ from method to method: */
	int64_t limit;
	uint32_t states;
	bool content;
	enum { NO_REFRESH, REFRESH, WAIT } refresh; /* before it answers */
};

#define NO_LIMIT    INT64_MAX
#define ALL_STATES  ((1u << CCFC_STATE_COUNT) - 1)
#define NOT_PENDING (ALL_STATES & ~CCFC_STATE_BIT(CCFC_STATE_PENDING))

static const struct method table[] = {
	{ CCFC_M_SESSION_FILES, ccfc_method_session_files,
	  CONTENT | WHY | PAGE | CCFC_OPT(SESSION) | CCFC_OPT(EXTENSIONS) |
		  CCFC_OPT(DIRECTORIES) | CCFC_OPT(TOOLS) | CCFC_OPT(STATES),
	  CCFC_OPT(SESSION), NO_LIMIT, CCFC_STATES_APPLIED, false, WAIT },
	{ CCFC_M_SESSION_FILE_CHANGES, ccfc_method_session_file_changes,
	  CONTENT | WHY | CCFC_OPT(SESSION) | CCFC_OPT(PATH) | CCFC_OPT(CWD) |
		  CCFC_OPT(STATES),
	  CCFC_OPT(SESSION) | CCFC_OPT(PATH), NO_LIMIT, CCFC_STATES_APPLIED,
	  true, WAIT },
	{ CCFC_M_SESSION_DIFF, ccfc_method_session_diff,
	  CCFC_OPT(SESSION) | CCFC_OPT(PATHS) | CCFC_OPT(CWD) |
		  CCFC_OPT(EXTENSIONS) | CCFC_OPT(DIRECTORIES) |
		  CCFC_OPT(TOOLS) | CCFC_OPT(NET) | CCFC_OPT(CONTEXT) | CONTENT,
	  CCFC_OPT(SESSION), NO_LIMIT, CCFC_STATES_APPLIED, false, WAIT },
	{ CCFC_M_SESSION_REVERT, ccfc_method_session_revert,
	  CCFC_OPT(SESSION) | CCFC_OPT(PATHS) | CCFC_OPT(CWD) |
		  CCFC_OPT(CONTEXT),
	  CCFC_OPT(SESSION), NO_LIMIT, CCFC_STATES_APPLIED, false, WAIT },
	{ CCFC_M_SESSION_RECOVER, ccfc_method_session_recover,
	  PAGE | PLACE | CCFC_OPT(SESSION) | CCFC_OPT(DELETED) |
		  CCFC_OPT(KEYWORDS),
	  0, NO_LIMIT, CCFC_STATES_APPLIED, false, WAIT },
	{ CCFC_M_SESSION_LIST, ccfc_method_session_list,
	  PAGE | DATES | PLACE | CCFC_OPT(BRANCH) | CCFC_OPT(MODEL) |
		  CCFC_OPT(STATUS) | CCFC_OPT(TOUCHED) | CCFC_OPT(SORT),
	  0, CCFC_DEFAULT_LIMIT, CCFC_STATES_APPLIED, false, WAIT },
	{ CCFC_M_SESSION_READS, ccfc_method_session_reads,
	  PAGE | CCFC_OPT(SESSION), CCFC_OPT(SESSION), NO_LIMIT,
	  CCFC_STATES_APPLIED, false, WAIT },
	{ CCFC_M_FILE_READERS, ccfc_method_file_readers,
	  PAGE | DATES | PLACE | CCFC_OPT(PATH) | CCFC_OPT(ALTERNATIVES),
	  CCFC_OPT(PATH), CCFC_DEFAULT_LIMIT, CCFC_STATES_APPLIED, false,
	  WAIT },
	{ CCFC_M_STATS_GET, ccfc_method_stats_get,
	  PAGE | DATES | PLACE | CCFC_OPT(SESSION) | CCFC_OPT(BY), 0,
	  CCFC_DEFAULT_LIMIT, CCFC_STATES_APPLIED, false, WAIT },
	{ CCFC_M_SESSION_GET, ccfc_method_session_get,
	  CONTENT | PAGE | CCFC_OPT(SESSION) | CCFC_OPT(INCLUDE_THINKING),
	  CCFC_OPT(SESSION), CCFC_DEFAULT_LIMIT, 0, true, WAIT },
	{ CCFC_M_SESSION_MESSAGES, ccfc_method_session_messages,
	  CONTENT | PAGE | CCFC_OPT(SESSION) | CCFC_OPT(ROLE) |
		  CCFC_OPT(AGENT) | CCFC_OPT(MESSAGE) |
		  CCFC_OPT(INCLUDE_THINKING),
	  CCFC_OPT(SESSION), CCFC_DEFAULT_LIMIT, 0, true, WAIT },
	{ CCFC_M_SESSION_TIMELINE, ccfc_method_session_timeline,
	  PAGE | CCFC_OPT(SESSION) | CCFC_OPT(MAX_CONTENT) |
		  CCFC_OPT(INCLUDE_THINKING),
	  CCFC_OPT(SESSION), 200, 0, true, WAIT },
	{ CCFC_M_SESSION_TREE, ccfc_method_session_tree,
	  PAGE | CCFC_OPT(SESSION) | CCFC_OPT(MAX_CONTENT), CCFC_OPT(SESSION),
	  1000, 0, true, WAIT },
	{ CCFC_M_CHANGE_GET, ccfc_method_change_get,
	  CONTENT | CCFC_OPT(CHANGE) | CCFC_OPT(CONTEXT), CCFC_OPT(CHANGE),
	  NO_LIMIT, 0, false, WAIT },
	{ CCFC_M_FILE_SESSIONS, ccfc_method_file_sessions,
	  CONTENT | WHY | PAGE | DATES | PLACE | CCFC_OPT(PATH) |
		  CCFC_OPT(ALTERNATIVES) | CCFC_OPT(STATES),
	  CCFC_OPT(PATH), CCFC_DEFAULT_LIMIT, CCFC_STATES_APPLIED, false,
	  WAIT },
	{ CCFC_M_FILE_MATCH, ccfc_method_file_match,
	  CONTENT | WHY | PAGE | DATES | PLACE | CCFC_OPT(PATTERN) |
		  CCFC_OPT(STATES),
	  CCFC_OPT(PATTERN), CCFC_DEFAULT_LIMIT, CCFC_STATES_APPLIED, false,
	  WAIT },
	{ CCFC_M_FILE_AT, ccfc_method_file_at,
	  CONTENT | CCFC_OPT(PATH) | CCFC_OPT(CWD) | CCFC_OPT(ALTERNATIVES) |
		  CCFC_OPT(AT),
	  CCFC_OPT(PATH), NO_LIMIT, CCFC_STATES_APPLIED, true, WAIT },
	{ CCFC_M_FILE_LOG, ccfc_method_file_log,
	  PAGE | CCFC_OPT(PATH) | CCFC_OPT(CWD) | CCFC_OPT(ALTERNATIVES),
	  CCFC_OPT(PATH), CCFC_DEFAULT_LIMIT, CCFC_STATES_APPLIED, false,
	  WAIT },
	{ CCFC_M_FILE_BLAME, ccfc_method_file_blame,
	  CCFC_OPT(PATH) | CCFC_OPT(CWD) | CCFC_OPT(ALTERNATIVES) |
		  CCFC_OPT(AT) | CCFC_OPT(FROM) | CCFC_OPT(TO) |
		  CCFC_OPT(IGNORE_SPACE) | CCFC_OPT(INCLUDE_CONTENT),
	  CCFC_OPT(PATH), NO_LIMIT, CCFC_STATES_APPLIED, true, WAIT },
	{ CCFC_M_TEXT_SEARCH, ccfc_method_text_search,
	  PAGE | DATES | PLACE | CCFC_OPT(PATTERN) | CCFC_OPT(REGEX) |
		  CCFC_OPT(CASE_SENSITIVE) | CCFC_OPT(ROLE) |
		  CCFC_OPT(SESSION) | CCFC_OPT(IN) | CCFC_OPT(SORT),
	  CCFC_OPT(PATTERN), CCFC_DEFAULT_LIMIT, CCFC_STATES_APPLIED, false,
	  WAIT },
	{ CCFC_M_SQL_QUERY, ccfc_method_sql_query,
	  CCFC_OPT(QUERY) | CCFC_OPT(LIMIT), CCFC_OPT(QUERY), 1000, 0, false,
	  WAIT },
	{ CCFC_M_SQL_SCHEMA, ccfc_method_sql_schema, 0, 0, 0, 0, false,
	  NO_REFRESH },
	{ CCFC_M_INDEX_BUILD, ccfc_method_index_build,
	  PLACE | CCFC_OPT(PROGRESS), 0, 0, 0, false, NO_REFRESH },
	{ CCFC_M_INDEX_STATS, ccfc_method_index_stats, 0, 0, 0, 0, false,
	  WAIT },
	{ CCFC_M_INDEX_DUMP, ccfc_method_index_dump, 0, 0, 0, 0, false, WAIT },
	{ CCFC_M_STORE_CHECK, ccfc_method_store_check, 0, 0, 0, 0, false,
	  WAIT },
	{ CCFC_M_SOURCE_LIST, ccfc_method_source_list, PAGE, 0, NO_LIMIT, 0,
	  false, WAIT },
	{ CCFC_M_EVENTS_SUBSCRIBE, ccfc_method_events_subscribe,
	  EVENTS | CCFC_OPT(SINCE) | CCFC_OPT(NOTIFY), 0, NO_LIMIT, NOT_PENDING,
	  false, WAIT },
	{ CCFC_M_EVENTS_UNSUBSCRIBE, ccfc_method_events_unsubscribe,
	  CCFC_OPT(SUBSCRIPTION), CCFC_OPT(SUBSCRIPTION), 0, 0, false,
	  NO_REFRESH },
	{ CCFC_M_EVENTS_SINCE, ccfc_method_events_since,
	  EVENTS | CCFC_OPT(CLOCK) | CCFC_OPT(LIMIT), CCFC_OPT(CLOCK), NO_LIMIT,
	  NOT_PENDING, false, WAIT },
	{ CCFC_M_SERVER_INFO, ccfc_method_server_info, 0, 0, 0, 0, false,
	  REFRESH },
	{ CCFC_M_SERVER_STOP, ccfc_method_server_stop, 0, 0, 0, 0, false,
	  NO_REFRESH },
};

static const struct method *find_method(struct ccfc_slice name)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (ccfc_slice_is(name, table[i].name))
			return &table[i];
	return NULL;
}

struct ccfc_methods *ccfc_methods_new(struct ccfc_service *service)
{
	struct ccfc_methods *m = ccfc_calloc(1, sizeof(*m));

	m->service = service;
	ccfc_arena_init(&m->arena);
	ccfc_arena_init(&m->texts);
	ccfc_buf_init(&m->out);
	return m;
}

void ccfc_methods_free(struct ccfc_methods *m)
{
	if (!m)
		return;
	ccfc_subs_release(m);
	ccfc_builds_release(m);
	ccfc_conversation_forget(m);
	ccfc_arena_release(&m->arena);
	ccfc_arena_release(&m->texts);
	ccfc_buf_release(&m->out);
	free(m);
}

/* While the first scan runs, what was not found may still come. */
static void hint_indexing(struct ccfc_service *service, struct ccfc_err *err)
{
	struct ccfc_scan_progress at = { 0 };

	if (err->code != CCFC_ENOTFOUND || err->hint[0])
		return;
	service->progress(service->ctx, &at);
	if (at.running)
		ccfc_err_hint(err,
			      "the index is still being built (%u of %u "
			      "transcripts read)",
			      at.files_done, at.files_total);
}

static int run(struct ccfc_request *rq, const struct method *method,
	       struct ccfc_obj params, struct ccfc_err *err)
{
	int r;

	rq->method = method->name;
	rq->content_left = CONTENT_TOTAL;
	rq->reading_left = READING_TOTAL;
	rq->opt = (struct ccfc_options){
		.limit = method->limit,
		.max_content = CCFC_CONTENT_MAX_BYTES,
		.context = CCFC_DEFAULT_CONTEXT,
		.states = method->states,
		.include_content = method->content,
	};
	r = ccfc_options_read(&rq->opt, method->name, params, method->allowed,
			      method->required, rq->arena, err);
	if (r)
		return r;
	if (method->refresh)
		rq->service->refresh(rq->service->ctx, method->refresh == WAIT);
	ccfc_rpc_response_begin(rq->pack, rq->id);
	r = method->run(rq, err);
	if (r)
		return r;
	ccfc_rpc_response_end(rq->pack);
	return 0;
}

static int no_method(struct ccfc_slice name, struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_EMETHOD, "no method '%.*s'",
			    name.len > 64 ? 64 : (int)name.len, name.ptr);
}

void ccfc_methods_fail(struct ccfc_methods *m, uint32_t id, struct ccfc_err *e)
{
	struct ccfc_pack pack;

	hint_indexing(m->service, e);
	ccfc_buf_clear(&m->out);
	ccfc_pack_init(&pack, &m->out);
	ccfc_rpc_error(&pack, id, e);
}

/* `broken`: the params are no options (see ccfc_rpc_parse); err says why. */
static void answer_methods(struct ccfc_methods *m, uint64_t conn,
			   const struct ccfc_rpc *rpc, bool broken,
			   struct ccfc_err *err)
{
	const struct method *method = find_method(rpc->method);
	struct ccfc_pack pack;
	struct ccfc_request rq = { .methods = m,
				   .service = m->service,
				   .index = m->service->index,
				   .arena = &m->arena,
				   .pack = &pack,
				   .conn = conn,
				   .id = rpc->id };
	int r = CCFC_EINVAL;

	ccfc_buf_clear(&m->out);
	ccfc_pack_init(&pack, &m->out);
	if (!method)
		r = no_method(rpc->method, err);
	else if (!broken)
		r = run(&rq, method, rpc->params, err);
	if (r < 0)
		ccfc_methods_fail(m, rpc->id, err);
	if (r <= 0)
		ccfc_server_send_buf(m->service->server, conn, &m->out);
	ccfc_arena_clear(&m->arena);
	if (!rq.stop)
		return;
	ccfc_server_flush(m->service->server, STOP_FLUSH_MS);
	m->service->stop(m->service->ctx);
}

/* [nil] is what some clients send for "no options". */
static bool only_nil(struct ccfc_obj root)
{
	struct ccfc_obj params = ccfc_obj_at(root, 3);

	return ccfc_obj_len(params) == 1 &&
	       ccfc_obj_type(ccfc_obj_at(params, 0)) == CCFC_OBJ_NIL;
}

void ccfc_methods_message(struct ccfc_methods *m, uint64_t conn,
			  struct ccfc_slice bytes)
{
	struct ccfc_doc *doc = NULL;
	struct ccfc_rpc rpc = { .type = -1 };
	struct ccfc_err err = { 0 };
	int r = ccfc_doc_parse(&doc, bytes, &err);

	if (!r)
		r = ccfc_rpc_parse(&rpc, ccfc_doc_root(doc), &err);
	if (r && r != CCFC_EINVAL) {
		ccfc_methods_fail(m, 0, &err);
		ccfc_server_send_buf(m->service->server, conn, &m->out);
		ccfc_server_hang_up(m->service->server, conn);
	} else if (rpc.type == CCFC_MSG_REQUEST) {
		/* Responses and notifications of clients mean nothing yet. */
		answer_methods(m, conn, &rpc,
			       r && !only_nil(ccfc_doc_root(doc)), &err);
	}
	ccfc_doc_free(doc);
}

void ccfc_methods_closed(struct ccfc_methods *m, uint64_t conn)
{
	ccfc_subs_closed(m, conn);
	if (m->service->worker) /* not any more when all ends */
		ccfc_worker_closed(m->service->worker, conn);
}

void ccfc_methods_drained(struct ccfc_methods *m, uint64_t conn)
{
	ccfc_subs_drained(m, conn);
}

uint32_t ccfc_methods_subscribers(const struct ccfc_methods *m)
{
	return m->subs.n;
}
