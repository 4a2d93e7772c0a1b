/*
 * The state before a change: from its result; else a backup of that moment, or
 * the text in hand, whichever the change fits; else the session's last read.
 * See replay.c.
 */
#include "history/chain/replay.h"

#include "base/hash.h"
#include "base/time.h"
#include "history/chain/read_evidence.h"
#include "history/step/hunks.h"

#define UNCONFIRMED    "no later state confirms it"
#define MADE_OR_FILLED "whether it was empty or missing is not recorded"
#define READ_ONLY      "from an earlier read by the session"
#define COPY_ONLY      "from a backup without a date"
#define COPY_BEFORE    "from an earlier backup"
#define NO_STATE       "the content before it is not recorded"

/* A backup may be this much earlier than the line of its call. */
#define COPY_EARLY_MS 1000

/* Bytes of backups read for one chain. */
#define COPIED_MAX ((uint64_t)256 << 20)
/* beyond this, only backups with a date */
#define UNDATED_MAX ((uint64_t)32 << 20)
#define COPY_COST   4096u

#define NO_NEWLINE "whether its last line ends in a newline is not recorded"

/* Could the change have been made to that text? */
static enum ccfc_step try_change_on(struct ccfc_replay *r,
				    struct ccfc_slice text)
{
	struct ccfc_buf sink = CCFC_BUF_INIT;
	enum ccfc_step step;

	/* A command known only by its text fits any state. */
	if (r->ev.is_shell && !r->ev.has_patch)
		return CCFC_STEP_GUESSED;
	if (r->ev.has_patch)
		return ccfc_hunks_fit(&r->ev, CCFC_SIDE_OLD, text)
			       ? CCFC_STEP_VERIFIED
			       : CCFC_STEP_NO;
	/* A cell's edit may be right although its result cannot be computed. */
	if (r->ev.has_after || r->ev.has_cell)
		return CCFC_STEP_GUESSED;
	step = ccfc_step_forward(&sink, &r->ev, text);
	ccfc_buf_release(&sink);
	return step ? CCFC_STEP_GUESSED : CCFC_STEP_NO;
}

/* Reads backup k into r->copy; false: it is gone, or the limit is reached. */
static bool read_copy_text(struct ccfc_replay *r, uint32_t k)
{
	struct ccfc_copy *copy = &r->chain->copies.items[k];

	if ((copy->looked && !copy->readable) || r->chain->copied > COPIED_MAX)
		return false;
	copy->looked = true;
	copy->readable = ccfc_chain_copy_bytes(&r->bytes, r->chain, k);
	r->chain->copied += r->bytes.len + COPY_COST;
	if (!copy->readable)
		return false;
	ccfc_form_decode(&r->copy, &copy->form, ccfc_buf_view(&r->bytes));
	copy->hash = ccfc_hash_slice(ccfc_buf_view(&r->copy));
	return true;
}

/* Has backup k the text of that hash? Each backup is read once. */
static bool is_copy_of_text(struct ccfc_replay *r, uint32_t k, uint64_t hash)
{
	const struct ccfc_copy *copy = &r->chain->copies.items[k];

	if (!copy->file.path || (!copy->looked && !read_copy_text(r, k)))
		return false;
	return copy->readable && copy->hash == hash;
}

/* Was the backup made for the session of that change? */
static bool same_session(const struct ccfc_chain *chain,
			 const struct ccfc_copy *copy,
			 const struct ccfc_change *change)
{
	return copy->file.session ==
	       ccfc_home_of(CCFC_HOMES(chain->history, sessions),
			    change->session);
}

/*
 * Was another call of that session for the file open at the time of the backup?
 */
static bool is_copy_of_other_call(const struct ccfc_chain *chain,
				  const struct ccfc_copy *copy,
				  const struct ccfc_change *change)
{
	const struct ccfc_index *index = chain->history->env.index;
	const struct ccfc_ids *ids = &index->files.items[chain->file];

	for (uint32_t k = 0; k < ids->n; k++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[k]];

		/*
		 * Failed calls count too: Claude Code makes a backup for them.
		 */
		if (c != change && !c->shell && c->session == change->session &&
		    c->call.known && c->call.time <= copy->time &&
		    c->result.known && c->result.time >= copy->time)
			return true;
	}
	return false;
}

/*
 * Was the backup made during that change, and for no other call? Then it shows
 * the state before the change. Other backups show some earlier state.
 */
static bool is_copy_made_for(const struct ccfc_chain *chain, uint32_t k,
			     uint32_t i)
{
	const struct ccfc_copy *copy = &chain->copies.items[k];
	const struct ccfc_change *change =
		&chain->history->env.index->changes
			 .items[chain->nodes[i].change];

	return copy->file.recorded && copy->at == i &&
	       copy->time == copy->file.time &&
	       same_session(chain, copy, change) &&
	       ccfc_index_time(change) != CCFC_TIME_NONE &&
	       copy->time >= ccfc_index_time(change) - COPY_EARLY_MS &&
	       !is_copy_of_other_call(chain, copy, change);
}

/*
 * Was the backup made during the change, but for something else? Then it may
 * show the state before or after the change.
 */
static bool is_copy_made_during(const struct ccfc_chain *chain, uint32_t k,
				uint32_t i)
{
	return chain->nodes[i].start != CCFC_TIME_NONE &&
	       chain->copies.items[k].time > chain->nodes[i].start &&
	       !is_copy_made_for(chain, k, i);
}

/* May backup k be the state before node i? */
static bool may_copy_be_before(const struct ccfc_chain *chain, uint32_t k,
			       uint32_t i)
{
	const struct ccfc_copy *copy = &chain->copies.items[k];
	uint32_t change = chain->nodes[i].change;
	const struct ccfc_index *index = chain->history->env.index;

	if (copy->file.missing)
		return false;
	if (copy->file.recorded)
		return copy->at == i && !is_copy_made_during(chain, k, i);
	return same_session(chain, copy, &index->changes.items[change]);
}

/*
 * Takes the form from a backup that has the text before node i. A backup
 * without a date may be of another time, with other line endings.
 */
static void take_form_from_copies(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_side_state *s = &r->chain->nodes[i].before;

	for (uint32_t k = 0; k < r->chain->copies.n; k++) {
		const struct ccfc_copy *copy = &r->chain->copies.items[k];

		if (!may_copy_be_before(r->chain, k, i) ||
		    !is_copy_of_text(r, k, s->hash))
			continue;
		s->form = copy->form;
		s->has_form = true;
		if (!copy->file.recorded)
			continue;
		s->how = CCFC_HOW_COPY;
		s->copy = k;
		s->form_proven = true;
		return;
	}
}

/*
 * Does a backup made after the previous change contradict the state after it?
 */
static bool do_copies_contradict(struct ccfc_replay *r, uint32_t i)
{
	const struct ccfc_side_state *last = &r->chain->nodes[i - 1].after;

	for (uint32_t k = 0; k < r->chain->copies.n; k++) {
		const struct ccfc_copy *copy = &r->chain->copies.items[k];

		if (!copy->file.recorded || copy->file.missing ||
		    copy->at != i || is_copy_made_during(r->chain, k, i))
			continue;
		if (!copy->file.path ? last->exists
				     : !is_copy_of_text(r, k, last->hash) &&
					       copy->readable)
			return true;
	}
	return false;
}

/* Can the change have been made without a file? */
static bool fits_absent_file(const struct ccfc_evidence *ev)
{
	return (ev->has_after || ev->is_shell) && !ev->has_patch;
}

/* Takes the text in hand, if the change fits it. */
static bool take_text_in_hand(struct ccfc_replay *r, uint32_t i)
{
	const struct ccfc_side_state *last =
		i ? &r->chain->nodes[i - 1].after : NULL;
	struct ccfc_node *node = &r->chain->nodes[i];
	struct ccfc_buf text;

	if (!last || !ccfc_state_is_known(last))
		return false;
	if (last->exists ? !try_change_on(r, ccfc_buf_view(&r->hand))
			 : !fits_absent_file(&r->ev))
		return false;
	if (do_copies_contradict(r, i))
		return false;
	/*
	 * The buffers are swapped: r->hand is overwritten with the state after.
	 */
	text = r->text;
	r->text = r->hand;
	r->hand = text;
	node->before = *last;
	node->before.how = CCFC_HOW_SAME;
	node->before.origin = CCFC_ORIGIN_REPLAY;
	ccfc_state_weaken(&node->before, UNCONFIRMED, true);
	return true;
}

/* Takes the state that order.h found as the node's base. */
static bool take_base_state(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	bool got;

	if (node->base == CCFC_ID_NONE)
		return false;
	got = ccfc_chain_text(&r->text, r->chain, node->base, true);
	/* ccfc_chain_text has overwritten the evidence in history->scratch. */
	r->has_ev = ccfc_chain_evidence(&r->ev, r->chain, i);
	if (!got || !r->has_ev)
		return false;
	node->before = r->chain->nodes[node->base].after;
	node->before.how = CCFC_HOW_BASE;
	node->before.origin = CCFC_ORIGIN_REPLAY;
	ccfc_state_weaken(&node->before, UNCONFIRMED, true);
	return true;
}

/* Creating a file and filling an empty file leave the same state. */
static bool makes_or_fills(const struct ccfc_evidence *ev)
{
	return (ev->shape == CCFC_TOOL_EDIT || ev->shape == CCFC_TOOL_MULTI) &&
	       ev->nedits && !ev->original.len && !ev->edits[0].old_text.len;
}

/* Takes the bytes before, which were seen on disk. */
static void take_seen_before(struct ccfc_replay *r, struct ccfc_node *node)
{
	struct ccfc_form form;

	if (r->ev.before == CCFC_BEFORE_ABSENT) {
		ccfc_buf_clear(&r->text);
		ccfc_state_set_absent(&node->before, CCFC_HOW_EVIDENCE,
				      CCFC_ORIGIN_OBSERVED);
		return;
	}
	ccfc_form_decode(&r->text, &form, r->ev.original);
	ccfc_state_set(&node->before, CCFC_HOW_EVIDENCE, CCFC_ORIGIN_OBSERVED,
		       ccfc_buf_view(&r->text));
	ccfc_state_set_seen(&node->before, &form);
	node->shown = true;
}

/* Takes the text before from the result. */
static void take_shown_before(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	struct ccfc_form form;

	if (r->ev.seen_before) {
		take_seen_before(r, node);
		return;
	}
	if (r->ev.before == CCFC_BEFORE_ABSENT) {
		/*
		 * Claude Code reports a creation also when it fills an empty
		 * file.
		 */
		if (i && ccfc_state_is_known(&node[-1].after) &&
		    node[-1].after.exists && !r->hand.len &&
		    take_text_in_hand(r, i))
			return;
		ccfc_state_set_absent(&node->before, CCFC_HOW_EVIDENCE,
				      CCFC_ORIGIN_RESULT);
		return;
	}
	/*
	 * A deleted file: its lines were recorded, but not whether the last one
	 * ends in a newline.
	 */
	if (r->ev.open_end && take_text_in_hand(r, i))
		return;
	if (makes_or_fills(&r->ev)) {
		if (i && ccfc_state_is_known(&node[-1].after) && !r->hand.len &&
		    take_text_in_hand(r, i))
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
	node->shown = !r->ev.open_end;
	if (r->ev.open_end)
		ccfc_state_weaken(&node->before, NO_NEWLINE, false);
	take_form_from_copies(r, i);
}

/* --- what is there already --- */

/* Does the text in hand already contain the command's effect? */
static bool has_effect_in_hand(struct ccfc_replay *r)
{
	struct ccfc_form form;

	if (!r->ev.seen_after)
		return ccfc_step_is_done(&r->ev, ccfc_buf_view(&r->hand));
	if (!r->ev.has_after)
		return false;
	ccfc_form_decode(&r->copy, &form, r->ev.after);
	return ccfc_slice_eq(ccfc_buf_view(&r->copy), ccfc_buf_view(&r->hand));
}

/*
 * Claude Code records what changes on disk while a command runs, whoever
 * changes it. So two sessions that run at the same time may record one change.
 * The second time, the text in hand already contains it.
 */
static bool take_recorded_effect(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	const struct ccfc_side_state *last = &node[-1].after;
	struct ccfc_buf text = r->text;

	if (!r->ev.is_shell || !r->ev.from_result || !i ||
	    !ccfc_state_is_known(last) ||
	    !ccfc_nodes_overlap(r->chain, i - 1, i))
		return false;
	if (last->exists ? !has_effect_in_hand(r) : !r->ev.gone)
		return false;
	r->text = r->hand;
	r->hand = text;
	node->before = *last;
	node->before.how = CCFC_HOW_SAME;
	node->before.origin = CCFC_ORIGIN_REPLAY;
	/* with `seen_after`, the disk confirms this state */
	if (!r->ev.seen_after)
		ccfc_state_weaken(&node->before, UNCONFIRMED, true);
	node->rule = CCFC_RULE_SAME;
	return true;
}

/* Sets the state before node i to backup k, which is in r->copy. */
static void set_before_to_copy(struct ccfc_replay *r, uint32_t i, uint32_t k)
{
	const struct ccfc_copy *copy = &r->chain->copies.items[k];
	struct ccfc_side_state *s = &r->chain->nodes[i].before;

	ccfc_buf_clear(&r->text);
	if (copy->file.path) {
		ccfc_buf_slice(&r->text, ccfc_buf_view(&r->copy));
		ccfc_state_set(s, CCFC_HOW_COPY,
			       copy->observed ? CCFC_ORIGIN_OBSERVED
					      : CCFC_ORIGIN_BACKUP,
			       ccfc_buf_view(&r->text));
		s->form = copy->form;
		s->has_form = s->form_proven = true;
	} else {
		ccfc_state_set_absent(s, CCFC_HOW_COPY, CCFC_ORIGIN_BACKUP);
	}
	s->copy = k;
	if (!copy->file.recorded)
		ccfc_state_weaken(s, COPY_ONLY, false);
	else if (!is_copy_made_for(r->chain, k, i))
		ccfc_state_weaken(s, COPY_BEFORE, true);
}

/* Takes the latest backup of that moment that the change fits. */
static bool take_fitting_copy(struct ccfc_replay *r, uint32_t i, bool recorded)
{
	struct ccfc_chain *chain = r->chain;

	for (uint32_t k = chain->copies.n; k-- > 0;) {
		const struct ccfc_backup_copy *file =
			&chain->copies.items[k].file;
		enum ccfc_step step;

		if (!recorded && chain->copied > UNDATED_MAX)
			return false;
		if (file->recorded != recorded ||
		    !may_copy_be_before(chain, k, i))
			continue;
		if (!file->path && r->ev.has_after && !r->ev.has_patch) {
			set_before_to_copy(r, i, k);
			return true;
		}
		if (!file->path || !read_copy_text(r, k))
			continue;
		step = try_change_on(r, ccfc_buf_view(&r->copy));
		if (step == CCFC_STEP_NO ||
		    (step == CCFC_STEP_GUESSED && !recorded))
			continue;
		set_before_to_copy(r, i, k);
		return true;
	}
	return false;
}

/* Takes what the session had read, if the change fits it. */
static bool take_read_before(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	struct ccfc_evidence ev = r->ev;
	bool found;

	/* ccfc_read_evidence_find has overwritten the evidence in
	 * history->scratch. */
	found = ccfc_read_evidence_find(&r->text, r->chain, i);
	r->has_ev = ccfc_chain_evidence(&r->ev, r->chain, i);
	if (!r->has_ev)
		r->ev = ev;
	if (!found || !r->has_ev || !try_change_on(r, ccfc_buf_view(&r->text)))
		return false;
	ccfc_state_set(&node->before, CCFC_HOW_READ, CCFC_ORIGIN_READ,
		       ccfc_buf_view(&r->text));
	ccfc_state_weaken(&node->before, READ_ONLY, true);
	return true;
}

void ccfc_replay_before(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	if (!r->has_ev)
		ccfc_state_set_unknown(&node->before, false, CCFC_NO_LINES);
	else if (take_recorded_effect(r, i))
		return;
	else if (r->ev.before != CCFC_BEFORE_UNKNOWN)
		take_shown_before(r, i);
	else if (!take_base_state(r, i) && !take_fitting_copy(r, i, true) &&
		 !take_text_in_hand(r, i) && !take_fitting_copy(r, i, false) &&
		 !take_read_before(r, i))
		ccfc_state_set_unknown(&node->before, r->ev.has_patch,
				       i && ccfc_state_is_known(&node[-1].after)
					       ? CCFC_NO_FIT
					       : NO_STATE);
}
