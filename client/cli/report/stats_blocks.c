/*
 * Five-hour windows, made of hours: a window begins with the hour of the first
 * message after the one before has ended. So plans of Anthropic count usage,
 * and so does ccusage.
 */
#include "cli/report/stats_print.h"

#include "base/time.h"
#include "cli/out/render.h"

#define HOURS	5
#define HOUR_MS INT64_C(3600000)

static const char *const sums[] = { "messages",	    "changes",
				    "shellChanges", "toolCalls",
				    "errors",	    "unpricedTokens",
				    "linesAdded",   "linesRemoved" };
static const char *const kinds[] = { "input", "output", "cacheRead",
				     "cacheWrite" };
#define N(list) (sizeof(list) / sizeof(*(list)))

struct block {
	int64_t start;
	int64_t sums[N(sums)], tokens[N(kinds)];
	double dollars;
	bool has_cost, open;
};

static int64_t start_of(struct ccfc_obj row)
{
	struct ccfc_slice text = ccfc_obj_get_str(row, "start");

	return text.len ? ccfc_time_parse(text) : CCFC_TIME_NONE;
}

static void add_hour(struct block *b, struct ccfc_obj row)
{
	struct ccfc_obj usage = ccfc_obj_get(row, "tokenUsage");
	struct ccfc_obj cost = ccfc_obj_get(row, "costUSD");

	for (size_t i = 0; i < N(sums); i++)
		b->sums[i] += ccfc_obj_get_int(row, sums[i], 0);
	for (size_t i = 0; i < N(kinds); i++)
		b->tokens[i] += ccfc_obj_get_int(usage, kinds[i], 0);
	b->has_cost |= ccfc_obj_type(cost) != CCFC_OBJ_NONE;
	b->dollars += ccfc_obj_double(cost, 0);
}

static void pack_block(struct ccfc_pack *p, struct block *b)
{
	char key[CCFC_TIME_TEXT_MAX];

	if (!b->open)
		return;
	ccfc_time_format_local(key, b->start, CCFC_RENDER_MINUTE);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "key", key);
	ccfc_pack_kv_time(p, "start", b->start);
	ccfc_pack_kv_time(p, "end", b->start + HOURS * HOUR_MS);
	for (size_t i = 0; i < N(sums); i++)
		if (b->has_cost || strcmp(sums[i], "unpricedTokens") != 0)
			ccfc_pack_kv_int(p, sums[i], b->sums[i]);
	ccfc_pack_cstr(p, "tokenUsage");
	ccfc_pack_map(p);
	for (size_t i = 0; i < N(kinds); i++)
		ccfc_pack_kv_int(p, kinds[i], b->tokens[i]);
	ccfc_pack_end(p);
	if (b->has_cost) {
		ccfc_pack_cstr(p, "costUSD");
		ccfc_pack_double(p, b->dollars);
	}
	ccfc_pack_end(p);
	*b = (struct block){ 0 };
}

void ccfc_stats_pack_blocks(struct ccfc_pack *p, struct ccfc_obj rows)
{
	struct block b = { 0 };

	ccfc_pack_array(p);
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		struct ccfc_obj row = ccfc_obj_at(rows, i);
		int64_t start = start_of(row);

		/* Only messages open a window. */
		if (start == CCFC_TIME_NONE)
			continue;
		if (b.open && start >= b.start + HOURS * HOUR_MS)
			pack_block(p, &b);
		if (!b.open && !ccfc_obj_get_int(row, "messages", 0))
			continue;
		if (!b.open) {
			b.open = true;
			b.start = start;
		}
		add_hour(&b, row);
	}
	pack_block(p, &b);
	ccfc_pack_end(p);
}
