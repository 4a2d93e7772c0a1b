/* file.sessions and file.match: which sessions changed a file. */
#include "serve/rpc/history_job.h"
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
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
}

/* --- file.sessions --- */

static void pack_sessions(struct ccfc_request *rq, struct ccfc_slice path,
			  const struct ccfc_groups *groups)
{
	struct page page = { (uint64_t)rq->opt.offset,
			     (uint64_t)rq->opt.limit };

	pack_history(rq, path, groups, page);
}

static int answer_sessions(struct ccfc_history_job *job,
			   struct ccfc_request *rq, struct ccfc_err *err)
{
	(void)err;
	pack_sessions(rq, job->path, &job->groups);
	return 0;
}

int ccfc_method_file_sessions(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_history_job *job;
	struct ccfc_slice path = CCFC_SLICE_NONE;
	struct ccfc_groups groups = { 0 };
	struct ccfc_filter filter;
	int r = ccfc_args_filter(&filter, rq, err);

	if (!r)
		r = ccfc_args_file(&path, &groups, rq, &filter, err);
	if (!r)
		r = ccfc_args_offset(rq, groups.n, "sessions", err);
	if (r)
		return r;
	if (!ccfc_history_job_is_needed(rq)) {
		pack_sessions(rq, path, &groups);
		return 0;
	}
	job = ccfc_history_job_changes(rq, &groups, true, CCFC_EXCERPT_SOURCES,
				       answer_sessions);
	job->path = ccfc_arena_copy(&job->d.arena, path);
	return ccfc_history_job_start(rq, job, err);
}

/* --- file.match --- */

/* The files of the page that was asked for. */
static struct ccfc_groups cut_page(const struct ccfc_request *rq,
				   const struct ccfc_groups *files)
{
	uint64_t from = (uint64_t)rq->opt.offset, n = files->n - from;

	if (n > (uint64_t)rq->opt.limit)
		n = (uint64_t)rq->opt.limit;
	return (struct ccfc_groups){ .items = files->items + from,
				     .n = (uint32_t)n };
}

static void pack_histories(struct ccfc_request *rq,
			   const struct ccfc_groups *files,
			   const struct ccfc_filter *filter)
{
	struct page all = { 0, UINT64_MAX };

	ccfc_pack_array(rq->pack);
	for (uint32_t i = 0; i < files->n; i++) {
		uint32_t file = files->items[i].key;
		struct ccfc_groups groups;

		ccfc_query_file_sessions(&groups, rq->index, file, filter,
					 rq->arena);
		pack_history(rq, ccfc_index_file_path(rq->index, file), &groups,
			     all);
	}
	ccfc_pack_end(rq->pack);
}

static int answer_match(struct ccfc_history_job *job, struct ccfc_request *rq,
			struct ccfc_err *err)
{
	(void)err;
	job->filter.tools = rq->opt.tools.items;
	job->filter.extensions = rq->opt.extensions.items;
	pack_histories(rq, &job->groups, &job->filter);
	return 0;
}

static int give_histories(struct ccfc_request *rq,
			  const struct ccfc_groups *files,
			  const struct ccfc_filter *filter,
			  struct ccfc_err *err)
{
	struct ccfc_groups page = cut_page(rq, files);
	struct ccfc_filter plain = *filter;
	struct ccfc_history_job *job;

	plain.glob = NULL; /* all of the page match */
	if (!ccfc_history_job_is_needed(rq)) {
		pack_histories(rq, &page, &plain);
		return 0;
	}
	job = ccfc_history_job_changes(rq, &page, false, CCFC_EXCERPT_SOURCES,
				       answer_match);
	job->filter = plain;
	job->filter.project = ccfc_arena_copy(&job->d.arena, plain.project);
	return ccfc_history_job_start(rq, job, err);
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
	ccfc_args_grant(glob, rq);
	ccfc_query_files(&files, rq->index, &filter, rq->arena);
	if (ccfc_glob_is_spent(glob)) {
		ccfc_glob_free(glob);
		return ccfc_args_too_costly(rq, err);
	}
	if (files.n)
		r = ccfc_args_offset(rq, files.n, "files", err);
	if (files.n && !r)
		r = give_histories(rq, &files, &filter, err);
	if (!files.n)
		r = ccfc_err_set(err, CCFC_ENOTFOUND,
				 "%.*s: no session changed a file like that",
				 (int)rq->opt.pattern.len, rq->opt.pattern.ptr);
	ccfc_glob_free(glob);
	return r;
}
