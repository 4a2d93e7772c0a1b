/*
 * The evidence of a change, in replies. For most changes it is a tool's result;
 * changes by shell commands are less certain.
 */
#include "serve/rpc/reply.h"

#include "index/excerpt/excerpt.h"

#include <stdlib.h>

void ccfc_reply_command(struct ccfc_pack *p, const struct ccfc_index *index,
			const struct ccfc_change *c)
{
	const struct ccfc_change *command = ccfc_index_command(index, c);

	if (ccfc_index_is_command(c))
		command = c;
	ccfc_reply_id(p, "command", index, command ? command->text : 0);
}

void ccfc_reply_evidence(struct ccfc_pack *p, const struct ccfc_index *index,
			 const struct ccfc_change *c)
{
	if (!c) {
		ccfc_reply_id(p, "evidence", index, 0);
		ccfc_reply_id(p, "command", index, 0);
		return;
	}
	ccfc_pack_kv_cstr(p, "evidence",
			  ccfc_proof_text((int)ccfc_query_proof(index, c)));
	ccfc_reply_command(p, index, c);
}

void ccfc_reply_candidate(struct ccfc_pack *p, const struct ccfc_index *index,
			  const struct ccfc_change *c)
{
	ccfc_pack_map(p);
	ccfc_reply_str(p, "sessionId",
		       ccfc_index_session_id(index, c->session));
	ccfc_reply_id(p, "agentId", index, ccfc_index_agent(c));
	ccfc_pack_kv_str(p, "changeId", ccfc_slice(c->id, c->id_len));
	ccfc_reply_str(p, "tool", ccfc_index_tool(index, c));
	ccfc_pack_kv_time(p, "timestamp", ccfc_index_time(c));
	ccfc_reply_command(p, index, c);
	ccfc_pack_end(p);
}

static void pack_candidates(struct ccfc_pack *p, const struct ccfc_index *index,
			    const struct ccfc_change *c)
{
	struct ccfc_ids rivals = { 0 };

	ccfc_query_rivals(&rivals, index, c);
	ccfc_pack_cstr(p, "candidates");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < rivals.n; i++)
		ccfc_reply_candidate(p, index,
				     &index->changes.items[rivals.items[i]]);
	ccfc_pack_end(p);
	free(rivals.items);
}

/* All evidence of the change, if there is more than one kind. */
static void pack_all_evidence(struct ccfc_pack *p, const struct ccfc_change *c)
{
	static const struct {
		uint8_t bit;
		enum ccfc_proof proof;
	} kinds[] = {
		{ CCFC_SHELL_RECORDED, CCFC_PROOF_RECORDED },
		{ CCFC_SHELL_OBSERVED, CCFC_PROOF_OBSERVED },
		{ CCFC_SHELL_PARSED, CCFC_PROOF_PARSED },
	};
	unsigned all = c->shell & (CCFC_SHELL_RECORDED | CCFC_SHELL_OBSERVED |
				   CCFC_SHELL_PARSED);

	if (!(all & (all - 1)))
		return;
	ccfc_pack_cstr(p, "allEvidence");
	ccfc_pack_array(p);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (all & kinds[i].bit)
			ccfc_pack_cstr(p, ccfc_proof_text((int)kinds[i].proof));
	ccfc_pack_end(p);
}

void ccfc_reply_shell(struct ccfc_pack *p, const struct ccfc_index *index,
		      const struct ccfc_change *c)
{
	enum ccfc_proof proof = ccfc_query_proof(index, c);
	enum ccfc_op op = ccfc_index_op(c);

	ccfc_pack_kv_cstr(p, "operation", ccfc_op_text((int)op));
	if (c->other_file)
		ccfc_pack_kv_str(p,
				 op == CCFC_OP_DELETED	 ? "renamedTo"
				 : op == CCFC_OP_RENAMED ? "renamedFrom"
							 : "copiedFrom",
				 ccfc_index_file_path(index, c->other_file));
	ccfc_pack_kv_cstr(p, "evidence", ccfc_proof_text((int)proof));
	pack_all_evidence(p, c);
	ccfc_reply_command(p, index, c);
	if (proof == CCFC_PROOF_AMBIGUOUS)
		pack_candidates(p, index, c);
}

static void pack_command(struct ccfc_pack *p, const struct ccfc_index *index,
			 const struct ccfc_change *c)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "toolUseId", ccfc_index_call_id(c));
	ccfc_reply_id(p, "agentId", index, ccfc_index_agent(c));
	ccfc_reply_str(p, "tool", ccfc_index_tool(index, c));
	ccfc_pack_kv_time(p, "timestamp", ccfc_index_time(c));
	ccfc_pack_kv_cstr(p, "state", ccfc_state_text(c->state));
	ccfc_reply_command(p, index, c);
	ccfc_pack_end(p);
}

void ccfc_reply_unknown(struct ccfc_pack *p, const struct ccfc_index *index,
			uint32_t session)
{
	ccfc_pack_kv_uint(p, "unknownCommands",
			  ccfc_query_unknown(index, session));
	ccfc_reply_commands(p, index, session);
}

void ccfc_reply_commands(struct ccfc_pack *p, const struct ccfc_index *index,
			 uint32_t session)
{
	struct ccfc_ids ids = { 0 };

	ccfc_query_unknown_commands(&ids, index, session);
	ccfc_pack_cstr(p, "commands");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < ids.n && i < CCFC_COMMANDS_MAX; i++)
		pack_command(p, index, &index->changes.items[ids.items[i]]);
	ccfc_pack_end(p);
	free(ids.items);
}
