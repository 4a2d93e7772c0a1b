/*
 * session.revert: a plan, for each file, to undo a session's changes. The
 * client writes the files.
 */
#include "history/plan/revert_plan.h"
#include "serve/history/transcript_origin.h"
#include "serve/rpc/content_reply.h"

#include "base/sha256.h"

#include <stdio.h>

struct revert {
	struct ccfc_request *rq;
	struct ccfc_origins origins;
	struct ccfc_slice project;
	uint32_t session;
	char label[64]; /* behind the markers of a conflict */
	bool truncated;
};

static void pack_present(struct ccfc_pack *p, const struct ccfc_plan *plan)
{
	char sum[CCFC_SHA256_HEX + 1] = "";
	bool known = plan->looked && plan->present.exists;

	if (known)
		ccfc_sha256_hex(sum, plan->present.bytes);
	ccfc_pack_cstr(p, "present");
	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "exists", plan->present.exists);
	ccfc_reply_str(p, "sha256", ccfc_slice_str(sum));
	ccfc_pack_cstr(p, "size");
	if (known)
		ccfc_pack_uint(p, plan->present.bytes.len);
	else
		ccfc_pack_nil(p);
	ccfc_pack_end(p);
}

/* A partial plan is of no use: a file that does not fit is left out. */
static void fit_session_revert(struct revert *r, struct ccfc_plan *plan,
			       size_t bytes)
{
	if (bytes <= r->rq->content_left) {
		r->rq->content_left -= bytes;
		return;
	}
	plan->action = CCFC_PLAN_UNKNOWN;
	plan->why = CCFC_REPLY_FULL;
	plan->has_result = false;
	r->truncated = true;
}

static void pack_bytes(struct ccfc_pack *p, const char *key, bool have,
		       struct ccfc_slice bytes)
{
	ccfc_pack_cstr(p, key);
	if (have)
		ccfc_pack_bin(p, bytes);
	else
		ccfc_pack_nil(p);
}

/* The changes of a file that are surely the session's, and what they are. */
struct taken {
	uint32_t *items;
	uint32_t n;
	bool by_commands;		   /* all of the group are */
	const struct ccfc_change *command; /* the last of a shell, or NULL */
};

/* How a command's change of the file is known. */
static void pack_how(struct revert *r, const struct ccfc_change *c)
{
	const struct ccfc_index *index = r->rq->index;
	struct ccfc_slice evidence = CCFC_SLICE_NONE;

	if (c)
		evidence = ccfc_slice_str(
			ccfc_proof_text((int)ccfc_query_proof(index, c)));
	ccfc_reply_str(r->rq->pack, "evidence", evidence);
	if (c)
		ccfc_reply_command(r->rq->pack, index, c);
	else
		ccfc_reply_str(r->rq->pack, "command", CCFC_SLICE_NONE);
}

static void pack_plan(struct revert *r, uint32_t file,
		      const struct ccfc_chain *chain, struct ccfc_plan *plan,
		      const struct taken *taken)
{
	struct ccfc_pack *p = r->rq->pack;
	const struct ccfc_delta_form form = { ccfc_states_name(r->rq, file,
							       r->project),
					      (uint32_t)r->rq->opt.context };
	struct ccfc_buf diff = CCFC_BUF_INIT;
	struct ccfc_delta delta = { 0 };

	if (plan->has_result)
		ccfc_delta_versions(&delta, &diff, &form, &plan->present,
				    &plan->result);
	fit_session_revert(r, plan, diff.len + plan->result.bytes.len);
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path", ccfc_index_file_path(r->rq->index, file));
	ccfc_pack_kv_str(p, "name", form.name);
	ccfc_pack_kv_cstr(p, "action", ccfc_plan_text(plan->action));
	ccfc_reply_str(p, "why", ccfc_slice_str(plan->why));
	pack_present(p, plan);
	pack_bytes(p, "content", plan->has_result && plan->result.exists,
		   plan->result.bytes);
	ccfc_pack_kv_uint(p, "conflicts", plan->conflicts);
	pack_bytes(p, "diff", plan->has_result, ccfc_buf_view(&diff));
	ccfc_reply_delta_lines(p, &delta);
	ccfc_pack_kv_bool(p, "binary", delta.binary);
	ccfc_reply_str(
		p, "fidelity",
		plan->action == CCFC_PLAN_REFUSED
			? CCFC_SLICE_NONE
			: ccfc_slice_str(ccfc_fidelity_text(plan->fidelity)));
	ccfc_reply_foreign(&r->origins, chain);
	ccfc_pack_kv_bool(p, "byCommands", taken->by_commands);
	pack_how(r, taken->command);
	ccfc_pack_end(p);
	ccfc_buf_release(&diff);
}

static struct taken sure_ones(const struct revert *r,
			      const struct ccfc_chain *chain,
			      const struct ccfc_group *group,
			      struct ccfc_arena *arena)
{
	const struct ccfc_index *index = r->rq->index;
	struct taken out = { .by_commands = true };
	struct ccfc_states_changes all =
		ccfc_states_changes(r->rq, chain, r->session, group->changes,
				    group->nchanges, arena);

	out.items = ccfc_arena_alloc(arena, (all.n + 1u) * sizeof(*out.items));
	for (uint32_t i = 0; i < all.n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[all.items[i]];

		out.by_commands &= c->shell != 0;
		if (c->shell)
			out.command = c;
		if (ccfc_query_proof(index, c) != CCFC_PROOF_AMBIGUOUS)
			out.items[out.n++] = all.items[i];
	}
	return out;
}

static void plan_file(struct revert *r, const struct ccfc_group *group)
{
	struct ccfc_request *rq = r->rq;
	struct ccfc_arena *arena = rq->texts;
	struct ccfc_chain *chain = ccfc_chain_open(rq->history, group->key);
	struct taken taken;
	struct ccfc_plan plan;

	if (!chain)
		return;
	taken = sure_ones(r, chain, group, arena);
	ccfc_plan_revert(&plan, chain, taken.items, taken.n,
			 ccfc_index_file_path(rq->index, group->key).ptr,
			 r->label, arena);
	if (!taken.n)
		plan.why = "another session may have changed it";
	pack_plan(r, group->key, chain, &plan, &taken);
	ccfc_arena_clear(arena);
}

static int answer_session_revert(struct ccfc_history_job *job,
				 struct ccfc_request *rq, struct ccfc_err *err)
{
	struct revert revert = { .rq = rq, .session = job->session };
	struct ccfc_pack *p = rq->pack;
	struct ccfc_slice id = ccfc_index_session_id(rq->index, job->session);

	(void)err;
	revert.project = ccfc_args_project(rq, job->session);
	snprintf(revert.label, sizeof(revert.label), "before session %.*s",
		 (int)(id.len < 40 ? id.len : 40), id.ptr);
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "sessionId", id);
	ccfc_reply_str(p, "projectPath", revert.project);
	ccfc_origins_init(&revert.origins, rq);
	ccfc_reply_origin(&revert.origins, job->session);
	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < job->groups.n && !ccfc_history_job_is_over(rq);
	     i++)
		plan_file(&revert, &job->groups.items[i]);
	ccfc_pack_end(p);
	ccfc_pack_kv_bool(p, "truncated", revert.truncated);
	ccfc_reply_unknown(p, rq->index, job->session);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
	return 0;
}

int ccfc_method_session_revert(struct ccfc_request *rq, struct ccfc_err *err)
{
	return ccfc_history_job_session(rq,
					CCFC_EXCERPT_CHAINS |
						CCFC_EXCERPT_SOURCES |
						CCFC_EXCERPT_COMMANDS,
					answer_session_revert, err);
}
