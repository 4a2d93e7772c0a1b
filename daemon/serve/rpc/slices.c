/* Requests that the core answers in slices; see slices.h. */
#include "serve/rpc/slices.h"

#include <time.h>

/* The time of a slice when nobody waits, and its number of steps. */
#define SLICE_NS  (4 * INT64_C(1000000))
#define STEPS_MAX 16
/* STARTS_MAX: the last start is not restarted. */
#define STARTS_MAX  4
#define RUNNING_MAX 4

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* --- the list --- */

static void append_sliced(struct ccfc_methods *m, struct ccfc_sliced *s)
{
	struct ccfc_sliced **at = &m->slices;

	while (*at)
		at = &(*at)->next;
	s->next = NULL;
	*at = s;
}

static void unlink_sliced(struct ccfc_methods *m, const struct ccfc_sliced *s)
{
	struct ccfc_sliced **at = &m->slices;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
}

static void free_sliced(struct ccfc_sliced *s)
{
	ccfc_arena_release(&s->memory);
	s->reset(s);
	ccfc_deferred_release(&s->d);
}

void ccfc_slices_release(struct ccfc_methods *m)
{
	while (m->slices) {
		struct ccfc_sliced *s = m->slices;

		m->slices = s->next;
		free_sliced(s);
	}
}

void ccfc_slices_closed(struct ccfc_methods *m, uint64_t conn)
{
	struct ccfc_sliced **at = &m->slices;

	while (*at) {
		struct ccfc_sliced *s = *at;

		if (s->d.job.conn != conn) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		free_sliced(s);
	}
}

void ccfc_slices_hold(struct ccfc_methods *m, uint64_t conn, bool hold)
{
	for (struct ccfc_sliced *s = m->slices; s; s = s->next)
		if (s->d.job.conn == conn)
			s->held = hold;
}

void ccfc_slices_count(const struct ccfc_methods *m, uint32_t *running,
		       uint32_t *waiting)
{
	*running = *waiting = 0;
	for (const struct ccfc_sliced *s = m->slices; s; s = s->next)
		++*(s->starts ? running : waiting);
}

/* --- whose turn it is --- */

static bool may_start_work(const struct ccfc_methods *m,
			   const struct ccfc_sliced *asked)
{
	uint32_t n = 0;

	for (const struct ccfc_sliced *s = m->slices; s; s = s->next) {
		if (s->starts && s->d.job.conn == asked->d.job.conn)
			return false;
		n += s->starts > 0;
	}
	return !asked->held && n < RUNNING_MAX;
}

static struct ccfc_sliced *next_to_run(const struct ccfc_methods *m)
{
	struct ccfc_sliced *s = m->slices;

	while (s && !s->starts && !may_start_work(m, s))
		s = s->next;
	return s;
}

/* --- a slice --- */

static void restart_work(struct ccfc_methods *m, struct ccfc_sliced *s)
{
	struct ccfc_service *service = m->service;

	if (s->starts) {
		ccfc_arena_release(&s->memory);
		s->reset(s);
		ccfc_buf_clear(&s->d.result);
	}
	s->revision = service->index->revision;
	s->clock = (struct ccfc_clock){ service->index->epoch,
					service->index->seq };
	service->progress(service->ctx, &s->progress);
	s->starts++;
}

static bool is_last_start(const struct ccfc_sliced *s)
{
	return s->starts >= STARTS_MAX;
}

static bool is_work_outdated(const struct ccfc_sliced *s,
			     const struct ccfc_index *index)
{
	return !s->starts ||
	       (s->revision != index->revision && !is_last_start(s));
}

static bool is_slice_over(const struct ccfc_sliced *s, int steps, int64_t end)
{
	struct ccfc_service *service = s->d.methods->service;

	if (is_last_start(s) && !s->goes_on)
		return false;
	return steps >= STEPS_MAX ||
	       (service->somebody_waits &&
		service->somebody_waits(service->ctx)) ||
	       now_ns() >= end;
}

static void run_slice(struct ccfc_methods *m, struct ccfc_sliced *s)
{
	const struct ccfc_index *index = m->service->index;
	int64_t end = now_ns() + SLICE_NS;
	int r, steps = 0;

	if (is_work_outdated(s, index))
		restart_work(m, s);
	do
		r = s->step(s, index, &s->d.err);
	while (r == CCFC_DEFERRED && !is_slice_over(s, ++steps, end));
	unlink_sliced(m, s);
	if (r == CCFC_DEFERRED) {
		append_sliced(m, s); /* others are next */
		return;
	}
	s->d.r = r;
	ccfc_deferred_reply(&s->d);
	free_sliced(s);
}

void ccfc_sliced_request(struct ccfc_request *out, struct ccfc_pack *pack,
			 struct ccfc_sliced *s)
{
	struct ccfc_methods *m = s->d.methods;

	ccfc_pack_init(pack, &s->d.result);
	*out = ccfc_deferred_request(&s->d, pack);
	out->methods = m;
	out->service = m->service;
	out->index = m->service->index;
	out->clock = &s->clock;
	out->progress = &s->progress;
}

int ccfc_slice_up(struct ccfc_request *rq, struct ccfc_sliced *s)
{
	struct ccfc_methods *m = rq->methods;

	ccfc_deferred_init(&s->d, rq);
	ccfc_server_owe(rq->service->server, rq->conn, true);
	append_sliced(m, s);
	if (may_start_work(m, s))
		run_slice(m, s);
	return CCFC_DEFERRED;
}

bool ccfc_methods_has_work(const struct ccfc_methods *m)
{
	return next_to_run(m);
}

void ccfc_methods_work(struct ccfc_methods *m)
{
	struct ccfc_sliced *s = next_to_run(m);

	if (s)
		run_slice(m, s);
}
