/*
 * Reads lines backwards; see lines_back.h. The file is read in windows, each up
 * to the start of the next; a line longer than the window doubles it, until a
 * short line follows: long lines mostly come together.
 */
#include "history/file/lines_back.h"

#define WINDOW ((size_t)256 << 10)

void ccfc_lines_back_init(struct ccfc_lines_back *back, struct ccfc_tail *tail,
			  const char *path, uint64_t end, uint64_t floor,
			  bool cut)
{
	*back = (struct ccfc_lines_back){ .tail = tail,
					  .path = path,
					  .gen = CCFC_ATTIC_LAST,
					  .floor = floor,
					  .start = end,
					  .window = WINDOW,
					  .cut = cut };
}

void ccfc_lines_back_release(struct ccfc_lines_back *back)
{
	ccfc_buf_release(&back->bytes);
}

/* Reads the `size` bytes before `end` into the window. */
static int load_window(struct ccfc_lines_back *back, uint64_t end, size_t size)
{
	struct ccfc_slice bytes;
	int r;

	if (size > end - back->floor)
		size = (size_t)(end - back->floor);
	r = ccfc_tail_read_gen(back->tail, &bytes, back->path, back->gen,
			       end - size, size, NULL);
	if (r < 0)
		return r;
	ccfc_buf_clear(&back->bytes);
	ccfc_buf_slice(&back->bytes, bytes);
	memset(ccfc_buf_reserve(&back->bytes, CCFC_TAIL_PADDING), 0,
	       CCFC_TAIL_PADDING);
	back->start = end - size;
	back->end = size;
	back->read += size;
	return 0;
}

/* Reads more bytes in front of the unfinished line. */
static bool extend_window(struct ccfc_lines_back *back)
{
	uint64_t end = back->start + back->end;
	size_t rest = back->end, size = back->window;
	int r;

	while (size <= rest)
		size *= 2;
	/* The tail may have a smaller limit. */
	while ((r = load_window(back, end, size)) == CCFC_ETOOBIG &&
	       size / 2 > rest)
		size /= 2;
	back->window = size;
	return !r;
}

bool ccfc_lines_back_next(struct ccfc_lines_back *back, struct ccfc_slice *line,
			  uint64_t *offset)
{
	for (;;) {
		const char *bytes = back->bytes.ptr, *nl = NULL;
		size_t at = 0;

		/* The last byte is the newline of the next line. */
		if (back->end)
			nl = memrchr(bytes, '\n', back->end - 1);
		if (nl)
			at = (size_t)(nl - bytes) + 1;
		if (nl ||
		    (back->end && back->start == back->floor && !back->cut)) {
			*line = ccfc_slice(bytes + at, back->end - 1 - at);
			*offset = back->start + at;
			back->end = at;
			if (line->len < WINDOW)
				back->window = WINDOW;
			return true;
		}
		if (back->start <= back->floor || !extend_window(back))
			return false;
	}
}
