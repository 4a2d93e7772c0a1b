/*
 * Lines and their owners; see line_owners.h. A step is a list of blocks:
 * removed lines, and the lines in their place. Everything between blocks must
 * be equal in both texts, byte for byte: so a patch that does not lead from one
 * to the other is detected, and a diff is used instead.
 */
#include "history/blame/line_owners.h"

#include "base/alloc.h"
#include "diff/diff.h"
#include "history/blame/moved.h"
#include "history/blame/owner_gaps.h"

#include <stdlib.h>

struct blocks {
	struct ccfc_block *items;
	uint32_t n, cap;
};

struct step {
	struct ccfc_line_owners *carry;
	struct ccfc_slice text; /* the new one */
	struct blocks blocks;
	uint32_t owner;
	bool moves;   /* look for blocks that were moved */
	bool patched; /* blocks are a patch's */
	bool space;
};

void ccfc_line_owners_release(struct ccfc_line_owners *carry)
{
	ccfc_buf_release(&carry->text);
	free(carry->lines.items);
	free(carry->spare.items);
	ccfc_arena_release(&carry->arena);
}

static void reserve_lines(struct ccfc_owned_lines *lines, size_t n)
{
	if (n <= lines->cap)
		return;
	lines->cap = (uint32_t)(n + n / 8);
	lines->items =
		ccfc_realloc(lines->items, lines->cap * sizeof(*lines->items));
}

void ccfc_line_owners_copy(struct ccfc_line_owners *out,
			   const struct ccfc_line_owners *from)
{
	uint32_t n = from->lines.n;

	ccfc_buf_slice(&out->text, ccfc_buf_view(&from->text));
	reserve_lines(&out->lines, n);
	if (n)
		memcpy(out->lines.items, from->lines.items,
		       n * sizeof(*out->lines.items));
	out->lines.n = n;
}

struct ccfc_slice ccfc_line_owners_line(const struct ccfc_line_owners *carry,
					uint32_t i)
{
	uint32_t at = ccfc_line_owners_start(carry, i);

	return ccfc_slice(carry->text.ptr + at,
			  ccfc_line_owners_start(carry, i + 1) - at);
}

/* --- the new list --- */

struct target {
	struct ccfc_owned_lines *lines;
	uint32_t at; /* offset in the new text */
};

/* Keeps the lines [i, end). False if they are not the same in the new text. */
static bool keep_lines(struct target *t, const struct step *step, uint32_t i,
		       uint32_t end)
{
	const struct ccfc_line_owners *carry = step->carry;
	uint32_t from = ccfc_line_owners_start(carry, i),
		 to = ccfc_line_owners_start(carry, end);
	struct ccfc_owned *out = t->lines->items + t->lines->n;

	if (i == end)
		return true;
	if (to - from > step->text.len - t->at ||
	    memcmp(carry->text.ptr + from, step->text.ptr + t->at, to - from) !=
		    0)
		return false;
	memcpy(out, carry->lines.items + i, (end - i) * sizeof(*out));
	for (uint32_t k = 0; k < end - i; k++)
		out[k].at = out[k].at - from + t->at;
	t->lines->n += end - i;
	t->at += to - from;
	/*
	 * A last line without a newline only equals a last line without a
	 * newline.
	 */
	return t->at == step->text.len || step->text.ptr[t->at - 1] == '\n';
}

/* The next `n` lines of the new text; false if it has fewer. */
static bool cut_new_lines(struct ccfc_slice *out, const struct step *step,
			  size_t at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		size_t left = step->text.len - at;
		const char *line, *nl;

		if (!left)
			return false;
		line = step->text.ptr + at;
		nl = memchr(line, '\n', left);
		out[i] = ccfc_slice(line, nl ? (size_t)(nl - line) + 1 : left);
		at += out[i].len;
	}
	return true;
}

static void put_line_owner(struct target *t, struct ccfc_slice line,
			   uint32_t owner, uint32_t origin)
{
	struct ccfc_owned item = { t->at, owner, origin };

	t->lines->items[t->lines->n++] = item;
	t->at += (uint32_t)line.len;
}

/* --- white space --- */

/* Removes the white space of all lines. */
static void remove_white_space(struct ccfc_split *lines,
			       struct ccfc_arena *arena)
{
	for (uint32_t i = 0; i < lines->n; i++) {
		struct ccfc_slice line = lines->lines[i];
		char *copy = ccfc_arena_alloc(arena, line.len + 1);
		size_t n = 0;

		for (size_t k = 0; k < line.len; k++)
			if (!memchr(" \t\r\n\f\v", line.ptr[k], 6))
				copy[n++] = line.ptr[k];
		lines->lines[i] = ccfc_slice(copy, n);
	}
}

static void old_lines(struct ccfc_split *out,
		      const struct ccfc_line_owners *carry, uint32_t from,
		      uint32_t n, struct ccfc_arena *arena)
{
	out->n = n;
	out->lines = ccfc_arena_alloc(arena, (n + 1u) * sizeof(*out->lines));
	for (uint32_t i = 0; i < n; i++)
		out->lines[i] = ccfc_line_owners_line(carry, from + i);
}

/*
 * For each new line of a block the equal old line (ignoring white space on
 * request), or ID_NONE. The client's patches show a file with other line
 * endings as all new.
 */
static uint32_t *pair_equal_lines(const struct step *step,
				  const struct ccfc_block *block,
				  const struct ccfc_slice *lines)
{
	struct ccfc_arena *arena = &step->carry->arena;
	size_t size = block->bn * sizeof(*lines);
	uint32_t *pairs = ccfc_arena_alloc(arena, block->bn * sizeof(*pairs));
	uint32_t b = 0, shift = block->a;
	struct ccfc_split old_side, new_side = { NULL, block->bn };
	struct ccfc_diff diff;

	old_lines(&old_side, step->carry, block->a, block->an, arena);
	new_side.lines = ccfc_arena_alloc(arena, size);
	memcpy(new_side.lines, lines, size);
	if (step->space) {
		remove_white_space(&old_side, arena);
		remove_white_space(&new_side, arena);
	}
	ccfc_diff(&diff, &old_side, &new_side, arena);
	for (uint32_t k = 0; k <= diff.n; k++) {
		uint32_t end = k < diff.n ? diff.blocks[k].b : block->bn;

		for (; b < end; b++)
			pairs[b] = b + shift;
		if (k == diff.n)
			break;
		for (; b < diff.blocks[k].b + diff.blocks[k].bn; b++)
			pairs[b] = CCFC_ID_NONE;
		shift += diff.blocks[k].an - diff.blocks[k].bn;
	}
	return pairs;
}

/* --- new lines --- */

static void put_old_line(struct target *t, const struct step *step,
			 struct ccfc_slice line, uint32_t old)
{
	const struct ccfc_owned *was = &step->carry->lines.items[old];

	put_line_owner(t, line, was->owner, was->origin);
}

static bool add_new_lines(struct target *t, const struct step *step,
			  const struct ccfc_block *block,
			  struct ccfc_moved *moved)
{
	uint32_t n = block->bn, *pairs = NULL, from = 0;
	struct ccfc_slice *lines;

	if (!n)
		return true;
	lines = ccfc_arena_alloc(&step->carry->arena, n * sizeof(*lines));
	if (!cut_new_lines(lines, step, t->at, n))
		return false;
	if ((step->space || step->patched) && block->an)
		pairs = pair_equal_lines(step, block, lines);
	for (uint32_t i = 0; i < n;) {
		uint32_t count = 0;

		if (pairs && pairs[i] != CCFC_ID_NONE) {
			put_old_line(t, step, lines[i], pairs[i]);
			i++;
			continue;
		}
		if (moved)
			count = ccfc_moved_take(moved, lines + i, n - i, &from);
		if (!count)
			put_line_owner(t, lines[i++], step->owner,
				       t->lines->n + 1);
		for (; count; count--)
			put_old_line(t, step, lines[i++], from++);
	}
	return true;
}

/* --- a step --- */

static size_t count_new_lines(const struct step *step)
{
	size_t n = step->carry->lines.n;

	for (uint32_t k = 0; k < step->blocks.n; k++)
		n += step->blocks.items[k].bn;
	return n;
}

static bool make_new_list(struct target *t, const struct step *step,
			  struct ccfc_moved *moved)
{
	uint32_t a = 0, n = step->carry->lines.n;

	for (uint32_t k = 0; k < step->blocks.n; k++) {
		const struct ccfc_block *block = &step->blocks.items[k];

		if (block->a < a || block->a > n || block->an > n - block->a ||
		    !keep_lines(t, step, a, block->a) ||
		    !add_new_lines(t, step, block, moved))
			return false;
		a = block->a + block->an;
	}
	return keep_lines(t, step, a, n) && t->at == step->text.len;
}

/* Changes nothing if the blocks do not lead to the new text. */
static bool apply_blocks(struct step *step, struct ccfc_buf *text)
{
	struct ccfc_line_owners *carry = step->carry;
	struct target t = { &carry->spare, 0 };
	struct ccfc_owned_lines lines;
	struct ccfc_moved moved = { 0 };
	struct ccfc_buf buf;
	bool done;

	reserve_lines(&carry->spare, count_new_lines(step));
	carry->spare.n = 0;
	if (step->moves)
		ccfc_moved_init(&moved, carry, step->blocks.items,
				step->blocks.n);
	done = make_new_list(&t, step, step->moves ? &moved : NULL);
	ccfc_moved_release(&moved);
	if (!done)
		return false;
	lines = carry->lines;
	carry->lines = carry->spare;
	carry->spare = lines;
	buf = carry->text;
	carry->text = *text;
	*text = buf;
	return true;
}

/* --- by comparison --- */

static void find_blocks_by_diff(struct step *step)
{
	struct ccfc_arena *arena = &step->carry->arena;
	struct ccfc_split a, b;
	struct ccfc_diff diff;
	struct ccfc_owner_gaps m;

	ccfc_owner_gaps_find(&m, step->carry, step->text);
	old_lines(&a, step->carry, m.first, m.last - m.first, arena);
	ccfc_split(&b,
		   ccfc_slice(ccfc_slice_from(step->text, m.from).ptr,
			      m.to - m.from),
		   arena);
	ccfc_diff(&diff, &a, &b, arena);
	for (uint32_t k = 0; k < diff.n; k++) {
		struct ccfc_block block = diff.blocks[k];

		block.a += m.first;
		block.b += m.first;
		CCFC_VEC_PUSH(step->blocks, block);
	}
}

static void step_by_diff(struct step *step, struct ccfc_buf *text)
{
	if (ccfc_slice_eq(ccfc_buf_view(&step->carry->text), step->text))
		return;
	step->blocks.n = 0;
	find_blocks_by_diff(step);
	apply_blocks(step, text);
}

static struct step begin_step(struct ccfc_line_owners *carry,
			      const struct ccfc_buf *text, uint32_t owner,
			      bool space)
{
	ccfc_arena_clear(&carry->arena);
	return (struct step){ .carry = carry,
			      .text = ccfc_buf_view(text),
			      .owner = owner,
			      .space = space };
}

void ccfc_line_owners_diff(struct ccfc_line_owners *carry,
			   struct ccfc_buf *text, uint32_t owner, bool space)
{
	struct step step = begin_step(carry, text, owner, space);

	step_by_diff(&step, text);
	free(step.blocks.items);
}

void ccfc_line_owners_change(struct ccfc_line_owners *carry,
			     struct ccfc_buf *text, uint32_t owner, bool space)
{
	struct step step = begin_step(carry, text, owner, space);

	step.moves = true;
	step_by_diff(&step, text);
	free(step.blocks.items);
}

/* --- by patch --- */

/* Adds a line of one side to the blocks; adjacent blocks are joined. */
static void extend_blocks(struct blocks *blocks, uint32_t a, uint32_t b,
			  bool old_side)
{
	struct ccfc_block *last =
		blocks->n ? &blocks->items[blocks->n - 1] : NULL;
	struct ccfc_block fresh = { a, 0, b, 0 };

	if (!last || last->a + last->an != a || last->b + last->bn != b) {
		CCFC_VEC_PUSH(*blocks, fresh);
		last = &blocks->items[blocks->n - 1];
	}
	last->an += old_side;
	last->bn += !old_side;
}

static void read_hunk(struct blocks *blocks, const struct ccfc_hunk *hunk)
{
	uint32_t a = hunk->old_start ? hunk->old_start - 1 : 0;
	uint32_t b = hunk->new_start ? hunk->new_start - 1 : 0;

	for (uint32_t k = 0; k < hunk->nlines; k++) {
		char c = hunk->lines[k].len ? hunk->lines[k].ptr[0] : '\\';

		if (c == '-' || c == '+')
			extend_blocks(blocks, a, b, c == '-');
		a += c == ' ' || c == '-';
		b += c == ' ' || c == '+';
	}
}

void ccfc_line_owners_patch(struct ccfc_line_owners *carry,
			    struct ccfc_buf *text,
			    const struct ccfc_evidence *evidence,
			    uint32_t owner, bool space)
{
	struct step step = begin_step(carry, text, owner, space);

	step.moves = step.patched = true;
	for (uint32_t h = 0; h < evidence->nhunks; h++)
		read_hunk(&step.blocks, &evidence->hunks[h]);
	if (!apply_blocks(&step, text)) {
		step.patched = false;
		step_by_diff(&step, text);
	}
	free(step.blocks.items);
}
