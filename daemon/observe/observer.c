/*
 * The observer's thread, and what it shares with the core; see observe.h.
 *
 * The thread sleeps in poll() until something changes below a project or among
 * the clients' notes, a client ends, or the core reports a line. Sightings wait
 * in a list until the core takes them. While the list is full, the thread makes
 * no more looks; the files stay marked.
 */
#include "observe/observe_internal.h"

#include "base/alloc.h"
#include "base/time.h"
#include "os/log.h"
#include "os/pipe.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A sleeping thread runs at most this many ms after it is woken. */
#define WAKING_MS 1000

/* The looks stop while so many sightings wait for the core. */
#define WAITING_MAX 4096u
#define ACTIVE_MAX  256u
#define ROOTS_MAX   32u
#define PIDFDS_MAX  256u

struct active {
	char *session, *cwd;
};

struct ccfc_observer {
	struct ccfc_obs obs; /* of the thread */
	pthread_t thread;
	int wake[2]; /* the core → the thread */
	int news[2]; /* the thread → the core */
	/* The watch of each Claude directory's notes. */
	int notes[ROOTS_MAX];
	bool notes_changed;
	int64_t swept; /* when contents were swept last, in ms since 1970 */
	pthread_mutex_t lock; /* for the fields below */
	struct {
		struct active *items;
		uint32_t n, cap;
	} active;
	struct {
		struct ccfc_sighting *items;
		uint32_t n, cap;
	} seen;
	struct {
		struct ccfc_client_end *items;
		uint32_t n, cap;
	} ended;
	struct ccfc_observe_stats stats;
	bool stop;
};

/* --- the thread --- */

static void on_sighting(void *ctx, struct ccfc_sighting *sighting)
{
	struct ccfc_observer *o = ctx;

	pthread_mutex_lock(&o->lock);
	CCFC_VEC_PUSH(o->seen, *sighting);
	o->stats.seen++;
	pthread_mutex_unlock(&o->lock);
	ccfc_bell_ring(o->news[1]);
}

static void on_ended(void *ctx, struct ccfc_client_end *end)
{
	struct ccfc_observer *o = ctx;

	pthread_mutex_lock(&o->lock);
	CCFC_VEC_PUSH(o->ended, *end);
	pthread_mutex_unlock(&o->lock);
	ccfc_bell_ring(o->news[1]);
}

/*
 * Watches the directory of the notes, or its parent if there is none. Then the
 * directory is tried again: it may have appeared before the parent's watch.
 */
static int watch_notes_of(struct ccfc_watch *watch, const char *root)
{
	char path[PATH_MAX];
	int wd, above;

	if (snprintf(path, sizeof(path), "%s/sessions", root) >=
	    (int)sizeof(path))
		return -1;
	wd = ccfc_watch_add(watch, path, CCFC_WATCH_WRITERS);
	if (wd >= 0)
		return wd;
	above = ccfc_watch_add(watch, root, CCFC_WATCH_NAMES);
	wd = ccfc_watch_add(watch, path, CCFC_WATCH_WRITERS);
	if (wd < 0)
		return above;
	if (above >= 0)
		ccfc_watch_remove(watch, above);
	return wd;
}

static void watch_notes(struct ccfc_observer *o)
{
	const struct ccfc_observe_env *env = &o->obs.env;

	for (size_t i = 0; i < env->nroots && i < ROOTS_MAX; i++)
		o->notes[i] = watch_notes_of(o->obs.watch, env->roots[i]);
}

static bool is_notes(const struct ccfc_observer *o, int wd)
{
	for (size_t i = 0; i < o->obs.env.nroots && i < ROOTS_MAX; i++)
		if (o->notes[i] == wd)
			return true;
	return false;
}

static void on_event(void *ctx, const struct ccfc_watch_event *event)
{
	struct ccfc_observer *o = ctx;

	if (event->what == CCFC_WATCH_OVERFLOW || is_notes(o, event->wd))
		o->notes_changed = true;
	ccfc_obs_event(&o->obs, event);
}

/* Takes in the lines that came; true: the observer has to end. */
static bool run_commands(struct ccfc_observer *o)
{
	struct active *items;
	uint32_t n;
	bool stop;

	pthread_mutex_lock(&o->lock);
	items = o->active.items;
	n = o->active.n;
	o->active.items = NULL;
	o->active.n = o->active.cap = 0;
	stop = o->stop;
	pthread_mutex_unlock(&o->lock);
	for (uint32_t i = 0; i < n; i++) {
		if (!stop)
			ccfc_obs_active(&o->obs, items[i].session,
					items[i].cwd);
		free(items[i].session);
		free(items[i].cwd);
	}
	free(items);
	return stop;
}

static bool is_report_queue_full(struct ccfc_observer *o)
{
	bool full;

	pthread_mutex_lock(&o->lock);
	full = o->seen.n >= WAITING_MAX;
	pthread_mutex_unlock(&o->lock);
	return full;
}

static struct ccfc_observed_project *copy_projects(const struct ccfc_obs *obs)
{
	struct ccfc_observed_project *list =
		ccfc_calloc(obs->projects.n + 1u, sizeof(*list));

	for (uint32_t i = 0; i < obs->projects.n; i++) {
		const struct ccfc_obs_project *p = obs->projects.items[i];
		size_t len = strlen(p->root);

		list[i] = (struct ccfc_observed_project){
			.root = ccfc_strndup(p->root, len > 1 ? len - 1 : len),
			.problem = p->problem ? ccfc_strdup(p->problem) : NULL,
			.sessions = p->sessions.n,
			.dirs = p->dirs,
			.files = p->files,
			.cut = p->cut,
			.silent = p->silent,
		};
	}
	return list;
}

static void publish_stats(struct ccfc_observer *o, bool reading)
{
	struct ccfc_observe_stats now = {
		.projects = copy_projects(&o->obs),
		.nprojects = o->obs.projects.n,
		.bytes = o->obs.base_len,
		.cut = o->obs.base_cut,
		.reading = reading,
	};
	struct ccfc_observe_stats old;

	pthread_mutex_lock(&o->lock);
	old = o->stats;
	now.seen = old.seen;
	o->stats = now;
	pthread_mutex_unlock(&o->lock);
	ccfc_observe_stats_release(&old);
}

/*
 * The descriptors to poll: the wake-up, the watch, and the clients' processes.
 */
static nfds_t put_fds(struct pollfd *fds, const struct ccfc_observer *o)
{
	nfds_t n = 0;

	fds[n++] = (struct pollfd){ .fd = o->wake[0], .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = ccfc_watch_fd(o->obs.watch),
				    .events = POLLIN };
	for (uint32_t i = 0; i < o->obs.projects.n; i++) {
		const struct ccfc_obs_project *p = o->obs.projects.items[i];

		for (uint32_t k = 0; k < p->sessions.n && n < PIDFDS_MAX; k++)
			if (p->sessions.items[k].pidfd >= 0)
				fds[n++] = (struct pollfd){
					.fd = p->sessions.items[k].pidfd,
					.events = POLLIN
				};
	}
	for (uint32_t i = 0; i < o->obs.leaving.n && n < PIDFDS_MAX; i++)
		if (o->obs.leaving.items[i].pidfd >= 0)
			fds[n++] = (struct pollfd){
				.fd = o->obs.leaving.items[i].pidfd,
				.events = POLLIN
			};
	return n;
}

/*
 * Polls. An event that wakes a sleeping thread has just happened; an event that
 * is there at once may have waited for long.
 */
static int poll_news(struct ccfc_observer *o, struct pollfd *fds, nfds_t n,
		     int timeout)
{
	int64_t asleep = ccfc_time_now();
	int got = poll(fds, n, 0);

	o->obs.woke = CCFC_TIME_NONE;
	if (got || !timeout)
		return got;
	o->obs.reading = asleep;
	got = poll(fds, n, timeout);
	o->obs.woke = ccfc_time_now();
	return got;
}

/* Sleeps; true: the live sessions have to be read again. */
static bool wait_for_events(struct ccfc_observer *o, int timeout)
{
	struct pollfd fds[PIDFDS_MAX];
	nfds_t n = put_fds(fds, o);
	bool ended = false;

	if (poll_news(o, fds, n, timeout) < 0)
		return false;
	if (fds[0].revents)
		ccfc_bell_silence(o->wake[0]);
	for (nfds_t i = 2; i < n; i++)
		ended |= fds[i].revents != 0;
	return ended || ccfc_obs_sessions_timeout(&o->obs) == 0;
}

static void read_events(struct ccfc_observer *o)
{
	struct ccfc_obs *obs = &o->obs;

	obs->drained = obs->reading;
	if (obs->woke != CCFC_TIME_NONE && obs->woke - WAKING_MS > obs->drained)
		obs->drained = obs->woke - WAKING_MS;
	obs->woke = CCFC_TIME_NONE;
	obs->reading = ccfc_time_now();
	ccfc_watch_read(obs->watch, on_event, o);
}

/*
 * Looks at the last changes of a client that has ended, while its session is
 * still known.
 */
static void read_live_sessions(struct ccfc_observer *o)
{
	struct ccfc_live_sessions live = { 0 };

	o->notes_changed = false;
	watch_notes(o);
	if (ccfc_obs_sessions(&o->obs, &live)) {
		read_events(o);
		ccfc_obs_look_now(&o->obs, WAITING_MAX);
		read_events(o);
		ccfc_obs_hand_on(&o->obs);
	}
	ccfc_obs_drop_ended(&o->obs, &live);
	ccfc_live_release(&live);
}

static void sweep_blobs(struct ccfc_observer *o)
{
	ccfc_blobs_sweep(o->obs.env.blobs, &o->obs.env.settings->kept);
	o->swept = ccfc_time_now();
}

/*
 * Ms until contents may have become too old; -1: there are none. By the wall
 * clock, which goes on while the machine is suspended.
 */
static int sweep_timeout(const struct ccfc_observer *o)
{
	int64_t left, whole = o->obs.env.settings->sweep;
	struct ccfc_blob_stats stats;

	ccfc_blobs_stats(o->obs.env.blobs, &stats);
	if (!stats.blobs)
		return -1;
	left = o->swept + whole - ccfc_time_now();
	return (int)(left < 0 ? 0 : left > whole ? whole : left);
}

static void *observe_projects(void *arg)
{
	struct ccfc_observer *o = arg;
	bool more = o->obs.env.settings->mode != CCFC_OBSERVE_OFF;

	sweep_blobs(o);
	if (more)
		read_live_sessions(o);
	for (;;) {
		int timeout =
			ccfc_time_sooner(ccfc_obs_look_timeout(&o->obs),
					 ccfc_obs_sessions_timeout(&o->obs));
		bool full = is_report_queue_full(o), news;

		/* The last events may have left work. */
		more |= o->notes_changed || ccfc_obs_has_unread(&o->obs);
		timeout = ccfc_time_sooner(timeout, sweep_timeout(o));
		/* If the list is full, the core wakes the thread. */
		news = wait_for_events(o, full ? -1 : more ? 0 : timeout);
		if (run_commands(o))
			break;
		read_events(o);
		if (!sweep_timeout(o))
			sweep_blobs(o);
		if (news || o->notes_changed)
			read_live_sessions(o);
		if (full)
			continue;
		more = ccfc_obs_walk(&o->obs);
		more |= ccfc_obs_look(&o->obs);
		/* These may show that a sighting is not a client's. */
		read_events(o);
		ccfc_obs_hand_on(&o->obs);
		publish_stats(o, more || ccfc_obs_has_unread(&o->obs));
	}
	return NULL;
}

/* --- the core's side --- */

static void close_pipes(struct ccfc_observer *o)
{
	for (int i = 0; i < 2; i++) {
		if (o->wake[i] >= 0)
			close(o->wake[i]);
		if (o->news[i] >= 0)
			close(o->news[i]);
	}
}

static int open_pipes(struct ccfc_observer *o, struct ccfc_err *err)
{
	if (ccfc_bell(o->wake) || ccfc_bell(o->news))
		return ccfc_err_errno(err, errno, "pipe");
	return 0;
}

static void release_all(struct ccfc_observer *o)
{
	ccfc_obs_release(&o->obs);
	close_pipes(o);
	for (uint32_t i = 0; i < o->seen.n; i++) {
		free(o->seen.items[i].path);
		free(o->seen.items[i].session);
	}
	free(o->seen.items);
	for (uint32_t i = 0; i < o->ended.n; i++)
		free(o->ended.items[i].session);
	free(o->ended.items);
	free(o->active.items);
	ccfc_observe_stats_release(&o->stats);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

int ccfc_observer_new(struct ccfc_observer **out,
		      const struct ccfc_observe_env *env, struct ccfc_err *err)
{
	struct ccfc_observer *o = ccfc_calloc(1, sizeof(*o));
	int r;

	o->obs.env = *env;
	o->obs.base = -1;
	o->obs.noticed = CCFC_TIME_NONE;
	o->obs.emit = on_sighting;
	o->obs.ended = on_ended;
	o->obs.ctx = o;
	o->obs.exclude =
		ccfc_ignore_parse(ccfc_slice_str(env->settings->exclude));
	o->wake[0] = o->wake[1] = o->news[0] = o->news[1] = -1;
	pthread_mutex_init(&o->lock, NULL);
	r = open_pipes(o, err);
	if (!r)
		r = ccfc_watch_new(&o->obs.watch, err);
	if (!r && pthread_create(&o->thread, NULL, observe_projects, o))
		r = ccfc_err_set(err, CCFC_EIO, "no thread to observe with");
	if (r) {
		release_all(o);
		return r;
	}
	*out = o;
	return 0;
}

void ccfc_observer_free(struct ccfc_observer *observer)
{
	if (!observer)
		return;
	pthread_mutex_lock(&observer->lock);
	observer->stop = true;
	pthread_mutex_unlock(&observer->lock);
	ccfc_bell_ring(observer->wake[1]);
	pthread_join(observer->thread, NULL);
	release_all(observer);
}

int ccfc_observer_fd(const struct ccfc_observer *observer)
{
	return observer->news[0];
}

void ccfc_observer_active(struct ccfc_observer *observer,
			  struct ccfc_slice session, struct ccfc_slice cwd)
{
	struct active a;
	bool full;

	pthread_mutex_lock(&observer->lock);
	full = observer->active.n >= ACTIVE_MAX;
	if (!full) {
		a.session = ccfc_strndup(session.ptr, session.len);
		a.cwd = ccfc_strndup(cwd.ptr, cwd.len);
		CCFC_VEC_PUSH(observer->active, a);
	}
	pthread_mutex_unlock(&observer->lock);
	ccfc_bell_ring(observer->wake[1]);
}

void ccfc_observer_take(struct ccfc_observer *observer,
			const struct ccfc_observer_fns *fns, void *ctx)
{
	struct ccfc_sighting *items;
	struct ccfc_client_end *ends;
	uint32_t n, nends;

	ccfc_bell_silence(observer->news[0]);
	pthread_mutex_lock(&observer->lock);
	items = observer->seen.items;
	n = observer->seen.n;
	observer->seen.items = NULL;
	observer->seen.n = observer->seen.cap = 0;
	ends = observer->ended.items;
	nends = observer->ended.n;
	observer->ended.items = NULL;
	observer->ended.n = observer->ended.cap = 0;
	pthread_mutex_unlock(&observer->lock);
	for (uint32_t i = 0; i < n; i++) {
		fns->saw(ctx, &items[i]);
		free(items[i].path);
		free(items[i].session);
	}
	free(items);
	for (uint32_t i = 0; i < nends; i++) {
		fns->ended(ctx, &ends[i]);
		free(ends[i].session);
	}
	free(ends);
	if (n >= WAITING_MAX)
		ccfc_bell_ring(observer->wake[1]);
}

void ccfc_observer_stats(struct ccfc_observer *observer,
			 struct ccfc_observe_stats *out)
{
	pthread_mutex_lock(&observer->lock);
	*out = observer->stats;
	out->projects =
		ccfc_calloc(out->nprojects + 1u, sizeof(*out->projects));
	for (uint32_t i = 0; i < out->nprojects; i++) {
		const struct ccfc_observed_project *p =
			&observer->stats.projects[i];

		out->projects[i] = *p;
		out->projects[i].root = ccfc_strdup(p->root);
		out->projects[i].problem =
			p->problem ? ccfc_strdup(p->problem) : NULL;
	}
	pthread_mutex_unlock(&observer->lock);
}

void ccfc_observe_stats_release(struct ccfc_observe_stats *stats)
{
	for (uint32_t i = 0; i < stats->nprojects; i++) {
		free(stats->projects[i].root);
		free(stats->projects[i].problem);
	}
	free(stats->projects);
	*stats = (struct ccfc_observe_stats){ 0 };
}
