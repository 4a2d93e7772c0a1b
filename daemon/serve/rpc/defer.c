/*
 * Requests that a worker answers; see defer.h. The request's own memory ends
 * with the call of its method, so its options are copied as a whole; what
 * `finish` sees looks like the request that was asked.
 */
#include "serve/rpc/defer.h"

static void copy(struct ccfc_slice *s, struct ccfc_arena *arena)
{
	if (s->len)
		*s = ccfc_arena_copy(arena, *s);
}

static void copy_list(struct ccfc_slices *list, struct ccfc_arena *arena)
{
	const struct ccfc_slice *from = list->items;

	if (!list->n)
		return;
	list->items = ccfc_arena_alloc(arena, list->n * sizeof(*from));
	for (uint32_t i = 0; i < list->n; i++)
		list->items[i] = ccfc_arena_copy(arena, from[i]);
}

static void copy_options(struct ccfc_deferred *d,
			 const struct ccfc_options *from)
{
	struct ccfc_options *o = &d->opt;
	struct ccfc_slice *texts[] = {
		&o->session, &o->path,	 &o->pattern, &o->cwd,	   &o->project,
		&o->at,	     &o->change, &o->agent,   &o->message, &o->branch,
		&o->model,   &o->status, &o->role,    &o->touched, &o->sort,
		&o->by,	     &o->query,
	};
	struct ccfc_slices *lists[] = {
		&o->alternatives, &o->directories, &o->extensions, &o->tools,
		&o->paths,	  &o->keywords,	   &o->in
	};

	*o = *from;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		copy(texts[i], &d->arena);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		copy_list(lists[i], &d->arena);
	/* These are of subscriptions, which nobody defers. */
	o->notify_method = CCFC_SLICE_NONE;
	o->notify_args = (struct ccfc_obj){ 0 };
}

static void release(struct ccfc_deferred *d)
{
	ccfc_arena_release(&d->arena);
	ccfc_buf_release(&d->result);
	d->release(d);
}

static void run_defer(struct ccfc_job *job)
{
	struct ccfc_deferred *d = (struct ccfc_deferred *)job;

	if (!ccfc_job_cancelled(job))
		d->r = d->work(d, &d->err);
}

/* Packs the result behind the head of the response, into methods->out. */
static int pack_result(struct ccfc_deferred *d)
{
	struct ccfc_methods *m = d->methods;
	struct ccfc_pack pack;
	struct ccfc_request rq = { .methods = m,
				   .service = m->service,
				   .index = m->service->index,
				   .arena = &d->arena,
				   .pack = &pack,
				   .opt = d->opt,
				   .method = d->method,
				   .conn = d->job.conn,
				   .id = d->id,
				   .content_left = d->content_left,
				   .reading_left = d->reading_left };
	int r = 0;

	ccfc_buf_clear(&m->out);
	ccfc_pack_init(&pack, &m->out);
	ccfc_rpc_response_begin(&pack, d->id);
	if (d->finish)
		r = d->finish(d, &rq, &d->err);
	else
		ccfc_pack_raw(&pack, ccfc_buf_view(&d->result));
	if (r)
		return r;
	ccfc_rpc_response_end(&pack);
	return 0;
}

static void done(struct ccfc_job *job)
{
	struct ccfc_deferred *d = (struct ccfc_deferred *)job;
	struct ccfc_methods *m = d->methods;

	if (ccfc_job_cancelled(job)) {
		release(d);
		return;
	}
	if (!d->r)
		d->r = pack_result(d);
	if (d->r)
		ccfc_methods_fail(m, d->id, &d->err);
	ccfc_server_send_buf(m->service->server, job->conn, &m->out);
	release(d);
}

int ccfc_defer(struct ccfc_request *rq, struct ccfc_deferred *d,
	       struct ccfc_err *err)
{
	int r;

	d->job.run = run_defer;
	d->job.done = done;
	d->job.conn = rq->conn;
	d->methods = rq->methods;
	d->method = rq->method;
	d->id = rq->id;
	d->content_left = rq->content_left;
	d->reading_left = rq->reading_left;
	copy_options(d, &rq->opt);
	r = ccfc_worker_submit(rq->service->worker, &d->job, err);
	if (!r)
		return CCFC_DEFERRED;
	release(d);
	return r;
}
