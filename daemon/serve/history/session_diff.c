/*
 * session.diff: a session's changes as unified diffs: one for each change in
 * the order of their effects, or the net effect on each file.
 *
 * A file's chain is opened once, so the diffs are made file by file, packed
 * separately, and then sorted.
 */
#include "history/plan/net.h"
#include "serve/rpc/content_reply.h"

#include "base/alloc.h"
#include "base/time.h"

#include <stdlib.h>

/* One packed diff. */
struct entry {
	int64_t time; /* for the order; not falling within a file */
	uint32_t nth;
	size_t at, len; /* in `packed` */
};

struct diffs {
	struct ccfc_request *rq;
	struct ccfc_pack pack;
	struct ccfc_buf packed;
	struct {
		struct entry *items;
		uint32_t n, cap;
	} entries;
	int64_t added, removed;
	bool truncated;
	uint32_t session;
	/* Of the current file: */
	const struct ccfc_group *group;
	uint32_t nchanges;
	struct ccfc_chain *chain;
	struct ccfc_delta_form form;
	int64_t time;
	struct ccfc_buf diff;
};

/* The states before and after a diff, and its change. */
struct subject {
	const struct ccfc_change *change; /* NULL: several */
	const struct ccfc_change *last;
	uint32_t nchanges;
	struct ccfc_content_state before, after;
	struct ccfc_delta delta;
};

/* --- one diff --- */

static void begin_entry(struct diffs *d, uint32_t step)
{
	int64_t time = ccfc_chain_step_time(d->chain, step);
	struct entry entry = { .nth = d->entries.n, .at = d->packed.len };

	/* Patches of a file only apply in their order. */
	if (time > d->time)
		d->time = time;
	entry.time = d->time;
	CCFC_VEC_PUSH(d->entries, entry);
	ccfc_pack_map(&d->pack);
}

static void end_entry(struct diffs *d)
{
	struct entry *entry = &d->entries.items[d->entries.n - 1];

	ccfc_pack_end(&d->pack);
	entry->len = d->packed.len - entry->at;
	ccfc_buf_clear(&d->diff);
	ccfc_arena_clear(d->rq->texts);
}

static const char *operation_text(const struct subject *s)
{
	if (s->change)
		return ccfc_op_text((int)ccfc_index_op(s->change));
	if (!s->before.exists)
		return ccfc_op_text(CCFC_OP_CREATED);
	return ccfc_op_text(s->after.exists ? CCFC_OP_MODIFIED
					    : CCFC_OP_DELETED);
}

static void pack_subject(struct diffs *d, const struct subject *s)
{
	const struct ccfc_index *index = d->rq->index;
	const struct ccfc_change *c = s->change;
	struct ccfc_pack *p = &d->pack;

	ccfc_pack_kv_str(p, "path", ccfc_index_file_path(index, d->group->key));
	ccfc_pack_kv_str(p, "name", d->form.name);
	ccfc_reply_str(p, "changeId",
		       c ? ccfc_slice(c->id, c->id_len) : CCFC_SLICE_NONE);
	ccfc_pack_kv_uint(p, "changes", s->nchanges);
	ccfc_reply_str(p, "tool",
		       c ? ccfc_index_tool(index, c) : CCFC_SLICE_NONE);
	ccfc_pack_kv_time(p, "timestamp", ccfc_index_time(s->last));
	ccfc_reply_id(p, "agentId", index, c ? ccfc_index_agent(c) : 0);
	ccfc_pack_kv_cstr(p, "operation", operation_text(s));
	ccfc_reply_evidence(p, index, c);
}

/* Packs the diff in d->diff as an entry. */
static void put_entry(struct diffs *d, uint32_t step, const struct subject *s)
{
	bool cut;

	begin_entry(d, step);
	pack_subject(d, s);
	if (s->delta.known || !s->change)
		ccfc_reply_delta_lines(&d->pack, &s->delta);
	else
		ccfc_reply_line_counts(&d->pack, s->change);
	cut = !ccfc_reply_delta(d->rq, &s->delta, ccfc_buf_view(&d->diff));
	if (d->rq->opt.content) {
		cut |= ccfc_reply_state(d->rq, "before", &s->before, true);
		cut |= ccfc_reply_state(d->rq, "after", &s->after, true);
	}
	if (s->delta.known && !s->delta.binary) {
		d->added += (int64_t)s->delta.added;
		d->removed += (int64_t)s->delta.removed;
	}
	d->truncated |= cut;
	end_entry(d);
}

/* --- one change --- */

static const struct ccfc_change *change_of_step(const struct diffs *d,
						uint32_t step)
{
	return &d->rq->index->changes
			.items[ccfc_chain_step_change(d->chain, step)];
}

static void put_change(struct diffs *d, uint32_t step)
{
	struct ccfc_arena *arena = d->rq->texts;
	struct subject s = { .change = change_of_step(d, step), .nchanges = 1 };

	s.last = s.change;
	if (!d->rq->reading_left) {
		s.before.why = s.after.why = s.delta.why = CCFC_REPLY_FULL;
		d->truncated = true;
		put_entry(d, step, &s);
		return;
	}
	ccfc_chain_step_before(&s.before, d->chain, step, arena);
	ccfc_chain_step_after(&s.after, d->chain, step, arena);
	ccfc_states_charge(d->rq, s.before.bytes.len + s.after.bytes.len);
	ccfc_delta_step(&s.delta, &d->diff, &d->form, d->chain, step, &s.before,
			&s.after, arena);
	put_entry(d, step, &s);
}

static void put_changes(struct diffs *d, const struct ccfc_change_run *run)
{
	for (uint32_t step = run->first; step <= run->last; step++)
		if (ccfc_chain_step_change(d->chain, step) != CCFC_ID_NONE)
			put_change(d, step);
}

/* How many changes a run has. */
static uint32_t count_run(const struct diffs *d,
			  const struct ccfc_change_run *run)
{
	uint32_t n = 0;

	for (uint32_t step = run->first; step <= run->last; step++)
		n += ccfc_chain_step_change(d->chain, step) != CCFC_ID_NONE;
	return n;
}

/* --- the net effect --- */

static const char *both_reasons(const char *a, const char *b,
				struct ccfc_arena *arena)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	const char *text;

	if (!b[0] || !strcmp(a, b))
		return a;
	ccfc_buf_printf(&buf, "%s; %s", a, b);
	text = ccfc_arena_copy(arena, ccfc_buf_view(&buf)).ptr;
	ccfc_buf_release(&buf);
	return text;
}

/*
 * Packs a run separately; `why` says why it cannot be merged with the others.
 */
static void put_run(struct diffs *d, const struct ccfc_change_run *run,
		    const char *why)
{
	struct ccfc_arena *arena = d->rq->texts;
	struct subject s = { .last = change_of_step(d, run->last),
			     .nchanges = count_run(d, run) };

	if (s.nchanges == 1)
		s.change = s.last;
	ccfc_chain_step_before(&s.before, d->chain, run->first, arena);
	ccfc_chain_step_after(&s.after, d->chain, run->last, arena);
	ccfc_delta_states(&s.delta, &d->diff, &d->form, &s.before, &s.after);
	if (!s.delta.known) {
		ccfc_arena_clear(arena);
		put_changes(d, run);
		return;
	}
	s.delta.why = both_reasons(why, s.delta.why, arena);
	put_entry(d, run->first, &s);
}

static struct ccfc_content_state as_state(const struct ccfc_version *version,
					  const struct ccfc_net *net)
{
	return (struct ccfc_content_state){ .fidelity = net->fidelity,
					    .origin = CCFC_ORIGIN_REPLAY,
					    .exists = version->exists,
					    .bytes = version->bytes,
					    .why = net->why };
}

static void put_net(struct diffs *d, const struct ccfc_change_runs *runs)
{
	struct ccfc_arena *arena = d->rq->texts;
	struct subject s = { .nchanges = d->nchanges };
	struct ccfc_net net;

	ccfc_net_compose(&net, d->chain, runs, arena);
	if (!net.composed) {
		/* Entries clear the arena. */
		const char *why =
			ccfc_arena_copy(d->rq->arena, ccfc_slice_str(net.why))
				.ptr;

		ccfc_arena_clear(arena);
		for (uint32_t k = 0; k < runs->n; k++)
			put_run(d, &runs->items[k], why);
		return;
	}
	s.last = change_of_step(d, runs->items[runs->n - 1].last);
	s.before = as_state(&net.before, &net);
	s.after = as_state(&net.after, &net);
	ccfc_delta_versions(&s.delta, &d->diff, &d->form, &net.before,
			    &net.after);
	s.delta.fidelity = net.fidelity;
	s.delta.why = net.why;
	put_entry(d, runs->items[0].first, &s);
}

/* --- all --- */

static void add_file(struct diffs *d, const struct ccfc_group *group,
		     struct ccfc_slice project)
{
	struct ccfc_request *rq = d->rq;
	struct ccfc_states_changes all;
	struct ccfc_change_runs runs;

	d->group = group;
	d->time = CCFC_TIME_NONE;
	d->form.name = ccfc_states_name(rq, group->key, project);
	d->form.context = (uint32_t)rq->opt.context;
	d->chain = ccfc_chain_open(rq->history, group->key);
	if (!d->chain)
		return;
	all = ccfc_states_changes(rq, d->chain, d->session, group->changes,
				  group->nchanges, rq->arena);
	d->nchanges = all.n;
	if (!ccfc_change_runs_find(&runs, d->chain, all.items, all.n,
				   rq->arena))
		return;
	if (rq->opt.net) {
		put_net(d, &runs);
		return;
	}
	for (uint32_t k = 0; k < runs.n; k++)
		put_changes(d, &runs.items[k]);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->nth > y->nth) - (x->nth < y->nth);
}

static void pack_diffs(struct ccfc_pack *p, struct diffs *d)
{
	if (d->entries.n)
		qsort(d->entries.items, d->entries.n, sizeof(struct entry),
		      compare_entries);
	ccfc_pack_cstr(p, "diffs");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < d->entries.n; i++) {
		const struct entry *e = &d->entries.items[i];

		ccfc_pack_raw(p, ccfc_slice(d->packed.ptr + e->at, e->len));
	}
	ccfc_pack_end(p);
	ccfc_pack_kv_int(p, "totalAdded", d->added);
	ccfc_pack_kv_int(p, "totalRemoved", d->removed);
	ccfc_pack_kv_bool(p, "truncated", d->truncated);
}

static int answer_diffs(struct ccfc_history_job *job, struct ccfc_request *rq,
			struct ccfc_err *err)
{
	struct diffs d = { .rq = rq, .session = job->session };
	struct ccfc_pack *p = rq->pack;
	struct ccfc_slice project = ccfc_args_project(rq, job->session);

	(void)err;
	ccfc_states_want_whole(rq);
	ccfc_pack_init(&d.pack, &d.packed);
	rq->pack = &d.pack;
	for (uint32_t i = 0; i < job->groups.n && !ccfc_history_job_is_over(rq);
	     i++)
		add_file(&d, &job->groups.items[i], project);
	rq->pack = p;
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "sessionId",
			 ccfc_index_session_id(rq->index, job->session));
	ccfc_reply_str(p, "projectPath", project);
	pack_diffs(p, &d);
	ccfc_reply_unknown(p, rq->index, job->session);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
	ccfc_buf_release(&d.packed);
	ccfc_buf_release(&d.diff);
	free(d.entries.items);
	return 0;
}

int ccfc_method_session_diff(struct ccfc_request *rq, struct ccfc_err *err)
{
	return ccfc_history_job_session(
		rq, CCFC_EXCERPT_CHAINS | CCFC_EXCERPT_COMMANDS, answer_diffs,
		err);
}
