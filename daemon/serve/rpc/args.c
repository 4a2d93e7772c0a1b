/*
 * From options to questions: normalises paths and builds filters. For a file
 * that no session changed it searches for the same file elsewhere.
 *
 * The same file in another worktree or clone has the same path below another
 * root. A known file is such a twin if its path relative to its session's
 * project is the tail of the requested path. A short tail ("x.md") proves
 * little: then the rest of the path must be a root that the caller or a session
 * names.
 */
#include "serve/rpc/request.h"

#include "base/path.h"
#include "index/query/glob.h"

#include <stdio.h>

#define GLOB_STEPS	  10000000u
#define GLOB_STEPS_A_FILE 1000u
#define GLOB_STEPS_MAX	  100000000u

#define TWINS_SHOWN 2

static struct ccfc_slice user_home(const struct ccfc_request *rq)
{
	return ccfc_slice_str(rq->service->home);
}

static int fail_relative_path(struct ccfc_request *rq, enum ccfc_option what,
			      struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EINVAL, "%s: option '%s' is a relative path",
		     rq->method, ccfc_option_rows[what].name);
	ccfc_err_hint(err, "give an absolute path, or option 'cwd' with it");
	return CCFC_EINVAL;
}

/* Makes `path` absolute against one base. */
static bool make_absolute(struct ccfc_slice *out, struct ccfc_request *rq,
			  struct ccfc_slice path, struct ccfc_slice base)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	bool ok = ccfc_path_normalise(&buf, path, base, user_home(rq));

	if (ok)
		*out = ccfc_arena_copy(rq->arena, ccfc_buf_view(&buf));
	ccfc_buf_release(&buf);
	return ok;
}

/* cwd has to be absolute; projectPath may be relative to it. */
static int resolve_base(struct ccfc_slice *out, struct ccfc_request *rq,
			struct ccfc_slice base, struct ccfc_err *err)
{
	*out = base;
	if (rq->opt.given & CCFC_OPT(CWD)) {
		if (!make_absolute(out, rq, rq->opt.cwd, CCFC_SLICE_NONE))
			return fail_relative_path(rq, CCFC_OPT_CWD, err);
	} else if (rq->opt.given & CCFC_OPT(PROJECT_PATH)) {
		if (!make_absolute(out, rq, rq->opt.project_path,
				   CCFC_SLICE_NONE))
			return fail_relative_path(rq, CCFC_OPT_PROJECT_PATH,
						  err);
	}
	return 0;
}

int ccfc_args_path(struct ccfc_slice *out, struct ccfc_request *rq,
		   enum ccfc_option what, struct ccfc_slice path,
		   struct ccfc_slice base, struct ccfc_err *err)
{
	struct ccfc_slice from;
	int r = resolve_base(&from, rq, base, err);

	if (r)
		return r;
	if (!make_absolute(out, rq, path, from))
		return fail_relative_path(rq, what, err);
	return 0;
}

int ccfc_args_filter(struct ccfc_filter *out, struct ccfc_request *rq,
		     struct ccfc_err *err)
{
	const struct ccfc_options *o = &rq->opt;

	*out = (struct ccfc_filter){
		.states = o->states,
		.proofs = o->evidence,
		.has_from = o->given & CCFC_OPT(FROM_DATE),
		.has_to = o->given & CCFC_OPT(TO_DATE),
		.from = o->from_date,
		.to = o->to_date,
		.tools = o->tools.items,
		.ntools = o->tools.n,
		.extensions = o->extensions.items,
		.nextensions = o->extensions.n,
	};
	if (!(o->given & CCFC_OPT(PROJECT_PATH)))
		return 0;
	return ccfc_args_path(&out->project, rq, CCFC_OPT_PROJECT_PATH,
			      o->project_path, CCFC_SLICE_NONE, err);
}

int ccfc_args_glob(struct ccfc_glob **out, struct ccfc_request *rq,
		   enum ccfc_option what, struct ccfc_slice pattern,
		   struct ccfc_err *err)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_slice base;
	int r = resolve_base(&base, rq, CCFC_SLICE_NONE, err);

	if (!r && !base.len && ccfc_slice_starts(pattern, "**"))
		base = CCFC_SLICE_LIT("/");
	if (!r && !base.len && !ccfc_path_is_absolute(pattern))
		r = fail_relative_path(rq, what, err);
	if (!r)
		r = ccfc_glob_anchor(&buf, pattern, base, err);
	if (!r)
		r = ccfc_glob_new(out, ccfc_buf_view(&buf), err);
	ccfc_buf_release(&buf);
	return r;
}

void ccfc_args_grant(struct ccfc_glob *glob, const struct ccfc_request *rq)
{
	uint64_t steps =
		GLOB_STEPS + (uint64_t)rq->index->files.n * GLOB_STEPS_A_FILE;

	ccfc_glob_grant(glob, steps < GLOB_STEPS_MAX ? steps : GLOB_STEPS_MAX);
}

int ccfc_args_too_costly(struct ccfc_request *rq, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_ETOOBIG,
		     "%s: the pattern takes too long on all these files",
		     rq->method);
	ccfc_err_hint(err, "use fewer * and fewer choices in braces");
	return CCFC_ETOOBIG;
}

int ccfc_args_choice(int *out, struct ccfc_request *rq, enum ccfc_option what,
		     struct ccfc_slice text, const char *const *choices,
		     struct ccfc_err *err)
{
	char list[256] = "";
	size_t len = 0;

	if (!(rq->opt.given & CCFC_OPT_BIT(what)))
		return 0;
	for (int i = 0; choices[i]; i++) {
		if (ccfc_slice_is(text, choices[i])) {
			*out = i;
			return 0;
		}
		if (len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len,
						"%s'%s'", i ? ", " : "",
						choices[i]);
	}
	return ccfc_err_set(err, CCFC_EINVAL,
			    "%s: option '%s' must be one "
			    "of %s",
			    rq->method, ccfc_option_rows[what].name, list);
}

int ccfc_args_paths(struct ccfc_slices *list, struct ccfc_request *rq,
		    enum ccfc_option what, struct ccfc_slice base,
		    struct ccfc_err *err)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < list->n; i++)
		r = ccfc_args_path(&list->items[i], rq, what, list->items[i],
				   base, err);
	return r;
}

int ccfc_args_offset(struct ccfc_request *rq, uint32_t n, const char *what,
		     struct ccfc_err *err)
{
	if ((uint64_t)rq->opt.offset < n)
		return 0;
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "%s: offset %lld: there are only %u %s", rq->method,
			    (long long)rq->opt.offset, n, what);
}

/* --- a file --- */

static bool find_changed_file(uint32_t *file, struct ccfc_request *rq,
			      struct ccfc_slice path,
			      const struct ccfc_filter *filter)
{
	*file = ccfc_query_file(rq->index, path);
	return *file && ccfc_query_has(rq->index, *file, filter);
}

/* Prints "1 denied, 2 failed" if no change of the file took effect. */
static bool print_states(struct ccfc_buf *text, const struct ccfc_index *index,
			 uint32_t file)
{
	const struct ccfc_ids *ids = &index->files.items[file];
	uint32_t counts[CCFC_STATE_COUNT] = { 0 };

	for (uint32_t i = 0; i < ids->n; i++)
		counts[index->changes.items[ids->items[i]].state]++;
	for (int s = 0; s < CCFC_STATE_COUNT; s++)
		if (counts[s])
			ccfc_buf_printf(text, "%s%u %s", text->len ? ", " : "",
					counts[s],
					ccfc_state_text((enum ccfc_state)s));
	return text->len && !counts[CCFC_STATE_APPLIED];
}

static int fail_no_session_changed(struct ccfc_request *rq,
				   struct ccfc_slice path, struct ccfc_err *err)
{
	const struct ccfc_filter everything = { 0 };
	struct ccfc_buf states = CCFC_BUF_INIT;
	uint32_t file;
	bool known = find_changed_file(&file, rq, path, &everything);

	ccfc_err_set(err, CCFC_ENOTFOUND, "%.*s: no session changed it",
		     (int)path.len, path.ptr);
	if (known && print_states(&states, rq->index, file))
		ccfc_err_hint(err,
			      "no call took effect (%s): ccfc search "
			      "--state=all shows them",
			      states.ptr);
	else if (known)
		ccfc_err_hint(err, "it has changes in other states, times or "
				   "projects");
	else
		ccfc_args_elsewhere(rq, path, err);
	ccfc_buf_release(&states);
	return CCFC_ENOTFOUND;
}

int ccfc_args_file(struct ccfc_slice *path, uint32_t *file,
		   struct ccfc_request *rq, const struct ccfc_filter *filter,
		   struct ccfc_err *err)
{
	struct ccfc_slices *more = &rq->opt.alternatives;
	struct ccfc_slice asked;
	int r = ccfc_args_path(&asked, rq, CCFC_OPT_PATH, rq->opt.path,
			       CCFC_SLICE_NONE, err);

	if (!r)
		r = ccfc_args_paths(more, rq, CCFC_OPT_ALTERNATIVES,
				    CCFC_SLICE_NONE, err);
	if (r)
		return r;
	*path = asked;
	for (uint32_t i = 0; !find_changed_file(file, rq, *path, filter); i++) {
		if (i == more->n)
			return fail_no_session_changed(rq, asked, err);
		*path = more->items[i];
	}
	return 0;
}

bool ccfc_args_seen_file(struct ccfc_slice *path, struct ccfc_ids *sessions,
			 struct ccfc_request *rq)
{
	const struct ccfc_slices *more = &rq->opt.alternatives;

	if (ccfc_args_path(path, rq, CCFC_OPT_PATH, rq->opt.path,
			   CCFC_SLICE_NONE, NULL))
		return false;
	ccfc_query_backup_sessions(sessions, rq->index, *path);
	for (uint32_t i = 0; !sessions->n && i < more->n; i++) {
		*path = more->items[i];
		ccfc_query_backup_sessions(sessions, rq->index, *path);
	}
	return sessions->n;
}

/* --- a session --- */

struct ccfc_slice ccfc_args_project(const struct ccfc_request *rq,
				    uint32_t session)
{
	return ccfc_index_str(rq->index,
			      rq->index->sessions.items[session].project);
}

/* Keeps the files that are in `paths` or below one of them. */
int ccfc_args_keep_paths(struct ccfc_groups *files, struct ccfc_request *rq,
			 uint32_t session, struct ccfc_err *err)
{
	const struct ccfc_slices *paths = &rq->opt.paths;
	struct ccfc_slice id = ccfc_index_session_id(rq->index, session);
	uint32_t n = 0;

	if (!paths->n)
		return 0;
	files->nchanges = 0;
	for (uint32_t i = 0; i < files->n; i++) {
		struct ccfc_slice path =
			ccfc_index_file_path(rq->index, files->items[i].key);
		bool wanted = false;

		for (uint32_t k = 0; !wanted && k < paths->n; k++)
			wanted = ccfc_path_is_below(path, paths->items[k]);
		if (!wanted)
			continue;
		files->nchanges += files->items[i].nchanges;
		files->items[n++] = files->items[i];
	}
	files->n = n;
	if (n)
		return 0;
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "session %.*s did not change %.*s", (int)id.len,
			    id.ptr, (int)paths->items[0].len,
			    paths->items[0].ptr);
}

/* Relative paths are relative to the project, not to the cwd. */
static int read_directories(struct ccfc_request *rq, struct ccfc_slice project,
			    struct ccfc_err *err)
{
	struct ccfc_slices *dirs = &rq->opt.directories;

	for (uint32_t i = 0; i < dirs->n; i++)
		if (!make_absolute(&dirs->items[i], rq, dirs->items[i],
				   project))
			return fail_relative_path(rq, CCFC_OPT_DIRECTORIES,
						  err);
	return 0;
}

int ccfc_args_session(uint32_t *session, struct ccfc_filter *filter,
		      struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_slices *dirs = &rq->opt.directories;
	struct ccfc_slice project;
	int r = ccfc_query_session(session, rq->index, rq->opt.session, err);

	if (r)
		return r;
	project = ccfc_args_project(rq, *session);
	r = ccfc_args_filter(filter, rq, err);
	if (!r)
		r = read_directories(rq, project, err);
	if (!r)
		r = ccfc_args_paths(&rq->opt.paths, rq, CCFC_OPT_PATHS, project,
				    err);
	filter->directories = dirs->items;
	filter->ndirectories = dirs->n;
	return r;
}

int ccfc_args_session_files(uint32_t *session, struct ccfc_groups *files,
			    struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_filter filter;
	int r = ccfc_args_session(session, &filter, rq, err);

	if (!r)
		r = ccfc_args_group_files(files, rq, *session, &filter);
	return r ? r : ccfc_args_keep_paths(files, rq, *session, err);
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

/* Does the caller or a session name `root` as the root of a project? */
static bool is_project_root(struct ccfc_request *rq, struct ccfc_slice root)
{
	struct ccfc_slice from;

	if (resolve_base(&from, rq, CCFC_SLICE_NONE, NULL) == 0 && from.len &&
	    ccfc_path_is_below(from, root))
		return true;
	return is_project(rq->index, root);
}

static bool is_twin_of_path(struct ccfc_request *rq, uint32_t file,
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
	       is_project_root(rq,
			       ccfc_slice(path.ptr, path.len - tail.len - 1));
}

void ccfc_args_elsewhere(struct ccfc_request *rq, struct ccfc_slice path,
			 struct ccfc_err *err)
{
	struct ccfc_slice found[TWINS_SHOWN] = { { 0 } };
	uint32_t n = 0;

	for (uint32_t f = 1; f < rq->index->files.n && n < TWINS_SHOWN; f++)
		if (is_twin_of_path(rq, f, path))
			found[n++] = ccfc_index_file_path(rq->index, f);
	if (n)
		ccfc_err_hint(err, "the same path is known as %.*s%s%.*s",
			      (int)found[0].len, found[0].ptr,
			      n > 1 ? " and " : "", (int)found[1].len,
			      n > 1 ? found[1].ptr : "");
}
