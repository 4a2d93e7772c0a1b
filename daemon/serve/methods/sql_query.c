/*
 * sql.query: users' own SQL over the views, on a worker (store/sql/sql.h); and
 * sql.schema: the list of views. Rows are packed as they arrive, and spooled to
 * a file if there are many. The clock is the time of the request: the answer
 * may include later changes, but lacks nothing earlier.
 */
#include "serve/rpc/defer.h"
#include "serve/rpc/reply.h"

#include "base/alloc.h"
#include "base/time.h"
#include "store/sql/sql.h"
#include "store/sql/views.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_MS	   30000
#define MAX_MEMORY ((size_t)64 << 20)
#define MAX_REPLY  ((size_t)64 << 20)
#define VALUE_HEAD 9 /* bytes of a number, or before a text */

struct sql_query {
	struct ccfc_deferred d;
	struct ccfc_sql q;
	struct ccfc_buf columns; /* the key `columns` and its value */
	struct ccfc_spool rows;
	struct ccfc_buf clock; /* keys and values, `nclock` of them */
	struct ccfc_pack pack; /* writes to `rows` */
	uint32_t nclock, nrows;
	bool truncated;
	struct ccfc_err no_room; /* the rows did not fit; code 0: they did */
};

/* --- on the worker --- */

static void pack_columns(void *ctx, const char *const *names, uint32_t n)
{
	struct sql_query *s = ctx;
	struct ccfc_pack pack;

	ccfc_pack_init(&pack, &s->columns);
	ccfc_pack_cstr(&pack, "columns");
	ccfc_pack_array(&pack);
	for (uint32_t i = 0; i < n; i++)
		ccfc_pack_cstr(&pack, names[i]);
	ccfc_pack_end(&pack);
}

static void pack_value(struct ccfc_pack *p, const struct ccfc_sql_value *v)
{
	switch (v->type) {
	case CCFC_SQL_NULL:
		ccfc_pack_nil(p);
		return;
	case CCFC_SQL_INT:
		ccfc_pack_int(p, v->num);
		return;
	case CCFC_SQL_DOUBLE:
		ccfc_pack_double(p, v->real);
		return;
	case CCFC_SQL_TEXT:
		ccfc_pack_str(p, v->text);
		return;
	case CCFC_SQL_BLOB:
		ccfc_pack_bin(p, v->text);
		return;
	}
}

static bool pack_sql_row(void *ctx, const struct ccfc_sql_value *values,
			 uint32_t n)
{
	struct sql_query *s = ctx;
	uint64_t size = ccfc_spool_size(&s->rows) + VALUE_HEAD;

	for (uint32_t i = 0; i < n; i++)
		size += VALUE_HEAD + values[i].text.len;
	if (size > MAX_REPLY)
		return false;
	ccfc_pack_array(&s->pack);
	for (uint32_t i = 0; i < n; i++)
		pack_value(&s->pack, &values[i]);
	ccfc_pack_end(&s->pack);
	s->nrows++;
	return !ccfc_spool_settle(&s->rows, &s->no_room);
}

static int run_sql_query(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct sql_query *s = (struct sql_query *)d;
	char what[sizeof(err->what)];
	int r;

	s->q.query = d->opt.query;
	ccfc_pack_init(&s->pack, &s->rows.mem);
	r = ccfc_sql_run(&s->q, &s->truncated, err);
	if (!r && s->no_room.code) {
		*err = s->no_room;
		r = err->code;
	}
	if (!r)
		return 0;
	memcpy(what, err->what, sizeof(what));
	snprintf(err->what, sizeof(err->what), "%s: %.400s", d->method, what);
	return r;
}

/* --- the core --- */

static int finish_sql_query(struct ccfc_deferred *d, struct ccfc_request *rq,
			    struct ccfc_err *err)
{
	struct sql_query *s = (struct sql_query *)d;
	struct ccfc_pack *p = rq->pack;

	(void)err;
	ccfc_pack_map(p);
	ccfc_pack_raws(p, ccfc_buf_view(&s->columns), 2);
	ccfc_pack_cstr(p, "rows");
	ccfc_methods_body(rq, &s->rows, s->nrows);
	ccfc_pack_kv_bool(p, "truncated", s->truncated);
	ccfc_pack_raws(p, ccfc_buf_view(&s->clock), s->nclock);
	ccfc_pack_end(p);
	return 0;
}

static void release_sql_query(struct ccfc_deferred *d)
{
	struct sql_query *s = (struct sql_query *)d;

	ccfc_buf_release(&s->columns);
	ccfc_spool_release(&s->rows);
	ccfc_buf_release(&s->clock);
	free(s);
}

static void pack_request_clock(struct sql_query *s,
			       struct ccfc_service *service)
{
	struct ccfc_scan_progress at = { 0 };
	struct ccfc_pack pack;

	service->progress(service->ctx, &at);
	ccfc_pack_init(&pack, &s->clock);
	ccfc_reply_clock(&pack, service);
	s->nclock = at.running ? 4 : 2;
}

int ccfc_method_sql_query(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct sql_query *s = ccfc_calloc(1, sizeof(*s));

	s->d.work = run_sql_query;
	s->d.finish = finish_sql_query;
	s->d.release = release_sql_query;
	s->d.job.unbounded = true;
	ccfc_spool_init(&s->rows, rq->service->state_dir);
	s->q = (struct ccfc_sql){ .dir = rq->service->state_dir,
				  .max_rows = (uint64_t)rq->opt.limit,
				  .max_ms = ccfc_time_patience(MAX_MS),
				  .max_memory = MAX_MEMORY,
				  .cancelled = &s->d.job.cancelled,
				  .ctx = s,
				  .columns = pack_columns,
				  .row = pack_sql_row };
	pack_request_clock(s, rq->service);
	return ccfc_defer(rq, &s->d, err);
}

/* --- sql.schema --- */

static void pack_view(struct ccfc_pack *p, const struct ccfc_view *view)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "name", view->name);
	ccfc_pack_kv_cstr(p, "about", view->about);
	ccfc_pack_cstr(p, "columns");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < view->ncolumns; i++) {
		ccfc_pack_map(p);
		ccfc_pack_kv_cstr(p, "name", view->columns[i].name);
		ccfc_pack_kv_cstr(p, "type", view->columns[i].type);
		ccfc_pack_kv_cstr(p, "about", view->columns[i].about);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

int ccfc_method_sql_schema(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_pack *p = rq->pack;

	(void)err;
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "version", CCFC_VIEWS_VERSION);
	ccfc_pack_cstr(p, "views");
	ccfc_pack_array(p);
	for (int i = 0; i < CCFC_VIEWS; i++)
		pack_view(p, &ccfc_views[i]);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	return 0;
}
