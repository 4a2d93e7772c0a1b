/*
 * Snippets: some bytes before the first match and the rest after it, whole
 * characters, newlines included. A longer first match is cut; further matches
 * are marked if they fit.
 */
#include "search/snippet.h"

#include <stdlib.h>

#define BEFORE 60u

static bool is_inside(struct ccfc_slice s, size_t at)
{
	return at < s.len && ((unsigned char)s.ptr[at] & 0xc0) == 0x80;
}

/* The part of the text to show for a match. */
static struct ccfc_span snippet_frame(struct ccfc_slice s,
				      struct ccfc_span match)
{
	struct ccfc_span f = { 0, s.len };

	if (match.start > BEFORE)
		f.start = match.start - BEFORE;
	while (f.start < match.start && is_inside(s, f.start))
		f.start++;
	if (s.len - f.start <= CCFC_SNIPPET_BYTES)
		return f;
	f.end = f.start + CCFC_SNIPPET_BYTES;
	while (f.end > f.start && is_inside(s, f.end))
		f.end--;
	return f;
}

/* The line of the match, with `lines` lines before and after it. */
static struct ccfc_span frame_lines(struct ccfc_slice s, struct ccfc_span match,
				    uint32_t lines)
{
	struct ccfc_span f = { match.start, match.end };
	uint32_t before = 0, behind = 0;

	while (f.start && match.start - f.start < CCFC_SNIPPET_MAX / 2 &&
	       (s.ptr[f.start - 1] != '\n' || before++ < lines))
		f.start--;
	while (f.start < match.start && is_inside(s, f.start))
		f.start++;
	while (f.end < s.len && f.end - f.start < CCFC_SNIPPET_MAX &&
	       (s.ptr[f.end] != '\n' || behind++ < lines))
		f.end++;
	if (f.end - f.start > CCFC_SNIPPET_MAX)
		f.end = f.start + CCFC_SNIPPET_MAX;
	while (f.end > f.start && is_inside(s, f.end))
		f.end--;
	return f;
}

struct marks {
	struct ccfc_span items[CCFC_SNIPPET_SPANS];
	uint32_t n;
};

/* Matches within the frame, from `from` on. */
static void add_marks(struct marks *m, struct ccfc_matcher *matcher,
		      const struct ccfc_text *text, size_t from,
		      const struct ccfc_span *f)
{
	struct ccfc_span at = { from, from };

	while (m->n < CCFC_SNIPPET_SPANS && at.end < f->end &&
	       ccfc_matcher_find(&at, matcher, text, at.end, NULL) == 1 &&
	       at.end <= f->end)
		m->items[m->n++] = (struct ccfc_span){ at.start - f->start,
						       at.end - f->start };
}

static int by_start(const void *a, const void *b)
{
	const struct ccfc_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

/* Sorts the marks and removes overlapping ones. */
static void sort_marks(struct marks *m)
{
	uint32_t n = 0;

	qsort(m->items, m->n, sizeof(*m->items), by_start);
	for (uint32_t i = 0; i < m->n; i++)
		if (!n || m->items[i].start >= m->items[n - 1].end)
			m->items[n++] = m->items[i];
	m->n = n;
}

bool ccfc_snippet(struct ccfc_found *out, struct ccfc_search_run *run,
		  const struct ccfc_text *text, struct ccfc_arena *arena)
{
	const struct ccfc_search *s = run->search;
	struct marks marks = { .n = 1 };
	struct ccfc_span at, f;

	if (ccfc_matcher_find(&at, run->matcher, text, 0, NULL) != 1)
		return false;
	f = s->lines ? frame_lines(text->bytes, at, s->lines)
		     : snippet_frame(text->bytes, at);
	if (at.end > f.end)
		at.end = f.end;
	marks.items[0] =
		(struct ccfc_span){ at.start - f.start, at.end - f.start };
	add_marks(&marks, run->matcher, text, at.end, &f);
	for (uint32_t i = 0; i < s->nwords; i++)
		add_marks(&marks, run->words[i], text, f.start, &f);
	if (s->nwords)
		sort_marks(&marks);
	out->snippet = ccfc_arena_copy(
		arena, ccfc_slice(text->bytes.ptr + f.start, f.end - f.start));
	out->spans = ccfc_arena_alloc(arena, marks.n * sizeof(*marks.items));
	memcpy(out->spans, marks.items, marks.n * sizeof(*marks.items));
	out->nspans = marks.n;
	return true;
}
