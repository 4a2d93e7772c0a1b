/* Files that commands moved; see rename_text.h. */
#include "history/rename_text.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

/* Bytes of all texts of a file, and how many there are at most. */
#define BYTES_MAX ((size_t)4 << 20)
#define MOVES_MAX 8u

static bool is_move(const struct ccfc_change *c, uint32_t file)
{
	return c->settled && c->file == file && c->shell && c->other_file &&
	       c->other_file != file && c->state == CCFC_STATE_APPLIED &&
	       ccfc_index_op(c) == CCFC_OP_RENAMED;
}

/* Bytes whose line endings are assumed would become sure over there. */
static bool is_form_known(const struct ccfc_side_state *side)
{
	return !side->has_bad && (side->how == CCFC_HOW_COPY ||
				  (side->has_form && side->form_proven));
}

/* The state that the command found in the file that it moved away. */
static bool read_source(struct ccfc_content_state *out,
			struct ccfc_history *history,
			const struct ccfc_change *move, uint32_t depth,
			struct ccfc_arena *arena)
{
	const struct ccfc_change *all = history->env.index->changes.items;
	struct ccfc_chain *chain =
		ccfc_chain_open_deep(history, move->other_file, depth);

	for (uint32_t i = 0; chain && i < chain->n; i++) {
		if (all[chain->nodes[i].change].command != move->command)
			continue;
		if (!is_form_known(&chain->nodes[i].before))
			return false;
		ccfc_chain_before(out, chain, i, arena);
		return out->fidelity >= CCFC_FIDELITY_RECONSTRUCTED &&
		       out->exists;
	}
	return false;
}

static void add_text(struct ccfc_rename_texts *out, uint32_t home,
		     struct ccfc_slice bytes)
{
	struct ccfc_rename_text one = { .home = home };
	uint64_t all[3] = { out->stamp, home, ccfc_hash_slice(bytes) };

	one.bytes = ccfc_arena_copy(&out->arena, bytes);
	out->stamp = ccfc_hash(all, sizeof(all));
	CCFC_VEC_PUSH(*out, one);
}

void ccfc_rename_find(struct ccfc_rename_texts *out,
		      struct ccfc_history *history, uint32_t file,
		      uint32_t depth)
{
	const struct ccfc_index *index = history->env.index;
	const struct ccfc_ids *ids = &index->files.items[file];
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	size_t bytes = 0;

	*out = (struct ccfc_rename_texts){ .arena = CCFC_ARENA_INIT };
	if (depth >= CCFC_RENAME_DEPTH || !history->env.excerpt)
		return;
	for (uint32_t i = ids->n; i-- > 0 && out->n < MOVES_MAX;) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];
		struct ccfc_content_state state;

		if (!is_move(c, file) ||
		    !read_source(&state, history, c, depth + 1, &arena))
			continue;
		bytes += state.bytes.len;
		if (bytes <= BYTES_MAX)
			add_text(out,
				 ccfc_home_of(CCFC_HOMES(history, changes),
					      ids->items[i]),
				 state.bytes);
		ccfc_arena_clear(&arena);
	}
	ccfc_arena_release(&arena);
}

size_t ccfc_rename_bytes(const struct ccfc_rename_texts *moved)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < moved->n; i++)
		bytes += moved->items[i].bytes.len;
	return bytes;
}

void ccfc_rename_release(struct ccfc_rename_texts *moved)
{
	free(moved->items);
	ccfc_arena_release(&moved->arena);
	*moved = (struct ccfc_rename_texts){ .arena = CCFC_ARENA_INIT };
}
