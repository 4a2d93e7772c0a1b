/*
 * Reads the line of a hit again, to show it: its place is known, so only that
 * line is read and parsed.
 */
#include "base/alloc.h"
#include "search/search_internal.h"
#include "search/snippet.h"
#include "search/tool_text.h"
#include "source/tail.h"

#include <stdlib.h>

struct ccfc_hit_line {
	struct ccfc_search_run *run;
	struct ccfc_parser *parser;
	struct ccfc_tail *tail;
	struct ccfc_tool_text reader;
};

struct ccfc_hit_line *ccfc_hit_line_new(struct ccfc_search_run *run)
{
	struct ccfc_hit_line *r = ccfc_calloc(1, sizeof(*r));

	r->run = run;
	ccfc_tool_text_init(&r->reader);
	return r;
}

void ccfc_hit_line_free(struct ccfc_hit_line *r)
{
	ccfc_parser_free(r->parser);
	ccfc_tail_free(r->tail);
	ccfc_tool_text_release(&r->reader);
	free(r);
}

static int by_id(const void *key, const void *item)
{
	uint32_t a = *(const uint32_t *)key;
	uint32_t b = ((const struct ccfc_search_source *)item)->id;

	return (a > b) - (a < b);
}

static bool read_hit_line(struct ccfc_hit_line *r, struct ccfc_slice *line,
			  const struct ccfc_hit *hit)
{
	const struct ccfc_search *s = r->run->search;
	const struct ccfc_search_source *source =
		bsearch(&hit->source, s->sources, s->nsources,
			sizeof(*s->sources), by_id);
	struct ccfc_err err;

	if (!source)
		return false;
	if (!r->parser) {
		r->parser = ccfc_parser_new(NULL);
		r->tail = ccfc_tail_new(s->max_line);
		ccfc_tail_use(r->tail, s->attic);
	}
	return !ccfc_tail_read_at(r->tail, line, source->path, hit->offset,
				  hit->line_len, &err);
}

bool ccfc_hit_line_show(struct ccfc_hit_line *r, struct ccfc_found *out,
			const struct ccfc_hit *hit, struct ccfc_arena *arena)
{
	struct ccfc_slice line;
	bool ok = false;

	if (!read_hit_line(r, &line, hit) ||
	    !ccfc_tool_text_open(&r->reader, r->parser, line,
				 CCFC_IN_BIT(hit->in)))
		return false;
	while (ccfc_tool_text_next(&r->reader)) {
		if (r->reader.n != hit->block)
			continue;
		ccfc_tool_text_text(&r->reader);
		ok = ccfc_snippet(out, r->run, &r->reader.text, arena);
		out->uuid =
			ccfc_arena_copy(arena, ccfc_tool_text_uuid(&r->reader));
		out->tool =
			ccfc_arena_copy(arena, ccfc_tool_text_tool(&r->reader));
	}
	return ok;
}
