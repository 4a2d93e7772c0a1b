/*
 * file.log: the steps of a file's history, newest first. Between two changes,
 * and after the last one, somebody else may have changed the file: that is a
 * step of its own, and so is a period about which nothing is known. For a file
 * that only snapshots name, the steps are the states of its backups.
 */
#include "history/file/read_file.h"
#include "serve/rpc/content_reply.h"

#include "base/time.h"

/* Steps that are made at once; see pack_block. */
#define BLOCK 256u

/* Change i, or a step before it. */
struct step {
	uint32_t i;
	bool is_change;
	enum ccfc_gap gap; /* if the step is not a change */
	bool is_backup;	   /* only the state `seen` is known */
	uint32_t seen;	   /* the seen state after the step, or ID_NONE */
	uint32_t from;	   /* the seen state before the step, or ID_NONE */
};

struct log {
	struct ccfc_request *rq;
	struct ccfc_chain *chain;
	struct step *steps; /* oldest first */
	uint32_t n, len;    /* steps, changes */
	struct ccfc_filter filter;
	bool some; /* only changes that the filter accepts */
};

static void add_gap(struct log *log, uint32_t i, enum ccfc_gap gap,
		    uint32_t from, uint32_t seen)
{
	if (gap != CCFC_GAP_NONE && !log->some)
		log->steps[log->n++] = (struct step){
			.i = i, .gap = gap, .from = from, .seen = seen
		};
}

/* Counts the edits seen on disk before change i; *last is the last one. */
static uint32_t count_edits(const struct log *log, uint32_t i, uint32_t *last)
{
	uint32_t n = 0, k = ccfc_chain_seen(log->chain, i, INT64_MAX);

	*last = CCFC_ID_NONE;
	for (; k != CCFC_ID_NONE; k = ccfc_chain_seen_before(log->chain, k)) {
		if (!ccfc_chain_seen_on_disk(log->chain, k))
			continue;
		if (!n++)
			*last = k;
	}
	return n;
}

/* Adds a step for each edit seen on disk, and one for the rest of the gap. */
static bool find_edits(struct log *log, uint32_t i)
{
	uint32_t last, n = count_edits(log, i, &last), from = CCFC_ID_NONE;
	struct ccfc_return back;
	uint32_t *list;

	if (!n || log->some)
		return false;
	list = ccfc_arena_alloc(log->rq->arena, n * sizeof(*list));
	for (uint32_t k = last, at = n; at;
	     k = ccfc_chain_seen_before(log->chain, k))
		if (ccfc_chain_seen_on_disk(log->chain, k))
			list[--at] = k;
	for (uint32_t at = 0; at < n; from = list[at++])
		add_gap(log, i,
			ccfc_chain_seen_return(&back, log->chain, list[at])
				? CCFC_GAP_RETURNED
				: CCFC_GAP_OUTSIDE,
			from, list[at]);
	add_gap(log, i, ccfc_chain_seen_gap(log->chain, last), last,
		CCFC_ID_NONE);
	return true;
}

/* Adds the steps after the last change: seen states, then the disk. */
static void find_last_steps(struct log *log)
{
	enum ccfc_gap gap = ccfc_chain_gap(log->chain, log->len), since, then;
	uint32_t k = ccfc_chain_seen(log->chain, log->len, INT64_MAX);

	since = k == CCFC_ID_NONE ? CCFC_GAP_NONE
				  : ccfc_chain_seen_since(log->chain, k);
	if (since != CCFC_GAP_OUTSIDE && since != CCFC_GAP_RETURNED) {
		add_gap(log, log->len, gap, CCFC_ID_NONE, CCFC_ID_NONE);
		return;
	}
	add_gap(log, log->len, since, CCFC_ID_NONE, k);
	then = ccfc_chain_seen_gap(log->chain, k);
	if (then == CCFC_GAP_OUTSIDE && gap == CCFC_GAP_NONE)
		gap = CCFC_GAP_OUTSIDE; /* and was put back since */
	add_gap(log, log->len, then == CCFC_GAP_OUTSIDE ? gap : then, k,
		CCFC_ID_NONE);
}

static bool is_wanted_step(const struct log *log, uint32_t i)
{
	const struct ccfc_index *index = log->rq->index;
	uint32_t id = ccfc_chain_change(log->chain, i);

	return !log->some || ccfc_filter_accepts(index, &log->filter,
						 &index->changes.items[id]);
}

static void find_steps(struct log *log)
{
	uint32_t most = 2u * log->len + 2u, last;

	for (uint32_t i = 1; i <= log->len; i++)
		most += count_edits(log, i, &last);
	log->steps =
		ccfc_arena_alloc(log->rq->arena, most * sizeof(*log->steps));
	for (uint32_t i = 0; i < log->len; i++) {
		enum ccfc_gap gap =
			i ? ccfc_chain_gap(log->chain, i) : CCFC_GAP_NONE;

		if (!i || !find_edits(log, i))
			add_gap(log, i, gap, CCFC_ID_NONE, CCFC_ID_NONE);
		if (is_wanted_step(log, i))
			log->steps[log->n++] =
				(struct step){ .i = i, .is_change = true };
	}
	if (!find_edits(log, log->len))
		find_last_steps(log);
}

/* Adds the steps of a file without changes: its backups, then the disk. */
static void find_backup_steps(struct log *log)
{
	uint32_t end = ccfc_chain_seen(log->chain, 0, INT64_MAX);
	uint32_t n = 0, last = CCFC_ID_NONE, *list;

	for (uint32_t k = end; k != CCFC_ID_NONE;
	     k = ccfc_chain_seen_before(log->chain, k))
		n++;
	list = ccfc_arena_alloc(log->rq->arena, (n + 1u) * sizeof(*list));
	log->steps = ccfc_arena_alloc(log->rq->arena,
				      (n + 1u) * sizeof(*log->steps));
	for (uint32_t i = n; i--; end = ccfc_chain_seen_before(log->chain, end))
		list[i] = end;
	for (uint32_t i = 0; !log->some && i < n; i++) {
		/* An unchanged file is named again and again. */
		if (!i ||
		    ccfc_chain_seen_gap(log->chain, last) != CCFC_GAP_NONE)
			log->steps[log->n++] = (struct step){ .is_backup = true,
							      .from = last,
							      .seen = list[i] };
		last = list[i];
	}
	add_gap(log, 0, ccfc_chain_seen_gap(log->chain, list[n - 1]),
		list[n - 1], CCFC_ID_NONE);
}

/* The file as it is now, as a state. */
static void read_disk(struct ccfc_content_state *out, struct log *log,
		      struct ccfc_arena *arena)
{
	uint32_t file = ccfc_chain_file(log->chain);
	struct ccfc_file_info info = { 0 };
	struct ccfc_buf buf = CCFC_BUF_INIT;
	int r = ccfc_file_read(&buf, &info,
			       ccfc_index_file_path(log->rq->index, file).ptr,
			       CCFC_MAX_CONTENT_MAX, NULL);

	*out = (struct ccfc_content_state){ .why = "" };
	if (r || (info.exists && !info.regular)) {
		out->why = r ? "it cannot be read" : "it is not a regular file";
	} else {
		out->fidelity = CCFC_FIDELITY_EXACT;
		out->origin = CCFC_ORIGIN_DISK;
		out->exists = info.exists;
		out->bytes = ccfc_arena_copy(arena, ccfc_buf_view(&buf));
	}
	ccfc_buf_release(&buf);
}

static void pack_lines(struct ccfc_request *rq,
		       const struct ccfc_content_state *before,
		       const struct ccfc_content_state *after,
		       const struct ccfc_change *change)
{
	const struct ccfc_delta_form form = { .name = CCFC_SLICE_LIT("x") };
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_delta delta;

	ccfc_states_charge(rq, before->bytes.len + after->bytes.len);
	ccfc_delta_states(&delta, &buf, &form, before, after);
	if (change && !delta.known)
		ccfc_reply_line_counts(rq->pack, change);
	else
		ccfc_reply_delta_lines(rq->pack, &delta);
	ccfc_buf_release(&buf);
}

/* Who made a change, how, and why. */
static void pack_who(struct ccfc_request *rq, uint32_t id)
{
	const struct ccfc_change *c = &rq->index->changes.items[id];
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_kv_cstr(p, "kind", "change");
	ccfc_reply_change_ref(rq, id);
	ccfc_reply_change_conflict(p, c);
	ccfc_reply_id(p, "agentId", rq->index, ccfc_index_agent(c));
	ccfc_reply_id(p, "model", rq->index, c->call.model);
	ccfc_reply_str(p, "tool", ccfc_index_tool(rq->index, c));
	ccfc_reply_shell(p, rq->index, c);
	ccfc_reply_prompt(rq, c);
}

static void pack_place(struct log *log, const struct ccfc_return *back)
{
	const struct ccfc_change *c =
		&log->rq->index->changes
			 .items[ccfc_chain_change(log->chain, back->i)];

	ccfc_pack_kv_str(log->rq->pack, "returnedTo",
			 ccfc_slice(c->id, c->id_len));
	ccfc_pack_kv_cstr(log->rq->pack, "returnedSide",
			  back->before ? "before" : "after");
}

static void pack_change(struct log *log, uint32_t i, struct ccfc_arena *arena)
{
	struct ccfc_request *rq = log->rq;
	uint32_t id = ccfc_chain_change(log->chain, i);
	const struct ccfc_change *c = &rq->index->changes.items[id];
	struct ccfc_content_state before, after;
	struct ccfc_return back;

	ccfc_chain_before(&before, log->chain, i, arena);
	ccfc_chain_after(&after, log->chain, i, arena);
	pack_who(rq, id);
	if (ccfc_chain_restored(&back, log->chain, i))
		pack_place(log, &back);
	pack_lines(rq, &before, &after, c);
	ccfc_reply_state(rq, "after", &after, false);
}

static const char *gap_text(enum ccfc_gap gap)
{
	static const char *const text[] = {
		[CCFC_GAP_OUTSIDE] = "outside",
		[CCFC_GAP_UNKNOWN] = "unknown",
		[CCFC_GAP_RETURNED] = "returned",
		[CCFC_GAP_OVERWRITTEN] = "overwritten",
		[CCFC_GAP_HOOK] = "hook",
	};

	return text[gap];
}

/* Packs the state that came back, and who restored it. */
static void pack_return(struct log *log, const struct step *step)
{
	const struct ccfc_index *index = log->rq->index;
	struct ccfc_pack *p = log->rq->pack;
	const struct ccfc_change *c;
	struct ccfc_return back;

	if (step->gap != CCFC_GAP_RETURNED &&
	    step->gap != CCFC_GAP_OVERWRITTEN && step->gap != CCFC_GAP_UNKNOWN)
		return;
	if (step->seen == CCFC_ID_NONE
		    ? !ccfc_chain_return(&back, log->chain, step->i)
		    : !ccfc_chain_seen_return(&back, log->chain, step->seen))
		return;
	pack_place(log, &back);
	if (step->gap != CCFC_GAP_OVERWRITTEN)
		return;
	c = &index->changes.items[ccfc_chain_change(log->chain, step->i)];
	ccfc_pack_kv_str(p, "overwrittenBy", ccfc_slice(c->id, c->id_len));
	ccfc_pack_kv_str(p, "overwrittenBySession",
			 ccfc_index_session_id(index, c->session));
}

/* Packs the call to which the hook belongs. */
static void pack_hook(struct log *log, const struct step *step)
{
	const struct ccfc_change *c;

	if (step->gap != CCFC_GAP_HOOK)
		return;
	c = &log->rq->index->changes
		     .items[ccfc_chain_change(log->chain, step->i - 1)];
	ccfc_pack_kv_str(log->rq->pack, "hookOf", ccfc_slice(c->id, c->id_len));
}

/* Packs the kind of a gap, and its command if the contents show it. */
static void pack_kind(struct log *log, const struct step *step)
{
	bool whole = step->seen == CCFC_ID_NONE && step->from == CCFC_ID_NONE;
	uint32_t made =
		whole ? ccfc_chain_inferred(log->chain, step->i) : CCFC_ID_NONE;
	uint32_t n = whole ? ccfc_chain_commands(log->chain, step->i) : 0;
	const struct ccfc_index *index = log->rq->index;
	struct ccfc_pack *p = log->rq->pack;

	if (made != CCFC_ID_NONE) {
		pack_who(log->rq, made);
		return;
	}
	ccfc_pack_kv_cstr(p, "kind", gap_text(step->gap));
	if (!n)
		return;
	ccfc_pack_kv_cstr(p, "evidence", ccfc_proof_text(CCFC_PROOF_AMBIGUOUS));
	ccfc_pack_cstr(p, "candidates");
	ccfc_pack_array(p);
	for (uint32_t k = 0; k < n; k++)
		ccfc_reply_candidate(p, index,
				     &index->changes.items[ccfc_chain_command(
					     log->chain, step->i, k)]);
	ccfc_pack_end(p);
}

/* The time of the step: of its backup or its change; NONE: now. */
static int64_t time_of_step(const struct log *log, const struct step *step)
{
	if (step->seen != CCFC_ID_NONE)
		return ccfc_chain_seen_time(log->chain, step->seen);
	return step->i == log->len ? CCFC_TIME_NONE
				   : ccfc_chain_time(log->chain, step->i);
}

static void read_after(struct ccfc_content_state *out, struct log *log,
		       const struct step *step, struct ccfc_arena *arena)
{
	if (step->seen != CCFC_ID_NONE)
		ccfc_chain_seen_state(out, log->chain, step->seen, arena);
	else if (step->i == log->len)
		read_disk(out, log, arena);
	else
		ccfc_chain_before(out, log->chain, step->i, arena);
}

/*
 * Packs the gap between change i - 1 and change i, or up to a seen state, or to
 * the disk.
 */
static void pack_gap(struct log *log, const struct step *step,
		     struct ccfc_arena *arena)
{
	struct ccfc_content_state before, after;
	struct ccfc_pack *p = log->rq->pack;
	bool seen = step->from != CCFC_ID_NONE;

	if (seen)
		ccfc_chain_seen_state(&before, log->chain, step->from, arena);
	else
		ccfc_chain_after(&before, log->chain, step->i - 1, arena);
	read_after(&after, log, step, arena);
	pack_kind(log, step);
	pack_return(log, step);
	pack_hook(log, step);
	if (step->seen != CCFC_ID_NONE &&
	    ccfc_chain_seen_on_disk(log->chain, step->seen))
		ccfc_pack_kv_time(p, "seenAt", time_of_step(log, step));
	ccfc_pack_kv_time(p, "from",
			  seen ? ccfc_chain_seen_time(log->chain, step->from)
			       : ccfc_chain_time(log->chain, step->i - 1));
	ccfc_pack_kv_time(p, "to", time_of_step(log, step));
	pack_lines(log->rq, &before, &after, NULL);
	ccfc_reply_state(log->rq, "after", &after, false);
}

/* Packs the state of a backup, and its difference from the previous one. */
static void pack_backup(struct log *log, const struct step *step,
			struct ccfc_arena *arena)
{
	struct ccfc_content_state before = { .why = "" }, after;

	ccfc_chain_seen_state(&after, log->chain, step->seen, arena);
	if (step->from != CCFC_ID_NONE)
		ccfc_chain_seen_state(&before, log->chain, step->from, arena);
	ccfc_pack_kv_cstr(log->rq->pack, "kind", "backup");
	ccfc_reply_seen_ref(log->rq,
			    ccfc_chain_seen_session(log->chain, step->seen),
			    ccfc_chain_seen_time(log->chain, step->seen));
	pack_lines(log->rq, &before, &after, NULL);
	ccfc_reply_state(log->rq, "after", &after, false);
}

static void pack_step(struct log *log, const struct step *step)
{
	struct ccfc_request *rq = log->rq;

	ccfc_pack_map(rq->pack);
	if (step->is_change)
		pack_change(log, step->i, rq->texts);
	else if (step->is_backup)
		pack_backup(log, step, rq->texts);
	else
		pack_gap(log, step, rq->texts);
	ccfc_pack_end(rq->pack);
	ccfc_arena_clear(rq->texts);
}

/* A packed step, and its share of the request's budget. */
struct packed {
	size_t from, len;
	size_t cost;
};

/*
 * Packs the steps [first, end) into `buf`, oldest first: a state is one step
 * away from the state before it, but many steps from the state after it.
 */
static void pack_block(struct packed *out, struct ccfc_buf *buf,
		       struct log *log, uint64_t first, uint64_t end)
{
	struct ccfc_request *rq = log->rq;
	struct ccfc_pack *outer = rq->pack, pack;

	ccfc_buf_clear(buf);
	ccfc_pack_init(&pack, buf);
	rq->pack = &pack;
	for (uint64_t i = first; i < end && !ccfc_history_job_is_over(rq);
	     i++) {
		size_t left = rq->reading_left;

		out->from = buf->len;
		pack_step(log, &log->steps[i]);
		out->len = buf->len - out->from;
		out->cost = left - rq->reading_left;
		out++;
	}
	rq->pack = outer;
}

/* True when there are more. */
static bool pack_steps(struct log *log)
{
	struct ccfc_request *rq = log->rq;
	uint64_t i = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;
	size_t left = rq->reading_left;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct packed block[BLOCK] = { { 0 } };

	ccfc_pack_cstr(rq->pack, "steps");
	ccfc_pack_array(rq->pack);
	while (n && i < log->n && left && !ccfc_history_job_is_over(rq)) {
		uint64_t end = log->n - i, k = n < BLOCK ? n : BLOCK;

		if (k > end)
			k = end;
		/* no limit here: steps beyond the limit are dropped later */
		rq->reading_left = SIZE_MAX;
		pack_block(block, &buf, log, end - k, end);
		for (; k && left && !ccfc_history_job_is_over(rq); i++, n--) {
			const struct packed *p = &block[--k];

			ccfc_pack_raw(rq->pack,
				      ccfc_slice(buf.ptr + p->from, p->len));
			left -= p->cost < left ? p->cost : left;
		}
	}
	ccfc_pack_end(rq->pack);
	ccfc_buf_release(&buf);
	return i < log->n;
}

static int answer_log(struct ccfc_history_job *job, struct ccfc_request *rq,
		      struct ccfc_err *err)
{
	struct log log = { .rq = rq };
	bool more;
	int r = ccfc_states_open_seen(&log.chain, rq, job, err);

	if (r)
		return r;
	r = ccfc_args_filter(&log.filter, rq, err);
	if (r)
		return r;
	log.some = rq->opt.given & (CCFC_OPT(TOOLS) | CCFC_OPT(EVIDENCE));
	log.len = ccfc_chain_len(log.chain);
	if (log.len)
		find_steps(&log);
	else
		find_backup_steps(&log);
	/* None of that kind is an answer as well. */
	if (log.n || rq->opt.offset)
		r = ccfc_args_offset(rq, log.n, "steps", err);
	if (r)
		return r;
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_str(rq->pack, "path", job->path);
	ccfc_pack_kv_uint(rq->pack, "totalSteps", log.n);
	more = pack_steps(&log);
	ccfc_pack_kv_bool(rq->pack, "truncated", more);
	ccfc_reply_asked(rq);
	ccfc_pack_end(rq->pack);
	return 0;
}

int ccfc_method_file_log(struct ccfc_request *rq, struct ccfc_err *err)
{
	return ccfc_history_job_seen_file(
		rq, CCFC_EXCERPT_CHAINS | CCFC_EXCERPT_PROMPTS, answer_log,
		err);
}
