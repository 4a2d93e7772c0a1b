/*
 * Patches against texts; see hunks.h. Hunk starts count from 1; an empty side
 * of a hunk starts at the line that would follow (some writers give 0 at the
 * top of a file, which means the same).
 */
#include "history/step/hunks.h"

#include "history/step/patch_fit.h"
#include "history/step/text_lines.h"

static uint32_t hunk_start(const struct ccfc_hunk *hunk, enum ccfc_side side)
{
	uint32_t start =
		side == CCFC_SIDE_OLD ? hunk->old_start : hunk->new_start;

	return start ? start - 1 : 0;
}

static char side_sign(enum ccfc_side side)
{
	return side == CCFC_SIDE_OLD ? '-' : '+';
}

static struct ccfc_slice line_without_sign(struct ccfc_slice line)
{
	return ccfc_slice(line.ptr + 1, line.len - 1);
}

/* The sign of a hunk's line; '\\' for a line of neither side. */
static char line_sign(struct ccfc_slice line)
{
	return line.len ? line.ptr[0] : '\\';
}

/*
 * Is `patch_line` how the patch shows `line`? A shell's patch shows lines
 * unchanged.
 */
static bool patch_shows_line(const struct ccfc_evidence *ev,
			     struct ccfc_slice patch_line,
			     struct ccfc_slice line)
{
	return ev->is_shell
		       ? ccfc_slice_eq(line_without_sign(patch_line), line)
		       : ccfc_line_shows(line_without_sign(patch_line), line);
}

static bool hunk_fits(const struct ccfc_evidence *ev,
		      const struct ccfc_hunk *hunk, enum ccfc_side side,
		      const struct ccfc_text_lines *lines, uint32_t *at)
{
	uint32_t i = hunk_start(hunk, side);
	bool ours = false; /* the last line is a line of that side */

	/*
	 * A hunk without lines of this side still has a position in the text.
	 */
	if (i < *at || i > lines->n)
		return false;
	for (uint32_t k = 0; k < hunk->nlines; k++) {
		char c = line_sign(hunk->lines[k]);

		if (c == '\\' && ours && (i != lines->n || !lines->open))
			return false;
		if (c != '\\')
			ours = c == ' ' || c == side_sign(side);
		if (c == '\\' || !ours)
			continue;
		if (i >= lines->n ||
		    !patch_shows_line(ev, hunk->lines[k], lines->items[i]))
			return false;
		i++;
	}
	*at = i;
	return true;
}

static bool all_hunks_fit(const struct ccfc_evidence *ev, enum ccfc_side side,
			  const struct ccfc_text_lines *lines)
{
	uint32_t at = 0;

	for (uint32_t h = 0; h < ev->nhunks; h++)
		if (!hunk_fits(ev, &ev->hunks[h], side, lines, &at))
			return false;
	return true;
}

bool ccfc_hunks_fit(const struct ccfc_evidence *evidence, enum ccfc_side side,
		    struct ccfc_slice text)
{
	struct ccfc_text_lines lines = { 0 };
	bool fit;

	ccfc_text_lines_read(&lines, text);
	fit = all_hunks_fit(evidence, side, &lines);
	ccfc_text_lines_release(&lines);
	return fit;
}

/* --- explaining --- */

/* A position in a text, and the number of lines behind it. */
struct cursor {
	const char *at, *end;
	uint32_t line;
};

static struct cursor cursor_at_start(struct ccfc_slice text)
{
	return (struct cursor){ text.ptr, ccfc_slice_end(text), 0 };
}

/* False at the end of the text. */
static bool next_cursor_line(struct cursor *c, struct ccfc_slice *line)
{
	size_t left = (size_t)(c->end - c->at);
	const char *nl = left ? memchr(c->at, '\n', left) : NULL;

	if (!left)
		return false;
	*line = ccfc_slice(c->at, nl ? (size_t)(nl - c->at) : left);
	c->at = nl ? nl + 1 : c->end;
	c->line++;
	return true;
}

/* Positions in two texts, advanced along the hunks. */
struct walk {
	struct cursor a, b;
};

/*
 * Skips the next `n` lines if both texts have the same bytes there. Most lines
 * are equal, and this is fast.
 */
static bool skip_equal_lines(struct walk *w, uint32_t n)
{
	struct cursor a = w->a;
	struct ccfc_slice line;
	size_t len;

	for (uint32_t i = 0; i < n; i++)
		if (!next_cursor_line(&a, &line))
			return false;
	len = (size_t)(a.at - w->a.at);
	if (!len)
		return true;
	/*
	 * A line without a newline in one of the texts is left to the caller.
	 */
	if (a.at[-1] != '\n' || len > (size_t)(w->b.end - w->b.at) ||
	    memcmp(w->a.at, w->b.at, len) != 0)
		return false;
	w->a = a;
	w->b.at += len;
	w->b.line += n;
	return true;
}

/* Up to the start of the next hunk both texts must look the same. */
static bool walk_to_hunk(struct walk *w, uint32_t a, uint32_t b)
{
	struct ccfc_slice x, y;

	if (a < w->a.line || b < w->b.line || a - w->a.line != b - w->b.line)
		return false;
	if (skip_equal_lines(w, a - w->a.line))
		return true;
	while (w->a.line < a)
		if (!next_cursor_line(&w->a, &x) ||
		    !next_cursor_line(&w->b, &y) ||
		    !ccfc_line_shown_alike(x, y))
			return false;
	return true;
}

static bool walk_line(struct walk *w, struct ccfc_slice line)
{
	char c = line_sign(line);
	struct ccfc_slice have;

	if ((c == ' ' || c == '-') &&
	    (!next_cursor_line(&w->a, &have) ||
	     !ccfc_line_shows(line_without_sign(line), have)))
		return false;
	if ((c == ' ' || c == '+') &&
	    (!next_cursor_line(&w->b, &have) ||
	     !ccfc_line_shows(line_without_sign(line), have)))
		return false;
	return true;
}

static bool has_no_final_newline(struct ccfc_slice text)
{
	return text.len && text.ptr[text.len - 1] != '\n';
}

/*
 * Did the last hunk reach the end of both texts? Then the texts may differ in
 * their last newline.
 */
static bool walk_end(struct walk *w, bool same_end)
{
	bool at_end = w->a.at == w->a.end || w->b.at == w->b.end;
	size_t left = (size_t)(w->a.end - w->a.at);
	struct ccfc_slice x, y;

	if (left && left == (size_t)(w->b.end - w->b.at) &&
	    !memcmp(w->a.at, w->b.at, left))
		return true;
	for (;;) {
		bool more = next_cursor_line(&w->a, &x);

		if (more != next_cursor_line(&w->b, &y))
			return false;
		if (!more)
			return at_end || same_end;
		if (!ccfc_line_shown_alike(x, y))
			return false;
	}
}

static bool walk_hunks(struct walk *w, const struct ccfc_evidence *ev)
{
	for (uint32_t h = 0; h < ev->nhunks; h++) {
		const struct ccfc_hunk *hunk = &ev->hunks[h];

		if (!walk_to_hunk(w, hunk_start(hunk, CCFC_SIDE_OLD),
				  hunk_start(hunk, CCFC_SIDE_NEW)))
			return false;
		for (uint32_t k = 0; k < hunk->nlines; k++)
			if (!walk_line(w, hunk->lines[k]))
				return false;
	}
	return true;
}

bool ccfc_hunks_explain(const struct ccfc_evidence *evidence,
			struct ccfc_slice before, struct ccfc_slice after)
{
	struct walk w = { cursor_at_start(before), cursor_at_start(after) };

	return walk_hunks(&w, evidence) &&
	       walk_end(&w, has_no_final_newline(before) ==
				    has_no_final_newline(after));
}

/* --- building --- */

struct build {
	struct ccfc_buf *out;
	const struct ccfc_text_lines *lines; /* of the known side */
	struct ccfc_patch_fit unfold;
	enum ccfc_side want;
	uint32_t at;
	bool is_shell;
	bool guessed;
	bool open;	/* the last built line has no newline */
	bool end_known; /* it is known whether that line has a newline */
};

static void append_line(struct build *b, struct ccfc_slice line)
{
	ccfc_buf_slice(b->out, line);
	ccfc_buf_putc(b->out, '\n');
	b->open = false;
	b->end_known = true;
}

static void copy_lines_to(struct build *b, uint32_t end)
{
	for (; b->at < end; b->at++)
		append_line(b, b->lines->items[b->at]);
}

/*
 * A line that the patch shows on both sides ends as it did before. The patches
 * of file tools mark a last line without a newline; those of a shell do not
 * always.
 */
static void copy_context_line(struct build *b)
{
	bool last = b->at + 1 == b->lines->n;

	append_line(b, b->lines->items[b->at++]);
	if (b->is_shell && last)
		b->open = b->lines->open;
}

static void build_hunk(struct build *b, const struct ccfc_hunk *hunk)
{
	char last = 0;

	for (uint32_t k = 0; k < hunk->nlines; k++) {
		struct ccfc_slice line = hunk->lines[k];
		char c = line_sign(line);

		if (c == ' ') {
			copy_context_line(b);
		} else if (c == side_sign(b->want) && b->is_shell) {
			append_line(b, line_without_sign(line));
			b->end_known = false;
		} else if (c == side_sign(b->want)) {
			append_line(b,
				    ccfc_patch_fit_get(&b->unfold,
						       line_without_sign(line),
						       &b->guessed));
		} else if (c == '\\') {
			if (last == ' ' || last == side_sign(b->want))
				b->open = b->end_known = true;
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
			   .lines = &lines,
			   .want = have == CCFC_SIDE_OLD ? CCFC_SIDE_NEW
							 : CCFC_SIDE_OLD,
			   .is_shell = evidence->is_shell,
			   .end_known = true };
	bool fit;

	ccfc_buf_clear(out);
	ccfc_patch_fit_init(&b.unfold, evidence, b.want);
	ccfc_text_lines_read(&lines, text);
	fit = all_hunks_fit(evidence, have, &lines);
	if (fit) {
		for (uint32_t h = 0; h < evidence->nhunks; h++) {
			copy_lines_to(&b,
				      hunk_start(&evidence->hunks[h], have));
			build_hunk(&b, &evidence->hunks[h]);
		}
		if (b.at < lines.n) {
			copy_lines_to(&b, lines.n);
			b.open = lines.open;
		}
		if (b.open && out->len)
			out->ptr[--out->len] = '\0';
	}
	ccfc_text_lines_release(&lines);
	ccfc_patch_fit_release(&b.unfold);
	if (!fit)
		return CCFC_STEP_NO;
	if (b.is_shell)
		return b.end_known ? CCFC_STEP_VERIFIED : CCFC_STEP_GUESSED;
	/*
	 * Tabs that became spaces do not show in a patch, nor spaces that
	 * became tabs.
	 */
	if (ccfc_slice_starts(text, "\t") || ccfc_slice_contains(text, "\n\t"))
		return CCFC_STEP_GUESSED;
	return b.guessed ? CCFC_STEP_GUESSED : CCFC_STEP_VERIFIED;
}
