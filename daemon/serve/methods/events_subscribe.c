/*
 * Subscriptions: events to clients, as they happen.
 *
 * An event is packed once for all subscribers; only the subscription's number,
 * its last value, differs. A subscription gets its events of one batch in one
 * piece. If more than CCFC_SUBSCRIBER_MAX_BYTES would wait for the peer, the
 * subscription is behind: it gets no more events, and once the peer has read
 * the waiting bytes, one `resync` with the present clock. Nothing is lost,
 * since the peer can ask for all events after the last one it saw.
 */
#include "base/alloc.h"
#include "serve/methods/events_since.h"
#include "serve/methods/subscriptions.h"
#include "serve/rpc/reply.h"

#include <stdlib.h>

#define SUBS_PER_CONN	  64
#define SUBS_MAX	  1024
#define NOTIFY_METHOD_MAX 256
#define NOTIFY_ARGS_MAX	  (64u << 10)

struct ccfc_subscription {
	int64_t id;
	uint64_t conn;
	struct ccfc_wish wish;
	/* The notification; in the wish's arena: */
	const char *method;
	struct ccfc_slices args; /* packed values before the event */
	/* the last so many args are in one list with the event */
	uint32_t inner;
	bool listed; /* there is such a list */
	bool behind;
};

static void free_subscription(struct ccfc_subscription *sub)
{
	ccfc_wish_release(&sub->wish);
	free(sub);
}

static void remove_subscription_at(struct ccfc_methods *m, uint32_t i)
{
	free_subscription(m->subs.items[i]);
	memmove(m->subs.items + i, m->subs.items + i + 1,
		(m->subs.n - i - 1) * sizeof(*m->subs.items));
	m->subs.n--;
}

void ccfc_subs_closed(struct ccfc_methods *m, uint64_t conn)
{
	for (uint32_t i = m->subs.n; i--;)
		if (m->subs.items[i]->conn == conn)
			remove_subscription_at(m, i);
}

void ccfc_subs_release(struct ccfc_methods *m)
{
	while (m->subs.n)
		remove_subscription_at(m, m->subs.n - 1);
	free(m->subs.items);
}

/* --- events.subscribe --- */

/* Packs an object of the request again. False: it is of type ext. */
static bool pack_obj(struct ccfc_pack *p, struct ccfc_obj o)
{
	bool ok = true;

	switch (ccfc_obj_type(o)) {
	case CCFC_OBJ_BOOL:
		ccfc_pack_bool(p, ccfc_obj_bool(o, false));
		break;
	case CCFC_OBJ_INT:
		ccfc_pack_int(p, ccfc_obj_int(o, 0));
		break;
	case CCFC_OBJ_UINT:
		ccfc_pack_uint(p, ccfc_obj_uint(o, 0));
		break;
	case CCFC_OBJ_DOUBLE:
		ccfc_pack_double(p, ccfc_obj_double(o, 0));
		break;
	case CCFC_OBJ_STR:
	case CCFC_OBJ_BIN:
		ccfc_pack_str(p, ccfc_obj_str(o));
		break;
	case CCFC_OBJ_ARRAY:
		ccfc_pack_array(p);
		for (uint32_t i = 0; ok && i < ccfc_obj_len(o); i++)
			ok = pack_obj(p, ccfc_obj_at(o, i));
		ccfc_pack_end(p);
		break;
	case CCFC_OBJ_MAP:
		ccfc_pack_map(p);
		for (uint32_t i = 0; ok && i < ccfc_obj_len(o); i++)
			ok = pack_obj(p, ccfc_obj_key_at(o, i)) &&
			     pack_obj(p, ccfc_obj_value_at(o, i));
		ccfc_pack_end(p);
		break;
	case CCFC_OBJ_EXT:
		return false;
	default:
		ccfc_pack_nil(p);
	}
	return ok;
}

static int fail_bad_notify(struct ccfc_request *rq, const char *why,
			   struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_EINVAL, "%s: option 'notify' %s",
			    rq->method, why);
}

/* Neovim's functions that take the arguments of another function as a list. */
static bool takes_argument_list(struct ccfc_slice method)
{
	return ccfc_slice_is(method, "nvim_exec_lua") ||
	       ccfc_slice_is(method, "nvim_execute_lua") ||
	       ccfc_slice_is(method, "nvim_call_function");
}

/* Packs one argument that is sent with each event. */
static int add_notify_argument(struct ccfc_subscription *sub,
			       struct ccfc_request *rq, struct ccfc_obj arg,
			       struct ccfc_buf *buf, struct ccfc_err *err)
{
	size_t before = buf->len;
	struct ccfc_pack p;

	ccfc_pack_init(&p, buf);
	if (!pack_obj(&p, arg))
		return fail_bad_notify(rq, "has a value of an unknown type",
				       err);
	if (buf->len > NOTIFY_ARGS_MAX)
		return fail_bad_notify(rq, "is too long", err);
	sub->args.items[sub->args.n++] = ccfc_arena_copy(
		&sub->wish.arena,
		ccfc_slice(buf->ptr + before, buf->len - before));
	return 0;
}

/*
 * Reads the arguments. The event is appended to them, or to the list at their
 * end.
 */
static int read_notify_arguments(struct ccfc_subscription *sub,
				 struct ccfc_request *rq, struct ccfc_buf *buf,
				 struct ccfc_err *err)
{
	struct ccfc_obj args = rq->opt.notify.args, list = { 0 };
	uint32_t n = ccfc_obj_len(args);
	int r = 0;

	if (n && ccfc_obj_type(ccfc_obj_at(args, n - 1)) == CCFC_OBJ_ARRAY)
		list = ccfc_obj_at(args, --n);
	sub->inner = ccfc_obj_len(list);
	sub->listed = ccfc_obj_type(list) == CCFC_OBJ_ARRAY ||
		      takes_argument_list(rq->opt.notify.method);
	sub->args.items = ccfc_arena_alloc(&sub->wish.arena,
					   ((size_t)n + sub->inner + 1) *
						   sizeof(*sub->args.items));
	for (uint32_t i = 0; !r && i < n; i++)
		r = add_notify_argument(sub, rq, ccfc_obj_at(args, i), buf,
					err);
	for (uint32_t i = 0; !r && i < sub->inner; i++)
		r = add_notify_argument(sub, rq, ccfc_obj_at(list, i), buf,
					err);
	return r;
}

static int read_notify(struct ccfc_subscription *sub, struct ccfc_request *rq,
		       struct ccfc_err *err)
{
	struct ccfc_slice method = rq->opt.notify.method;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	int r;

	sub->method = CCFC_N_EVENT;
	if (!(rq->opt.given & CCFC_OPT(NOTIFY)))
		return 0;
	if (method.len > NOTIFY_METHOD_MAX)
		return fail_bad_notify(rq, "is too long", err);
	sub->method = ccfc_arena_copy(&sub->wish.arena, method).ptr;
	r = read_notify_arguments(sub, rq, &buf, err);
	ccfc_buf_release(&buf);
	return r;
}

static int check_subscription_count(struct ccfc_request *rq,
				    struct ccfc_err *err)
{
	const struct ccfc_methods *m = rq->methods;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->subs.n; i++)
		n += m->subs.items[i]->conn == rq->conn;
	if (n >= SUBS_PER_CONN)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "%s: this connection has %d subscriptions "
				    "already",
				    rq->method, SUBS_PER_CONN);
	if (m->subs.n >= SUBS_MAX)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "%s: there are %d subscriptions already",
				    rq->method, SUBS_MAX);
	return 0;
}

static int new_subscription(struct ccfc_subscription **out,
			    struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_subscription *sub = ccfc_calloc(1, sizeof(*sub));
	int r = ccfc_wish_init(&sub->wish, rq, err);

	if (!r)
		r = read_notify(sub, rq, err);
	if (r) {
		free_subscription(sub);
		return r;
	}
	sub->conn = rq->conn;
	sub->id = ++rq->methods->last_sub;
	*out = sub;
	return 0;
}

/* Starts sending: the answer has all events up to now. */
static int begin_subscription(struct ccfc_request *rq, struct ccfc_follower *f,
			      struct ccfc_err *err)
{
	/* There may be more subscriptions than when the request came. */
	int r = check_subscription_count(rq, err);

	if (r)
		return r;
	CCFC_VEC_PUSH(rq->methods->subs, f->subscription);
	f->subscription = NULL;
	return 0;
}

int ccfc_method_events_subscribe(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_subscription *sub;
	int r = check_subscription_count(rq, err);

	if (!r)
		r = new_subscription(&sub, rq, err);
	if (r)
		return r;
	if (rq->opt.given & CCFC_OPT(SINCE)) {
		rq->opt.clock = rq->opt.since;
		return ccfc_events_since(rq,
					 &(const struct ccfc_follower){
						 .subscription = sub,
						 .wish = &sub->wish,
						 .id = sub->id,
						 .follow = begin_subscription,
						 .release = free_subscription,
					 });
	}
	CCFC_VEC_PUSH(rq->methods->subs, sub);
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_int(rq->pack, "subscription", sub->id);
	ccfc_reply_clock(rq->pack, rq->service);
	ccfc_pack_end(rq->pack);
	return 0;
}

int ccfc_method_events_unsubscribe(struct ccfc_request *rq,
				   struct ccfc_err *err)
{
	struct ccfc_methods *m = rq->methods;

	for (uint32_t i = 0; i < m->subs.n; i++) {
		if (m->subs.items[i]->conn != rq->conn ||
		    m->subs.items[i]->id != rq->opt.subscription)
			continue;
		remove_subscription_at(m, i);
		ccfc_pack_map(rq->pack);
		ccfc_pack_end(rq->pack);
		return 0;
	}
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "%s: this connection has no subscription %lld",
			    rq->method, (long long)rq->opt.subscription);
}

/* --- publishing --- */

/* The events of a batch, each packed when the first subscription needs it. */
struct batch {
	const struct ccfc_index *index;
	struct ccfc_buf bytes;
	struct {
		size_t at, len; /* 0: not packed yet */
	} * events;
	struct ccfc_buf event; /* one complete event */
	struct ccfc_buf out;
};

static struct ccfc_slice packed_event(struct batch *b, uint32_t i, int64_t sub)
{
	struct ccfc_pack p;

	if (!b->events[i].len) {
		b->events[i].at = b->bytes.len;
		ccfc_event_pack(&b->bytes, b->index,
				&b->index->events.items[i]);
		b->events[i].len = b->bytes.len - b->events[i].at;
	}
	ccfc_buf_clear(&b->event);
	ccfc_buf_append(&b->event, b->bytes.ptr + b->events[i].at,
			b->events[i].len);
	ccfc_pack_init(&p, &b->event);
	ccfc_pack_int(&p, sub);
	return ccfc_buf_view(&b->event);
}

/* [2, method, [args…, event]] */
static void pack_notification(struct ccfc_buf *out,
			      const struct ccfc_subscription *sub,
			      struct ccfc_slice event)
{
	struct ccfc_pack p;

	ccfc_pack_init(&p, out);
	ccfc_rpc_notify_begin(&p, sub->method);
	for (uint32_t i = 0; i < sub->args.n - sub->inner; i++)
		ccfc_pack_raw(&p, sub->args.items[i]);
	if (sub->listed)
		ccfc_pack_array(&p);
	for (uint32_t i = sub->args.n - sub->inner; i < sub->args.n; i++)
		ccfc_pack_raw(&p, sub->args.items[i]);
	ccfc_pack_raw(&p, event);
	if (sub->listed)
		ccfc_pack_end(&p);
	ccfc_rpc_notify_end(&p);
}

static void publish_to_subscription(struct ccfc_methods *m,
				    struct ccfc_subscription *sub,
				    struct batch *b)
{
	struct ccfc_server *server = m->service->server;
	size_t waiting = ccfc_server_queued(server, sub->conn), before;

	ccfc_buf_clear(&b->out);
	for (uint32_t i = 0; i < b->index->events.n && !sub->behind; i++) {
		if (!ccfc_wish_accepts(&sub->wish, b->index,
				       &b->index->events.items[i]))
			continue;
		before = b->out.len;
		pack_notification(&b->out, sub, packed_event(b, i, sub->id));
		if (waiting + b->out.len > CCFC_SUBSCRIBER_MAX_BYTES) {
			sub->behind = true;
			b->out.len = before;
		}
	}
	ccfc_server_send_buf(server, sub->conn, &b->out);
}

void ccfc_methods_publish(struct ccfc_methods *m)
{
	const struct ccfc_index *index = m->service->index;
	struct batch b = { .index = index };

	if (!m->subs.n || !index->events.n)
		return;
	b.events = ccfc_calloc(index->events.n, sizeof(*b.events));
	for (uint32_t i = 0; i < m->subs.n; i++)
		if (!m->subs.items[i]->behind)
			publish_to_subscription(m, m->subs.items[i], &b);
	free(b.events);
	ccfc_buf_release(&b.bytes);
	ccfc_buf_release(&b.event);
	ccfc_buf_release(&b.out);
}

/* CCFC_ID_NONE if the session has no line yet. */
static uint32_t session_of_event(const struct ccfc_index *index,
				 const struct ccfc_disk_event *event)
{
	uint32_t session = ccfc_strtab_find(&index->session_ids,
					    ccfc_index_str(index, event->by));

	return session == CCFC_ID_NONE ? 0 : session;
}

static void send_disk_event(struct ccfc_methods *m,
			    struct ccfc_subscription *sub,
			    const struct ccfc_disk_event *event,
			    uint32_t session)
{
	const struct ccfc_index *index = m->service->index;
	struct ccfc_buf packed = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	enum ccfc_op op = event->before == CCFC_DISK_ABSENT ? CCFC_OP_CREATED
							    : CCFC_OP_MODIFIED;
	struct ccfc_pack p;

	ccfc_pack_init(&p, &packed);
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "type", "early");
	ccfc_reply_clock(&p, m->service);
	ccfc_pack_kv_int(&p, "subscription", sub->id);
	ccfc_reply_str(&p, "path", ccfc_index_file_path(index, event->file));
	ccfc_reply_id(&p, "projectPath", index,
		      index->sessions.items[session].project);
	ccfc_reply_str(&p, "sessionId", ccfc_index_str(index, event->by));
	ccfc_pack_kv_int(&p, "pid", event->client);
	ccfc_pack_kv_cstr(&p, "operation", ccfc_op_text((int)op));
	ccfc_pack_kv_time(&p, "seenAt", event->time);
	ccfc_pack_end(&p);
	pack_notification(&out, sub, ccfc_buf_view(&packed));
	/* The change's own event will say more, so this one may be dropped. */
	if (ccfc_server_queued(m->service->server, sub->conn) + out.len <=
	    CCFC_SUBSCRIBER_MAX_BYTES)
		ccfc_server_send_buf(m->service->server, sub->conn, &out);
	ccfc_buf_release(&packed);
	ccfc_buf_release(&out);
}

void ccfc_methods_early(struct ccfc_methods *m,
			const struct ccfc_disk_event *event)
{
	const struct ccfc_index *index = m->service->index;
	uint32_t session = session_of_event(index, event);

	for (uint32_t i = 0; session && i < m->subs.n; i++)
		if (!m->subs.items[i]->behind &&
		    ccfc_wish_accepts_file(&m->subs.items[i]->wish, index,
					   event->file, session))
			send_disk_event(m, m->subs.items[i], event, session);
}

void ccfc_subs_reindexed(struct ccfc_methods *m, const struct ccfc_index *old)
{
	const struct ccfc_index *index = m->service->index;

	for (uint32_t i = 0; i < m->subs.n; i++) {
		uint32_t *session = &m->subs.items[i]->wish.session;

		if (!*session || *session == CCFC_ID_NONE)
			continue;
		*session =
			ccfc_strtab_find(&index->session_ids,
					 ccfc_index_session_id(old, *session));
		/* A removed session has no events. */
		if (!*session)
			*session = CCFC_ID_NONE;
	}
}

/* At most so many sessions are named; clients read everything again anyway. */
#define FORGOTTEN_NAMED 100u

static void send_forgotten(struct ccfc_methods *m,
			   struct ccfc_subscription *sub,
			   const struct ccfc_slice *sessions, uint32_t n)
{
	struct ccfc_buf event = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	struct ccfc_pack p;

	ccfc_pack_init(&p, &event);
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "type", "forgotten");
	ccfc_pack_kv_int(&p, "subscription", sub->id);
	ccfc_reply_clock(&p, m->service);
	ccfc_pack_cstr(&p, "sessionIds");
	ccfc_pack_array(&p);
	for (uint32_t i = 0; i < n && i < FORGOTTEN_NAMED; i++)
		ccfc_pack_str(&p, sessions[i]);
	ccfc_pack_end(&p);
	ccfc_pack_kv_uint(&p, "totalSessions", n);
	ccfc_pack_end(&p);
	pack_notification(&out, sub, ccfc_buf_view(&event));
	ccfc_server_send_buf(m->service->server, sub->conn, &out);
	ccfc_buf_release(&event);
	ccfc_buf_release(&out);
}

void ccfc_subs_forgotten(struct ccfc_methods *m,
			 const struct ccfc_slice *sessions, uint32_t n)
{
	for (uint32_t i = 0; i < m->subs.n; i++)
		if (!m->subs.items[i]->behind)
			send_forgotten(m, m->subs.items[i], sessions, n);
}

static void send_resync(struct ccfc_methods *m, struct ccfc_subscription *sub)
{
	struct ccfc_buf event = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	struct ccfc_pack p;

	ccfc_pack_init(&p, &event);
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "type", "resync");
	ccfc_pack_kv_int(&p, "subscription", sub->id);
	ccfc_reply_clock(&p, m->service);
	ccfc_pack_end(&p);
	pack_notification(&out, sub, ccfc_buf_view(&event));
	ccfc_server_send_buf(m->service->server, sub->conn, &out);
	ccfc_buf_release(&event);
	ccfc_buf_release(&out);
	sub->behind = false;
}

void ccfc_subs_drained(struct ccfc_methods *m, uint64_t conn)
{
	for (uint32_t i = 0; i < m->subs.n; i++)
		if (m->subs.items[i]->conn == conn && m->subs.items[i]->behind)
			send_resync(m, m->subs.items[i]);
}
