/* Evidence from the disk; see seen_evidence.h. */
#include "history/chain/seen_evidence.h"

/* The content of one side; false: it was not kept. */
static bool read_effect_side(struct ccfc_slice *out,
			     const struct ccfc_history_env *env, uint32_t key,
			     struct ccfc_arena *arena)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	bool got =
		key && ccfc_history_blob(&bytes, env,
					 ccfc_index_str(env->index, key).ptr);

	if (got)
		*out = ccfc_arena_copy(arena, ccfc_buf_view(&bytes));
	ccfc_buf_release(&bytes);
	return got;
}

static bool add_seen_before(struct ccfc_evidence *out,
			    const struct ccfc_history_env *env,
			    const struct ccfc_disk_effect *effect,
			    struct ccfc_arena *arena)
{
	if (effect->before == CCFC_DISK_ABSENT)
		out->before = CCFC_BEFORE_ABSENT;
	else if (effect->before == CCFC_DISK_THERE &&
		 read_effect_side(&out->original, env, effect->before_key,
				  arena))
		out->before = CCFC_BEFORE_TEXT;
	else
		return false;
	out->seen_before = true;
	return true;
}

bool ccfc_history_seen(struct ccfc_evidence *out,
		       const struct ccfc_history_env *env, uint32_t change,
		       struct ccfc_arena *arena)
{
	const struct ccfc_disk_effect *effect =
		ccfc_index_find_effect(env->index, change);
	struct ccfc_evidence seen = { .shape = CCFC_TOOL_SHELL,
				      .cell.number = -1,
				      .is_shell = true,
				      .from_result = true };

	if (!effect)
		return false;
	seen.gone = effect->after == CCFC_DISK_ABSENT;
	seen.has_after =
		effect->after == CCFC_DISK_THERE &&
		read_effect_side(&seen.after, env, effect->after_key, arena);
	seen.seen_after = seen.gone || seen.has_after;
	if (!seen.seen_after)
		return false;
	add_seen_before(&seen, env, effect, arena);
	*out = seen;
	return true;
}

bool ccfc_seen_evidence(struct ccfc_evidence *out, struct ccfc_chain *chain,
			uint32_t i, bool has)
{
	struct ccfc_history *h = chain->history;
	uint32_t change = chain->nodes[i].change;
	const struct ccfc_disk_effect *effect =
		ccfc_index_find_effect(h->env.index, change);

	if (!effect)
		return has;
	if (h->env.index->changes.items[change].shell)
		return ccfc_history_seen(out, &h->env, change, &h->scratch) ||
		       has;
	if (has && out->before == CCFC_BEFORE_UNKNOWN)
		add_seen_before(out, &h->env, effect, &h->scratch);
	return has;
}
