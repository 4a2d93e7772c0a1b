/*
 * archive.list and archive.import: what a client needs to copy the archive to
 * another machine, and to import it there. Both wait on a worker for the
 * archive's thread. The daemon writes only its own state: the client copies.
 */
#include "serve/rpc/defer.h"
#include "serve/rpc/reply.h"

#include "archive/archive.h"
#include "base/alloc.h"
#include "base/path.h"

#include <stdlib.h>

struct archive_job {
	struct ccfc_deferred d;
	struct ccfc_archive *archive; /* the service's, which outlives a job */
	struct {
		char **items;
		uint32_t n, cap;
	} paths; /* of transcripts */
	uint64_t missing;
	struct ccfc_archive_imported imported;
};

static bool is_over_archive(void *ctx)
{
	return ccfc_job_cancelled(ctx);
}

static void release_archive_job(struct ccfc_deferred *d)
{
	struct archive_job *job = (struct archive_job *)d;

	for (uint32_t i = 0; i < job->paths.n; i++)
		free(job->paths.items[i]);
	free(job->paths.items);
	free(job);
}

static struct archive_job *new_job(struct ccfc_request *rq,
				   struct ccfc_err *err)
{
	struct archive_job *job;

	if (!rq->service->archive) {
		ccfc_err_set(err, CCFC_EIO,
			     "%s: there is no archive; see ccfc status",
			     rq->method);
		return NULL;
	}
	job = ccfc_calloc(1, sizeof(*job));
	job->d.release = release_archive_job;
	job->d.job.unbounded = true;
	job->archive = rq->service->archive;
	return job;
}

/* --- archive.list --- */

static void pack_file(void *ctx, const char *name, const char *sum)
{
	struct ccfc_pack *p = ctx;

	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "name", name);
	if (sum)
		ccfc_pack_kv_cstr(p, "sum", sum);
	ccfc_pack_end(p);
}

static int work_archive_list(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct archive_job *job = (struct archive_job *)d;
	struct ccfc_pack p;
	int r = ccfc_archive_settle(job->archive, is_over_archive, &d->job,
				    err);

	if (r)
		return r;
	ccfc_pack_init(&p, &d->result);
	ccfc_pack_array(&p);
	for (uint32_t i = 0; i < job->paths.n && !is_over_archive(&d->job); i++)
		job->missing += !ccfc_archive_files(
			job->archive, job->paths.items[i], pack_file, &p);
	ccfc_pack_end(&p);
	return 0;
}

static int finish_archive_list(struct ccfc_deferred *d, struct ccfc_request *rq,
			       struct ccfc_err *err)
{
	const struct archive_job *job = (const struct archive_job *)d;
	struct ccfc_pack *p = rq->pack;

	(void)err;
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "transcripts", job->paths.n - job->missing);
	ccfc_pack_kv_uint(p, "missing", job->missing);
	ccfc_pack_cstr(p, "files");
	ccfc_pack_raw(p, ccfc_buf_view(&d->result));
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
	return 0;
}

/* Does the source have lines of a session of this project? */
static bool is_in_project(const struct ccfc_index *index,
			  const struct ccfc_source *source,
			  struct ccfc_slice project)
{
	uint32_t id = source->session ? source->session : source->last_session;
	const struct ccfc_session *s = &index->sessions.items[id];

	if (!project.len)
		return true;
	return id && s->project &&
	       ccfc_path_is_below(ccfc_index_str(index, s->project), project);
}

int ccfc_method_archive_list(struct ccfc_request *rq, struct ccfc_err *err)
{
	const struct ccfc_index *index = rq->service->index;
	struct archive_job *job;
	struct ccfc_filter filter;
	int r = ccfc_args_filter(&filter, rq, err);

	if (r)
		return r;
	job = new_job(rq, err);
	if (!job)
		return err->code;
	job->d.work = work_archive_list;
	job->d.finish = finish_archive_list;
	for (uint32_t i = 0; i < index->sources.n; i++) {
		const struct ccfc_source *s = &index->sources.items[i];
		struct ccfc_slice path = ccfc_index_str(index, s->path);

		/*
		 * A source whose path has become another source's does not
		 * count.
		 */
		if (path.len && s->cursor.offset &&
		    is_in_project(index, s, filter.project))
			CCFC_VEC_PUSH(job->paths,
				      ccfc_strndup(path.ptr, path.len));
	}
	return ccfc_defer(rq, &job->d, err);
}

/* --- archive.import --- */

static int work_archive_import(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct archive_job *job = (struct archive_job *)d;
	struct ccfc_slice path = ccfc_arena_copy(&d->arena, d->opt.path);

	return ccfc_archive_import(job->archive, path.ptr, &job->imported,
				   is_over_archive, &d->job, err);
}

static int finish_archive_import(struct ccfc_deferred *d,
				 struct ccfc_request *rq, struct ccfc_err *err)
{
	const struct archive_job *job = (const struct archive_job *)d;
	struct ccfc_service *service = rq->service;
	struct ccfc_pack *p = rq->pack;

	(void)err;
	/* The next question sees that there is something to index. */
	if (service->archived)
		service->archived(service->ctx);
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "transcripts", job->imported.transcripts);
	ccfc_pack_kv_uint(p, "longer", job->imported.longer);
	ccfc_pack_kv_uint(p, "known", job->imported.known);
	ccfc_pack_kv_uint(p, "forgotten", job->imported.forgotten);
	ccfc_pack_kv_uint(p, "bytes", job->imported.bytes);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
	return 0;
}

int ccfc_method_archive_import(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct archive_job *job;

	if (!rq->opt.path.len || rq->opt.path.ptr[0] != '/')
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: option 'path' is a relative path",
				    rq->method);
	job = new_job(rq, err);
	if (!job)
		return err->code;
	job->d.work = work_archive_import;
	job->d.finish = finish_archive_import;
	return ccfc_defer(rq, &job->d, err);
}
