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

/* A backup may be this much ahead of the line of the call it was made for. */
#define COPY_EARLY_MS 1000

/* Bytes of backups that are read for one chain; what reading one costs. */
#define COPIED_MAX  ((uint64_t)256 << 20)
#define UNDATED_MAX ((uint64_t)32 << 20) /* then only those with a date */
#define COPY_COST   4096u

#define NO_NEWLINE "whether its last line ends in a newline is not recorded"

/* Could the change have been made to that text? */
static enum ccfc_step fits(struct ccfc_replay *r, struct ccfc_slice text)
{
	struct ccfc_buf sink = CCFC_BUF_INIT;
	enum ccfc_step step;

	/* What the text of a command says fits any. */
	if (r->ev.is_shell && !r->ev.has_patch)
		return CCFC_STEP_GUESSED;
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

/* Reads a backup into r->copy; false: there are no more. */
static bool read_copy(struct ccfc_replay *r, uint32_t k)
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

/* Is the backup known to be that text? It is read but once. */
static bool is_copy_of(struct ccfc_replay *r, uint32_t k, uint64_t hash)
{
	const struct ccfc_copy *copy = &r->chain->copies.items[k];

	if (!copy->file.path || (!copy->looked && !read_copy(r, k)))
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

/* Was another call of that session for the file under way then? */
static bool is_shared(const struct ccfc_chain *chain,
		      const struct ccfc_copy *copy,
		      const struct ccfc_change *change)
{
	const struct ccfc_index *index = chain->history->env.index;
	const struct ccfc_ids *ids = &index->files.items[chain->file];

	for (uint32_t k = 0; k < ids->n; k++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[k]];

		/* Also one that failed: the client makes a backup for it. */
		if (c != change && !c->shell && c->session == change->session &&
		    c->call.known && c->call.time <= copy->time &&
		    c->result.known && c->result.time >= copy->time)
			return true;
	}
	return false;
}

/*
 * Was the backup made while that change was under way, and for no other call?
 * Then it is what the change found. Others are of some moment before.
 */
static bool made_for(const struct ccfc_chain *chain, uint32_t k, uint32_t i)
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
	       !is_shared(chain, copy, change);
}

/*
 * A backup that was made for something else while the change was under way: it
 * may be of before or of after the change.
 */
static bool is_between(const struct ccfc_chain *chain, uint32_t k, uint32_t i)
{
	return chain->nodes[i].start != CCFC_TIME_NONE &&
	       chain->copies.items[k].time > chain->nodes[i].start &&
	       !made_for(chain, k, i);
}

/* May the backup k be the state before node i? */
static bool stands_before(const struct ccfc_chain *chain, uint32_t k,
			  uint32_t i)
{
	const struct ccfc_copy *copy = &chain->copies.items[k];
	uint32_t change = chain->nodes[i].change;
	const struct ccfc_index *index = chain->history->env.index;

	if (copy->file.missing)
		return false;
	if (copy->file.recorded)
		return copy->at == i && !is_between(chain, k, i);
	return same_session(chain, copy, &index->changes.items[change]);
}

/*
 * A backup that is the text before node i: its form counts. One without a date
 * may be of another time, with other line endings.
 */
static void find_form(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_side_state *s = &r->chain->nodes[i].before;

	for (uint32_t k = 0; k < r->chain->copies.n; k++) {
		const struct ccfc_copy *copy = &r->chain->copies.items[k];

		if (!stands_before(r->chain, k, i) ||
		    !is_copy_of(r, k, s->hash))
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

/* Does a backup of after the last change show something else than it left? */
static bool is_refuted(struct ccfc_replay *r, uint32_t i)
{
	const struct ccfc_side_state *last = &r->chain->nodes[i - 1].after;

	for (uint32_t k = 0; k < r->chain->copies.n; k++) {
		const struct ccfc_copy *copy = &r->chain->copies.items[k];

		if (!copy->file.recorded || copy->file.missing ||
		    copy->at != i || is_between(r->chain, k, i))
			continue;
		if (!copy->file.path
			    ? last->exists
			    : !is_copy_of(r, k, last->hash) && copy->readable)
			return true;
	}
	return false;
}

/* Could the change have been made where there was no file? */
static bool fits_nothing(const struct ccfc_evidence *ev)
{
	return (ev->has_after || ev->is_shell) && !ev->has_patch;
}

/* The text in hand, if the change can have been made to it. */
static bool take_hand(struct ccfc_replay *r, uint32_t i)
{
	const struct ccfc_side_state *last =
		i ? &r->chain->nodes[i - 1].after : NULL;
	struct ccfc_node *node = &r->chain->nodes[i];
	struct ccfc_buf text;

	if (!last || !ccfc_state_is_known(last))
		return false;
	if (last->exists ? !fits(r, ccfc_buf_view(&r->hand))
			 : !fits_nothing(&r->ev))
		return false;
	if (is_refuted(r, i))
		return false;
	/* What is in hand is written anew for the state after. */
	text = r->text;
	r->text = r->hand;
	r->hand = text;
	node->before = *last;
	node->before.how = CCFC_HOW_SAME;
	node->before.origin = CCFC_ORIGIN_REPLAY;
	ccfc_state_weaken(&node->before, UNCONFIRMED, true);
	return true;
}

/* The state that the node was found to be made from (order.h). */
static bool take_base(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	bool got;

	if (node->base == CCFC_ID_NONE)
		return false;
	got = ccfc_chain_text(&r->text, r->chain, node->base, true);
	/* That read other evidence into the same memory. */
	r->has_ev = ccfc_chain_evidence(&r->ev, r->chain, i);
	if (!got || !r->has_ev)
		return false;
	node->before = r->chain->nodes[node->base].after;
	node->before.how = CCFC_HOW_BASE;
	node->before.origin = CCFC_ORIGIN_REPLAY;
	ccfc_state_weaken(&node->before, UNCONFIRMED, true);
	return true;
}

/* An edit that makes a file leaves the same as one that fills an empty one. */
static bool makes_or_fills(const struct ccfc_evidence *ev)
{
	return (ev->shape == CCFC_TOOL_EDIT || ev->shape == CCFC_TOOL_MULTI) &&
	       ev->nedits && !ev->original.len && !ev->edits[0].old_text.len;
}

/* The bytes before were seen on disk. */
static void take_seen(struct ccfc_replay *r, struct ccfc_node *node)
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

/* The text before is in the result. */
static void take_shown(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	struct ccfc_form form;

	if (r->ev.seen_before) {
		take_seen(r, node);
		return;
	}
	if (r->ev.before == CCFC_BEFORE_ABSENT) {
		/* Clients call it a creation, too, to fill an empty file. */
		if (i && ccfc_state_is_known(&node[-1].after) &&
		    node[-1].after.exists && !r->hand.len && take_hand(r, i))
			return;
		ccfc_state_set_absent(&node->before, CCFC_HOW_EVIDENCE,
				      CCFC_ORIGIN_RESULT);
		return;
	}
	/* A file that a command deleted, with its lines but not its end. */
	if (r->ev.open_end && take_hand(r, i))
		return;
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
	node->shown = !r->ev.open_end;
	if (r->ev.open_end)
		ccfc_state_weaken(&node->before, NO_NEWLINE, false);
	find_form(r, i);
}

/* --- what is there already --- */

/* Is what the command did in the text in hand? */
static bool is_done(struct ccfc_replay *r)
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
 * A client notes what changes on the disk while a command runs, whoever does
 * it. So one change may be noted by two sessions that run at the same time: it
 * is in the text in hand when it comes for the second time.
 */
static bool take_noted(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];
	const struct ccfc_side_state *last = &node[-1].after;
	struct ccfc_buf text = r->text;

	if (!r->ev.is_shell || !r->ev.from_result || !i ||
	    !ccfc_state_is_known(last) ||
	    !ccfc_nodes_overlap(r->chain, i - 1, i))
		return false;
	if (last->exists ? !is_done(r) : !r->ev.gone)
		return false;
	r->text = r->hand;
	r->hand = text;
	node->before = *last;
	node->before.how = CCFC_HOW_SAME;
	node->before.origin = CCFC_ORIGIN_REPLAY;
	/* It was seen to be so. */
	if (!r->ev.seen_after)
		ccfc_state_weaken(&node->before, UNCONFIRMED, true);
	node->rule = CCFC_RULE_SAME;
	return true;
}

/* The state before node i is the backup k, which is in r->copy. */
static void set_copy(struct ccfc_replay *r, uint32_t i, uint32_t k)
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
	else if (!made_for(r->chain, k, i))
		ccfc_state_weaken(s, COPY_BEFORE, true);
}

/* A backup of that moment which the change fits; the latest of them. */
static bool take_copy(struct ccfc_replay *r, uint32_t i, bool recorded)
{
	struct ccfc_chain *chain = r->chain;

	for (uint32_t k = chain->copies.n; k-- > 0;) {
		const struct ccfc_backup_copy *file =
			&chain->copies.items[k].file;
		enum ccfc_step step;

		if (!recorded && chain->copied > UNDATED_MAX)
			return false;
		if (file->recorded != recorded || !stands_before(chain, k, i))
			continue;
		if (!file->path && r->ev.has_after && !r->ev.has_patch) {
			set_copy(r, i, k);
			return true;
		}
		if (!file->path || !read_copy(r, k))
			continue;
		step = fits(r, ccfc_buf_view(&r->copy));
		if (step == CCFC_STEP_NO ||
		    (step == CCFC_STEP_GUESSED && !recorded))
			continue;
		set_copy(r, i, k);
		return true;
	}
	return false;
}

/* What the session had read, if the change can have been made to it. */
static bool take_read(struct ccfc_replay *r, uint32_t i)
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

void ccfc_replay_before(struct ccfc_replay *r, uint32_t i)
{
	struct ccfc_node *node = &r->chain->nodes[i];

	if (!r->has_ev)
		ccfc_state_set_unknown(&node->before, false, CCFC_NO_LINES);
	else if (take_noted(r, i))
		return;
	else if (r->ev.before != CCFC_BEFORE_UNKNOWN)
		take_shown(r, i);
	else if (!take_base(r, i) && !take_copy(r, i, true) &&
		 !take_hand(r, i) && !take_copy(r, i, false) &&
		 !take_read(r, i))
		ccfc_state_set_unknown(&node->before, r->ev.has_patch,
				       i && ccfc_state_is_known(&node[-1].after)
					       ? CCFC_NO_FIT
					       : NO_STATE);
}
