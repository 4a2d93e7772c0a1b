/*
 * Server-sent events. A stream is one subscription; its text waits in `out`
 * until the reader takes it. A slow reader is disconnected; it comes back with
 * the clock of its last event, and misses nothing.
 *
 * libmicrohttpd does not look at a suspended connection, so the thread itself
 * waits for the reader to hang up.
 */
#include "http/http_internal.h"

#include "base/alloc.h"
#include "http/url.h"
#include "wire/to_json.h"

#include <stdlib.h>
#include <sys/socket.h>

/* Text that waits for one reader, at most. */
#define WAITING_MAX (1u << 20)
#define BLOCK	    16384
#define CLOCK_MAX   128

static int socket_of(struct ccfc_exchange *ex)
{
	const union MHD_ConnectionInfo *info = ccfc_mhd.get_connection_info(
		ex->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static void stop_awaiting(struct ccfc_event_stream *stream)
{
	if (stream->is_awaited)
		ccfc_waiting_remove(stream->exchange->http->waiting,
				    &stream->awaited);
	stream->is_awaited = false;
}

static void end_stream(struct ccfc_event_stream *stream)
{
	stream->over = true;
	stop_awaiting(stream);
	ccfc_exchange_resume(stream->exchange);
}

static void on_hang_up(struct ccfc_awaited *self, uint32_t events)
{
	(void)events;
	end_stream((struct ccfc_event_stream *)self);
}

static void append_event(struct ccfc_buf *out, struct ccfc_obj event)
{
	struct ccfc_slice type = ccfc_obj_get_str(event, "type");

	ccfc_buf_puts(out, "id: ");
	ccfc_buf_slice(out, ccfc_obj_get_str(event, "clock"));
	ccfc_buf_puts(out, "\nevent: ");
	ccfc_buf_slice(out, type);
	/* JSON on one line: nothing in it ends the field. */
	ccfc_buf_puts(out, "\ndata: ");
	ccfc_json_write(out, event, 0);
	ccfc_buf_puts(out, "\n\n");
}

/* A slow reader is not waited for: its connection is shut down. */
static void cut_stream_off(struct ccfc_event_stream *stream)
{
	ccfc_buf_release(&stream->out);
	shutdown(socket_of(stream->exchange), SHUT_RDWR);
	end_stream(stream);
}

static void on_event(void *arg, struct ccfc_obj event)
{
	struct ccfc_event_stream *stream = arg;

	if (stream->over)
		return;
	if (ccfc_obj_type(event) == CCFC_OBJ_NONE) {
		stream->exchange->question = 0;
		end_stream(stream);
		return;
	}
	append_event(&stream->out, event);
	if (stream->out.len > WAITING_MAX)
		cut_stream_off(stream);
	else
		ccfc_exchange_resume(stream->exchange);
}

/* Begins a stream: time to reconnect, missed events, clock to go on from. */
static void append_start(struct ccfc_buf *out, struct ccfc_obj reply)
{
	struct ccfc_obj events = ccfc_obj_get(reply, "events");
	bool fresh = ccfc_obj_get_bool(reply, "fresh", false);

	ccfc_buf_puts(out, "retry: 1000\n");
	for (uint32_t i = 0; i < ccfc_obj_len(events); i++)
		append_event(out, ccfc_obj_at(events, i));
	ccfc_buf_puts(out, "id: ");
	ccfc_buf_slice(out, ccfc_obj_get_str(reply, "clock"));
	ccfc_buf_printf(out, "\nevent: %s\ndata: {\"clock\":",
			fresh ? "fresh" : "ready");
	ccfc_json_string(out, ccfc_obj_get_str(reply, "clock"));
	ccfc_buf_puts(out, "}\n\n");
}

static void on_subscribed(void *arg, const struct ccfc_rpc *reply)
{
	struct ccfc_event_stream *stream = arg;
	struct ccfc_exchange *ex = stream->exchange;

	if (!reply || reply->failed)
		ex->question = 0;
	if (!reply) {
		ccfc_answer_error(ex, 503, "unreachable",
				  "the daemon did not answer", "try again");
	} else if (reply->failed) {
		ccfc_answer_failure(ex, &reply->error);
	} else {
		append_start(&stream->out, reply->result);
		ex->status = 200;
	}
	ccfc_exchange_resume(ex);
}

static int start_subscription(struct ccfc_exchange *ex, struct ccfc_slice query,
			      struct ccfc_err *err)
{
	const char *last = ccfc_mhd.lookup_connection_value(
		ex->connection, MHD_HEADER_KIND, "Last-Event-ID");
	struct ccfc_route_change change = { .since = ccfc_slice_str(last) };
	struct ccfc_buf options = CCFC_BUF_INIT;
	struct ccfc_pack p;
	int r;

	ccfc_pack_init(&p, &options);
	if (change.since.len > CLOCK_MAX)
		r = ccfc_err_set(err, CCFC_EINVAL,
				 "Last-Event-ID is not a clock");
	else
		r = ccfc_route_pack(&p, &ex->match, query, &change, err);
	if (!r) {
		ex->question = ccfc_backend_subscribe(
			ex->http->backend, ccfc_buf_view(&options),
			on_subscribed, on_event, ex->stream, err);
		r = ex->question ? 0 : err->code;
	}
	ccfc_buf_release(&options);
	return r;
}

void ccfc_stream_start(struct ccfc_exchange *ex, struct ccfc_slice query)
{
	struct ccfc_err err;

	if (ex->http->streams >= CCFC_HTTP_STREAMS_MAX) {
		ccfc_answer_error(ex, 429, "again", "too many event streams",
				  "close one of them");
		return;
	}
	ex->stream = ccfc_calloc(1, sizeof(*ex->stream));
	ex->stream->exchange = ex;
	ex->http->streams++;
	if (start_subscription(ex, query, &err))
		ccfc_answer_failure(ex, &err);
}

void ccfc_stream_free(struct ccfc_event_stream *stream)
{
	struct ccfc_http *http;

	if (!stream)
		return;
	http = stream->exchange->http;
	stop_awaiting(stream);
	ccfc_buf_release(&stream->out);
	free(stream);
	/* The buffers of hundreds of readers were many small pieces. */
	if (!--http->streams)
		ccfc_alloc_give_back();
}

/* The next bytes for libmicrohttpd to send. */
static ssize_t next_block(void *arg, uint64_t at, char *block, size_t max)
{
	struct ccfc_event_stream *stream = arg;
	size_t n = stream->out.len < max ? stream->out.len : max;

	(void)at;
	if (n) {
		memcpy(block, stream->out.ptr, n);
		ccfc_buf_consume(&stream->out, n);
		return (ssize_t)n;
	}
	if (stream->over)
		return MHD_CONTENT_READER_END_OF_STREAM;
	ccfc_exchange_suspend(stream->exchange);
	return 0;
}

enum MHD_Result ccfc_stream_send(struct ccfc_exchange *ex)
{
	struct ccfc_event_stream *stream = ex->stream;
	struct MHD_Response *response = ccfc_mhd.create_response_from_callback(
		MHD_SIZE_UNKNOWN, BLOCK, next_block, stream, NULL);
	enum MHD_Result r;

	if (!response)
		return MHD_NO;
	ccfc_answer_headers(response);
	ccfc_mhd.add_response_header(response, "Content-Type",
				     "text/event-stream");
	ccfc_mhd.add_response_header(response, "Cache-Control", "no-store");
	stream->awaited = (struct ccfc_awaited){ on_hang_up, socket_of(ex) };
	stream->is_awaited = ccfc_waiting_add(ex->http->waiting,
					      &stream->awaited, EPOLLRDHUP);
	r = ccfc_mhd.queue_response(ex->connection, 200, response);
	ccfc_mhd.destroy_response(response);
	return r;
}
