/*
 * Replay: one pass over a file's changes in the order of their effects,
 * carrying the known text along (the text in hand). For each change:
 *
 * - before: what its result shows; else a backup of that moment, or the text in
 *   hand, whichever the change fits; else it is not known.
 * - after: what it wrote whole; else its step from before.
 *
 * If the next change contradicts the text in hand, somebody else changed the
 * file: an outside step. If it does not, somebody may still have changed
 * another part of the file: so carried-over states are `pending`, and become
 * exact when they lead to a later state that is known by itself.
 *
 * Then a backward pass fills in states from later ones, starting at each state
 * that is known by itself and at the disk.
 */
#include "history/chain/replay.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "history/chain/checkpoints.h"
#include "history/chain/order.h"

#define CALL_ONLY "only the call is recorded, not what it did"
#define ASSUMED	  "the change's patch does not confirm it"
#define LATER	  "reconstructed from a later state"
#define TEXT_ONLY "from the text of the command, not from its effect"
#define MOVED	  "as the file was that the command moved or copied there"
#define WENT_ON                                                                \
	"from the text of the command, which may have changed it again later"
#define HIDDEN	   "the effect of the command is not recorded"
#define FOUND	   "from the next known state; others may have changed it, too"
#define NO_NEWLINE "whether its last line ends in a newline is not recorded"

/* A tool may be this much ahead of the line of its call. */
#define EARLY_MS 10000
/* How often a pass goes back for another order, and the last one for the
 * disk. */
#define MENDS_MAX 1000u
#define ENDS_MAX  8u
/* What a command wrote may be seen this much after its end. */
#define LATE_MS 100

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

/* How sure is what a command left, of which the whole is known? */
static void doubt_shell(const struct ccfc_replay *r, struct ccfc_node *node)
{
	if (r->ev.seen_after)
		return;
	if (r->ev.from_text)
		ccfc_state_weaken(&node->after,
				  r->ev.went_on ? WENT_ON
				  : r->ev.moved ? MOVED
						: TEXT_ONLY,
				  true);
	else if (r->ev.has_after && r->ev.open_end)
		ccfc_state_weaken(&node->after, NO_NEWLINE, true);
	else
		return;
	node->after.guessed = true;
}

static void take_whole(struct ccfc_replay *r, struct ccfc_node *node)
{
	struct ccfc_form form;

	ccfc_form_decode(&r->hand, &form, r->ev.after);
	ccfc_state_set(&node->after, CCFC_HOW_EVIDENCE,
		       r->ev.seen_after ? CCFC_ORIGIN_OBSERVED
					: CCFC_ORIGIN_WRITE,
		       ccfc_buf_view(&r->hand));
	node->own = form;
	if (r->ev.seen_after)
		ccfc_state_set_seen(&node->after, &form);
	if (r->ev.is_shell) {
		doubt_shell(r, node);
		return;
	}
	node->after.has_bad = false; /* written so */
	if (!r->ev.from_result)
		ccfc_state_weaken(&node->after, CALL_ONLY, true);
}

/* A command deleted the file. */
static void take_gone(struct ccfc_replay *r, struct ccfc_node *node)
{
	ccfc_buf_clear(&r->hand);
	ccfc_state_set_absent(&node->after, CCFC_HOW_EVIDENCE,
			      r->ev.seen_after	  ? CCFC_ORIGIN_OBSERVED
			      : r->ev.from_result ? CCFC_ORIGIN_RESULT
						  : CCFC_ORIGIN_CALL);
	doubt_shell(r, node);
}

/* What the change did was there when it came. */
static void take_same(struct ccfc_replay *r, struct ccfc_node *node)
{
	ccfc_buf_clear(&r->hand);
	ccfc_buf_slice(&r->hand, ccfc_buf_view(&r->text));
	node->after = node->before;
	node->after.how =
		node->before.exists ? CCFC_HOW_STEP : CCFC_HOW_EVIDENCE;
}

/* What a step that nothing confirms goes by. */
static const char *assumed(const struct ccfc_evidence *ev)
{
	if (ev->is_shell)
		return ev->from_result ? NO_NEWLINE
		       : ev->went_on   ? WENT_ON
				       : TEXT_ONLY;
	return ev->from_result ? ASSUMED : CALL_ONLY;
}

static void take_step(struct ccfc_replay *r, struct ccfc_node *node)
{
	const struct ccfc_side_state *before = &node->before;
	enum ccfc_step step = ccfc_step_find(&r->hand, &node->way, &r->ev,
					     ccfc_buf_view(&r->text));

	if (step == CCFC_STEP_NO) {
		node->lossy = ccfc_step_is_hidden(&r->ev);
		ccfc_state_set_unknown(&node->after, r->ev.has_patch,
				       node->lossy ? HIDDEN : CCFC_NO_FIT);
		return;
	}
	ccfc_state_set(&node->after, CCFC_HOW_STEP,
		       before->how == CCFC_HOW_SAME ? CCFC_ORIGIN_REPLAY
		       : r->ev.from_result	    ? CCFC_ORIGIN_RESULT
						    : CCFC_ORIGIN_CALL,
		       ccfc_buf_view(&r->hand));
	if (!r->ev.is_shell)
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
		ccfc_state_weaken(&node->after, assumed(&r->ev), true);
}

static void note_shell(const struct ccfc_replay *r, struct ccfc_node *node)
{
	node->is_shell = r->has_ev && r->ev.is_shell;
	node->from_text =
		node->is_shell && (r->ev.from_text || r->ev.confirmed);
	node->brings = node->is_shell && r->ev.brings;
	node->with_cr = node->is_shell && r->ev.with_cr;
	node->without_cr = node->is_shell && r->ev.without_cr;
}

/* Is what was there before of no account? */
static bool is_whole(const struct ccfc_replay *r, const struct ccfc_node *node)
{
	if (node->way == CCFC_WAY_SAME)
		return false;
	/* Lines that were seen count more than the text of a command. */
	if (r->ev.has_patch && r->ev.has_after && r->ev.from_text)
		return !ccfc_state_is_known(&node->before);
	return r->ev.has_after || r->ev.gone;
}

static void find_after(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	node->has_patch = r->has_ev && r->ev.has_patch;
	note_shell(r, node);
	node->whole = r->has_ev && is_whole(r, node);
	if (!r->has_ev)
		ccfc_state_set_unknown(&node->after, false, CCFC_NO_LINES);
	else if (node->way == CCFC_WAY_SAME)
		take_same(r, node);
	else if (r->ev.gone)
		take_gone(r, node);
	else if (node->whole)
		take_whole(r, node);
	else if (ccfc_state_is_known(&node->before))
		take_step(r, node);
	else
		ccfc_state_set_unknown(&node->after, r->ev.has_patch,
				       ccfc_step_is_hidden(&r->ev)
					       ? HIDDEN
					       : node->before.why);
}

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

/* `r->ev` is that of the last node. */
static void meet_disk(struct ccfc_replay *r)
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
	step = ccfc_step_find(&r->text, &node->way, &r->ev, text);
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
		node->gap = gap_between(&node[-1].after, node, true);
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
		ccfc_state_weaken(&node->before, ASSUMED, false);
	node->before.guessed = node->after.guessed || step == CCFC_STEP_GUESSED;
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
	if (!ccfc_state_is_known(&node->after) && !after_from_next(r, i)) {
		if (was_lost(r, i) || !was_first(r, i) ||
		    !after_from_next(r, i))
			return;
	}
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
	chain->nforward = r->open_gap ? 0 : chain->n;
	chain->mended = r->mended;
	chain->ordered = r->ordered;
	chain->hand = r->hand;
	r->hand = (struct ccfc_buf)CCFC_BUF_INIT;
}

/* --- the order --- */

/* Nodes from there on are to be replayed anew. */
static void start_anew(struct ccfc_replay *r, uint32_t from)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_side_state *last;

	for (uint32_t i = from; i < chain->n; i++) {
		struct ccfc_node fresh = ccfc_node_fresh(&chain->nodes[i]);

		fresh.time = chain->nodes[i].time;
		fresh.base = chain->nodes[i].base;
		chain->nodes[i] = fresh;
	}
	chain->has_last = false;
	ccfc_checkpoints_cut(chain, from);
	ccfc_buf_clear(&r->hand);
	if (!from)
		return;
	last = &chain->nodes[from - 1].after;
	if (ccfc_state_is_known(last) && last->exists &&
	    !ccfc_chain_text(&r->hand, chain, from - 1, true))
		ccfc_state_set_unknown(last, chain->nodes[from - 1].has_patch,
				       CCFC_NO_LINES);
}

/* Node i does not follow from the one in front: is there another way? */
static bool mend_gap(uint32_t *from, struct ccfc_replay *r, uint32_t i)
{
	const struct ccfc_node *node = &r->chain->nodes[i];

	/* What it was made from is found out already. */
	if (!i || node->gap == CCFC_GAP_NONE ||
	    node->before.how == CCFC_HOW_BASE ||
	    !ccfc_state_is_known(&node[-1].after))
		return false;
	if (ccfc_order_mend(from, r, i))
		return true;
	if (ccfc_state_is_known(&node->before) && node->before.exists &&
	    ccfc_lost_mend(from, r, i, ccfc_buf_view(&r->text)))
		return true;
	r->has_ev = ccfc_chain_evidence(&r->ev, r->chain, i);
	return false;
}

/* The pass forwards; false when it would have to go back too far. */
static bool go_forward(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_chain *chain = r->chain;
	uint32_t mends = 0, from;

	while (i < chain->n) {
		r->has_ev = ccfc_chain_evidence(&r->ev, chain, i);
		ccfc_replay_before(r, i);
		find_gap(r, i);
		if (mends < MENDS_MAX && mend_gap(&from, r, i)) {
			if (from < chain->nforward)
				return false;
			mends++;
			start_anew(r, from);
			i = from;
			continue;
		}
		if (chain->nodes[i].before.how == CCFC_HOW_SAME)
			ccfc_checkpoints_add(chain, i, ccfc_buf_view(&r->text),
					     false);
		find_after(r, i);
		i++;
	}
	return true;
}

/*
 * The pass back. Where it meets what the pass forwards found, and both are not
 * the same, an update may have been lost further in front: true then, with
 * `from` where to begin anew. NULL: not asked for.
 */
static bool go_back(uint32_t *from, struct ccfc_replay *r)
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

/* The disk does not follow from the last change: is there another way? */
static bool mend_end(struct ccfc_replay *r, uint32_t *from)
{
	struct ccfc_chain *chain = r->chain;

	bool differs = chain->last_gap == CCFC_GAP_OUTSIDE &&
		       ccfc_state_is_known(&chain->disk_state);
	uint32_t gap = differs ? chain->n : r->open_gap;

	r->at_end = true;
	r->open_gap = 0;
	if (gap && ccfc_order_mend(from, r, gap))
		return true;
	return differs && chain->disk_state.exists &&
	       ccfc_lost_mend(from, r, chain->n, ccfc_buf_view(&r->copy));
}

static void end_anew(struct ccfc_replay *r, uint32_t from)
{
	/* The disk may change: this is not to be gone on from. */
	r->chain->nforward = 0;
	start_anew(r, from);
	go_forward(r, from);
	meet_disk(r);
}

/* The updates that the pass back found to be lost, for the next one forwards.
 */
static void keep_lost(struct ccfc_chain *chain)
{
	for (uint32_t i = 1; i + 1 < chain->n; i++) {
		uint32_t base = i - 1;

		if (chain->nodes[i].before.how != CCFC_HOW_NEXT)
			continue;
		while (base && chain->nodes[base].before.how == CCFC_HOW_NEXT)
			base--;
		chain->nodes[i + 1].base = base;
	}
}

/* From the disk back, as often as that shows the front in another light. */
static void find_end(struct ccfc_replay *r)
{
	uint32_t from;

	for (uint32_t k = 0; k < ENDS_MAX; k++) {
		if (!mend_end(r, &from)) {
			if (!go_back(&from, r))
				return;
			keep_lost(r->chain);
		}
		end_anew(r, from);
	}
	go_back(NULL, r);
}

bool ccfc_replay(struct ccfc_chain *chain)
{
	struct ccfc_replay r = { .chain = chain, .hand = chain->hand };
	bool done;

	chain->hand = (struct ccfc_buf)CCFC_BUF_INIT;
	r.mended = chain->nforward ? chain->mended : 0;
	r.ordered = chain->nforward ? chain->ordered : 0;
	done = go_forward(&r, chain->nforward);
	if (done) {
		keep_forward(&r);
		meet_disk(&r);
		find_end(&r);
		ccfc_replay_returns(chain);
		ccfc_replay_hooks(chain);
		ccfc_replay_forms(chain);
	}
	ccfc_buf_release(&r.hand);
	ccfc_buf_release(&r.text);
	ccfc_buf_release(&r.bytes);
	ccfc_buf_release(&r.copy);
	return done;
}
