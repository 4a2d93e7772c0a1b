/*
 * Snippets: some bytes before the first match and the rest after it, whole
 * characters, newlines included. A longer first match is cut; further matches
 * are marked if they fit.
 */
#include "search/snippet.h"

#define BEFORE 60u

static bool is_inside(struct ccfc_slice s, size_t at)
{
	return at < s.len && ((unsigned char)s.ptr[at] & 0xc0) == 0x80;
}

/* Where the snippet for a match begins, and where it ends. */
static struct ccfc_span frame(struct ccfc_slice s, struct ccfc_span match)
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

bool ccfc_snippet(struct ccfc_found *out, struct ccfc_matcher *matcher,
		  const struct ccfc_text *text, struct ccfc_arena *arena)
{
	struct ccfc_span spans[CCFC_SNIPPET_SPANS], at, f;
	uint32_t n = 0;

	if (ccfc_matcher_find(&at, matcher, text, 0, NULL) != 1)
		return false;
	f = frame(text->bytes, at);
	if (at.end > f.end)
		at.end = f.end;
	do
		spans[n++] = (struct ccfc_span){ at.start - f.start,
						 at.end - f.start };
	while (n < CCFC_SNIPPET_SPANS && at.end < f.end &&
	       ccfc_matcher_find(&at, matcher, text, at.end, NULL) == 1 &&
	       at.end <= f.end);
	out->snippet = ccfc_arena_copy(
		arena, ccfc_slice(text->bytes.ptr + f.start, f.end - f.start));
	out->spans = ccfc_arena_alloc(arena, n * sizeof(*spans));
	memcpy(out->spans, spans, n * sizeof(*spans));
	out->nspans = n;
	return true;
}
