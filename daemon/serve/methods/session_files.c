/* session.files and session.file_changes: what a session changed. */
#include "serve/rpc/history_job.h"
#include "serve/rpc/reply.h"

#include "base/path.h"

/* --- counts by extension and by directory --- */

/* A map of each name to how often it is there, in byte order. */
static void pack_counts(struct ccfc_pack *p, const char *key,
			struct ccfc_slice *names, uint32_t n)
{
	ccfc_reply_sort(names, n);
	ccfc_pack_cstr(p, key);
	ccfc_pack_map(p);
	for (uint32_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && ccfc_slice_eq(names[i], names[j]); j++)
			;
		ccfc_pack_str(p, names[i]);
		ccfc_pack_uint(p, j - i);
	}
	ccfc_pack_end(p);
}

/* "src/auth/" below the project, "./" for its root, else "/abs/dir/". */
static struct ccfc_slice directory(struct ccfc_slice path,
				   struct ccfc_slice project)
{
	struct ccfc_slice rel = path;

	if (project.len)
		rel = ccfc_path_relative(path, project);
	rel.len -= ccfc_path_basename(rel).len;
	return rel.len ? rel : CCFC_SLICE_LIT("./");
}

static void pack_kinds(struct ccfc_request *rq,
		       const struct ccfc_groups *groups,
		       struct ccfc_slice project)
{
	struct ccfc_slice *names =
		ccfc_arena_alloc(rq->arena, (groups->n + 1u) * sizeof(*names));

	for (uint32_t i = 0; i < groups->n; i++)
		names[i] = ccfc_path_extension(
			ccfc_index_file_path(rq->index, groups->items[i].key));
	pack_counts(rq->pack, "byExtension", names, groups->n);
	for (uint32_t i = 0; i < groups->n; i++)
		names[i] = directory(
			ccfc_index_file_path(rq->index, groups->items[i].key),
			project);
	pack_counts(rq->pack, "byDirectory", names, groups->n);
}

/* --- session.files --- */

static void pack_backup(struct ccfc_request *rq, uint32_t session,
			uint32_t file)
{
	const struct ccfc_backup_ref *b =
		ccfc_query_backup(rq->index, session, file);

	if (b && b->version > 0)
		ccfc_pack_kv_int(rq->pack, "version", b->version);
	if (b && b->name)
		ccfc_reply_id(rq->pack, "backupFileName", rq->index, b->name);
}

static void pack_file(struct ccfc_request *rq, uint32_t session,
		      const struct ccfc_group *group)
{
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path",
			 ccfc_index_file_path(rq->index, group->key));
	ccfc_pack_kv_cstr(p, "operation",
			  ccfc_op_text(ccfc_query_group_op(rq->index, group)));
	ccfc_pack_kv_time(p, "firstModified", group->first);
	ccfc_pack_kv_time(p, "lastModified", group->last);
	ccfc_reply_group(rq, group);
	pack_backup(rq, session, group->key);
	ccfc_pack_end(p);
}

static void pack_files_session_files(struct ccfc_request *rq, uint32_t session,
				     const struct ccfc_groups *groups)
{
	uint64_t i = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;

	ccfc_pack_cstr(rq->pack, "files");
	ccfc_pack_array(rq->pack);
	for (; n && i < groups->n; i++, n--)
		pack_file(rq, session, &groups->items[i]);
	ccfc_pack_end(rq->pack);
}

static void pack_session(struct ccfc_request *rq, uint32_t id)
{
	const struct ccfc_index *index = rq->index;
	const struct ccfc_session *s = &index->sessions.items[id];
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_kv_str(p, "sessionId", ccfc_index_session_id(index, id));
	ccfc_reply_id(p, "projectPath", index, s->project);
	ccfc_reply_id(p, "gitBranch", index, s->branch);
	ccfc_reply_ids(p, "gitBranches", index, &s->branches, false);
	ccfc_reply_id(p, "model", index, s->model);
	ccfc_reply_ids(p, "models", index, &s->models, false);
	ccfc_pack_kv_time(p, "sessionStart", s->start);
	ccfc_pack_kv_time(p, "sessionEnd", s->end);
	ccfc_reply_source(p, ccfc_index_session_present(index, id));
}

static uint64_t shell_changes(const struct ccfc_request *rq,
			      const struct ccfc_groups *groups)
{
	const struct ccfc_change *all = rq->index->changes.items;
	uint64_t n = 0;

	for (uint32_t i = 0; i < groups->n; i++)
		for (uint32_t k = 0; k < groups->items[i].nchanges; k++)
			n += all[groups->items[i].changes[k]].shell != 0;
	return n;
}

static void pack_all(struct ccfc_request *rq, uint32_t session,
		     const struct ccfc_groups *groups)
{
	struct ccfc_lines sum = { 0 };

	for (uint32_t i = 0; i < groups->n; i++)
		ccfc_lines_add(&sum, rq->index, &groups->items[i]);
	ccfc_pack_map(rq->pack);
	pack_session(rq, session);
	ccfc_pack_kv_uint(rq->pack, "totalFilesChanged", groups->n);
	ccfc_pack_kv_uint(rq->pack, "totalChanges", groups->nchanges);
	ccfc_pack_kv_uint(rq->pack, "shellChanges", shell_changes(rq, groups));
	ccfc_reply_unknown(rq->pack, rq->index, session);
	ccfc_reply_lines(rq->pack, &sum);
	pack_files_session_files(rq, session, groups);
	pack_kinds(rq, groups, ccfc_args_project(rq, session));
	ccfc_reply_asked(rq);
	ccfc_pack_end(rq->pack);
}

static int answer_files(struct ccfc_history_job *job, struct ccfc_request *rq,
			struct ccfc_err *err)
{
	(void)err;
	pack_all(rq, job->session, &job->groups);
	return 0;
}

int ccfc_method_session_files(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_history_job *job;
	struct ccfc_groups groups;
	uint32_t session;
	int r = ccfc_args_session_files(&session, &groups, rq, err);

	if (r)
		return r;
	if (!groups.n || !ccfc_history_job_is_needed(rq)) {
		pack_all(rq, session, &groups);
		return 0;
	}
	job = ccfc_history_job_changes(rq, &groups, false,
				       CCFC_EXCERPT_SOURCES |
					       CCFC_EXCERPT_BACKUPS |
					       CCFC_EXCERPT_COMMANDS,
				       answer_files);
	job->session = ccfc_homes_find(&job->excerpt->sessions, session);
	return ccfc_history_job_start(rq, job, err);
}

/* --- session.file_changes --- */

static int answer_changes(struct ccfc_history_job *job, struct ccfc_request *rq,
			  struct ccfc_err *err)
{
	const struct ccfc_group *group = &job->groups.items[0];

	(void)err;
	ccfc_reply_changes(rq, group->changes, group->nchanges);
	return 0;
}

int ccfc_method_session_file_changes(struct ccfc_request *rq,
				     struct ccfc_err *err)
{
	struct ccfc_groups groups = { 0 };
	struct ccfc_filter filter;
	struct ccfc_slice path;
	uint32_t session, file;
	int r = ccfc_query_session(&session, rq->index, rq->opt.session, err);

	if (!r)
		r = ccfc_args_path(&path, rq, CCFC_OPT_PATH, rq->opt.path,
				   ccfc_args_project(rq, session), err);
	if (!r)
		r = ccfc_args_filter(&filter, rq, err);
	if (r)
		return r;
	filter.session = session;
	file = ccfc_query_file(rq->index, path);
	if (file)
		ccfc_query_file_sessions(&groups, rq->index, file, &filter,
					 rq->arena);
	if (!groups.n)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "%.*s: the session did not change it",
				    (int)path.len, path.ptr);
	if (ccfc_history_job_is_needed(rq))
		return ccfc_history_job_start(
			rq,
			ccfc_history_job_changes(rq, &groups, true, 0,
						 answer_changes),
			err);
	ccfc_reply_changes(rq, groups.items[0].changes,
			   groups.items[0].nchanges);
	return 0;
}
