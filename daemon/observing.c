/* The observer in the daemon; see observing.h. */
#include "observing.h"

#include "base/alloc.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "observe/live_sessions.h"
#include "os/log.h"

#include <stdlib.h>
#include <unistd.h>

/* An older line does not make a session live: it was read late. */
#define RECENT_MS (10 * 60 * 1000)

struct ccfc_observing {
	struct ccfc_observing_env env;
	struct ccfc_observer *observer;
	struct ccfc_observer *sweeper; /* with `observe = off`: old contents */
	struct ccfc_blobs *blobs;
	bool taken; /* a sighting, since ccfc_observing_take began */
	struct {
		struct ccfc_client_end *items;
		uint32_t n, cap;
	} ended; /* clients whose last lines have to be read first */
};

static int open_blobs(struct ccfc_observing *o, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r;

	ccfc_buf_printf(&path, "%s/blobs", o->env.state_dir);
	r = ccfc_blobs_new(&o->blobs, path.ptr, err);
	ccfc_buf_release(&path);
	return r;
}

/*
 * Nothing is observed, but earlier and imported contents are read, and removed
 * when they are too old.
 */
static void open_known(struct ccfc_observing *o)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	ccfc_buf_printf(&path, "%s/blobs", o->env.state_dir);
	if (!access(path.ptr, F_OK))
		ccfc_observing_make_blobs(o);
	ccfc_buf_release(&path);
}

struct ccfc_observing *ccfc_observing_new(const struct ccfc_observing_env *env)
{
	struct ccfc_observing *o;
	struct ccfc_observe_env own = {
		.settings = env->settings,
		.roots = env->roots,
		.nroots = env->nroots,
		.state_dir = env->state_dir,
		.home = env->home,
		.ignores = env->ignores,
		.ctx = env->ignoring,
	};
	struct ccfc_err err = { 0 };
	int r;

	o = ccfc_calloc(1, sizeof(*o));
	o->env = *env;
	if (env->settings->mode == CCFC_OBSERVE_OFF) {
		open_known(o);
		return o;
	}
	r = open_blobs(o, &err);
	own.blobs = o->blobs;
	if (!r)
		r = ccfc_observer_new(&o->observer, &own, &err);
	if (r)
		ccfc_log(CCFC_LOG_WARN, "projects are not observed: %s",
			 err.what);
	return o;
}

void ccfc_observing_free(struct ccfc_observing *observing)
{
	if (!observing)
		return;
	ccfc_observer_free(observing->observer);
	ccfc_observer_free(observing->sweeper);
	ccfc_blobs_free(observing->blobs);
	for (uint32_t i = 0; i < observing->ended.n; i++)
		free(observing->ended.items[i].session);
	free(observing->ended.items);
	free(observing);
}

int ccfc_observing_fd(const struct ccfc_observing *observing)
{
	return observing && observing->observer
		       ? ccfc_observer_fd(observing->observer)
		       : -1;
}

struct ccfc_observer *
ccfc_observing_observer(const struct ccfc_observing *observing)
{
	return observing ? observing->observer : NULL;
}

struct ccfc_blobs *ccfc_observing_blobs(const struct ccfc_observing *observing)
{
	return observing ? observing->blobs : NULL;
}

struct ccfc_blobs *ccfc_observing_make_blobs(struct ccfc_observing *observing)
{
	struct ccfc_observe_env own = {
		.settings = observing->env.settings,
		.state_dir = observing->env.state_dir,
	};
	struct ccfc_err err = { 0 };
	int r;

	if (observing->blobs)
		return observing->blobs;
	r = open_blobs(observing, &err);
	own.blobs = observing->blobs;
	if (!r && own.settings->mode == CCFC_OBSERVE_OFF)
		r = ccfc_observer_new(&observing->sweeper, &own, &err);
	if (r)
		ccfc_log(CCFC_LOG_WARN, "contents of files: %s", err.what);
	return observing->blobs;
}

/* --- sightings --- */

static uint32_t key_string(struct ccfc_index *index,
			   const struct ccfc_disk_side *side)
{
	char hex[CCFC_SHA256_HEX + 1];

	if (!side->content)
		return 0;
	ccfc_blob_key_hex(hex, &side->key);
	return ccfc_strtab_put(&index->strings, ccfc_slice_str(hex));
}

static uint8_t disk_state_of(const struct ccfc_disk_side *side)
{
	if (!side->known)
		return CCFC_DISK_UNKNOWN;
	return side->exists ? CCFC_DISK_THERE : CCFC_DISK_ABSENT;
}

static int64_t mtime_of(const struct ccfc_disk_side *side)
{
	return side->known && side->exists ? side->mtime : CCFC_TIME_NONE;
}

static void on_sighting(void *ctx, const struct ccfc_sighting *s)
{
	struct ccfc_observing *o = ctx;
	struct ccfc_index *index = o->env.index;
	struct ccfc_disk_event event = {
		.since = s->since,
		.time = s->time,
		.held = s->held,
		.own = s->own,
		.file = ccfc_index_file(index, ccfc_slice_str(s->path)),
		.client = (uint32_t)s->client,
		.by = s->session ? ccfc_strtab_put(&index->strings,
						   ccfc_slice_str(s->session))
				 : 0,
		.before = disk_state_of(&s->before),
		.before_size = s->before.size,
		.before_mtime = mtime_of(&s->before),
		.before_key = key_string(index, &s->before),
		.after = disk_state_of(&s->after),
		.after_size = s->after.size,
		.after_mtime = mtime_of(&s->after),
		.after_key = key_string(index, &s->after),
	};

	ccfc_index_note_disk_event(index, &event);
	o->taken = true;
	if (event.by)
		o->env.early(o->env.ctx, &event);
}

static void on_client_end(void *ctx, const struct ccfc_client_end *end)
{
	struct ccfc_observing *o = ctx;
	struct ccfc_client_end copy = { ccfc_strdup(end->session), end->pid };

	CCFC_VEC_PUSH(o->ended, copy);
}

bool ccfc_observing_take(struct ccfc_observing *observing)
{
	static const struct ccfc_observer_fns fns = { on_sighting,
						      on_client_end };

	if (!observing || !observing->observer)
		return false;
	observing->taken = false;
	ccfc_observer_take(observing->observer, &fns, observing);
	return observing->taken;
}

/* --- ended clients --- */

bool ccfc_observing_has_ended(const struct ccfc_observing *observing)
{
	return observing && observing->ended.n;
}

void ccfc_observing_end(struct ccfc_observing *observing)
{
	for (uint32_t i = 0; observing && i < observing->ended.n; i++) {
		struct ccfc_client_end *end = &observing->ended.items[i];

		ccfc_index_client_ended(observing->env.index,
					ccfc_slice_str(end->session),
					(uint32_t)end->pid);
		free(end->session);
	}
	if (observing)
		observing->ended.n = 0;
}

static bool is_live(const struct ccfc_index *index,
		    const struct ccfc_unclaimed *u,
		    const struct ccfc_live_sessions *live)
{
	for (uint32_t i = 0; i < live->n; i++)
		if (live->items[i].pid == (long)u->client &&
		    ccfc_slice_is(ccfc_index_str(index, u->by),
				  live->items[i].id))
			return true;
	return false;
}

void ccfc_observing_scanned(struct ccfc_observing *observing)
{
	struct ccfc_live_sessions live = { 0 };
	const struct ccfc_index *index;

	if (!observing || !observing->env.index->witness.waiting.n)
		return;
	index = observing->env.index;
	for (size_t i = 0; i < observing->env.nroots; i++)
		ccfc_live_read(&live, observing->env.roots[i]);
	for (uint32_t i = 0; i < index->witness.waiting.n; i++) {
		const struct ccfc_unclaimed *u =
			&index->witness.waiting.items[i];
		struct ccfc_client_end end = { NULL, u->client };

		if (is_live(index, u, &live))
			continue;
		end.session = ccfc_strdup(ccfc_index_str(index, u->by).ptr);
		CCFC_VEC_PUSH(observing->ended, end);
	}
	ccfc_live_release(&live);
}

/* --- live sessions --- */

/*
 * The sessions of a batch are in the list of dirty rows: the store has just
 * written them, or is about to.
 */
void ccfc_observing_batch(struct ccfc_observing *observing)
{
	const struct ccfc_index *index;
	int64_t recent;

	if (!observing || !observing->observer)
		return;
	index = observing->env.index;
	recent = ccfc_time_now() - RECENT_MS;
	for (uint32_t i = 0; i < index->sessions.dirty.n; i++) {
		uint32_t id = index->sessions.dirty.items[i];
		const struct ccfc_session *s = &index->sessions.items[id];

		if (s->end >= recent && s->project)
			ccfc_observer_active(observing->observer,
					     ccfc_index_session_id(index, id),
					     ccfc_index_str(index, s->project));
	}
}
