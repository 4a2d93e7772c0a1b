/*
 * From bytes to a stored index; see ingest.h.
 *
 * What happened to a file is decided here, from what ccfc_tail_open finds,
 * never from the watcher's event: grown, truncated or replaced (read anew,
 * what was seen stays), gone, or back. A new path whose device and inode are
 * those of a source that is no longer at its old path, and whose bytes match
 * that source's marker, is a transcript that was moved.
 */
#include "ingest.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/path.h"
#include "base/time.h"

#include <stdlib.h>
#include <sys/stat.h>

#define SLICE_BYTES   (8u << 20)
#define SLICE_SOURCES 256u

struct entry {
	uint32_t source;
	int64_t mtime;
};

struct queue {
	struct entry *items;
	uint32_t n, cap;
	uint32_t at; /* next to work on */
	bool sorted;
};

struct ccfc_ingest {
	struct ccfc_index *index;
	struct ccfc_store *store;
	struct ccfc_tail *tail;
	struct ccfc_parser *parser;
	void (*on_batch)(void *ctx);
	void *ctx;
	struct queue hot, cold;
	struct {
		unsigned char *items; /* MARK_… of each source */
		uint32_t n, cap;
	} marks;
	struct ccfc_scan_progress progress;
	struct ccfc_map by_ino; /* sources, by their cursors' */
	int64_t last;
	bool store_failed;
};

#define MARK_HOT   1u
#define MARK_COLD  2u
#define MARK_FOUND 4u
#define MARK_ANEW  8u

static bool is_source(const void *ctx, uint32_t id, const void *key)
{
	(void)ctx;
	return id == *(const uint32_t *)key;
}

static uint64_t hash_ino(uint64_t dev, uint64_t ino)
{
	uint64_t both[2] = { dev, ino };

	return ccfc_hash(both, sizeof(both));
}

static void note_ino(struct ccfc_ingest *in, uint32_t source)
{
	const struct ccfc_cursor *c = &in->index->sources.items[source].cursor;
	uint64_t hash = hash_ino(c->dev, c->ino);

	if (c->ino && ccfc_map_get(&in->by_ino, hash, is_source, NULL,
				   &source) == CCFC_ID_NONE)
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
	for (uint32_t i = 0; i < index->sources.n; i++)
		note_ino(in, i);
	return in;
}

void ccfc_ingest_free(struct ccfc_ingest *in)
{
	if (!in)
		return;
	free(in->hot.items);
	free(in->cold.items);
	free(in->marks.items);
	ccfc_map_release(&in->by_ino);
	free(in);
}

/* --- queues --- */

static unsigned char *mark_of(struct ccfc_ingest *in, uint32_t source)
{
	while (in->marks.n <= source)
		CCFC_VEC_PUSH(in->marks, 0);
	return &in->marks.items[source];
}

static struct ccfc_source *source_at(struct ccfc_ingest *in, uint32_t source)
{
	return &in->index->sources.items[source];
}

static const char *path_of(struct ccfc_ingest *in, uint32_t source)
{
	return ccfc_index_str(in->index, source_at(in, source)->path).ptr;
}

static void push(struct ccfc_ingest *in, uint32_t source, int64_t mtime,
		 uint64_t bytes, bool hot)
{
	unsigned char *mark = mark_of(in, source);
	struct queue *q = hot ? &in->hot : &in->cold;
	unsigned char bit = hot ? MARK_HOT : MARK_COLD;

	if (*mark & bit)
		return;
	*mark |= bit;
	CCFC_VEC_PUSH(*q, ((struct entry){ source, mtime }));
	q->sorted = false;
	if (hot)
		return;
	in->progress.running = true;
	in->progress.files_total++;
	in->progress.bytes_total += bytes;
}

static int newest_first(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->mtime != b->mtime)
		return a->mtime > b->mtime ? -1 : 1;
	return (a->source > b->source) - (a->source < b->source);
}

static bool pop(struct ccfc_ingest *in, uint32_t *source, bool hot)
{
	struct queue *q = hot ? &in->hot : &in->cold;

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
	*mark_of(in, *source) &= (unsigned char)~(hot ? MARK_HOT : MARK_COLD);
	return true;
}

/* --- finding the source of a path --- */

static bool is_elsewhere(const char *path, const struct stat *st)
{
	struct stat now;

	return lstat(path, &now) || now.st_dev != st->st_dev ||
	       now.st_ino != st->st_ino;
}

/* A file at a path that no source has. */
struct newcomer {
	struct ccfc_ingest *in;
	const char *path;
	const struct stat *st;
};

/* Is this the source that the file was before it was moved? */
static bool was_source(const void *ctx, uint32_t source, const void *key)
{
	const struct newcomer *file = key;
	struct ccfc_ingest *in = file->in;
	struct ccfc_cursor cursor = source_at(in, source)->cursor;

	(void)ctx;
	if (cursor.ino != (uint64_t)file->st->st_ino ||
	    cursor.dev != (uint64_t)file->st->st_dev || !cursor.offset ||
	    !is_elsewhere(path_of(in, source), file->st))
		return false;
	if (ccfc_tail_open(in->tail, file->path, &cursor, NULL) !=
	    CCFC_TAIL_OPEN)
		return false;
	ccfc_tail_close(in->tail, &cursor);
	return true;
}

/* The source that this file was before it was moved, or CCFC_ID_NONE. */
static uint32_t moved_from(struct ccfc_ingest *in, const char *path,
			   const struct stat *st)
{
	struct newcomer file = { in, path, st };
	uint64_t hash = hash_ino((uint64_t)st->st_dev, (uint64_t)st->st_ino);

	return ccfc_map_get(&in->by_ino, hash, was_source, NULL, &file);
}

/* Another file may have taken its place already, and have had its look. */
static void look_at_old_place(struct ccfc_ingest *in, const char *path,
			      const struct ccfc_source *was, bool hot)
{
	struct ccfc_name name = {
		.kind = was->is_agent ? CCFC_NAME_AGENT : CCFC_NAME_SESSION,
		.session = ccfc_index_session_id(in->index, was->session),
		.agent = ccfc_index_str(in->index, was->agent),
	};

	ccfc_ingest_look(in, path, &name, hot);
}

static uint32_t new_source(struct ccfc_ingest *in, const char *path,
			   const struct ccfc_name *name, const struct stat *st,
			   bool hot)
{
	uint32_t id = moved_from(in, path, st);
	struct ccfc_source was;
	const char *old;

	if (id == CCFC_ID_NONE)
		return ccfc_index_source(in->index, ccfc_slice_str(path), name);
	was = *source_at(in, id);
	old = path_of(in, id);
	ccfc_log(CCFC_LOG_DEBUG, "%s: was %s", path, old);
	ccfc_index_source_move(in->index, id, ccfc_slice_str(path), name);
	look_at_old_place(in, old, &was, hot);
	return id;
}

void ccfc_ingest_look(struct ccfc_ingest *in, const char *path,
		      const struct ccfc_name *name, bool hot)
{
	uint32_t id = ccfc_index_source_find(in->index, ccfc_slice_str(path));
	struct stat st;
	uint64_t rest;
	bool there;

	/* The way of every append: opening it will tell what there is. */
	if (hot && id != CCFC_ID_NONE) {
		push(in, id, 0, 0, true);
		return;
	}
	there = !stat(path, &st) && S_ISREG(st.st_mode);
	if (id == CCFC_ID_NONE) {
		if (!there)
			return;
		id = new_source(in, path, name, &st, hot);
	}
	/* Only a scan says what there is; an event may tell of an end. */
	if (!hot)
		*mark_of(in, id) |= MARK_FOUND;
	rest = there ? (uint64_t)st.st_size : 0;
	rest -= rest < source_at(in, id)->cursor.offset
			? rest
			: source_at(in, id)->cursor.offset;
	push(in, id, there ? (int64_t)st.st_mtime : 0, rest, hot);
}

void ccfc_ingest_scanned(struct ccfc_ingest *in)
{
	for (uint32_t i = 0; i < in->index->sources.n; i++) {
		unsigned char *mark = mark_of(in, i);

		if (!(*mark & MARK_FOUND) && !source_at(in, i)->gone)
			push(in, i, 0, 0, false);
		*mark &= (unsigned char)~MARK_FOUND;
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
			*mark_of(in, session->sources.items[i]) |= MARK_ANEW;
	}
}

static void read_anew(struct ccfc_ingest *in, uint32_t source)
{
	uint64_t done = source_at(in, source)->cursor.offset;
	struct stat st;

	/* One that is not there any more is all that we have. */
	if (stat(path_of(in, source), &st) || !S_ISREG(st.st_mode))
		return;
	ccfc_index_source_reset(in->index, source);
	if (*mark_of(in, source) & MARK_COLD)
		in->progress.bytes_total += done;
	push(in, source, (int64_t)st.st_mtime, (uint64_t)st.st_size, false);
}

void ccfc_ingest_rebuild(struct ccfc_ingest *in, struct ccfc_slice project)
{
	ccfc_index_new_epoch(in->index);
	if (project.len) {
		mark_project(in, project);
	} else {
		in->index->unknown_types.n = 0;
		in->index->dirty.unknown_types = true;
	}
	for (uint32_t i = 0; i < in->index->sources.n; i++) {
		unsigned char *mark = mark_of(in, i);

		if (!project.len || (*mark & MARK_ANEW))
			read_anew(in, i);
		*mark &= (unsigned char)~MARK_ANEW;
	}
}

/* --- reading --- */

/* One line of a source; false when its texts could not be taken. */
static bool take_line_ingest(struct ccfc_ingest *in, uint32_t source,
			     const struct ccfc_line *line)
{
	struct ccfc_record record;

	if (line->too_long) {
		ccfc_index_too_long(in->index, source);
		return true;
	}
	ccfc_record_parse(in->parser, &record,
			  ccfc_slice(line->ptr, line->len));
	ccfc_index_apply(in->index, source, &record, line->offset, line->len);
	/* What is read anew has its texts already. */
	return line->offset < source_at(in, source)->texts.offset ||
	       ccfc_store_say(in->store, in->index, source, &record,
			      line->offset, line->len);
}

static int read_lines_ingest(struct ccfc_ingest *in, uint32_t source,
			     uint64_t *budget)
{
	struct ccfc_cursor cursor = source_at(in, source)->cursor;
	bool said = source_at(in, source)->texts.offset >= cursor.offset;
	struct ccfc_line line;
	struct ccfc_err err;
	int r = 1;

	while (*budget &&
	       (r = ccfc_tail_next(in->tail, &cursor, &line, &err)) > 0) {
		*budget -= *budget > line.len ? line.len + 1 : *budget;
		/* Settling asks how far the source was read. */
		source_at(in, source)->cursor.offset = cursor.offset;
		said = take_line_ingest(in, source, &line) && said;
	}
	if (r < 0)
		ccfc_log(CCFC_LOG_WARN, "%s", err.what);
	ccfc_tail_close(in->tail, &cursor);
	source_at(in, source)->cursor = cursor;
	/* One text that is missing is made good by reading all anew. */
	if (said && source_at(in, source)->texts.offset <= cursor.offset)
		source_at(in, source)->texts = cursor;
	return r;
}

/* The bytes are others: texts of them are to come. */
static void forget_texts(struct ccfc_ingest *in, uint32_t source)
{
	struct ccfc_source *s = source_at(in, source);

	s->texts = (struct ccfc_cursor){ 0 };
	s->texts_gen = s->gen;
}

/*
 * Opens the file to read on from `cursor`. Its texts may be further, but of
 * bytes that are no longer there: the file that is open now has to tell.
 */
static enum ccfc_tail_status open_at(struct ccfc_ingest *in, uint32_t source,
				     struct ccfc_cursor *cursor,
				     struct ccfc_err *err)
{
	const struct ccfc_source *s = source_at(in, source);
	enum ccfc_tail_status status =
		ccfc_tail_open(in->tail, path_of(in, source), cursor, err);

	if (status == CCFC_TAIL_OPEN && s->texts.offset > cursor->offset &&
	    !ccfc_tail_holds(in->tail, &s->texts))
		forget_texts(in, source);
	return status;
}

/* Do texts of what was read lack, lost or for want of room? */
static bool lacks_texts(struct ccfc_ingest *in, uint32_t source)
{
	const struct ccfc_source *s = source_at(in, source);

	return s->texts.offset < s->cursor.offset && ccfc_store_says(in->store);
}

static enum ccfc_tail_status open_source(struct ccfc_ingest *in,
					 uint32_t source)
{
	struct ccfc_cursor cursor = source_at(in, source)->cursor;
	struct ccfc_err err;
	enum ccfc_tail_status status = open_at(in, source, &cursor, &err);
	bool off = status == CCFC_TAIL_OPEN && lacks_texts(in, source);

	if (status == CCFC_TAIL_RESET || off) {
		ccfc_tail_close(in->tail, &cursor);
		ccfc_log(CCFC_LOG_INFO, "%s: %s, reading it from its start",
			 path_of(in, source),
			 off ? "lacks texts" : "was rewritten");
		ccfc_index_source_reset(in->index, source);
		if (status == CCFC_TAIL_RESET ||
		    !source_at(in, source)->texts.offset)
			forget_texts(in, source);
		cursor = source_at(in, source)->cursor;
		status = open_at(in, source, &cursor, &err);
	}
	if (status == CCFC_TAIL_ERROR)
		ccfc_log(CCFC_LOG_WARN, "%s", err.what);
	if (status == CCFC_TAIL_OPEN)
		source_at(in, source)->cursor = cursor;
	return status;
}

/* Reads one source on; true when it has more than the budget allowed. */
static bool read_source(struct ccfc_ingest *in, uint32_t source,
			uint64_t *budget)
{
	uint64_t before, dev, ino;
	const struct ccfc_cursor *now;
	int r;

	before = source_at(in, source)->cursor.offset;
	dev = source_at(in, source)->cursor.dev;
	ino = source_at(in, source)->cursor.ino;
	switch (open_source(in, source)) {
	case CCFC_TAIL_OPEN:
		break;
	case CCFC_TAIL_GONE:
		ccfc_index_source_gone(in->index, source, true);
		return false;
	default:
		return false;
	}
	ccfc_index_source_gone(in->index, source, false);
	r = read_lines_ingest(in, source, budget);
	now = &source_at(in, source)->cursor;
	if (now->dev != dev || now->ino != ino)
		note_ino(in, source);
	if (now->offset != before || now->dev != dev || now->ino != ino)
		ccfc_index_source_touch(in->index, source);
	return r > 0;
}

/* --- batches --- */

static bool is_dirty(const struct ccfc_index *index)
{
	return index->dirty.sources.n || index->dirty.sessions.n ||
	       index->dirty.changes.n || index->events.n ||
	       index->dirty.unknown_types;
}

static void store_batch(struct ccfc_ingest *in)
{
	struct ccfc_err err = { 0 };

	if (ccfc_store_commit(in->store, in->index, &err)) {
		/*
		 * Everything stays dirty; the next batch tries again. Events
		 * go out meanwhile, but under an epoch that is stored only
		 * with them: if we end before, their clocks are not taken
		 * for those of the events that come then.
		 */
		if (!in->store_failed) {
			ccfc_log(CCFC_LOG_ERROR, "%s", err.what);
			ccfc_index_new_epoch(in->index);
		}
		in->store_failed = true;
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
	store_batch(in);
	in->on_batch(in->ctx);
	ccfc_index_published(in->index);
}

void ccfc_ingest_hot(struct ccfc_ingest *in)
{
	uint32_t source;
	bool any = false;

	while (pop(in, &source, true)) {
		uint64_t budget = UINT64_MAX;

		any = true;
		read_source(in, source, &budget);
	}
	if (any)
		end_batch(in);
}

bool ccfc_ingest_cold(struct ccfc_ingest *in)
{
	uint64_t budget = SLICE_BYTES;
	uint32_t source, n = 0;

	while (budget && n++ < SLICE_SOURCES && pop(in, &source, false)) {
		uint64_t before = budget;

		if (read_source(in, source, &budget)) {
			/* Its turn again, before the others. */
			in->cold.at--;
			*mark_of(in, source) |= MARK_COLD;
		} else {
			in->progress.files_done++;
		}
		in->progress.bytes_done += before - budget;
	}
	end_batch(in);
	if (in->cold.at < in->cold.n)
		return true;
	memset(&in->progress, 0, sizeof(in->progress));
	in->cold.at = in->cold.n = 0;
	/* Everything that there is has been taken in. */
	in->last = ccfc_time_now();
	return false;
}

void ccfc_ingest_progress(const struct ccfc_ingest *in,
			  struct ccfc_scan_progress *out)
{
	*out = in->progress;
}

int64_t ccfc_ingest_last(const struct ccfc_ingest *in)
{
	return in->last;
}
