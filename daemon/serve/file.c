/* file.sessions and file.match: which sessions changed a file. */
#include "serve/reply.h"

#include "index/glob.h"

/* Of a query, on all files: some tenths of a second. */
#define GLOB_STEPS 100000000u

static void pack_match(struct ccfc_request *rq, const struct ccfc_group *group)
{
	const struct ccfc_index *index = rq->index;
	const struct ccfc_session *s = &index->sessions.items[group->key];
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "sessionId",
			 ccfc_index_session_id(index, group->key));
	ccfc_reply_id(p, "projectPath", index, s->project);
	ccfc_reply_id(p, "gitBranch", index, s->branch);
	ccfc_reply_id(p, "model", index, s->model);
	ccfc_pack_kv_time(p, "firstChange", group->first);
	ccfc_pack_kv_time(p, "lastChange", group->last);
	ccfc_reply_group(rq, group);
	ccfc_reply_source(p, ccfc_index_session_present(index, group->key));
	ccfc_pack_end(p);
}

struct page {
	uint64_t offset, limit;
};

static void pack_matches(struct ccfc_request *rq,
			 const struct ccfc_groups *groups, struct page page)
{
	uint64_t i = page.offset, n = page.limit;

	ccfc_pack_cstr(rq->pack, "sessions");
	ccfc_pack_array(rq->pack);
	for (; n && i < groups->n; i++, n--)
		pack_match(rq, &groups->items[i]);
	ccfc_pack_end(rq->pack);
	ccfc_pack_kv_bool(rq->pack, "truncated", i < groups->n);
}

/* A FileHistory. The totals are of all sessions, shown or not. */
static void pack_history(struct ccfc_request *rq, struct ccfc_slice path,
			 const struct ccfc_groups *groups, struct page page)
{
	int64_t first = groups->items[0].first, last = groups->items[0].last;
	struct ccfc_pack *p = rq->pack;
	struct ccfc_lines sum = { 0 };

	for (uint32_t i = 0; i < groups->n; i++) {
		const struct ccfc_group *g = &groups->items[i];

		ccfc_lines_add(&sum, rq->index, g);
		first = g->first < first ? g->first : first;
		last = g->last > last ? g->last : last;
	}
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path", path);
	ccfc_pack_kv_uint(p, "totalSessions", groups->n);
	ccfc_pack_kv_uint(p, "totalChanges", groups->nchanges);
	ccfc_reply_lines(p, &sum);
	ccfc_pack_kv_time(p, "firstModified", first);
	ccfc_pack_kv_time(p, "lastModified", last);
	pack_matches(rq, groups, page);
	ccfc_reply_clock(p, rq->service);
	ccfc_pack_end(p);
}

/* --- file.sessions --- */

/* Is the file known, and did only the filter hide its changes? */
static bool is_filtered_out(struct ccfc_request *rq, struct ccfc_slice path)
{
	const struct ccfc_filter everything = { 0 };
	uint32_t file = ccfc_query_file(rq->index, path);
	struct ccfc_groups groups = { 0 };

	if (file)
		ccfc_query_file_sessions(&groups, rq->index, file, &everything,
					 rq->arena);
	return groups.n != 0;
}

static int nobody(struct ccfc_request *rq, struct ccfc_slice path,
		  struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_ENOTFOUND, "%.*s: no session changed it",
		     (int)path.len, path.ptr);
	if (is_filtered_out(rq, path))
		ccfc_err_hint(err, "it has changes in another state, time or "
				   "project than asked for");
	else
		ccfc_ask_elsewhere(rq, path, err);
	return CCFC_ENOTFOUND;
}

/* A page behind the last one is nothing found, not an empty success. */
static int check_offset(struct ccfc_request *rq, uint32_t n, const char *what,
			struct ccfc_err *err)
{
	if ((uint64_t)rq->opt.offset < n)
		return 0;
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "%s: offset %lld: there are only %u %s", rq->method,
			    (long long)rq->opt.offset, n, what);
}

/* 1: `path` has matching changes, and they are packed. */
static int try_path(struct ccfc_request *rq, struct ccfc_slice path,
		    const struct ccfc_filter *filter, struct ccfc_err *err)
{
	uint32_t file = ccfc_query_file(rq->index, path);
	struct ccfc_groups groups = { 0 };
	struct page page = { (uint64_t)rq->opt.offset,
			     (uint64_t)rq->opt.limit };

	if (file)
		ccfc_query_file_sessions(&groups, rq->index, file, filter,
					 rq->arena);
	if (!groups.n)
		return 0;
	if (check_offset(rq, groups.n, "sessions", err))
		return CCFC_ENOTFOUND;
	pack_history(rq, path, &groups, page);
	return 1;
}

static int ask_alternatives(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_slices *list = &rq->opt.alternatives;
	int r = 0;

	for (uint32_t i = 0; !r && i < list->n; i++)
		r = ccfc_ask_path(&list->items[i], rq, CCFC_OPT_ALTERNATIVES,
				  list->items[i], CCFC_SLICE_NONE, err);
	return r;
}

int ccfc_method_file_sessions(struct ccfc_request *rq, struct ccfc_err *err)
{
	const struct ccfc_slices *more = &rq->opt.alternatives;
	struct ccfc_filter filter;
	struct ccfc_slice path;
	int r = ccfc_ask_filter(&filter, rq, err);

	if (!r)
		r = ccfc_ask_path(&path, rq, CCFC_OPT_PATH, rq->opt.path,
				  CCFC_SLICE_NONE, err);
	if (!r)
		r = ask_alternatives(rq, err);
	if (r)
		return r;
	r = try_path(rq, path, &filter, err);
	for (uint32_t i = 0; !r && i < more->n; i++)
		r = try_path(rq, more->items[i], &filter, err);
	if (!r)
		return nobody(rq, path, err);
	return r < 0 ? r : 0;
}

/* --- file.match --- */

static void pack_histories(struct ccfc_request *rq,
			   const struct ccfc_groups *files,
			   const struct ccfc_filter *filter)
{
	uint64_t i = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;
	struct page all = { 0, UINT64_MAX };

	ccfc_pack_array(rq->pack);
	for (; n && i < files->n; i++, n--) {
		uint32_t file = files->items[i].key;
		struct ccfc_groups groups;

		ccfc_query_file_sessions(&groups, rq->index, file, filter,
					 rq->arena);
		pack_history(rq, ccfc_index_file_path(rq->index, file), &groups,
			     all);
	}
	ccfc_pack_end(rq->pack);
}

static int too_costly(struct ccfc_request *rq, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_ETOOBIG,
		     "%s: the pattern takes too long on all these files",
		     rq->method);
	ccfc_err_hint(err, "use fewer * and fewer choices in braces");
	return CCFC_ETOOBIG;
}

int ccfc_method_file_match(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_glob *glob = NULL;
	struct ccfc_filter filter;
	struct ccfc_groups files;
	int r = ccfc_ask_filter(&filter, rq, err);

	if (!r)
		r = ccfc_ask_glob(&glob, rq, CCFC_OPT_PATTERN, rq->opt.pattern,
				  err);
	if (r)
		return r;
	filter.glob = glob;
	ccfc_glob_grant(glob, GLOB_STEPS);
	ccfc_query_files(&files, rq->index, &filter, rq->arena);
	if (ccfc_glob_is_spent(glob)) {
		ccfc_glob_free(glob);
		return too_costly(rq, err);
	}
	if (files.n)
		r = check_offset(rq, files.n, "files", err);
	if (files.n && !r)
		pack_histories(rq, &files, &filter);
	if (!files.n)
		r = ccfc_err_set(err, CCFC_ENOTFOUND,
				 "%.*s: no session changed a file like that",
				 (int)rq->opt.pattern.len, rq->opt.pattern.ptr);
	ccfc_glob_free(glob);
	return r;
}
