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
 * Then the disk and a pass back fill in states from later ones
 * (replay_back.c). Where they show the front in another light, the pass
 * forwards begins anew from there.
 */
#include "history/chain/replay.h"

#include "base/alloc.h"
#include "history/chain/checkpoints.h"
#include "history/chain/order.h"

#define CALL_ONLY "only the call is recorded, not what it did"
#define TEXT_ONLY "from the text of the command, not from its effect"
#define MOVED	  "as the file was that the command moved or copied there"
#define WENT_ON                                                                \
	"from the text of the command, which may have changed it again later"
#define HIDDEN	   "the effect of the command is not recorded"
#define NO_NEWLINE "whether its last line ends in a newline is not recorded"

/* How often a pass goes back for another order, and the last one for the
 * disk. */
#define MENDS_MAX 1000u
#define ENDS_MAX  8u

enum ccfc_gap ccfc_replay_gap(const struct ccfc_side_state *last,
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
	node->gap = ccfc_replay_gap(&node[-1].after, node, r->has_ev);
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
	return ev->from_result ? CCFC_ASSUMED : CALL_ONLY;
}

static void take_step(struct ccfc_replay *r, struct ccfc_node *node)
{
	const struct ccfc_side_state *before = &node->before;
	enum ccfc_step step = ccfc_step_find(&r->hand, &node->rule, &r->ev,
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
		(step == CCFC_STEP_GUESSED && node->rule != CCFC_RULE_STRINGS);
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
	if (node->rule == CCFC_RULE_SAME)
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
	else if (node->rule == CCFC_RULE_SAME)
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
	ccfc_replay_meet_disk(r);
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
			if (!ccfc_replay_back(&from, r))
				return;
			keep_lost(r->chain);
		}
		end_anew(r, from);
	}
	ccfc_replay_back(NULL, r);
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
		ccfc_replay_meet_disk(&r);
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
