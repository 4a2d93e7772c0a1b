/*
 * Large pieces of whole lines; see line_blocks.h. Each read lands on a page
 * boundary (elsewhere the copy is several times slower); the rest of a line
 * of the piece before is moved to end right there:
 *
 *	|  free  | rest of a line | piece just read …  | padding |
 *	mem      pos              page boundary        end
 */
#include "search/line_blocks.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <unistd.h>

#define PAGE  4096u
#define PIECE ((size_t)128 << 10)

void ccfc_line_blocks_init(struct ccfc_line_blocks *p, size_t max_line)
{
	*p = (struct ccfc_line_blocks){ .in = CCFC_INPUT_NONE,
					.max_line = max_line };
}

void ccfc_line_blocks_release(struct ccfc_line_blocks *p)
{
	ccfc_line_blocks_close(p);
	free(p->block);
	p->block = NULL;
}

bool ccfc_line_blocks_open(struct ccfc_line_blocks *p,
			   const struct ccfc_attic *attic, const char *path,
			   uint64_t stop)
{
	enum ccfc_input_status status;

	p->next = 0;
	p->stop = stop;
	p->pos = p->end = 0;
	p->lost = false;
	status = ccfc_input_open(&p->in, attic, path, NULL);
	if (status == CCFC_INPUT_OPEN)
		return true;
	p->lost = status == CCFC_INPUT_ERROR || !access(path, F_OK);
	return false;
}

void ccfc_line_blocks_close(struct ccfc_line_blocks *p)
{
	ccfc_input_close(&p->in);
}

/*
 * Moves the unfinished line to just before a page boundary, and makes room
 * after it.
 */
static void grow_block(struct ccfc_line_blocks *p)
{
	size_t rest = p->end - p->pos;
	size_t to = (rest + PAGE - 1) & ~(size_t)(PAGE - 1);
	/* A line longer than a piece is read in ever larger pieces. */
	size_t cap = to + (rest > PIECE ? rest : PIECE);

	if (cap > p->cap) {
		/* One byte more, for a missing newline. */
		char *block = ccfc_malloc(cap + PAGE + 1 + CCFC_PIECES_PADDING);
		char *mem = block + (PAGE - (uintptr_t)block % PAGE) % PAGE;

		if (rest)
			memcpy(mem + to - rest, p->mem + p->pos, rest);
		free(p->block);
		p->block = block;
		p->mem = mem;
		p->cap = cap;
	} else if (rest) {
		memmove(p->mem + to - rest, p->mem + p->pos, rest);
	}
	p->pos = to - rest;
	p->end = to;
}

/* Reads one piece; false when there is no more. */
static bool read_piece(struct ccfc_line_blocks *p)
{
	size_t room = p->cap - p->end;
	uint64_t left = p->stop - p->next;
	ssize_t n;

	if (!left)
		return false;
	if (left < room)
		room = (size_t)left;
	n = ccfc_input_read(&p->in, p->mem + p->end, room, p->next);
	if (n <= 0) {
		/* A read error, or the file has become shorter. */
		p->lost = true;
		p->stop = p->next;
		return false;
	}
	p->end += (size_t)n;
	p->next += (uint64_t)n;
	memset(p->mem + p->end, 0, CCFC_PIECES_PADDING);
	return true;
}

/* Adds the missing newline to a last record. */
static bool return_last_lines(struct ccfc_line_blocks *p,
			      struct ccfc_slice *lines, uint64_t *offset)
{
	if (p->lost || p->pos == p->end)
		return false;
	*offset = p->next - (p->end - p->pos);
	p->mem[p->end] = '\n';
	memset(p->mem + p->end + 1, 0, CCFC_PIECES_PADDING);
	*lines = ccfc_slice(p->mem + p->pos, p->end + 1 - p->pos);
	p->pos = p->end;
	return true;
}

bool ccfc_line_blocks_next(struct ccfc_line_blocks *p, struct ccfc_slice *lines,
			   uint64_t *offset)
{
	for (;;) {
		const char *nl;
		size_t before;

		grow_block(p);
		before = p->end;
		if (!read_piece(p))
			return return_last_lines(p, lines, offset);
		nl = memrchr(p->mem + before, '\n', p->end - before);
		if (nl) {
			*lines = ccfc_slice(p->mem + p->pos,
					    (size_t)(nl + 1 - p->mem) - p->pos);
			*offset = p->next - (p->end - p->pos);
			p->pos += lines->len;
			return true;
		}
		if (p->end - p->pos <= p->max_line)
			continue;
		/*
		 * The line is dropped. Its rest, up to its newline, is not JSON
		 * and is ignored.
		 */
		p->pos = p->end;
		p->lost = true;
	}
}
