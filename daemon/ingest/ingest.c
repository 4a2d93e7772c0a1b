/*
 * From bytes to a stored index; see ingest.h.
 *
 * source_names.c decides which source a path leads to, source_open.c what
 * happened to its file; source_read.c reads its lines. Files that cannot be
 * opened or read are tried again (source/failed.h).
 */
#include "ingest/ingest_impl.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/time.h"
#include "index/gap_marks.h"
#include "os/log.h"

#include <stdlib.h>

/* A commit ends each slice: its cost grows with the slice. */
#define SLICE_BYTES   (8u << 20)
#define SLICE_SHORT   (256u << 10)
#define SLICE_SOURCES 256u

static bool is_source(const void *ctx, uint32_t id, const void *key)
{
	(void)ctx;
	return id == *(const uint32_t *)key;
}

struct ccfc_ingest_note *ccfc_ingest_note_of(struct ccfc_ingest *in,
					     uint32_t source)
{
	while (in->notes.n <= source)
		CCFC_VEC_PUSH(in->notes, (struct ccfc_ingest_note){ 0 });
	return &in->notes.items[source];
}

void ccfc_ingest_note_file(struct ccfc_ingest *in, uint32_t source,
			   uint64_t dev, uint64_t ino)
{
	struct ccfc_ingest_note *note = ccfc_ingest_note_of(in, source);
	uint64_t file[2] = { dev, ino };
	uint64_t hash = ccfc_hash(file, sizeof(file));

	if (note->dev == dev && note->ino == ino)
		return;
	note->dev = dev;
	note->ino = ino;
	if (ino && ccfc_map_get(&in->by_ino, hash, is_source, NULL, &source) ==
			   CCFC_ID_NONE)
		ccfc_map_put(&in->by_ino, hash, source);
}

struct ccfc_ingest *ccfc_ingest_new(struct ccfc_index *index,
				    struct ccfc_store *store,
				    struct ccfc_tail *tail,
				    struct ccfc_parser *parser,
				    void (*on_batch)(void *ctx), void *ctx)
{
	struct ccfc_ingest *in = ccfc_calloc(1, sizeof(*in));

	in->index = index;
	in->store = store;
	in->tail = tail;
	in->parser = parser;
	in->on_batch = on_batch;
	in->ctx = ctx;
	in->last = CCFC_TIME_NONE;
	in->slice = SLICE_BYTES;
	for (uint32_t i = 0; i < index->sources.n; i++)
		ccfc_ingest_note_file(in, i, ccfc_ingest_at(in, i)->cursor.dev,
				      ccfc_ingest_at(in, i)->cursor.ino);
	return in;
}

void ccfc_ingest_free(struct ccfc_ingest *in)
{
	if (!in)
		return;
	free(in->hot.items);
	free(in->cold.items);
	free(in->notes.items);
	free(in->again.items);
	ccfc_failed_release(&in->failed);
	ccfc_forgotten_lines_free(in->lines);
	ccfc_map_release(&in->by_ino);
	free(in);
}

/* --- queues --- */

void ccfc_ingest_exclude(struct ccfc_ingest *ingest,
			 struct ccfc_excluded *excluded)
{
	ingest->excluded = excluded;
}

bool ccfc_ingest_is_excluded(const struct ccfc_ingest *in, uint32_t source)
{
	const struct ccfc_index *index = in->index;
	uint32_t session = index->sources.items[source].session;

	return in->excluded && session &&
	       ccfc_excluded_has(
		       in->excluded,
		       ccfc_index_str(index,
				      index->sessions.items[session].project));
}

void ccfc_ingest_push(struct ccfc_ingest *in, uint32_t source, int64_t mtime,
		      uint64_t bytes, bool hot)
{
	unsigned char *mark = ccfc_ingest_mark(in, source);
	struct ccfc_ingest_queue *q = hot ? &in->hot : &in->cold;
	unsigned char bit = hot ? CCFC_MARK_HOT : CCFC_MARK_COLD;

	if (*mark & bit || ccfc_ingest_is_excluded(in, source))
		return;
	*mark |= bit;
	CCFC_VEC_PUSH(*q, ((struct ccfc_ingest_entry){ source, mtime }));
	q->sorted = false;
	if (hot)
		return;
	in->progress.running = true;
	in->progress.files_total++;
	in->progress.bytes_total += bytes;
}

static int newest_first(const void *x, const void *y)
{
	const struct ccfc_ingest_entry *a = x, *b = y;

	if (a->mtime != b->mtime)
		return a->mtime > b->mtime ? -1 : 1;
	return (a->source > b->source) - (a->source < b->source);
}

static bool pop_source(struct ccfc_ingest *in, uint32_t *source, bool hot)
{
	struct ccfc_ingest_queue *q = hot ? &in->hot : &in->cold;

	if (q->at == q->n) {
		q->at = q->n = 0;
		return false;
	}
	if (!hot && !q->sorted) {
		qsort(q->items + q->at, q->n - q->at, sizeof(*q->items),
		      newest_first);
		q->sorted = true;
	}
	*source = q->items[q->at++].source;
	*ccfc_ingest_mark(in, *source) &=
		(unsigned char)~(hot ? CCFC_MARK_HOT : CCFC_MARK_COLD);
	return true;
}

struct ccfc_name ccfc_ingest_name(const struct ccfc_ingest *in, uint32_t source)
{
	const struct ccfc_source *s = &in->index->sources.items[source];

	return (struct ccfc_name){
		.kind = s->is_agent ? CCFC_NAME_AGENT : CCFC_NAME_SESSION,
		.session = s->session ? ccfc_index_session_id(in->index,
							      s->session)
				      : CCFC_SLICE_NONE,
		.agent = ccfc_index_str(in->index, s->agent),
	};
}

/* --- looks that fail --- */

void ccfc_ingest_failed(struct ccfc_ingest *in, const char *path,
			const struct ccfc_name *name, const char *why)
{
	if (ccfc_failed_note(&in->failed, path, name, why))
		ccfc_log(CCFC_LOG_WARN, "%s: %s; it will be tried again", path,
			 why);
}

void ccfc_ingest_fine(struct ccfc_ingest *in, const char *path)
{
	if (ccfc_failed_clear(&in->failed, path))
		ccfc_log(CCFC_LOG_INFO, "%s: readable again", path);
}

void ccfc_ingest_read_failed(struct ccfc_ingest *in, uint32_t source,
			     const struct ccfc_err *err)
{
	struct ccfc_name name = ccfc_ingest_name(in, source);
	const char *path = ccfc_ingest_path(in, source);
	size_t len = strlen(path);
	const char *why = err->what;

	/* The message has the path anyway. */
	if (!strncmp(why, path, len) && !strncmp(why + len, ": ", 2))
		why += len + 2;
	ccfc_ingest_failed(in, path, &name, why);
}

static void retry_failed(void *ctx, const struct ccfc_failure *f)
{
	const struct ccfc_name name = {
		.kind = f->kind,
		.session = ccfc_slice_str(f->session),
		.agent = ccfc_slice_str(f->agent),
	};

	ccfc_ingest_look(ctx, f->path, &name, true);
}

void ccfc_ingest_retry(struct ccfc_ingest *in, bool all)
{
	ccfc_failed_retry(&in->failed, all, retry_failed, in);
}

const struct ccfc_failed *ccfc_ingest_failures(const struct ccfc_ingest *in)
{
	return &in->failed;
}

void ccfc_ingest_forget(struct ccfc_ingest *ingest,
			const struct ccfc_forgotten *list, const char *home)
{
	ccfc_forgotten_lines_free(ingest->lines);
	ingest->forgotten = list;
	ingest->lines = ccfc_forgotten_lines_new(list, home);
}

/* --- all of them --- */

void ccfc_ingest_scanning(struct ccfc_ingest *in)
{
	in->scanning = true;
}

void ccfc_ingest_scanned(struct ccfc_ingest *in)
{
	in->scanning = false;
	for (uint32_t i = 0; i < in->index->sources.n; i++) {
		unsigned char *mark = ccfc_ingest_mark(in, i);

		if (!(*mark & CCFC_MARK_FOUND) && !ccfc_ingest_at(in, i)->gone)
			ccfc_ingest_push(in, i, 0, 0, false);
		*mark &= (unsigned char)~CCFC_MARK_FOUND;
	}
}

/* Marks the sources that hold lines of sessions of this project. */
static void mark_project(struct ccfc_ingest *in, struct ccfc_slice project)
{
	const struct ccfc_index *index = in->index;

	for (uint32_t s = 1; s < index->sessions.n; s++) {
		const struct ccfc_session *session = &index->sessions.items[s];

		if (!session->project ||
		    !ccfc_path_is_below(ccfc_index_str(index, session->project),
					project))
			continue;
		for (uint32_t i = 0; i < session->sources.n; i++)
			*ccfc_ingest_mark(in, session->sources.items[i]) |=
				CCFC_MARK_ANEW;
	}
}

static void read_from_start(struct ccfc_ingest *in, uint32_t source)
{
	uint64_t done = ccfc_ingest_at(in, source)->cursor.offset;
	struct stat st;

	/*
	 * Of a deleted transcript, only the archive may still have the lines.
	 */
	if (ccfc_ingest_read_kept(in, source) || ccfc_ingest_lost(in, source) ||
	    stat(ccfc_ingest_path(in, source), &st) || !S_ISREG(st.st_mode))
		return;
	ccfc_index_source_reset(in->index, source);
	if (*ccfc_ingest_mark(in, source) & CCFC_MARK_COLD)
		in->progress.bytes_total += done;
	ccfc_ingest_push(in, source, (int64_t)st.st_mtime, (uint64_t)st.st_size,
			 false);
}

void ccfc_ingest_rebuild(struct ccfc_ingest *in, struct ccfc_slice project)
{
	ccfc_index_new_epoch(in->index);
	ccfc_gap_marks_all(in->index);
	if (project.len) {
		mark_project(in, project);
	} else {
		in->index->unknown_types.n = 0;
		in->index->unknown_types_dirty = true;
	}
	for (uint32_t i = 0; i < in->index->sources.n; i++) {
		unsigned char *mark = ccfc_ingest_mark(in, i);

		if (!project.len || (*mark & CCFC_MARK_ANEW))
			read_from_start(in, i);
		*mark &= (unsigned char)~CCFC_MARK_ANEW;
	}
}

/* --- reading --- */

void ccfc_ingest_yield(struct ccfc_ingest *in, bool (*waits)(void *ctx))
{
	in->waits = waits;
}

/* Reads further in one source; true if it has more than the budget. */
static bool read_source(struct ccfc_ingest *in, uint32_t source,
			uint64_t *budget)
{
	struct ccfc_cursor before = ccfc_ingest_at(in, source)->cursor;
	const struct ccfc_cursor *now;
	int r;

	if (!ccfc_ingest_open(in, source))
		return false;
	r = ccfc_ingest_read_lines(in, source, budget);
	now = &ccfc_ingest_at(in, source)->cursor;
	ccfc_ingest_note_file(in, source, now->dev, now->ino);
	if (now->offset != before.offset || now->dev != before.dev ||
	    now->ino != before.ino)
		ccfc_index_source_touch(in->index, source);
	if (r <= 0) {
		*ccfc_ingest_mark(in, source) &= (unsigned char)~CCFC_MARK_KEPT;
		ccfc_ingest_keep(in, source);
	}
	return r > 0;
}

/* --- batches --- */

static bool is_dirty(const struct ccfc_index *index)
{
	return index->sources.dirty.n || index->sessions.dirty.n ||
	       index->changes.dirty.n || index->events.n ||
	       index->disk_events.dirty.n || index->marks.dirty.n ||
	       index->unknown_types_dirty;
}

static void store_batch(struct ccfc_ingest *in)
{
	struct ccfc_err err = { 0 };

	if (ccfc_store_commit(in->store, in->index, &err)) {
		/*
		 * Everything stays dirty, and the next batch tries again.
		 * Events are published meanwhile, under a new epoch that is
		 * stored only together with them. If the daemon ends before
		 * that, their clocks cannot be confused with those of later
		 * events.
		 */
		if (!in->store_failed) {
			ccfc_log(CCFC_LOG_ERROR, "%s", err.what);
			ccfc_index_new_epoch(in->index);
		}
		in->store_failed = true;
		memcpy(in->store_error, err.what, sizeof(in->store_error));
		return;
	}
	if (in->store_failed)
		ccfc_log(CCFC_LOG_INFO, "the store can be written again");
	in->store_failed = false;
	ccfc_index_stored(in->index);
	in->last = ccfc_time_now();
}

static void end_batch(struct ccfc_ingest *in)
{
	ccfc_index_settle(in->index);
	if (!is_dirty(in->index))
		return;
	if (in->on_lines)
		in->on_lines(in->ctx);
	store_batch(in);
	in->on_batch(in->ctx);
	ccfc_index_published(in->index);
}

void ccfc_ingest_on_lines(struct ccfc_ingest *ingest, void (*fn)(void *ctx))
{
	ingest->on_lines = fn;
}

void ccfc_ingest_flush(struct ccfc_ingest *ingest)
{
	end_batch(ingest);
}

void ccfc_ingest_hot(struct ccfc_ingest *in)
{
	uint32_t source;
	bool any = false;

	while (pop_source(in, &source, true)) {
		uint64_t budget = UINT64_MAX;

		any = true;
		read_source(in, source, &budget);
	}
	if (any)
		end_batch(in);
}

/*
 * A client that asked once asks again soon: slices are short after a client
 * waited, and grow while nobody waits.
 */
static uint64_t next_slice(const struct ccfc_ingest *in)
{
	uint64_t more = in->slice + in->slice / 4;

	if (in->yield)
		return SLICE_SHORT;
	return more < SLICE_BYTES ? more : SLICE_BYTES;
}

bool ccfc_ingest_cold(struct ccfc_ingest *in)
{
	uint64_t budget = in->slice;
	uint32_t source, n = 0;

	in->slicing = true;
	in->yield = false;
	in->read = 0;
	while (budget && !in->yield && n++ < SLICE_SOURCES &&
	       pop_source(in, &source, false)) {
		uint64_t before = budget;

		if (read_source(in, source, &budget)) {
			/* It comes first in the next slice. */
			in->cold.at--;
			*ccfc_ingest_mark(in, source) |= CCFC_MARK_COLD;
		} else {
			in->progress.files_done++;
		}
		in->progress.bytes_done += before - budget;
	}
	in->slicing = false;
	in->slice = next_slice(in);
	end_batch(in);
	if (in->cold.at < in->cold.n)
		return true;
	memset(&in->progress, 0, sizeof(in->progress));
	in->cold.at = in->cold.n = 0;
	/* All transcripts have been read. */
	in->last = ccfc_time_now();
	return false;
}

void ccfc_ingest_progress(const struct ccfc_ingest *in,
			  struct ccfc_scan_progress *out)
{
	*out = in->progress;
}

const char *ccfc_ingest_store_error(const struct ccfc_ingest *in)
{
	return in->store_failed ? in->store_error : "";
}

int64_t ccfc_ingest_last(const struct ccfc_ingest *in)
{
	return in->last;
}
