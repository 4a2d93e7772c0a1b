/* Evidence from the disk; see seen_evidence.h. */
#include "history/chain/seen_evidence.h"

/* The content of one side; false: it is not kept. */
static bool read_side(struct ccfc_slice *out, struct ccfc_chain *chain,
		      uint32_t key)
{
	struct ccfc_history *h = chain->history;
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	bool got =
		key && ccfc_chain_blob(&bytes, chain,
				       ccfc_index_str(h->env.index, key).ptr);

	if (got)
		*out = ccfc_arena_copy(&h->scratch, ccfc_buf_view(&bytes));
	ccfc_buf_release(&bytes);
	return got;
}

static bool take_before(struct ccfc_evidence *out, struct ccfc_chain *chain,
			const struct ccfc_disk_effect *effect)
{
	if (effect->before == CCFC_DISK_ABSENT)
		out->before = CCFC_BEFORE_ABSENT;
	else if (effect->before == CCFC_DISK_THERE &&
		 read_side(&out->original, chain, effect->before_key))
		out->before = CCFC_BEFORE_TEXT;
	else
		return false;
	out->seen_before = true;
	return true;
}

/* All that a command did, if it is known. */
static bool take_command(struct ccfc_evidence *out, struct ccfc_chain *chain,
			 const struct ccfc_disk_effect *effect)
{
	struct ccfc_evidence seen = { .shape = CCFC_TOOL_SHELL,
				      .cell.number = -1,
				      .is_shell = true,
				      .from_result = true };

	seen.gone = effect->after == CCFC_DISK_ABSENT;
	seen.has_after = effect->after == CCFC_DISK_THERE &&
			 read_side(&seen.after, chain, effect->after_key);
	seen.seen_after = seen.gone || seen.has_after;
	if (!seen.seen_after)
		return false;
	take_before(&seen, chain, effect);
	*out = seen;
	return true;
}

bool ccfc_seen_evidence(struct ccfc_evidence *out, struct ccfc_chain *chain,
			uint32_t i, bool has)
{
	const struct ccfc_index *index = chain->history->env.index;
	uint32_t change = chain->nodes[i].change;
	const struct ccfc_disk_effect *effect =
		ccfc_index_find_effect(index, change);

	if (!effect)
		return has;
	if (index->changes.items[change].shell)
		return take_command(out, chain, effect) || has;
	if (has && out->before == CCFC_BEFORE_UNKNOWN)
		take_before(out, chain, effect);
	return has;
}
