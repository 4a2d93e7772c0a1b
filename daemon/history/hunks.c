/*
 * Patches against texts; see hunks.h. Hunk starts count from 1; an empty side
 * of a hunk starts at the line that would follow (some writers give 0 at the
 * top of a file, which means the same).
 */
#include "history/hunks.h"

#include "history/lines.h"

static uint32_t start_of(const struct ccfc_hunk *hunk, enum ccfc_side side)
{
	uint32_t start =
		side == CCFC_SIDE_OLD ? hunk->old_start : hunk->new_start;

	return start ? start - 1 : 0;
}

static char sign_of(enum ccfc_side side)
{
	return side == CCFC_SIDE_OLD ? '-' : '+';
}

static struct ccfc_slice shown(struct ccfc_slice line)
{
	return ccfc_slice(line.ptr + 1, line.len - 1);
}

/* The sign of a hunk's line; '\\' for what is no line of either side. */
static char sign(struct ccfc_slice line)
{
	return line.len ? line.ptr[0] : '\\';
}

static bool hunk_fits(const struct ccfc_hunk *hunk, enum ccfc_side side,
		      const struct ccfc_text_lines *lines, uint32_t *at)
{
	uint32_t i = start_of(hunk, side);

	if (i < *at)
		return false;
	for (uint32_t k = 0; k < hunk->nlines; k++) {
		char c = sign(hunk->lines[k]);

		if (c != ' ' && c != sign_of(side))
			continue;
		if (i >= lines->n ||
		    !ccfc_line_shows(shown(hunk->lines[k]), lines->items[i]))
			return false;
		i++;
	}
	*at = i;
	return true;
}

static bool all_fit(const struct ccfc_evidence *ev, enum ccfc_side side,
		    const struct ccfc_text_lines *lines)
{
	uint32_t at = 0;

	for (uint32_t h = 0; h < ev->nhunks; h++)
		if (!hunk_fits(&ev->hunks[h], side, lines, &at))
			return false;
	return true;
}

bool ccfc_hunks_fit(const struct ccfc_evidence *evidence, enum ccfc_side side,
		    struct ccfc_slice text)
{
	struct ccfc_text_lines lines = { 0 };
	bool fit;

	ccfc_text_lines_read(&lines, text);
	fit = all_fit(evidence, side, &lines);
	ccfc_text_lines_release(&lines);
	return fit;
}

/* --- explaining --- */

/* Two texts that are walked along the hunks. */
struct walk {
	struct ccfc_text_lines old_lines, new_lines;
	uint32_t a, b;
};

/* Up to the starts of the next hunk both must look the same. */
static bool walk_to(struct walk *w, uint32_t a, uint32_t b)
{
	if (a < w->a || b < w->b || a - w->a != b - w->b ||
	    a > w->old_lines.n || b > w->new_lines.n)
		return false;
	for (; w->a < a; w->a++, w->b++)
		if (!ccfc_line_looks(w->old_lines.items[w->a],
				     w->new_lines.items[w->b]))
			return false;
	return true;
}

static bool walk_line(struct walk *w, struct ccfc_slice line)
{
	char c = sign(line);

	if (c == ' ' || c == '-') {
		if (w->a >= w->old_lines.n ||
		    !ccfc_line_shows(shown(line), w->old_lines.items[w->a]))
			return false;
	}
	if (c == ' ' || c == '+') {
		if (w->b >= w->new_lines.n ||
		    !ccfc_line_shows(shown(line), w->new_lines.items[w->b]))
			return false;
	}
	w->a += c == ' ' || c == '-';
	w->b += c == ' ' || c == '+';
	return true;
}

/* Did the last hunk reach the end of both? Then it may say of newlines. */
static bool walk_end(struct walk *w)
{
	bool at_end = w->a == w->old_lines.n || w->b == w->new_lines.n;

	if (!walk_to(w, w->old_lines.n, w->new_lines.n))
		return false;
	return at_end || w->old_lines.open == w->new_lines.open;
}

static bool walk_hunks(struct walk *w, const struct ccfc_evidence *ev)
{
	for (uint32_t h = 0; h < ev->nhunks; h++) {
		const struct ccfc_hunk *hunk = &ev->hunks[h];

		if (!walk_to(w, start_of(hunk, CCFC_SIDE_OLD),
			     start_of(hunk, CCFC_SIDE_NEW)))
			return false;
		for (uint32_t k = 0; k < hunk->nlines; k++)
			if (!walk_line(w, hunk->lines[k]))
				return false;
	}
	return walk_end(w);
}

bool ccfc_hunks_explain(const struct ccfc_evidence *evidence,
			struct ccfc_slice before, struct ccfc_slice after)
{
	struct walk w = { 0 };
	bool explained;

	ccfc_text_lines_read(&w.old_lines, before);
	ccfc_text_lines_read(&w.new_lines, after);
	explained = walk_hunks(&w, evidence);
	ccfc_text_lines_release(&w.old_lines);
	ccfc_text_lines_release(&w.new_lines);
	return explained;
}

/* --- building --- */

/* A line of `text` that shows as `want`; *several if they differ. */
static struct ccfc_slice find_line(struct ccfc_slice text,
				   struct ccfc_slice want,
				   struct ccfc_slice found, bool *several)
{
	const char *at = text.ptr, *end = text.ptr + text.len;

	while (text.len && at <= end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		struct ccfc_slice line =
			ccfc_slice(at, (size_t)((nl ? nl : end) - at));

		if (ccfc_line_shows(want, line)) {
			*several |= found.ptr && !ccfc_slice_eq(found, line);
			found = line;
		}
		if (!nl)
			break;
		at = nl + 1;
	}
	return found;
}

struct ccfc_slice ccfc_hunks_unfold(struct ccfc_slice line,
				    const struct ccfc_evidence *evidence,
				    enum ccfc_side side, bool *guessed)
{
	struct ccfc_slice found = CCFC_SLICE_NONE;
	bool several = false;

	if (!ccfc_slice_starts(line, "  "))
		return line;
	for (uint32_t i = 0; i < evidence->nedits; i++) {
		const struct ccfc_replacement *e = &evidence->edits[i];

		found = find_line(side == CCFC_SIDE_OLD ? e->old_text
							: e->new_text,
				  line, found, &several);
	}
	if (side == CCFC_SIDE_NEW && evidence->has_after)
		found = find_line(evidence->after, line, found, &several);
	if (!found.ptr || several)
		*guessed = true;
	return found.ptr ? found : line;
}

struct build {
	struct ccfc_buf *out;
	const struct ccfc_evidence *evidence;
	const struct ccfc_text_lines *lines; /* of the known side */
	enum ccfc_side want;
	uint32_t at;
	bool guessed;
	bool open; /* the last line built has no newline */
};

static void put_line(struct build *b, struct ccfc_slice line)
{
	ccfc_buf_slice(b->out, line);
	ccfc_buf_putc(b->out, '\n');
	b->open = false;
}

static void copy_to(struct build *b, uint32_t end)
{
	for (; b->at < end; b->at++)
		put_line(b, b->lines->items[b->at]);
}

static void build_hunk(struct build *b, const struct ccfc_hunk *hunk)
{
	char last = 0;

	for (uint32_t k = 0; k < hunk->nlines; k++) {
		struct ccfc_slice line = hunk->lines[k];
		char c = sign(line);

		if (c == ' ') {
			put_line(b, b->lines->items[b->at++]);
		} else if (c == sign_of(b->want)) {
			put_line(b, ccfc_hunks_unfold(shown(line), b->evidence,
						      b->want, &b->guessed));
		} else if (c == '\\') {
			if (last == ' ' || last == sign_of(b->want))
				b->open = true;
			continue;
		} else {
			b->at++;
		}
		last = c;
	}
}

enum ccfc_step ccfc_hunks_build(struct ccfc_buf *out,
				const struct ccfc_evidence *evidence,
				enum ccfc_side have, struct ccfc_slice text)
{
	struct ccfc_text_lines lines = { 0 };
	struct build b = { .out = out,
			   .evidence = evidence,
			   .lines = &lines,
			   .want = have == CCFC_SIDE_OLD ? CCFC_SIDE_NEW
							 : CCFC_SIDE_OLD };
	bool fit;

	ccfc_buf_clear(out);
	ccfc_text_lines_read(&lines, text);
	fit = all_fit(evidence, have, &lines);
	if (fit) {
		for (uint32_t h = 0; h < evidence->nhunks; h++) {
			copy_to(&b, start_of(&evidence->hunks[h], have));
			build_hunk(&b, &evidence->hunks[h]);
		}
		if (b.at < lines.n) {
			copy_to(&b, lines.n);
			b.open = lines.open;
		}
		if (b.open && out->len)
			out->ptr[--out->len] = '\0';
	}
	ccfc_text_lines_release(&lines);
	if (!fit)
		return CCFC_STEP_NO;
	/* Tabs that became spaces, or spaces tabs, do not show. */
	if (ccfc_slice_starts(text, "\t") || ccfc_slice_contains(text, "\n\t"))
		return CCFC_STEP_GUESSED;
	return b.guessed ? CCFC_STEP_GUESSED : CCFC_STEP_VERIFIED;
}
