/*
 * Rows of counts; see stats_rows.h. Facts come in the order of transcripts, so
 * the row and the session of one are mostly those of the one before: then
 * nothing is looked up and no pair is added, and what is left to sort at the
 * end is small.
 */
#include "serve/methods/stats_rows.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

void ccfc_counts_init(struct ccfc_counts *c)
{
	*c = (struct ccfc_counts){ 0 };
	ccfc_map_init(&c->map);
}

void ccfc_counts_release(struct ccfc_counts *c)
{
	free(c->items);
	free(c->sessions.items);
	free(c->files.items);
	ccfc_map_release(&c->map);
}

static bool has_key(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_counts *c = ctx;

	return c->items[id].key == *(const uint64_t *)key;
}

struct ccfc_count *ccfc_counts_at(struct ccfc_counts *c, uint64_t key)
{
	uint64_t hash;

	if (c->n && c->items[c->last].key == key)
		return &c->items[c->last];
	hash = ccfc_hash(&key, sizeof(key));
	c->last = ccfc_map_get(&c->map, hash, has_key, c, &key);
	if (c->last == CCFC_ID_NONE) {
		c->last = c->n;
		CCFC_VEC_PUSH(*c, ((struct ccfc_count){ .key = key }));
		ccfc_map_put(&c->map, hash, c->last);
	}
	return &c->items[c->last];
}

static void put_stats_rows(struct ccfc_pairs *pairs, uint32_t row,
			   uint32_t *last, uint32_t id)
{
	if (*last == id)
		return;
	*last = id;
	CCFC_VEC_PUSH(*pairs, (uint64_t)row << 32 | id);
}

void ccfc_counts_session(struct ccfc_counts *c, uint32_t session)
{
	put_stats_rows(&c->sessions, c->last, &c->items[c->last].session,
		       session);
}

void ccfc_counts_file(struct ccfc_counts *c, uint32_t file)
{
	put_stats_rows(&c->files, c->last, &c->items[c->last].file, file);
}

static int compare_stats_rows(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static void sort(struct ccfc_pairs *pairs)
{
	if (pairs->n)
		qsort(pairs->items, pairs->n, sizeof(*pairs->items),
		      compare_stats_rows);
}

static bool is_first(const struct ccfc_pairs *pairs, uint32_t i)
{
	return !i || pairs->items[i] != pairs->items[i - 1];
}

void ccfc_counts_close(struct ccfc_counts *c)
{
	sort(&c->sessions);
	for (uint32_t i = 0; i < c->sessions.n; i++)
		if (is_first(&c->sessions, i))
			c->items[c->sessions.items[i] >> 32].sessions++;
	sort(&c->files);
	for (uint32_t i = 0; i < c->files.n; i++)
		if (is_first(&c->files, i))
			c->items[c->files.items[i] >> 32].files++;
}

void ccfc_counts_pack_tool(struct ccfc_pack *p, const struct ccfc_count *tool)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "name", tool->name);
	ccfc_pack_kv_uint(p, "count", tool->uses);
	ccfc_pack_kv_uint(p, "errors", tool->errors);
	ccfc_pack_end(p);
}
