/*
 * A run of changed lines can often move: if the line before the run equals its
 * last line, the run can move up by one, and so on. All places are right, but
 * one reads best: next to a change of the other text (one block instead of
 * two), else as far down as possible, as in git. Runs that touch are joined.
 *
 * Both texts have the same number of unchanged lines, so the gaps between
 * these pair up: gap k of one text, often empty, faces gap k of the other.
 */
#include "diff/diff_internal.h"

/* The changed lines between two unchanged ones: [start, end). */
struct gap {
	const struct ccfc_diff_text *text;
	uint32_t start, end;
};

static bool gap_empty(const struct gap *gap)
{
	return gap->start == gap->end;
}

static struct gap gap_first(const struct ccfc_diff_text *text)
{
	struct gap gap = { text, 0, 0 };

	while (text->changed[gap.end])
		gap.end++;
	return gap;
}

static bool gap_next(struct gap *gap)
{
	if (gap->end == gap->text->n)
		return false;
	gap->start = ++gap->end;
	while (gap->text->changed[gap->end])
		gap->end++;
	return true;
}

/* Only if there is an earlier gap. */
static void gap_previous(struct gap *gap)
{
	gap->end = --gap->start;
	while (gap->start && gap->text->changed[gap->start - 1])
		gap->start--;
}

static bool slide_up(struct gap *run, struct gap *facing)
{
	const struct ccfc_diff_text *text = run->text;

	if (!run->start || !ccfc_slice_eq(text->lines[run->start - 1],
					  text->lines[run->end - 1]))
		return false;
	text->changed[--run->start] = true;
	text->changed[--run->end] = false;
	while (run->start && text->changed[run->start - 1])
		run->start--;
	gap_previous(facing);
	return true;
}

static bool slide_down(struct gap *run, struct gap *facing)
{
	const struct ccfc_diff_text *text = run->text;

	if (run->end == text->n ||
	    !ccfc_slice_eq(text->lines[run->start], text->lines[run->end]))
		return false;
	text->changed[run->start++] = false;
	text->changed[run->end++] = true;
	while (text->changed[run->end])
		run->end++;
	gap_next(facing);
	return true;
}

/* Up to the top, down to the bottom, and back up to a change that faces it. */
static void settle_gap(struct gap *run, struct gap *facing)
{
	uint32_t size, beside;
	bool faced;

	do {
		size = run->end - run->start;
		while (slide_up(run, facing))
			;
		faced = !gap_empty(facing);
		beside = run->end;
		while (slide_down(run, facing)) {
			if (!gap_empty(facing)) {
				faced = true;
				beside = run->end;
			}
		}
	} while (size != run->end - run->start);
	while (faced && run->end != beside && slide_up(run, facing))
		;
}

void ccfc_diff_slide(const struct ccfc_diff_text *text,
		     const struct ccfc_diff_text *other)
{
	struct gap run = gap_first(text), facing = gap_first(other);

	do {
		if (!gap_empty(&run))
			settle_gap(&run, &facing);
		gap_next(&facing);
	} while (gap_next(&run));
}
