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
#include "history/chain.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "history/hunks.h"
#include "history/marks.h"
#include "history/reads.h"
#include "history/state.h"

#define UNCONFIRMED    "no later state confirms it"
#define CALL_ONLY      "only the call is recorded, not what it did"
#define ASSUMED	       "the change's own patch does not confirm it"
#define MADE_OR_FILLED "whether it was empty or not there is not recorded"
#define READ_ONLY      "from what the session had read before"
#define COPY_ONLY      "from a backup without a date"
#define LATER	       "worked out from a later state"
#define NO_LINES       "the transcript does not have the change any more"
#define NO_STATE       "the content before it is not recorded"
#define NO_FIT	       "what is recorded of the change fits no known content"

/* A tool may be this much ahead of the line of its call. */
#define EARLY_MS 10000

struct replay {
	struct ccfc_chain *chain;
	struct ccfc_evidence ev;
	bool has_ev;
	struct ccfc_buf hand;  /* text after the last change, if known */
	struct ccfc_buf text;  /* before the change at hand */
	struct ccfc_buf bytes; /* of a backup, the disk */
	struct ccfc_buf copy;  /* its text */
};

/* --- before --- */

/* Could the change have been made to that text? */
static enum ccfc_step fits(struct replay *r, struct ccfc_slice text)
{
	struct ccfc_buf sink = CCFC_BUF_INIT;
	enum ccfc_step step;

	if (r->ev.has_patch)
		return ccfc_hunks_fit(&r->ev, CCFC_SIDE_OLD, text)
			       ? CCFC_STEP_VERIFIED
			       : CCFC_STEP_NO;
	/* A cell's edit may be right and yet not to be worked out. */
	if (r->ev.has_after || r->ev.has_cell)
		return CCFC_STEP_GUESSED;
	step = ccfc_step_forward(&sink, &r->ev, text);
	ccfc_buf_release(&sink);
	return step ? CCFC_STEP_GUESSED : CCFC_STEP_NO;
}

static bool read_copy(struct replay *r, uint32_t k, struct ccfc_form *form)
{
	if (!ccfc_chain_copy_bytes(&r->bytes, r->chain, k))
		return false;
	ccfc_form_decode(&r->copy, form, ccfc_buf_view(&r->bytes));
	return true;
}

/* May the backup k be the state before node i? */
static bool stands_before(const struct ccfc_chain *chain, uint32_t k,
			  uint32_t i)
{
	const struct ccfc_copy *copy = &chain->copies[k];
	uint32_t change = chain->nodes[i].change;
	const struct ccfc_index *index = chain->history->env.index;

	if (copy->file.recorded)
		return copy->at == i;
	return copy->file.session == index->changes.items[change].session;
}

/* A backup that is, byte for byte, the text before node i: its form counts. */
static void find_form(struct replay *r, uint32_t i)
{
	struct ccfc_side_state *s = &r->chain->nodes[i].before;
	struct ccfc_form form;

	for (uint32_t k = 0; k < r->chain->ncopies; k++) {
		if (!r->chain->copies[k].file.path ||
		    !stands_before(r->chain, k, i) || !read_copy(r, k, &form) ||
		    ccfc_hash_slice(ccfc_buf_view(&r->copy)) != s->hash)
			continue;
		s->how = CCFC_HOW_COPY;
		s->copy = k;
		s->form = form;
		s->has_form = s->form_proven = true;
		return;
	}
}

/* The text in hand, if the change can have been made to it. */
static bool take_hand(struct replay *r, uint32_t i)
{
	const struct ccfc_side_state *last =
		i ? &r->chain->nodes[i - 1].after : NULL;
	struct ccfc_node *node = &r->chain->nodes[i];

	if (!last || !ccfc_state_is_known(last))
		return false;
	if (last->exists ? !fits(r, ccfc_buf_view(&r->hand))
			 : !r->ev.has_after || r->ev.has_patch)
		return false;
	ccfc_buf_clear(&r->text);
	ccfc_buf_slice(&r->text, ccfc_buf_view(&r->hand));
	node->before = *last;
	node->before.how = CCFC_HOW_SAME;
	node->before.origin = CCFC_ORIGIN_REPLAY;
	ccfc_state_weaken(&node->before, UNCONFIRMED, true);
	return true;
}

/* An edit that makes a file leaves the same as one that fills an empty one. */
static bool makes_or_fills(const struct ccfc_evidence *ev)
{
	return ev->shape == CCFC_TOOL_EDIT && ev->nedits == 1 &&
	       !ev->original.len && !ev->edits[0].old_text.len;
}

/* The text before is in the result. */
static void take_shown(struct replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	struct ccfc_form form;

	if (r->ev.before == CCFC_BEFORE_ABSENT) {
		/* Clients call it a creation, too, to fill an empty file. */
		if (i && ccfc_state_is_known(&node[-1].after) &&
		    node[-1].after.exists && !r->hand.len && take_hand(r, i))
			return;
		ccfc_state_set_absent(&node->before, CCFC_HOW_EVIDENCE,
				      CCFC_ORIGIN_RESULT);
		return;
	}
	if (makes_or_fills(&r->ev)) {
		if (i && ccfc_state_is_known(&node[-1].after) && !r->hand.len &&
		    take_hand(r, i))
			return;
		ccfc_buf_clear(&r->text);
		ccfc_state_set_absent(&node->before, CCFC_HOW_EVIDENCE,
				      CCFC_ORIGIN_RESULT);
		ccfc_state_weaken(&node->before, MADE_OR_FILLED, false);
		return;
	}
	ccfc_form_decode(&r->text, &form, r->ev.original);
	ccfc_state_set(&node->before, CCFC_HOW_EVIDENCE, CCFC_ORIGIN_RESULT,
		       ccfc_buf_view(&r->text));
	find_form(r, i);
}

/* A backup of that moment which the change fits; the latest of them. */
static bool take_copy(struct replay *r, uint32_t i, bool recorded)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *node = &chain->nodes[i];
	struct ccfc_form form;

	for (uint32_t k = chain->ncopies; k-- > 0;) {
		const struct ccfc_backup_copy *file = &chain->copies[k].file;

		if (file->recorded != recorded || !stands_before(chain, k, i))
			continue;
		if (!file->path && r->ev.has_after && !r->ev.has_patch) {
			ccfc_state_set_absent(&node->before, CCFC_HOW_COPY,
					      CCFC_ORIGIN_BACKUP);
			node->before.copy = k;
			return true;
		}
		if (!file->path || !read_copy(r, k, &form) ||
		    fits(r, ccfc_buf_view(&r->copy)) != CCFC_STEP_VERIFIED)
			continue;
		ccfc_buf_clear(&r->text);
		ccfc_buf_slice(&r->text, ccfc_buf_view(&r->copy));
		ccfc_state_set(&node->before, CCFC_HOW_COPY, CCFC_ORIGIN_BACKUP,
			       ccfc_buf_view(&r->text));
		node->before.copy = k;
		node->before.form = form;
		node->before.has_form = node->before.form_proven = true;
		if (!recorded)
			ccfc_state_weaken(&node->before, COPY_ONLY, false);
		return true;
	}
	return false;
}

/* What the session had read, if the change can have been made to it. */
static bool take_read(struct replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	struct ccfc_evidence ev = r->ev;
	bool found;

	/* The search reads other lines into the same memory. */
	found = ccfc_reads_find(&r->text, r->chain, i);
	r->has_ev = ccfc_chain_evidence(&r->ev, r->chain, i);
	if (!r->has_ev)
		r->ev = ev;
	if (!found || !r->has_ev || !fits(r, ccfc_buf_view(&r->text)))
		return false;
	ccfc_state_set(&node->before, CCFC_HOW_READ, CCFC_ORIGIN_READ,
		       ccfc_buf_view(&r->text));
	ccfc_state_weaken(&node->before, READ_ONLY, true);
	return true;
}

static void find_before(struct replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	if (!r->has_ev)
		ccfc_state_set_unknown(&node->before, false, NO_LINES);
	else if (r->ev.before != CCFC_BEFORE_UNKNOWN)
		take_shown(r, i);
	else if (!take_copy(r, i, true) && !take_hand(r, i) &&
		 !take_copy(r, i, false) && !take_read(r, i))
		ccfc_state_set_unknown(&node->before, r->ev.has_patch,
				       i && ccfc_state_is_known(&node[-1].after)
					       ? NO_FIT
					       : NO_STATE);
}

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

static void find_gap(struct replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	if (!i)
		return;
	node->gap = gap_between(&node[-1].after, node, r->has_ev);
	if (node->gap == CCFC_GAP_NONE && node->before.how != CCFC_HOW_SAME &&
	    node->before.fidelity == CCFC_FIDELITY_EXACT)
		ccfc_state_confirm(r->chain, i);
}

/* --- after --- */

static void take_whole(struct replay *r, struct ccfc_node *node)
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

static void take_step(struct replay *r, struct ccfc_node *node)
{
	const struct ccfc_side_state *before = &node->before;
	enum ccfc_step step =
		ccfc_step_forward(&r->hand, &r->ev, ccfc_buf_view(&r->text));

	if (step == CCFC_STEP_NO) {
		ccfc_state_set_unknown(&node->after, r->ev.has_patch, NO_FIT);
		return;
	}
	ccfc_state_set(&node->after, CCFC_HOW_STEP,
		       before->how == CCFC_HOW_SAME ? CCFC_ORIGIN_REPLAY
		       : r->ev.from_result	    ? CCFC_ORIGIN_RESULT
						    : CCFC_ORIGIN_CALL,
		       ccfc_buf_view(&r->hand));
	node->after.has_bad = false;
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

static void find_after(struct replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	node->has_patch = r->has_ev && r->ev.has_patch;
	node->whole = r->has_ev && r->ev.has_after;
	if (!r->has_ev)
		ccfc_state_set_unknown(&node->after, false, NO_LINES);
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
static void take_disk(struct replay *r, struct ccfc_node *last)
{
	bool wrote = wrote_disk(r->chain, last), sure;
	struct ccfc_buf sink = CCFC_BUF_INIT;
	enum ccfc_step step = CCFC_STEP_NO;

	if (r->has_ev)
		step = ccfc_step_back(&sink, &r->ev, ccfc_buf_view(&r->copy));
	ccfc_buf_release(&sink);
	/* There is no way back from a cell, so only the time can tell. */
	if (step == CCFC_STEP_NO && !(r->has_ev && r->ev.has_cell && wrote))
		return;
	sure = wrote || (r->ev.has_patch && r->chain->disk.mtime <= last->time);
	ccfc_state_set(&last->after, CCFC_HOW_DISK, CCFC_ORIGIN_DISK,
		       ccfc_buf_view(&r->copy));
	if (!sure)
		ccfc_state_weaken(&last->after,
				  "from the disk, which may have changed since",
				  false);
	last->after.form = r->chain->disk_form;
	last->after.has_form = last->after.form_proven = true;
	r->chain->last_gap = CCFC_GAP_NONE;
}

/* `r->ev` is that of the last node. */
static void meet_disk(struct replay *r)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *last = &chain->nodes[chain->n - 1];
	struct ccfc_side_state now;

	chain->last_gap = CCFC_GAP_UNKNOWN;
	if (chain->disk.exists && !chain->disk.regular) {
		chain->last_gap = CCFC_GAP_OUTSIDE;
		return;
	}
	ccfc_state_set_absent(&now, CCFC_HOW_DISK, CCFC_ORIGIN_DISK);
	if (chain->disk.exists) {
		if (!ccfc_chain_disk_bytes(&r->bytes, chain))
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
static bool after_from_next(struct replay *r, uint32_t i)
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

static bool before_from_after(struct replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	enum ccfc_step step =
		ccfc_step_back(&r->text, &r->ev, ccfc_buf_view(&r->hand));

	if (step == CCFC_STEP_NO)
		return false;
	ccfc_state_set(&node->before, CCFC_HOW_STEP_BACK, CCFC_ORIGIN_REPLAY,
		       ccfc_buf_view(&r->text));
	if (node->after.fidelity != CCFC_FIDELITY_EXACT)
		ccfc_state_weaken(&node->before, node->after.why, false);
	else if (step == CCFC_STEP_GUESSED)
		ccfc_state_weaken(&node->before, ASSUMED, false);
	if (i)
		node->gap = gap_between(&node[-1].after, node, true);
	return true;
}

/* Node i has a side that is not known: can the next tell? */
static void fill_in(struct replay *r, uint32_t i)
{
	struct ccfc_chain *chain = r->chain;
	struct ccfc_node *node = &chain->nodes[i];

	if (!ccfc_state_is_known(&node->after) &&
	    (i + 1 >= chain->n || !ccfc_state_is_known(&node[1].before)))
		return;
	if (ccfc_state_is_known(&node->after)
		    ? !node->after.exists ||
			      !ccfc_chain_text(&r->hand, chain, i, true)
		    : !ccfc_chain_text(&r->hand, chain, i + 1, false))
		return;
	r->has_ev = ccfc_chain_evidence(&r->ev, chain, i);
	if (!ccfc_state_is_known(&node->after) && !after_from_next(r, i))
		return;
	if (r->has_ev && !ccfc_state_is_known(&node->before))
		before_from_after(r, i);
}

/* The pass forwards ends here; what follows may be other another time. */
static void keep_forward(struct replay *r)
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

void ccfc_replay(struct ccfc_chain *chain)
{
	struct replay r = { .chain = chain, .hand = chain->hand };

	for (uint32_t i = chain->nforward; i < chain->n; i++) {
		r.has_ev = ccfc_chain_evidence(&r.ev, chain, i);
		find_before(&r, i);
		find_gap(&r, i);
		if (chain->nodes[i].before.how == CCFC_HOW_SAME)
			ccfc_marks_add(chain, i, ccfc_buf_view(&r.text));
		find_after(&r, i);
	}
	keep_forward(&r);
	meet_disk(&r);
	for (uint32_t i = chain->n; i-- > 0;)
		if (!ccfc_state_is_known(&chain->nodes[i].before) ||
		    !ccfc_state_is_known(&chain->nodes[i].after))
			fill_in(&r, i);
	ccfc_replay_forms(chain);
	ccfc_buf_release(&r.hand);
	ccfc_buf_release(&r.text);
	ccfc_buf_release(&r.bytes);
	ccfc_buf_release(&r.copy);
}
