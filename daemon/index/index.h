/*
 * The facts in memory: sources, sessions, files and changes.
 *
 * Facts from lines are merged so that the result does not depend on the order
 * of sources, on the cut into batches, or on restarts: every merge is a
 * minimum, a maximum or a union over a total order of observations. So the
 * index equals that of one cold scan; merge.c explains it rule by rule. Facts
 * are never removed: lines that vanished from a transcript did happen.
 *
 * Life of a batch: ccfc_index_apply for each line, then ccfc_index_settle,
 * which finds the visible changes, gives each the next sequence number and
 * lists it in `events`. Then the store writes the rows in `dirty`
 * (ccfc_index_stored), and only then may events be sent (ccfc_index_published).
 *
 * One thread (the core's). Pointers into the arrays are valid until the next
 * apply. Ids are indexes into the arrays and never change; id 0 is "none" for
 * sessions, files and strings.
 */
#ifndef CCFC_INDEX_INDEX_H
#define CCFC_INDEX_INDEX_H

#include "base/buf.h"
#include "base/strtab.h"
#include "index/index_table.h"
#include "shell/shell.h"
#include "source/classify.h"
#include "source/tail.h"
#include "transcript/record.h"

#include <ccfc/types.h>

/* The id of an agent without a transcript of its own. */
#define CCFC_INDEX_SIDECHAIN "sidechain"

/* The place of a line. */
struct ccfc_place {
	uint64_t offset;
	uint32_t source;
	uint32_t len;
	uint32_t gen; /* of the source when the line was read */
};

/* 16 bytes of a canonical UUID, or a strtab id if it is not one. */
struct ccfc_uuid {
	unsigned char bytes[16];
};

/* A call of a write tool, as one transcript shows it. */
struct ccfc_observation {
	int64_t time;
	struct ccfc_place place;
	struct ccfc_uuid uuid;
	uint32_t session;
	uint32_t agent; /* agent, model, version, tool: strings */
	uint32_t model;
	uint32_t version;
	uint32_t tool;
	uint32_t file;
	int32_t added;
	int32_t removed;
	uint32_t next; /* another observation of the change, or ID_NONE */
	bool known;    /* a call was read */
	bool sidechain;
	/* a copy, in the transcript of the session that started the agent */
	bool relayed;
	/* a compaction followed immediately, and the result was lost */
	bool swallowed;
	bool uuid_is_text;
};

/* Where an outcome was read, the most reliable first. */
enum ccfc_outcome_source {
	CCFC_OUTCOME_FROM_RESULT,
	CCFC_OUTCOME_FROM_PROGRESS, /* a copy of the result in an agent's
				       progress */
	CCFC_OUTCOME_FROM_HOOK,	    /* a hook that runs after success */
};

/* The best result read for a change. */
struct ccfc_outcome {
	int64_t time;
	uint64_t original; /* hash of the content that it found; 0: not known */
	struct ccfc_place place;
	uint32_t session;
	uint32_t agent;
	uint32_t tool; /* inferred; 0: as in the call */
	uint32_t file; /* 0: as in the call */
	int32_t added;
	int32_t removed;
	uint8_t state;
	uint8_t op;
	uint8_t run; /* of a command: enum ccfc_run_flag */
	uint8_t by;  /* enum ccfc_outcome_source */
	bool known;  /* there is a result */
	bool detail;
};

/*
 * A shell command is a change row without a file. The shell changes, one row
 * for each file of a command, refer to it; the command itself is in no list of
 * changes (shell_command.c).
 */
enum ccfc_shell_bit {
	CCFC_SHELL_IS_COMMAND = 1,
	/* For a shell change: */
	CCFC_SHELL_PARSED = 2,	 /* the command's text has the file as target */
	CCFC_SHELL_RECORDED = 4, /* the command's result names the file */
	CCFC_SHELL_NOBODYS =
		32, /* named only by a copy of the call: not shown */
	CCFC_SHELL_INFERRED = 64, /* inferred from the file's contents */
	CCFC_SHELL_OBSERVED =
		/*
		 * the file changed on disk while the command ran; without a
		 * command: a client was seen to change it
		 */
	128,
	/* For a command: */
	/*
	 * contents of files may show its effects: its text contains texts for
	 * files, or git restores earlier states
	 */
	CCFC_SHELL_TELLS = 64,
	/* it may change files that its text does not certainly name */
	CCFC_SHELL_UNSURE = 8,
	CCFC_SHELL_CUT = 16, /* `text` is cut off */
};

/*
 * For an observed shell change: can only its command have made it? C code
 * computes this for each question (query/proof.c). The stored answer is for
 * programs that read the store; disk/disk_doubt.c keeps it up to date. Numbers
 * are kept in the store.
 */
enum ccfc_seen {
	CCFC_SEEN_UNKNOWN, /* not observed, or not computed yet */
	CCFC_SEEN_SURE,
	CCFC_SEEN_IN_DOUBT,
};

/* One tool call's effect on one file. */
struct ccfc_change {
	const char *id; /* tool_use id, with "#2" … for further files, or with
			 * a hash of the path for a file of a command */
	uint64_t seq;	/* of its last event; 0: none yet */
	struct ccfc_observation call; /* the owner's observation */
	struct ccfc_outcome result;
	/* What readers see, computed by ccfc_index_settle: */
	uint32_t file;
	uint32_t session; /* the owner */
	uint8_t state;
	/* enum ccfc_shell_bit; 0: no shell command made it */
	uint8_t shell;
	uint8_t target_op; /* the operation according to the command's text */
	uint8_t conflict;  /* enum ccfc_conflict_kind, as readers see it */
	uint8_t judged;	   /* in an excerpt: enum ccfc_proof + 1 */
	uint8_t seen;	   /* enum ccfc_seen; for the store */
	/*
	 * in an excerpt: ccfc_query_is_alone; set only if no result shows its
	 * lines
	 */
	bool alone;
	uint32_t text;	  /* of a command: its text, shortened; a string */
	uint32_t command; /* of a shell change: its command, or ID_NONE */
	/*
	 * another change of the command, or ID_NONE; of a command: its newest
	 * change
	 */
	uint32_t next_file;
	/*
	 * the file that it was renamed to or from, or copied from
	 * (ccfc_index_is_taken)
	 */
	uint32_t other_file;
	/*
	 * string: with CCFC_SEEN_IN_DOUBT, the changes that may have made it
	 * instead: ids, each followed by a comma
	 */
	uint32_t rivals;
	/*
	 * For a command: the time of the note of its end. For a shell change:
	 * the earliest time of a call whose text has the file as target. For an
	 * edit without a line: the time of its disk event.
	 */
	int64_t shell_time;
	/*
	 * Of a command: its beginning and end, by marks (command_marks.c);
	 * CCFC_TIME_NONE: not known.
	 */
	int64_t began, ended;
	uint16_t id_len;
	uint16_t part;
	bool settled; /* the fields above are valid */
	bool several; /* the call names several files */
	/* no result will follow, according to a line that was replaced */
	bool closed;
	bool tied;    /* the owner depends on facts about sessions */
	bool touched; /* in this batch */
	bool ordered; /* among the moments of its file (conflict/) */
	bool dirty;
};

/*
 * A user's prompt: it distinguishes a fork from its original session, and is
 * the reason for changes. Only prompts of a person have a place.
 */
struct ccfc_prompt {
	uint64_t uuid; /* hash */
	int64_t time;
	struct ccfc_place place; /* source ID_NONE: the client made it */
	uint32_t session;
	uint32_t next; /* of the session, or ID_NONE */
};

/*
 * Two sessions that contain the same call at the same time: the time at which
 * each has something that the other lacks; INT64_MAX: never.
 */
struct ccfc_tie {
	uint32_t session[2];
	int64_t since[2];
	bool stale[2]; /* `since` must be computed again */
};

/*
 * A backup in a session's file history: one row for each (session, key,
 * version, name). After a rewind a client may use a version number again and
 * overwrite the backup. So of several times the last one counts, the time of
 * the present bytes.
 */
struct ccfc_backup_ref {
	int64_t version;
	int64_t made;	     /* greatest backupTime, or CCFC_TIME_NONE */
	int64_t first, last; /* earliest and latest time of its snapshots */
	uint32_t session;
	uint32_t key;  /* string: path as written */
	uint32_t name; /* string: backup file, 0: there was no file */
	uint32_t next; /* another backup with this key, or ID_NONE */
	/* in a key's first backup: the first one of another key */
	uint32_t next_key;
	uint32_t key_end; /* not stored; see ccfc_index_key_end */
};

/*
 * A session's share in one transcript; its own thread is [0], agents and inline
 * sidechains are [1]. Copies of an agent's records are a separate share, which
 * counts only if the agent has no transcript. Everything except the titles is
 * reset when the transcript is read again.
 */
struct ccfc_session_source {
	int64_t time;	     /* of the last record of its own thread */
	int64_t result_time; /* of the last result there */
	uint32_t source;
	uint32_t session;
	uint32_t next; /* the session's next, or ID_NONE */
	uint32_t gen;  /* of the source */
	uint32_t user[2], assistant[2];
	uint32_t custom, ai; /* strings: its last titles */
	/* string: the agent whose records are copied here; 0: none */
	uint32_t relayed_agent;
	bool asks;    /* the last record asks the user something */
	bool edits;   /* write calls have no result yet */
	bool results; /* the last thing is a result */
	bool error;   /* that result is an error */
	bool dirty;
};

/*
 * A message of the model, as one transcript has it. The first row of a message
 * is its owner's (model_message.c).
 */
struct ccfc_model_message {
	uint64_t id; /* hash */
	int64_t time;
	uint32_t input, output, cache_write, cache_read;
	uint32_t session_source;
	uint32_t next;	/* the same message in another transcript, or ID_NONE */
	uint32_t model; /* string */
	/*
	 * Lines of an agent's transcript, which may begin as a copy of another
	 * one: the message's own lines, and those of the user after them.
	 */
	uint16_t lines, answers;
	uint16_t gen; /* the source's */
	bool agent : 1;
	bool copy : 1; /* it is not the first row */
	bool dirty : 1;
	bool touched : 1; /* of the first row, in this batch */
	uint32_t cost;	  /* as recorded in the message; 0: not recorded */
};
_Static_assert(sizeof(struct ccfc_model_message) == 56, "there are many");

/* A call of any tool. */
struct ccfc_tool_call {
	uint64_t id;	    /* hash */
	uint32_t message;   /* first row of its message, ID_NONE: not known */
	uint32_t tool : 26; /* string */
	uint32_t called : 1;
	/* seen as a write tool's call, or as a kept command */
	uint32_t writes : 1;
	uint32_t other : 1; /* seen as any other call */
	uint32_t ok : 1;    /* there is a result without an error */
	uint32_t error : 1;
	uint32_t dirty : 1;
};
_Static_assert(sizeof(struct ccfc_tool_call) == 16, "there are many");

#define CCFC_CALL_TOOL_MAX ((1u << 26) - 1)

/* A file that a tool call read. */
struct ccfc_read_ref {
	int64_t time; /* the earliest recorded */
	uint32_t call;
	uint32_t file;
	uint32_t next; /* the file's next, or ID_NONE */
};

/*
 * The cost of a session up to a time, as the client recorded it: a running
 * total (cost-state), one row for each model. See running_cost.c.
 */
struct ccfc_running_cost {
	int64_t time; /* of the previous record */
	/* when counting began, which identifies the counter; 0: not recorded */
	int64_t since;
	uint64_t cost; /* in units of 1 / CCFC_COST_DOLLAR dollars */
	uint64_t tokens;
	uint32_t session;
	uint32_t model; /* string; 0: not recorded */
	bool unsure;	/* the client did not know a model's price */
};

/*
 * A file that the client showed to a session without a call, or reported as
 * changed (attachments).
 */
struct ccfc_shown {
	int64_t time;
	uint32_t session;
	uint32_t file;
	uint32_t next; /* the file's next, or ID_NONE */
};

/*
 * X(symbol, number, text). The store has the numbers. The first two are never
 * shown; of the others, a greater number is worse.
 */
#define CCFC_CONFLICT_LIST(X)                                                  \
	X(CCFC_CONFLICT_NONE, 0, "none")                                       \
	X(CCFC_CONFLICT_WAITING, 1, "waiting")                                 \
	X(CCFC_CONFLICT_CONCURRENT, 2, "concurrent")                           \
	X(CCFC_CONFLICT_STALE, 3, "stale")                                     \
	X(CCFC_CONFLICT_LOST_UPDATE, 4, "lost_update")

#define X(sym, num, text) sym = num,
enum ccfc_conflict_kind { CCFC_CONFLICT_LIST(X) };
#undef X
#define CCFC_CONFLICT_COUNT 5

/*
 * A conflict between two sessions that change the same file, or between a
 * session and somebody outside (conflict/). A row is about a change, a pair of
 * sessions, or a session and an edit from outside.
 */
struct ccfc_conflict {
	uint64_t seq; /* of its last event; 0: none yet */
	/* time of the edit from outside; 0: the conflict is between sessions */
	int64_t outside;
	uint32_t file;
	uint32_t change; /* the later change */
	/*
	 * the earlier change, by another session; ID_NONE: an edit from outside
	 */
	uint32_t other;
	uint32_t session[2]; /* of `change` and of `other`; 0: none */
	uint32_t next;	     /* the file's next, or ID_NONE */
	uint8_t kind;	     /* enum ccfc_conflict_kind */
	/* the row is of a pair of sessions; else of a change */
	bool is_pair;
	bool dirty;
};

/* A message of an old client that leads to a summary. */
struct ccfc_leaf {
	uint64_t uuid; /* hash */
	int64_t time;  /* the latest recorded */
	uint32_t session;
	uint32_t next; /* the same leaf in another session, or ID_NONE */
};

struct ccfc_summary {
	uint64_t leaf; /* hash */
	uint32_t text; /* string; of several, the greatest */
};

struct ccfc_session {
	int64_t start, end;
	int64_t project_time, branch_time, model_time;
	int64_t born;	  /* earliest time of a record that forks do not copy */
	uint32_t project; /* strings */
	uint32_t branch;
	uint32_t model;
	struct ccfc_ids branches;
	struct ccfc_ids models;
	struct ccfc_ids pull_requests; /* their addresses */
	/* string: the name that the user gave it */
	uint32_t name;
	struct ccfc_ids tags;  /* given by the user */
	struct ccfc_ids roots; /* directories of its records, and added ones */
	struct ccfc_ids sources;   /* sources with its lines */
	struct ccfc_ids changes;   /* changes that it owns */
	struct ccfc_ids commands;  /* shell commands that it owns */
	uint32_t unknown_commands; /* in an excerpt: see ccfc_query_unknown */
	struct ccfc_ids ties;	   /* its rows of index->ties */
	/* conflicts that wait for a line of this session */
	struct ccfc_ids waiting;
	uint32_t conflicts;	  /* number of its conflicts */
	uint32_t prompts;	  /* the newest, chained by `next` */
	uint32_t backups;	  /* one of each key, chained by `next_key` */
	uint32_t session_sources; /* the newest, chained by `next` */
	/* string: the beginning of its first prompt */
	uint32_t opening;
	uint32_t summary; /* string: the summary of its last leaf */
	int64_t opening_time, summary_time;
	bool project_from_agent;
	bool model_from_agent;
	bool seen;   /* a record named it */
	bool news;   /* in this batch: an earlier birth was read */
	bool turned; /* in this batch: one of its ties changed direction */
	bool dirty;
};

struct ccfc_source {
	uint32_t path;	  /* string */
	uint32_t session; /* according to its name; 0: none */
	uint32_t agent;
	uint32_t gen; /* number of readings from the start */
	/* session of its last line; 0: not known */
	uint32_t last_session;
	uint32_t last_session_source; /* its row; may be out of bounds */
	struct ccfc_cursor cursor;
	/*
	 * How far the store's texts have the messages: up to `cursor`; further
	 * if the same bytes are read again; less if some are missing. And the
	 * gen since which the bytes are the same.
	 */
	struct ccfc_cursor texts;
	uint32_t texts_gen;
	/*
	 * The start of the last turn, in the main thread and in inline
	 * sidechains:
	 */
	uint64_t turn[2];
	uint64_t message[2]; /* the last message, by its id in messages */
	uint64_t lines[CCFC_RECORD_KINDS];
	uint64_t too_long;
	/* lines that were not UTF-8; they also count by kind */
	uint64_t damaged;
	struct ccfc_ids open; /* changes without a result */
	uint32_t aliases;     /* number of its other names; not stored */
	/*
	 * What the archive has, by its last report: the first generation, and
	 * the number of bytes since `kept_since`. Not stored; 0: nothing.
	 */
	uint32_t kept_first, kept_since;
	uint64_t kept_end;
	uint8_t kept_owner; /* enum ccfc_owner when it was archived */
	bool is_agent;
	bool gone;
	bool touched;
	bool dirty;
};

/* Another name of a source, with what the name says, as strings. */
struct ccfc_alias {
	uint32_t path, session, agent;
	uint32_t source; /* CCFC_ID_NONE: it no longer leads to a source */
	bool is_agent;
};

/* A result without a known call. */
struct ccfc_orphan {
	const char *id;
	struct ccfc_outcome result;
	uint16_t id_len;
	bool taken;
};

/*
 * The beginning and end of a command whose line has not been read yet
 * (command_marks.c).
 */
struct ccfc_mark {
	int64_t began, ended; /* CCFC_TIME_NONE: not known */
	uint32_t call;	      /* string: its tool_use id */
	uint32_t session;     /* string: the session's id */
	bool taken;	      /* its line was read: to be removed */
};

/* One side of a disk event. */
enum ccfc_disk_state {
	CCFC_DISK_UNKNOWN,
	CCFC_DISK_ABSENT,
	CCFC_DISK_THERE,
};

/*
 * A change of a file on disk, by anybody. Its key is the file, the time and
 * `since`. No transcript has it, so nothing can restore it.
 */
struct ccfc_disk_event {
	/*
	 * the change had begun by then; a little after `time` if the file's own
	 * time is a tick early
	 */
	int64_t since;
	int64_t time; /* the last change */
	int64_t held; /* until then the file was certainly as `before` */
	int64_t before_mtime, after_mtime;
	uint64_t before_size, after_size;
	uint32_t file;
	/* strings: SHA-256 in hex of the kept content; 0: not kept */
	uint32_t before_key, after_key;
	/* the process that replaced the file as clients do; 0: none */
	uint32_t client;
	uint32_t by;   /* string: the id of that client's session; 0: not
			* known */
	uint32_t next; /* the file's previous event, or ID_NONE */
	uint8_t before, after; /* enum ccfc_disk_state */
	bool gone;	       /* too old: to be removed from the store */
	/* its client has ended, and its transcripts were read since */
	bool ended;
	/* `time` is the file's own; else the time of the sighting */
	bool own;
	/* in an excerpt: the next event begins with this one's result */
	bool holds;
};

/* In an excerpt: the effect of a change on its file, by the disk events. */
struct ccfc_disk_effect {
	int64_t since, time, held; /* as in struct ccfc_disk_event */
	uint32_t change;
	uint32_t before_key, after_key; /* strings; 0: not kept */
	uint8_t before, after;		/* enum ccfc_disk_state */
};

/* In an excerpt: another call that may have made an ambiguous change. */
struct ccfc_rival {
	uint32_t change, rival;
};

/* An unknown type of records, and how often it occurred. */
struct ccfc_unknown_type {
	uint32_t type; /* string */
	uint64_t n;
};

struct ccfc_event {
	uint64_t seq;
	uint32_t change; /* or a conflict */
	/* the previous owner, or 0; ID_NONE: `change` is a conflict */
	uint32_t previous;
};

static inline bool ccfc_event_is_conflict(const struct ccfc_event *event)
{
	return event->previous == CCFC_ID_NONE;
}

/* Files that several sessions changed; see conflict/contest.h. */
struct ccfc_contests {
	struct ccfc_contest *items;
	uint32_t n, cap;
	/* by file: its contest, or why it has none; contest.c */
	struct ccfc_ids of_file;
	struct ccfc_ids touched; /* contests to judge, in this batch */
	struct ccfc_ids anew;	 /* conflicts to judge again */
	struct ccfc_ids outside; /* files to check for edits from outside */
	struct ccfc_ids marks;	 /* changes whose `conflict` must be set */
	/* by file (may be shorter): one of its conflicts, or ID_NONE */
	struct ccfc_ids rows;
};

/* An event of a client whose line may still arrive. */
struct ccfc_unclaimed {
	/* after a line of the session later than this, no line will follow */
	int64_t due;
	uint32_t file;
	uint32_t by; /* as in struct ccfc_disk_event, both */
	uint32_t client;
};

/* Edits of clients without a line; see disk/witness.c. Not stored. */
struct ccfc_witness {
	struct {
		struct ccfc_unclaimed *items;
		uint32_t n, cap;
	} waiting;
	struct ccfc_ids touched; /* files to judge, in this batch */
};

/* Files whose observed changes must be judged again; disk/disk_doubt.c. */
struct ccfc_doubts {
	struct ccfc_ids touched; /* in this batch */
	/* by file (may be shorter): 1: it is in `touched` */
	struct ccfc_ids marks;
};

struct ccfc_index {
	struct ccfc_strtab strings;	/* models, branches, cwds, tools, … */
	struct ccfc_strtab session_ids; /* id there == index in sessions */
	struct ccfc_strtab file_paths;	/* id there == index in files */
#define TABLE(rows, row, marks, first) CCFC_TABLE_OF(row) rows;
#include "index/tables.def"
	struct ccfc_ids file_reads; /* by file: one of its reads, or ID_NONE */
	/* by file (may be shorter): its last disk event, or ID_NONE */
	struct ccfc_ids file_events;
	uint32_t events_gone; /* disk events that are `gone` */
	/* by file (may be shorter): one of its rows of `shown` */
	struct ccfc_ids file_shown;
	struct ccfc_contests contests; /* conflict/; not stored */
	struct ccfc_witness witness;
	struct ccfc_doubts doubts;
	struct ccfc_map backup_keys; /* the first backup of each key */
	uint32_t orphans_taken;	     /* orphans that are `taken` */
	uint32_t marks_taken;	     /* marks that are `taken` */
	/* a sum over the times of commands that are known by marks */
	uint64_t marked;
	bool unknown_types_dirty;
	struct ccfc_arena ids; /* change and orphan ids */
	struct ccfc_ids tied;
	struct ccfc_ids shared; /* messages that several transcripts have */
	struct ccfc_ids touched_messages;
	uint32_t sidechain; /* string: the agent without a transcript */
	struct ccfc_ids touched_changes, touched_sources;
	struct {
		struct ccfc_event *items;
		uint32_t n, cap;
	} events; /* of this batch */
	struct {
		struct ccfc_event *items;
		uint32_t n, cap;
	} log; /* all events by seq; outdated if the change has a later event */
	struct {
		struct ccfc_rival *items; /* by change */
		uint32_t n, cap;
	} rivals;
	struct {
		struct ccfc_disk_effect *items; /* by change */
		uint32_t n, cap;
	} effects_seen;
	uint64_t epoch;
	uint64_t seq;
	/*
	 * Increases with every change that may affect an answer; not stored.
	 * While it stays the same, pointers into the arrays are valid.
	 */
	uint64_t revision;
	uint64_t by_state[CCFC_STATE_COUNT];
	int64_t latest; /* end of the session that was active last */
	struct ccfc_buf scratch;
	struct ccfc_shell_effects effects; /* of the current command */
	struct ccfc_gap_marks *gap_marks;  /* NULL: no marks are kept */
	char *home;			   /* for "~", may be NULL */
};

/*
 * `home` replaces "~" in a path of a call if the record's cwd does not show it.
 */
struct ccfc_index *ccfc_index_new(const char *home);
void ccfc_index_free(struct ccfc_index *index);

/* --- sources --- */

/* The source at `path`, added if it is new. */
uint32_t ccfc_index_source(struct ccfc_index *index, struct ccfc_slice path,
			   const struct ccfc_name *name);
/* CCFC_ID_NONE when there is none. */
uint32_t ccfc_index_source_find(const struct ccfc_index *index,
				struct ccfc_slice path);
/* The file was renamed: same bytes, same cursor, new path. */
void ccfc_index_source_move(struct ccfc_index *index, uint32_t source,
			    struct ccfc_slice path,
			    const struct ccfc_name *name);
/* It will be read again from its start; earlier facts stay. */
void ccfc_index_source_reset(struct ccfc_index *index, uint32_t source);
void ccfc_index_source_gone(struct ccfc_index *index, uint32_t source,
			    bool gone);
/* The tail has moved the cursor. */
void ccfc_index_source_touch(struct ccfc_index *index, uint32_t source);

/* --- further names of sources (names.c) --- */

/* `path` leads to this source too, and no longer to another one. */
void ccfc_index_alias_put(struct ccfc_index *index, uint32_t source,
			  struct ccfc_slice path, const struct ccfc_name *name);
void ccfc_index_alias_drop(struct ccfc_index *index, struct ccfc_slice path);
/* The source with the other name `path`, or CCFC_ID_NONE. */
uint32_t ccfc_index_alias_find(const struct ccfc_index *index,
			       struct ccfc_slice path);
/*
 * The source that `path` leads to, by any of its names. Other names are checked
 * first: if the path of a source has become another source's name, the first
 * source is gone.
 */
uint32_t ccfc_index_source_named(const struct ccfc_index *index,
				 struct ccfc_slice path);
/* The next of a source's other names, from *at (first 0) on, or NULL. */
const struct ccfc_alias *ccfc_index_alias_next(const struct ccfc_index *index,
					       uint32_t source, uint32_t *at);
/* Slices of the answer are strings of the index. */
struct ccfc_name ccfc_index_alias_name(const struct ccfc_index *index,
				       const struct ccfc_alias *alias);

/* --- a batch --- */

void ccfc_index_apply(struct ccfc_index *index, uint32_t source,
		      const struct ccfc_record *record, uint64_t offset,
		      size_t len);
/* A line that was too long to read. */
void ccfc_index_too_long(struct ccfc_index *index, uint32_t source);
void ccfc_index_settle(struct ccfc_index *index);
/* Marks everything dirty: the store has lost its rows. */
void ccfc_index_mark_all(struct ccfc_index *index);
/* The store has written the dirty rows. */
void ccfc_index_stored(struct ccfc_index *index);
/* The events have been sent. */
void ccfc_index_published(struct ccfc_index *index);

/* Earlier clocks are no longer comparable; no epoch is ever used twice. */
void ccfc_index_new_epoch(struct ccfc_index *index);

/* --- what was seen on disk (disk/disk_event.c) --- */

/*
 * Adds an event; sets its `next`. If there are too many, the oldest ones are
 * removed. It is stored with the next batch.
 */
void ccfc_index_note_disk_event(struct ccfc_index *index,
				const struct ccfc_disk_event *event);
/*
 * The same for an event seen on another machine. A known event is not added
 * again; it only gets the session of its client, and whether the client has
 * ended.
 */
void ccfc_index_see_imported(struct ccfc_index *index,
			     const struct ccfc_disk_event *event);
/*
 * The client of a session has ended, and all its lines are read: its observed
 * edits without a line become changes of the session at the next settle.
 */
void ccfc_index_client_ended(struct ccfc_index *index,
			     struct ccfc_slice session, uint32_t client);
/* The last event of the file; CCFC_ID_NONE: there is none. */
uint32_t ccfc_index_last_seen(const struct ccfc_index *index, uint32_t file);

/*
 * The effect of a change; false: it was not seen. Does not set `out->change`.
 */
bool ccfc_index_effect(struct ccfc_disk_effect *out,
		       const struct ccfc_index *index,
		       const struct ccfc_change *change);
/* In an excerpt: the effect of a change as it was seen; NULL: it was not. */
const struct ccfc_disk_effect *
ccfc_index_find_effect(const struct ccfc_index *index, uint32_t change);

/* --- marks (command_marks.c) --- */

/*
 * The exact time at which the command of a call began or ended; CCFC_TIME_NONE:
 * not reported. False: the call is not a kept command's, or too many marks
 * wait. It is stored with the next batch.
 */
bool ccfc_index_mark(struct ccfc_index *index, struct ccfc_slice session,
		     struct ccfc_slice call, int64_t began, int64_t ended);

/* --- conflicts --- */

/* "stale" for CCFC_CONFLICT_STALE. */
const char *ccfc_conflict_text(int kind);

/* Is it shown to readers? */
static inline bool ccfc_conflict_is_seen(const struct ccfc_conflict *conflict)
{
	return conflict->kind >= CCFC_CONFLICT_CONCURRENT;
}

/* --- names of things --- */

static inline struct ccfc_slice ccfc_index_str(const struct ccfc_index *index,
					       uint32_t id)
{
	return ccfc_strtab_get(&index->strings, id);
}

static inline struct ccfc_slice
ccfc_index_session_id(const struct ccfc_index *index, uint32_t session)
{
	return ccfc_strtab_get(&index->session_ids, session);
}

static inline struct ccfc_slice
ccfc_index_file_path(const struct ccfc_index *index, uint32_t file)
{
	return ccfc_strtab_get(&index->file_paths, file);
}

/*
 * Appends the normal form of a record's path, relative to that record's `cwd`,
 * as its client (`version`) resolved it. False: not known.
 */
bool ccfc_index_path(struct ccfc_buf *out, const struct ccfc_index *index,
		     struct ccfc_slice path, struct ccfc_slice cwd,
		     struct ccfc_slice version);

/* The tool that made a change: the call's name, else the inferred one. */
struct ccfc_slice ccfc_index_tool(const struct ccfc_index *index,
				  const struct ccfc_change *change);

static inline bool ccfc_index_is_command(const struct ccfc_change *change)
{
	return change->shell & CCFC_SHELL_IS_COMMAND;
}

/*
 * Is it an inferred change of a command (inferred_change.c)? It is not a step
 * of a chain, and not evidence for anything else.
 */
static inline bool ccfc_index_is_inferred(const struct ccfc_change *change)
{
	return (change->shell & (CCFC_SHELL_IS_COMMAND | CCFC_SHELL_PARSED |
				 CCFC_SHELL_RECORDED | CCFC_SHELL_OBSERVED |
				 CCFC_SHELL_INFERRED)) == CCFC_SHELL_INFERRED;
}

/*
 * Was the change only seen on disk, made by a client, without a result in a
 * line (disk/witness.c)? Its call may be known or not.
 */
static inline bool ccfc_index_is_witnessed(const struct ccfc_change *change)
{
	return (change->shell & ~CCFC_SHELL_NOBODYS) == CCFC_SHELL_OBSERVED &&
	       change->command == CCFC_ID_NONE;
}

/* Is it a shell command, or a shell change? */
static inline bool ccfc_index_is_shells(const struct ccfc_change *change)
{
	return change->shell && !ccfc_index_is_witnessed(change);
}

/* Appends the id of a command's change of that file. */
void ccfc_index_shell_id(struct ccfc_buf *out,
			 const struct ccfc_change *command,
			 struct ccfc_slice path);

/* The operation on the file. */
enum ccfc_op ccfc_index_op(const struct ccfc_change *change);
/* Did a command move or copy `other_file` there, by "mv" or "cp"? */
bool ccfc_index_is_taken(const struct ccfc_change *change);

/* The command of a shell change; NULL for any other change. */
const struct ccfc_change *ccfc_index_command(const struct ccfc_index *index,
					     const struct ccfc_change *change);

/*
 * May the command have changed files that nothing names? It ran, and neither
 * its text nor its result shows all its effects.
 */
bool ccfc_index_is_unknown(const struct ccfc_change *command);

/* The id of the call that made a change, without the number of the part. */
struct ccfc_slice ccfc_index_call_id(const struct ccfc_change *change);

/* The time of the call, else of the result, else of the sighting on disk. */
int64_t ccfc_index_time(const struct ccfc_change *change);

/* Agent of the owner's observation; 0: the session itself. */
uint32_t ccfc_index_agent(const struct ccfc_change *change);

/* Lines added and removed, CCFC_LINES_UNKNOWN where not known. */
void ccfc_index_lines(const struct ccfc_change *change, int32_t *added,
		      int32_t *removed);

/* "" or the UUID of the message that holds the call; `out` has 64 bytes. */
struct ccfc_slice ccfc_index_uuid(const struct ccfc_index *index,
				  const struct ccfc_observation *obs,
				  char *out);

/* The bytes of a canonical UUID; false if the text is not one. */
bool ccfc_uuid_read(struct ccfc_uuid *out, struct ccfc_slice text);

/*
 * The time of the earliest prompt of a session that the other session lacks;
 * for a fork, when it was forked. INT64_MAX: there is none.
 */
int64_t ccfc_index_own_since(const struct ccfc_index *index, uint32_t session,
			     uint32_t other);

/* Are the lines of this place still in a transcript? */
bool ccfc_index_place_present(const struct ccfc_index *index,
			      const struct ccfc_place *place);

/* --- what can be read again --- */

/* Where lines are; greater is better. */
enum ccfc_where {
	CCFC_WHERE_GONE,
	CCFC_WHERE_ARCHIVED, /* in the archive only */
	CCFC_WHERE_PRESENT,  /* in a transcript */
};

/* All lines of a source. */
enum ccfc_where ccfc_source_where(const struct ccfc_source *source);
enum ccfc_where ccfc_index_place_where(const struct ccfc_index *index,
				       const struct ccfc_place *place);
/*
 * The generation to read from the archive: CCFC_ATTIC_LAST, or that of a place
 * whose bytes the transcript no longer has.
 */
uint32_t ccfc_index_place_gen(const struct ccfc_index *index,
			      const struct ccfc_place *place);
/*
 * The same for a text of the store. The texts are not read again if the same
 * bytes are read again.
 */
enum ccfc_where ccfc_index_text_where(const struct ccfc_index *index,
				      uint32_t source, uint32_t gen);
/* The best over the session's transcripts. */
enum ccfc_where ccfc_index_session_where(const struct ccfc_index *index,
					 uint32_t session);

/*
 * The name and tags that the user gave to a session: its name (empty: none),
 * and whether it has a tag, a text without newlines (label.c). The store writes
 * them.
 */
void ccfc_index_name_session(struct ccfc_index *index, uint32_t session,
			     struct ccfc_slice name);
void ccfc_index_tag_session(struct ccfc_index *index, uint32_t session,
			    struct ccfc_slice tag, bool has);

#endif
