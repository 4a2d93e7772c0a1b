/* file.sessions and file.match: which sessions changed a file. */
#include "serve/rpc/reply.h"

#include "index/glob.h"

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

int ccfc_method_file_sessions(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct page page = { (uint64_t)rq->opt.offset,
			     (uint64_t)rq->opt.limit };
	struct ccfc_slice path = CCFC_SLICE_NONE;
	struct ccfc_groups groups = { 0 };
	struct ccfc_filter filter;
	int r = ccfc_args_filter(&filter, rq, err);

	if (!r)
		r = ccfc_args_file(&path, &groups, rq, &filter, err);
	if (!r)
		r = ccfc_args_offset(rq, groups.n, "sessions", err);
	if (!r)
		pack_history(rq, path, &groups, page);
	return r;
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

int ccfc_method_file_match(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_glob *glob = NULL;
	struct ccfc_filter filter;
	struct ccfc_groups files;
	int r = ccfc_args_filter(&filter, rq, err);

	if (!r)
		r = ccfc_args_glob(&glob, rq, CCFC_OPT_PATTERN, rq->opt.pattern,
				   err);
	if (r)
		return r;
	filter.glob = glob;
	ccfc_glob_grant(glob, CCFC_GLOB_STEPS);
	ccfc_query_files(&files, rq->index, &filter, rq->arena);
	if (ccfc_glob_is_spent(glob)) {
		ccfc_glob_free(glob);
		return ccfc_args_too_costly(rq, err);
	}
	if (files.n)
		r = ccfc_args_offset(rq, files.n, "files", err);
	if (files.n && !r)
		pack_histories(rq, &files, &filter);
	if (!files.n)
		r = ccfc_err_set(err, CCFC_ENOTFOUND,
				 "%.*s: no session changed a file like that",
				 (int)rq->opt.pattern.len, rq->opt.pattern.ptr);
	ccfc_glob_free(glob);
	return r;
}
