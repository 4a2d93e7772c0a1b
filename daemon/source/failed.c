/* Failed checks, and when to try again; see failed.h. */
#include "source/failed.h"

#include "base/alloc.h"
#include "base/time.h"

#include <stdlib.h>

#define WAIT_FIRST 1000
#define WAIT_MAX   (5 * 60 * 1000)

static void release_failure(struct ccfc_failure *f)
{
	free(f->path);
	free(f->why);
	free(f->session);
	free(f->agent);
}

void ccfc_failed_release(struct ccfc_failed *failed)
{
	for (uint32_t i = 0; i < failed->n; i++)
		release_failure(&failed->items[i]);
	free(failed->items);
	memset(failed, 0, sizeof(*failed));
}

/* Where `path` is or would be. */
static uint32_t position_of(const struct ccfc_failed *failed, const char *path)
{
	uint32_t lo = 0, hi = failed->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcmp(failed->items[mid].path, path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_at(const struct ccfc_failed *failed, uint32_t at,
		  const char *path)
{
	return at < failed->n && !strcmp(failed->items[at].path, path);
}

static char *copy_or_null(struct ccfc_slice s)
{
	return s.ptr ? ccfc_strndup(s.ptr, s.len) : NULL;
}

static void insert_failure(struct ccfc_failed *failed, uint32_t at,
			   const char *path, const struct ccfc_name *name)
{
	struct ccfc_failure fresh = {
		.path = ccfc_strdup(path),
		.since = ccfc_time_now(),
		.wait = WAIT_FIRST,
		.due = ccfc_time_monotonic() + WAIT_FIRST,
	};

	if (name) {
		fresh.kind = name->kind;
		fresh.session = copy_or_null(name->session);
		fresh.agent = copy_or_null(name->agent);
	}
	CCFC_VEC_PUSH(*failed, fresh);
	memmove(failed->items + at + 1, failed->items + at,
		(failed->n - 1 - at) * sizeof(fresh));
	failed->items[at] = fresh;
}

bool ccfc_failed_note(struct ccfc_failed *failed, const char *path,
		      const struct ccfc_name *name, const char *why)
{
	uint32_t at = position_of(failed, path);
	struct ccfc_failure *f;
	bool news;

	if (!is_at(failed, at, path))
		insert_failure(failed, at, path, name);
	f = &failed->items[at];
	f->tries++;
	news = !f->why || strcmp(f->why, why) != 0;
	if (news) {
		free(f->why);
		f->why = ccfc_strdup(why);
	}
	return news;
}

bool ccfc_failed_clear(struct ccfc_failed *failed, const char *path)
{
	uint32_t at;

	if (!failed->n)
		return false;
	at = position_of(failed, path);
	if (!is_at(failed, at, path))
		return false;
	release_failure(&failed->items[at]);
	failed->n--;
	memmove(failed->items + at, failed->items + at + 1,
		(failed->n - at) * sizeof(*failed->items));
	return true;
}

int ccfc_failed_timeout_ms(const struct ccfc_failed *failed)
{
	int64_t least = INT64_MAX;

	for (uint32_t i = 0; i < failed->n; i++)
		if (failed->items[i].due < least)
			least = failed->items[i].due;
	if (least == INT64_MAX)
		return -1;
	least -= ccfc_time_monotonic();
	return least > 0 ? (int)least : 0;
}

void ccfc_failed_put_off(struct ccfc_failed *failed)
{
	int64_t now = failed->n ? ccfc_time_monotonic() : 0;

	for (uint32_t i = 0; i < failed->n; i++) {
		struct ccfc_failure *f = &failed->items[i];

		if (f->due > now)
			continue;
		f->wait = f->wait < WAIT_MAX / 2 ? f->wait * 2 : WAIT_MAX;
		f->due = now + f->wait;
	}
}

static char *copy_text(const char *s)
{
	return s ? ccfc_strdup(s) : NULL;
}

void ccfc_failed_retry(struct ccfc_failed *failed, bool all, ccfc_failure_fn fn,
		       void *ctx)
{
	struct ccfc_failed due = { 0 };
	int64_t now = failed->n ? ccfc_time_monotonic() : 0;

	for (uint32_t i = 0; i < failed->n; i++) {
		struct ccfc_failure f = failed->items[i];

		if (!all && f.due > now)
			continue;
		f.path = copy_text(f.path);
		f.why = copy_text(f.why);
		f.session = copy_text(f.session);
		f.agent = copy_text(f.agent);
		CCFC_VEC_PUSH(due, f);
	}
	ccfc_failed_put_off(failed);
	for (uint32_t i = 0; i < due.n; i++)
		fn(ctx, &due.items[i]);
	ccfc_failed_release(&due);
}

int64_t ccfc_failure_next(const struct ccfc_failure *failure)
{
	return ccfc_time_now() + failure->due - ccfc_time_monotonic();
}
