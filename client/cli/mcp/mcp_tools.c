/*
 * The tools, and those that one question answers; see mcp.h. The description of
 * a tool has a line or two: the model reads all of them in every session.
 */
#include "cli/frame/connect.h"
#include "cli/jsonrpc/json_text.h"
#include "cli/mcp/mcp.h"
#include "cli/report/log_print.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A page of rows: what most tools answer. */
static int run_rows(struct ccfc_mcp_call *call, const char *method,
		    const char *rows, const char *total, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj root;
	uint32_t shown;
	int code;

	ccfc_mcp_begin(call, method, NULL);
	ccfc_pack_kv_int(&call->pack, "limit", CCFC_MCP_ROWS);
	ccfc_pack_kv_int(&call->pack, "offset", call->offset);
	if (!strcmp(method, CCFC_M_SESSION_FILES))
		ccfc_pack_kv_bool(&call->pack, "includeChanges", false);
	code = ccfc_mcp_ask(&reply, call, err);
	if (code < 0)
		return code;
	root = ccfc_cli_value(reply);
	ccfc_mcp_put_own(call, root);
	shown = ccfc_mcp_put_many(call, rows, ccfc_obj_get(root, rows),
				  CCFC_MCP_ROWS);
	ccfc_mcp_put_next(call, shown, ccfc_obj_get_int(root, total, 0));
	ccfc_reply_free(reply);
	return 0;
}

static int run_file_history(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	return run_rows(call, CCFC_M_FILE_LOG, "steps", "totalSteps", err);
}

static int run_session_files(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	return run_rows(call, CCFC_M_SESSION_FILES, "files",
			"totalFilesChanged", err);
}

static int run_search(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	return run_rows(call, CCFC_M_TEXT_SEARCH, "matches", "totalMatches",
			err);
}

/* Lines are pages of their own kind: the next cursor is a line. */
static int run_line_origin(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	int64_t from = ccfc_obj_int(ccfc_mcp_arg(call, "from"), 1);
	int64_t to = ccfc_obj_int(ccfc_mcp_arg(call, "to"), from);
	int64_t first = from + call->offset, last = first + CCFC_MCP_ROWS - 1;
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj root;
	uint32_t shown;
	int code;

	ccfc_mcp_begin(call, CCFC_M_FILE_BLAME, "from to");
	ccfc_pack_kv_int(&call->pack, "from", first);
	ccfc_pack_kv_int(&call->pack, "to", last < to ? last : to);
	code = ccfc_mcp_ask(&reply, call, err);
	if (code < 0)
		return code;
	root = ccfc_cli_value(reply);
	ccfc_mcp_put_own(call, root);
	shown = ccfc_mcp_put_many(call, "lines", ccfc_obj_get(root, "lines"),
				  CCFC_MCP_ROWS);
	last = ccfc_obj_get_int(root, "totalLines", 0);
	ccfc_mcp_put_next(call, shown, (to < last ? to : last) - from + 1);
	ccfc_reply_free(reply);
	return 0;
}

/* The part of the diff that fits; the next cursor is an offset in it. */
static void put_diff(struct ccfc_mcp_call *call, struct ccfc_slice diff)
{
	size_t skip = call->offset < (int64_t)diff.len ? (size_t)call->offset
						       : diff.len;
	struct ccfc_slice rest = ccfc_slice_from(diff, skip);
	size_t start = call->out.len, room, take = rest.len;

	room = CCFC_MCP_RESULT_MAX - CCFC_MCP_END - start;
	/* Escapes may make it longer than it is. */
	for (take = take < room ? take : room;; take -= take / 8 + 1) {
		struct ccfc_slice part = ccfc_slice_cut(rest, take);

		ccfc_json_text_str(&call->out, "diff", part);
		if (call->out.len - start <= room || part.len < 16) {
			ccfc_mcp_put_next(call, (int64_t)part.len,
					  (int64_t)diff.len);
			return;
		}
		call->out.len = start;
	}
}

static int run_change_diff(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj root, diff;
	int code;

	ccfc_mcp_begin(call, CCFC_M_CHANGE_GET, NULL);
	code = ccfc_mcp_ask(&reply, call, err);
	if (code < 0)
		return code;
	root = ccfc_cli_value(reply);
	diff = ccfc_obj_get(root, "diff");
	ccfc_mcp_put_own(call, root);
	if (ccfc_obj_is_str(diff))
		put_diff(call, ccfc_obj_str(diff));
	ccfc_reply_free(reply);
	return 0;
}

static void put_changes(struct ccfc_mcp_call *call, struct ccfc_log_rows *rows,
			bool more)
{
	const struct ccfc_mcp_group *group = ccfc_mcp_group(call, "changes");
	uint32_t shown = 0;

	ccfc_json_text_open(&call->out, "changes", '[');
	while (shown < rows->n &&
	       ccfc_mcp_put_row(call, group, rows->items[shown].o,
				rows->items[shown].path))
		shown++;
	ccfc_buf_putc(&call->out, ']');
	ccfc_mcp_put_next(call, shown, call->offset + rows->n + more);
}

/* The N latest changes are in the N files that were changed last. */
static int run_recent(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	struct ccfc_log_rows rows = { 0 };
	struct ccfc_reply *reply = NULL;
	bool more;
	int code;

	ccfc_mcp_begin(call, CCFC_M_FILE_MATCH, NULL);
	if (!ccfc_obj_is_str(ccfc_mcp_arg(call, "pattern")))
		ccfc_pack_kv_cstr(&call->pack, "pattern", "**");
	ccfc_pack_kv_bool(&call->pack, "includePrompt", true);
	ccfc_pack_kv_int(&call->pack, "limit",
			 call->offset + CCFC_MCP_ROWS + 1);
	code = ccfc_mcp_ask(&reply, call, err);
	if (code < 0 && code != CCFC_ENOTFOUND)
		return code;
	if (!code)
		ccfc_log_take(&rows, ccfc_cli_value(reply));
	more = ccfc_log_order(&rows, call->offset, CCFC_MCP_ROWS);
	put_changes(call, &rows, more);
	ccfc_log_release(&rows);
	ccfc_reply_free(reply);
	return 0;
}

const struct ccfc_mcp_tool ccfc_mcp_tools[] = {
	{
		.name = "file_history",
		.title = "History of a file",
		.about = "What happened to a file, newest first: changes by "
			 "Claude Code sessions with their prompts, edits from "
			 "outside, states that came back.",
		.args = { { "path", true } },
		.groups = { { .type = "FileLog", .fields = "path totalSteps" },
			    { "steps", "LogStep",
			      "kind changeId sessionId agentId model tool "
			      "operation timestamp from to evidence command "
			      "prompt conflict linesAdded linesRemoved",
			      .many = true, .always = true } },
		.paged = true,
		.run = run_file_history,
	},
	{
		.name = "line_origin",
		.title = "Who wrote a line",
		.about = "Which session, for which prompt, wrote the lines "
			 "`from` to `to` of a file as it is on disk. Without "
			 "`to`: one line. `outside`: a person or program; "
			 "`unknown`: nothing tells.",
		.args = { { "path", true }, { "from", true }, { "to", false } },
		.groups = { { .type = "Blame",
			      .fields = "path totalLines fidelity why" },
			    { "lines", "BlameLine",
			      "line kind changeId sessionId agentId model "
			      "timestamp tool evidence command prompt from to "
			      "content",
			      .many = true, .always = true } },
		.paged = true,
		.run = run_line_origin,
	},
	{
		.name = "session_files",
		.title = "Files of a session",
		.about = "The files that a session changed, and how many shell "
			 "commands have effects that nobody knows.",
		.args = { { "session", true },
			  { "extensions", false },
			  { "directories", false },
			  { "tools", false } },
		.groups = { { .type = "ChangedFilesSummary",
			      .fields = "sessionId projectPath gitBranch model "
					"sessionStart sessionEnd "
					"totalFilesChanged "
					"totalChanges shellChanges "
					"unknownCommands "
					"linesAdded linesRemoved" },
			    { "files", "ChangedFile",
			      "path operation changeCount firstModified "
			      "lastModified linesAdded linesRemoved",
			      .many = true, .always = true } },
		.paged = true,
		.run = run_session_files,
	},
	{
		.name = "change_diff",
		.title = "Diff of a change",
		.about = "One change by its id: who made it, for which prompt, "
			 "and its unified diff. No diff: its content is not "
			 "known, see `why`.",
		.args = { { "change", true }, { "context", false } },
		.groups = { { .type = "ChangeDetail",
			      .fields = "changeId path sessionId agentId model "
					"tool "
					"timestamp state operation evidence "
					"command "
					"promptFull linesAdded linesRemoved "
					"fidelity "
					"why diff" } },
		.paged = true,
		.run = run_change_diff,
	},
	{
		.name = "recent_changes",
		.title = "Recent changes",
		.about = "The latest changes of files by all sessions, newest "
			 "first, in this project or everywhere.",
		.args = { { "pattern", false },
			  { "fromDate", false },
			  { "toDate", false },
			  { "projectPath", false },
			  { "tools", false },
			  { "evidence", false } },
		.groups = { { "changes", "ChangeDetail",
			      "path changeId sessionId agentId model tool "
			      "timestamp operation evidence command prompt "
			      "conflict linesAdded linesRemoved",
			      .many = true, .always = true } },
		.paged = true,
		.scoped = true,
		.run = run_recent,
	},
	{
		.name = "search_sessions",
		.title = "Search in sessions",
		.about = "Messages of past and present sessions that contain a "
			 "text: what was asked, answered and decided, also "
			 "after Claude Code deleted the transcript.",
		.args = { { "pattern", true },
			  { "regex", false },
			  { "role", false },
			  { "in", false },
			  { "session", false },
			  { "fromDate", false },
			  { "toDate", false },
			  { "projectPath", false } },
		.groups = { { .type = "TextMatches",
			      .fields =
				      "totalMatches totalSessions truncated" },
			    { "matches", "TextMatch",
			      "sessionId title projectPath messageUuid "
			      "timestamp role in agentId toolName snippet "
			      "count",
			      .many = true, .always = true } },
		.paged = true,
		.scoped = true,
		.run = run_search,
	},
	{
		.name = "before_you_edit",
		.title = "Before you edit a file",
		.about = "Ask this before editing a file that others may work "
			 "on: its last change, edits from outside since then, "
			 "other live sessions in it, conflicts. Name your own "
			 "session to leave it out.",
		.args = { { "path", true }, { "session", false } },
		.groups = { { .type = "FileLog", .fields = "path" },
			    { .name = "lastChange",
			      .type = "LogStep",
			      .fields = "kind changeId sessionId agentId model "
					"tool "
					"operation timestamp command prompt "
					"linesAdded "
					"linesRemoved" },
			    { "since", "LogStep",
			      "kind sessionId timestamp from to linesAdded "
			      "linesRemoved",
			      .many = true, .always = true },
			    { "liveSessions", "SessionSummary",
			      "sessionId title status gitBranch lastChange "
			      "updatedAt",
			      .many = true, .always = true },
			    { "conflicts", "Conflict",
			      "kind timestamp sessionId changeId otherParty "
			      "otherSessionId otherChangeId otherTimestamp",
			      .many = true, .always = true } },
		.warns = true,
		.run = ccfc_mcp_before_you_edit,
	},
	{
		.name = "what_happened",
		.title = "What happened",
		.about = "A summary: of one session (its totals, last prompts "
			 "and files), or without `session` of a time, today by "
			 "default (totals, sessions, most changed files).",
		.args = { { "session", false },
			  { "fromDate", false },
			  { "toDate", false },
			  { "projectPath", false } },
		.groups = { { .type = "SessionDetail",
			      .fields = "sessionId title projectPath gitBranch "
					"model "
					"status startTime endTime messageCount "
					"toolCount "
					"errorCount filesModifiedCount "
					"totalChanges "
					"unknownCommands conflictCount" },
			    { "prompts", "Message", "timestamp content",
			      .many = true },
			    { "files", "ChangedFile",
			      "path operation changeCount lastModified "
			      "linesAdded linesRemoved",
			      .many = true },
			    { .name = "totals",
			      .type = "StatsTotals",
			      .fields =
				      "sessions messages changes shellChanges "
				      "unknownCommands filesChanged linesAdded "
				      "linesRemoved toolCalls errors" },
			    { "mostChanged", "StatsFile",
			      "path changes sessions linesAdded linesRemoved",
			      .many = true },
			    { "sessions", "SessionSummary",
			      "sessionId title projectPath gitBranch status "
			      "startTime endTime totalChanges "
			      "filesModifiedCount",
			      .many = true } },
		.paged = true,
		.scoped = true,
		.run = ccfc_mcp_what_happened,
	},
};

const unsigned ccfc_mcp_tool_count = COUNT(ccfc_mcp_tools);
