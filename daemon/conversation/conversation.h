/*
 * The messages of one session, read again from its transcripts on request. One
 * pass makes a skeleton of a few bytes for each line; then only the lines of
 * the requested page are read and parsed. So a page costs its own lines and the
 * skeleton, however long the session is.
 *
 * A session's thread has the session's lines in its own transcripts, without
 * the lines of agents. Each agent has its own thread: its transcript, or, with
 * old clients, the sidechain lines in the session's (all of them are the agent
 * "sidechain"). Lines are in the order of their times, a line without a time
 * takes the previous line's; copies of a line (same uuid) count once.
 *
 * Any thread, one at a time for each struct. Nothing here knows the index: the
 * sources are passed by value. Transcripts are not trusted: malformed lines are
 * counted, and excess lines are left out and set `truncated`.
 */
#ifndef CCFC_CONVERSATION_CONVERSATION_H
#define CCFC_CONVERSATION_CONVERSATION_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strtab.h"
#include "source/tail.h"
#include "transcript/record_internal.h"

#define CCFC_CONVERSATION_LINES	  (4u << 20) /* of a skeleton */
#define CCFC_CONVERSATION_SOURCES 65535u
#define CCFC_CONVERSATION_NONE	  UINT32_MAX
/* Agents without a transcript of their own, known from progress records. */
#define CCFC_CONVERSATION_TOLD 1024u

/* A transcript that holds lines of the session. */
struct ccfc_conversation_source {
	const char *path;
	struct ccfc_slice agent; /* the agent's id; empty: the session's own */
	uint64_t end;		 /* lines up to here are read */
	uint32_t gen;
	bool is_agent;
	bool own;     /* lines without a session id belong to this session */
	bool unnamed; /* if not `own`: they belong to the session named last */
};

enum ccfc_conversation_kind {
	CCFC_CONVERSATION_OTHER, /* part of the tree only */
	CCFC_CONVERSATION_USER,
	CCFC_CONVERSATION_ASSISTANT,
	CCFC_CONVERSATION_SYSTEM,
	CCFC_CONVERSATION_SUMMARY,
};

/* A line of the skeleton. */
struct ccfc_conversation_line {
	uint64_t at;	 /* source in the upper 16 bits, offset in the rest */
	int64_t time;	 /* its own time, or that of the previous line */
	uint64_t uuid;	 /* hash; 0: none */
	uint64_t parent; /* hash; of a compaction: the logical parent */
	uint32_t len;
	unsigned kind : 3;
	/* an agent's line in the session's transcript */
	unsigned sidechain : 1;
	unsigned results : 1;  /* it has tool results */
	unsigned tasks : 2;    /* it may have a planning call:
				* CCFC_CONVERSATION_TODO, _TASK */
	unsigned boundary : 1; /* a compaction */
	unsigned repeated : 1; /* its uuid occurs in an earlier line */
	/* its uuid occurs in an earlier line of the same thread */
	unsigned copy : 1;
	/* number of timeline events, without thoughts */
	unsigned events : 13;
	unsigned thoughts : 9; /* number of thoughts */
};
_Static_assert(sizeof(struct ccfc_conversation_line) == 40, "no holes");

/*
 * A call that starts an agent; with `agent` set, a record that names call and
 * agent.
 */
struct ccfc_conversation_launch {
	uint64_t call, agent, prompt, name; /* as in struct ccfc_launch */
	/* index in `names`; 0: not recorded */
	uint32_t type;
	uint32_t line;
	bool claimed;
};

struct ccfc_conversation_agent {
	struct ccfc_slice id;
	struct ccfc_slice type; /* empty: not known */
	/* from the note beside its transcript; empty: not known */
	struct ccfc_slice description;
	struct ccfc_slice said; /* the type in the agent's own lines */
	uint64_t name;		/* of a teammate; 0: not recorded */
	uint64_t last_relayed;	/* the last progress line; 0: none */
	uint64_t hash;		/* of the id */
	uint64_t prompt;	/* of its first prompt; 0: none */
	uint64_t call;		/* hash of the call; 0: not known */
	uint32_t line;		/* the line of that call, or NONE */
	uint32_t messages;
};

/* The first line of an inline sidechain. */
struct ccfc_conversation_root {
	uint32_t line;
	uint32_t caller; /* line of the call, or NONE */
	uint64_t prompt;
	uint64_t call;
};

struct ccfc_conversation_type {
	uint32_t name; /* index in `names` */
	uint64_t n;
};

/* A line in the tree of all threads. */
struct ccfc_conversation_node {
	uint32_t line;
	uint32_t parent; /* a line, or NONE */
	uint32_t depth;
	uint32_t children;
	uint32_t ways;	 /* children that continue the conversation */
	uint32_t branch; /* from 1; 0: an only child */
	uint32_t after;	 /* later siblings that are also indented */
	bool hangs;	 /* it is indented below its parent */
};

struct ccfc_conversation {
	struct ccfc_arena arena;
	struct ccfc_slice session;
	struct ccfc_conversation_source *sources;
	uint32_t *agent_of; /* by source; NONE: the session itself */
	uint32_t nsources;
	/* After the sources: the progress records of agents, each with the path
	 * of its source. */
	uint32_t nthreads, threads_cap;
	struct {
		struct ccfc_conversation_line *items;
		uint32_t n, cap;
	} lines;
	uint32_t *order; /* of the lines, by time */
	struct {
		struct ccfc_conversation_launch *items;
		uint32_t n, cap;
	} launches;
	struct {
		struct ccfc_conversation_agent *items;
		uint32_t n, cap;
	} agents;
	struct {
		struct ccfc_conversation_root *items;
		uint32_t n, cap;
	} roots;
	struct {
		uint64_t *items; /* ids of calls that failed, hashed, sorted */
		uint32_t n, cap;
	} errors;
	struct {
		struct ccfc_conversation_type *items;
		uint32_t n, cap;
	} types;
	struct {
		uint32_t *items; /* lines with the searched uuid */
		uint32_t n, cap;
	} found;
	struct {
		struct ccfc_conversation_node
			*items; /* set when the tree was requested */
		uint64_t n, branches;
	} nodes;
	struct ccfc_strtab names;
	uint32_t sidechain; /* the agent "sidechain", or NONE */
	uint64_t compactions;
	uint64_t bytes; /* bytes read to make it */
	bool truncated;
};

/* The reader: its own tail and parser. */
struct ccfc_conversation_reader {
	struct ccfc_tail *tail;
	struct ccfc_parser *parser;
	struct ccfc_json_keys more_keys, block_keys, task_keys;
	uint64_t bytes; /* bytes read so far */
	uint64_t left;	/* bytes of lines still allowed for a page */
};

/* `left`: bytes allowed. ccfc_tail_until can cancel the reader. */
void ccfc_conversation_reader_init(struct ccfc_conversation_reader *reader,
				   uint64_t left);
void ccfc_conversation_reader_release(struct ccfc_conversation_reader *reader);

/*
 * Reads the sources, whose list is copied. `find` (may be empty): a prefix of
 * the wanted uuid. CCFC_EAGAIN: cancelled.
 */
int ccfc_conversation_read(struct ccfc_conversation **out,
			   struct ccfc_conversation_reader *reader,
			   struct ccfc_slice session,
			   const struct ccfc_conversation_source *sources,
			   uint32_t n, struct ccfc_slice find,
			   struct ccfc_err *err);
/* May be NULL. */
void ccfc_conversation_free(struct ccfc_conversation *conv);

/* Is the skeleton up to date with these sources? */
bool ccfc_conversation_fits(const struct ccfc_conversation *conv,
			    struct ccfc_slice session,
			    const struct ccfc_conversation_source *sources,
			    uint32_t n);
/*
 * Searches the lines with this whole uuid, as reading does with a prefix;
 * false: there is none. The skeleton has only hashes, so a prefix needs another
 * pass.
 */
bool ccfc_conversation_look_up(struct ccfc_conversation *conv,
			       struct ccfc_slice uuid);
/* Its memory in bytes. */
size_t ccfc_conversation_size(const struct ccfc_conversation *conv);

/* The agent that wrote the line, or NONE. */
uint32_t ccfc_conversation_agent_of(const struct ccfc_conversation *conv,
				    uint32_t line);
/*
 * Finds an agent by its id or a unique prefix. CCFC_ENOTFOUND, CCFC_EAMBIGUOUS.
 */
int ccfc_conversation_find_agent(uint32_t *out,
				 const struct ccfc_conversation *conv,
				 struct ccfc_slice id, struct ccfc_err *err);
/* The number of the agent that a call started, or NONE. */
uint32_t ccfc_conversation_started(const struct ccfc_conversation *conv,
				   uint64_t call);
bool ccfc_conversation_failed(const struct ccfc_conversation *conv,
			      uint64_t call);

/* --- messages --- */

enum ccfc_conversation_role {
	CCFC_CONVERSATION_SAID, /* user and assistant */
	CCFC_CONVERSATION_OF_USER,
	CCFC_CONVERSATION_OF_ASSISTANT,
	CCFC_CONVERSATION_OF_SYSTEM,
	CCFC_CONVERSATION_OF_TOOL, /* with results of tools */
};

struct ccfc_conversation_page {
	uint32_t *lines; /* in the arena */
	uint32_t n;
	uint64_t total, offset;
};

/*
 * A page of the thread of `agent` (NONE: the session's). With `around` (else
 * NONE) it is the page with that line in its middle. CCFC_ENOTFOUND: the thread
 * lacks the line, or the offset is after the end.
 */
int ccfc_conversation_page(struct ccfc_conversation_page *out,
			   const struct ccfc_conversation *conv,
			   enum ccfc_conversation_role role, uint32_t agent,
			   uint64_t offset, uint64_t limit, uint32_t around,
			   struct ccfc_arena *arena, struct ccfc_err *err);

/* --- a line, opened --- */

enum ccfc_conversation_field {
	CCFC_CONVERSATION_PARENT,
	CCFC_CONVERSATION_LOGICAL,
	CCFC_CONVERSATION_SUBTYPE,
	CCFC_CONVERSATION_SUMMARY_TEXT,
	CCFC_CONVERSATION_ATTACHMENT,
	CCFC_CONVERSATION_DATA,
	CCFC_CONVERSATION_AGENT_NAME, /* of a teammate */
	CCFC_CONVERSATION_AGENT_TYPE,
	CCFC_CONVERSATION_FIELDS
};

/* Tokens are of reader->parser->json; valid until the next line. */
struct ccfc_conversation_record {
	struct ccfc_slice line;
	enum ccfc_conversation_kind kind;
	uint32_t fields[CCFC_FIELD_COUNT];
	uint32_t more[CCFC_CONVERSATION_FIELDS];
	uint32_t content;
	uint32_t first; /* the first block; 0: none */
	/* the line is an agent's progress, with a copy of the agent's record */
	bool relays;
};

/*
 * Parses `line` (padded), or the agent's record inside it (`relayed`). False:
 * malformed.
 */
bool ccfc_conversation_parse(struct ccfc_conversation_reader *reader,
			     struct ccfc_conversation_record *out,
			     struct ccfc_slice line, bool relayed);
/* Reads the line again; false: it is gone, or the byte limit is reached. */
bool ccfc_conversation_open(struct ccfc_conversation_reader *reader,
			    struct ccfc_conversation_record *out,
			    const struct ccfc_conversation *conv,
			    uint32_t line);

/* The text of a name field; in the record's memory, empty if absent. */
struct ccfc_slice
ccfc_conversation_name(struct ccfc_conversation_reader *reader, uint32_t tok);

/*
 * The texts of a record, or its thinking, joined by newlines; for a record that
 * is not a message, its content. At most `max` bytes, whole characters; *cut:
 * there is more. In the arena.
 */
struct ccfc_slice
ccfc_conversation_text(struct ccfc_conversation_reader *reader,
		       const struct ccfc_conversation_record *record,
		       size_t max, bool *cut, struct ccfc_arena *arena);
struct ccfc_slice
ccfc_conversation_thinking(struct ccfc_conversation_reader *reader,
			   const struct ccfc_conversation_record *record,
			   size_t max, bool *cut, struct ccfc_arena *arena);
/*
 * The text of a string, or any other value as compact JSON, with the same
 * limits.
 */
struct ccfc_slice ccfc_conversation_value(const struct ccfc_json *json,
					  uint32_t tok, size_t max, bool *cut,
					  struct ccfc_arena *arena);

/* Sets only out->usage; false: the record has none. */
bool ccfc_conversation_usage(struct ccfc_conversation_reader *reader,
			     const struct ccfc_conversation_record *record,
			     struct ccfc_record *out);
/* model and message.id; empty where there is none. */
void ccfc_conversation_model(struct ccfc_conversation_reader *reader,
			     const struct ccfc_conversation_record *record,
			     struct ccfc_slice *model, struct ccfc_slice *id);

/* --- the timeline --- */

enum ccfc_conversation_event_type {
	CCFC_CONVERSATION_PROMPT,
	CCFC_CONVERSATION_TEXT,
	CCFC_CONVERSATION_THINKING,
	CCFC_CONVERSATION_CALL,
	CCFC_CONVERSATION_RESULT,
	CCFC_CONVERSATION_NOTE, /* system */
	CCFC_CONVERSATION_COMPACTION,
	CCFC_CONVERSATION_AGENT, /* the prompt that started the agent */
};

/* Iterates over the events of a record; zeroed except `record`. */
struct ccfc_conversation_events {
	const struct ccfc_conversation_record *record;
	enum ccfc_conversation_event_type type;
	/* of all events except whole records */
	uint32_t block[CCFC_BLOCK_COUNT];
	uint32_t text; /* of a thought or a text */
	uint32_t at;
	bool begun;
	bool whole;    /* the event is the record's text */
	bool counting; /* set by callers that do not need `type` */
};

bool ccfc_conversation_events_next(struct ccfc_conversation_reader *reader,
				   struct ccfc_conversation_events *e);

/*
 * The place in `order` of the event number `offset`, and its number within its
 * line.
 */
struct ccfc_conversation_moment {
	uint64_t total;
	uint32_t at;
	uint32_t skip;
};

void ccfc_conversation_seek(struct ccfc_conversation_moment *out,
			    const struct ccfc_conversation *conv, bool thinking,
			    uint64_t offset);

/* --- the tree --- */

struct ccfc_conversation_tree {
	const struct ccfc_conversation_node
		*nodes; /* the page; belongs to the conversation */
	uint32_t n;
	uint64_t total;
	uint64_t branches;
};

/*
 * A page of the tree, which is made once and kept with the conversation.
 * CCFC_ENOTFOUND: the offset is after the end.
 */
int ccfc_conversation_tree(struct ccfc_conversation_tree *out,
			   struct ccfc_conversation *conv, uint64_t offset,
			   uint64_t limit, struct ccfc_err *err);

/* --- tasks --- */

struct ccfc_conversation_task {
	struct ccfc_slice id; /* empty: none; the same for all texts */
	struct ccfc_slice content, status, active, description, owner;
	struct ccfc_slice *blocked_by;
	uint32_t nblocked;
};

struct ccfc_conversation_tasks {
	struct ccfc_conversation_task
		*items; /* in the arena, with all their texts */
	uint32_t n;
	bool truncated;
};

/* The task list of the session's thread after its last line. */
void ccfc_conversation_tasks(struct ccfc_conversation_tasks *out,
			     struct ccfc_conversation_reader *reader,
			     const struct ccfc_conversation *conv, size_t max,
			     struct ccfc_arena *arena);

/* The same from single blocks (JSON, padded), in order. */
void ccfc_conversation_tasks_left(struct ccfc_conversation_tasks *out,
				  struct ccfc_conversation_reader *reader,
				  const struct ccfc_slice *blocks, uint32_t n,
				  size_t max, struct ccfc_arena *arena);

#endif
