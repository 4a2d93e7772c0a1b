/* Requests that a worker answers, from the method to the reply. */
#include "world.h"

#include "base/alloc.h"
#include "serve/rpc/defer.h"

#include <sched.h>

struct deferred {
	struct ccfc_deferred d;
	int *released;
	bool fail_work, fail_finish, hold;
	char seen[64]; /* by the worker */
};

static int work(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct deferred *mine = (struct deferred *)d;
	struct ccfc_pack pack;

	while (mine->hold && !ccfc_job_cancelled(&d->job))
		sched_yield();
	if (mine->fail_work)
		return ccfc_err_set(err, CCFC_ETOOBIG, "too much work");
	snprintf(mine->seen, sizeof(mine->seen), "%.*s %.*s",
		 (int)d->opt.pattern.len, d->opt.pattern.ptr,
		 (int)d->opt.in.items[1].len, d->opt.in.items[1].ptr);
	ccfc_pack_init(&pack, &d->result);
	ccfc_pack_cstr(&pack, mine->seen);
	return 0;
}

static int finish(struct ccfc_deferred *d, struct ccfc_request *rq,
		  struct ccfc_err *err)
{
	struct deferred *mine = (struct deferred *)d;

	/* What was packed before an error is dropped. */
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_cstr(rq->pack, "seen", mine->seen);
	ccfc_pack_kv_int(rq->pack, "limit", rq->opt.limit);
	ccfc_pack_kv_cstr(rq->pack, "method", rq->method);
	ccfc_pack_kv_uint(rq->pack, "sessions", rq->index->sessions.n);
	if (mine->fail_finish)
		return ccfc_err_set(err, CCFC_ENOTFOUND, "no such thing");
	ccfc_pack_end(rq->pack);
	return 0;
}

static void release(struct ccfc_deferred *d)
{
	(*((struct deferred *)d)->released)++;
	free(d);
}

static struct deferred *deferred_new(int *released)
{
	struct deferred *mine = ccfc_calloc(1, sizeof(*mine));

	mine->d.work = work;
	mine->d.finish = finish;
	mine->d.release = release;
	mine->released = released;
	return mine;
}

/* As a method would, with options that are gone when it has returned. */
static void defer(struct world *w, struct deferred *mine, uint64_t conn)
{
	char text[] = "needle", in[] = "thinking";
	struct ccfc_slice list[] = { CCFC_SLICE_LIT("text"),
				     ccfc_slice_str(in) };
	struct ccfc_request rq = { .methods = w->methods,
				   .service = &w->service,
				   .index = w->service.index,
				   .method = "text.search",
				   .conn = conn,
				   .id = 77 };

	rq.opt.pattern = ccfc_slice_str(text);
	rq.opt.in = (struct ccfc_slices){ list, 2 };
	rq.opt.limit = 5;
	assert_int_equal(ccfc_defer(&rq, &mine->d, NULL), CCFC_DEFERRED);
	memset(text, 'x', sizeof(text));
	memset(in, 'x', sizeof(in));
	memset(list, 0, sizeof(list));
}

static void next_reply(struct world *w)
{
	world_next(w);
	assert_int_equal(w->reply.type, CCFC_MSG_RESPONSE);
	assert_int_equal(w->reply.id, 77);
}

static int setup(void **state)
{
	struct world *w = world_new();

	world_get(w, "server.info", NULL); /* so that w->conn is known */
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	world_free(*state);
	return 0;
}

static void test_finish(void **state)
{
	struct world *w = *state;
	int released = 0;

	defer(w, deferred_new(&released), w->conn);
	next_reply(w);
	assert_false(w->reply.failed);
	CHECK(w->reply.result, { "seen", "needle thinking" }, { "limit", "5" },
	      { "method", "text.search" }, { "sessions", "1" });
	assert_int_equal(released, 1);
}

static void test_result(void **state)
{
	struct world *w = *state;
	int released = 0;
	struct deferred *mine = deferred_new(&released);

	mine->d.finish = NULL;
	defer(w, mine, w->conn);
	next_reply(w);
	assert_false(w->reply.failed);
	assert_true(ccfc_slice_is(ccfc_obj_str(w->reply.result),
				  "needle thinking"));
	assert_int_equal(released, 1);
}

static void test_errors(void **state)
{
	struct world *w = *state;
	int released = 0;
	struct deferred *mine = deferred_new(&released);

	mine->fail_work = true;
	defer(w, mine, w->conn);
	next_reply(w);
	assert_true(w->reply.failed);
	assert_int_equal(w->reply.error.code, CCFC_ETOOBIG);
	assert_string_equal(w->reply.error.what, "too much work");

	mine = deferred_new(&released);
	mine->fail_finish = true;
	w->progress.running = true;
	defer(w, mine, w->conn);
	next_reply(w);
	assert_true(w->reply.failed);
	assert_int_equal(w->reply.error.code, CCFC_ENOTFOUND);
	/* As every method says it while the first scan runs. */
	assert_non_null(strstr(w->reply.error.hint, "still being built"));
	assert_int_equal(released, 2);
}

/* Nobody is there any more: nothing is sent, nothing is lost. */
static void test_peer_gone(void **state)
{
	struct world *w = *state;
	int released = 0;

	defer(w, deferred_new(&released), w->conn + 1000);
	world_get(w, "server.info", NULL);
	for (int i = 0; i < 3; i++)
		defer(w, deferred_new(&released), w->conn + 1001);
	ccfc_methods_closed(w->methods, w->conn + 1001);
	while (released < 4) {
		struct pollfd fd = { .fd = ccfc_worker_fd(w->service.worker),
				     .events = POLLIN };

		assert_int_equal(poll(&fd, 1, -1), 1);
		ccfc_worker_dispatch(w->service.worker);
	}
	world_get(w, "server.info", NULL);
}

static void test_too_many(void **state)
{
	struct world *w = *state;
	struct ccfc_err err = { 0 };
	int released = 0, refused = 0;

	for (int i = 0; i < 3000 && !refused; i++) {
		struct ccfc_request rq = { .methods = w->methods,
					   .service = &w->service,
					   .conn = w->conn + 1 };
		struct deferred *mine = deferred_new(&released);
		int before = released;

		mine->hold = mine->fail_work = true;
		if (ccfc_defer(&rq, &mine->d, &err) == CCFC_EAGAIN) {
			assert_int_equal(released, before + 1);
			refused++;
		}
	}
	assert_int_equal(refused, 1);
	ccfc_methods_closed(w->methods, w->conn + 1);
	ccfc_worker_dispatch(w->service.worker);
	assert_true(released >= 2049); /* all but those that still run */
	ccfc_worker_free(w->service.worker);
	assert_int_equal(ccfc_worker_new(&w->service.worker, NULL), 0);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_finish),    TEST(test_result),   TEST(test_errors),
		TEST(test_peer_gone), TEST(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
