/*
 * Splits a stream of bytes into messages; see jsonrpc.h. A message that is too
 * long is never held in memory: its bytes are dropped as they arrive.
 */
#include "cli/jsonrpc/jsonrpc.h"

#include "base/err.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define READ_SIZE   65536
#define HEADERS_MAX 8192

void ccfc_jsonrpc_init(struct ccfc_jsonrpc *rpc, int in, int out, bool headers,
		       size_t max)
{
	*rpc = (struct ccfc_jsonrpc){
		.in = in, .out = out, .headers = headers, .max = max
	};
	ccfc_buf_init(&rpc->buf);
}

void ccfc_jsonrpc_release(struct ccfc_jsonrpc *rpc)
{
	ccfc_buf_release(&rpc->buf);
}

static struct ccfc_slice unread_bytes(const struct ccfc_jsonrpc *rpc)
{
	return ccfc_slice_from(ccfc_buf_view(&rpc->buf), rpc->used);
}

bool ccfc_jsonrpc_pending(const struct ccfc_jsonrpc *rpc)
{
	struct pollfd p = { .fd = rpc->in, .events = POLLIN };

	return unread_bytes(rpc).len || poll(&p, 1, 0) > 0;
}

/* False: the input has ended. */
static bool read_more(struct ccfc_jsonrpc *rpc)
{
	ssize_t n;

	ccfc_buf_consume(&rpc->buf, rpc->used);
	rpc->used = 0;
	do {
		n = read(rpc->in, ccfc_buf_reserve(&rpc->buf, READ_SIZE),
			 READ_SIZE);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	rpc->buf.len += (size_t)n;
	rpc->buf.ptr[rpc->buf.len] = '\0';
	return true;
}

/* The line that begins at `used`, if it is complete; moves past it. */
static bool take_line(struct ccfc_slice *line, struct ccfc_jsonrpc *rpc)
{
	struct ccfc_slice rest = unread_bytes(rpc);
	const char *nl = NULL;

	if (rest.len > rpc->seen)
		nl = memchr(rest.ptr + rpc->seen, '\n', rest.len - rpc->seen);
	rpc->seen = rest.len;
	if (!nl)
		return false;
	*line = ccfc_slice(rest.ptr, (size_t)(nl - rest.ptr));
	if (ccfc_slice_ends(*line, "\r"))
		line->len--;
	rpc->used += (size_t)(nl - rest.ptr) + 1;
	rpc->seen = 0;
	return true;
}

static void drop_input(struct ccfc_jsonrpc *rpc)
{
	ccfc_buf_clear(&rpc->buf);
	rpc->used = rpc->seen = 0;
}

static int too_big(const struct ccfc_jsonrpc *rpc, struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_ETOOBIG,
			    "a message has more than %zu bytes", rpc->max);
}

static bool is_blank(struct ccfc_slice line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.ptr[i] != ' ' && line.ptr[i] != '\t')
			return false;
	return true;
}

/* The text after the last newline of the input. */
static int last_line(struct ccfc_slice *text, struct ccfc_jsonrpc *rpc)
{
	*text = unread_bytes(rpc);
	rpc->broken = rpc->broken || rpc->skip_line || is_blank(*text);
	rpc->used = rpc->buf.len;
	return rpc->broken ? 0 : 1;
}

static int next_line(struct ccfc_slice *text, struct ccfc_jsonrpc *rpc,
		     struct ccfc_err *err)
{
	for (;;) {
		bool whole = take_line(text, rpc);

		if (whole && rpc->skip_line) {
			rpc->skip_line = false;
			continue;
		}
		if (whole && text->len > rpc->max)
			return too_big(rpc, err);
		if (whole && !is_blank(*text))
			return 1;
		if (whole)
			continue;
		if (unread_bytes(rpc).len > rpc->max || rpc->skip_line) {
			bool first = !rpc->skip_line;

			rpc->skip_line = true;
			drop_input(rpc);
			if (first)
				return too_big(rpc, err);
		}
		if (!read_more(rpc))
			return last_line(text, rpc);
	}
}

/* ---- with headers ---- */

/* The length in a header line, or -1: it is another header. */
static long long content_length(struct ccfc_slice line)
{
	static const char name[] = "content-length:";
	const size_t n = sizeof(name) - 1;
	char *end;
	long long value;

	if (line.len < n || strncasecmp(line.ptr, name, n) != 0)
		return -1;
	errno = 0;
	value = strtoll(line.ptr + n, &end, 10);
	return errno || value < 0 || end == line.ptr + n ? -1 : value;
}

/* The headers up to the blank line. 1: *length; 0: end of input. */
static int read_headers(size_t *length, struct ccfc_jsonrpc *rpc,
			struct ccfc_err *err)
{
	struct ccfc_slice line;
	long long found = -1;
	size_t total = 0;

	for (;;) {
		while (!take_line(&line, rpc))
			if (unread_bytes(rpc).len > HEADERS_MAX ||
			    !read_more(rpc))
				goto end;
		total += line.len;
		if (!line.len && found >= 0) {
			*length = (size_t)found;
			return 1;
		}
		if ((!line.len && total) || total > HEADERS_MAX)
			goto end;
		if (content_length(line) >= 0)
			found = content_length(line);
	}
end:
	if (!unread_bytes(rpc).len && !total)
		return 0;
	drop_input(rpc);
	rpc->broken = true;
	return ccfc_err_set(err, CCFC_EINVAL,
			    "headers without a Content-Length");
}

/* Drops the rest of a message that is too long. */
static bool skip_body(struct ccfc_jsonrpc *rpc)
{
	while (rpc->skip) {
		size_t n = unread_bytes(rpc).len;

		if (n > rpc->skip)
			n = rpc->skip;
		rpc->used += n;
		rpc->skip -= n;
		if (rpc->skip && !read_more(rpc))
			return false;
	}
	rpc->seen = 0;
	return true;
}

static int next_framed(struct ccfc_slice *text, struct ccfc_jsonrpc *rpc,
		       struct ccfc_err *err)
{
	size_t length = 0;
	int code;

	if (!skip_body(rpc))
		return 0;
	code = read_headers(&length, rpc, err);
	if (code <= 0)
		return code;
	if (length > rpc->max) {
		rpc->skip = length;
		return too_big(rpc, err);
	}
	while (unread_bytes(rpc).len < length)
		if (!read_more(rpc))
			return 0;
	*text = ccfc_slice(unread_bytes(rpc).ptr, length);
	rpc->used += length;
	rpc->seen = 0;
	return 1;
}

int ccfc_jsonrpc_next(struct ccfc_slice *text, struct ccfc_jsonrpc *rpc,
		      struct ccfc_err *err)
{
	*text = CCFC_SLICE_NONE;
	if (rpc->broken)
		return 0;
	return rpc->headers ? next_framed(text, rpc, err)
			    : next_line(text, rpc, err);
}
