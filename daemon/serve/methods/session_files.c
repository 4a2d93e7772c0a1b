/*
 * session.files and session.file_changes: what a session changed. For a session
 * with many changes the files are listed in slices (slices.h); with content, on
 * a worker.
 */
#include "serve/rpc/history_job.h"
#include "serve/rpc/reply.h"
#include "serve/rpc/slices.h"

#include "base/alloc.h"
#include "base/path.h"
#include "index/query/grouping.h"

#include <stdlib.h>

/* Sessions with at most so many changes are answered at once. */
#define LOOKUP_CHANGES 512u
/* Limits of one step. */
#define GROUP_ROWS   256
#define PACK_CHANGES 64

/* A listing while it is packed. */
struct listing {
	uint32_t session;
	const struct ccfc_groups *groups;
	/* Progress: */
	int part;
	uint64_t file;	 /* the next file */
	uint32_t change; /* the next change of that file */
	bool is_sorting;
	/* for the names of extensions and directories */
	struct ccfc_sorting sorting;
};

/* --- counts by extension and by directory --- */

/* Packs a map of each name to its count, in byte order. */
static void pack_counts(struct ccfc_pack *p, const char *key,
			const struct ccfc_slice *names, uint32_t n)
{
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
static struct ccfc_slice directory_name(struct ccfc_slice path,
					struct ccfc_slice project)
{
	struct ccfc_slice rel = path;

	if (project.len)
		rel = ccfc_path_relative(path, project);
	rel.len -= ccfc_path_basename(rel).len;
	return rel.len ? rel : CCFC_SLICE_LIT("./");
}

static int compare_names(const void *x, const void *y)
{
	return ccfc_slice_cmp(*(const struct ccfc_slice *)x,
			      *(const struct ccfc_slice *)y);
}

static void begin_sorting_names(struct ccfc_request *rq, struct listing *l,
				bool directories)
{
	const struct ccfc_groups *groups = l->groups;
	struct ccfc_slice project = ccfc_args_project(rq, l->session);
	size_t size = (groups->n + (size_t)1) * sizeof(project);
	struct ccfc_slice *names = ccfc_arena_alloc(rq->arena, size);

	for (uint32_t i = 0; i < groups->n; i++) {
		struct ccfc_slice path =
			ccfc_index_file_path(rq->index, groups->items[i].key);

		names[i] = directories ? directory_name(path, project)
				       : ccfc_path_extension(path);
	}
	ccfc_sorting_init(&l->sorting, names, ccfc_arena_alloc(rq->arena, size),
			  groups->n, sizeof(*names), compare_names);
	l->is_sorting = true;
}

/*
 * Sorts some names, and packs them when all are sorted; true: there are more.
 */
static bool pack_some_names(struct ccfc_request *rq, struct listing *l,
			    bool directories, uint32_t left)
{
	if (!l->is_sorting)
		begin_sorting_names(rq, l, directories);
	if (ccfc_sorting_some(&l->sorting, left))
		return true;
	pack_counts(rq->pack, directories ? "byDirectory" : "byExtension",
		    (const struct ccfc_slice *)(const void *)l->sorting.items,
		    l->groups->n);
	l->is_sorting = false;
	return false;
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

static void pack_file_head(struct ccfc_request *rq,
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
}

/* Packs a part of the page; true: there is more. */
static bool pack_some_files(struct ccfc_request *rq, struct listing *l,
			    uint32_t left)
{
	uint64_t from = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;

	for (; l->file < l->groups->n && l->file - from < n; l->file++) {
		const struct ccfc_group *group = &l->groups->items[l->file];

		if (!left)
			return true;
		if (!l->change)
			pack_file_head(rq, group);
		if (ccfc_reply_group_some(rq, group, &l->change, &left))
			return true;
		pack_backup(rq, l->session, group->key);
		ccfc_pack_end(rq->pack);
		l->change = 0;
		left -= left > 0;
	}
	return false;
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
	ccfc_reply_source(p, ccfc_index_session_where(index, id));
}

static uint64_t count_shell_changes(const struct ccfc_request *rq,
				    const struct ccfc_groups *groups)
{
	const struct ccfc_change *all = rq->index->changes.items;
	uint64_t n = 0;

	for (uint32_t i = 0; i < groups->n; i++)
		for (uint32_t k = 0; k < groups->items[i].nchanges; k++)
			n += ccfc_index_is_shells(
				&all[groups->items[i].changes[k]]);
	return n;
}

/* Packs everything before the files. */
static void pack_listing_head(struct ccfc_request *rq, struct listing *l)
{
	const struct ccfc_groups *groups = l->groups;
	struct ccfc_lines sum = { 0 };

	for (uint32_t i = 0; i < groups->n; i++)
		ccfc_lines_add(&sum, rq->index, &groups->items[i]);
	ccfc_pack_map(rq->pack);
	pack_session(rq, l->session);
	ccfc_pack_kv_uint(rq->pack, "totalFilesChanged", groups->n);
	ccfc_pack_kv_uint(rq->pack, "totalChanges", groups->nchanges);
	ccfc_pack_kv_uint(rq->pack, "shellChanges",
			  count_shell_changes(rq, groups));
	ccfc_reply_unknown(rq->pack, rq->index, l->session);
	ccfc_reply_lines(rq->pack, &sum);
	ccfc_pack_cstr(rq->pack, "files");
	ccfc_pack_array(rq->pack);
	l->file = (uint64_t)rq->opt.offset;
}

/* Packs a part of the listing; true: there is more. */
static bool pack_some_of_listing(struct ccfc_request *rq, struct listing *l,
				 uint32_t left)
{
	enum { HEAD, FILES, EXTENSIONS, DIRECTORIES, END };

	switch (l->part) {
	case HEAD:
		pack_listing_head(rq, l);
		break;
	case FILES:
		if (pack_some_files(rq, l, left))
			return true;
		ccfc_pack_end(rq->pack);
		break;
	case EXTENSIONS:
	case DIRECTORIES:
		if (pack_some_names(rq, l, l->part == DIRECTORIES, left))
			return true;
		break;
	case END:
		ccfc_reply_asked(rq);
		ccfc_pack_end(rq->pack);
		return false;
	}
	l->part++;
	return true;
}

static void pack_listing(struct ccfc_request *rq, uint32_t session,
			 const struct ccfc_groups *groups)
{
	struct listing l = { .session = session, .groups = groups };

	while (pack_some_of_listing(rq, &l, UINT32_MAX))
		;
}

struct session_files {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct ccfc_filter filter;
	struct ccfc_grouping grouping;
	struct listing listing;
	int phase;
};

static int begin_session_files(struct session_files *w, struct ccfc_err *err)
{
	int r;

	ccfc_sliced_request(&w->rq, &w->pack, &w->s);
	w->listing = (struct listing){ .groups = &w->grouping.out };
	r = ccfc_args_session(&w->listing.session, &w->filter, &w->rq, err);
	if (!r)
		ccfc_group_by_file(&w->grouping, w->rq.index,
				   w->listing.session, &w->filter,
				   &w->s.memory);
	return r;
}

static int step_session_files(struct ccfc_sliced *s,
			      const struct ccfc_index *index,
			      struct ccfc_err *err)
{
	enum { ASK, GROUP, CHOOSE, PACK };
	struct session_files *w = (struct session_files *)s;
	int r = 0;

	(void)index;
	switch (w->phase) {
	case ASK:
		r = begin_session_files(w, err);
		break;
	case GROUP:
		if (ccfc_grouping_some(&w->grouping, GROUP_ROWS))
			return CCFC_DEFERRED;
		break;
	case CHOOSE:
		r = ccfc_args_keep_paths(&w->grouping.out, &w->rq,
					 w->listing.session, err);
		break;
	case PACK:
		if (pack_some_of_listing(&w->rq, &w->listing, PACK_CHANGES))
			return CCFC_DEFERRED;
		return 0;
	}
	w->phase++;
	return r ? r : CCFC_DEFERRED;
}

static void reset_session_files(struct ccfc_sliced *s)
{
	((struct session_files *)s)->phase = 0;
}

static void release_session_files(struct ccfc_deferred *d)
{
	free(d);
}

static int start_session_files_slices(struct ccfc_request *rq)
{
	struct session_files *w = ccfc_calloc(1, sizeof(*w));

	w->s.step = step_session_files;
	w->s.reset = reset_session_files;
	w->s.goes_on = true;
	w->s.d.release = release_session_files;
	return ccfc_slice_up(rq, &w->s);
}

static int answer_files_with_content(struct ccfc_history_job *job,
				     struct ccfc_request *rq,
				     struct ccfc_err *err)
{
	(void)err;
	pack_listing(rq, job->session, &job->groups);
	return 0;
}

int ccfc_method_session_files(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_history_job *job;
	struct ccfc_filter filter;
	struct ccfc_groups groups;
	uint32_t session;
	int r = ccfc_args_session(&session, &filter, rq, err);

	if (r)
		return r;
	if (!ccfc_history_job_is_needed(rq) &&
	    rq->index->sessions.items[session].changes.n > LOOKUP_CHANGES)
		return start_session_files_slices(rq);
	r = ccfc_args_session_files(&session, &groups, rq, err);
	if (r)
		return r;
	if (!groups.n || !ccfc_history_job_is_needed(rq)) {
		pack_listing(rq, session, &groups);
		return 0;
	}
	job = ccfc_history_job_changes(rq, &groups, false,
				       CCFC_EXCERPT_SOURCES |
					       CCFC_EXCERPT_BACKUPS |
					       CCFC_EXCERPT_COMMANDS,
				       answer_files_with_content);
	job->session = session;
	return ccfc_history_job_start(rq, job, err);
}

/* --- session.file_changes --- */

static int answer_file_changes(struct ccfc_history_job *job,
			       struct ccfc_request *rq, struct ccfc_err *err)
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
						 answer_file_changes),
			err);
	ccfc_reply_changes(rq, groups.items[0].changes,
			   groups.items[0].nchanges);
	return 0;
}
