/*
 * Names that people give in the options of a request: the caller's project, a
 * project's name, the end of a file's path. Each is replaced by the path that
 * it means before the method runs, so methods get paths only. Names of sessions
 * are resolved by the index (index/query/meant.c).
 */
#include "serve/rpc/request.h"

#include "base/buf.h"
#include "base/path.h"

#include <stdlib.h>

#define FILES_SHOWN 3

static int resolve_project(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_slice given = rq->opt.project_path;

	if (given.len < 2 || given.ptr[0] != '@')
		return 0;
	return ccfc_query_project_named(
		&rq->opt.project_path, rq->index,
		ccfc_slice(given.ptr + 1, given.len - 1), err);
}

/* Sets `here` to the caller's project; empty if no session worked there. */
static int resolve_here(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_options *o = &rq->opt;
	struct ccfc_slice here;
	int r = ccfc_args_path(&here, rq, CCFC_OPT_HERE, o->here,
			       CCFC_SLICE_NONE, err);

	if (r)
		return r;
	o->here = ccfc_query_project_here(rq->index, here);
	/* With `name`, `here` only says where to search for the file. */
	if (!o->here.len || o->given & CCFC_OPT(NAME))
		return 0;
	o->project_path = o->here;
	o->given |= CCFC_OPT(PROJECT_PATH);
	return 0;
}

/* Does the index know one of the given paths? */
static bool is_known_path(struct ccfc_request *rq)
{
	const struct ccfc_slices *more = &rq->opt.alternatives;
	struct ccfc_slice path;
	struct ccfc_ids sessions = { 0 };
	uint32_t file;
	bool seen;

	if (ccfc_args_path(&path, rq, CCFC_OPT_PATH, rq->opt.path,
			   CCFC_SLICE_NONE, NULL))
		return true; /* the method reports the error */
	file = ccfc_query_file(rq->index, path);
	for (uint32_t i = 0; !file && i < more->n; i++)
		file = ccfc_query_file(rq->index, more->items[i]);
	if (file)
		return true;
	seen = ccfc_args_seen_file(&path, &sessions, rq);
	free(sessions.items);
	return seen;
}

static int fail_several_files(struct ccfc_request *rq, const uint32_t *files,
			      uint32_t n, struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	uint32_t shown = n < FILES_SHOWN ? n : FILES_SHOWN;

	for (uint32_t i = 0; i < shown; i++) {
		ccfc_buf_puts(&text, i ? ", " : "");
		ccfc_buf_slice(&text,
			       ccfc_path_relative(ccfc_index_file_path(
							  rq->index, files[i]),
						  rq->opt.here));
	}
	ccfc_err_set(err, CCFC_EAMBIGUOUS, "%.*s: %u files have that name",
		     (int)(rq->opt.name.len < 200 ? rq->opt.name.len : 200),
		     rq->opt.name.ptr, n);
	ccfc_err_hint(err, "candidates: %s%s", text.ptr,
		      n > shown ? ", …" : "");
	ccfc_buf_release(&text);
	return CCFC_EAMBIGUOUS;
}

/* If `here` is not needed, it is cleared, and the reply has no scope. */
static int resolve_name(struct ccfc_request *rq, struct ccfc_err *err)
{
	uint32_t files[FILES_SHOWN], n;

	if (!rq->opt.here.len || is_known_path(rq)) {
		rq->opt.given &= ~CCFC_OPT(HERE);
		return 0;
	}
	n = ccfc_query_files_named(files, FILES_SHOWN, rq->index, rq->opt.here,
				   rq->opt.name);
	if (n > 1)
		return fail_several_files(rq, files, n, err);
	if (n)
		rq->opt.path = ccfc_index_file_path(rq->index, files[0]);
	return 0;
}

int ccfc_args_words(struct ccfc_request *rq, struct ccfc_err *err)
{
	const uint64_t given = rq->opt.given;
	int r = 0;

	if (given & CCFC_OPT(PROJECT_PATH))
		r = resolve_project(rq, err);
	if (!r && given & CCFC_OPT(HERE))
		r = resolve_here(rq, err);
	if (!r && given & CCFC_OPT(NAME) && given & CCFC_OPT(PATH))
		r = resolve_name(rq, err);
	return r;
}
