/*
 * Replay from the end: the disk, and the pass back, which fills in states from
 * later ones. The pass back starts at the disk and at each state that is known
 * by itself.
 */
#include "base/time.h"
#include "history/chain/checkpoints.h"
#include "history/chain/order.h"

#define LATER "reconstructed from a later state"
#define FOUND "from the next known state; others may have changed it, too"

/* A tool may write the file this long before the time of its call. */
#define EARLY_MS 10000
/* A command's write may be seen this long after the command's end. */
#define LATE_MS 100

/*
 * Is the effect of this command unknown, and did no other change of unknown
 * effect happen up to the next one? Then the next state shows the command's
 * effect.
 */
static bool is_only_hidden_command(const struct ccfc_replay *r,
				   const struct ccfc_node *node)
{
	return r->has_ev && ccfc_step_is_hidden(&r->ev) &&
	       r->chain->history->env.index->changes.items[node->change].alone;
}

/* --- the disk --- */

/*
 * Was the file last written during that change? Claude Code may run a tool
 * before it records the call.
 */
static bool is_disk_written_by(const struct ccfc_chain *chain,
			       const struct ccfc_node *node)
{
	const struct ccfc_change *change =
		&chain->history->env.index->changes.items[node->change];
	int64_t call = ccfc_index_time(change);

	return call != CCFC_TIME_NONE && chain->disk.mtime >= call - EARLY_MS &&
	       chain->disk.mtime <= node->time;
}

/* Does the disk, whose text is in r->copy, contain the change of r->ev? */
static bool is_change_on_disk(struct ccfc_replay *r,
			      const struct ccfc_node *node)
{
	struct ccfc_buf sink = CCFC_BUF_INIT;
	enum ccfc_step step = CCFC_STEP_NO;

	if (r->has_ev)
		step = ccfc_step_back(&sink, &r->ev, ccfc_buf_view(&r->copy));
	ccfc_buf_release(&sink);
	/* A cell's edit cannot be undone, so only the time decides. */
	return step != CCFC_STEP_NO ||
	       (r->has_ev && r->ev.has_cell &&
		is_disk_written_by(r->chain, node)) ||
	       (is_only_hidden_command(r, node) &&
		r->chain->disk.mtime <= node->time + LATE_MS);
}

/* Did the previous change overwrite the last one? Then swaps the two. */
static bool swap_if_last_lost(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;
	uint32_t i = chain->n - 1;

	if (!i || !ccfc_nodes_overlap(chain, i - 1, i) ||
	    ccfc_state_is_known(&chain->nodes[i - 1].after))
		return false;
	r->has_ev = ccfc_chain_evidence(&r->ev, chain, i - 1);
	if (!is_change_on_disk(r, &chain->nodes[i - 1]))
		return false;
	ccfc_nodes_swap(chain, i - 1);
	return true;
}

/*
 * Takes the state after the last change from the disk, if the disk contains
 * that change.
 */
static void take_after_from_disk(struct ccfc_replay *r, struct ccfc_node *last)
{
	bool wrote;

	if (!is_change_on_disk(r, last) && !swap_if_last_lost(r))
		return;
	wrote = is_disk_written_by(r->chain, last);
	ccfc_state_set(&last->after, CCFC_HOW_DISK, CCFC_ORIGIN_DISK,
		       ccfc_buf_view(&r->copy));
	/*
	 * Even if it was written then: newer clients run hooks before they
	 * record a result.
	 */
	ccfc_state_weaken(&last->after,
			  wrote ? "from the disk; a hook may have changed it"
				: "from the disk, which may have changed since",
			  false);
	last->after.form = r->chain->disk_form;
	last->after.has_form = last->after.form_proven = true;
	r->chain->last_gap = CCFC_GAP_NONE;
}

/* Reads the file. If it differs from the earlier stat, the read file counts. */
static bool read_disk_bytes(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_file_info info;

	int e = ccfc_file_read(&r->bytes, &info, ccfc_chain_path(chain),
			       CCFC_HISTORY_FILE_MAX, NULL);

	chain->stale |= e == CCFC_EAGAIN || (!e && !info.regular);
	if (e || !info.regular)
		return false;
	chain->stale |= info.stamp != chain->disk.stamp;
	chain->disk = info;
	return true;
}

/* Sets the state of the disk, its text in r->copy; false: unknown. */
static bool read_disk_state(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_side_state now;

	chain->last_gap = CCFC_GAP_UNKNOWN;
	ccfc_state_set_unknown(&chain->disk_state, false, "");
	if (!chain->disk_known)
		return false;
	if (chain->disk.exists && !chain->disk.regular) {
		chain->last_gap = CCFC_GAP_OUTSIDE;
		return false;
	}
	ccfc_state_set_absent(&now, CCFC_HOW_DISK, CCFC_ORIGIN_DISK);
	if (chain->disk.exists) {
		if (!read_disk_bytes(r))
			return false;
		ccfc_form_decode(&r->copy, &chain->disk_form,
				 ccfc_buf_view(&r->bytes));
		ccfc_state_set(&now, CCFC_HOW_DISK, CCFC_ORIGIN_DISK,
			       ccfc_buf_view(&r->copy));
	}
	chain->disk_state = now;
	return true;
}

void ccfc_replay_disk(struct ccfc_chain *chain)
{
	struct ccfc_replay r = { .chain = chain };

	read_disk_state(&r);
	ccfc_buf_release(&r.bytes);
	ccfc_buf_release(&r.copy);
}

void ccfc_replay_compare_disk(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *last = &chain->nodes[chain->n - 1];
	struct ccfc_side_state now;

	if (!read_disk_state(r))
		return;
	now = chain->disk_state;
	if (!ccfc_state_is_known(&last->after)) {
		if (now.exists)
			take_after_from_disk(r, last);
		return;
	}
	if (ccfc_state_same(&now, &last->after)) {
		chain->last_gap = CCFC_GAP_NONE;
		ccfc_state_confirm(chain, chain->n);
	} else if (!last->after.guessed) {
		chain->last_gap = CCFC_GAP_OUTSIDE;
	} else if (now.exists) {
		/* The guess may be wrong. */
		take_after_from_disk(r, last);
	}
}

/* --- the pass back --- */

/*
 * Takes the state after node i from the state before the next node, if the step
 * of node i leads back from there.
 */
static bool set_after_from_next(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	const struct ccfc_side_state *next = &node[1].before;

	bool hidden = is_only_hidden_command(r, node);

	if (!r->has_ev || !next->exists || next->how == CCFC_HOW_SAME ||
	    (!hidden &&
	     ccfc_step_back(&r->text, &r->ev, ccfc_buf_view(&r->hand)) ==
		     CCFC_STEP_NO))
		return false;
	node->after = *next;
	node->after.how = CCFC_HOW_SAME;
	node->after.origin = CCFC_ORIGIN_REPLAY;
	node->after.has_form = node->after.form_proven = false;
	ccfc_state_weaken(&node->after, hidden ? FOUND : LATER, false);
	node[1].gap = CCFC_GAP_NONE;
	return true;
}

/*
 * Was node i lost? The state before the next node does not contain node i, and
 * both overlap: the next change had read the file earlier.
 */
static bool restore_lost_update(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	struct ccfc_slice text = ccfc_buf_view(&r->hand);
	enum ccfc_step step;

	if (!r->has_ev || !node[1].before.exists || node[1].before.guessed ||
	    node[1].before.how == CCFC_HOW_SAME ||
	    !ccfc_nodes_overlap(r->chain, i, i + 1))
		return false;
	step = ccfc_step_find(&r->text, &node->rule, &r->ev, text);
	/*
	 * A step without an effect proves nothing: the text may contain it, as
	 * a cell that is set again.
	 */
	if (step == CCFC_STEP_NO ||
	    ccfc_slice_eq(ccfc_buf_view(&r->text), text))
		return false;
	node->before = node[1].before;
	node->before.how = CCFC_HOW_NEXT;
	node->before.origin = CCFC_ORIGIN_REPLAY;
	node->before.has_form = node->before.form_proven = false;
	ccfc_state_weaken(&node->before, LATER, false);
	ccfc_state_set(&node->after, CCFC_HOW_STEP, CCFC_ORIGIN_REPLAY,
		       ccfc_buf_view(&r->text));
	ccfc_state_weaken(&node->after, LATER, false);
	node[1].gap = CCFC_GAP_OUTSIDE;
	if (i)
		node->gap = ccfc_replay_gap(&node[-1].after, node, true);
	return true;
}

/*
 * Swaps node i, which is not in the text in hand, with the overlapping node in
 * front of it, which is.
 */
static bool swap_if_first(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_chain *chain = r->chain;
	enum ccfc_step step = CCFC_STEP_NO;

	if (!i || !ccfc_nodes_overlap(chain, i - 1, i) ||
	    ccfc_state_is_known(&chain->nodes[i - 1].after))
		return false;
	r->has_ev = ccfc_chain_evidence(&r->ev, chain, i - 1);
	if (r->has_ev)
		step = ccfc_step_back(&r->text, &r->ev,
				      ccfc_buf_view(&r->hand));
	if (step == CCFC_STEP_NO)
		return false;
	ccfc_nodes_swap(chain, i - 1);
	return true;
}

static bool set_before_from_after(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	enum ccfc_step step =
		ccfc_step_back(&r->text, &r->ev, ccfc_buf_view(&r->hand));

	if (step == CCFC_STEP_NO)
		return false;
	ccfc_state_set(&node->before, CCFC_HOW_STEP_BACK, CCFC_ORIGIN_REPLAY,
		       ccfc_buf_view(&r->text));
	ccfc_checkpoints_add(r->chain, i, ccfc_buf_view(&r->text), true);
	r->before = i;
	if (node->after.fidelity != CCFC_FIDELITY_EXACT)
		ccfc_state_weaken(&node->before, node->after.why, false);
	else if (step == CCFC_STEP_GUESSED)
		ccfc_state_weaken(&node->before, CCFC_ASSUMED, false);
	node->before.guessed = node->after.guessed || step == CCFC_STEP_GUESSED;
	if (i)
		node->gap = ccfc_replay_gap(&node[-1].after, node, true);
	return true;
}

/* Sets r->hand to the text after node i, or before the next node. */
static bool load_later_text(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *node = &chain->nodes[i];
	struct ccfc_buf swap = r->text;

	if (ccfc_state_is_known(&node->after))
		return node->after.exists &&
		       ccfc_chain_text(&r->hand, chain, i, true);
	if (!node[1].before.exists)
		return false;
	/* Usually r->text is that text already. */
	if (r->before != i + 1)
		return ccfc_chain_text(&r->hand, chain, i + 1, false);
	r->text = r->hand;
	r->hand = swap;
	return true;
}

/* Fills in the unknown sides of node i from the next node. */
static void fill_unknown_sides(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *node = &chain->nodes[i];

	if (!ccfc_state_is_known(&node->after) &&
	    (i + 1 >= chain->n || !ccfc_state_is_known(&node[1].before)))
		return;
	if (!load_later_text(r, i))
		return;
	r->has_ev = ccfc_chain_evidence(&r->ev, chain, i);
	if (!ccfc_state_is_known(&node->after) && !set_after_from_next(r, i)) {
		if (restore_lost_update(r, i) || !swap_if_first(r, i) ||
		    !set_after_from_next(r, i))
			return;
	}
	if (r->has_ev && !ccfc_state_is_known(&node->before))
		set_before_from_after(r, i);
}

bool ccfc_replay_back(uint32_t *from, struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;

	r->before = CCFC_ID_NONE;
	for (uint32_t i = chain->n; i-- > 0;) {
		const struct ccfc_node *node = &chain->nodes[i];

		if (ccfc_state_is_known(&node->before) &&
		    ccfc_state_is_known(&node->after))
			continue;
		fill_unknown_sides(r, i);
		if (from && i && node->gap == CCFC_GAP_OUTSIDE &&
		    node->before.how == CCFC_HOW_STEP_BACK && r->before == i &&
		    ccfc_lost_search(from, r, i, ccfc_buf_view(&r->text)))
			return true;
	}
	return false;
}
