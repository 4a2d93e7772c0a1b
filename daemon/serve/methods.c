/*
 * From a message to its reply: the part shared by all methods of
 * schema/methods.def. The options are read against the table, a first scan that
 * is nearly done is finished, and the method packs its result behind the head
 * of the response. An error replaces whatever was packed. Everything written
 * before the request was sent has already been read (server.h, on_requests).
 */
#include "serve/rpc/request.h"

#include "base/alloc.h"
#include "serve/conversation/session_messages.h"
#include "serve/methods/subscriptions.h"
#include "serve/rpc/slices.h"

#include <stdlib.h>

/* Content in one reply; maxContent also limits each text. */
#define CONTENT_TOTAL ((size_t)64 << 20)
/* Bytes of lines that a reply may read; a line counts for each change in it. */
#define READING_TOTAL ((size_t)512 << 20)
/* Packed values up to this are copied into the reply, to be sent at once. */
#define COPIED_MAX    ((size_t)64 << 10)
#define STOP_FLUSH_MS 1000

/* By their numbers in the schema. */
static const ccfc_method_fn functions[CCFC_METHODS] = {
#define METHOD(symbol, function, ...) ccfc_method_##function,
#include "schema/methods.def"
#undef METHOD
};

struct ccfc_methods *ccfc_methods_new(struct ccfc_service *service)
{
	struct ccfc_methods *m = ccfc_calloc(1, sizeof(*m));

	m->service = service;
	ccfc_arena_init(&m->arena);
	ccfc_buf_init(&m->out);
	return m;
}

void ccfc_methods_free(struct ccfc_methods *m)
{
	if (!m)
		return;
	ccfc_subs_release(m);
	ccfc_builds_release(m);
	ccfc_slices_release(m);
	ccfc_conversation_forget(m);
	ccfc_arena_release(&m->arena);
	ccfc_buf_release(&m->out);
	free(m);
}

/* During the first scan, a missing session or file may still be found. */
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

static int run_method(struct ccfc_request *rq, int number,
		      struct ccfc_obj params, struct ccfc_err *err)
{
	const struct ccfc_method_row *method = &ccfc_method_rows[number];
	int r;

	rq->method = method->name;
	rq->answered_by = functions[number];
	rq->content_left = CONTENT_TOTAL;
	rq->reading_left = READING_TOTAL;
	rq->opt = (struct ccfc_options){
		.limit = method->limit,
		.max_content = CCFC_CONTENT_MAX_BYTES,
		.context = CCFC_DEFAULT_CONTEXT,
		.states = method->states,
		.changes = true,
		.content = method->content,
	};
	r = ccfc_options_read(&rq->opt, method->name, params,
			      method->required | method->optional,
			      method->required, rq->arena, err);
	if (r)
		return r;
	if (method->waits)
		rq->service->finish_scan(rq->service->ctx);
	r = ccfc_args_words(rq, err);
	if (r)
		return r;
	ccfc_rpc_response_begin(rq->pack, rq->id);
	r = functions[number](rq, err);
	if (r)
		return r;
	ccfc_rpc_response_end(rq->pack);
	return 0;
}

static int fail_no_method(struct ccfc_slice name, struct ccfc_err *err)
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

void ccfc_methods_body(struct ccfc_request *rq, struct ccfc_spool *body,
		       uint32_t n)
{
	ccfc_pack_array_head(rq->pack, n);
	rq->body = body;
	rq->body_at = rq->pack->buf->len;
}

void ccfc_methods_packed(struct ccfc_request *rq, struct ccfc_buf *packed,
			 uint32_t n)
{
	bool copied = packed->len <= COPIED_MAX;

	ccfc_pack_raws(rq->pack,
		       copied ? ccfc_buf_view(packed) : CCFC_SLICE_NONE, n);
	if (copied)
		return;
	rq->packed = packed;
	rq->body_at = rq->pack->buf->len;
}

void ccfc_methods_send(struct ccfc_request *rq)
{
	struct ccfc_server *server = rq->service->server;
	struct ccfc_buf *out = &rq->methods->out, tail = CCFC_BUF_INIT;

	if (rq->body || rq->packed) {
		ccfc_buf_append(&tail, out->ptr + rq->body_at,
				out->len - rq->body_at);
		out->len = rq->body_at;
	}
	ccfc_server_send_buf(server, rq->conn, out);
	if (rq->body)
		ccfc_server_send_spool(server, rq->conn, rq->body);
	if (rq->packed)
		ccfc_server_send_buf(server, rq->conn, rq->packed);
	ccfc_server_send_buf(server, rq->conn, &tail);
	ccfc_buf_release(&tail);
}

/* `broken`: the params are not options (see ccfc_rpc_parse); err says why. */
static void answer_request(struct ccfc_methods *m, uint64_t conn,
			   const struct ccfc_rpc *rpc, bool broken,
			   struct ccfc_err *err)
{
	int method = ccfc_method_find(rpc->method);
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
	if (method < 0 || !ccfc_conversation_is_page(functions[method]))
		ccfc_conversation_drop_large(m, conn);
	if (method < 0)
		r = fail_no_method(rpc->method, err);
	else if (!broken)
		r = run_method(&rq, method, rpc->params, err);
	if (r < 0) {
		ccfc_methods_fail(m, rpc->id, err);
		rq.body = NULL;
	}
	if (r <= 0)
		ccfc_methods_send(&rq);
	ccfc_arena_clear(&m->arena);
	if (!rq.stop)
		return;
	ccfc_server_flush(m->service->server, STOP_FLUSH_MS);
	m->service->stop(m->service->ctx);
}

/* [nil] is what some clients send for "no options". */
static bool has_only_nil_params(struct ccfc_obj root)
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
		answer_request(m, conn, &rpc,
			       r && !has_only_nil_params(ccfc_doc_root(doc)),
			       &err);
	}
	ccfc_doc_free(doc);
}

void ccfc_methods_closed(struct ccfc_methods *m, uint64_t conn)
{
	ccfc_subs_closed(m, conn);
	ccfc_conversation_drop_large(m, conn);
	ccfc_slices_closed(m, conn);
	if (m->service->worker) /* NULL at the end of the daemon */
		ccfc_worker_closed(m->service->worker, conn);
}

void ccfc_methods_drained(struct ccfc_methods *m, uint64_t conn)
{
	ccfc_subs_drained(m, conn);
	ccfc_slices_hold(m, conn, false);
	if (m->service->worker)
		ccfc_worker_hold(m->service->worker, conn, false);
}

void ccfc_methods_full(struct ccfc_methods *m, uint64_t conn)
{
	ccfc_slices_hold(m, conn, true);
	if (m->service->worker) /* NULL at the end of the daemon */
		ccfc_worker_hold(m->service->worker, conn, true);
}

bool ccfc_methods_is_quiet(const struct ccfc_methods *m)
{
	return !m->slices && ccfc_worker_is_idle(m->service->worker);
}

void ccfc_methods_reindexed(struct ccfc_methods *m,
			    const struct ccfc_index *old)
{
	ccfc_conversation_forget(m);
	ccfc_subs_reindexed(m, old);
}

uint32_t ccfc_methods_subscribers(const struct ccfc_methods *m)
{
	return m->subs.n;
}
