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
	bool single;	/* the request names the changes */
	char label[64]; /* follows the markers of a conflict */
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
static void charge_plan(struct revert *r, struct ccfc_plan *plan, size_t bytes)
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

/* The changes of a file that certainly belong to the session. */
struct taken {
	uint32_t *items;
	uint32_t n;
	bool by_commands;		   /* all of the group are */
	const struct ccfc_change *command; /* the last of a shell, or NULL */
};

/* Packs the evidence of a command's change. */
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
	charge_plan(r, plan, diff.len + plan->result.bytes.len);
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

static struct taken list_certain_changes(const struct revert *r,
					 const struct ccfc_chain *chain,
					 const struct ccfc_group *group,
					 struct ccfc_arena *arena)
{
	const struct ccfc_index *index = r->rq->index;
	struct taken out = { .by_commands = true };
	struct ccfc_states_changes all = { .n = group->nchanges };

	if (r->single)
		all.items = (uint32_t *)group->changes;
	else
		all = ccfc_states_changes(r->rq, chain, r->session,
					  group->changes, group->nchanges,
					  arena);
	out.items = ccfc_arena_alloc(arena, (all.n + 1u) * sizeof(*out.items));
	for (uint32_t i = 0; i < all.n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[all.items[i]];

		out.by_commands &= ccfc_index_is_shells(c);
		if (ccfc_index_is_shells(c))
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
	taken = list_certain_changes(r, chain, group, arena);
	ccfc_plan_revert(&plan, chain, taken.items, taken.n,
			 ccfc_index_file_path(rq->index, group->key).ptr,
			 r->label, arena);
	if (!taken.n)
		plan.why = "another session may have changed it";
	pack_plan(r, group->key, chain, &plan, &taken);
	ccfc_arena_clear(arena);
}

static int answer_plans(struct ccfc_history_job *job, struct ccfc_request *rq,
			struct ccfc_err *err)
{
	struct revert revert = { .rq = rq,
				 .session = job->session,
				 .single = rq->opt.change_ids.n };
	struct ccfc_pack *p = rq->pack;
	struct ccfc_slice id = ccfc_index_session_id(rq->index, job->session);

	(void)err;
	revert.project = ccfc_args_project(rq, job->session);
	snprintf(revert.label, sizeof(revert.label), "%s session %.*s",
		 revert.single ? "without changes of" : "before",
		 (int)(id.len < 40 ? id.len : 40), id.ptr);
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "sessionId", id);
	ccfc_pack_kv_cstr(p, "status", job->status);
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

/* --- the changes that a request names --- */

/* One call may have changed several files; its id means all of them. */
static bool is_named(const struct ccfc_request *rq, const uint32_t *named,
		     uint32_t id)
{
	const struct ccfc_change *all = rq->index->changes.items;

	for (uint32_t i = 0; i < rq->opt.change_ids.n; i++) {
		struct ccfc_slice word = rq->opt.change_ids.items[i];

		if (named[i] == id)
			return true;
		if (!memchr(word.ptr, '#', word.len) &&
		    ccfc_slice_eq(ccfc_index_call_id(&all[named[i]]),
				  ccfc_index_call_id(&all[id])))
			return true;
	}
	return false;
}

/* All named changes, and their session. */
static int find_named(uint32_t *named, uint32_t *session,
		      struct ccfc_request *rq, struct ccfc_err *err)
{
	const struct ccfc_index *index = rq->index;
	uint32_t command, file;

	for (uint32_t i = 0; i < rq->opt.change_ids.n; i++) {
		struct ccfc_slice word = rq->opt.change_ids.items[i];
		int shown = (int)(word.len < 80 ? word.len : 80);
		int r = ccfc_query_call(&named[i], index, word, err);

		if (r == CCFC_ENOTFOUND &&
		    ccfc_query_inferred(&command, &file, index, word))
			return ccfc_err_set(err, CCFC_EINVAL,
					    "change %.*s is inferred: it is "
					    "undone with its session only",
					    shown, word.ptr);
		if (r)
			return r;
		if (index->changes.items[named[i]].state != CCFC_STATE_APPLIED)
			return ccfc_err_set(
				err, CCFC_EINVAL,
				"change %.*s did not take effect (%s)", shown,
				word.ptr,
				ccfc_state_text(
					index->changes.items[named[i]].state));
		if (i && index->changes.items[named[i]].session != *session) {
			ccfc_err_set(err, CCFC_EINVAL,
				     "change %.*s is of another session", shown,
				     word.ptr);
			ccfc_err_hint(err, "revert the changes of each "
					   "session with a command of its "
					   "own");
			return CCFC_EINVAL;
		}
		*session = index->changes.items[named[i]].session;
	}
	return 0;
}

/* Of each file only the changes that are named. */
static void keep_named_changes(struct ccfc_groups *files,
			       struct ccfc_request *rq, const uint32_t *named)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < files->n; i++) {
		struct ccfc_group group = files->items[i];
		uint32_t *few = ccfc_arena_alloc(
			rq->arena, (group.nchanges + 1u) * sizeof(*few));
		uint32_t n = 0;

		for (uint32_t k = 0; k < group.nchanges; k++)
			if (is_named(rq, named, group.changes[k]))
				few[n++] = group.changes[k];
		group.changes = few;
		group.nchanges = n;
		if (n)
			files->items[kept++] = group;
	}
	files->n = kept;
}

static int revert_named(struct ccfc_request *rq, uint32_t more,
			struct ccfc_err *err)
{
	uint32_t session = 0;
	uint32_t *named = ccfc_arena_alloc(
		rq->arena, (rq->opt.change_ids.n + 1u) * sizeof(*named));
	struct ccfc_groups files;
	int r = find_named(named, &session, rq, err);

	if (!r) {
		rq->opt.session = ccfc_index_session_id(rq->index, session);
		r = ccfc_args_session_files(&session, &files, rq, err);
	}
	if (r)
		return r;
	keep_named_changes(&files, rq, named);
	return ccfc_history_job_session_files(rq, more, session, &files,
					      answer_plans, err);
}

int ccfc_method_session_revert(struct ccfc_request *rq, struct ccfc_err *err)
{
	uint32_t more = CCFC_EXCERPT_CHAINS | CCFC_EXCERPT_SOURCES |
			CCFC_EXCERPT_COMMANDS;

	if (rq->opt.change_ids.n)
		return revert_named(rq, more, err);
	if (!(rq->opt.given & CCFC_OPT(SESSION)))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "session.revert: option 'session' or "
				    "option 'changes' is missing");
	return ccfc_history_job_session(rq, more, answer_plans, err);
}
