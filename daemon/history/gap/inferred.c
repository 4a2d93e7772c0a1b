/*
 * Gaps that a shell command explains. Somebody changed the file between two
 * known states, and a command with unknown effects ran in that time. That alone
 * is no evidence. A command is named if the contents show it:
 *
 * - each line that the gap added is in a text that the command passed to an
 *   interpreter, an editor or an unresolved target, and one of these lines is
 *   too long to be written by somebody else by chance;
 * - or the gap leads back to an earlier state, and the command is a git command
 *   that restores such states, in a directory above the file.
 *
 * The command must certainly lie in the gap, must have succeeded, and its
 * session must have worked in a directory above the file. Any other command
 * that would fit raises doubt; then all of them are named.
 */
#include "history/gap/inferred.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "history/chain/state.h"
#include "history/gap/command_fit.h"

#include <stdlib.h>

/* The last gaps of a chain are examined, at most so many. */
#define GAPS_MAX 256u
/* The resolution of a file's time. */
#define TICK_MS 10
/*
 * As in ccfc_query_window: a change may be seen this long after a command's
 * end.
 */
#define LATE_MS 100

/* --- which gaps --- */

static const struct ccfc_side_state *
state_after_gap(const struct ccfc_chain *chain, uint32_t i)
{
	return i < chain->n ? &chain->nodes[i].before : &chain->disk_state;
}

static enum ccfc_gap gap_before(const struct ccfc_chain *chain, uint32_t i)
{
	return i < chain->n ? chain->nodes[i].gap : chain->last_gap;
}

/* Is it a change by somebody, from one known text to another? */
static bool is_unexplained_gap(const struct ccfc_chain *chain, uint32_t i)
{
	const struct ccfc_side_state *now = state_after_gap(chain, i);
	enum ccfc_gap gap = gap_before(chain, i);

	if (gap != CCFC_GAP_OUTSIDE && gap != CCFC_GAP_RETURNED)
		return false;
	/* A backup behind the last change makes several gaps of it. */
	if (i == chain->n &&
	    ccfc_chain_seen(chain, i, INT64_MAX) != CCFC_ID_NONE)
		return false;
	return ccfc_state_is_known(&chain->nodes[i - 1].after) &&
	       ccfc_state_is_known(now) && now->exists;
}

/*
 * When the change may have happened. After the last change, the file itself has
 * the time of its last write.
 */
static bool period_of_gap(struct ccfc_period *out,
			  const struct ccfc_chain *chain, uint32_t i)
{
	if (i == chain->n) {
		*out = (struct ccfc_period){ chain->disk.mtime - TICK_MS,
					     chain->disk.mtime + TICK_MS };
		return true;
	}
	*out = (struct ccfc_period){ chain->nodes[i - 1].start,
				     chain->nodes[i].late };
	return out->from != CCFC_TIME_NONE && out->to != CCFC_TIME_NONE;
}

/* --- when a command ran --- */

struct run {
	uint32_t command;
	const struct ccfc_change *c;
	struct ccfc_period when;
	/* it succeeded, in the gap and in a directory above the file */
	bool sure;
};

static bool are_of_same_transcript(const struct ccfc_change *a,
				   const struct ccfc_change *b)
{
	return a->call.known && b->call.known &&
	       a->call.place.source == b->call.place.source;
}

/*
 * The calls of one transcript run one after another, in the order of their
 * results.
 */
static bool is_result_within(const struct ccfc_chain *chain, uint32_t i,
			     const struct run *run)
{
	const struct ccfc_change *all =
		chain->history->env.index->changes.items;
	const struct ccfc_node *last = &chain->nodes[i - 1], *next;
	int64_t start = run->when.from, end = run->c->result.time;

	if (run->when.to == INT64_MAX || end == CCFC_TIME_NONE ||
	    end < last->late || (run->c->result.run & CCFC_RUN_BACKGROUND))
		return false;
	if (start < last->late &&
	    !are_of_same_transcript(run->c, &all[last->change]))
		return false;
	if (i == chain->n)
		return start <= chain->disk.mtime + TICK_MS &&
		       end + LATE_MS >= chain->disk.mtime;
	next = &chain->nodes[i];
	return are_of_same_transcript(run->c, &all[next->change])
		       ? end <= next->late
		       : end <= next->start;
}

static bool set_run_if_in_gap(struct run *run, const struct ccfc_chain *chain,
			      uint32_t i, uint32_t command)
{
	const struct ccfc_index *index = chain->history->env.index;
	struct ccfc_period gap;

	*run = (struct run){ .command = command,
			     .c = &index->changes.items[command] };
	run->when = ccfc_query_window(index, run->c);
	if (!period_of_gap(&gap, chain, i) || run->when.from > gap.to ||
	    run->when.to < gap.from)
		return false;
	run->sure =
		run->c->state == CCFC_STATE_APPLIED && run->c->result.known &&
		is_result_within(chain, i, run) &&
		ccfc_query_is_at_home(index, run->c->session,
				      ccfc_slice_str(ccfc_chain_path(chain)));
	return true;
}

/*
 * Could another session have rewound the file to that state? The client
 * restores a file from a backup of that session.
 */
static bool may_be_rewound_by_other(struct ccfc_chain *chain, uint32_t i,
				    uint32_t session)
{
	uint32_t home =
		ccfc_home_of(CCFC_HOMES(chain->history, sessions), session);
	const struct ccfc_side_state *now = state_after_gap(chain, i);
	struct ccfc_buf bytes = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	bool found = false;

	for (uint32_t k = 0; !found && k < chain->copies.n; k++) {
		struct ccfc_form form;

		if (chain->copies.items[k].file.session == home ||
		    !ccfc_chain_copy_bytes(&bytes, chain, k))
			continue;
		ccfc_form_decode(&text, &form, ccfc_buf_view(&bytes));
		found = ccfc_hash_slice(ccfc_buf_view(&text)) == now->hash;
	}
	ccfc_buf_release(&bytes);
	ccfc_buf_release(&text);
	return found;
}

/* --- one gap --- */

static int compare_run_times(const void *x, const void *y)
{
	const struct run *a = x, *b = y;

	if (a->when.from != b->when.from)
		return a->when.from < b->when.from ? -1 : 1;
	return ccfc_slice_cmp(ccfc_slice(a->c->id, a->c->id_len),
			      ccfc_slice(b->c->id, b->c->id_len));
}

struct runs {
	struct run *items;
	uint32_t n, cap;
	uint32_t sure;
};

/* `added` NULL: the gap leads back to an earlier state. */
static void find_runs(struct runs *out, struct ccfc_command_reader *r,
		      uint32_t i, const struct ccfc_added_lines *added)
{
	const struct ccfc_excerpt *ex = r->chain->history->env.excerpt;
	struct ccfc_slice path = ccfc_slice_str(ccfc_chain_path(r->chain));

	for (uint32_t k = 0; k < ex->ncommands; k++) {
		struct run run;

		if (!set_run_if_in_gap(&run, r->chain, i, ex->commands[k]) ||
		    !ccfc_command_reader_take(r, run.c) ||
		    !(added ? ccfc_command_has_lines(r, added)
			    : ccfc_command_brings_back(r, path)))
			continue;
		run.sure &= ccfc_command_is_plain(r);
		out->sure += run.sure;
		CCFC_VEC_PUSH(*out, run);
	}
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items),
		      compare_run_times);
}

static void store_runs(struct ccfc_chain *chain, uint32_t i,
		       const struct runs *runs)
{
	const struct ccfc_homes *homes = CCFC_HOMES(chain->history, changes);
	struct ccfc_chain_run kept = { .gap = i,
				       .first = chain->run_commands.n,
				       .n = runs->n };

	for (uint32_t k = 0; k < runs->n; k++)
		CCFC_VEC_PUSH(chain->run_commands,
			      ccfc_home_of(homes, runs->items[k].command));
	CCFC_VEC_PUSH(chain->runs, kept);
}

static void explain_gap(struct ccfc_command_reader *r, uint32_t i)
{
	struct ccfc_chain *chain = r->chain;
	bool back = gap_before(chain, i) == CCFC_GAP_RETURNED;
	struct ccfc_added_lines added = { .arena = CCFC_ARENA_INIT };
	struct runs runs = { 0 };

	if (back || ccfc_added_lines_find(&added, chain, i))
		find_runs(&runs, r, i, back ? NULL : &added);
	if (runs.sure &&
	    !(back && runs.n == 1 &&
	      may_be_rewound_by_other(chain, i, runs.items[0].c->session)))
		store_runs(chain, i, &runs);
	free(runs.items);
	ccfc_arena_release(&added.arena);
}

/* --- all of them --- */

/* Everything on which the explanations of a chain depend. */
static uint64_t stamp_of_explanations(const struct ccfc_chain *chain)
{
	const struct ccfc_history *h = chain->history;
	const struct ccfc_excerpt *ex = h->env.excerpt;
	uint64_t stamp = chain->stamp;

	for (uint32_t k = 0; k < ex->ncommands; k++) {
		const struct ccfc_change *c =
			&h->env.index->changes.items[ex->commands[k]];
		uint64_t all[] = { stamp, ccfc_change_stamp(h, c),
				   ccfc_home_of(CCFC_HOMES(h, changes),
						ex->commands[k]),
				   c->state, (uint64_t)c->shell_time };

		stamp = ccfc_hash(all, sizeof(all));
	}
	return stamp | 1;
}

static void explain_gaps(struct ccfc_chain *chain)
{
	struct ccfc_command_reader r;
	uint32_t left = GAPS_MAX;

	ccfc_command_reader_init(&r, chain);
	chain->runs.n = chain->run_commands.n = 0;
	for (uint32_t i = chain->n; i && left; i--) {
		if (!is_unexplained_gap(chain, i))
			continue;
		explain_gap(&r, i);
		left--;
	}
	ccfc_command_reader_release(&r);
}

/* What to copy from the index, so that the gaps can be explained. */
static void request_commands(struct ccfc_chain *chain)
{
	struct ccfc_history *h = chain->history;
	struct ccfc_period span;

	for (uint32_t i = chain->n; i && h->spans.n < GAPS_MAX; i--)
		if (is_unexplained_gap(chain, i) &&
		    period_of_gap(&span, chain, i))
			CCFC_VEC_PUSH(h->spans, span);
}

/* The changes for this question: gaps that exactly one command explains. */
static void set_explaining_changes(struct ccfc_chain *chain)
{
	const struct ccfc_history_env *env = &chain->history->env;
	const struct ccfc_homes *homes = CCFC_HOMES(chain->history, changes);

	for (uint32_t k = 0; k < chain->runs.n; k++) {
		struct ccfc_chain_run *run = &chain->runs.items[k];
		bool made = !chain->nodes[run->gap - 1].after.exists;

		run->change = CCFC_ID_NONE;
		if (run->n == 1)
			run->change = ccfc_excerpt_infer(
				env->excerpt,
				ccfc_own_of(
					homes,
					chain->run_commands.items[run->first]),
				chain->file,
				made ? CCFC_OP_CREATED : CCFC_OP_MODIFIED);
	}
}

void ccfc_chain_explain(struct ccfc_chain *chain)
{
	const struct ccfc_excerpt *ex = chain->history->env.excerpt;
	uint64_t stamp;

	chain->explained = false;
	if (!ex || !chain->n)
		return;
	if (!ex->has_commands) {
		request_commands(chain);
		return;
	}
	stamp = stamp_of_explanations(chain);
	if (stamp != chain->run_stamp) {
		explain_gaps(chain);
		chain->run_stamp = stamp;
	}
	set_explaining_changes(chain);
	chain->explained = true;
}

static const struct ccfc_chain_run *run_at(const struct ccfc_chain *chain,
					   uint32_t i)
{
	for (uint32_t k = 0; chain->explained && k < chain->runs.n; k++)
		if (chain->runs.items[k].gap == i)
			return &chain->runs.items[k];
	return NULL;
}

uint32_t ccfc_chain_inferred(const struct ccfc_chain *chain, uint32_t i)
{
	const struct ccfc_chain_run *run = run_at(chain, i);

	return run ? run->change : CCFC_ID_NONE;
}

uint32_t ccfc_chain_commands(const struct ccfc_chain *chain, uint32_t i)
{
	const struct ccfc_chain_run *run = run_at(chain, i);

	return run && run->n > 1 ? run->n : 0;
}

uint32_t ccfc_chain_command(const struct ccfc_chain *chain, uint32_t i,
			    uint32_t k)
{
	const struct ccfc_chain_run *run = run_at(chain, i);

	return ccfc_own_of(CCFC_HOMES(chain->history, changes),
			   chain->run_commands.items[run->first + k]);
}
