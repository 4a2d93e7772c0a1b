/*
 * Reconstructs a state of a chain: from the nearest whole text (its own lines,
 * a backup, the disk, a checkpoint), step by step. replay.c found the steps;
 * here they are only applied.
 */
#include "history/chain/chain.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "history/chain/checkpoints.h"
#include "history/chain/read_evidence.h"
#include "history/step/patch_fit.h"

#include <stdlib.h>

#define GONE   "the records behind it are gone or have changed"
#define ENDING "line endings are not recorded; those of Unix are assumed"
#define BROKEN "some bytes were not valid text and are not recorded"
#define FORM   "the encoding is not recorded; UTF-8 is assumed"

static const struct ccfc_side_state *
side_at_place(const struct ccfc_chain *chain, uint64_t at)
{
	const struct ccfc_node *node = &chain->nodes[at / 2];

	return at % 2 ? &node->after : &node->before;
}

static bool can_read_directly(const struct ccfc_chain *chain, uint64_t at)
{
	enum ccfc_how how = side_at_place(chain, at)->how;

	return how == CCFC_HOW_EVIDENCE || how == CCFC_HOW_COPY ||
	       how == CCFC_HOW_DISK || how == CCFC_HOW_READ ||
	       (at % 2 == 0 &&
		ccfc_checkpoints_get(chain, (uint32_t)(at / 2)).ptr);
}

/* The place from which the text at `at` is derived. */
static uint64_t source_place(const struct ccfc_chain *chain, uint64_t at)
{
	enum ccfc_how how = side_at_place(chain, at)->how;

	if (at % 2)
		return how == CCFC_HOW_STEP ? at - 1 : at + 1;
	if (how == CCFC_HOW_BASE)
		return ccfc_place_of(chain->nodes[at / 2].base, true);
	if (how == CCFC_HOW_NEXT)
		return at + 2;
	return how == CCFC_HOW_SAME ? at - 1 : at + 1;
}

bool ccfc_history_blob(struct ccfc_buf *out, const struct ccfc_history_env *env,
		       const char *key)
{
	struct ccfc_blob_key sum;

	ccfc_buf_clear(out);
	return env->blobs && ccfc_blob_key_read(&sum, key) &&
	       !ccfc_blobs_get(out, env->blobs, &sum, CCFC_HISTORY_FILE_MAX,
			       NULL);
}

bool ccfc_chain_copy_bytes(struct ccfc_buf *out, const struct ccfc_chain *chain,
			   uint32_t copy)
{
	const char *path = chain->copies.items[copy].file.path;
	struct ccfc_file_info info;

	if (path && chain->copies.items[copy].observed)
		return ccfc_history_blob(out, &chain->history->env, path);
	return path &&
	       !ccfc_file_read_kept(out, &info,
				    ccfc_tail_attic(chain->history->env.tail),
				    path, CCFC_HISTORY_FILE_MAX) &&
	       info.regular;
}

bool ccfc_chain_disk_bytes(struct ccfc_buf *out, const struct ccfc_chain *chain)
{
	struct ccfc_file_info info;

	return !ccfc_file_read(out, &info, ccfc_chain_path(chain),
			       CCFC_HISTORY_FILE_MAX, NULL) &&
	       info.regular;
}

/* Decodes what `read` put into `bytes`. */
static void decode_text(struct ccfc_buf *out, struct ccfc_slice bytes)
{
	struct ccfc_form form;

	ccfc_form_decode(out, &form, bytes);
}

static bool read_text_directly(struct ccfc_buf *out, struct ccfc_chain *chain,
			       uint64_t at)
{
	const struct ccfc_side_state *side = side_at_place(chain, at);
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_slice mark = CCFC_SLICE_NONE;
	struct ccfc_evidence ev;
	bool got;

	if (at % 2 == 0)
		mark = ccfc_checkpoints_get(chain, (uint32_t)(at / 2));
	if (mark.ptr) {
		ccfc_buf_clear(out);
		ccfc_buf_slice(out, mark);
		return true;
	}
	if (side->how == CCFC_HOW_EVIDENCE) {
		got = ccfc_chain_evidence(&ev, chain, (uint32_t)(at / 2));
		if (got)
			decode_text(out, at % 2 ? ev.after : ev.original);
		return got;
	}
	if (side->how == CCFC_HOW_READ)
		return ccfc_read_evidence_again(out, chain, (uint32_t)(at / 2));
	got = side->how == CCFC_HOW_DISK
		      ? ccfc_chain_disk_bytes(&bytes, chain)
		      : ccfc_chain_copy_bytes(&bytes, chain, side->copy);
	if (got)
		decode_text(out, ccfc_buf_view(&bytes));
	ccfc_buf_release(&bytes);
	return got;
}

/* Replaces `text`, the text at `at`, by that at the neighbouring place `to`. */
static bool move_text(struct ccfc_buf *text, struct ccfc_chain *chain,
		      uint64_t at, uint64_t to)
{
	struct ccfc_buf next = CCFC_BUF_INIT;
	struct ccfc_evidence ev;
	bool done;

	if (at / 2 != to / 2)
		return true; /* across a gap without a change */
	if (!ccfc_chain_evidence(&ev, chain, (uint32_t)(at / 2)))
		return false;
	done = to > at ? ccfc_step_repeat(&next, chain->nodes[at / 2].rule, &ev,
					  ccfc_buf_view(text))
		       : ccfc_step_back(&next, &ev, ccfc_buf_view(text)) !=
				 CCFC_STEP_NO;
	ccfc_buf_release(text);
	*text = next;
	return done;
}

/* Has the text the hash that replay noted? Files may have changed since. */
static bool has_noted_hash(struct ccfc_chain *chain,
			   const struct ccfc_side_state *side,
			   struct ccfc_slice text)
{
	bool right = ccfc_hash_slice(text) == side->hash;

	chain->stale |= !right;
	return right;
}

static bool is_last_text(const struct ccfc_chain *chain, uint64_t at)
{
	return chain->has_last && chain->last_at == at &&
	       chain->last_hash == side_at_place(chain, at)->hash;
}

static bool read_start_text(struct ccfc_buf *out, struct ccfc_chain *chain,
			    uint64_t at)
{
	if (can_read_directly(chain, at))
		return read_text_directly(out, chain, at);
	ccfc_buf_clear(out);
	ccfc_buf_slice(out, ccfc_buf_view(&chain->last));
	return true;
}

static void keep_last_text(struct ccfc_chain *chain, uint64_t at,
			   struct ccfc_slice text)
{
	ccfc_buf_clear(&chain->last);
	ccfc_buf_slice(&chain->last, text);
	chain->last_at = at;
	chain->last_hash = side_at_place(chain, at)->hash;
	chain->has_last = true;
}

/* The text at a place: reads the nearest whole text, then applies the steps. */
static bool rebuild_text(struct ccfc_buf *out, struct ccfc_chain *chain,
			 uint64_t at)
{
	struct {
		uint64_t *items;
		uint32_t n, cap;
	} way = { 0 };
	bool got = true;

	/*
	 * Collects the places on the way to the nearest text that can be read.
	 */
	while (got && !can_read_directly(chain, at) &&
	       !is_last_text(chain, at)) {
		got = side_at_place(chain, at)->how != CCFC_HOW_NOT;
		CCFC_VEC_PUSH(way, at);
		if (got)
			at = source_place(chain, at);
	}
	got = got && read_start_text(out, chain, at);
	while (got && way.n) {
		uint64_t to = way.items[--way.n];

		got = move_text(out, chain, at, to);
		at = to;
	}
	free(way.items);
	return got;
}

bool ccfc_chain_text(struct ccfc_buf *out, struct ccfc_chain *chain, uint32_t i,
		     bool after)
{
	uint64_t want = ccfc_place_of(i, after);

	if (!rebuild_text(out, chain, want))
		return false;
	if (!has_noted_hash(chain, side_at_place(chain, want),
			    ccfc_buf_view(out)))
		return false;
	if (!is_last_text(chain, want))
		keep_last_text(chain, want, ccfc_buf_view(out));
	return true;
}

/* --- what readers get --- */

static bool has_raw_bytes(const struct ccfc_side_state *side)
{
	return side->how == CCFC_HOW_COPY || side->how == CCFC_HOW_DISK ||
	       (side->how == CCFC_HOW_EVIDENCE && side->seen);
}

/* The state's bytes as they are in the evidence, a backup or the disk. */
static bool read_raw_bytes(struct ccfc_buf *out, struct ccfc_chain *chain,
			   uint32_t i, bool after)
{
	const struct ccfc_node *node = &chain->nodes[i];
	const struct ccfc_side_state *side =
		after ? &node->after : &node->before;
	struct ccfc_evidence ev;

	if (side->how == CCFC_HOW_COPY)
		return ccfc_chain_copy_bytes(out, chain, side->copy);
	if (side->how == CCFC_HOW_DISK)
		return ccfc_chain_disk_bytes(out, chain);
	if (!has_raw_bytes(side) && (!after || !node->whole || !node->as_is ||
				     side->form.encoding != CCFC_UTF8))
		return false;
	if (!ccfc_chain_evidence(&ev, chain, i))
		return false;
	ccfc_buf_clear(out);
	ccfc_buf_slice(out, after ? ev.after : ev.original);
	return true;
}

/* The same; false if they differ from what replay read. */
static bool read_checked_raw_bytes(struct ccfc_buf *out,
				   struct ccfc_chain *chain, uint32_t i,
				   bool after)
{
	const struct ccfc_node *node = &chain->nodes[i];
	const struct ccfc_side_state *side =
		after ? &node->after : &node->before;
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_form form;
	bool right;

	if (!read_raw_bytes(out, chain, i, after))
		return false;
	ccfc_form_decode(&text, &form, ccfc_buf_view(out));
	right = has_noted_hash(chain, side, ccfc_buf_view(&text));
	/* The hash does not cover line endings and encoding. */
	if (right && has_raw_bytes(side))
		right = form.eol == side->form.eol &&
			form.mixed == side->form.mixed &&
			form.encoding == side->form.encoding;
	chain->stale |= !right;
	ccfc_buf_release(&text);
	return right;
}

static bool read_state_bytes(struct ccfc_buf *out, struct ccfc_chain *chain,
			     uint32_t i, bool after)
{
	const struct ccfc_node *node = &chain->nodes[i];
	const struct ccfc_side_state *side =
		after ? &node->after : &node->before;
	struct ccfc_form form = { 0 };
	struct ccfc_buf text = CCFC_BUF_INIT;
	bool got;

	if (read_checked_raw_bytes(out, chain, i, after))
		return true;
	if (has_raw_bytes(side))
		return false;
	if (side->has_form)
		form = side->form;
	form.mixed = false;
	got = ccfc_chain_text(&text, chain, i, after);
	if (got)
		ccfc_form_encode(out, &form, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
	return got;
}

/* Why the state's form is not certain, or NULL. */
static const char *form_doubt(const struct ccfc_side_state *side)
{
	if (has_raw_bytes(side))
		return NULL;
	if (side->has_bad)
		return BROKEN;
	if (side->has_form && side->form_proven)
		return NULL;
	if (side->has_mark)
		return FORM;
	return side->has_lines ? ENDING : NULL;
}

static void read_patch_lines(struct ccfc_content_state *out,
			     struct ccfc_chain *chain, uint32_t i, bool after,
			     struct ccfc_arena *arena)
{
	struct ccfc_known *known;
	struct ccfc_patch_fit unfold;
	struct ccfc_evidence ev;
	bool guessed = false;

	if (!ccfc_chain_evidence(&ev, chain, i) || !ev.has_patch)
		return;
	ccfc_patch_fit_init(&unfold, &ev,
			    after ? CCFC_SIDE_NEW : CCFC_SIDE_OLD);
	known = ccfc_arena_alloc(arena, ev.nhunks * sizeof(*known));
	for (uint32_t h = 0; h < ev.nhunks; h++) {
		const struct ccfc_hunk *hunk = &ev.hunks[h];
		struct ccfc_buf text = CCFC_BUF_INIT;

		known[h].line = after ? hunk->new_start : hunk->old_start;
		known[h].nlines = after ? hunk->new_lines : hunk->old_lines;
		for (uint32_t k = 0; k < hunk->nlines; k++) {
			struct ccfc_slice line = hunk->lines[k];

			if (!line.len || (line.ptr[0] != ' ' &&
					  line.ptr[0] != (after ? '+' : '-')))
				continue;
			line = ccfc_slice(line.ptr + 1, line.len - 1);
			ccfc_buf_slice(&text, ccfc_patch_fit_get(&unfold, line,
								 &guessed));
			ccfc_buf_putc(&text, '\n');
		}
		known[h].text = ccfc_arena_copy(arena, ccfc_buf_view(&text));
		ccfc_buf_release(&text);
	}
	ccfc_patch_fit_release(&unfold);
	out->known = known;
	out->nknown = ev.nhunks;
}

static void read_state(struct ccfc_content_state *out, struct ccfc_chain *chain,
		       uint32_t i, bool after, struct ccfc_arena *arena)
{
	const struct ccfc_node *node = &chain->nodes[i];
	const struct ccfc_side_state *side =
		after ? &node->after : &node->before;
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	const char *why = form_doubt(side);

	*out = (struct ccfc_content_state){ .fidelity = side->fidelity,
					    .origin = side->origin,
					    .exists = side->exists,
					    .why = side->why ? side->why : "" };
	if (side->fidelity == CCFC_FIDELITY_RECONSTRUCTED)
		out->assumed = CCFC_ASSUMED_CONTENT;
	if (side->how == CCFC_HOW_NOT) {
		if (side->fidelity == CCFC_FIDELITY_PARTIAL)
			read_patch_lines(out, chain, i, after, arena);
		return;
	}
	if (!side->exists)
		return;
	if (!read_state_bytes(&bytes, chain, i, after)) {
		*out = (struct ccfc_content_state){ .exists = true,
						    .why = GONE };
	} else {
		out->bytes = ccfc_arena_copy(arena, ccfc_buf_view(&bytes));
		if (why && out->fidelity == CCFC_FIDELITY_EXACT) {
			out->fidelity = CCFC_FIDELITY_RECONSTRUCTED;
			out->assumed = side->has_bad ? CCFC_ASSUMED_CONTENT
						     : CCFC_ASSUMED_FORM;
			out->why = why;
		}
	}
	ccfc_buf_release(&bytes);
}

void ccfc_chain_before(struct ccfc_content_state *out, struct ccfc_chain *chain,
		       uint32_t i, struct ccfc_arena *arena)
{
	read_state(out, chain, i, false, arena);
}

void ccfc_chain_after(struct ccfc_content_state *out, struct ccfc_chain *chain,
		      uint32_t i, struct ccfc_arena *arena)
{
	read_state(out, chain, i, true, arena);
}

/* A patch line with its sign, and with the file's tabs in place of spaces. */
static struct ccfc_slice unfold_patch_line(struct ccfc_slice line,
					   struct ccfc_patch_fit sides[2],
					   struct ccfc_arena *arena)
{
	bool guessed = false;
	struct ccfc_slice text;
	char *copy;

	if (!line.len)
		return ccfc_arena_copy(arena, line);
	text = ccfc_patch_fit_get(&sides[line.ptr[0] == '+'],
				  ccfc_slice(line.ptr + 1, line.len - 1),
				  &guessed);
	copy = ccfc_arena_alloc(arena, text.len + 2);
	copy[0] = line.ptr[0];
	memcpy(copy + 1, text.ptr, text.len);
	copy[text.len + 1] = '\0';
	return ccfc_slice(copy, text.len + 1);
}

bool ccfc_chain_patch(const struct ccfc_hunk **hunks, uint32_t *n,
		      struct ccfc_chain *chain, uint32_t i,
		      struct ccfc_arena *arena)
{
	struct ccfc_patch_fit sides[2];
	struct ccfc_evidence ev;
	struct ccfc_hunk *copy;

	if (!ccfc_chain_evidence(&ev, chain, i) || !ev.has_patch)
		return false;
	ccfc_patch_fit_init(&sides[0], &ev, CCFC_SIDE_OLD);
	ccfc_patch_fit_init(&sides[1], &ev, CCFC_SIDE_NEW);
	copy = ccfc_arena_alloc(arena, ev.nhunks * sizeof(*copy));
	for (uint32_t h = 0; h < ev.nhunks; h++) {
		copy[h] = ev.hunks[h];
		copy[h].lines = ccfc_arena_alloc(
			arena, (copy[h].nlines + 1) * sizeof(*copy[h].lines));
		for (uint32_t k = 0; k < copy[h].nlines; k++)
			copy[h].lines[k] = unfold_patch_line(
				ev.hunks[h].lines[k], sides, arena);
	}
	ccfc_patch_fit_release(&sides[0]);
	ccfc_patch_fit_release(&sides[1]);
	*hunks = copy;
	*n = ev.nhunks;
	return true;
}
