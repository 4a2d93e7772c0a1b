/*
 * Replay: one pass over a file's changes in the order of their effects, with
 * the text as it is known to be so far in hand. For each change:
 *
 * - before: what its result shows; else a backup of that moment, or the text in
 *   hand, whichever the change fits; else it is not known.
 * - after: what it wrote whole; else its step from before.
 *
 * A text in hand that the next change contradicts was changed by somebody
 * else: an outside step. One that it merely does not contradict may have been,
 * elsewhere in the file: so states that were carried over are `pending`, and
 * become exact when a later one, known by itself, is what they lead to.
 *
 * Then a pass back fills in what only later states tell, down from each state
 * that is known by itself and from the disk.
 */
#include "history/chain/replay.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "history/chain/checkpoints.h"

#define CALL_ONLY "only the call is recorded, not what it did"
#define ASSUMED	  "the change's own patch does not confirm it"
#define LATER	  "worked out from a later state"

/* A tool may be this much ahead of the line of its call. */
#define EARLY_MS 10000
/* Changes that are put in another place than their times say. */
#define SWAPS_MAX 1000u

static enum ccfc_gap gap_between(const struct ccfc_side_state *last,
				 const struct ccfc_node *node, bool has_ev)
{
	if (ccfc_state_is_known(last) && ccfc_state_is_known(&node->before) &&
	    ccfc_state_same(last, &node->before))
		return CCFC_GAP_NONE;
	/* It may be our guess that was wrong. */
	if (last->guessed || node->before.guessed)
		return CCFC_GAP_UNKNOWN;
	if (ccfc_state_is_known(last) && ccfc_state_is_known(&node->before))
		return CCFC_GAP_OUTSIDE;
	/* Known, and the change does not fit: somebody changed it. */
	if (ccfc_state_is_known(last) && has_ev)
		return CCFC_GAP_OUTSIDE;
	return CCFC_GAP_UNKNOWN;
}

static void find_gap(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	if (!i)
		return;
	node->gap = gap_between(&node[-1].after, node, r->has_ev);
	/* A backup that is not of this moment is still of after the last. */
	if (node->gap == CCFC_GAP_NONE && node->before.how != CCFC_HOW_SAME &&
	    (node->before.fidelity == CCFC_FIDELITY_EXACT ||
	     (node->before.how == CCFC_HOW_COPY && node->before.pending)))
		ccfc_state_confirm(r->chain, i);
}

/* --- after --- */

static void take_whole(struct ccfc_replay *r, struct ccfc_node *node)
{
	struct ccfc_form form;

	ccfc_form_decode(&r->hand, &form, r->ev.after);
	ccfc_state_set(&node->after, CCFC_HOW_EVIDENCE, CCFC_ORIGIN_WRITE,
		       ccfc_buf_view(&r->hand));
	node->after.has_bad = false; /* written so */
	node->own = form;
	if (!r->ev.from_result)
		ccfc_state_weaken(&node->after, CALL_ONLY, true);
}

static void take_step(struct ccfc_replay *r, struct ccfc_node *node)
{
	const struct ccfc_side_state *before = &node->before;
	enum ccfc_step step = ccfc_step_find(&r->hand, &node->way, &r->ev,
					     ccfc_buf_view(&r->text));

	if (step == CCFC_STEP_NO) {
		ccfc_state_set_unknown(&node->after, r->ev.has_patch,
				       CCFC_NO_FIT);
		return;
	}
	ccfc_state_set(&node->after, CCFC_HOW_STEP,
		       before->how == CCFC_HOW_SAME ? CCFC_ORIGIN_REPLAY
		       : r->ev.from_result	    ? CCFC_ORIGIN_RESULT
						    : CCFC_ORIGIN_CALL,
		       ccfc_buf_view(&r->hand));
	node->after.has_bad = false;
	node->lossy = !ccfc_step_is_only(&r->ev, ccfc_buf_view(&r->text),
					 ccfc_buf_view(&r->hand));
	/* Plain strings leave nothing to guess. */
	node->after.guessed =
		before->guessed ||
		(step == CCFC_STEP_GUESSED && node->way != CCFC_WAY_STRINGS);
	if (before->fidelity != CCFC_FIDELITY_EXACT)
		ccfc_state_weaken(&node->after, before->why, before->pending);
	else if (step == CCFC_STEP_GUESSED)
		ccfc_state_weaken(&node->after,
				  r->ev.from_result ? ASSUMED : CALL_ONLY,
				  true);
}

static void find_after(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	node->has_patch = r->has_ev && r->ev.has_patch;
	node->whole = r->has_ev && r->ev.has_after;
	if (!r->has_ev)
		ccfc_state_set_unknown(&node->after, false, CCFC_NO_LINES);
	else if (r->ev.has_after)
		take_whole(r, node);
	else if (ccfc_state_is_known(&node->before))
		take_step(r, node);
	else
		ccfc_state_set_unknown(&node->after, r->ev.has_patch,
				       node->before.why);
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

/* Is the file as the last change left it, though we did not know that? */
static void take_disk(struct ccfc_replay *r, struct ccfc_node *last)
{
	bool wrote = wrote_disk(r->chain, last);
	struct ccfc_buf sink = CCFC_BUF_INIT;
	enum ccfc_step step = CCFC_STEP_NO;

	if (r->has_ev)
		step = ccfc_step_back(&sink, &r->ev, ccfc_buf_view(&r->copy));
	ccfc_buf_release(&sink);
	/* There is no way back from a cell, so only the time can tell. */
	if (step == CCFC_STEP_NO && !(r->has_ev && r->ev.has_cell && wrote))
		return;
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

/* `r->ev` is that of the last node. */
static void meet_disk(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *last = &chain->nodes[chain->n - 1];
	struct ccfc_side_state now;

	chain->last_gap = CCFC_GAP_UNKNOWN;
	if (!chain->disk_known)
		return;
	if (chain->disk.exists && !chain->disk.regular) {
		chain->last_gap = CCFC_GAP_OUTSIDE;
		return;
	}
	ccfc_state_set_absent(&now, CCFC_HOW_DISK, CCFC_ORIGIN_DISK);
	if (chain->disk.exists) {
		if (!read_disk(r))
			return;
		ccfc_form_decode(&r->copy, &chain->disk_form,
				 ccfc_buf_view(&r->bytes));
		ccfc_state_set(&now, CCFC_HOW_DISK, CCFC_ORIGIN_DISK,
			       ccfc_buf_view(&r->copy));
	}
	if (!ccfc_state_is_known(&last->after)) {
		if (now.exists)
			take_disk(r, last);
		return;
	}
	chain->last_gap = ccfc_state_same(&now, &last->after)
				  ? CCFC_GAP_NONE
				  : CCFC_GAP_OUTSIDE;
	if (chain->last_gap == CCFC_GAP_NONE)
		ccfc_state_confirm(chain, chain->n);
}

/* --- the pass back --- */

/* What the next change found is what this one left, if its patch agrees. */
static bool after_from_next(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	const struct ccfc_side_state *next = &node[1].before;

	if (!r->has_ev || !next->exists || next->how == CCFC_HOW_SAME ||
	    ccfc_step_back(&r->text, &r->ev, ccfc_buf_view(&r->hand)) ==
		    CCFC_STEP_NO)
		return false;
	node->after = *next;
	node->after.how = CCFC_HOW_SAME;
	node->after.origin = CCFC_ORIGIN_REPLAY;
	node->after.has_form = node->after.form_proven = false;
	ccfc_state_weaken(&node->after, LATER, false);
	node[1].gap = CCFC_GAP_NONE;
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
		ccfc_state_weaken(&node->before, ASSUMED, false);
	if (i)
		node->gap = gap_between(&node[-1].after, node, true);
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
	if (!ccfc_state_is_known(&node->after) && !after_from_next(r, i))
		return;
	if (r->has_ev && !ccfc_state_is_known(&node->before))
		before_from_after(r, i);
}

/* The pass forwards ends here; what follows may be other another time. */
static void keep_forward(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;
	size_t size = (chain->n + 1u) * sizeof(*chain->nodes);

	chain->forward = ccfc_realloc(chain->forward, size);
	memcpy(chain->forward, chain->nodes, size);
	if (chain->nforward == chain->n)
		r->has_ev = ccfc_chain_evidence(&r->ev, chain, chain->n - 1);
	chain->nforward = chain->n;
	chain->hand = r->hand;
	r->hand = (struct ccfc_buf)CCFC_BUF_INIT;
}

/* --- the order --- */

/*
 * Did change i come in front of the one that its result's time says was
 * before it? Clients run hooks before they note a result, so of two that were
 * under way at the same time the one with the earlier result may have been the
 * later one. Only believed if both show what they found, and the other found
 * what this one left.
 */
static bool came_first(const struct ccfc_chain *chain, uint32_t i)
{
	const struct ccfc_node *node = &chain->nodes[i], *last = node - 1;
	const struct ccfc_change *all =
		chain->history->env.index->changes.items;
	const struct ccfc_change *a = &all[last->change];
	const struct ccfc_change *b = &all[node->change];

	return node->gap == CCFC_GAP_OUTSIDE && node->shown && last->shown &&
	       ccfc_state_is_known(&node->after) &&
	       ccfc_state_same(&node->after, &last->before) && a->call.known &&
	       b->call.known && a->call.place.source != b->call.place.source &&
	       b->call.time != CCFC_TIME_NONE && b->call.time <= last->time;
}

/* Makes node i the one in front, and goes back to where that is the next. */
static void put_first(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i], *last = node - 1;
	struct ccfc_node fresh = { .change = node->change,
				   .time = last->time,
				   .stamp = node->stamp };

	*node = (struct ccfc_node){ .change = last->change,
				    .time = last->time,
				    .stamp = last->stamp };
	*last = fresh;
	ccfc_checkpoints_cut(r->chain, i - 1);
	ccfc_buf_clear(&r->hand);
	if (i > 1 && ccfc_state_is_known(&last[-1].after) &&
	    last[-1].after.exists &&
	    !ccfc_chain_text(&r->hand, r->chain, i - 2, true))
		ccfc_state_set_unknown(&last[-1].after, last[-1].has_patch,
				       CCFC_NO_LINES);
}

/* The pass forwards; false when it would have to go back too far. */
static bool go_forward(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;
	uint32_t swaps = 0;

	for (uint32_t i = chain->nforward; i < chain->n; i++) {
		r->has_ev = ccfc_chain_evidence(&r->ev, chain, i);
		ccfc_replay_before(r, i);
		find_gap(r, i);
		if (chain->nodes[i].before.how == CCFC_HOW_SAME)
			ccfc_checkpoints_add(chain, i, ccfc_buf_view(&r->text),
					     false);
		find_after(r, i);
		if (!i || !came_first(chain, i) || swaps++ >= SWAPS_MAX)
			continue;
		if (i <= chain->nforward)
			return false;
		put_first(r, i);
		i -= 2; /* and on to where it is now */
	}
	return true;
}

static void go_back(struct ccfc_replay *r)
{
	struct ccfc_chain *chain = r->chain;

	r->before = CCFC_ID_NONE;
	for (uint32_t i = chain->n; i-- > 0;)
		if (!ccfc_state_is_known(&chain->nodes[i].before) ||
		    !ccfc_state_is_known(&chain->nodes[i].after))
			fill_in(r, i);
}

bool ccfc_replay(struct ccfc_chain *chain)
{
	struct ccfc_replay r = { .chain = chain, .hand = chain->hand };
	bool done;

	chain->hand = (struct ccfc_buf)CCFC_BUF_INIT;
	done = go_forward(&r);
	if (done) {
		keep_forward(&r);
		meet_disk(&r);
		go_back(&r);
		ccfc_replay_forms(chain);
	}
	ccfc_buf_release(&r.hand);
	ccfc_buf_release(&r.text);
	ccfc_buf_release(&r.bytes);
	ccfc_buf_release(&r.copy);
	return done;
}
