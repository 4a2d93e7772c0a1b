/*
 * One line of a transcript, as facts. Parsing a line is pure: the record
 * depends on the line's bytes alone, never on other lines, files or the
 * clock. Joining calls with results is the index's work.
 *
 * All slices point into the line or into the parser's arena, and are valid
 * until the next ccfc_record_parse on the same parser.
 */
#ifndef CCFC_TRANSCRIPT_RECORD_H
#define CCFC_TRANSCRIPT_RECORD_H

#include "base/arena.h"
#include "base/slice.h"
#include "transcript/tools.h"

#include <ccfc/types.h>
#include <stdint.h>

enum ccfc_record_kind {
	CCFC_RECORD_BLANK,     /* only white space */
	CCFC_RECORD_MALFORMED, /* not one JSON object */
	CCFC_RECORD_UNKNOWN,   /* a type that we do not know */
	CCFC_RECORD_OTHER,     /* a type that we know and that says nothing of
				* changes; common fields are filled in */
	CCFC_RECORD_USER,
	CCFC_RECORD_ASSISTANT,
	CCFC_RECORD_SNAPSHOT, /* file-history-snapshot, file-history-delta */
	CCFC_RECORD_KINDS
};

/* Lines added or removed that are not known. */
#define CCFC_LINES_UNKNOWN (-1)

/* A call of a tool, out of an assistant record. */
struct ccfc_call {
	struct ccfc_slice id;	/* tool_use id */
	struct ccfc_slice tool; /* name as written */
	bool writes;		/* its name is in the table of write tools;
				 * what follows is empty when it is not */
	struct ccfc_slice path; /* as written; empty: missing */
	/* A call on several files (edits[].file_path) gives one struct for
	 * each file: part 0 to nparts - 1, all with the same id. */
	uint32_t part;
	uint32_t nparts;
	int32_t added; /* proposed; CCFC_LINES_UNKNOWN where unknown */
	int32_t removed;
	bool reads; /* it looks at the file `path`, and does not write; several
		     * files are parts, as above */
};

/* A result, out of a user record. */
struct ccfc_result {
	struct ccfc_slice id;  /* tool_use id; the record's uuid when a write
				* result stands there without any id */
	enum ccfc_state state; /* never pending */
	bool error;	       /* it says that the call did not go through */
	/* toolUseResult is an object of the shape that a write tool leaves.
	 * What follows is only filled in then, except op. */
	bool detail;
	struct ccfc_slice tool; /* inferred from the shape: "Edit", … */
	struct ccfc_slice path; /* as written; may be empty (old notebooks) */
	enum ccfc_op op; /* CREATED where the detail or the text says so */
	int32_t added;
	int32_t removed;
};

/* One file of a file-history-snapshot or -delta. */
struct ccfc_backup {
	struct ccfc_slice path; /* as written: relative to the session's
				 * directory, or absolute */
	struct ccfc_slice name; /* backupFileName; empty: null */
	int64_t version;	/* 0: none */
	int64_t time;		/* of the snapshot, CCFC_TIME_NONE if none */
	int64_t made;		/* backupTime, CCFC_TIME_NONE if none */
};

/* message.usage; what is no count is 0. */
struct ccfc_usage {
	uint64_t input, output, cache_write, cache_read;
};

/* Records that name a session. */
enum ccfc_naming {
	CCFC_NAMING_NONE,
	CCFC_NAMING_SUMMARY, /* of the session that has the message `leaf` */
	CCFC_NAMING_AI,
	CCFC_NAMING_CUSTOM, /* by the user */
};

#define CCFC_TITLE_MAX 512u
#define CCFC_TYPED_MAX 200u

enum ccfc_message_text_kind {
	CCFC_MESSAGE_TEXT_TEXT,
	CCFC_MESSAGE_TEXT_THINKING,
	CCFC_MESSAGE_TEXT_TASKS, /* a block: a call that plans, or its result */
};

/* Something that was said, out of a user or assistant record. */
struct ccfc_message_text {
	enum ccfc_message_text_kind kind;
	uint32_t block; /* its number in the message; 0 for a plain string */
	bool result;	/* TASKS: a tool_result block */
	/* As it stands in the line: between the quotes of a string, still
	 * escaped; the JSON of the whole block for TASKS. */
	struct ccfc_slice raw;
};

struct ccfc_record {
	enum ccfc_record_kind kind;
	struct ccfc_slice type;	   /* as written */
	struct ccfc_slice session; /* sessionId (or session_id) */
	struct ccfc_slice agent;   /* agentId */
	struct ccfc_slice uuid;
	struct ccfc_slice cwd;
	struct ccfc_slice branch;     /* gitBranch */
	struct ccfc_slice version;    /* of the client */
	struct ccfc_slice model;      /* assistant; not "<synthetic>" */
	struct ccfc_slice message_id; /* assistant */
	int64_t time;		      /* CCFC_TIME_NONE where there is none */
	bool sidechain;
	bool prompt;	/* a user record that starts a turn: it has text and no
			 * tool_result, and is not isMeta */
	bool asked;	/* a prompt that a person gave: no summary, no output of
			 * a command, no note of the client's (prompt_text.h) */
	bool meta;	/* isMeta: put in by the client */
	bool damaged;	/* was not UTF-8: what is not reads as U+FFFD */
	bool summary;	/* isCompactSummary */
	bool has_usage; /* assistant */
	bool asks;	/* assistant: the user is asked something, by a tool for
			 * that or by a text that ends with a question mark */
	struct ccfc_slice typed; /* how such a prompt begins, at most
				  * CCFC_TYPED_MAX bytes */
	struct ccfc_usage usage;
	enum ccfc_naming naming;
	struct ccfc_slice title; /* at most CCFC_TITLE_MAX bytes; empty: no
				  * title any more */
	struct ccfc_slice leaf;	 /* uuid */
	const struct ccfc_call *calls;
	uint32_t ncalls;
	const struct ccfc_result *results;
	uint32_t nresults;
	const struct ccfc_backup *backups;
	uint32_t nbackups;
	const struct ccfc_message_text *spoken; /* never empty ones */
	uint32_t nspoken;
};

struct ccfc_parser;

/*
 * `tools` (may be NULL: the built-in table) is borrowed and must outlive the
 * parser. Not thread-safe; one parser per thread.
 */
struct ccfc_parser *ccfc_parser_new(const struct ccfc_tools *tools);
void ccfc_parser_free(struct ccfc_parser *parser);

/*
 * Parses `line` (no newline; at least CCFC_TAIL_PADDING = 64 readable bytes
 * behind it). Never fails: what cannot be read is CCFC_RECORD_MALFORMED.
 */
void ccfc_record_parse(struct ccfc_parser *parser, struct ccfc_record *out,
		       struct ccfc_slice line);

#endif
