/* Answers: JSON, headers, compression; see http_internal.h. */
#include "http/http_internal.h"

#include "base/hash.h"
#include "wire/to_json.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <zlib.h>

/* Shorter answers are not worth compressing. */
#define GZIP_LEAST 1024

static const char json_type[] = "application/json; charset=utf-8";

void ccfc_answer_error(struct ccfc_exchange *ex, int status, const char *code,
		       const char *what, const char *hint)
{
	struct ccfc_buf *out = &ex->answer;

	ccfc_buf_clear(out);
	ccfc_buf_puts(out, "{\"error\":{\"code\":");
	ccfc_json_string(out, ccfc_slice_str(code));
	ccfc_buf_puts(out, ",\"message\":");
	ccfc_json_string(out, ccfc_slice_str(what));
	if (hint[0]) {
		ccfc_buf_puts(out, ",\"hint\":");
		ccfc_json_string(out, ccfc_slice_str(hint));
	}
	ccfc_buf_puts(out, "}}\n");
	ex->status = status;
	ex->type = json_type;
}

static int http_status_of(int code)
{
	switch (code) {
	case CCFC_EINVAL:
	case CCFC_EAMBIGUOUS:
		return 400;
	case CCFC_ENOTFOUND:
		return 404;
	case CCFC_ETOOBIG:
		return 413;
	case CCFC_EAGAIN:
		return 429;
	case CCFC_EUNREACHABLE:
	case CCFC_EBUSY:
		return 503;
	case CCFC_EDENIED:
		return 403;
	default:
		return 500;
	}
}

void ccfc_answer_failure(struct ccfc_exchange *ex, const struct ccfc_err *err)
{
	ccfc_answer_error(ex, http_status_of(err->code),
			  ccfc_error_name(err->code), err->what, err->hint);
}

void ccfc_answer_result(struct ccfc_exchange *ex, struct ccfc_obj result)
{
	struct ccfc_slice clock = ccfc_obj_get_str(result, "clock");

	ccfc_buf_clear(&ex->answer);
	ccfc_json_write(&ex->answer, result, 0);
	ccfc_buf_putc(&ex->answer, '\n');
	/*
	 * A later clock means another reply. The hash covers changes without a
	 * new clock: the file on disk, a session's status.
	 */
	ccfc_buf_clear(&ex->tag);
	ccfc_buf_puts(&ex->tag, "W/\"");
	ccfc_buf_slice(&ex->tag, clock);
	ccfc_buf_printf(&ex->tag, ".%016" PRIx64 "\"",
			ccfc_hash(ex->answer.ptr, ex->answer.len));
	ex->status = 200;
	ex->type = json_type;
}

void ccfc_answer_headers(struct MHD_Response *response)
{
	static const char *const headers[][2] = {
		{ "X-Content-Type-Options", "nosniff" },
		{ "Content-Security-Policy",
		  "default-src 'self'; frame-ancestors 'none'; "
		  "base-uri 'none'; form-action 'none'" },
		{ "X-Frame-Options", "DENY" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Vary", "Accept-Encoding" },
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		ccfc_mhd.add_response_header(response, headers[i][0],
					     headers[i][1]);
}

static const char *request_header(struct ccfc_exchange *ex, const char *name)
{
	const char *value = ccfc_mhd.lookup_connection_value(
		ex->connection, MHD_HEADER_KIND, name);

	return value ? value : "";
}

/* Is gzip in the list, and not with the weight 0? */
static bool takes_gzip(struct ccfc_exchange *ex)
{
	const char *at = request_header(ex, "Accept-Encoding");

	at += strspn(at, ", \t");
	while (*at &&
	       (strncasecmp(at, "gzip", 4) != 0 || strcspn(at, ",; \t") != 4)) {
		at += strcspn(at, ",");
		at += strspn(at, ", \t");
	}
	if (!*at)
		return false;
	at += 4;
	at += strspn(at, "; \t");
	if (strncasecmp(at, "q=", 2) != 0)
		return true;
	at += 2;
	return strspn(at, "0. \t") < strcspn(at, ",;");
}

/* Compresses the answer. False: failed, the answer is unchanged. */
static bool compress_answer(struct ccfc_buf *answer)
{
	z_stream z = { 0 };
	struct ccfc_buf out = CCFC_BUF_INIT;
	size_t room;
	int r;

	if (answer->len > UINT_MAX / 2 ||
	    deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	room = deflateBound(&z, answer->len);
	z.next_in = (unsigned char *)answer->ptr;
	z.avail_in = (unsigned)answer->len;
	z.next_out = (unsigned char *)ccfc_buf_reserve(&out, room);
	z.avail_out = (unsigned)room;
	r = deflate(&z, Z_FINISH);
	out.len = z.total_out;
	deflateEnd(&z);
	if (r != Z_STREAM_END) {
		ccfc_buf_release(&out);
		return false;
	}
	ccfc_buf_release(answer);
	*answer = out;
	return true;
}

bool ccfc_answer_page(struct ccfc_exchange *ex, struct ccfc_slice path)
{
	for (const struct ccfc_page_file *f = ccfc_page_files; f->path; f++) {
		if (!ccfc_slice_is(path, f->path))
			continue;
		ex->file = f;
		ex->status = 200;
		ex->type = f->type;
		ccfc_buf_clear(&ex->tag);
		ccfc_buf_puts(&ex->tag, f->tag);
		return true;
	}
	return false;
}

/* Unpacks a file for a client that does not take gzip. */
static bool unpack_page(struct ccfc_buf *out, const struct ccfc_page_file *file)
{
	z_stream z = { 0 };
	int r;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return false;
	z.next_in = (unsigned char *)file->gzip;
	z.avail_in = (unsigned)file->gzip_len;
	z.next_out = (unsigned char *)ccfc_buf_reserve(out, file->len);
	z.avail_out = (unsigned)file->len;
	r = inflate(&z, Z_FINISH);
	out->len = z.total_out;
	inflateEnd(&z);
	return r == Z_STREAM_END;
}

/*
 * Does the client have this answer already? Weak and strong tags are equal
 * here, so only the text inside the quotes counts.
 */
static bool is_cached_by_client(struct ccfc_exchange *ex)
{
	const char *tags = request_header(ex, "If-None-Match");

	return ex->status == 200 && ex->tag.len &&
	       (!strcmp(tags, "*") ||
		strstr(tags, strchr(ex->tag.ptr, '"')) != NULL);
}

static void add_own_headers(struct ccfc_exchange *ex,
			    struct MHD_Response *response)
{
	ccfc_answer_headers(response);
	ccfc_mhd.add_response_header(response, "Content-Type", ex->type);
	ccfc_mhd.add_response_header(response, "Cache-Control",
				     ex->tag.len ? "private, no-cache"
						 : "no-store");
	if (ex->tag.len)
		ccfc_mhd.add_response_header(response, "ETag", ex->tag.ptr);
	if (ex->status == 405 && ex->allowed)
		ccfc_mhd.add_response_header(response, "Allow", ex->allowed);
	if (ex->status == 401)
		ccfc_mhd.add_response_header(response, "WWW-Authenticate",
					     "Bearer realm=\"ccfc\"");
	if (ex->status == 429 || ex->status == 503)
		ccfc_mhd.add_response_header(response, "Retry-After", "1");
}

/* The answer with its body; NULL: no memory, or a damaged file. */
static struct MHD_Response *make_response(struct ccfc_exchange *ex, bool *gzip)
{
	struct MHD_Response *response;
	size_t len;
	char *bytes;

	*gzip = takes_gzip(ex);
	if (is_cached_by_client(ex)) {
		ex->status = 304;
		ccfc_buf_clear(&ex->answer);
		*gzip = false;
	} else if (ex->file && *gzip) {
		return ccfc_mhd.create_response_from_buffer(
			ex->file->gzip_len, (void *)ex->file->gzip,
			MHD_RESPMEM_PERSISTENT);
	} else if (ex->file && !unpack_page(&ex->answer, ex->file)) {
		return NULL;
	} else if (!ex->file) {
		*gzip = *gzip && ex->answer.len >= GZIP_LEAST &&
			compress_answer(&ex->answer);
	}
	bytes = ccfc_buf_detach(&ex->answer, &len);
	response = ccfc_mhd.create_response_from_buffer(len, bytes,
							MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(bytes);
	return response;
}

enum MHD_Result ccfc_answer_send(struct ccfc_exchange *ex)
{
	bool gzip = false;
	struct MHD_Response *response = make_response(ex, &gzip);
	enum MHD_Result r;

	if (!response)
		return MHD_NO;
	add_own_headers(ex, response);
	if (gzip)
		ccfc_mhd.add_response_header(response, "Content-Encoding",
					     "gzip");
	r = ccfc_mhd.queue_response(ex->connection, (unsigned)ex->status,
				    response);
	ccfc_mhd.destroy_response(response);
	return r;
}
