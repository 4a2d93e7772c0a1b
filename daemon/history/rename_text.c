/* Files that commands moved or copied; see rename_text.h. */
#include "history/rename_text.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"

#include <stdlib.h>

/* BYTES_MAX: bytes of all texts for a file; MOVES_MAX: number of texts. */
#define BYTES_MAX ((size_t)4 << 20)
#define MOVES_MAX 8u

static bool is_taken_from(const struct ccfc_change *c, uint32_t file)
{
	return c->settled && c->file == file && c->shell &&
	       c->state == CCFC_STATE_APPLIED && ccfc_index_is_taken(c) &&
	       c->other_file != file;
}

/*
 * Are the bytes' line endings proven? Assumed ones would become certain in the
 * other file.
 */
static bool is_form_known(const struct ccfc_side_state *side)
{
	return !side->has_bad && (side->how == CCFC_HOW_COPY ||
				  (side->has_form && side->form_proven));
}

/* --- what the other file was --- */

/*
 * The position of a change of the other file: -1 before the copy, 1 after it;
 * 0: both overlap. Calls of one transcript run one after another.
 */
static int compare_with_move(const struct ccfc_node *node,
			     const struct ccfc_change *c,
			     const struct ccfc_change *copy)
{
	bool same = c->call.known && copy->call.known &&
		    c->call.place.source == copy->call.place.source;

	if (copy->result.time == CCFC_TIME_NONE ||
	    node->start == CCFC_TIME_NONE)
		return 0;
	if (same && node->late != copy->result.time)
		return node->late < copy->result.time ? -1 : 1;
	if (node->late < ccfc_index_time(copy))
		return -1;
	return node->start > copy->result.time ? 1 : 0;
}

/* Is it possible that nobody changed the file between nodes i - 1 and i? */
static bool may_be_unchanged(struct ccfc_chain *chain, uint32_t i)
{
	enum ccfc_gap gap = ccfc_chain_gap(chain, i);

	return gap == CCFC_GAP_NONE || gap == CCFC_GAP_UNKNOWN;
}

/*
 * The place whose state the command found in the other file: before the
 * command's own change of that file, else after the last earlier change.
 */
static uint64_t find_source_place(struct ccfc_chain *chain,
				  const struct ccfc_change *move)
{
	const struct ccfc_change *all =
		chain->history->env.index->changes.items;
	uint32_t before = 0;

	for (uint32_t i = 0; i < chain->n; i++)
		if (all[chain->nodes[i].change].command == move->command)
			return ccfc_place_of(i, false);
	for (uint32_t i = 0; i < chain->n; i++) {
		int side = compare_with_move(
			&chain->nodes[i], &all[chain->nodes[i].change], move);

		if (!side || (side < 0 && before < i))
			return CCFC_PLACE_NONE;
		before += side < 0;
	}
	return before && may_be_unchanged(chain, before)
		       ? ccfc_place_of(before - 1, true)
		       : CCFC_PLACE_NONE;
}

static bool read_moved_file(struct ccfc_content_state *out,
			    struct ccfc_chain *chain,
			    const struct ccfc_change *move,
			    struct ccfc_arena *arena)
{
	uint64_t place = find_source_place(chain, move);
	const struct ccfc_node *node;

	if (place == CCFC_PLACE_NONE)
		return false;
	node = &chain->nodes[place / 2];
	if (!is_form_known(place % 2 ? &node->after : &node->before))
		return false;
	if (place % 2)
		ccfc_chain_after(out, chain, (uint32_t)(place / 2), arena);
	else
		ccfc_chain_before(out, chain, (uint32_t)(place / 2), arena);
	return out->fidelity >= CCFC_FIDELITY_RECONSTRUCTED && out->exists;
}

static void add_rename_text(struct ccfc_rename_texts *out, uint32_t home,
			    struct ccfc_slice bytes)
{
	struct ccfc_rename_text one = { .home = home };
	uint64_t all[3] = { out->stamp, home, ccfc_hash_slice(bytes) };

	one.bytes = ccfc_arena_copy(&out->arena, bytes);
	out->stamp = ccfc_hash(all, sizeof(all));
	CCFC_VEC_PUSH(*out, one);
}

/* The search for one file: the texts found, and the bytes read. */
struct finding {
	struct ccfc_rename_texts *out;
	struct ccfc_history *history;
	const struct ccfc_ids *ids; /* changes of the file */
	uint32_t file, depth;
	size_t bytes;
};

/* Collects all texts from one other file, whose chain is opened once. */
static void find_texts_from(struct finding *f, uint32_t other,
			    struct ccfc_arena *arena)
{
	const struct ccfc_change *all = f->history->env.index->changes.items;
	struct ccfc_chain *chain =
		ccfc_chain_open_deep(f->history, other, f->depth + 1);

	for (uint32_t i = f->ids->n;
	     chain && i-- > 0 && f->out->n < MOVES_MAX;) {
		const struct ccfc_change *c = &all[f->ids->items[i]];
		struct ccfc_content_state state;

		if (!is_taken_from(c, f->file) || c->other_file != other ||
		    !read_moved_file(&state, chain, c, arena))
			continue;
		f->bytes += state.bytes.len;
		if (f->bytes <= BYTES_MAX)
			add_rename_text(
				f->out,
				ccfc_home_of(CCFC_HOMES(f->history, changes),
					     f->ids->items[i]),
				state.bytes);
		ccfc_arena_clear(arena);
	}
}

void ccfc_rename_find(struct ccfc_rename_texts *out,
		      struct ccfc_history *history, uint32_t file,
		      uint32_t depth)
{
	const struct ccfc_index *index = history->env.index;
	struct finding f = { .out = out,
			     .history = history,
			     .ids = &index->files.items[file],
			     .file = file,
			     .depth = depth };
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	uint32_t seen[MOVES_MAX], n = 0;

	*out = (struct ccfc_rename_texts){ .arena = CCFC_ARENA_INIT };
	if (depth >= CCFC_RENAME_DEPTH || !history->env.excerpt)
		return;
	for (uint32_t i = f.ids->n; i-- > 0 && n < MOVES_MAX;) {
		const struct ccfc_change *c =
			&index->changes.items[f.ids->items[i]];
		uint32_t k = 0;

		if (!is_taken_from(c, file))
			continue;
		while (k < n && seen[k] != c->other_file)
			k++;
		if (k < n)
			continue;
		seen[n++] = c->other_file;
		find_texts_from(&f, c->other_file, &arena);
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
