/*
 * Line diffs in four steps: the common start and end are cut off; lines that
 * the other text lacks are flagged, the others become numbers; Myers' algorithm
 * flags the rest of the changes; the flags are moved to where a reader expects
 * them and gathered into blocks. The first two steps stay minimal: a smallest
 * difference of the rest is a smallest difference of the whole.
 */
#include "diff/diff.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "diff/diff_internal.h"

static uint32_t count_lines(struct ccfc_slice text)
{
	const char *p = text.ptr, *end = p + text.len;
	uint32_t n = 0;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		n++;
		p = newline ? newline + 1 : end;
	}
	return n;
}

void ccfc_split(struct ccfc_split *out, struct ccfc_slice text,
		struct ccfc_arena *arena)
{
	const char *p = text.ptr, *end;

	*out = (struct ccfc_split){ NULL, 0 };
	if (!text.len)
		return;
	end = p + text.len;
	out->lines = ccfc_arena_alloc(arena, (size_t)count_lines(text) *
						     sizeof(*out->lines));
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *next = newline ? newline + 1 : end;

		out->lines[out->n++] = ccfc_slice(p, (size_t)(next - p));
		p = next;
	}
}

/* The lines [from, to) of both texts, between the common start and end. */
struct middle {
	uint32_t from;
	uint32_t a_to, b_to;
};

static struct middle trim_common_ends(const struct ccfc_diff_text *a,
				      const struct ccfc_diff_text *b)
{
	struct middle m = { 0, a->n, b->n };

	while (m.from < a->n && m.from < b->n &&
	       ccfc_slice_eq(a->lines[m.from], b->lines[m.from]))
		m.from++;
	while (m.a_to > m.from && m.b_to > m.from &&
	       ccfc_slice_eq(a->lines[m.a_to - 1], b->lines[m.b_to - 1])) {
		m.a_to--;
		m.b_to--;
	}
	return m;
}

static void ids_init(struct ccfc_diff_ids *ids,
		     const struct ccfc_diff_text *text, uint32_t n,
		     struct ccfc_arena *scratch)
{
	size_t size = (size_t)n * sizeof(uint32_t);

	*ids = (struct ccfc_diff_ids){
		.ids = ccfc_arena_alloc(scratch, size),
		.at = ccfc_arena_alloc(scratch, size),
		.changed = text->changed,
	};
}

static void ids_push(struct ccfc_diff_ids *ids, uint32_t id, uint32_t at)
{
	ids->ids[ids->n] = id;
	ids->at[ids->n++] = at;
}

/*
 * A line's id is the number of the first line of the old text with the same
 * bytes.
 */
static bool same_line(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_diff_text *a = ctx;
	const struct ccfc_slice *line = key;

	return ccfc_slice_eq(a->lines[id], *line);
}

static void number_old(struct ccfc_diff_ids *ids, struct ccfc_map *map,
		       const struct ccfc_diff_text *a, struct middle m)
{
	for (uint32_t i = m.from; i < m.a_to; i++) {
		uint64_t hash = ccfc_hash_slice(a->lines[i]);
		uint32_t id =
			ccfc_map_get(map, hash, same_line, a, &a->lines[i]);

		if (id == CCFC_ID_NONE) {
			id = i;
			ccfc_map_put(map, hash, id);
		}
		ids_push(ids, id, i);
	}
}

/* Keeps the lines that the old text has too, and notes their ids in `both`. */
static void number_new(struct ccfc_diff_ids *ids, bool *both,
		       const struct ccfc_map *map,
		       const struct ccfc_diff_text *a,
		       const struct ccfc_diff_text *b, struct middle m)
{
	for (uint32_t i = m.from; i < m.b_to; i++) {
		uint32_t id = ccfc_map_get(map, ccfc_hash_slice(b->lines[i]),
					   same_line, a, &b->lines[i]);

		if (id == CCFC_ID_NONE) {
			b->changed[i] = true;
		} else {
			both[id - m.from] = true;
			ids_push(ids, id, i);
		}
	}
}

static void drop_lonely(struct ccfc_diff_ids *ids, const bool *both,
			uint32_t from)
{
	uint32_t n = ids->n;

	ids->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (both[ids->ids[i] - from])
			ids_push(ids, ids->ids[i], ids->at[i]);
		else
			ids->changed[ids->at[i]] = true;
	}
}

static void mark_differences(const struct ccfc_diff_text *a,
			     const struct ccfc_diff_text *b,
			     struct ccfc_arena *scratch)
{
	struct middle m = trim_common_ends(a, b);
	struct ccfc_diff_ids a_ids, b_ids;
	struct ccfc_map map;
	bool *both;

	ids_init(&a_ids, a, m.a_to - m.from, scratch);
	ids_init(&b_ids, b, m.b_to - m.from, scratch);
	both = ccfc_arena_alloc(scratch, m.a_to - m.from + 1);
	memset(both, 0, m.a_to - m.from + 1);
	ccfc_map_init(&map);
	number_old(&a_ids, &map, a, m);
	number_new(&b_ids, both, &map, a, b, m);
	ccfc_map_release(&map);
	drop_lonely(&a_ids, both, m.from);
	ccfc_diff_myers(&a_ids, &b_ids);
}

static struct ccfc_diff_text text_init(const struct ccfc_split *split,
				       struct ccfc_arena *scratch)
{
	size_t size = (size_t)split->n + 2;
	bool *flags = ccfc_arena_alloc(scratch, size);

	memset(flags, 0, size);
	return (struct ccfc_diff_text){ split->lines, split->n, flags + 1 };
}

/* The first block from lines `a` and `b` on; false when there is none. */
static bool next_block(struct ccfc_block *out, const struct ccfc_diff_text *old,
		       const struct ccfc_diff_text *new, uint32_t a, uint32_t b)
{
	*out = (struct ccfc_block){ a, 0, b, 0 };
	while (out->a < old->n && out->b < new->n && !old->changed[out->a] &&
	       !new->changed[out->b]) {
		out->a++;
		out->b++;
	}
	while (old->changed[out->a + out->an])
		out->an++;
	while (new->changed[out->b + out->bn])
		out->bn++;
	return out->an || out->bn;
}

static void gather_blocks(struct ccfc_diff *out, const struct ccfc_diff_text *a,
			  const struct ccfc_diff_text *b,
			  struct ccfc_arena *arena)
{
	struct ccfc_block block = { 0, 0, 0, 0 };
	uint32_t n = 0;

	*out = (struct ccfc_diff){ NULL, 0, 0, 0 };
	while (next_block(&block, a, b, block.a + block.an, block.b + block.bn))
		n++;
	if (!n)
		return;
	out->blocks = ccfc_arena_alloc(arena, (size_t)n * sizeof(block));
	block = (struct ccfc_block){ 0, 0, 0, 0 };
	while (out->n < n) {
		next_block(&block, a, b, block.a + block.an,
			   block.b + block.bn);
		out->blocks[out->n++] = block;
		out->removed += block.an;
		out->added += block.bn;
	}
}

void ccfc_diff(struct ccfc_diff *out, const struct ccfc_split *old_text,
	       const struct ccfc_split *new_text, struct ccfc_arena *arena)
{
	struct ccfc_arena scratch = CCFC_ARENA_INIT;
	struct ccfc_diff_text a = text_init(old_text, &scratch);
	struct ccfc_diff_text b = text_init(new_text, &scratch);

	mark_differences(&a, &b, &scratch);
	ccfc_diff_slide(&a, &b);
	ccfc_diff_slide(&b, &a);
	gather_blocks(out, &a, &b, arena);
	ccfc_arena_release(&scratch);
}
