/*
 * Replay: one pass over a file's changes in the order of their effects. The
 * pass carries the known text along (the text in hand). For each change:
 *
 *   - before: what its result shows; else a backup of that moment or the
 *     text in hand, whichever the change fits; else unknown.
 *   - after: the whole content that it wrote; else its step applied to before.
 *
 * If the next change contradicts the text in hand, somebody else changed the
 * file: an outside step. If not, somebody may still have changed another part
 * of the file. So states carried over are `pending`; they become exact when
 * they lead to a later state that is known by itself.
 *
 * Then the disk and a pass back fill in states from later ones (replay_back.c).
 * If these change what is known about earlier nodes, the forward pass is
 * repeated from there.
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

/*
 * MENDS_MAX: reorderings in a forward pass. ENDS_MAX: repetitions because of
 * the disk.
 */
#define MENDS_MAX 1000u
#define ENDS_MAX  8u

enum ccfc_gap ccfc_replay_gap(const struct ccfc_side_state *last,
			      const struct ccfc_node *node, bool has_ev)
{
	if (ccfc_state_is_known(last) && ccfc_state_is_known(&node->before) &&
	    ccfc_state_same(last, &node->before))
		return CCFC_GAP_NONE;
	/* The guess may be wrong. */
	if (last->guessed || node->before.guessed)
		return CCFC_GAP_UNKNOWN;
	if (ccfc_state_is_known(last) && ccfc_state_is_known(&node->before))
		return CCFC_GAP_OUTSIDE;
	/*
	 * The state is known and the change does not fit it: somebody changed
	 * it.
	 */
	if (ccfc_state_is_known(last) && has_ev)
		return CCFC_GAP_OUTSIDE;
	return CCFC_GAP_UNKNOWN;
}

static void set_gap_before(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	if (!i)
		return;
	node->gap = ccfc_replay_gap(&node[-1].after, node, r->has_ev);
	/*
	 * A backup that was not made for this change still shows a state after
	 * the previous one.
	 */
	if (node->gap == CCFC_GAP_NONE && node->before.how != CCFC_HOW_SAME &&
	    (node->before.fidelity == CCFC_FIDELITY_EXACT ||
	     (node->before.how == CCFC_HOW_COPY && node->before.pending)))
		ccfc_state_confirm(r->chain, i);
}

/* --- after --- */

/* Weakens the state after a command whose whole content is known. */
static void weaken_shell_state(const struct ccfc_replay *r,
			       struct ccfc_node *node)
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

static void set_after_from_content(struct ccfc_replay *r,
				   struct ccfc_node *node)
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
		weaken_shell_state(r, node);
		return;
	}
	node->after.has_bad = false; /* the U+FFFD was written so */
	if (!r->ev.from_result)
		ccfc_state_weaken(&node->after, CALL_ONLY, true);
}

/* A command deleted the file. */
static void set_after_deleted(struct ccfc_replay *r, struct ccfc_node *node)
{
	ccfc_buf_clear(&r->hand);
	ccfc_state_set_absent(&node->after, CCFC_HOW_EVIDENCE,
			      r->ev.seen_after	  ? CCFC_ORIGIN_OBSERVED
			      : r->ev.from_result ? CCFC_ORIGIN_RESULT
						  : CCFC_ORIGIN_CALL);
	weaken_shell_state(r, node);
}

/* The file had the change's effect before the change. */
static void set_after_unchanged(struct ccfc_replay *r, struct ccfc_node *node)
{
	ccfc_buf_clear(&r->hand);
	ccfc_buf_slice(&r->hand, ccfc_buf_view(&r->text));
	node->after = node->before;
	node->after.how =
		node->before.exists ? CCFC_HOW_STEP : CCFC_HOW_EVIDENCE;
}

/* Why a step that nothing confirms is not certain. */
static const char *step_assumption(const struct ccfc_evidence *ev)
{
	if (ev->is_shell)
		return ev->from_result ? NO_NEWLINE
		       : ev->went_on   ? WENT_ON
				       : TEXT_ONLY;
	return ev->from_result ? CCFC_ASSUMED : CALL_ONLY;
}

static void set_after_from_step(struct ccfc_replay *r, struct ccfc_node *node)
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
		ccfc_state_weaken(&node->after, step_assumption(&r->ev), true);
}

static void note_shell_flags(const struct ccfc_replay *r,
			     struct ccfc_node *node)
{
	node->is_shell = r->has_ev && r->ev.is_shell;
	node->from_text =
		node->is_shell && (r->ev.from_text || r->ev.confirmed);
	node->brings = node->is_shell && r->ev.brings;
	node->with_cr = node->is_shell && r->ev.with_cr;
	node->without_cr = node->is_shell && r->ev.without_cr;
}

/* Is the state after independent of the state before? */
static bool is_whole_write(const struct ccfc_replay *r,
			   const struct ccfc_node *node)
{
	if (node->rule == CCFC_RULE_SAME)
		return false;
	/* Recorded lines count more than the text of a command. */
	if (r->ev.has_patch && r->ev.has_after && r->ev.from_text)
		return !ccfc_state_is_known(&node->before);
	return r->ev.has_after || r->ev.gone;
}

static void set_after(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	node->has_patch = r->has_ev && r->ev.has_patch;
	note_shell_flags(r, node);
	node->whole = r->has_ev && is_whole_write(r, node);
	if (!r->has_ev)
		ccfc_state_set_unknown(&node->after, false, CCFC_NO_LINES);
	else if (node->rule == CCFC_RULE_SAME)
		set_after_unchanged(r, node);
	else if (r->ev.gone)
		set_after_deleted(r, node);
	else if (node->whole)
		set_after_from_content(r, node);
	else if (ccfc_state_is_known(&node->before))
		set_after_from_step(r, node);
	else
		ccfc_state_set_unknown(&node->after, r->ev.has_patch,
				       ccfc_step_is_hidden(&r->ev)
					       ? HIDDEN
					       : node->before.why);
}

/*
 * Stores the end of the forward pass. What follows depends on the disk and may
 * differ next time.
 */
static void store_forward_pass(struct ccfc_replay *r)
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

/* Resets the nodes from there on, to be replayed again. */
static void reset_nodes_from(struct ccfc_replay *r, uint32_t from)
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

/* Node i does not follow from the previous one: searches another order. */
static bool reorder_at_gap(uint32_t *from, struct ccfc_replay *r, uint32_t i)
{
	const struct ccfc_node *node = &r->chain->nodes[i];

	/* The state that it was made from is known already. */
	if (!i || node->gap == CCFC_GAP_NONE ||
	    node->before.how == CCFC_HOW_BASE ||
	    !ccfc_state_is_known(&node[-1].after))
		return false;
	if (ccfc_order_search(from, r, i))
		return true;
	if (ccfc_state_is_known(&node->before) && node->before.exists &&
	    ccfc_lost_search(from, r, i, ccfc_buf_view(&r->text)))
		return true;
	r->has_ev = ccfc_chain_evidence(&r->ev, r->chain, i);
	return false;
}

/* The forward pass; false if it would have to go back before `nforward`. */
static bool run_forward_pass(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_chain *chain = r->chain;
	uint32_t mends = 0, from;

	while (i < chain->n) {
		r->has_ev = ccfc_chain_evidence(&r->ev, chain, i);
		ccfc_replay_before(r, i);
		set_gap_before(r, i);
		if (mends < MENDS_MAX && reorder_at_gap(&from, r, i)) {
			if (from < chain->nforward)
				return false;
			mends++;
			reset_nodes_from(r, from);
			i = from;
			continue;
		}
		if (chain->nodes[i].before.how == CCFC_HOW_SAME)
			ccfc_checkpoints_add(chain, i, ccfc_buf_view(&r->text),
					     false);
		set_after(r, i);
		i++;
	}
	return true;
}

/* The disk does not follow from the last change: searches another order. */
static bool reorder_at_end(struct ccfc_replay *r, uint32_t *from)
{
	struct ccfc_chain *chain = r->chain;

	bool differs = chain->last_gap == CCFC_GAP_OUTSIDE &&
		       ccfc_state_is_known(&chain->disk_state);
	uint32_t gap = differs ? chain->n : r->open_gap;

	r->at_end = true;
	r->open_gap = 0;
	if (gap && ccfc_order_search(from, r, gap))
		return true;
	return differs && chain->disk_state.exists &&
	       ccfc_lost_search(from, r, chain->n, ccfc_buf_view(&r->copy));
}

static void replay_end_from(struct ccfc_replay *r, uint32_t from)
{
	/* The disk may change: the next replay starts from the beginning. */
	r->chain->nforward = 0;
	reset_nodes_from(r, from);
	run_forward_pass(r, from);
	ccfc_replay_compare_disk(r);
}

/*
 * Stores the lost updates that the pass back found, for the next forward pass.
 */
static void store_lost_updates(struct ccfc_chain *chain)
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

/* The passes from the disk back, repeated while they change earlier nodes. */
static void run_passes_from_disk(struct ccfc_replay *r)
{
	uint32_t from;

	for (uint32_t k = 0; k < ENDS_MAX; k++) {
		if (!reorder_at_end(r, &from)) {
			if (!ccfc_replay_back(&from, r))
				return;
			store_lost_updates(r->chain);
		}
		replay_end_from(r, from);
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
	done = run_forward_pass(&r, chain->nforward);
	if (done) {
		store_forward_pass(&r);
		ccfc_replay_compare_disk(&r);
		run_passes_from_disk(&r);
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
