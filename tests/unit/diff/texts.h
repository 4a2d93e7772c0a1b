/*
 * Random texts for the tests of diffs: few different lines, so that they
 * repeat; empty texts, "\r\n", NUL bytes, no final newline. With less than 4
 * or more than 100 kinds of lines there are no NUL bytes (git merge-file takes
 * none). Needs seed.h started.
 */
#ifndef CCFC_UNIT_DIFF_TEXTS_H
#define CCFC_UNIT_DIFF_TEXTS_H

#include "base/buf.h"
#include "diff/diff.h"

#include "../seed.h"

#define TEXTS_UNUSED __attribute__((unused))

static void texts_line(struct ccfc_buf *out, uint32_t kinds)
{
	uint32_t kind = seed_below(kinds);

	if (kind) /* else an empty line */
		ccfc_buf_printf(out, "line %u", kind);
	if (kind == 3 && kinds <= 100)
		ccfc_buf_append(out, "\0nul", 4);
	ccfc_buf_puts(out, kind % 5 == 4 ? "\r\n" : "\n");
}

static void texts_maybe_cut(struct ccfc_buf *out)
{
	if (out->len && !seed_below(4)) {
		out->len--;
		out->ptr[out->len] = '\0';
	}
}

/* Less than `lines` lines of `kinds` kinds. */
static TEXTS_UNUSED void texts_random(struct ccfc_buf *out, uint32_t lines,
				      uint32_t kinds)
{
	uint32_t n = seed_below(lines);

	ccfc_buf_clear(out);
	for (uint32_t i = 0; i < n; i++)
		texts_line(out, kinds);
	texts_maybe_cut(out);
}

/* `text` with about one line in `rate` changed, removed or added. */
static TEXTS_UNUSED void texts_edit(struct ccfc_buf *out,
				    struct ccfc_slice text, uint32_t rate,
				    uint32_t kinds)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_split split;

	ccfc_buf_clear(out);
	ccfc_split(&split, text, &arena);
	for (uint32_t i = 0; i < split.n; i++) {
		uint32_t what = seed_below(3 * rate);

		if (what < 2) /* changed, added */
			texts_line(out, kinds);
		if (what != 0 && what != 2) /* changed, removed */
			ccfc_buf_slice(out, split.lines[i]);
		if (out->len && out->ptr[out->len - 1] != '\n')
			ccfc_buf_putc(out, '\n');
	}
	texts_maybe_cut(out);
	ccfc_arena_release(&arena);
}

#endif
