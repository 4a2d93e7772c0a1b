/* change.get: one change, the file before and after it, and its diff. */
#include "history/chain/lines.h"
#include "serve/rpc/content_reply.h"
#include "transcript/content/call_notes.h"

#include <stdio.h>

/* A change that did nothing has no states. */
static void no_states(struct ccfc_content_state *before,
		      struct ccfc_content_state *after,
		      const struct ccfc_change *c, struct ccfc_arena *arena)
{
	char why[64];

	if (ccfc_index_is_inferred(c))
		snprintf(why, sizeof(why),
			 "the states of the file that showed it are gone");
	else
		snprintf(why, sizeof(why), "it did not take effect: it is %s",
			 ccfc_state_text(c->state));
	*before = (struct ccfc_content_state){ 0 };
	before->why = ccfc_arena_copy(arena, ccfc_slice_str(why)).ptr;
	*after = *before;
}

struct found {
	uint32_t id;
	struct ccfc_content_state before, after;
	struct ccfc_delta delta;
	struct ccfc_buf diff;
	struct ccfc_slice name;
};

/* The change of a command that only the contents of the file show. */
static uint32_t find_inferred(const struct ccfc_request *rq,
			      const struct ccfc_chain *chain, uint32_t command)
{
	for (uint32_t i = 1; i <= ccfc_chain_len(chain); i++) {
		uint32_t id = ccfc_chain_inferred(chain, i);

		if (id != CCFC_ID_NONE &&
		    rq->index->changes.items[id].command == command)
			return id;
	}
	return CCFC_ID_NONE;
}

static int read_change(struct found *f, struct ccfc_request *rq, uint32_t file,
		       struct ccfc_err *err)
{
	struct ccfc_chain *chain = ccfc_chain_open(rq->history, file);
	const struct ccfc_change *c = &rq->index->changes.items[f->id];
	struct ccfc_delta_form form;
	uint32_t step;

	if (ccfc_index_is_command(c)) {
		f->id = chain ? find_inferred(rq, chain, f->id) : CCFC_ID_NONE;
		if (f->id == CCFC_ID_NONE)
			return ccfc_err_set(err, CCFC_ENOTFOUND,
					    "change %.*s: nothing found",
					    (int)rq->opt.change.len,
					    rq->opt.change.ptr);
		c = &rq->index->changes.items[f->id];
	}
	step = chain ? ccfc_chain_step_find(chain, f->id) : 0;

	f->name = ccfc_states_name(rq, c->file,
				   ccfc_args_project(rq, c->session));
	form = (struct ccfc_delta_form){ f->name, (uint32_t)rq->opt.context };
	if (!step) {
		no_states(&f->before, &f->after, c, rq->arena);
		ccfc_delta_states(&f->delta, &f->diff, &form, &f->before,
				  &f->after);
		return 0;
	}
	ccfc_chain_step_before(&f->before, chain, step, rq->arena);
	ccfc_chain_step_after(&f->after, chain, step, rq->arena);
	ccfc_delta_step(&f->delta, &f->diff, &form, chain, step, &f->before,
			&f->after, rq->arena);
	return 0;
}

static void pack_permission(struct ccfc_pack *p,
			    const struct ccfc_call_notes *notes)
{
	ccfc_pack_cstr(p, "permission");
	if (!notes->decision.len) {
		ccfc_pack_nil(p);
		return;
	}
	ccfc_pack_map(p);
	ccfc_reply_str(p, "decision", notes->decision);
	ccfc_reply_str(p, "source", notes->decided_by);
	ccfc_reply_str(p, "reason", notes->reason);
	ccfc_pack_end(p);
}

static void pack_commit(struct ccfc_pack *p,
			const struct ccfc_call_notes *notes)
{
	ccfc_pack_cstr(p, "commit");
	if (!notes->commit.len) {
		ccfc_pack_nil(p);
		return;
	}
	ccfc_pack_map(p);
	ccfc_reply_str(p, "sha", notes->commit);
	ccfc_reply_str(p, "branch", notes->branch);
	ccfc_reply_str(p, "kind", notes->commit_kind);
	ccfc_pack_end(p);
}

/* Packs what else the client recorded about the call. */
static void pack_notes(struct ccfc_request *rq, const struct ccfc_change *c)
{
	const struct ccfc_history_env *env = ccfc_history_env(rq->history);
	struct ccfc_call_notes notes = { 0 };
	struct ccfc_slice call, result;

	if (ccfc_history_lines(&call, &result, env, c, rq->texts))
		ccfc_call_notes_read(env->parser, &notes, ccfc_index_call_id(c),
				     call, result, rq->texts);
	ccfc_reply_str(rq->pack, "requestedModel", notes.requested_model);
	ccfc_reply_str(rq->pack, "agentType", notes.agent_type);
	pack_permission(rq->pack, &notes);
	pack_commit(rq->pack, &notes);
	ccfc_arena_clear(rq->texts);
}

static void pack_change(struct ccfc_request *rq, const struct found *f)
{
	const struct ccfc_change *c = &rq->index->changes.items[f->id];
	bool content = rq->opt.content;
	struct ccfc_pack *p = rq->pack;
	bool cut;

	ccfc_pack_map(p);
	ccfc_reply_change_names(p, rq->index, c);
	if (f->delta.known)
		ccfc_reply_delta_lines(p, &f->delta);
	else
		ccfc_reply_line_counts(p, c);
	ccfc_reply_change_source(p, rq->index, c);
	ccfc_pack_kv_str(p, "path", ccfc_index_file_path(rq->index, c->file));
	ccfc_reply_str(p, "projectPath", ccfc_args_project(rq, c->session));
	ccfc_pack_kv_str(p, "name", f->name);
	/* The diff first: it matters most if the reply becomes full. */
	cut = !ccfc_reply_delta(rq, &f->delta, ccfc_buf_view(&f->diff));
	cut |= ccfc_reply_state(rq, "before", &f->before, content);
	cut |= ccfc_reply_state(rq, "after", &f->after, content);
	pack_notes(rq, c);
	ccfc_reply_prompt(rq, c);
	cut |= ccfc_reply_prompt_full(rq, c);
	ccfc_pack_kv_bool(p, "truncated", cut);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
}

static int answer_change(struct ccfc_history_job *job, struct ccfc_request *rq,
			 struct ccfc_err *err)
{
	struct found f = { .id = job->change, .diff = CCFC_BUF_INIT };
	int r;

	ccfc_states_want_whole(rq);
	r = read_change(&f, rq, job->file, err);
	if (!r)
		pack_change(rq, &f);
	ccfc_buf_release(&f.diff);
	return r;
}

int ccfc_method_change_get(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_history_job *job;
	struct ccfc_excerpting e;
	uint32_t change, file = 0;
	int r = ccfc_query_change(&change, rq->index, rq->opt.change, err);

	if (!r)
		file = rq->index->changes.items[change].file;
	else if (r != CCFC_ENOTFOUND ||
		 !ccfc_query_inferred(&change, &file, rq->index,
				      rq->opt.change))
		return r;
	ccfc_excerpt_init(&e, rq->index,
			  CCFC_EXCERPT_CHAINS | CCFC_EXCERPT_PROMPTS);
	ccfc_excerpt_add_file(&e, file);
	ccfc_excerpt_add_changes(&e, &change, 1);
	job = ccfc_history_job_new(rq, &e, answer_change);
	job->change = change;
	job->file = file;
	return ccfc_history_job_start(rq, job, err);
}
