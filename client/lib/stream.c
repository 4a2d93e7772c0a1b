/*
 * Messages on the connection. Bytes are collected until the framer finds a
 * whole message, which is then unpacked. Any error (the daemon is gone,
 * malformed bytes) closes the connection, since the start of the next message
 * is unknown.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "lib/lib.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_CHUNK 16384u

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SO_NOSIGPIPE does it, see dial.c */
#endif

int ccfc_stream_fail(struct ccfc_client *c, int code)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	ccfc_buf_clear(&c->in);
	ccfc_framer_init(&c->framer, &ccfc_frame_reply);
	return code;
}

static int fail_gone(struct ccfc_client *c, struct ccfc_err *err)
{
	bool over = c->fd < 0;

	ccfc_stream_fail(c, 0);
	return ccfc_err_set(err, CCFC_EUNREACHABLE,
			    over ? "the connection to the daemon is closed"
				 : "the daemon closed the connection");
}

/* 1: ready (or broken: the next call will fail); 0: the time ran out. */
static int wait_for(int fd, short events, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int64_t end = timeout_ms > 0 ? ccfc_time_monotonic() + timeout_ms : 0;
	int left = timeout_ms;

	for (;;) {
		int r = poll(&p, 1, left);

		if (r >= 0)
			return r;
		if (errno != EINTR)
			return 1;
		if (timeout_ms > 0) {
			int64_t rest = end - ccfc_time_monotonic();

			left = rest > 0 ? (int)rest : 0;
		}
	}
}

static bool is_transient(int e)
{
	return e == EAGAIN || e == EWOULDBLOCK || e == EINTR;
}

int ccfc_stream_send(struct ccfc_client *c, struct ccfc_slice bytes,
		     struct ccfc_err *err)
{
	int timeout = c->timeout_ms ? c->timeout_ms : -1;

	if (c->fd < 0)
		return fail_gone(c, err);
	while (bytes.len) {
		ssize_t n = send(c->fd, bytes.ptr, bytes.len,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n >= 0) {
			bytes.ptr += n;
			bytes.len -= (size_t)n;
		} else if (!is_transient(errno)) {
			return fail_gone(c, err);
		} else if (!wait_for(c->fd, POLLOUT, timeout)) {
			ccfc_err_set(err, CCFC_EUNREACHABLE,
				     "the daemon does not read");
			return ccfc_stream_fail(c, CCFC_EUNREACHABLE);
		}
	}
	return 0;
}

/* Reads once. 1: some bytes were read; 0: none in time. */
static int read_some(struct ccfc_client *c, int timeout_ms,
		     struct ccfc_err *err)
{
	size_t room;
	ssize_t n;

	if (c->fd < 0)
		return fail_gone(c, err);
	do {
		if (!wait_for(c->fd, POLLIN, timeout_ms))
			return 0;
		ccfc_buf_reserve(&c->in, READ_CHUNK);
		room = c->in.cap - c->in.len - 1;
		n = recv(c->fd, c->in.ptr + c->in.len, room, MSG_DONTWAIT);
	} while (n < 0 && is_transient(errno));
	if (n <= 0)
		return fail_gone(c, err);
	c->in.len += (size_t)n;
	return 1;
}

/* The first `len` bytes. Copied, unless these are all and fill half of `in`. */
static char *cut_bytes(struct ccfc_buf *in, size_t len)
{
	char *bytes;

	if (len == in->len && len > in->cap / 2)
		return ccfc_buf_detach(in, NULL);
	bytes = ccfc_strndup(in->ptr, len);
	ccfc_buf_consume(in, len);
	return bytes;
}

static int take_reply(struct ccfc_reply **out, struct ccfc_client *c,
		      size_t len, struct ccfc_err *err)
{
	struct ccfc_reply *reply = ccfc_calloc(1, sizeof(*reply));
	int r;

	reply->bytes = cut_bytes(&c->in, len);
	reply->len = len;
	r = ccfc_doc_parse(&reply->doc, ccfc_slice(reply->bytes, len), err);
	if (!r)
		r = ccfc_rpc_parse(&reply->rpc, ccfc_doc_root(reply->doc), err);
	if (!r && reply->rpc.type == CCFC_MSG_REQUEST)
		r = ccfc_err_set(err, CCFC_EPROTO, "the daemon sent a request");
	if (r < 0) {
		ccfc_reply_free(reply);
		return ccfc_stream_fail(c, r);
	}
	reply->method =
		ccfc_strndup(reply->rpc.method.ptr, reply->rpc.method.len);
	*out = reply;
	return 1;
}

int ccfc_stream_next(struct ccfc_reply **out, struct ccfc_client *c,
		     int timeout_ms, struct ccfc_err *err)
{
	size_t len;
	int r;

	*out = NULL;
	for (;;) {
		r = ccfc_framer_next(&c->framer, &len, ccfc_buf_view(&c->in),
				     err);
		if (r < 0)
			return ccfc_stream_fail(c, r);
		if (r > 0)
			return take_reply(out, c, len, err);
		r = read_some(c, timeout_ms, err);
		if (r <= 0)
			return r;
	}
}
