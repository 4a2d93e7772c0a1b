/*
 * Rows of counts; see stats_rows.h. Facts come in the order of transcripts, so
 * the next fact mostly has the same row and session: then nothing is looked up.
 * Otherwise a set of pairs shows whether the row has the session already, so
 * that no work is left for the end.
 */
#include "serve/stats/stats_rows.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

void ccfc_counts_init(struct ccfc_counts *c)
{
	*c = (struct ccfc_counts){ 0 };
	ccfc_map_init(&c->map);
	ccfc_map_init(&c->sessions.map);
	ccfc_map_init(&c->files.map);
}

void ccfc_counts_release(struct ccfc_counts *c)
{
	free(c->items);
	free(c->sessions.items);
	free(c->files.items);
	ccfc_map_release(&c->map);
	ccfc_map_release(&c->sessions.map);
	ccfc_map_release(&c->files.map);
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

static bool is_pair(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_pairs *pairs = ctx;

	return pairs->items[id] == *(const uint64_t *)key;
}

/* Is it the row's first of that id? */
static bool is_new_pair(struct ccfc_pairs *pairs, uint32_t row, uint32_t *last,
			uint32_t id)
{
	uint64_t pair = (uint64_t)row << 32 | id;
	uint64_t hash;

	if (*last == id)
		return false;
	*last = id;
	hash = ccfc_hash(&pair, sizeof(pair));
	if (ccfc_map_get(&pairs->map, hash, is_pair, pairs, &pair) !=
	    CCFC_ID_NONE)
		return false;
	ccfc_map_put(&pairs->map, hash, pairs->n);
	CCFC_VEC_PUSH(*pairs, pair);
	return true;
}

void ccfc_counts_session(struct ccfc_counts *c, uint32_t session)
{
	struct ccfc_count *row = &c->items[c->last];

	row->sessions +=
		is_new_pair(&c->sessions, c->last, &row->session, session);
}

void ccfc_counts_file(struct ccfc_counts *c, uint32_t file)
{
	struct ccfc_count *row = &c->items[c->last];

	row->files += is_new_pair(&c->files, c->last, &row->file, file);
}

void ccfc_counts_pack_tool(struct ccfc_pack *p, const struct ccfc_count *tool)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "name", tool->name);
	ccfc_pack_kv_uint(p, "count", tool->uses);
	ccfc_pack_kv_uint(p, "errors", tool->errors);
	ccfc_pack_end(p);
}
