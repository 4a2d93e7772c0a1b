/*
 * The backups of a chain's file, of every session that changed it. When the
 * chain goes on, they are looked for again: those of before have to be there
 * still, and new ones may only stand in front of new changes.
 */
#include "history/chain.h"

#include "base/alloc.h"

#include <stdlib.h>

struct copies {
	struct ccfc_copy *items;
	uint32_t n, cap;
};

static bool is_first_of_session(const struct ccfc_chain *chain, uint32_t i)
{
	const struct ccfc_change *all =
		chain->history->env.index->changes.items;

	for (uint32_t k = 0; k < i; k++)
		if (all[chain->nodes[k].change].session ==
		    all[chain->nodes[i].change].session)
			return false;
	return true;
}

/* The change that a backup of that moment stands in front of. */
static uint32_t node_at(const struct ccfc_chain *chain, int64_t time)
{
	uint32_t i = 0;

	while (i < chain->n && chain->nodes[i].time < time)
		i++;
	return i;
}

static void find_all(struct copies *out, const struct ccfc_chain *chain,
		     struct ccfc_arena *arena)
{
	const struct ccfc_history_env *env = &chain->history->env;

	for (uint32_t i = 0; i < chain->n; i++) {
		struct ccfc_backup_copies found = { 0 };
		const struct ccfc_change *c =
			&env->index->changes.items[chain->nodes[i].change];

		if (!is_first_of_session(chain, i))
			continue;
		ccfc_backup_list(&found, env->index, env->roots, env->nroots,
				 c->session, chain->file, arena);
		for (uint32_t k = 0; k < found.n; k++) {
			struct ccfc_copy copy = {
				found.items[k],
				node_at(chain, found.items[k].time)
			};

			CCFC_VEC_PUSH(*out, copy);
		}
	}
}

static bool same_path(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_copy(const struct ccfc_copy *a, const struct ccfc_copy *b)
{
	return a->file.session == b->file.session &&
	       a->file.version == b->file.version &&
	       a->file.time == b->file.time &&
	       a->file.recorded == b->file.recorded &&
	       same_path(a->file.path, b->file.path);
}

/* Where the copy is in a list, or the list's length. */
static uint32_t find_in(const struct ccfc_copy *items, uint32_t n,
			const struct ccfc_copy *copy)
{
	uint32_t i = 0;

	while (i < n && !same_copy(&items[i], copy))
		i++;
	return i;
}

static bool is_compatible(const struct ccfc_chain *chain,
			  const struct copies *now)
{
	for (uint32_t i = 0; i < chain->ncopies; i++)
		if (find_in(now->items, now->n, &chain->copies[i]) == now->n)
			return false;
	for (uint32_t i = 0; i < now->n; i++) {
		const struct ccfc_copy *copy = &now->items[i];

		if (copy->file.recorded && copy->at >= chain->nforward)
			continue;
		if (find_in(chain->copies, chain->ncopies, copy) ==
		    chain->ncopies)
			return false;
	}
	return true;
}

/* The nodes that were replayed name their copies by number. */
static void renumber(struct ccfc_chain *chain, const struct copies *now)
{
	for (uint32_t i = 0; i < chain->nforward; i++) {
		struct ccfc_side_state *s = &chain->forward[i].before;

		if (s->how == CCFC_HOW_COPY)
			s->copy = find_in(now->items, now->n,
					  &chain->copies[s->copy]);
	}
}

bool ccfc_chain_find_copies(struct ccfc_chain *chain)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct copies now = { 0 };
	bool good;

	find_all(&now, chain, &arena);
	good = !chain->nforward || is_compatible(chain, &now);
	if (good)
		renumber(chain, &now);
	ccfc_arena_release(&chain->copies_arena);
	free(chain->copies);
	chain->copies_arena = arena;
	chain->copies = now.items;
	chain->ncopies = now.n;
	return good;
}
