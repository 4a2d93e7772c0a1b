/* One request and its answer; see http_internal.h. */
#include "http/http_internal.h"

#include "base/alloc.h"
#include "http/body.h"
#include "http/openapi.h"
#include "http/url.h"

#include <stdlib.h>

struct ccfc_exchange *ccfc_exchange_new(struct ccfc_http *http, const char *url)
{
	struct ccfc_exchange *ex = ccfc_calloc(1, sizeof(*ex));

	ex->http = http;
	ex->url = ccfc_strdup(url);
	ex->next = http->exchanges;
	ex->link = &http->exchanges;
	if (ex->next)
		ex->next->link = &ex->next;
	http->exchanges = ex;
	return ex;
}

void ccfc_exchange_free(struct ccfc_exchange *ex)
{
	*ex->link = ex->next;
	if (ex->next)
		ex->next->link = ex->link;
	if (ex->question)
		ccfc_backend_end(ex->http->backend, ex->question);
	ccfc_stream_free(ex->stream);
	ccfc_buf_release(&ex->body);
	ccfc_buf_release(&ex->answer);
	ccfc_buf_release(&ex->tag);
	free(ex->url);
	free(ex);
}

void ccfc_exchange_suspend(struct ccfc_exchange *ex)
{
	if (!ex->suspended)
		ccfc_mhd.suspend_connection(ex->connection);
	ex->suspended = true;
}

void ccfc_exchange_resume(struct ccfc_exchange *ex)
{
	if (ex->suspended)
		ccfc_mhd.resume_connection(ex->connection);
	ex->suspended = false;
}

static int ask_daemon(struct ccfc_exchange *ex, struct ccfc_slice query,
		      struct ccfc_err *err);

/* Does the parameter `path` have special characters of globs? */
static bool looks_like_glob(struct ccfc_slice query)
{
	struct ccfc_slice name, value;
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool found = false;

	while (ccfc_url_parameter(&query, &name, &value))
		if (ccfc_slice_is(name, "path"))
			found = ccfc_url_decode(&path, value, true) &&
				path.len && strpbrk(path.ptr, "*?[{");
	ccfc_buf_release(&path);
	return found;
}

/*
 * Asks again with a name that looks like a glob, if no file has this name: the
 * name of a known file always means that file. True: asked, or answered.
 */
static bool ask_as_glob(struct ccfc_exchange *ex, const struct ccfc_rpc *reply)
{
	struct ccfc_slice path, query;
	struct ccfc_err err;

	if (!reply->failed || reply->error.code != CCFC_ENOTFOUND ||
	    ex->is_glob || ex->match.n ||
	    ex->match.route->method != CCFC_METHOD_FILE_SESSIONS)
		return false;
	ccfc_url_split(ccfc_slice_str(ex->url), &path, &query);
	if (!looks_like_glob(query))
		return false;
	ex->is_glob = true;
	if (ask_daemon(ex, query, &err))
		ccfc_answer_failure(ex, &err);
	return true;
}

static void on_reply(void *arg, const struct ccfc_rpc *reply)
{
	struct ccfc_exchange *ex = arg;

	ex->question = 0;
	if (!reply) {
		ccfc_answer_error(ex, 503, "unreachable",
				  "the daemon did not answer", "try again");
	} else if (ask_as_glob(ex, reply)) {
		if (!ex->status)
			return;
	} else if (reply->failed) {
		ccfc_answer_failure(ex, &reply->error);
	} else {
		ccfc_answer_result(ex, reply->result);
	}
	ccfc_exchange_resume(ex);
}

static int pack_options(struct ccfc_exchange *ex, struct ccfc_pack *p,
			struct ccfc_slice query, struct ccfc_err *err)
{
	struct ccfc_route_change change = { .path_is_pattern = ex->is_glob };

	if (!strcmp(ex->match.route->verb, "POST"))
		return ccfc_body_pack(p, ccfc_buf_view(&ex->body), err);
	return ccfc_route_pack(p, &ex->match, query, &change, err);
}

static int ask_daemon(struct ccfc_exchange *ex, struct ccfc_slice query,
		      struct ccfc_err *err)
{
	enum ccfc_method method =
		ex->is_glob ? CCFC_METHOD_FILE_MATCH : ex->match.route->method;
	struct ccfc_buf options = CCFC_BUF_INIT;
	struct ccfc_pack p;
	int r;

	ccfc_pack_init(&p, &options);
	r = pack_options(ex, &p, query, err);
	if (!r) {
		ex->question = ccfc_backend_ask(
			ex->http->backend, ccfc_method_rows[method].name,
			ccfc_buf_view(&options), on_reply, ex, err);
		r = ex->question ? 0 : err->code;
	}
	ccfc_buf_release(&options);
	return r;
}

static void answer_openapi(struct ccfc_exchange *ex)
{
	if (!ex->http->openapi.len)
		ccfc_openapi_write(&ex->http->openapi);
	ccfc_buf_slice(&ex->answer, ccfc_buf_view(&ex->http->openapi));
	ex->status = 200;
	ex->type = "application/json; charset=utf-8";
}

static void answer_file(struct ccfc_exchange *ex, struct ccfc_slice path)
{
	if (!ccfc_answer_page(ex, path))
		ccfc_answer_error(ex, 404, "not-found",
				  "there is nothing of this name",
				  "the API is below /api/");
}

enum MHD_Result ccfc_exchange_start(struct ccfc_exchange *ex)
{
	struct ccfc_slice path, query;
	struct ccfc_err err;

	ccfc_url_split(ccfc_slice_str(ex->url), &path, &query);
	if (ex->too_long)
		ccfc_answer_error(ex, 413, "too-big", "the body is too long",
				  "");
	else if (ccfc_slice_is(path, "/api/openapi.json"))
		answer_openapi(ex);
	else if (!ex->match.route)
		answer_file(ex, path);
	else if (ex->match.route->method == CCFC_METHOD_EVENTS_SUBSCRIBE)
		ccfc_stream_start(ex, query);
	else if (ask_daemon(ex, query, &err))
		ccfc_answer_failure(ex, &err);
	if (ex->status)
		return ccfc_answer_send(ex);
	ccfc_exchange_suspend(ex);
	return MHD_YES;
}
