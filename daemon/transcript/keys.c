/* The names of all fields that are read from a record. */
#include "transcript/edit_texts.h"

static const char *const record_names[CCFC_FIELD_COUNT] = {
	[CCFC_FIELD_TYPE] = "type",
	[CCFC_FIELD_COST] = "costUSD",
	[CCFC_FIELD_ROLE] = "role",
	[CCFC_FIELD_UUID] = "uuid",
	[CCFC_FIELD_SESSION] = "sessionId",
	[CCFC_FIELD_SESSION_ALIAS] = "session_id",
	[CCFC_FIELD_AGENT] = "agentId",
	[CCFC_FIELD_CWD] = "cwd",
	[CCFC_FIELD_BRANCH] = "gitBranch",
	[CCFC_FIELD_VERSION] = "version",
	[CCFC_FIELD_TIME] = "timestamp",
	[CCFC_FIELD_SIDECHAIN] = "isSidechain",
	[CCFC_FIELD_META] = "isMeta",
	[CCFC_FIELD_SUMMARY] = "isCompactSummary",
	[CCFC_FIELD_MESSAGE] = "message",
	[CCFC_FIELD_CONTENT] = "content",
	[CCFC_FIELD_RESULT] = "toolUseResult",
	[CCFC_FIELD_DENIAL] = "toolDenialKind",
	[CCFC_FIELD_SNAPSHOT] = "snapshot",
	[CCFC_FIELD_TRACKING_PATH] = "trackingPath",
	[CCFC_FIELD_BACKUP] = "backup",
	[CCFC_FIELD_REQUEST] = "requestId",
	[CCFC_FIELD_ORIGIN] = "turnOrigin",
};

static const char *const message_names[CCFC_MESSAGE_COUNT] = {
	[CCFC_MESSAGE_ID] = "id",
	[CCFC_MESSAGE_MODEL] = "model",
	[CCFC_MESSAGE_CONTENT] = "content",
	[CCFC_MESSAGE_USAGE] = "usage",
};

static const char *const usage_names[CCFC_USAGE_COUNT] = {
	[CCFC_USAGE_INPUT] = "input_tokens",
	[CCFC_USAGE_OUTPUT] = "output_tokens",
	[CCFC_USAGE_CACHE_WRITE] = "cache_creation_input_tokens",
	[CCFC_USAGE_CACHE_READ] = "cache_read_input_tokens",
};

static const char *const naming_names[CCFC_NAMING_FIELD_COUNT] = {
	[CCFC_NAMING_FIELD_CUSTOM] = "customTitle",
	[CCFC_NAMING_FIELD_AI] = "aiTitle",
	[CCFC_NAMING_FIELD_SUMMARY] = "summary",
	[CCFC_NAMING_FIELD_LEAF] = "leafUuid",
	[CCFC_NAMING_FIELD_PULL_REQUEST] = "prUrl",
	[CCFC_NAMING_FIELD_SUBTYPE] = "subtype",
};

static const char *const cost_names[CCFC_COST_COUNT] = {
	[CCFC_COST_TOTAL] = "totalCostUSD",
	[CCFC_COST_SINCE] = "startTime",
	[CCFC_COST_UNSURE] = "hasUnknownModelCost",
	[CCFC_COST_MODELS] = "modelUsage",
	[CCFC_COST_MODEL_COST] = "costUSD",
	[CCFC_COST_INPUT] = "inputTokens",
	[CCFC_COST_OUTPUT] = "outputTokens",
	[CCFC_COST_CACHE_READ] = "cacheReadInputTokens",
	[CCFC_COST_CACHE_WRITE] = "cacheCreationInputTokens",
};

static const char *const block_names[CCFC_BLOCK_COUNT] = {
	[CCFC_BLOCK_TYPE] = "type",	      [CCFC_BLOCK_ID] = "id",
	[CCFC_BLOCK_NAME] = "name",	      [CCFC_BLOCK_INPUT] = "input",
	[CCFC_BLOCK_CALL_ID] = "tool_use_id", [CCFC_BLOCK_CONTENT] = "content",
	[CCFC_BLOCK_IS_ERROR] = "is_error",   [CCFC_BLOCK_TEXT] = "text",
	[CCFC_BLOCK_THINKING] = "thinking",
};

static const char *const edit_names[CCFC_EDIT_COUNT] = {
	[CCFC_EDIT_OLD] = "old_string",	 [CCFC_EDIT_OLD_TEXT] = "oldText",
	[CCFC_EDIT_NEW] = "new_string",	 [CCFC_EDIT_NEW_TEXT] = "newText",
	[CCFC_EDIT_ALL] = "replace_all", [CCFC_EDIT_PATH] = "file_path",
	[CCFC_EDIT_PATH_ALIAS] = "path",
};

static const char *const detail_names[CCFC_DETAIL_COUNT] = {
	[CCFC_DETAIL_PATH] = "filePath",
	[CCFC_DETAIL_TYPE] = "type",
	[CCFC_DETAIL_OLD] = "oldString",
	[CCFC_DETAIL_NEW] = "newString",
	[CCFC_DETAIL_CONTENT] = "content",
	[CCFC_DETAIL_EDITS] = "edits",
	[CCFC_DETAIL_PATCH] = "structuredPatch",
	[CCFC_DETAIL_ORIGINAL] = "originalFile",
	[CCFC_DETAIL_ALL] = "replaceAll",
	[CCFC_DETAIL_STAGED] = "staged",
	[CCFC_DETAIL_ERROR] = "error",
	[CCFC_DETAIL_NEW_SOURCE] = "new_source",
	[CCFC_DETAIL_OLD_SOURCE] = "old_source",
	[CCFC_DETAIL_CELL_TYPE] = "cell_type",
	[CCFC_DETAIL_EDIT_MODE] = "edit_mode",
	[CCFC_DETAIL_NOTEBOOK] = "notebook_path",
	[CCFC_DETAIL_SHELL_DIFF] = "bashEditDiff",
	[CCFC_DETAIL_BACKGROUND] = "backgroundTaskId",
	[CCFC_DETAIL_INTERRUPTED] = "interrupted",
};

static const char *const history_names[CCFC_HISTORY_COUNT] = {
	[CCFC_HISTORY_FILES] = "trackedFileBackups",
	[CCFC_HISTORY_TIME] = "timestamp",
	[CCFC_HISTORY_NAME] = "backupFileName",
	[CCFC_HISTORY_VERSION] = "version",
	[CCFC_HISTORY_BACKUP_TIME] = "backupTime",
};

static const char *const evidence_names[CCFC_EVIDENCE_COUNT] = {
	[CCFC_EVIDENCE_ORIGINAL] = "originalFile",
	[CCFC_EVIDENCE_ORIGINAL_MULTI] = "originalFileContents",
	[CCFC_EVIDENCE_ORIGINAL_NOTEBOOK] = "original_file",
	[CCFC_EVIDENCE_UPDATED_NOTEBOOK] = "updated_file",
	[CCFC_EVIDENCE_USER_MODIFIED] = "userModified",
	[CCFC_EVIDENCE_ALL] = "replaceAll",
	[CCFC_EVIDENCE_CELL_MODE] = "edit_mode",
	[CCFC_EVIDENCE_CELL_ID] = "cell_id",
	[CCFC_EVIDENCE_CELL_NUMBER] = "cell_number",
	[CCFC_EVIDENCE_CELL_TYPE] = "cell_type",
	[CCFC_EVIDENCE_OLD_START] = "oldStart",
	[CCFC_EVIDENCE_OLD_LINES] = "oldLines",
	[CCFC_EVIDENCE_NEW_START] = "newStart",
	[CCFC_EVIDENCE_NEW_LINES] = "newLines",
	[CCFC_EVIDENCE_LINES] = "lines",
};

static const char *const read_names[CCFC_READ_COUNT] = {
	[CCFC_READ_FILE] = "file",	 [CCFC_READ_PATH] = "filePath",
	[CCFC_READ_CONTENT] = "content", [CCFC_READ_START] = "startLine",
	[CCFC_READ_LINES] = "numLines",	 [CCFC_READ_TOTAL] = "totalLines",
};

static const char *const launch_names[CCFC_LAUNCH_COUNT] = {
	[CCFC_LAUNCH_WANTED] = "subagent_type",
	[CCFC_LAUNCH_PROMPT] = "prompt",
	[CCFC_LAUNCH_AGENT] = "agentId",
	[CCFC_LAUNCH_TYPE] = "agentType",
	[CCFC_LAUNCH_DATA] = "data",
	[CCFC_LAUNCH_DATA_TYPE] = "type",
	[CCFC_LAUNCH_CALL] = "parentToolUseID",
	[CCFC_LAUNCH_NAME] = "name",
	[CCFC_LAUNCH_MESSAGE] = "message",
};

static const char *const added_names[CCFC_ADDED_COUNT] = {
	[CCFC_ADDED_ATTACHMENT] = "attachment",
	[CCFC_ADDED_TYPE] = "type",
	[CCFC_ADDED_SNAPSHOT] = "snapshot",
	[CCFC_ADDED_DIRS] = "additionalWorkingDirectories",
	[CCFC_ADDED_CALL] = "toolUseID",
	[CCFC_ADDED_CONTENT] = "content",
	[CCFC_ADDED_FILE] = "filename",
};

static const char *const run_names[CCFC_RUN_FIELD_COUNT] = {
	[CCFC_RUN_FIELD_FILES] = "files",
	[CCFC_RUN_FIELD_CHANGED] = "changedFiles",
	[CCFC_RUN_FIELD_MORE] = "moreFiles",
	[CCFC_RUN_FIELD_SHARED] = "shared",
	[CCFC_RUN_FIELD_SKIPPED] = "skipped",
	[CCFC_RUN_FIELD_UNAVAILABLE] = "unavailable",
	[CCFC_RUN_FIELD_PATH] = "filePath",
	[CCFC_RUN_FIELD_HUNKS] = "hunks",
	[CCFC_RUN_FIELD_CREATED] = "created",
	[CCFC_RUN_FIELD_DELETED] = "deleted",
};

static const char *const hook_names[CCFC_HOOK_COUNT] = {
	[CCFC_HOOK_EVENT] = "hookEvent",
	[CCFC_HOOK_CALL] = "toolUseID",
	[CCFC_HOOK_DATA] = "data",
	[CCFC_HOOK_ATTACHMENT] = "attachment",
};

void ccfc_parser_init_keys(struct ccfc_parser *parser)
{
	ccfc_json_keys_init(&parser->launch_keys, launch_names,
			    CCFC_LAUNCH_COUNT);
	ccfc_json_keys_init(&parser->hook_keys, hook_names, CCFC_HOOK_COUNT);
	ccfc_json_keys_init(&parser->added_keys, added_names, CCFC_ADDED_COUNT);
	ccfc_json_keys_init(&parser->run_keys, run_names, CCFC_RUN_FIELD_COUNT);
	ccfc_json_keys_init(&parser->read_keys, read_names, CCFC_READ_COUNT);
	ccfc_json_keys_init(&parser->record_keys, record_names,
			    CCFC_FIELD_COUNT);
	ccfc_json_keys_init(&parser->message_keys, message_names,
			    CCFC_MESSAGE_COUNT);
	ccfc_json_keys_init(&parser->usage_keys, usage_names, CCFC_USAGE_COUNT);
	ccfc_json_keys_init(&parser->cost_keys, cost_names, CCFC_COST_COUNT);
	ccfc_json_keys_init(&parser->naming_keys, naming_names,
			    CCFC_NAMING_FIELD_COUNT);
	ccfc_json_keys_init(&parser->block_keys, block_names, CCFC_BLOCK_COUNT);
	ccfc_json_keys_init(&parser->edit_keys, edit_names, CCFC_EDIT_COUNT);
	ccfc_json_keys_init(&parser->detail_keys, detail_names,
			    CCFC_DETAIL_COUNT);
	ccfc_json_keys_init(&parser->history_keys, history_names,
			    CCFC_HISTORY_COUNT);
	ccfc_json_keys_init(&parser->evidence_keys, evidence_names,
			    CCFC_EVIDENCE_COUNT);
}
