/*
 * Replay from the end: what is on the disk, and the pass back, which fills in
 * states from later ones. It starts at each state that is known by itself and
 * at the disk.
 */
#include "base/time.h"
#include "history/chain/checkpoints.h"
#include "history/chain/order.h"

#define LATER "reconstructed from a later state"
#define FOUND "from the next known state; others may have changed it, too"

/* A tool may be this much ahead of the line of its call. */
#define EARLY_MS 10000
/* What a command wrote may be seen this much after its end. */
#define LATE_MS 100

/*
 * What a command made of the file is what is found next, if nothing else is
 * known to have been done in between.
 */
static bool is_hidden_alone(const struct ccfc_replay *r,
			    const struct ccfc_node *node)
{
	return r->has_ev && ccfc_step_is_hidden(&r->ev) &&
	       r->chain->history->env.index->changes.items[node->change].alone;
}

/* --- the disk --- */

/*
 * Was the file last written while that change was under way? The client may
 * run a tool before it has noted the call.
 */
static bool wrote_disk(const struct ccfc_chain *chain,
		       const struct ccfc_node *node)
{
	const struct ccfc_change *change =
		&chain->history->env.index->changes.items[node->change];
	int64_t call = ccfc_index_time(change);

	return call != CCFC_TIME_NONE && chain->disk.mtime >= call - EARLY_MS &&
	       chain->disk.mtime <= node->time;
}

/* Does the disk, whose text is in r->copy, have the change of r->ev in it? */
static bool is_on_disk(struct ccfc_replay *r, const struct ccfc_node *node)
{
	struct ccfc_buf sink = CCFC_BUF_INIT;
	enum ccfc_step step = CCFC_STEP_NO;

	if (r->has_ev)
		step = ccfc_step_back(&sink, &r->ev, ccfc_buf_view(&r->copy));
	ccfc_buf_release(&sink);
	/* There is no way back from a cell, so only the time can tell. */
	return step != CCFC_STEP_NO ||
	       (r->has_ev && r->ev.has_cell && wrote_disk(r->chain, node)) ||
	       (is_hidden_alone(r, node) &&
		r->chain->disk.mtime <= node->time + LATE_MS);
}

/* Was the last change lost, by the one in front of it? */
static bool was_last_lost(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;
	uint32_t i = chain->n - 1;

	if (!i || !ccfc_nodes_overlap(chain, i - 1, i) ||
	    ccfc_state_is_known(&chain->nodes[i - 1].after))
		return false;
	r->has_ev = ccfc_chain_evidence(&r->ev, chain, i - 1);
	if (!is_on_disk(r, &chain->nodes[i - 1]))
		return false;
	ccfc_nodes_swap(chain, i - 1);
	return true;
}

/* Is the file as the last change left it, though we did not know that? */
static void take_disk(struct ccfc_replay *r, struct ccfc_node *last)
{
	bool wrote;

	if (!is_on_disk(r, last) && !was_last_lost(r))
		return;
	wrote = wrote_disk(r->chain, last);
	ccfc_state_set(&last->after, CCFC_HOW_DISK, CCFC_ORIGIN_DISK,
		       ccfc_buf_view(&r->copy));
	/* Also if it was: newer clients run hooks before they note a result. */
	ccfc_state_weaken(&last->after,
			  wrote ? "from the disk; a hook may have changed it"
				: "from the disk, which may have changed since",
			  false);
	last->after.form = r->chain->disk_form;
	last->after.has_form = last->after.form_proven = true;
	r->chain->last_gap = CCFC_GAP_NONE;
}

/* What is read is what counts, if it is not what was looked at. */
static bool read_disk(struct ccfc_replay *r)
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

/* What is on the disk, with its text in r->copy; false: not known. */
static bool find_disk(struct ccfc_replay *r)
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
		if (!read_disk(r))
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

	find_disk(&r);
	ccfc_buf_release(&r.bytes);
	ccfc_buf_release(&r.copy);
}

void ccfc_replay_meet_disk(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *last = &chain->nodes[chain->n - 1];
	struct ccfc_side_state now;

	if (!find_disk(r))
		return;
	now = chain->disk_state;
	if (!ccfc_state_is_known(&last->after)) {
		if (now.exists)
			take_disk(r, last);
		return;
	}
	if (ccfc_state_same(&now, &last->after)) {
		chain->last_gap = CCFC_GAP_NONE;
		ccfc_state_confirm(chain, chain->n);
	} else if (!last->after.guessed) {
		chain->last_gap = CCFC_GAP_OUTSIDE;
	} else if (now.exists) {
		/* It may be our guess that was wrong. */
		take_disk(r, last);
	}
}

/* --- the pass back --- */

/* What the next change found is what this one left, if its patch agrees. */
static bool after_from_next(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	const struct ccfc_side_state *next = &node[1].before;

	bool hidden = is_hidden_alone(r, node);

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
 * What the next change found does not have this one in it, though both were
 * under way at the same time: the next one had read the file before.
 */
static bool was_lost(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	struct ccfc_slice text = ccfc_buf_view(&r->hand);
	enum ccfc_step step;

	if (!r->has_ev || !node[1].before.exists || node[1].before.guessed ||
	    node[1].before.how == CCFC_HOW_SAME ||
	    !ccfc_nodes_overlap(r->chain, i, i + 1))
		return false;
	step = ccfc_step_find(&r->text, &node->rule, &r->ev, text);
	/* What it leaves as it is may have it already: a cell, set again. */
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
 * Node i is not in the text that is in hand, and the one in front of it is,
 * which was under way at the same time: they change places.
 */
static bool was_first(struct ccfc_replay *r, uint32_t i)
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

static bool before_from_after(struct ccfc_replay *r, uint32_t i)
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

/* The text after node i, or before the next, into r->hand. */
static bool take_later(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *node = &chain->nodes[i];
	struct ccfc_buf swap = r->text;

	if (ccfc_state_is_known(&node->after))
		return node->after.exists &&
		       ccfc_chain_text(&r->hand, chain, i, true);
	if (!node[1].before.exists)
		return false;
	/* Mostly it has just been worked out. */
	if (r->before != i + 1)
		return ccfc_chain_text(&r->hand, chain, i + 1, false);
	r->text = r->hand;
	r->hand = swap;
	return true;
}

/* Node i has a side that is not known: can the next tell? */
static void fill_in(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *node = &chain->nodes[i];

	if (!ccfc_state_is_known(&node->after) &&
	    (i + 1 >= chain->n || !ccfc_state_is_known(&node[1].before)))
		return;
	if (!take_later(r, i))
		return;
	r->has_ev = ccfc_chain_evidence(&r->ev, chain, i);
	if (!ccfc_state_is_known(&node->after) && !after_from_next(r, i)) {
		if (was_lost(r, i) || !was_first(r, i) ||
		    !after_from_next(r, i))
			return;
	}
	if (r->has_ev && !ccfc_state_is_known(&node->before))
		before_from_after(r, i);
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
		fill_in(r, i);
		if (from && i && node->gap == CCFC_GAP_OUTSIDE &&
		    node->before.how == CCFC_HOW_STEP_BACK && r->before == i &&
		    ccfc_lost_mend(from, r, i, ccfc_buf_view(&r->text)))
			return true;
	}
	return false;
}
