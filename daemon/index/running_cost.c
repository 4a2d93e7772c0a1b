/*
 * The cost of sessions as their clients counted it: a set over (session,
 * counter, time, model), each with the greatest recorded cost and tokens. A
 * record has no time of its own and gets that of the record before it in its
 * transcript, however the lines are split into batches. Which messages a total
 * covers is computed for each question (serve/stats/paid_spans.c).
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "index/index_internal.h"

CCFC_TABLE_FIND(find_cost, running_costs, struct ccfc_running_cost,
		struct ccfc_running_cost,
		r->session == k->session && r->since == k->since &&
			r->time == k->time && r->model == k->model)

static uint64_t cost_hash(const struct ccfc_running_cost *cost)
{
	uint64_t all[4] = { cost->session, cost->model, (uint64_t)cost->since,
			    (uint64_t)cost->time };

	return ccfc_hash(all, sizeof(all));
}

uint32_t ccfc_index_find_running_cost(const struct ccfc_index *index,
				      const struct ccfc_running_cost *like)
{
	return find_cost(index, cost_hash(like), like);
}

uint32_t ccfc_index_add_running_cost(struct ccfc_index *index,
				     const struct ccfc_running_cost *cost)
{
	uint32_t id = ccfc_index_find_running_cost(index, cost);
	struct ccfc_running_cost *old;

	if (id == CCFC_ID_NONE) {
		id = index->running_costs.n;
		CCFC_TABLE_ADD(index->running_costs, cost_hash(cost), *cost);
		return id;
	}
	old = &index->running_costs.items[id];
	if (cost->cost > old->cost)
		old->cost = cost->cost;
	if (cost->tokens > old->tokens)
		old->tokens = cost->tokens;
	old->unsure |= cost->unsure;
	return id;
}

void ccfc_index_merge_costs(const struct ccfc_incoming *line)
{
	struct ccfc_index *index = line->index;
	const struct ccfc_record *r = line->record;
	struct ccfc_running_cost cost = { .session = line->session,
					  .unsure = r->costs_unsure };

	if (!line->session)
		return;
	cost.time = ccfc_index_time_before(line);
	if (cost.time == CCFC_TIME_NONE)
		cost.time = r->counted_since;
	if (cost.time == CCFC_TIME_NONE)
		return;
	if (r->counted_since != CCFC_TIME_NONE)
		cost.since = r->counted_since;
	for (uint32_t i = 0; i < r->ncosts; i++) {
		cost.model =
			ccfc_strtab_put(&index->strings, r->costs[i].model);
		cost.cost = r->costs[i].cost;
		cost.tokens = r->costs[i].tokens;
		CCFC_TABLE_MARK_LIST(index->running_costs,
				     ccfc_index_add_running_cost(index, &cost));
	}
}
