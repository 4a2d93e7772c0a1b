/* The lines that a question may read; see expected.h. */
#include "history/chain/expected.h"

#include "base/alloc.h"

#include <stdlib.h>

struct expected {
	struct ccfc_attic_line line;
	int64_t first; /* the time of the first change in its transcript */
};

struct collecting {
	const struct ccfc_index *index;
	int64_t *first; /* by source */
	struct {
		struct expected *items;
		uint32_t n, cap;
	} lines;
};

static void add_place(struct collecting *c, const struct ccfc_place *place)
{
	const struct ccfc_index *index = c->index;
	struct expected e = { .first = c->first[place->source] };

	if (ccfc_index_place_where(index, place) != CCFC_WHERE_ARCHIVED)
		return;
	e.line.path =
		ccfc_index_str(index, index->sources.items[place->source].path)
			.ptr;
	e.line.gen = ccfc_index_place_gen(index, place);
	e.line.offset = place->offset;
	CCFC_VEC_PUSH(c->lines, e);
}

static void find_first_times(struct collecting *c)
{
	for (uint32_t i = 0; i < c->index->sources.n; i++)
		c->first[i] = INT64_MAX;
	for (uint32_t i = 0; i < c->index->changes.n; i++) {
		const struct ccfc_change *change = &c->index->changes.items[i];
		int64_t *first = &c->first[change->call.place.source];

		if (change->call.known && ccfc_index_time(change) < *first)
			*first = ccfc_index_time(change);
	}
}

/* Paths are interned: the same path has the same address. */
static int by_first_need(const void *pa, const void *pb)
{
	const struct expected *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->line.path != b->line.path)
		return (uintptr_t)a->line.path < (uintptr_t)b->line.path ? -1
									 : 1;
	if (a->line.gen != b->line.gen)
		return a->line.gen < b->line.gen ? -1 : 1;
	return (a->line.offset > b->line.offset) -
	       (a->line.offset < b->line.offset);
}

static void collect_lines(struct collecting *c)
{
	for (uint32_t i = 0; i < c->index->changes.n; i++) {
		const struct ccfc_change *change = &c->index->changes.items[i];

		if (change->call.known)
			add_place(c, &change->call.place);
		/* As in ccfc_history_evidence. */
		if (change->result.known &&
		    (!ccfc_index_is_shells(change) ||
		     (change->shell & CCFC_SHELL_RECORDED)))
			add_place(c, &change->result.place);
	}
	if (c->lines.n)
		qsort(c->lines.items, c->lines.n, sizeof(*c->lines.items),
		      by_first_need);
}

struct ccfc_attic_line *ccfc_history_expected(const struct ccfc_index *index,
					      uint32_t *n)
{
	struct collecting c = {
		.index = index,
		.first = ccfc_calloc(index->sources.n + 1, sizeof(*c.first)),
	};
	struct ccfc_attic_line *lines;

	find_first_times(&c);
	collect_lines(&c);
	*n = c.lines.n;
	lines = ccfc_malloc((size_t)c.lines.n * sizeof(*lines));
	for (uint32_t i = 0; i < c.lines.n; i++)
		lines[i] = c.lines.items[i].line;
	free(c.lines.items);
	free(c.first);
	return lines;
}
