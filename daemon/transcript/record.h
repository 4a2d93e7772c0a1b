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
	CCFC_RECORD_UNKNOWN,   /* unknown type */
	/*
	 * a known type that says nothing about changes; common fields are set
	 */
	CCFC_RECORD_OTHER,
	CCFC_RECORD_USER,
	CCFC_RECORD_ASSISTANT,
	CCFC_RECORD_SNAPSHOT, /* file-history-snapshot, file-history-delta */
	CCFC_RECORD_KINDS
};

/* An unknown number of added or removed lines. */
#define CCFC_LINES_UNKNOWN (-1)

/* Longer shell commands are cut off. */
#define CCFC_COMMAND_MAX (64u << 10)

/* A call of a tool, from an assistant record. */
struct ccfc_call {
	struct ccfc_slice id;	/* tool_use id */
	struct ccfc_slice tool; /* name as written */
	/*
	 * its tool is in the table of write tools; otherwise the fields below
	 * are empty
	 */
	bool writes;
	struct ccfc_slice path; /* as written; empty: missing */
	/* A call on several files (edits[].file_path) gives one struct for
	 * each file: part 0 to nparts - 1, all with the same id. */
	uint32_t part;
	uint32_t nparts;
	int32_t added; /* proposed; may be CCFC_LINES_UNKNOWN */
	int32_t removed;
	/*
	 * it reads the file `path` and does not write; several files are parts,
	 * as above
	 */
	bool reads;
	bool shell; /* it is a shell command; `writes` is false */
	/* of a shell whose language is not supported */
	bool foreign;
	bool background;	   /* it was started in the background */
	bool cut;		   /* `command` is cut off */
	struct ccfc_slice command; /* its text */
};

/* What a shell command's result says apart from files: bits. */
enum ccfc_run_flag {
	CCFC_RUN_DIFF = 1,	  /* the client recorded its changes */
	CCFC_RUN_SHARED = 2,	  /* together with another command's changes */
	CCFC_RUN_PARTIAL = 4,	  /* but not all, or not completely */
	CCFC_RUN_BACKGROUND = 8,  /* it is still running */
	CCFC_RUN_INTERRUPTED = 16 /* it was stopped early */
};

/* At most so many files of one result are read. */
#define CCFC_RUN_FILES_MAX 512u

/* A file that the client saw changed while a command ran. */
struct ccfc_run_file {
	struct ccfc_slice path; /* as written */
	enum ccfc_op op;
	bool hunks; /* its changed lines are recorded */
	int32_t added;
	int32_t removed;
};

/* A result, from a user record. */
struct ccfc_result {
	/* tool_use id; the record's uuid for a write's result without an id */
	struct ccfc_slice id;
	enum ccfc_state state; /* never pending */
	/* it reports that the call failed or was refused */
	bool error;
	bool hook; /* not a result but a hook's record, which proves success */
	/*
	 * toolUseResult is an object with the shape of a write tool's. The
	 * fields below are set only then, except `op`.
	 */
	bool detail;
	struct ccfc_slice tool; /* inferred from the shape: "Edit", … */
	struct ccfc_slice path; /* as written; may be empty (old notebooks) */
	enum ccfc_op op; /* CREATED if the detail or the text reports it */
	int32_t added;
	int32_t removed;
	/*
	 * hash of the content that the write found, as spelled in the line; 0:
	 * not recorded, or no content
	 */
	uint64_t original;
	/* bashEditDiff: each path once, paths with hunks first. */
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

/* message.usage; a value that is not a count is 0. */
struct ccfc_usage {
	uint64_t input, output, cache_write, cache_read;
};

/* Money is counted in units of 1e-8 dollars: a token may cost 0.00000008. */
#define CCFC_COST_DOLLAR 100000000u

/* The cost of all calls of one model so far. */
struct ccfc_model_cost {
	struct ccfc_slice model; /* empty: not recorded */
	uint64_t cost;		 /* in units of 1 / CCFC_COST_DOLLAR dollars */
	uint64_t tokens;	 /* of all kinds */
};

/* At most so many models of one record are kept apart. */
#define CCFC_MODEL_COSTS_MAX 32u

/* Records that name a session. */
enum ccfc_naming {
	CCFC_NAMING_NONE,
	CCFC_NAMING_SUMMARY, /* for the session that has the message `leaf` */
	CCFC_NAMING_AI,
	CCFC_NAMING_CUSTOM, /* by the user */
};

#define CCFC_TITLE_MAX 512u
#define CCFC_TYPED_MAX 200u

enum ccfc_message_text_kind {
	CCFC_MESSAGE_TEXT_TEXT,
	CCFC_MESSAGE_TEXT_THINKING,
	/* a block: a call that changes the task list, or its result */
	CCFC_MESSAGE_TEXT_TASKS,
};

/* A text from a user or assistant record. */
struct ccfc_message_text {
	enum ccfc_message_text_kind kind;
	uint32_t block; /* its number in the message; 0 for a plain string */
	bool result;	/* TASKS: a tool_result block */
	/*
	 * As written in the line: the bytes between the quotes of a string,
	 * still escaped; for TASKS the JSON of the whole block.
	 */
	struct ccfc_slice raw;
};

/* One exists at a time, so the order of the fields is chosen for readers. */
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
	/*
	 * Distinguishes two messages with the same id, if that id is only the
	 * second in which the message was made (other providers).
	 */
	struct ccfc_slice apart;
	int64_t time; /* CCFC_TIME_NONE if there is none */
	bool sidechain;
	/*
	 * a user record that starts a turn: it has text, no tool_result, and no
	 * isMeta
	 */
	bool prompt;
	/*
	 * a prompt that a person gave, not a summary, a command's output or a
	 * note of the client (content/prompt_text.h)
	 */
	bool asked;
	bool meta; /* isMeta: inserted by the client */
	/*
	 * a copy of an agent's record, in a progress record of the session that
	 * started the agent
	 */
	bool relayed;
	/* a compaction: the messages before are not continued */
	bool boundary;
	/* the line was not UTF-8; invalid bytes read as U+FFFD */
	bool damaged;
	bool summary;	/* isCompactSummary */
	bool has_usage; /* assistant */
	/*
	 * assistant: it asks the user something, by a tool for that or by a
	 * text that ends with a question mark
	 */
	bool asks;
	/* the beginning of such a prompt, at most CCFC_TYPED_MAX bytes */
	struct ccfc_slice typed;
	struct ccfc_usage usage;
	/*
	 * costUSD of old clients; 0: not recorded. Copies of a message have 0.
	 */
	uint32_t cost;
	/*
	 * A running total of the session (cost-state): the cost since
	 * `counted_since`, by model.
	 */
	const struct ccfc_model_cost *costs;
	uint32_t ncosts;
	int64_t counted_since; /* CCFC_TIME_NONE: not recorded */
	bool costs_unsure;     /* the client did not know a model's price */
	enum ccfc_naming naming;
	/* at most CCFC_TITLE_MAX bytes; empty: the title was removed */
	struct ccfc_slice title;
	struct ccfc_slice leaf;		/* uuid */
	struct ccfc_slice pull_request; /* pr-link: its address */
	/*
	 * a file that the client showed to the model, or reported to it as
	 * changed; as written
	 */
	struct ccfc_slice shown;
	/* id of the call of a background command that has ended */
	struct ccfc_slice ended;
	const struct ccfc_call *calls;
	uint32_t ncalls;
	const struct ccfc_result *results;
	uint32_t nresults;
	const struct ccfc_backup *backups;
	uint32_t nbackups;
	const struct ccfc_message_text *spoken; /* without empty ones */
	uint32_t nspoken;
	const struct ccfc_slice *added; /* directories added to the session */
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
 * Parses `line` (no newline; followed by at least CCFC_TAIL_PADDING = 64
 * readable bytes). Never fails: an unreadable line is CCFC_RECORD_MALFORMED.
 */
void ccfc_record_parse(struct ccfc_parser *parser, struct ccfc_record *out,
		       struct ccfc_slice line);

/*
 * The length of the object at the start of a line, by its brackets and quotes
 * only; 0: there is none, or it does not end. Clients that write at the same
 * time, or after one that was killed, may put several records in one line. The
 * rest after a whole record is read as a line of its own.
 */
size_t ccfc_record_end(struct ccfc_slice line);

/*
 * The same if something other than white space follows: the length of the first
 * of several records. 0: the line is one record, or none.
 */
size_t ccfc_record_split(struct ccfc_slice line);

#endif
