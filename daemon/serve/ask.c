/*
 * From options to questions: paths made normal, filters put together, and
 * for a file that nobody changed a look at where it is known otherwise.
 *
 * The same file in another worktree or clone has the same path below another
 * root. A known file is such a twin when its path relative to its session's
 * project is the tail of the path that was asked for. A short tail ("x.md")
 * proves little, so then what is left of the path has to be a root that the
 * caller or a session names.
 */
#include "serve/request.h"

#include "base/path.h"
#include "index/glob.h"

#define TWINS_SHOWN 2

static struct ccfc_slice home_of(const struct ccfc_request *rq)
{
	return ccfc_slice_str(rq->service->home);
}

static int relative(struct ccfc_request *rq, enum ccfc_option what,
		    struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EINVAL, "%s: option '%s' is a relative path",
		     rq->method, ccfc_option_name(what));
	ccfc_err_hint(err, "give an absolute path, or 'cwd' with it");
	return CCFC_EINVAL;
}

/* Against one base only. */
static bool normalise(struct ccfc_slice *out, struct ccfc_request *rq,
		      struct ccfc_slice path, struct ccfc_slice base)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	bool ok = ccfc_path_normalise(&buf, path, base, home_of(rq));

	if (ok)
		*out = ccfc_arena_copy(rq->arena, ccfc_buf_view(&buf));
	ccfc_buf_release(&buf);
	return ok;
}

/* cwd has to be absolute; projectPath may be relative to it. */
static int find_base(struct ccfc_slice *out, struct ccfc_request *rq,
		     struct ccfc_slice base, struct ccfc_err *err)
{
	*out = base;
	if (rq->opt.given & CCFC_OPT(CWD)) {
		if (!normalise(out, rq, rq->opt.cwd, CCFC_SLICE_NONE))
			return relative(rq, CCFC_OPT_CWD, err);
	} else if (rq->opt.given & CCFC_OPT(PROJECT_PATH)) {
		if (!normalise(out, rq, rq->opt.project, CCFC_SLICE_NONE))
			return relative(rq, CCFC_OPT_PROJECT_PATH, err);
	}
	return 0;
}

int ccfc_ask_path(struct ccfc_slice *out, struct ccfc_request *rq,
		  enum ccfc_option what, struct ccfc_slice path,
		  struct ccfc_slice base, struct ccfc_err *err)
{
	struct ccfc_slice from;
	int r = find_base(&from, rq, base, err);

	if (r)
		return r;
	if (!normalise(out, rq, path, from))
		return relative(rq, what, err);
	return 0;
}

int ccfc_ask_filter(struct ccfc_filter *out, struct ccfc_request *rq,
		    struct ccfc_err *err)
{
	const struct ccfc_options *o = &rq->opt;

	*out = (struct ccfc_filter){
		.states = o->states,
		.has_from = o->given & CCFC_OPT(FROM_DATE),
		.has_to = o->given & CCFC_OPT(TO_DATE),
		.from = o->from,
		.to = o->to,
		.tools = o->tools.items,
		.ntools = o->tools.n,
		.extensions = o->extensions.items,
		.nextensions = o->extensions.n,
	};
	if (!(o->given & CCFC_OPT(PROJECT_PATH)))
		return 0;
	return ccfc_ask_path(&out->project, rq, CCFC_OPT_PROJECT_PATH,
			     o->project, CCFC_SLICE_NONE, err);
}

int ccfc_ask_glob(struct ccfc_glob **out, struct ccfc_request *rq,
		  enum ccfc_option what, struct ccfc_slice pattern,
		  struct ccfc_err *err)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_slice base;
	int r = find_base(&base, rq, CCFC_SLICE_NONE, err);

	if (!r && !base.len && ccfc_slice_starts(pattern, "**"))
		base = CCFC_SLICE_LIT("/");
	if (!r && !base.len && !ccfc_path_is_absolute(pattern))
		r = relative(rq, what, err);
	if (!r)
		r = ccfc_glob_anchor(&buf, pattern, base, err);
	if (!r)
		r = ccfc_glob_new(out, ccfc_buf_view(&buf), err);
	ccfc_buf_release(&buf);
	return r;
}

/* --- twins --- */

static bool is_project(const struct ccfc_index *index, struct ccfc_slice root)
{
	uint32_t id = ccfc_strtab_find(&index->strings, root);

	for (uint32_t s = 1; id != CCFC_ID_NONE && s < index->sessions.n; s++)
		if (index->sessions.items[s].project == id)
			return true;
	return false;
}

/* Could `root` be the root of a project, for all we are told? */
static bool is_root(struct ccfc_request *rq, struct ccfc_slice root)
{
	struct ccfc_slice from;

	if (find_base(&from, rq, CCFC_SLICE_NONE, NULL) == 0 && from.len &&
	    ccfc_path_is_below(from, root))
		return true;
	return is_project(rq->index, root);
}

static bool is_twin(struct ccfc_request *rq, uint32_t file,
		    struct ccfc_slice path)
{
	const struct ccfc_index *index = rq->index;
	const struct ccfc_ids *ids = &index->files.items[file];
	struct ccfc_slice known = ccfc_index_file_path(index, file);
	struct ccfc_slice project, tail;
	uint32_t session;

	if (!ids->n || ccfc_slice_eq(known, path))
		return false;
	session = index->changes.items[ids->items[0]].session;
	project = ccfc_index_str(index, index->sessions.items[session].project);
	if (!project.len || !ccfc_path_is_below(known, project))
		return false;
	tail = ccfc_path_relative(known, project);
	if (path.len <= tail.len + 1 || !ccfc_slice_ends(path, tail.ptr) ||
	    path.ptr[path.len - tail.len - 1] != '/')
		return false;
	return memchr(tail.ptr, '/', tail.len) ||
	       is_root(rq, ccfc_slice(path.ptr, path.len - tail.len - 1));
}

void ccfc_ask_elsewhere(struct ccfc_request *rq, struct ccfc_slice path,
			struct ccfc_err *err)
{
	struct ccfc_slice found[TWINS_SHOWN] = { { 0 } };
	uint32_t n = 0;

	for (uint32_t f = 1; f < rq->index->files.n && n < TWINS_SHOWN; f++)
		if (is_twin(rq, f, path))
			found[n++] = ccfc_index_file_path(rq->index, f);
	if (n)
		ccfc_err_hint(err, "the same path is known as %.*s%s%.*s",
			      (int)found[0].len, found[0].ptr,
			      n > 1 ? " and " : "", (int)found[1].len,
			      n > 1 ? found[1].ptr : "");
}
