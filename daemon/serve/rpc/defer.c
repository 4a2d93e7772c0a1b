/*
 * Requests that a worker answers; see defer.h. The memory of a request ends
 * when its method returns, so its options are copied. `finish` gets a request
 * like the first one.
 */
#include "serve/rpc/defer.h"

void ccfc_deferred_release(struct ccfc_deferred *d)
{
	ccfc_arena_release(&d->arena);
	ccfc_buf_release(&d->result);
	d->release(d);
}

static void run_deferred_work(struct ccfc_job *job)
{
	struct ccfc_deferred *d = (struct ccfc_deferred *)job;

	if (!ccfc_job_cancelled(job))
		d->r = d->work(d, &d->err);
}

/* Packs the result behind the head of the response, into methods->out. */
static int pack_result(struct ccfc_deferred *d, struct ccfc_request *rq)
{
	struct ccfc_methods *m = d->methods;
	int r = 0;

	ccfc_buf_clear(&m->out);
	ccfc_pack_init(rq->pack, &m->out);
	ccfc_rpc_response_begin(rq->pack, d->id);
	if (d->finish)
		r = d->finish(d, rq, &d->err);
	else
		ccfc_methods_packed(rq, &d->result, 1);
	if (r)
		return r;
	ccfc_rpc_response_end(rq->pack);
	return 0;
}

struct ccfc_request ccfc_deferred_request(struct ccfc_deferred *d,
					  struct ccfc_pack *pack)
{
	return (struct ccfc_request){
		.arena = &d->arena,
		.pack = pack,
		.opt = d->opt,
		.method = d->method,
		.conn = d->job.conn,
		.id = d->id,
		.content_left = d->content_left,
		.reading_left = d->reading_left,
		.answered_by = d->answered_by,
		.spans = d->spans,
		.nspans = d->nspans,
		.anew = d->anew,
	};
}

void ccfc_deferred_reply(struct ccfc_deferred *d)
{
	struct ccfc_methods *m = d->methods;
	struct ccfc_pack pack;
	struct ccfc_request rq = ccfc_deferred_request(d, &pack);

	ccfc_server_owe(m->service->server, d->job.conn, false);
	rq.methods = m;
	rq.service = m->service;
	rq.index = m->service->index;
	if (!d->r)
		d->r = pack_result(d, &rq);
	if (d->r == CCFC_DEFERRED)
		return; /* `finish` has deferred again */
	if (d->r) {
		ccfc_methods_fail(m, d->id, &d->err);
		rq.body = NULL;
		rq.packed = NULL;
	}
	ccfc_methods_send(&rq);
}

static void finish_deferred(struct ccfc_job *job)
{
	struct ccfc_deferred *d = (struct ccfc_deferred *)job;

	if (ccfc_job_cancelled(job))
		ccfc_server_owe(d->methods->service->server, job->conn, false);
	else
		ccfc_deferred_reply(d);
	ccfc_deferred_release(d);
}

void ccfc_deferred_init(struct ccfc_deferred *d, const struct ccfc_request *rq)
{
	d->job.conn = rq->conn;
	d->methods = rq->methods;
	d->method = rq->method;
	d->id = rq->id;
	d->content_left = rq->content_left;
	d->reading_left = rq->reading_left;
	ccfc_options_copy(&d->opt, &rq->opt, &d->arena);
	d->answered_by = rq->answered_by;
	d->anew = rq->anew;
	d->nspans = rq->nspans;
	if (rq->nspans)
		d->spans =
			(const struct ccfc_period *)(const void *)
				ccfc_arena_copy(
					&d->arena,
					ccfc_slice((const char *)rq->spans,
						   rq->nspans *
							   sizeof(*rq->spans)))
					.ptr;
}

int ccfc_defer(struct ccfc_request *rq, struct ccfc_deferred *d,
	       struct ccfc_err *err)
{
	int r;

	d->job.run = run_deferred_work;
	d->job.done = finish_deferred;
	ccfc_deferred_init(d, rq);
	r = ccfc_worker_submit(rq->service->worker, &d->job, err);
	if (!r) {
		ccfc_server_owe(rq->service->server, rq->conn, true);
		return CCFC_DEFERRED;
	}
	ccfc_deferred_release(d);
	return r;
}
