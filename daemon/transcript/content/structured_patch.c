/*
 * structuredPatch as hunks. Replay relies on the numbers of a hunk, so a patch
 * whose numbers do not fit its lines is refused.
 */
#include "transcript/content/structured_patch.h"

#include "transcript/edit_texts.h"

static uint32_t count_items(const struct ccfc_json *json, uint32_t array)
{
	uint32_t item = ccfc_json_child(json, array);
	uint32_t n = 0;

	for (; item; item = ccfc_json_next(json, item))
		n++;
	return n;
}

static bool read_line_number(uint32_t *out, const struct ccfc_json *json,
			     uint32_t tok)
{
	int64_t n = ccfc_json_count(json, tok);

	*out = n < 0 ? 0 : (uint32_t)n;
	return n >= 0;
}

/* Reads one line and counts it; false if it is not a patch line. */
static bool read_patch_line(struct ccfc_slice *line,
			    const struct ccfc_parser *parser, uint32_t tok,
			    struct ccfc_arena *arena, uint32_t *before,
			    uint32_t *after)
{
	bool bad = false;

	*line = ccfc_edit_texts_copy(parser, tok, arena, &bad);
	if (!line->len || bad)
		return false;
	*before += *line->ptr == ' ' || *line->ptr == '-';
	*after += *line->ptr == ' ' || *line->ptr == '+';
	return strchr(" -+\\", *line->ptr) && *line->ptr;
}

static bool read_patch_lines(struct ccfc_hunk *hunk,
			     const struct ccfc_parser *parser, uint32_t lines,
			     struct ccfc_arena *arena)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t before = 0;
	uint32_t after = 0;
	uint32_t line;

	if (!ccfc_json_is_array(json, lines))
		return false;
	hunk->nlines = 0;
	hunk->lines = ccfc_arena_alloc(arena, count_items(json, lines) *
						      sizeof(*hunk->lines));
	for (line = ccfc_json_child(json, lines); line;
	     line = ccfc_json_next(json, line))
		if (!read_patch_line(&hunk->lines[hunk->nlines++], parser, line,
				     arena, &before, &after))
			return false;
	return hunk->nlines && before == hunk->old_lines &&
	       after == hunk->new_lines;
}

static bool read_hunk(struct ccfc_hunk *hunk, const struct ccfc_parser *parser,
		      uint32_t tok, struct ccfc_arena *arena)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t f[CCFC_EVIDENCE_COUNT];

	if (!ccfc_json_is_object(json, tok))
		return false;
	ccfc_json_fields(json, tok, &parser->evidence_keys, f);
	return read_line_number(&hunk->old_start, json,
				f[CCFC_EVIDENCE_OLD_START]) &&
	       read_line_number(&hunk->old_lines, json,
				f[CCFC_EVIDENCE_OLD_LINES]) &&
	       read_line_number(&hunk->new_start, json,
				f[CCFC_EVIDENCE_NEW_START]) &&
	       read_line_number(&hunk->new_lines, json,
				f[CCFC_EVIDENCE_NEW_LINES]) &&
	       read_patch_lines(hunk, parser, f[CCFC_EVIDENCE_LINES], arena);
}

void ccfc_patch_read(struct ccfc_evidence *out,
		     const struct ccfc_parser *parser, uint32_t tok,
		     struct ccfc_arena *arena)
{
	const struct ccfc_json *json = &parser->json;
	struct ccfc_hunk *hunks;
	uint32_t hunk;
	uint32_t n = 0;

	if (!ccfc_json_is_array(json, tok) || !ccfc_json_child(json, tok))
		return;
	hunks = ccfc_arena_alloc(arena,
				 count_items(json, tok) * sizeof(*hunks));
	for (hunk = ccfc_json_child(json, tok); hunk;
	     hunk = ccfc_json_next(json, hunk))
		if (!read_hunk(&hunks[n++], parser, hunk, arena))
			return;
	out->has_patch = true;
	out->hunks = hunks;
	out->nhunks = n;
}
