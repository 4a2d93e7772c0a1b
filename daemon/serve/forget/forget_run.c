/*
 * forget.list and forget.run: what would be forgotten, and forgetting it. The
 * items are first put on the list (forget/forgotten.h), which is saved; then
 * the daemon removes their data (removal.h), and the reply is sent.
 */
#include "serve/forget/forget_choice.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "forget/forgotten.h"
#include "serve/methods/session_summary.h"
#include "serve/methods/subscriptions.h"
#include "serve/rpc/reply.h"

#include <stdlib.h>

#define NAMED_MAX 1000u

struct totals {
	uint64_t sessions, files, changes, sources, bytes;
};

/* A request that waits until everything is removed. */
struct waiting {
	struct ccfc_methods *methods;
	uint64_t conn;
	uint32_t id;
	struct totals totals;
	struct ccfc_arena arena;
	struct ccfc_slice *sessions; /* ids, in the arena */
};

static struct totals totals_of_choice(const struct ccfc_forget_choice *c)
{
	return (struct totals){ c->sessions.n, c->files.n, c->changes,
				c->sources.n, c->bytes };
}

static void reply_totals(struct ccfc_pack *p, const struct totals *t)
{
	ccfc_pack_kv_uint(p, "totalSessions", t->sessions);
	ccfc_pack_kv_uint(p, "totalFiles", t->files);
	ccfc_pack_kv_uint(p, "totalChanges", t->changes);
	ccfc_pack_kv_uint(p, "transcripts", t->sources);
	ccfc_pack_kv_uint(p, "transcriptBytes", t->bytes);
}

/* --- forget.list --- */

static void reply_session(struct ccfc_pack *p, const struct ccfc_index *index,
			  uint32_t id)
{
	const struct ccfc_session *s = &index->sessions.items[id];

	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "sessionId", ccfc_index_session_id(index, id));
	ccfc_reply_title(p, index, id);
	ccfc_reply_id(p, "projectPath", index, s->project);
	ccfc_pack_kv_time(p, "lastActivity", s->end);
	ccfc_pack_kv_uint(p, "changes", s->changes.n);
	ccfc_pack_end(p);
}

static void reply_list(struct ccfc_request *rq,
		       const struct ccfc_forget_choice *c)
{
	struct ccfc_pack *p = rq->pack;
	struct totals totals = totals_of_choice(c);

	ccfc_pack_map(p);
	reply_totals(p, &totals);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < c->sessions.n && i < NAMED_MAX; i++)
		reply_session(p, rq->index, c->sessions.items[i]);
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < c->files.n && i < NAMED_MAX; i++)
		ccfc_pack_str(
			p, ccfc_index_file_path(rq->index, c->files.items[i]));
	ccfc_pack_end(p);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
}

int ccfc_method_forget_list(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_forget_choice choice;
	int r = ccfc_forget_choose(&choice, rq, err);

	if (!r)
		reply_list(rq, &choice);
	ccfc_forget_choice_release(&choice);
	return r;
}

/* --- forget.run --- */

/*
 * The client's backups of the files, under the names that sessions give them.
 */
static void put_backups(struct ccfc_forgotten *list,
			const struct ccfc_index *index)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < index->backups.n; i++) {
		const struct ccfc_backup_ref *b = &index->backups.items[i];
		uint32_t project = index->sessions.items[b->session].project;
		struct ccfc_slice key = ccfc_index_str(index, b->key);

		ccfc_buf_clear(&path);
		if (ccfc_path_normalise(&path, key,
					ccfc_index_str(index, project),
					CCFC_SLICE_NONE) &&
		    ccfc_forgotten_file(list, ccfc_buf_view(&path),
					CCFC_TIME_NONE))
			ccfc_forgotten_add_backup(
				list, ccfc_index_session_id(index, b->session),
				ccfc_index_str(index, b->name), key);
	}
	ccfc_buf_release(&path);
}

static void put_on_list(struct ccfc_forgotten *list,
			const struct ccfc_index *index,
			const struct ccfc_forget_choice *c)
{
	int64_t now = ccfc_time_now();

	for (uint32_t i = 0; i < c->sessions.n; i++)
		ccfc_forgotten_add_session(
			list,
			ccfc_index_session_id(index, c->sessions.items[i]));
	for (uint32_t i = 0; i < c->sources.n; i++) {
		uint32_t path = index->sources.items[c->sources.items[i]].path;

		ccfc_forgotten_add_source(list, ccfc_index_str(index, path));
	}
	for (uint32_t i = 0; i < c->files.n; i++)
		ccfc_forgotten_add_file(
			list, ccfc_index_file_path(index, c->files.items[i]),
			now);
	if (c->files.n)
		put_backups(list, index);
	/* Without a time, all events below it are forgotten. */
	if (c->below.len && c->before == CCFC_TIME_NONE)
		ccfc_forgotten_add_below(list, c->below, now);
	if (!c->below.len && c->before != CCFC_TIME_NONE)
		ccfc_forgotten_set_before(list, c->before);
}

static void send_reply(struct waiting *w, const struct ccfc_err *failed,
		       uint64_t bytes, uint32_t undo)
{
	struct ccfc_service *service = w->methods->service;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_pack pack, *p = &pack;

	ccfc_pack_init(p, &buf);
	if (failed) {
		ccfc_rpc_error(p, w->id, failed);
	} else {
		ccfc_rpc_response_begin(p, w->id);
		ccfc_pack_map(p);
		reply_totals(p, &w->totals);
		ccfc_pack_cstr(p, "sessionIds");
		ccfc_pack_array(p);
		for (uint32_t i = 0; i < w->totals.sessions && i < NAMED_MAX;
		     i++)
			ccfc_pack_str(p, w->sessions[i]);
		ccfc_pack_end(p);
		ccfc_pack_kv_uint(p, "freedBytes", bytes);
		ccfc_pack_kv_uint(p, "undoEntries", undo);
		ccfc_reply_clock(p, service);
		ccfc_pack_end(p);
		ccfc_rpc_response_end(p);
	}
	if (service->server)
		ccfc_server_send_buf(service->server, w->conn, &buf);
	ccfc_buf_release(&buf);
}

static void on_forgotten(void *arg, const struct ccfc_err *failed,
			 uint64_t bytes, uint32_t undo)
{
	struct waiting *w = arg;

	if (!failed)
		ccfc_subs_forgotten(w->methods, w->sessions,
				    (uint32_t)w->totals.sessions);
	send_reply(w, failed, bytes, undo);
	ccfc_arena_release(&w->arena);
	free(w);
}

static struct waiting *new_waiting(struct ccfc_request *rq,
				   const struct ccfc_forget_choice *c)
{
	struct waiting *w = ccfc_calloc(1, sizeof(*w));

	w->methods = rq->methods;
	w->conn = rq->conn;
	w->id = rq->id;
	w->totals = totals_of_choice(c);
	ccfc_arena_init(&w->arena);
	w->sessions = ccfc_arena_alloc(&w->arena, (c->sessions.n + 1) *
							  sizeof(*w->sessions));
	for (uint32_t i = 0; i < c->sessions.n; i++)
		w->sessions[i] = ccfc_arena_copy(
			&w->arena,
			ccfc_index_session_id(rq->index, c->sessions.items[i]));
	return w;
}

int ccfc_method_forget_run(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_service *service = rq->service;
	struct ccfc_forgotten *list = NULL;
	struct ccfc_forget_choice choice;
	int r;

	if (!service->forget)
		return ccfc_err_set(err, CCFC_EINVAL, "%s: not here",
				    rq->method);
	if (service->forgetting(service->ctx))
		return ccfc_err_set(err, CCFC_EAGAIN,
				    "%s: something else is being forgotten; "
				    "try again when that is done",
				    rq->method);
	r = ccfc_forget_choose(&choice, rq, err);
	if (!r) {
		list = ccfc_forgotten_copy(service->forgotten);
		put_on_list(list, rq->index, &choice);
		r = ccfc_forgotten_save(list, true, err);
	}
	if (!r)
		service->forget(service->ctx, list, on_forgotten,
				new_waiting(rq, &choice));
	else
		ccfc_forgotten_free(list);
	ccfc_forget_choice_release(&choice);
	return r ? r : CCFC_DEFERRED;
}
