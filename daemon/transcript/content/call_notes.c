/* Notes of clients about a call; see call_notes.h. */
#include "transcript/content/call_notes.h"

#include "transcript/content/find_call.h"

enum note {
	MODEL,
	AGENT_TYPE,
	PERMISSION,
	RESULT,
	/* Fields of permission and commit: */
	DECISION,
	DECIDED_BY,
	REASON,
	REASON_CODE,
	GIT,
	COMMIT,
	SHA,
	BRANCH,
	KIND,
	NOTES
};

static const char *const names[NOTES] = {
	[MODEL] = "requestedModel",
	[AGENT_TYPE] = "attributionAgent",
	[PERMISSION] = "permissionDecision",
	[RESULT] = "toolUseResult",
	[DECISION] = "decision",
	[DECIDED_BY] = "source",
	[REASON] = "reasonType",
	[REASON_CODE] = "reasonCode",
	[GIT] = "gitOperation",
	[COMMIT] = "commit",
	[SHA] = "sha",
	[BRANCH] = "branch",
	[KIND] = "kind",
};

struct reading {
	struct ccfc_parser *parser;
	struct ccfc_json_keys keys;
	struct ccfc_arena *arena;
};

static struct ccfc_slice copy_name(const struct reading *r, uint32_t tok)
{
	return ccfc_arena_copy(r->arena,
			       ccfc_parser_name(r->parser, tok, CCFC_NAME_MAX));
}

static void read_call(struct ccfc_call_notes *out, const struct reading *r,
		      struct ccfc_slice line, struct ccfc_slice id)
{
	struct ccfc_found_call found;
	uint32_t f[NOTES];

	if (line.len && ccfc_find_tool(r->parser, &found, line, id)) {
		ccfc_json_root_fields(&r->parser->json, &r->keys, f);
		out->requested_model = copy_name(r, f[MODEL]);
		out->agent_type = copy_name(r, f[AGENT_TYPE]);
	}
	ccfc_parser_done(r->parser, line);
}

static void read_permission(struct ccfc_call_notes *out,
			    const struct reading *r, uint32_t tok)
{
	uint32_t f[NOTES];

	if (!tok)
		return;
	ccfc_json_fields(&r->parser->json, tok, &r->keys, f);
	out->decision = copy_name(r, f[DECISION]);
	out->decided_by = copy_name(r, f[DECIDED_BY]);
	out->reason = copy_name(r, f[REASON] ? f[REASON] : f[REASON_CODE]);
}

static void read_commit(struct ccfc_call_notes *out, const struct reading *r,
			uint32_t tok)
{
	static const enum note path[] = { GIT, COMMIT };
	uint32_t f[NOTES];

	for (size_t i = 0; i < sizeof(path) / sizeof(*path) && tok; i++) {
		ccfc_json_fields(&r->parser->json, tok, &r->keys, f);
		tok = f[path[i]];
	}
	if (!tok)
		return;
	ccfc_json_fields(&r->parser->json, tok, &r->keys, f);
	out->commit = copy_name(r, f[SHA]);
	out->branch = copy_name(r, f[BRANCH]);
	out->commit_kind = copy_name(r, f[KIND]);
}

static void read_result(struct ccfc_call_notes *out, const struct reading *r,
			struct ccfc_slice line, struct ccfc_slice id)
{
	struct ccfc_found_result found;
	uint32_t f[NOTES];

	if (line.len && ccfc_find_result(r->parser, &found, line, id) &&
	    found.alone) {
		ccfc_json_root_fields(&r->parser->json, &r->keys, f);
		read_permission(out, r, f[PERMISSION]);
		read_commit(out, r, f[RESULT]);
	}
	ccfc_parser_done(r->parser, line);
}

void ccfc_call_notes_read(struct ccfc_parser *parser,
			  struct ccfc_call_notes *out, struct ccfc_slice id,
			  struct ccfc_slice call_line,
			  struct ccfc_slice result_line,
			  struct ccfc_arena *arena)
{
	struct reading r = { .parser = parser, .arena = arena };

	*out = (struct ccfc_call_notes){ 0 };
	ccfc_json_keys_init(&r.keys, names, NOTES);
	read_call(out, &r, call_line, id);
	read_result(out, &r, result_line, id);
}
