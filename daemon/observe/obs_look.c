/*
 * Compares a file with its last known state; the difference is a sighting.
 *
 * When a session begins, the content of each file is copied to the base file,
 * so that the first change has a "before". The base file has no name: it
 * vanishes with the daemon, and is emptied when no project is watched. When a
 * file changes, its content before and after becomes a blob.
 */
#include "observe/observe_internal.h"

#include "base/alloc.h"
#include "base/time.h"
#include "os/whole_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files looked at before events are read again. */
#define LOOKS_AT_A_TIME 32
/* Ms until a retry, if a file changed while it was read. */
#define AGAIN_MS 20
/* The file's own time is used if it is this close to the event. */
#define CLOSE_MS 1000
#define TICK_MS	 10

static int64_t ns_of(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool is_same_look(const struct ccfc_obs_file *f, const struct stat *st)
{
	return f->ino == st->st_ino && f->size == (uint64_t)st->st_size &&
	       f->mtime == ns_of(st->st_mtim) && f->ctime == ns_of(st->st_ctim);
}

static void set_stat(struct ccfc_obs_file *f, const struct stat *st)
{
	f->ino = st->st_ino;
	f->size = (uint64_t)st->st_size;
	f->mtime = ns_of(st->st_mtim);
	f->ctime = ns_of(st->st_ctim);
}

static bool wants_content(const struct ccfc_obs *obs, const struct stat *st)
{
	return obs->env.settings->mode == CCFC_OBSERVE_CONTENT &&
	       (uint64_t)st->st_size <= CCFC_OBSERVE_CONTENT_MAX;
}

/* --- reading --- */

enum reading { READ_WELL, READ_NOT, READ_WHILE_WRITTEN };

static bool read_whole(struct ccfc_buf *out, int fd, size_t size)
{
	ccfc_buf_clear(out);
	/* Reading one byte more than the file has means that the file grew. */
	while (out->len <= size) {
		ssize_t n = read(fd, ccfc_buf_reserve(out, size + 1 - out->len),
				 size + 1 - out->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (!n)
			break;
		out->len += (size_t)n;
	}
	return true;
}

/* READ_WELL only if `st` describes the file after the reading, too. */
static enum reading read_content(struct ccfc_obs *obs, const char *path,
				 const struct stat *st)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				    O_CLOEXEC);
	struct stat now;
	bool read;

	if (fd < 0)
		return errno == ENOENT ? READ_WHILE_WRITTEN : READ_NOT;
	read = read_whole(&obs->content, fd, (size_t)st->st_size);
	if (!read || fstat(fd, &now)) {
		close(fd);
		return READ_NOT;
	}
	close(fd);
	if (now.st_ino != st->st_ino || now.st_size != st->st_size ||
	    ns_of(now.st_mtim) != ns_of(st->st_mtim) ||
	    obs->content.len != (size_t)st->st_size)
		return READ_WHILE_WRITTEN;
	return READ_WELL;
}

/* --- the base file --- */

static int open_base(struct ccfc_obs *obs)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/observed-XXXXXX",
		     obs->env.state_dir) >= (int)sizeof(path))
		return -1;
	obs->base = mkostemp(path, O_CLOEXEC);
	if (obs->base >= 0)
		unlink(path);
	return obs->base;
}

static bool append_base(struct ccfc_obs *obs, struct ccfc_slice bytes)
{
	if (obs->base < 0 && open_base(obs) < 0)
		return false;
	return !ccfc_write_all_at(obs->base, bytes, obs->base_len);
}

void ccfc_obs_look_first(struct ccfc_obs *obs, struct ccfc_obs_file *file)
{
	char path[PATH_MAX];
	struct stat st;

	if (!ccfc_obs_path(path, file->dir, file->name) || lstat(path, &st) ||
	    !S_ISREG(st.st_mode))
		return;
	set_stat(file, &st);
	file->known = file->exists = true;
	if (!wants_content(obs, &st))
		return;
	if (obs->base_len + file->size > obs->env.settings->bytes) {
		obs->base_cut = true;
		return;
	}
	if (read_content(obs, path, &st) != READ_WELL ||
	    !append_base(obs, ccfc_buf_view(&obs->content)))
		return;
	file->base = obs->base_len;
	file->has_base = true;
	obs->base_len += file->size;
}

/* The content when the project was first read. False: cannot be read. */
static bool read_base(struct ccfc_buf *out, const struct ccfc_obs *obs,
		      const struct ccfc_obs_file *f)
{
	ccfc_buf_clear(out);
	if (ccfc_read_at(obs->base, ccfc_buf_reserve(out, f->size + 1), f->size,
			 f->base) != (ssize_t)f->size)
		return false;
	out->len = f->size;
	return true;
}

/* --- sightings --- */

static void put_side(struct ccfc_disk_side *out, const struct ccfc_obs_file *f)
{
	*out = (struct ccfc_disk_side){ .known = f->known,
					.exists = f->exists };
	if (!f->known || !f->exists)
		return;
	out->size = f->size;
	out->mtime = f->mtime / 1000000;
	out->content = f->has_key;
	out->key = f->key;
}

static bool store_content(struct ccfc_obs *obs, struct ccfc_blob_key *key,
			  struct ccfc_slice bytes)
{
	bool kept = !ccfc_blobs_put(obs->env.blobs, key, bytes, NULL);

	if (ccfc_blobs_is_full(obs->env.blobs, &obs->env.settings->kept))
		ccfc_blobs_sweep(obs->env.blobs, &obs->env.settings->kept);
	return kept;
}

/* Stores the earlier content as a blob, for the next sighting. */
static void store_base(struct ccfc_obs *obs, struct ccfc_obs_file *f)
{
	struct ccfc_buf was = CCFC_BUF_INIT;

	if (!f->has_base || f->has_key)
		return;
	if (read_base(&was, obs, f))
		f->has_key = store_content(obs, &f->key, ccfc_buf_view(&was));
	ccfc_buf_release(&was);
}

/* Is `content` the content that the file had before? */
static bool is_old_content(struct ccfc_obs *obs, const struct ccfc_obs_file *f)
{
	struct ccfc_buf was = CCFC_BUF_INIT;
	struct ccfc_blob_key key;
	bool same = false;

	if (!f->known || !f->exists || f->size != obs->content.len)
		return false;
	if (f->has_key) {
		key = ccfc_blob_key(ccfc_buf_view(&obs->content));
		return !memcmp(&key, &f->key, sizeof(key));
	}
	if (f->has_base && read_base(&was, obs, f))
		same = ccfc_slice_eq(ccfc_buf_view(&was),
				     ccfc_buf_view(&obs->content));
	ccfc_buf_release(&was);
	return same;
}

/*
 * The file's own time. 0 if that is in the future, or earlier than both the
 * first mark (less CLOSE_MS) and `held` (less TICK_MS).
 */
static int64_t own_time(const struct ccfc_obs_file *f, const struct stat *st)
{
	int64_t changed = (st ? ns_of(st->st_ctim) : f->mtime) / 1000000;
	int64_t first = f->first - CLOSE_MS;

	if (f->held - TICK_MS < first)
		first = f->held - TICK_MS;
	return changed >= first && changed <= ccfc_time_now() ? changed : 0;
}

/*
 * The change began at this time or earlier: the event may be late. The ctime
 * may be a tick too early, because it comes from a coarse clock.
 */
static int64_t earliest_time_of(const struct ccfc_obs_file *f, int64_t time)
{
	return f->first < time + TICK_MS ? f->first : time + TICK_MS;
}

static void report_sighting(struct ccfc_obs *obs, struct ccfc_obs_file *f,
			    const struct ccfc_disk_side *before,
			    const struct stat *st)
{
	struct ccfc_sighting s = { .before = *before, .client = f->client };
	char path[PATH_MAX];
	int64_t own;

	if (!ccfc_obs_path(path, f->dir, f->name))
		return;
	own = own_time(f, st);
	s.path = ccfc_strdup(path);
	s.time = own ? own : f->last;
	s.own = own;
	s.since = earliest_time_of(f, s.time);
	s.held = f->held;
	/* Another change may have come before this look. */
	if (f->mixed || s.time > f->last)
		s.client = 0;
	else if (f->steps == 1 && own)
		s.held = s.since < s.time ? s.since : s.time;
	put_side(&s.after, f);
	CCFC_VEC_PUSH(obs->pending, ((struct ccfc_obs_pending){ s, f }));
	f->pending = obs->pending.n;
}

void ccfc_obs_hand_on(struct ccfc_obs *obs)
{
	for (uint32_t i = 0; i < obs->pending.n; i++) {
		struct ccfc_obs_pending *pending = &obs->pending.items[i];
		const char *session = NULL;

		if (pending->file)
			pending->file->pending = 0;
		if (pending->sighting.client)
			session = ccfc_obs_session_of(obs,
						      pending->sighting.client);
		if (session)
			pending->sighting.session = ccfc_strdup(session);
		obs->emit(obs->ctx, &pending->sighting);
	}
	obs->pending.n = 0;
}

/*
 * When a file was deleted. The mtime of its directory is the time of the last
 * added or removed name, which may be this one. 0: not known.
 */
static int64_t time_gone(const struct ccfc_obs_file *f)
{
	struct stat st;
	int64_t time;

	if (f->dir_changes != f->dir->changes || stat(f->dir->path, &st))
		return 0;
	time = ns_of(st.st_mtim) / 1000000;
	return time >= f->first - CLOSE_MS && time <= f->last ? time : 0;
}

static void report_gone(struct ccfc_obs *obs, struct ccfc_obs_file *f)
{
	struct ccfc_disk_side before;

	store_base(obs, f);
	put_side(&before, f);
	f->known = true;
	f->exists = f->has_key = f->has_base = false;
	f->mtime = time_gone(f) * 1000000;
	report_sighting(obs, f, &before, NULL);
}

void ccfc_obs_gone(struct ccfc_obs *obs, struct ccfc_obs_file *file)
{
	if (!file->exists)
		return;
	ccfc_obs_mark(obs, file, 0);
	report_gone(obs, file);
	ccfc_obs_unmark(obs, file);
}

/* `read`: obs->content is the present content. */
static void report_changed(struct ccfc_obs *obs, struct ccfc_obs_file *f,
			   const struct stat *st, bool read)
{
	struct ccfc_disk_side before;

	store_base(obs, f);
	put_side(&before, f);
	set_stat(f, st);
	f->known = f->exists = true;
	f->has_base = false;
	f->has_key = read &&
		     store_content(obs, &f->key, ccfc_buf_view(&obs->content));
	report_sighting(obs, f, &before, st);
}

/* --- looking --- */

static void check_file(struct ccfc_obs *obs, struct ccfc_obs_file *f)
{
	enum reading how = READ_NOT;
	char path[PATH_MAX];
	struct stat st;

	if (!ccfc_obs_path(path, f->dir, f->name))
		return;
	if (ccfc_obs_is_ignored_now(obs, f)) {
		ccfc_obs_file_drop(obs, f);
		return;
	}
	if (lstat(path, &st) || !S_ISREG(st.st_mode)) {
		if (f->exists)
			report_gone(obs, f);
		ccfc_obs_file_drop(obs, f);
		return;
	}
	if (f->exists && is_same_look(f, &st)) {
		ccfc_obs_unmark(obs, f);
		f->client = 0;
		f->mixed = false;
		return;
	}
	if (wants_content(obs, &st))
		how = read_content(obs, path, &st);
	if (how == READ_WHILE_WRITTEN) {
		f->due = ccfc_time_monotonic() + AGAIN_MS;
		return;
	}
	ccfc_obs_unmark(obs, f);
	if (how == READ_WELL && is_old_content(obs, f))
		set_stat(f, &st);
	else
		report_changed(obs, f, &st, how == READ_WELL);
	f->client = 0;
	f->mixed = false;
}

bool ccfc_obs_look(struct ccfc_obs *obs)
{
	int64_t now = ccfc_time_monotonic();
	int n = 0;

	for (struct ccfc_obs_file *f = obs->marked, *next; f; f = next) {
		next = f->marked_next;
		if (f->due > now)
			continue;
		if (n++ == LOOKS_AT_A_TIME)
			return true;
		check_file(obs, f);
	}
	return false;
}

void ccfc_obs_look_now(struct ccfc_obs *obs, uint32_t max)
{
	for (struct ccfc_obs_file *f = obs->marked; f; f = f->marked_next)
		f->due = 0;
	while (ccfc_obs_look(obs) && obs->pending.n < max)
		;
}

int ccfc_obs_look_timeout(const struct ccfc_obs *obs)
{
	int64_t now = ccfc_time_monotonic(), due = INT64_MAX;

	for (const struct ccfc_obs_file *f = obs->marked; f; f = f->marked_next)
		if (f->due < due)
			due = f->due;
	if (due == INT64_MAX)
		return -1;
	return due > now ? (int)(due - now) : 0;
}
