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

/* The longest command of a shell that is read; the rest is cut off. */
#define CCFC_COMMAND_MAX (64u << 10)

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
	bool shell; /* it is a command of a shell, and not `writes` */
	bool foreign;		   /* of a shell whose language is not read */
	bool background;	   /* it was asked to run in the background */
	bool cut;		   /* `command` is not all of it */
	struct ccfc_slice command; /* its text */
};

/* What the result of a command of a shell says besides files: bits. */
enum ccfc_run_flag {
	CCFC_RUN_DIFF = 1,	  /* the client looked at what it changed */
	CCFC_RUN_SHARED = 2,	  /* and at another command's changes too */
	CCFC_RUN_PARTIAL = 4,	  /* and does not name all, or gave up */
	CCFC_RUN_BACKGROUND = 8,  /* it goes on running */
	CCFC_RUN_INTERRUPTED = 16 /* it was stopped before its end */
};

/* Files of one result that are taken in. */
#define CCFC_RUN_FILES_MAX 512u

/* A file that the client saw changed while a command ran. */
struct ccfc_run_file {
	struct ccfc_slice path; /* as written */
	enum ccfc_op op;
	bool hunks; /* it comes with its changed lines */
	int32_t added;
	int32_t removed;
};

/* A result, out of a user record. */
struct ccfc_result {
	struct ccfc_slice id;  /* tool_use id; the record's uuid when a write
				* result stands there without any id */
	enum ccfc_state state; /* never pending */
	bool error;	       /* it says that the call did not go through */
	bool hook; /* it is none: a hook tells that runs after success only */
	/* toolUseResult is an object of the shape that a write tool leaves.
	 * What follows is only filled in then, except op. */
	bool detail;
	struct ccfc_slice tool; /* inferred from the shape: "Edit", … */
	struct ccfc_slice path; /* as written; may be empty (old notebooks) */
	enum ccfc_op op; /* CREATED where the detail or the text says so */
	int32_t added;
	int32_t removed;
	uint64_t original; /* hash of what the write found in the file, as the
			    * line spells it; 0: not said, or nothing */
	/* bashEditDiff: each path once, those with hunks first. */
	const struct ccfc_run_file *files;
	uint32_t nfiles;
	uint8_t run; /* enum ccfc_run_flag */
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

/* Money is counted in whole parts of a cent: a token may cost 0.00000008. */
#define CCFC_COST_DOLLAR 100000000u

/* What calls of one model have cost by then, in all. */
struct ccfc_model_cost {
	struct ccfc_slice model; /* empty: not said */
	uint64_t cost;		 /* CCFC_COST_DOLLAR is one */
	uint64_t tokens;	 /* of all kinds */
};

/* So many models of one record are distinguished. */
#define CCFC_MODEL_COSTS_MAX 32u

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

/* There is one at a time, so the order is the reader's, not the analyzer's. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
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
	/* What tells two messages of one id apart, where that is only the
	 * second in which it was made (other providers). */
	struct ccfc_slice apart;
	int64_t time; /* CCFC_TIME_NONE where there is none */
	bool sidechain;
	bool prompt;	/* a user record that starts a turn: it has text and no
			 * tool_result, and is not isMeta */
	bool asked;	/* a prompt that a person gave: no summary, no output of
			 * a command, no note of the client's
			 * (content/prompt_text.h) */
	bool meta;	/* isMeta: put in by the client */
	bool told;	/* of an agent, by the session that started it: a
			 * progress record with a copy of the agent's */
	bool boundary;	/* a compaction: what was before is not gone on with */
	bool damaged;	/* was not UTF-8: what is not reads as U+FFFD */
	bool summary;	/* isCompactSummary */
	bool has_usage; /* assistant */
	bool asks;	/* assistant: the user is asked something, by a tool for
			 * that or by a text that ends with a question mark */
	struct ccfc_slice typed; /* how such a prompt begins, at most
				  * CCFC_TYPED_MAX bytes */
	struct ccfc_usage usage;
	uint32_t cost; /* costUSD of old clients; 0: not said. Copies of a
			* message have 0. */
	/* A running total of the session (cost-state): what was spent since
	 * `counted_since`, by model. */
	const struct ccfc_model_cost *costs;
	uint32_t ncosts;
	int64_t counted_since; /* CCFC_TIME_NONE: not said */
	bool costs_unsure;     /* the client did not know a model's price */
	enum ccfc_naming naming;
	struct ccfc_slice title; /* at most CCFC_TITLE_MAX bytes; empty: no
				  * title any more */
	struct ccfc_slice leaf;	 /* uuid */
	struct ccfc_slice pull_request; /* pr-link: its address */
	struct ccfc_slice shown; /* a file that the client showed the model, or
				  * told it that it had changed; as written */
	struct ccfc_slice ended; /* id of the call of a command that ran in the
				  * background and has ended by now */
	const struct ccfc_call *calls;
	uint32_t ncalls;
	const struct ccfc_result *results;
	uint32_t nresults;
	const struct ccfc_backup *backups;
	uint32_t nbackups;
	const struct ccfc_message_text *spoken; /* never empty ones */
	uint32_t nspoken;
	const struct ccfc_slice *added; /* directories besides its own */
	uint32_t nadded;
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

/*
 * The length of the object that a line begins with, as far as brackets and
 * quotes tell; 0 when there is none or it does not end. Clients that write at
 * the same time, or after one that was killed, put several in one line: what
 * follows a whole record in its line is a line of its own.
 */
size_t ccfc_record_end(struct ccfc_slice line);

/*
 * The same where something else than white space follows: the first of several
 * records. 0: the line is one record, or none.
 */
size_t ccfc_record_split(struct ccfc_slice line);

#endif
