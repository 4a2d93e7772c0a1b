/*
 * Reads a transcript from a cursor on, complete lines only; see tail.h.
 *
 * The buffer. Reads of CHUNK bytes always land on a page boundary (a copy to an
 * odd address is several times slower). When a chunk is used up, the remainder
 * of its last line is moved to end right before that boundary, so line and next
 * chunk are contiguous and only the remainder of one line is copied:
 *
 *	|  free  | history | rest of a line | chunk just read …  | padding |
 *	mem      lo        pos              page boundary        end
 *
 * `history` are up to CCFC_TAIL_MARKER_MAX bytes before the line: the next
 * marker is made of them without reading again. A line that outgrows the
 * buffer doubles it, up to max_line; then its chunks are appended without
 * moving the line. A longer line is searched for its end chunk by chunk and
 * never kept. Large buffers are given back at close.
 *
 * Reading again. A read ends at the file's size at open: bytes appended
 * meanwhile are left to the next read. An unfinished line is not searched again
 * from its start but from the cursor's probe, unless it is so short that this
 * costs nothing: then it is searched whole, and rewritten bytes in it are seen
 * at once.
 */
#include "source/tail.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "source/input.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE	  4096u
#define CHUNK	  (256u << 10)
#define CAP_FIRST (2 * (size_t)CHUNK)
#define CAP_KEEP  (4 * (size_t)CHUNK)
#define PROBE_MIN (64u << 10)
/* Kept transcripts that ccfc_tail_read_at leaves open for the next line. */
#define OPEN_KEPT 16u

struct ccfc_tail {
	size_t max_line;

	void *block; /* as allocated; mem is its first page boundary */
	char *mem;
	size_t cap;  /* multiple of PAGE; CCFC_TAIL_PADDING bytes follow */
	size_t lo;   /* mem[lo, end) are bytes of the file */
	size_t pos;  /* start of the line that is next */
	size_t scan; /* mem[pos, scan) holds no newline */
	size_t end;

	struct ccfc_input in;
	uint64_t limit; /* read up to here: size, or less if it shrank */
	uint64_t at;	/* offset in the file of mem[end] */
	uint64_t probe; /* look for a newline from here first, or 0 */
	uint64_t seen;	/* the rest was looked at up to here, or 0 */
	bool moved;	/* the cursor's marker is out of date */
	bool within;	/* the cursor is within a line: its start was used */

	const struct ccfc_attic *attic; /* may be NULL */
	struct kept {
		char *path;
		uint32_t gen;
		struct ccfc_input in;
	} kept[OPEN_KEPT]; /* the one that was used last is first */

	const struct ccfc_attic_line *expected; /* see ccfc_tail_expect */
	uint32_t nexpected;
	bool announced; /* the attic has the list */

	bool (*ask_over)(void *ctx); /* see ccfc_tail_until; may be NULL */
	void *ctx;
	bool over;    /* ask_over has returned true */
	bool starved; /* see ccfc_tail_is_starved */
};

static size_t round_page(size_t n)
{
	return (n + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void *new_block(char **mem, size_t cap)
{
	char *block = ccfc_malloc(cap + PAGE + CCFC_TAIL_PADDING);

	*mem = block + (PAGE - (uintptr_t)block % PAGE) % PAGE;
	return block;
}

static void set_capacity(struct ccfc_tail *tail, size_t cap)
{
	free(tail->block);
	tail->block = new_block(&tail->mem, cap);
	tail->cap = cap;
	tail->lo = tail->pos = tail->scan = tail->end = 0;
}

/* The memory of one huge line is not kept for ever. */
static void free_large_buffer(struct ccfc_tail *tail)
{
	if (tail->cap > CAP_KEEP)
		set_capacity(tail, CAP_FIRST);
}

struct ccfc_tail *ccfc_tail_new(size_t max_line)
{
	struct ccfc_tail *tail = ccfc_calloc(1, sizeof(*tail));

	tail->max_line = max_line < SIZE_MAX / 8 ? max_line : SIZE_MAX / 8;
	tail->in = CCFC_INPUT_NONE;
	set_capacity(tail, CAP_FIRST);
	return tail;
}

static void close_kept(struct ccfc_tail *tail)
{
	for (uint32_t i = 0; i < OPEN_KEPT && tail->kept[i].path; i++) {
		ccfc_input_close(&tail->kept[i].in);
		free(tail->kept[i].path);
		tail->kept[i].path = NULL;
	}
}

static void announce_expected(struct ccfc_tail *tail)
{
	if (tail->announced || !tail->nexpected)
		return;
	tail->announced = true;
	tail->attic->expect(tail->attic->ctx, tail->expected, tail->nexpected);
}

static void end_expected(struct ccfc_tail *tail)
{
	if (tail->announced)
		tail->attic->expect(tail->attic->ctx, NULL, 0);
	tail->announced = false;
}

void ccfc_tail_free(struct ccfc_tail *tail)
{
	if (!tail)
		return;
	end_expected(tail);
	close_kept(tail);
	ccfc_input_close(&tail->in);
	free(tail->block);
	free(tail);
}

void ccfc_tail_use(struct ccfc_tail *tail, const struct ccfc_attic *attic)
{
	end_expected(tail);
	close_kept(tail);
	tail->attic = attic;
}

bool ccfc_tail_is_starved(const struct ccfc_tail *tail)
{
	return tail->starved;
}

/* Right after an input could not be opened or read. */
static void note_errno(struct ccfc_tail *tail)
{
	tail->starved |= errno == EMFILE || errno == ENFILE;
}

const struct ccfc_attic *ccfc_tail_attic(const struct ccfc_tail *tail)
{
	return tail->attic;
}

static int read_error(struct ccfc_err *err, uint64_t offset)
{
	return ccfc_err_errno(err, errno, "cannot read at byte %llu",
			      (unsigned long long)offset);
}

bool ccfc_tail_means_gone(int errnum)
{
	return ccfc_input_means_gone(errnum);
}

static enum ccfc_tail_status tail_status_of(enum ccfc_input_status status)
{
	switch (status) {
	case CCFC_INPUT_OPEN:
		return CCFC_TAIL_OPEN;
	case CCFC_INPUT_GONE:
		return CCFC_TAIL_GONE;
	default:
		return CCFC_TAIL_ERROR;
	}
}

static uint32_t marker_length(uint64_t offset)
{
	return offset < CCFC_TAIL_MARKER_MAX ? (uint32_t)offset
					     : CCFC_TAIL_MARKER_MAX;
}

/* Reads the `len` bytes of a marker, which end at `offset`, to `to`. */
static enum ccfc_tail_status compare_marker(const struct ccfc_input *in,
					    uint64_t offset, uint64_t marker,
					    size_t len, char *to,
					    struct ccfc_err *err)
{
	ssize_t n;

	if (in->size < offset)
		return CCFC_TAIL_RESET;
	n = ccfc_input_read(in, to, len, offset - len);
	if (n < 0) {
		read_error(err, offset - len);
		return CCFC_TAIL_ERROR;
	}
	if ((size_t)n != len || ccfc_hash(to, len) != marker)
		return CCFC_TAIL_RESET;
	return CCFC_TAIL_OPEN;
}

/* Reads the marker's bytes to just before `end`. */
static enum ccfc_tail_status check_marker(const struct ccfc_cursor *cursor,
					  const struct ccfc_input *in,
					  char *end, struct ccfc_err *err)
{
	size_t len = marker_length(cursor->offset);

	if (!len)
		return CCFC_TAIL_OPEN;
	if (len != cursor->marker_len)
		return CCFC_TAIL_RESET;
	return compare_marker(in, cursor->offset, cursor->marker, len,
			      end - len, err);
}

static void set_start(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		      const struct ccfc_input *in)
{
	bool same = cursor->dev == in->dev && cursor->ino == in->ino;

	if (!cursor->offset)
		cursor->marker_len = 0;
	tail->in = *in;
	tail->limit = in->size;
	tail->at = cursor->offset;
	tail->pos = tail->scan = tail->end = PAGE;
	tail->lo = PAGE - cursor->marker_len;
	tail->moved = !cursor->offset;
	tail->within = cursor->offset && tail->mem[PAGE - 1] != '\n';
	tail->seen = same ? cursor->probe : 0;
	tail->probe = 0;
	if (same && cursor->probe > cursor->offset + PROBE_MIN &&
	    cursor->probe <= in->size)
		tail->probe = cursor->probe;
	cursor->dev = in->dev;
	cursor->ino = in->ino;
	cursor->probe = 0;
}

/* Right after the input was opened, with this result. */
static enum ccfc_tail_status start_at(struct ccfc_tail *tail,
				      struct ccfc_cursor *cursor,
				      struct ccfc_input *in,
				      enum ccfc_input_status opened,
				      struct ccfc_err *err)
{
	enum ccfc_tail_status status = tail_status_of(opened);

	if (status == CCFC_TAIL_ERROR)
		note_errno(tail);
	if (status != CCFC_TAIL_OPEN)
		return status;
	free_large_buffer(tail);
	/* The marker's bytes are the history of the first line. */
	status = check_marker(cursor, in, tail->mem + PAGE, err);
	if (status == CCFC_TAIL_OPEN)
		set_start(tail, cursor, in);
	else
		ccfc_input_close(in);
	return status;
}

enum ccfc_tail_status ccfc_tail_open(struct ccfc_tail *tail, const char *path,
				     struct ccfc_cursor *cursor,
				     struct ccfc_err *err)
{
	struct ccfc_input in;
	enum ccfc_input_status opened =
		ccfc_input_open(&in, tail->attic, path, err);

	return start_at(tail, cursor, &in, opened, err);
}

enum ccfc_tail_status ccfc_tail_open_gen(struct ccfc_tail *tail,
					 const char *path, uint32_t gen,
					 struct ccfc_cursor *cursor,
					 struct ccfc_err *err)
{
	struct ccfc_input in;
	enum ccfc_input_status opened =
		ccfc_input_open_kept(&in, tail->attic, path, gen, err);

	return start_at(tail, cursor, &in, opened, err);
}

bool ccfc_tail_holds(struct ccfc_tail *tail, const struct ccfc_cursor *other)
{
	char bytes[CCFC_TAIL_MARKER_MAX];

	return check_marker(other, &tail->in, bytes + sizeof(bytes), NULL) !=
	       CCFC_TAIL_RESET;
}

bool ccfc_tail_matches(struct ccfc_tail *tail, uint64_t offset, uint64_t marker,
		       uint32_t len)
{
	char bytes[CCFC_TAIL_MARKER_MAX];

	if (len > sizeof(bytes) || len > offset)
		return false;
	if (!len)
		return tail->in.size >= offset;
	return compare_marker(&tail->in, offset, marker, len, bytes, NULL) !=
	       CCFC_TAIL_RESET;
}

/* Reads one chunk to mem[to], which is a page boundary; 0: no more. */
static int read_chunk(struct ccfc_tail *tail, size_t to, struct ccfc_err *err)
{
	uint64_t left = tail->limit - tail->at;
	size_t want = left < CHUNK ? (size_t)left : CHUNK;
	ssize_t n = ccfc_input_read(&tail->in, tail->mem + to, want, tail->at);

	if (n < 0) {
		note_errno(tail);
		return read_error(err, tail->at);
	}
	tail->end = to + (size_t)n;
	tail->at += (uint64_t)n;
	if ((size_t)n < want)
		tail->limit = tail->at;
	return n > 0;
}

/*
 * Makes the kept bytes end on a page boundary with room for a chunk behind
 * it. They are copied only if they are few or there is no room where they
 * are, so that a byte is copied a constant number of times on average.
 */
static void make_room(struct ccfc_tail *tail)
{
	size_t before = tail->pos - tail->lo;
	size_t hist =
		before < CCFC_TAIL_MARKER_MAX ? before : CCFC_TAIL_MARKER_MAX;
	size_t keep = tail->end - tail->pos + hist;
	size_t to = round_page(keep);
	const char *from = tail->mem + tail->pos - hist;
	size_t cap = tail->cap;

	if (keep > CHUNK / 2 && tail->end % PAGE == 0 &&
	    tail->cap - tail->end >= CHUNK)
		return;
	while (cap < to + CHUNK)
		cap *= 2;
	if (cap > tail->cap) {
		char *mem;
		void *block = new_block(&mem, cap);

		memcpy(mem + to - keep, from, keep);
		free(tail->block);
		tail->block = block;
		tail->mem = mem;
		tail->cap = cap;
	} else {
		memmove(tail->mem + to - keep, from, keep);
	}
	tail->lo = to - keep;
	tail->pos = to - keep + hist;
	tail->scan = tail->end = to;
}

/* Reading goes on at `offset` with an empty buffer. */
static void seek_to(struct ccfc_tail *tail, uint64_t offset)
{
	tail->at = offset;
	tail->lo = tail->pos = tail->scan = tail->end = 0;
}

/*
 * Looks for a newline from `from` on without keeping anything: 1 and where it
 * is, 0 when there is none, negative on an error. The buffer is lost.
 */
static int find_newline(struct ccfc_tail *tail, uint64_t from, uint64_t *found,
			struct ccfc_err *err)
{
	int r;

	seek_to(tail, from);
	while ((r = read_chunk(tail, 0, err)) > 0) {
		const char *nl = memchr(tail->mem, '\n', tail->end);

		if (!nl)
			continue;
		*found = tail->at - (tail->end - (size_t)(nl - tail->mem));
		return 1;
	}
	tail->end = 0;
	return r;
}

static int no_line(struct ccfc_tail *tail, struct ccfc_cursor *cursor)
{
	cursor->probe = tail->limit;
	return 0;
}

static int return_too_long(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
			   struct ccfc_line *line, uint64_t newline)
{
	*line = (struct ccfc_line){
		.len = (size_t)(newline - cursor->offset),
		.offset = cursor->offset,
		.too_long = true,
	};
	cursor->offset = newline + 1;
	tail->moved = true;
	return 1;
}

/* The line is longer than max_line; its end lies at or behind `from`. */
static int skip_line(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		     struct ccfc_line *line, uint64_t from,
		     struct ccfc_err *err)
{
	uint64_t newline;
	int r = find_newline(tail, from, &newline, err);

	if (r < 0)
		return r;
	if (!r)
		return no_line(tail, cursor);
	seek_to(tail, newline + 1);
	return return_too_long(tail, cursor, line, newline);
}

/* 1: there is a newline behind the probe; 0: there is none yet. */
static int use_probe(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		     struct ccfc_err *err)
{
	uint64_t newline;
	int r = find_newline(tail, tail->probe, &newline, err);

	if (r < 0)
		return r;
	tail->probe = 0;
	if (!r)
		return no_line(tail, cursor);
	seek_to(tail, cursor->offset);
	return 1;
}

/* Skips the end of a line whose content was taken (ccfc_tail_take). */
static bool ends_used_line(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
			   const char *newline)
{
	const char *p = tail->mem + tail->pos;

	if (!tail->within)
		return false;
	tail->within = false;
	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	if (p != newline)
		return false;
	p = tail->mem + tail->pos;
	tail->pos = tail->scan = (size_t)(newline + 1 - tail->mem);
	cursor->offset += (uint64_t)(newline + 1 - p);
	tail->moved = true;
	return true;
}

static int return_line(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		       struct ccfc_line *line, const char *newline)
{
	const char *ptr = tail->mem + tail->pos;
	size_t len = (size_t)(newline - ptr);

	tail->pos = tail->scan = tail->pos + len + 1;
	if (len > tail->max_line)
		return return_too_long(tail, cursor, line,
				       cursor->offset + len);
	*line = (struct ccfc_line){ .ptr = ptr,
				    .len = len,
				    .offset = cursor->offset };
	cursor->offset += len + 1;
	tail->moved = true;
	return 1;
}

void ccfc_tail_until(struct ccfc_tail *tail, bool (*over)(void *ctx), void *ctx)
{
	tail->ask_over = over;
	tail->ctx = ctx;
	tail->over = false;
}

bool ccfc_tail_is_over(struct ccfc_tail *tail)
{
	if (tail->ask_over && !tail->over)
		tail->over = tail->ask_over(tail->ctx);
	return tail->over;
}

static int fail_if_aborted(struct ccfc_tail *tail, struct ccfc_err *err)
{
	if (!ccfc_tail_is_over(tail))
		return 0;
	return ccfc_err_set(err, CCFC_EAGAIN, "no longer wanted");
}

int ccfc_tail_next(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		   struct ccfc_line *line, struct ccfc_err *err)
{
	int r;

	if (tail->probe) {
		r = use_probe(tail, cursor, err);
		if (r <= 0)
			return r;
	}
	for (;;) {
		const char *nl = memchr(tail->mem + tail->scan, '\n',
					tail->end - tail->scan);

		if (nl && ends_used_line(tail, cursor, nl))
			continue;
		if (nl)
			return return_line(tail, cursor, line, nl);
		tail->scan = tail->end;
		if (tail->end - tail->pos > tail->max_line)
			return skip_line(tail, cursor, line, tail->at, err);
		if (tail->at == tail->limit)
			return no_line(tail, cursor);
		make_room(tail);
		r = fail_if_aborted(tail, err);
		if (!r)
			r = read_chunk(tail, tail->end, err);
		if (r < 0)
			return r;
	}
}

/* Reads up to the limit, unless all of it is in the buffer. */
static int read_rest(struct ccfc_tail *tail, const struct ccfc_cursor *cursor,
		     struct ccfc_err *err)
{
	int r = 1;

	if (tail->at - (tail->end - tail->pos) != cursor->offset)
		seek_to(tail, cursor->offset);
	while (r > 0 && tail->at < tail->limit) {
		make_room(tail);
		r = fail_if_aborted(tail, err);
		if (!r)
			r = read_chunk(tail, tail->end, err);
	}
	return r < 0 ? r : 0;
}

int ccfc_tail_rest(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		   struct ccfc_line *line, size_t max, struct ccfc_err *err)
{
	uint64_t len = tail->limit - cursor->offset;
	int r;

	if (tail->limit <= cursor->offset || tail->limit == tail->seen ||
	    len > max || len > tail->max_line)
		return 0;
	r = read_rest(tail, cursor, err);
	if (r)
		return r;
	*line = (struct ccfc_line){ .ptr = tail->mem + tail->pos,
				    .len = tail->end - tail->pos,
				    .offset = cursor->offset };
	return line->len > 0;
}

void ccfc_tail_take(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		    size_t len)
{
	tail->pos += len;
	tail->scan = tail->end;
	cursor->offset += len;
	tail->moved = tail->within = true;
}

/* The marker, from the buffer if its bytes are there. */
static uint64_t make_marker(struct ccfc_tail *tail,
			    const struct ccfc_cursor *cursor)
{
	size_t len = cursor->marker_len;
	uint64_t from = cursor->offset - len;
	uint64_t lo = tail->at - (tail->end - tail->lo);
	char bytes[CCFC_TAIL_MARKER_MAX];

	if (from >= lo && cursor->offset <= tail->at)
		return ccfc_hash(tail->mem + tail->lo + (size_t)(from - lo),
				 len);
	/* Bytes that cannot be read make a marker that will not match. */
	memset(bytes, 0, sizeof(bytes));
	if (ccfc_input_read(&tail->in, bytes, len, from) < 0)
		return 0;
	return ccfc_hash(bytes, len);
}

void ccfc_tail_close(struct ccfc_tail *tail, struct ccfc_cursor *cursor)
{
	if (!ccfc_input_is_open(&tail->in))
		return;
	if (tail->moved) {
		cursor->marker_len = marker_length(cursor->offset);
		cursor->marker = make_marker(tail, cursor);
	}
	ccfc_input_close(&tail->in);
	free_large_buffer(tail);
}

static int read_open(struct ccfc_tail *tail, const struct ccfc_input *in,
		     uint64_t offset, size_t len, struct ccfc_err *err)
{
	size_t cap = tail->cap;
	ssize_t n;

	if (offset > in->size || len > in->size - offset)
		return ccfc_err_set(err, CCFC_ENOTFOUND, "file is too short");
	while (cap < len)
		cap *= 2;
	if (cap > tail->cap)
		set_capacity(tail, cap);
	n = ccfc_input_read(in, tail->mem, len, offset);
	if (n < 0) {
		note_errno(tail);
		return read_error(err, offset);
	}
	if ((size_t)n < len)
		return ccfc_err_set(err, CCFC_ENOTFOUND, "file is too short");
	return 0;
}

void ccfc_tail_expect(struct ccfc_tail *tail,
		      const struct ccfc_attic_line *lines, uint32_t n)
{
	end_expected(tail);
	tail->expected = lines;
	tail->nexpected = n;
}

/* The place of an open kept transcript, or where the list ends. */
static uint32_t find_kept(const struct ccfc_tail *tail, const char *path,
			  uint32_t gen)
{
	uint32_t i = 0;

	while (i < OPEN_KEPT && tail->kept[i].path &&
	       (tail->kept[i].gen != gen || strcmp(tail->kept[i].path, path)))
		i++;
	return i;
}

static bool is_kept_open(const struct ccfc_tail *tail, const char *path,
			 uint32_t gen)
{
	uint32_t i = find_kept(tail, path, gen);

	return i < OPEN_KEPT && tail->kept[i].path;
}

/* Makes the open kept transcript the first in the list; NULL: see err. */
static const struct ccfc_input *open_kept(struct ccfc_tail *tail,
					  const char *path, uint32_t gen,
					  struct ccfc_err *err)
{
	enum ccfc_input_status status;
	struct kept found;
	uint32_t i = find_kept(tail, path, gen);

	if (i < OPEN_KEPT && tail->kept[i].path) {
		found = tail->kept[i];
	} else {
		status = ccfc_input_open_kept(&found.in, tail->attic, path, gen,
					      err);
		if (status == CCFC_INPUT_GONE)
			ccfc_err_set(err, CCFC_ENOTFOUND, "%s: is gone", path);
		if (status == CCFC_INPUT_ERROR)
			note_errno(tail);
		if (status != CCFC_INPUT_OPEN)
			return NULL;
		announce_expected(tail);
		found.path = ccfc_strdup(path);
		found.gen = gen;
		if (i == OPEN_KEPT) {
			i--;
			ccfc_input_close(&tail->kept[i].in);
			free(tail->kept[i].path);
		}
	}
	memmove(tail->kept + 1, tail->kept, i * sizeof(found));
	tail->kept[0] = found;
	return &tail->kept[0].in;
}

static int read_kept(struct ccfc_tail *tail, const char *path, uint32_t gen,
		     uint64_t offset, size_t len, struct ccfc_err *err)
{
	const struct ccfc_input *in = open_kept(tail, path, gen, err);

	return in ? read_open(tail, in, offset, len, err) : err->code;
}

/*
 * From the kept copy, if it is open; or from the file, or from the attic if the
 * file does not have the bytes.
 */
static int read_present(struct ccfc_tail *tail, const char *path,
			uint64_t offset, size_t len, struct ccfc_err *err)
{
	struct ccfc_input in;
	int r = CCFC_ENOTFOUND;

	/* It is open since the file did not have bytes a moment ago. */
	if (is_kept_open(tail, path, CCFC_ATTIC_LAST) &&
	    !read_kept(tail, path, CCFC_ATTIC_LAST, offset, len, err))
		return 0;
	switch (ccfc_input_open(&in, NULL, path, err)) {
	case CCFC_INPUT_ERROR:
		note_errno(tail);
		return err->code;
	case CCFC_INPUT_OPEN:
		r = read_open(tail, &in, offset, len, err);
		ccfc_input_close(&in);
		break;
	default:
		ccfc_err_set(err, r, "%s: is gone", path);
	}
	if (r != CCFC_ENOTFOUND || !tail->attic)
		return r;
	return read_kept(tail, path, CCFC_ATTIC_LAST, offset, len, err);
}

bool ccfc_tail_may_have_note(const struct ccfc_tail *tail, const char *path,
			     uint64_t offset, size_t len)
{
	uint32_t i = find_kept(tail, path, CCFC_ATTIC_LAST);

	return i == OPEN_KEPT || !tail->kept[i].path ||
	       tail->attic->may_have_note(tail->kept[i].in.kept, offset, len);
}

int ccfc_tail_read_gen(struct ccfc_tail *tail, struct ccfc_slice *out,
		       const char *path, uint32_t gen, uint64_t offset,
		       size_t len, struct ccfc_err *err)
{
	struct ccfc_err own;
	int r;

	if (!err)
		err = &own;
	if (len > tail->max_line)
		return ccfc_err_set(err, CCFC_ETOOBIG, "%s: line of %zu bytes",
				    path, len);
	free_large_buffer(tail);
	r = fail_if_aborted(tail, err);
	if (r)
		return r;
	r = gen == CCFC_ATTIC_LAST
		    ? read_present(tail, path, offset, len, err)
		    : read_kept(tail, path, gen, offset, len, err);
	if (!r)
		*out = ccfc_slice(tail->mem, len);
	return r;
}

int ccfc_tail_read_at(struct ccfc_tail *tail, struct ccfc_slice *out,
		      const char *path, uint64_t offset, size_t len,
		      struct ccfc_err *err)
{
	return ccfc_tail_read_gen(tail, out, path, CCFC_ATTIC_LAST, offset, len,
				  err);
}
