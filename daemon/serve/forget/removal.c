/*
 * Removes the data of forgotten items; see removal.h. The old store tells what
 * to remove from the undo area, the archive and the observed contents, so it is
 * replaced only after they are cleaned. Contents come last: until the exchange,
 * questions are answered with the old index and may read them.
 */
#include "serve/forget/removal.h"

#include "base/alloc.h"
#include "base/time.h"
#include "forget/forgotten.h"
#include "forget/undo_area.h"
#include "index/index_internal.h"
#include "store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A mark arrives at most this many ms after its time. */
#define MARK_LATE 1000

struct ccfc_removal {
	const char *dir, *home;
	const struct ccfc_forgotten *list;
	const struct ccfc_archive_sieve *sieve;
	struct ccfc_store_rest rest;
	int64_t since;	 /* when it began */
	uint64_t before; /* bytes of the state directory */
	struct ccfc_removal_result result;
	struct timespec exchanged; /* contents older than this are known */
	struct ccfc_blobs *blobs;
};

struct ccfc_removal *ccfc_removal_new(const char *state_dir, const char *home,
				      const struct ccfc_forgotten *list,
				      const struct ccfc_archive_sieve *sieve)
{
	struct ccfc_removal *r = ccfc_calloc(1, sizeof(*r));

	r->dir = state_dir;
	r->home = home;
	r->list = list;
	r->sieve = sieve;
	r->since = ccfc_time_now();
	return r;
}

void ccfc_removal_free(struct ccfc_removal *r)
{
	if (!r)
		return;
	ccfc_store_rest_release(&r->rest);
	free(r);
}

void ccfc_removal_result(const struct ccfc_removal *r,
			 struct ccfc_removal_result *out)
{
	*out = r->result;
}

/* --- how much there is --- */

/* Without the store's log, which has lines that are read again. */
static bool is_log(const char *name)
{
	struct ccfc_slice s = ccfc_slice_str(name);

	return ccfc_slice_ends(s, "-wal") || ccfc_slice_ends(s, "-shm");
}

static uint64_t bytes_below(int at, const char *name, int depth, bool logs)
{
	int fd = openat(at, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *item;
	uint64_t bytes = 0;
	struct stat st;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (item = readdir(dir))) {
		if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, ".."))
			continue;
		if (fstatat(dirfd(dir), item->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISDIR(st.st_mode) && depth)
			bytes += bytes_below(dirfd(dir), item->d_name,
					     depth - 1, logs);
		else if (S_ISREG(st.st_mode) && (logs || !is_log(item->d_name)))
			bytes += (uint64_t)st.st_size;
	}
	if (dir)
		closedir(dir);
	return bytes;
}

/* --- preparing --- */

static bool is_path_removed(void *ctx, struct ccfc_slice path)
{
	const struct ccfc_removal *r = ctx;

	return ccfc_forgotten_below(r->list, path) ||
	       ccfc_store_rest_touched(&r->rest, path);
}

static uint32_t clean_undo(struct ccfc_removal *r)
{
	const struct ccfc_undo_area_wish wish = {
		.goes = is_path_removed,
		.ctx = r,
		.before = ccfc_forgotten_before(r->list),
	};

	return ccfc_undo_area_forget(r->dir, &wish);
}

int ccfc_removal_prepare(struct ccfc_removal *r, struct ccfc_archive *archive,
			 struct ccfc_err *err)
{
	const char *dir = r->dir;
	int code;

	r->before = bytes_below(AT_FDCWD, dir, 4, true);
	if (!archive)
		return ccfc_err_set(err, CCFC_EIO,
				    "the archive cannot be opened");
	ccfc_archive_sift(archive, r->sieve);
	code = ccfc_store_forget(&r->rest, dir, r->home, r->list, err);
	if (!code)
		r->result.undo = clean_undo(r);
	if (!code)
		code = ccfc_archive_forget(archive, r->sieve,
					   r->rest.shared.items,
					   r->rest.shared.n, err);
	return code;
}

/* --- the exchange --- */

int ccfc_removal_exchange(struct ccfc_removal *r, struct ccfc_err *err)
{
	/* The clock of file times. */
	clock_gettime(CLOCK_REALTIME_COARSE, &r->exchanged);
	return ccfc_store_forget_end(r->dir, err);
}

static bool is_forgotten_event(const struct ccfc_removal *r,
			       const struct ccfc_disk_event *e,
			       struct ccfc_slice path, struct ccfc_slice by)
{
	int64_t before = ccfc_forgotten_before(r->list);

	return ccfc_forgotten_session(r->list, by) ||
	       ccfc_forgotten_file(r->list, path, e->time) ||
	       ccfc_forgotten_below(r->list, path) ||
	       (before != CCFC_TIME_NONE && e->time < before);
}

static uint32_t carry_string(struct ccfc_index *to,
			     const struct ccfc_index *from, uint32_t id)
{
	return id ? ccfc_strtab_put(&to->strings, ccfc_index_str(from, id)) : 0;
}

static void carry_seen(struct ccfc_removal *r, struct ccfc_index *to,
		       const struct ccfc_index *from, uint32_t seen)
{
	for (uint32_t i = seen; i < from->disk_events.n; i++) {
		struct ccfc_disk_event e = from->disk_events.items[i];
		struct ccfc_slice path = ccfc_index_file_path(from, e.file);

		if (e.gone ||
		    is_forgotten_event(r, &e, path, ccfc_index_str(from, e.by)))
			continue;
		ccfc_store_rest_keep(&r->rest,
				     ccfc_index_str(from, e.before_key));
		ccfc_store_rest_keep(&r->rest,
				     ccfc_index_str(from, e.after_key));
		e.file = ccfc_index_file(to, path);
		e.by = carry_string(to, from, e.by);
		e.before_key = carry_string(to, from, e.before_key);
		e.after_key = carry_string(to, from, e.after_key);
		ccfc_index_note_disk_event(to, &e);
	}
}

/*
 * If a command is not in the new index, its mark was copied, or was forgotten
 * with the command, if it is older than the removal. The line of a younger one
 * is yet to be read again.
 */
static void carry_mark(const struct ccfc_removal *r, struct ccfc_index *to,
		       struct ccfc_slice session, struct ccfc_slice call,
		       const struct ccfc_mark *times)
{
	int64_t latest =
		times->began > times->ended ? times->began : times->ended;

	if (ccfc_forgotten_session(r->list, session) ||
	    (ccfc_index_find_change(to, call) == CCFC_ID_NONE &&
	     latest < r->since - MARK_LATE))
		return;
	ccfc_index_mark(to, session, call, times->began, times->ended);
}

static void carry_marks(const struct ccfc_removal *r, struct ccfc_index *to,
			const struct ccfc_index *from)
{
	for (uint32_t i = 0; i < from->changes.n; i++) {
		const struct ccfc_change *c = &from->changes.items[i];
		const struct ccfc_mark times = { .began = c->began,
						 .ended = c->ended };

		if (ccfc_index_moments(c))
			carry_mark(r, to,
				   ccfc_index_session_id(from, c->session),
				   ccfc_slice(c->id, c->id_len), &times);
	}
	for (uint32_t i = 0; i < from->marks.n; i++) {
		const struct ccfc_mark *mark = &from->marks.items[i];

		if (!mark->taken)
			carry_mark(r, to, ccfc_index_str(from, mark->session),
				   ccfc_index_str(from, mark->call), mark);
	}
}

void ccfc_removal_carry(struct ccfc_removal *r, struct ccfc_index *to,
			const struct ccfc_index *from, uint32_t seen)
{
	carry_seen(r, to, from, seen);
	carry_marks(r, to, from);
}

/* --- sweeping --- */

/*
 * Removes all unreferenced contents, whatever they were kept for. Contents put
 * since the exchange may be named by events that are not taken yet.
 */
static void drop_unnamed(void *ctx, const struct ccfc_blob_key *key,
			 uint64_t room)
{
	struct ccfc_removal *r = ctx;
	char hex[CCFC_SHA256_HEX + 1];

	(void)room;
	ccfc_blob_key_hex(hex, key);
	if (!ccfc_store_rest_has(&r->rest, hex) &&
	    ccfc_blobs_is_older(r->blobs, key, &r->exchanged))
		ccfc_blobs_remove(r->blobs, key, NULL);
}

static int clean_observed(struct ccfc_removal *r, struct ccfc_blobs *blobs,
			  struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct ccfc_blobs *own = NULL;
	struct stat st;
	int code = 0;

	ccfc_buf_printf(&path, "%s/blobs", r->dir);
	if (!blobs && !stat(path.ptr, &st))
		code = ccfc_blobs_new(&own, path.ptr, err);
	r->blobs = blobs ? blobs : own;
	if (r->blobs)
		ccfc_blobs_each(r->blobs, drop_unnamed, r);
	ccfc_blobs_free(own);
	ccfc_buf_release(&path);
	return code;
}

/* The log of a daemon that a client started; it names paths. */
static void empty_log(const char *dir)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int fd;

	ccfc_buf_printf(&path, "%s/ccfcd.log", dir);
	fd = open(path.ptr, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0)
		close(fd);
	ccfc_buf_release(&path);
}

int ccfc_removal_sweep(struct ccfc_removal *r, struct ccfc_archive *archive,
		       struct ccfc_blobs *blobs, struct ccfc_err *err)
{
	const char *dir = r->dir;
	uint64_t after;
	int code;

	if (!archive)
		return ccfc_err_set(err, CCFC_EIO,
				    "the archive cannot be opened");
	ccfc_archive_forget_contents(archive);
	code = clean_observed(r, blobs, err);
	if (!code)
		empty_log(dir);
	after = bytes_below(AT_FDCWD, dir, 4, false);
	r->result.bytes = r->before > after ? r->before - after : 0;
	return code;
}

/* --- on a worker --- */

struct step {
	struct ccfc_job job;
	struct ccfc_removal *removal;
	enum ccfc_removal_step step;
	struct ccfc_archive *archive;
	struct ccfc_blobs *blobs;
	ccfc_removal_done_fn done;
	void *ctx;
	struct ccfc_err err;
	bool ran;
	int result;
};

static void run_step(struct ccfc_job *job)
{
	struct step *s = (struct step *)job;

	s->ran = true;
	s->result =
		s->step == CCFC_REMOVAL_PREPARE
			? ccfc_removal_prepare(s->removal, s->archive, &s->err)
			: ccfc_removal_sweep(s->removal, s->archive, s->blobs,
					     &s->err);
}

static void end_step(struct ccfc_job *job)
{
	struct step *s = (struct step *)job;

	if (!s->ran)
		s->result =
			ccfc_err_set(&s->err, CCFC_EAGAIN, "the daemon ends");
	s->done(s->ctx, s->result ? &s->err : NULL);
	free(s);
}

int ccfc_removal_start(struct ccfc_removal *r, struct ccfc_worker *worker,
		       enum ccfc_removal_step step,
		       struct ccfc_archive *archive, struct ccfc_blobs *blobs,
		       ccfc_removal_done_fn done, void *ctx)
{
	struct step *s = ccfc_calloc(1, sizeof(*s));
	int code;

	*s = (struct step){
		.job = { .run = run_step, .done = end_step, .unbounded = true },
		.removal = r,
		.step = step,
		.archive = archive,
		.blobs = blobs,
		.done = done,
		.ctx = ctx,
	};
	code = ccfc_worker_submit(worker, &s->job, NULL);
	if (code)
		free(s);
	return code;
}
