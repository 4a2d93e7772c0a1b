/* The steps of a chain: its changes, and the gaps made by shell commands. */
#include "history/chain/chain.h"

#include "base/hash.h"
#include "base/time.h"

uint32_t ccfc_chain_step_change(const struct ccfc_chain *chain, uint32_t step)
{
	return step % 2 ? chain->nodes[step / 2].change
			: ccfc_chain_inferred(chain, step / 2);
}

uint32_t ccfc_chain_step_find(const struct ccfc_chain *chain, uint32_t change)
{
	int64_t i = ccfc_chain_find(chain, change);

	if (i >= 0)
		return ccfc_step_of_change((uint32_t)i);
	for (uint32_t k = 0; chain->explained && k < chain->runs.n; k++)
		if (chain->runs.items[k].change == change)
			return ccfc_step_of_gap(chain->runs.items[k].gap);
	return 0;
}

int64_t ccfc_chain_step_time(const struct ccfc_chain *chain, uint32_t step)
{
	uint32_t change = ccfc_chain_step_change(chain, step);
	const struct ccfc_change *c;

	if (step % 2 || change == CCFC_ID_NONE)
		return chain->nodes[step / 2].time;
	c = &chain->history->env.index->changes.items[change];
	return c->result.time;
}

/* The file on disk, if it is still the file that the chain was made from. */
static void read_disk_content(struct ccfc_content_state *out,
			      struct ccfc_chain *chain,
			      struct ccfc_arena *arena)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	struct ccfc_form form;

	*out = (struct ccfc_content_state){ .exists = true,
					    .why = "the file has changed" };
	if (ccfc_chain_disk_bytes(&bytes, chain)) {
		ccfc_form_decode(&text, &form, ccfc_buf_view(&bytes));
		if (ccfc_hash_slice(ccfc_buf_view(&text)) ==
		    chain->disk_state.hash)
			*out = (struct ccfc_content_state){
				.fidelity = CCFC_FIDELITY_EXACT,
				.origin = CCFC_ORIGIN_DISK,
				.exists = true,
				.bytes = ccfc_arena_copy(arena,
							 ccfc_buf_view(&bytes)),
				.why = "",
			};
	}
	chain->stale |= out->fidelity == CCFC_FIDELITY_UNKNOWN;
	ccfc_buf_release(&bytes);
	ccfc_buf_release(&text);
}

void ccfc_chain_step_before(struct ccfc_content_state *out,
			    struct ccfc_chain *chain, uint32_t step,
			    struct ccfc_arena *arena)
{
	if (step % 2)
		ccfc_chain_before(out, chain, step / 2, arena);
	else
		ccfc_chain_after(out, chain, step / 2 - 1, arena);
}

void ccfc_chain_step_after(struct ccfc_content_state *out,
			   struct ccfc_chain *chain, uint32_t step,
			   struct ccfc_arena *arena)
{
	if (step % 2)
		ccfc_chain_after(out, chain, step / 2, arena);
	else if (step / 2 < chain->n)
		ccfc_chain_before(out, chain, step / 2, arena);
	else
		read_disk_content(out, chain, arena);
}
