/*
 * store.check: is the stored data undamaged? A worker reads it (store/check.h);
 * the core adds what it knows.
 */
#include "serve/rpc/defer.h"
#include "serve/rpc/reply.h"

#include "archive/archive.h"
#include "base/alloc.h"
#include "blobs/blobs.h"
#include "forget/forgotten.h"
#include "store/check.h"

#include <stdio.h>
#include <stdlib.h>

struct store_check {
	struct ccfc_deferred d;
	struct ccfc_check check;
	struct ccfc_texts_view texts;
	bool deep;
	const char *dir; /* of the service, which outlives every job */
	struct ccfc_archive *archive; /* of the service; NULL: not checked */
	struct ccfc_archive_check kept;
	struct ccfc_blobs *blobs; /* of the service: contents seen on disk */
	uint64_t seen, bad_seen;
	bool bad_list; /* the list of forgotten items is damaged */
};

static bool is_check_cancelled(void *ctx)
{
	return ccfc_job_cancelled(ctx);
}

static int stop_if_cancelled(void *ctx, struct ccfc_slice piece)
{
	(void)piece;
	return is_check_cancelled(ctx) ? CCFC_EAGAIN : 0;
}

static void check_blob(void *ctx, const struct ccfc_blob_key *key,
		       uint64_t room)
{
	struct store_check *c = ctx;

	(void)room;
	if (is_check_cancelled(&c->d.job))
		return;
	c->seen++;
	/* A content that was removed meanwhile, for space, is not damaged. */
	c->bad_seen += ccfc_blobs_read(c->blobs, key, stop_if_cancelled,
				       &c->d.job, NULL) == CCFC_ECORRUPT;
}

static int run_store_check(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct store_check *c = (struct store_check *)d;
	int r = ccfc_check_run(&c->check, c->dir, &c->texts, c->deep,
			       &d->job.cancelled, err);

	if (!r && c->archive)
		ccfc_archive_check(c->archive, &c->kept, is_check_cancelled,
				   &d->job);
	if (!r && c->blobs)
		ccfc_blobs_each(c->blobs, check_blob, c);
	c->bad_list = !ccfc_forgotten_is_whole(c->dir);
	return r;
}

static void pack_problem(struct ccfc_pack *p, const char *file,
			 const char *problem)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "file", file);
	ccfc_pack_kv_cstr(p, "problem", problem);
	ccfc_pack_end(p);
}

static void pack_problems(struct ccfc_pack *p, const struct store_check *c)
{
	const struct ccfc_check *check = &c->check;
	char text[100];

	ccfc_pack_cstr(p, "problems");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < check->problems.n; i++)
		pack_problem(p, "index.db", check->problems.items[i]);
	if (check->damaged_texts) {
		snprintf(text, sizeof(text), "damaged in %llu place%s",
			 (unsigned long long)check->damaged_texts,
			 check->damaged_texts == 1 ? "" : "s");
		pack_problem(p, "texts", text);
	}
	if (c->kept.bad_blobs || c->kept.bad_manifests) {
		snprintf(text, sizeof(text),
			 "%llu of %llu files damaged, %llu bytes lost",
			 (unsigned long long)c->kept.bad_blobs +
				 c->kept.bad_manifests,
			 (unsigned long long)c->kept.blobs + c->kept.manifests,
			 (unsigned long long)c->kept.lost_bytes);
		pack_problem(p, "archive", text);
	}
	if (c->bad_seen) {
		snprintf(text, sizeof(text), "%llu of %llu contents damaged",
			 (unsigned long long)c->bad_seen,
			 (unsigned long long)c->seen);
		pack_problem(p, "blobs", text);
	}
	if (c->bad_list)
		pack_problem(p, "forgotten", "it or its copy is damaged");
	ccfc_pack_end(p);
}

static int finish_store_check(struct ccfc_deferred *d, struct ccfc_request *rq,
			      struct ccfc_err *err)
{
	const struct store_check *c = (const struct store_check *)d;
	const struct ccfc_check *check = &c->check;
	struct ccfc_service *service = rq->service;
	struct ccfc_pack *p = rq->pack;

	(void)err;
	if (check->damaged_texts && service->texts_damaged)
		service->texts_damaged(service->ctx);
	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "ok",
			  !check->problems.n && !check->damaged_texts &&
				  !c->kept.bad_blobs &&
				  !c->kept.bad_manifests && !c->bad_seen &&
				  !c->bad_list);
	pack_problems(p, c);
	ccfc_pack_kv_uint(p, "bytes", service->store_bytes(service->ctx));
	ccfc_pack_kv_uint(p, "textBytes", c->texts.end);
	ccfc_pack_kv_uint(p, "texts", check->texts);
	ccfc_pack_kv_uint(p, "damagedTexts", check->damaged_texts);
	if (c->deep) {
		ccfc_pack_kv_uint(p, "rows", check->rows);
		ccfc_pack_kv_uint(p, "archived",
				  c->kept.blobs + c->kept.manifests);
	}
	ccfc_pack_kv_int(p, "schema", check->schema);
	ccfc_pack_kv_int(p, "reader", check->reader);
	ccfc_reply_clock(p, service);
	ccfc_pack_end(p);
	return 0;
}

static void release_store_check(struct ccfc_deferred *d)
{
	struct store_check *c = (struct store_check *)d;

	ccfc_texts_view_release(&c->texts);
	ccfc_check_release(&c->check);
	free(c);
}

int ccfc_method_store_check(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct store_check *c = ccfc_calloc(1, sizeof(*c));

	c->d.work = run_store_check;
	c->d.finish = finish_store_check;
	c->d.release = release_store_check;
	c->deep = rq->opt.deep;
	c->dir = rq->service->state_dir;
	c->archive = c->deep ? rq->service->archive : NULL;
	c->blobs = c->deep ? rq->service->blobs : NULL;
	c->texts.fd = -1;
	if (rq->service->texts)
		rq->service->texts(rq->service->ctx, &c->texts);
	return ccfc_defer(rq, &c->d, err);
}
