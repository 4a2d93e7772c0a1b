/*
 * Requests and their answers. There is one request under way at a time, besides
 * one that was asked ahead, so only the answer with the last id matters;
 * answers with older ids came after their call had given up. Notifications that
 * arrive meanwhile are kept for ccfc_client_next_event.
 */
#include "lib/lib.h"

#include <ccfc/protocol.h>

#define EVENTS_MAX_BYTES (64u << 20)

static int enqueue_event(struct ccfc_client *c, struct ccfc_reply *event,
			 struct ccfc_err *err)
{
	if (c->events.bytes + event->len > EVENTS_MAX_BYTES) {
		ccfc_reply_free(event);
		ccfc_err_set(err, CCFC_ETOOBIG,
			     "too many events came during a call");
		return ccfc_stream_fail(c, CCFC_ETOOBIG);
	}
	c->events.bytes += event->len;
	event->next = NULL;
	*c->events.tail = event;
	c->events.tail = &event->next;
	return 0;
}

static struct ccfc_reply *dequeue_event(struct ccfc_client *c)
{
	struct ccfc_reply *event = c->events.head;

	if (!event)
		return NULL;
	c->events.head = event->next;
	if (!c->events.head)
		c->events.tail = &c->events.head;
	c->events.bytes -= event->len;
	event->next = NULL;
	return event;
}

/*
 * Drops an answer to a call that has given up. Id 0 never belongs to a call:
 * with it the daemon says why it will hang up.
 */
static int drop_late(struct ccfc_client *c, struct ccfc_reply *reply,
		     struct ccfc_err *err)
{
	uint32_t id = reply->rpc.id;
	int r = CCFC_EPROTO;

	if (id && c->last_id - id < UINT32_MAX / 2) {
		ccfc_reply_free(reply);
		return 0;
	}
	if (!id && reply->rpc.failed)
		r = ccfc_err_set(err, reply->rpc.error.code, "%s",
				 reply->rpc.error.what);
	else
		ccfc_err_set(err, r,
			     "the daemon answered a call that was never made");
	ccfc_reply_free(reply);
	return ccfc_stream_fail(c, r);
}

/* Takes the answer to the question that was asked ahead. */
static int hear_ahead(struct ccfc_client *c, struct ccfc_reply *reply,
		      struct ccfc_err *err)
{
	int r = 0;

	c->ahead.id = 0;
	if (!reply->rpc.failed)
		r = c->ahead.fn(c->ahead.data, reply, err);
	else
		r = reply->rpc.error.code;
	if (reply->rpc.failed && err)
		*err = reply->rpc.error;
	ccfc_reply_free(reply);
	return r < 0 ? ccfc_stream_fail(c, r) : 0;
}

/*
 * 1: *out is the answer to the last request; without `out`, the answer to the
 * request asked ahead was handled. 0: no answer in time. Notifications are
 * handled here.
 */
static int wait_answer(struct ccfc_reply **out, struct ccfc_client *c,
		       ccfc_notify_fn fn, void *data, struct ccfc_err *err)
{
	struct ccfc_reply *reply;
	int r;

	for (;;) {
		r = ccfc_stream_next(&reply, c,
				     c->timeout_ms ? c->timeout_ms : -1, err);
		if (r <= 0)
			return r;
		if (reply->rpc.type == CCFC_MSG_NOTIFICATION) {
			if (fn && fn(data, reply))
				ccfc_reply_free(reply);
			else
				r = enqueue_event(c, reply, err);
		} else if (c->ahead.id && reply->rpc.id == c->ahead.id) {
			r = hear_ahead(c, reply, err);
			if (!r && !out)
				return 1;
		} else if (out && reply->rpc.id == c->last_id) {
			*out = reply;
			return 1;
		} else {
			r = drop_late(c, reply, err);
		}
		if (r < 0)
			return r;
	}
}

/* Appends a request to those that were not sent yet. */
static int put_request(struct ccfc_client *c, const char *method,
		       struct ccfc_slice params, struct ccfc_err *err)
{
	size_t before = c->out.len;
	struct ccfc_pack p;

	c->last_id = c->last_id == UINT32_MAX ? 1 : c->last_id + 1;
	ccfc_pack_init(&p, &c->out);
	ccfc_rpc_request_begin(&p, c->last_id, method);
	if (params.len)
		ccfc_pack_raw(&p, params);
	ccfc_rpc_request_end(&p);
	if (c->out.len - before <= CCFC_REQUEST_MAX_BYTES)
		return 0;
	c->out.len = before;
	return ccfc_err_set(err, CCFC_EINVAL, "%s: the request is too large",
			    method);
}

static int send_requests(struct ccfc_client *c, struct ccfc_err *err)
{
	int r = c->out.len ? ccfc_stream_send(c, ccfc_buf_view(&c->out), err)
			   : 0;

	ccfc_buf_release(&c->out);
	return r;
}

int ccfc_lib_ask_ahead(struct ccfc_client *c, const char *method,
		       ccfc_ahead_fn fn, void *data, struct ccfc_err *err)
{
	int r = put_request(c, method, CCFC_SLICE_NONE, err);

	if (!r) {
		c->ahead.id = c->last_id;
		c->ahead.fn = fn;
		c->ahead.data = data;
	}
	return r;
}

/* Calls that may be made before it is clear that this is the right daemon. */
static bool changes_nothing(const char *method)
{
	static const char *const reading[] = {
		"file.",
		"change.",
		"text.",
		"stats.",
		"sql.",
		CCFC_M_SESSION_LIST,
		CCFC_M_SESSION_GET,
		CCFC_M_SESSION_FILES,
		CCFC_M_SESSION_DIFF,
		CCFC_M_SESSION_MESSAGES,
		CCFC_M_SESSION_TIMELINE,
		CCFC_M_SESSION_TREE,
		CCFC_M_SESSION_REVERT,
		CCFC_M_SESSION_RECOVER,
		CCFC_M_CONFLICT_LIST,
	};

	for (size_t i = 0; i < sizeof(reading) / sizeof(*reading); i++)
		if (!strncmp(method, reading[i], strlen(reading[i])))
			return true;
	return false;
}

/* Waits for the answer to the request asked ahead. 0: it was not refused. */
static int finish_request_ahead(struct ccfc_client *c, struct ccfc_err *err)
{
	int r = send_requests(c, err);

	if (r < 0 || !c->ahead.id)
		return r;
	r = wait_answer(NULL, c, NULL, NULL, err);
	if (r == 0)
		r = ccfc_err_set(err, CCFC_EAGAIN, "no answer for %d ms",
				 c->timeout_ms);
	return r < 0 ? r : 0;
}

static int call_daemon(struct ccfc_reply **out, struct ccfc_client *c,
		       const char *method, struct ccfc_slice params,
		       ccfc_notify_fn fn, void *data, struct ccfc_err *err)
{
	int r = changes_nothing(method) ? 0 : finish_request_ahead(c, err);

	if (!r)
		r = put_request(c, method, params, err);
	if (!r)
		r = send_requests(c, err);
	if (r < 0)
		return r;
	r = wait_answer(out, c, fn, data, err);
	if (r == 0) {
		ccfc_err_set(err, CCFC_EAGAIN, "%s: no answer for %d ms",
			     method, c->timeout_ms);
		return CCFC_EAGAIN;
	}
	/* Answers may arrive in another order. */
	return r > 0 ? finish_request_ahead(c, err) : r;
}

int ccfc_lib_call(struct ccfc_reply **out, struct ccfc_client *c,
		  const char *method, struct ccfc_slice params,
		  ccfc_notify_fn fn, void *data, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	int r;

	*out = NULL;
	r = call_daemon(&reply, c, method, params, fn, data, err);
	if (!r && reply->rpc.failed) {
		r = reply->rpc.error.code;
		if (err)
			*err = reply->rpc.error;
	}
	if (r < 0)
		ccfc_reply_free(reply);
	else
		*out = reply;
	return r;
}

int ccfc_client_call(struct ccfc_reply **out, struct ccfc_client *client,
		     const char *method, const void *params, size_t len,
		     struct ccfc_err *err)
{
	return ccfc_lib_call(out, client, method,
			     ccfc_slice(params, params ? len : 0), NULL, NULL,
			     err);
}

int ccfc_client_next_event(struct ccfc_reply **out, struct ccfc_client *client,
			   int timeout_ms, struct ccfc_err *err)
{
	int r;

	*out = dequeue_event(client);
	if (*out)
		return 1;
	for (;;) {
		r = ccfc_stream_next(out, client, timeout_ms, err);
		if (r <= 0 || (*out)->rpc.type == CCFC_MSG_NOTIFICATION)
			return r;
		r = drop_late(client, *out, err);
		*out = NULL;
		if (r < 0)
			return r;
	}
}
