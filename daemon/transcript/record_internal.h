/*
 * Shared by the files of this folder: the inside of the parser, and the steps
 * of reading one record. Tokens (uint32_t) belong to the parser's current line,
 * see json.h; 0 always means "none".
 */
#ifndef CCFC_TRANSCRIPT_RECORD_INTERNAL_H
#define CCFC_TRANSCRIPT_RECORD_INTERNAL_H

#include "base/buf.h"
#include "transcript/json/json.h"
#include "transcript/record.h"

/* Longer names count as missing. */
#define CCFC_ID_MAX   256u
#define CCFC_NAME_MAX 1024u
#define CCFC_PATH_MAX 16384u

/* Fields of a record; the names of all fields are in keys.c. */
enum ccfc_field {
	CCFC_FIELD_TYPE,
	CCFC_FIELD_COST,
	CCFC_FIELD_ROLE,
	CCFC_FIELD_UUID,
	CCFC_FIELD_SESSION,
	CCFC_FIELD_SESSION_ALIAS,
	CCFC_FIELD_AGENT,
	CCFC_FIELD_CWD,
	CCFC_FIELD_BRANCH,
	CCFC_FIELD_VERSION,
	CCFC_FIELD_TIME,
	CCFC_FIELD_SIDECHAIN,
	CCFC_FIELD_META,
	CCFC_FIELD_SUMMARY,
	CCFC_FIELD_MESSAGE,
	CCFC_FIELD_CONTENT,
	CCFC_FIELD_RESULT,
	CCFC_FIELD_DENIAL,
	CCFC_FIELD_SNAPSHOT,
	CCFC_FIELD_TRACKING_PATH,
	CCFC_FIELD_BACKUP,
	CCFC_FIELD_REQUEST,
	CCFC_FIELD_ORIGIN, /* who started a turn */
	CCFC_FIELD_COUNT
};

/* Fields of a block of message.content. */
enum ccfc_block_field {
	CCFC_BLOCK_TYPE,
	CCFC_BLOCK_ID,
	CCFC_BLOCK_NAME,
	CCFC_BLOCK_INPUT,
	CCFC_BLOCK_CALL_ID, /* tool_use_id */
	CCFC_BLOCK_CONTENT,
	CCFC_BLOCK_IS_ERROR,
	CCFC_BLOCK_TEXT,
	CCFC_BLOCK_THINKING,
	CCFC_BLOCK_COUNT
};

/* Fields of a message. */
enum ccfc_message_field {
	CCFC_MESSAGE_ID,
	CCFC_MESSAGE_MODEL,
	CCFC_MESSAGE_CONTENT,
	CCFC_MESSAGE_USAGE,
	CCFC_MESSAGE_COUNT
};

/* Fields of message.usage. */
enum ccfc_usage_field {
	CCFC_USAGE_INPUT,
	CCFC_USAGE_OUTPUT,
	CCFC_USAGE_CACHE_WRITE,
	CCFC_USAGE_CACHE_READ,
	CCFC_USAGE_COUNT
};

/* Fields of a record that names a session. */
enum ccfc_naming_field {
	CCFC_NAMING_FIELD_CUSTOM,
	CCFC_NAMING_FIELD_AI,
	CCFC_NAMING_FIELD_SUMMARY,
	CCFC_NAMING_FIELD_LEAF,
	CCFC_NAMING_FIELD_PULL_REQUEST,
	CCFC_NAMING_FIELD_SUBTYPE, /* of a system record */
	CCFC_NAMING_FIELD_COUNT
};

/* Fields of a cost-state, and of one model in it (message.c). */
enum ccfc_cost_field {
	CCFC_COST_TOTAL,
	CCFC_COST_SINCE,
	CCFC_COST_UNSURE,
	CCFC_COST_MODELS,
	CCFC_COST_MODEL_COST,
	CCFC_COST_INPUT,
	CCFC_COST_OUTPUT,
	CCFC_COST_CACHE_READ,
	CCFC_COST_CACHE_WRITE,
	CCFC_COST_COUNT
};

/* Fields of a snapshot and of the backups in it. */
enum ccfc_history_field {
	CCFC_HISTORY_FILES,
	CCFC_HISTORY_TIME,
	CCFC_HISTORY_NAME,
	CCFC_HISTORY_VERSION,
	CCFC_HISTORY_BACKUP_TIME,
	CCFC_HISTORY_COUNT
};

/*
 * Fields of toolUseResult, a notebook call's input and a hunk
 * (content/evidence.c).
 */
enum ccfc_evidence_field {
	CCFC_EVIDENCE_ORIGINAL,
	CCFC_EVIDENCE_ORIGINAL_MULTI,
	CCFC_EVIDENCE_ORIGINAL_NOTEBOOK,
	CCFC_EVIDENCE_UPDATED_NOTEBOOK,
	CCFC_EVIDENCE_USER_MODIFIED,
	CCFC_EVIDENCE_ALL,
	CCFC_EVIDENCE_CELL_MODE,
	CCFC_EVIDENCE_CELL_ID,
	CCFC_EVIDENCE_CELL_NUMBER,
	CCFC_EVIDENCE_CELL_TYPE,
	CCFC_EVIDENCE_OLD_START,
	CCFC_EVIDENCE_OLD_LINES,
	CCFC_EVIDENCE_NEW_START,
	CCFC_EVIDENCE_NEW_LINES,
	CCFC_EVIDENCE_LINES,
	CCFC_EVIDENCE_COUNT
};

/*
 * Fields of a Read's toolUseResult, and of the file in it
 * (content/read_result.c).
 */
enum ccfc_read_field {
	CCFC_READ_FILE,
	CCFC_READ_PATH,
	CCFC_READ_CONTENT,
	CCFC_READ_START,
	CCFC_READ_LINES,
	CCFC_READ_TOTAL,
	CCFC_READ_COUNT
};

/*
 * Fields of an agent's launch: its call's input, its result, its progress
 * (content/agent_launch.c).
 */
enum ccfc_launch_field {
	CCFC_LAUNCH_WANTED, /* subagent_type */
	CCFC_LAUNCH_PROMPT,
	CCFC_LAUNCH_AGENT,
	CCFC_LAUNCH_TYPE, /* agentType */
	CCFC_LAUNCH_DATA,
	CCFC_LAUNCH_DATA_TYPE,
	CCFC_LAUNCH_CALL, /* parentToolUseID */
	CCFC_LAUNCH_NAME,
	CCFC_LAUNCH_MESSAGE, /* a copy of the agent's record */
	CCFC_LAUNCH_COUNT
};

/* Fields of a hook's progress or attachment, on either level; hook.c. */
enum ccfc_hook_field {
	CCFC_HOOK_EVENT,
	CCFC_HOOK_CALL, /* toolUseID */
	CCFC_HOOK_DATA,
	CCFC_HOOK_ATTACHMENT,
	CCFC_HOOK_COUNT
};

/*
 * Fields of an attachment: about the environment, on three levels
 * (added_dirs.c); of a hook (content/hook_note.c).
 */
enum ccfc_added_field {
	CCFC_ADDED_ATTACHMENT,
	CCFC_ADDED_TYPE,
	CCFC_ADDED_SNAPSHOT,
	CCFC_ADDED_DIRS,
	CCFC_ADDED_CALL,
	CCFC_ADDED_CONTENT,
	CCFC_ADDED_FILE,
	CCFC_ADDED_COUNT
};

/* Fields of bashEditDiff, and of a file in it; see command_result.c. */
enum ccfc_run_field {
	CCFC_RUN_FIELD_FILES,
	CCFC_RUN_FIELD_CHANGED,
	CCFC_RUN_FIELD_MORE,
	CCFC_RUN_FIELD_SHARED,
	CCFC_RUN_FIELD_SKIPPED,
	CCFC_RUN_FIELD_UNAVAILABLE,
	CCFC_RUN_FIELD_PATH,
	CCFC_RUN_FIELD_HUNKS,
	CCFC_RUN_FIELD_CREATED,
	CCFC_RUN_FIELD_DELETED,
	CCFC_RUN_FIELD_COUNT
};

struct ccfc_parser {
	const struct ccfc_tools *tools;
	struct ccfc_tools own_tools; /* if the caller gave none */
	struct ccfc_json json;
	struct ccfc_arena arena; /* for the current record */
	/* the current line, repaired if it was damaged */
	struct ccfc_buf repaired;
	/* for the diffs of one record; see line_count.h */
	uint64_t budget;

	struct ccfc_json_keys record_keys;
	struct ccfc_json_keys message_keys;
	struct ccfc_json_keys usage_keys;
	struct ccfc_json_keys naming_keys;
	struct ccfc_json_keys cost_keys;
	struct ccfc_json_keys block_keys;
	struct ccfc_json_keys edit_keys;
	struct ccfc_json_keys detail_keys;
	struct ccfc_json_keys history_keys; /* snapshots and backups */
	struct ccfc_json_keys evidence_keys;
	struct ccfc_json_keys read_keys;
	struct ccfc_json_keys launch_keys;
	struct ccfc_json_keys added_keys;
	struct ccfc_json_keys hook_keys;
	bool relayed; /* the fields are those of an agent's record, see record.h
		       */
	struct ccfc_json_keys run_keys;

	struct {
		struct ccfc_call *items;
		uint32_t n, cap;
	} calls;
	struct {
		struct ccfc_result *items;
		uint32_t n, cap;
	} results;
	struct {
		struct ccfc_run_file *items;
		uint32_t n, cap;
	} run_files; /* of the only result that may have some */
	struct {
		struct ccfc_backup *items;
		uint32_t n, cap;
	} backups;
	struct {
		struct ccfc_message_text *items;
		uint32_t n, cap;
	} spoken;
	struct {
		struct ccfc_slice *items;
		uint32_t n, cap;
	} added;
	struct ccfc_model_cost costs[CCFC_MODEL_COSTS_MAX];
};

/* keys.c: fills in the parser's *_keys. */
void ccfc_parser_init_keys(struct ccfc_parser *parser);

/* The text of a string as a name; see ccfc_unescape_name. */
struct ccfc_slice ccfc_parser_name(struct ccfc_parser *parser, uint32_t tok,
				   size_t max);

/* The time in a string, or CCFC_TIME_NONE. */
int64_t ccfc_parser_time(const struct ccfc_parser *parser, uint32_t tok);

/*
 * Reads a line and the fields of its record. False if the line is malformed.
 * ccfc_parser_done frees the memory of a huge line.
 */
bool ccfc_parser_open(struct ccfc_parser *parser, struct ccfc_slice line,
		      uint32_t *fields);
void ccfc_parser_done(struct ccfc_parser *parser, struct ccfc_slice line);

/*
 * The same, but a line that is not UTF-8 is read with U+FFFD for invalid bytes.
 * Used for messages and calls, not for the content of files, which would be
 * wrong.
 */
bool ccfc_parser_open_damaged(struct ccfc_parser *parser,
			      struct ccfc_slice line, uint32_t *fields);

/* The kind of a record by its type, or by its role if it has no type. */
enum ccfc_record_kind ccfc_parser_kind(struct ccfc_parser *parser,
				       const uint32_t *fields);

/*
 * The blocks of a message: the first one's token, and the following ones';
 * 0 at the end. A record that is itself a block (type tool_use or
 * tool_result) has that one; its token is CCFC_BLOCK_ROOT.
 */
#define CCFC_BLOCK_ROOT UINT32_MAX

uint32_t ccfc_parser_first_block(const struct ccfc_parser *parser,
				 const uint32_t *fields, uint32_t content);
uint32_t ccfc_parser_next_block(const struct ccfc_parser *parser,
				uint32_t block);
void ccfc_parser_block(const struct ccfc_parser *parser, uint32_t block,
		       uint32_t *fields);

/* message.content, or the record's own. */
uint32_t ccfc_parser_content(const struct ccfc_parser *parser,
			     const uint32_t *fields);

/* tool_use.c: appends the calls of a tool_use block. */
void ccfc_call_read(struct ccfc_parser *parser, const uint32_t *block);

/* result.c: appends the results of a user record; returns how many
 * tool_result blocks it has, `text` whether it has text. */
uint32_t ccfc_result_read(struct ccfc_parser *parser, const uint32_t *fields,
			  struct ccfc_slice uuid, bool *text);

/* Does the text of a tool_result block say that it created the file? */
bool ccfc_result_created(struct ccfc_parser *parser, const uint32_t *block);

/*
 * content/prompt_text.c: did a person give this prompt? *typed is its
 * beginning.
 */
bool ccfc_prompt_text_is(struct ccfc_parser *parser, const uint32_t *fields,
			 struct ccfc_slice *typed);

/* message.c: the cost of a message; a session's running total. */
uint32_t ccfc_cost_of_message(const struct ccfc_parser *parser, uint32_t tok);
void ccfc_cost_read(struct ccfc_parser *parser, struct ccfc_record *out);

/*
 * message.c: the tokens of a message, and whether its text asks the user
 * something.
 */
void ccfc_message_usage(const struct ccfc_parser *parser,
			struct ccfc_record *out, uint32_t usage);
bool ccfc_message_asks(struct ccfc_slice raw);
bool ccfc_message_asking_tool(struct ccfc_slice name);
/* message.c: the title in a record, depending on its type. */
void ccfc_message_naming(struct ccfc_parser *parser, struct ccfc_record *out);

/* added_dirs.c: the directories that this record adds to the session. */
void ccfc_added_read(struct ccfc_parser *parser, struct ccfc_record *out,
		     const uint32_t *fields);

/*
 * message_text.c: appends the text of a message that is a plain string; of its
 * block number `n`, whose token is `at`; of the result of a call.
 */
void ccfc_message_text_string(struct ccfc_parser *parser, uint32_t content);
void ccfc_message_text_block(struct ccfc_parser *parser, uint32_t at,
			     uint32_t n, const uint32_t *block);
void ccfc_message_text_result(struct ccfc_parser *parser, uint32_t at,
			      uint32_t n, struct ccfc_slice text);

/*
 * command.c: fills in a shell call, by its row in the table of tools; the
 * second also appends it to the line's calls.
 */
void ccfc_command_fill(struct ccfc_parser *parser, struct ccfc_call *call,
		       const struct ccfc_tool *tool, uint32_t input);
void ccfc_command_read(struct ccfc_parser *parser, struct ccfc_call *call,
		       const struct ccfc_tool *tool, uint32_t input);
/* command_result.c: fills in the files of bashEditDiff. */
void ccfc_run_diff_read(struct ccfc_parser *parser, struct ccfc_result *out,
			uint32_t diff);
/*
 * command_result.c: the id of the background call whose end a raw text reports;
 * empty: it reports none.
 */
struct ccfc_slice ccfc_run_ended(struct ccfc_parser *parser,
				 struct ccfc_slice raw);

/* hook.c: appends the evidence of a hook that ran after a call. */
void ccfc_hook_read(struct ccfc_parser *parser);

/* backup.c: appends the backups of a file-history record. */
void ccfc_backup_read_all(struct ccfc_parser *parser, const uint32_t *fields,
			  int64_t time);

#endif
