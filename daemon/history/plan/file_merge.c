/* Merging versions of a file, and runs of changes; see file_merge.h. */
#include "history/plan/file_merge.h"

#include "diff/merge3.h"

#include <stdlib.h>

bool ccfc_version_eq(const struct ccfc_version *a, const struct ccfc_version *b)
{
	return a->exists == b->exists &&
	       (!a->exists || ccfc_slice_eq(a->bytes, b->bytes));
}

bool ccfc_version_is_binary(const struct ccfc_version *v)
{
	return v->bytes.len && memchr(v->bytes.ptr, '\0', v->bytes.len);
}

bool ccfc_version_of(struct ccfc_version *out,
		     const struct ccfc_content_state *state)
{
	*out = (struct ccfc_version){ 0 };
	if (state->fidelity < CCFC_FIDELITY_RECONSTRUCTED)
		return false;
	out->exists = state->exists;
	if (state->exists)
		out->bytes = state->bytes;
	return true;
}

/* --- three-way merge --- */

static bool is_text(const struct ccfc_version *v)
{
	return v->exists && !ccfc_version_is_binary(v);
}

enum ccfc_merge3_result ccfc_version_merge3(struct ccfc_version *out,
					    struct ccfc_buf *buf,
					    uint32_t *conflicts,
					    const struct ccfc_merge3 *w)
{
	struct ccfc_merge merge = { w->base.bytes, w->ours.bytes,
				    w->theirs.bytes, w->ours_label,
				    w->theirs_label };

	*conflicts = 0;
	*out = w->ours;
	if (ccfc_version_eq(&w->base, &w->theirs) ||
	    ccfc_version_eq(&w->ours, &w->theirs))
		return CCFC_MERGE3_TAKEN;
	if (ccfc_version_eq(&w->base, &w->ours)) {
		*out = w->theirs;
		return CCFC_MERGE3_TAKEN;
	}
	if (!is_text(&w->base) || !is_text(&w->ours) || !is_text(&w->theirs)) {
		*conflicts = 1;
		return CCFC_MERGE3_CLASH;
	}
	ccfc_buf_clear(buf);
	*conflicts = ccfc_merge(buf, &merge);
	out->bytes = ccfc_buf_view(buf);
	return *conflicts ? CCFC_MERGE3_CONFLICT : CCFC_MERGE3_MERGED;
}

/* --- runs --- */

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Sorts the changes and lists their steps. */
static uint32_t list_steps(uint32_t *out, const struct ccfc_chain *chain,
			   uint32_t *changes, uint32_t n)
{
	uint32_t found = 0, end = ccfc_step_of_gap(ccfc_chain_len(chain));

	if (!n)
		return 0;
	qsort(changes, n, sizeof(*changes), compare_numbers);
	for (uint32_t step = 1; step <= end && found < n; step++) {
		uint32_t change = ccfc_chain_step_change(chain, step);

		if (bsearch(&change, changes, n, sizeof(*changes),
			    compare_numbers))
			out[found++] = step;
	}
	return found;
}

/* Did nobody change the file between two steps? */
static bool are_adjacent(struct ccfc_chain *chain, uint32_t a, uint32_t b)
{
	return b == a + 1 || (b == a + 2 && b % 2 &&
			      ccfc_chain_gap(chain, b / 2) == CCFC_GAP_NONE);
}

bool ccfc_change_runs_find(struct ccfc_change_runs *out,
			   struct ccfc_chain *chain, const uint32_t *changes,
			   uint32_t n, struct ccfc_arena *arena)
{
	uint32_t *at = ccfc_arena_alloc(arena, (n + 1u) * sizeof(*at));
	uint32_t *ids = ccfc_arena_alloc(arena, (n + 1u) * sizeof(*ids));

	if (n)
		memcpy(ids, changes, n * sizeof(*ids));
	n = list_steps(at, chain, ids, n);
	*out = (struct ccfc_change_runs){
		.items = ccfc_arena_alloc(arena, (n + 1u) * sizeof(*out->items))
	};
	for (uint32_t k = 0; k < n; k++) {
		/*
		 * Is there another change between the previous step and this
		 * one?
		 */
		if (k && at[k] / 2 > (at[k - 1] + 1) / 2)
			out->others = true;
		if (k && are_adjacent(chain, at[k - 1], at[k]))
			out->items[out->n - 1].last = at[k];
		else
			out->items[out->n++] =
				(struct ccfc_change_run){ at[k], at[k] };
	}
	return n != 0;
}

void ccfc_fidelity_weigh(enum ccfc_fidelity *fidelity, const char **why,
			 const struct ccfc_content_state *state)
{
	if (state->fidelity < *fidelity) {
		*fidelity = state->fidelity;
		*why = state->why ? state->why : "";
	}
}

bool ccfc_change_run_ends(struct ccfc_version *before,
			  struct ccfc_version *after, struct ccfc_chain *chain,
			  const struct ccfc_change_run *run,
			  enum ccfc_fidelity *fidelity, const char **why,
			  struct ccfc_arena *arena)
{
	struct ccfc_content_state b, a;
	bool known;

	ccfc_chain_step_before(&b, chain, run->first, arena);
	ccfc_chain_step_after(&a, chain, run->last, arena);
	ccfc_fidelity_weigh(fidelity, why, &b);
	ccfc_fidelity_weigh(fidelity, why, &a);
	known = ccfc_version_of(before, &b);
	return ccfc_version_of(after, &a) && known;
}
