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
#include "source/tail_impl.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE	  4096u
#define CHUNK	  (256u << 10)
#define CAP_FIRST (2 * (size_t)CHUNK)
#define CAP_KEEP  (4 * (size_t)CHUNK)
#define PROBE_MIN (64u << 10)

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

void ccfc_tail_set_capacity(struct ccfc_tail *tail, size_t cap)
{
	free(tail->block);
	tail->block = new_block(&tail->mem, cap);
	tail->cap = cap;
	tail->lo = tail->pos = tail->scan = tail->end = 0;
}

void ccfc_tail_free_large_buffer(struct ccfc_tail *tail)
{
	if (tail->cap > CAP_KEEP)
		ccfc_tail_set_capacity(tail, CAP_FIRST);
}

struct ccfc_tail *ccfc_tail_new(size_t max_line)
{
	struct ccfc_tail *tail = ccfc_calloc(1, sizeof(*tail));

	tail->max_line = max_line < SIZE_MAX / 8 ? max_line : SIZE_MAX / 8;
	tail->in = CCFC_INPUT_NONE;
	ccfc_tail_set_capacity(tail, CAP_FIRST);
	return tail;
}

void ccfc_tail_free(struct ccfc_tail *tail)
{
	if (!tail)
		return;
	ccfc_tail_use(tail, NULL);
	ccfc_input_close(&tail->in);
	free(tail->block);
	free(tail);
}

bool ccfc_tail_is_starved(const struct ccfc_tail *tail)
{
	return tail->starved;
}

void ccfc_tail_note_errno(struct ccfc_tail *tail)
{
	tail->starved |= errno == EMFILE || errno == ENFILE;
}

int ccfc_tail_read_error(struct ccfc_err *err, uint64_t offset)
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
		ccfc_tail_read_error(err, offset - len);
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
		ccfc_tail_note_errno(tail);
	if (status != CCFC_TAIL_OPEN)
		return status;
	ccfc_tail_free_large_buffer(tail);
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
		ccfc_tail_note_errno(tail);
		return ccfc_tail_read_error(err, tail->at);
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

int ccfc_tail_fail_if_over(struct ccfc_tail *tail, struct ccfc_err *err)
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
		r = ccfc_tail_fail_if_over(tail, err);
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
		r = ccfc_tail_fail_if_over(tail, err);
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
	ccfc_tail_free_large_buffer(tail);
}
