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
	uint32_t gen; /* the source's, when the line was seen */
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
	uint32_t agent; /* strings */
	uint32_t model;
	uint32_t version;
	uint32_t tool;
	uint32_t file;
	int32_t added;
	int32_t removed;
	uint32_t next; /* further observation of the change, or ID_NONE */
	bool known;    /* a call was seen */
	bool sidechain;
	bool told;	/* by the session that started the agent */
	bool swallowed; /* a compaction followed at once: its result was lost
			 * with what was before */
	bool uuid_is_text;
};

/* The sources of a result, the best first. */
enum ccfc_told_by {
	CCFC_TOLD_BY_RESULT,
	CCFC_TOLD_BY_PARENT, /* the progress of an agent */
	CCFC_TOLD_BY_HOOK,   /* that runs after success */
};

/* The best result seen for a change. */
struct ccfc_outcome {
	int64_t time;
	uint64_t original; /* hash of what it found in the file; 0: not known */
	struct ccfc_place place;
	uint32_t session;
	uint32_t agent;
	uint32_t tool; /* inferred; 0: the call's */
	uint32_t file; /* 0: the call's */
	int32_t added;
	int32_t removed;
	uint8_t state;
	uint8_t op;
	uint8_t run; /* of a command: enum ccfc_run_flag */
	uint8_t by;  /* enum ccfc_told_by */
	bool known;  /* there is a result */
	bool detail;
};

/*
 * A shell command is a change row without a file: the changes of files by the
 * command refer to it, and it is in no list of changes. A shell change is a row
 * for one file of a command (shell_command.c).
 */
enum ccfc_shell_bit {
	CCFC_SHELL_IS_COMMAND = 1,
	/* Of a shell change: */
	CCFC_SHELL_PARSED = 2,	 /* the command's text has the file as target */
	CCFC_SHELL_RECORDED = 4, /* the command's result names the file */
	CCFC_SHELL_NOBODYS =
		32, /* only a copy of the call names it: not seen */
	CCFC_SHELL_INFERRED = 64, /* the file's contents tell of it */
	CCFC_SHELL_OBSERVED =
		128, /* it changed on disk while the command ran; without a
		      * command: a client was seen to make it */
	/* Of a command: */
	CCFC_SHELL_TELLS = 64, /* contents of files may tell what it did: its
				* text has texts for files, or git brings
				* states back */
	CCFC_SHELL_UNSURE = 8, /* it may change files that its text does not
				* surely say it changes */
	CCFC_SHELL_CUT = 16,   /* `text` is not all of it */
};

/*
 * For an observed shell change: can only its command have made it? C code
 * computes this for each question (query/proof.c). The stored answer is for
 * programs that read the store; disk/disk_doubt.c keeps it up to date. Numbers
 * are kept in the store.
 */
enum ccfc_seen {
	CCFC_SEEN_UNKNOWN, /* not seen, or not asked yet */
	CCFC_SEEN_SURE,
	CCFC_SEEN_IN_DOUBT,
};

/* One tool call's effect on one file. */
struct ccfc_change {
	const char *id; /* tool_use id, with "#2" … for further files, or with
			 * a hash of the path for a file of a command */
	uint64_t seq;	/* of its last event; 0: none yet */
	struct ccfc_observation call; /* the owner's */
	struct ccfc_outcome result;
	/* What a reader sees, computed by ccfc_index_settle: */
	uint32_t file;
	uint32_t session; /* the owner */
	uint8_t state;
	uint8_t shell;	     /* enum ccfc_shell_bit; 0: not a shell's */
	uint8_t target_op;   /* what a command's text says of the file */
	uint8_t conflict;    /* enum ccfc_conflict_kind, as a reader sees it */
	uint8_t judged;	     /* in an excerpt: enum ccfc_proof + 1 */
	uint8_t seen;	     /* enum ccfc_seen; for the store */
	bool alone;	     /* in an excerpt: ccfc_query_is_alone; only where
			      * no result shows its lines */
	uint32_t text;	     /* of a command: string, shortened */
	uint32_t command;    /* of a shell change: its command, or ID_NONE */
	uint32_t next_file;  /* further change of the command, or ID_NONE; of a
			      * command the newest */
	uint32_t other_file; /* that this one was renamed to or from, or is a
			      * copy of (ccfc_index_is_taken) */
	uint32_t rivals;     /* string: whose else it may be, where `seen` is
			      * CCFC_SEEN_IN_DOUBT: ids, a comma behind each */
	/*
	 * For a command: the time of the note of its end. For a shell change:
	 * the least time of a call whose text has the file as target. For an
	 * edit without a line: the time of its disk event.
	 */
	int64_t shell_time;
	/* Of a command: when it began and ended, by marks (command_marks.c);
	 * CCFC_TIME_NONE: not known. */
	int64_t began, ended;
	uint16_t id_len;
	uint16_t part;
	bool settled; /* the fields above are valid */
	bool several; /* the call names several files */
	bool closed;  /* no result will come, by a line that was replaced */
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
 * Two sessions that show the same call at the same time: the time at which each
 * has something that the other does not have; INT64_MAX: never.
 */
struct ccfc_tie {
	uint32_t session[2];
	int64_t since[2];
	bool stale[2]; /* `since` wants looking for anew */
};

/*
 * A backup in a session's file history. There is one for each (session, key,
 * version, name). After a rewind a client may use a version number again and
 * overwrite the copy: so of several times the last one counts, which is that of
 * the bytes.
 */
struct ccfc_backup_ref {
	int64_t version;
	int64_t made;	     /* greatest backupTime, or none was said */
	int64_t first, last; /* least and greatest time of its snapshots */
	uint32_t session;
	uint32_t key;	   /* string: path as written */
	uint32_t name;	   /* string: backup file, 0: there was no file */
	uint32_t next;	   /* further one of the key, or ID_NONE */
	uint32_t next_key; /* of a key's first: that of another key */
	uint32_t key_end;  /* not stored; see ccfc_index_key_end */
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
	uint32_t next; /* of the session, or ID_NONE */
	uint32_t gen;  /* the source's */
	uint32_t user[2], assistant[2];
	uint32_t custom, ai; /* strings: its last titles */
	uint32_t told;	     /* string: the agent that it tells of; 0: none */
	bool asks;	     /* the last record asks the user */
	bool edits;	     /* calls that write have no result yet */
	bool results;	     /* there is a result */
	bool error;	     /* and it is an error */
	bool dirty;
};

/*
 * A message of the model, as one transcript shows it; the first one of a
 * message is its owner's (model_message.c).
 */
struct ccfc_model_message {
	uint64_t id; /* hash */
	int64_t time;
	uint32_t input, output, cache_write, cache_read;
	uint32_t session_source;
	uint32_t next;	/* further transcript that shows it, or ID_NONE */
	uint32_t model; /* string */
	/*
	 * Lines of an agent's transcript, which may begin as a copy of another
	 * one: the message's own lines, and those of the user after them.
	 */
	uint16_t lines, answers;
	uint16_t gen; /* the source's */
	bool agent : 1;
	bool copy : 1; /* it is not the first one */
	bool dirty : 1;
	bool touched : 1; /* of the first one, in this batch */
	uint32_t cost;	  /* as recorded with it; 0: not said */
};
_Static_assert(sizeof(struct ccfc_model_message) == 56, "there are many");

/* A call of any tool. */
struct ccfc_tool_call {
	uint64_t id;	    /* hash */
	uint32_t message;   /* its first row, ID_NONE: not known */
	uint32_t tool : 26; /* string */
	uint32_t called : 1;
	uint32_t writes : 1; /* called as a write tool, or as a command that
			      * is kept */
	uint32_t other : 1;  /* called as any other */
	uint32_t ok : 1;     /* there is a result that is none of an error */
	uint32_t error : 1;
	uint32_t dirty : 1;
};
_Static_assert(sizeof(struct ccfc_tool_call) == 16, "there are many");

#define CCFC_CALL_TOOL_MAX ((1u << 26) - 1)

/* A file that a tool call read. */
struct ccfc_read_ref {
	int64_t time; /* the least that was said */
	uint32_t call;
	uint32_t file;
	uint32_t next; /* of the file, or ID_NONE */
};

/*
 * The cost of a session up to that time, as the client recorded it: a running
 * total (cost-state), one row for each model. See running_cost.c.
 */
struct ccfc_running_cost {
	int64_t time;  /* of the record in front */
	int64_t since; /* when counting began, 0: not said; names the counter */
	uint64_t cost; /* CCFC_COST_DOLLAR is one */
	uint64_t tokens;
	uint32_t session;
	uint32_t model; /* string; 0: not said */
	bool unsure;	/* the client did not know a model's price */
};

/*
 * A file that the client showed to a session, or whose change it reported,
 * without a call (attachments).
 */
struct ccfc_shown {
	int64_t time;
	uint32_t session;
	uint32_t file;
	uint32_t next; /* of the file, or ID_NONE */
};

/*
 * X(symbol, number, text). Numbers are kept in the store. The first two are not
 * shown to anybody; of the others the worse is the greater.
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
	uint64_t seq;	 /* of its last event; 0: none yet */
	int64_t outside; /* the time of the edit from outside; 0: there is none,
			  * it is between sessions */
	uint32_t file;
	uint32_t change;     /* the one that made it a conflict */
	uint32_t other;	     /* the earlier one, of another session; ID_NONE:
			      * somebody outside */
	uint32_t session[2]; /* of `change` and of `other`; 0: none */
	uint32_t next;	     /* of the file, or ID_NONE */
	uint8_t kind;	     /* enum ccfc_conflict_kind */
	bool is_pair;	     /* else it is the change's own */
	bool dirty;
};

/* A message of an old client that leads to a summary. */
struct ccfc_leaf {
	uint64_t uuid; /* hash */
	int64_t time;  /* the greatest that was said */
	uint32_t session;
	uint32_t next; /* the same in another session, or ID_NONE */
};

struct ccfc_summary {
	uint64_t leaf; /* hash */
	uint32_t text; /* string; the greatest of several */
};

struct ccfc_session {
	int64_t start, end;
	int64_t project_time, branch_time, model_time;
	int64_t born;	  /* least time of a record that forks do not copy */
	uint32_t project; /* strings */
	uint32_t branch;
	uint32_t model;
	struct ccfc_ids branches;
	struct ccfc_ids models;
	struct ccfc_ids pull_requests; /* their addresses */
	uint32_t name;		       /* string: as the user calls it */
	struct ccfc_ids tags;	       /* words of the user */
	struct ccfc_ids roots; /* directories of its records, and added ones */
	struct ccfc_ids sources;   /* whose lines name it */
	struct ccfc_ids changes;   /* that it owns */
	struct ccfc_ids commands;  /* of shells, that it owns */
	uint32_t unknown_commands; /* in an excerpt: see ccfc_query_unknown */
	struct ccfc_ids ties;	   /* of index->ties, that it is part of */
	struct ccfc_ids waiting;   /* conflicts that wait for a line of it */
	uint32_t conflicts;	   /* that it is part of */
	uint32_t prompts;	   /* the newest, chained by `next` */
	uint32_t backups;	   /* one of each key, chained by `next_key` */
	uint32_t session_sources;  /* the newest, chained by `next` */
	uint32_t opening;	   /* string: how its first prompt begins */
	uint32_t summary;	   /* string: that of its last leaf */
	int64_t opening_time, summary_time;
	bool project_from_agent;
	bool model_from_agent;
	bool seen;   /* a record named it */
	bool news;   /* in this batch: it was born earlier */
	bool turned; /* in this batch: one of its ties has */
	bool dirty;
};

struct ccfc_source {
	uint32_t path;	  /* string */
	uint32_t session; /* by its name; 0: none */
	uint32_t agent;
	uint32_t gen;		      /* how often it was read anew */
	uint32_t last_session;	      /* of its last line; 0: not known */
	uint32_t last_session_source; /* as above; may be out of bounds */
	struct ccfc_cursor cursor;
	/*
	 * How far the messages are in the store's texts: up to `cursor`, or
	 * further if the same bytes are read again, or less if some are
	 * missing. And the gen since which the bytes are the same.
	 */
	struct ccfc_cursor texts;
	uint32_t texts_gen;
	/* Start of the last turn, main thread and inline sidechains: */
	uint64_t turn[2];
	uint64_t message[2]; /* the last message, as rows of messages have it */
	uint64_t lines[CCFC_RECORD_KINDS];
	uint64_t too_long;
	uint64_t damaged; /* lines that were not UTF-8; of their own kind too */
	struct ccfc_ids open; /* changes without a result */
	uint32_t aliases;     /* further names it has now; not stored */
	/*
	 * What the archive has, by its last report: the first generation, and
	 * the number of bytes since `kept_since`. Not stored; 0: nothing.
	 */
	uint32_t kept_first, kept_since;
	uint64_t kept_end;
	uint8_t kept_owner; /* enum ccfc_owner, as it was */
	bool is_agent;
	bool gone;
	bool touched;
	bool dirty;
};

/* A further name of a source; what the name says, as strings. */
struct ccfc_alias {
	uint32_t path, session, agent;
	uint32_t source; /* CCFC_ID_NONE: it leads nowhere now */
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
 * When a command began and ended, if its line has not arrived yet
 * (command_marks.c).
 */
struct ccfc_mark {
	int64_t began, ended; /* CCFC_TIME_NONE: not known */
	uint32_t call;	      /* strings: its tool_use id … */
	uint32_t session;     /* … and the session's id */
	bool taken;	      /* its line has come: to be removed */
};

/* One side of a disk event. */
enum ccfc_disk_state {
	CCFC_DISK_UNKNOWN,
	CCFC_DISK_ABSENT,
	CCFC_DISK_THERE,
};

/*
 * A change of a file on disk, by whomever. Its key is the file, the time and
 * `since`. It is in no transcript: nothing can restore it.
 */
struct ccfc_disk_event {
	int64_t since; /* by then it had begun to change; a little after `time`
			* where the file's own time is a tick early */
	int64_t time;  /* when it changed last */
	int64_t held;  /* it was surely as `before` until then */
	int64_t before_mtime, after_mtime;
	uint64_t before_size, after_size;
	uint32_t file;
	uint32_t before_key, after_key; /* strings: SHA-256 in hex of content
					 * that was kept; 0: none was */
	uint32_t client; /* process that replaced it as clients do; 0: none */
	uint32_t by;	 /* string: the id of that client's session; 0: not
			  * known */
	uint32_t next;	 /* the one before of the file, or ID_NONE */
	uint8_t before, after; /* enum ccfc_disk_state */
	bool gone;	       /* too old: to be removed from the store */
	bool ended; /* its client has, and its transcripts were read since */
	bool own;   /* `time` is the file's own; else when it was noticed */
	bool holds; /* in an excerpt: the next one began where it ended */
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

/* A type of records that we do not know, and how often it occurred. */
struct ccfc_unknown_type {
	uint32_t type; /* string */
	uint64_t n;
};

struct ccfc_event {
	uint64_t seq;
	uint32_t change;   /* or a conflict */
	uint32_t previous; /* session that owned it before, or 0; ID_NONE: it
			    * is a conflict's */
};

static inline bool ccfc_event_is_conflict(const struct ccfc_event *event)
{
	return event->previous == CCFC_ID_NONE;
}

/* Files that several sessions changed; see conflict/contest.h. */
struct ccfc_contests {
	struct ccfc_contest *items;
	uint32_t n, cap;
	struct ccfc_ids of_file; /* what is known of each file; contest.c */
	struct ccfc_ids touched; /* those to be judged, in this batch */
	struct ccfc_ids anew;	 /* conflicts to be looked at, too */
	struct ccfc_ids outside; /* files that somebody outside may have been
				  * in, to be judged */
	struct ccfc_ids marks;	 /* changes whose `conflict` is to be set */
	struct ccfc_ids rows;	 /* by file, as far as it goes: one of its
				  * conflicts, or ID_NONE */
};

/* An event of a client whose line may still arrive. */
struct ccfc_unclaimed {
	int64_t due; /* a later line of the session: none will come */
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
	struct ccfc_ids touched; /* files to be judged, in this batch */
};

/* Files whose observed changes are to be judged again; disk/disk_doubt.c. */
struct ccfc_doubts {
	struct ccfc_ids touched; /* in this batch */
	struct ccfc_ids marks;	 /* by file, as far as it goes: 1: it is */
};

struct ccfc_index {
	struct ccfc_strtab strings;	/* models, branches, cwds, tools, … */
	struct ccfc_strtab session_ids; /* id there == index in sessions */
	struct ccfc_strtab file_paths;	/* id there == index in files */
#define TABLE(rows, row, marks, first) CCFC_TABLE_OF(row) rows;
#include "index/tables.def"
	struct ccfc_ids file_reads;  /* by file: one of its looks, or ID_NONE */
	struct ccfc_ids file_events; /* by file, as far as it goes: its last
				      * disk event, or ID_NONE */
	uint32_t events_gone;	     /* disk events that are */
	struct ccfc_ids file_shown;  /* the same of what was shown */
	struct ccfc_contests contests; /* conflict/; not stored */
	struct ccfc_witness witness;
	struct ccfc_doubts doubts;
	struct ccfc_map backup_keys; /* the first backup of each key */
	uint32_t orphans_taken;	     /* how many of them are */
	uint32_t marks_taken;	     /* the same */
	uint64_t marked; /* a sum of the moments that commands have by marks */
	bool unknown_types_dirty;
	struct ccfc_arena ids; /* change and orphan ids */
	struct ccfc_ids tied;
	struct ccfc_ids shared; /* says that several transcripts show */
	struct ccfc_ids touched_messages;
	uint32_t sidechain; /* string: the agent that has no file */
	struct ccfc_ids touched_changes, touched_sources;
	struct {
		struct ccfc_event *items;
		uint32_t n, cap;
	} events; /* of this batch */
	struct {
		struct ccfc_event *items;
		uint32_t n, cap;
	} log; /* all events by seq; stale where the change has a later one */
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
	 * Grows with every change that could affect an answer; not stored.
	 * While it is the same, pointers into the arrays stay valid.
	 */
	uint64_t revision;
	uint64_t by_state[CCFC_STATE_COUNT];
	int64_t latest; /* end of the session that was active last */
	struct ccfc_buf scratch;
	struct ccfc_shell_effects effects; /* of the command being read */
	struct ccfc_gap_marks *gap_marks;  /* NULL: nobody asks for them */
	char *home;			   /* for "~", may be NULL */
};

/*
 * `home` replaces "~" in a path of a call if the record's cwd does not show it.
 */
struct ccfc_index *ccfc_index_new(const char *home);
void ccfc_index_free(struct ccfc_index *index);

/* --- sources --- */

/* The source at `path`, made if it is new. */
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
/* The cursor was moved by the tail. */
void ccfc_index_source_touch(struct ccfc_index *index, uint32_t source);

/* --- further names of sources (names.c) --- */

/* `path` leads to the source as well; it no longer leads to another one. */
void ccfc_index_alias_put(struct ccfc_index *index, uint32_t source,
			  struct ccfc_slice path, const struct ccfc_name *name);
void ccfc_index_alias_drop(struct ccfc_index *index, struct ccfc_slice path);
/* The source that `path` is a further name of, or CCFC_ID_NONE. */
uint32_t ccfc_index_alias_find(const struct ccfc_index *index,
			       struct ccfc_slice path);
/*
 * The source that `path` leads to, by any of its names. A further name comes
 * first: if the path of a source has become one, that source is gone.
 */
uint32_t ccfc_index_source_named(const struct ccfc_index *index,
				 struct ccfc_slice path);
/* The next of a source's further names, from *at (0 first) on, or NULL. */
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
 * Adds an event, whose `next` is set. Where there are very many, the oldest
 * ones go. It is stored with the next batch.
 */
void ccfc_index_see(struct ccfc_index *index,
		    const struct ccfc_disk_event *event);
/*
 * The same of an event that another machine has seen. One that is known is not
 * added again; it learns whose client it was of, and that the client has ended.
 */
void ccfc_index_see_imported(struct ccfc_index *index,
			     const struct ccfc_disk_event *event);
/*
 * The client of a session has ended, and all its lines are read: its observed
 * edits without a line are changes of the session. The next settle makes them.
 */
void ccfc_index_client_ended(struct ccfc_index *index,
			     struct ccfc_slice session, uint32_t client);
/* The last one of the file, CCFC_ID_NONE: there is none. */
uint32_t ccfc_index_last_seen(const struct ccfc_index *index, uint32_t file);

/* What a change did; false: it was not seen. `change` of `out` is not set. */
bool ccfc_index_effect(struct ccfc_disk_effect *out,
		       const struct ccfc_index *index,
		       const struct ccfc_change *change);
/* In an excerpt: what the change did, as it was seen; NULL: it was not. */
const struct ccfc_disk_effect *
ccfc_index_find_effect(const struct ccfc_index *index, uint32_t change);

/* --- marks (command_marks.c) --- */

/*
 * When the command of a call began or ended, to the moment; CCFC_TIME_NONE: not
 * said. False: the call is no command's that is kept, or too many marks wait.
 * It is stored with the next batch.
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
 * Was it seen on disk that a client made the change, without a result in a line
 * (disk/witness.c)? Its call may be known or not.
 */
static inline bool ccfc_index_is_witnessed(const struct ccfc_change *change)
{
	return (change->shell & ~CCFC_SHELL_NOBODYS) == CCFC_SHELL_OBSERVED &&
	       change->command == CCFC_ID_NONE;
}

/* Is it the change of a shell's command, or such a command? */
static inline bool ccfc_index_is_shells(const struct ccfc_change *change)
{
	return change->shell && !ccfc_index_is_witnessed(change);
}

/* Appends the id that a change of that file by a command has. */
void ccfc_index_shell_id(struct ccfc_buf *out,
			 const struct ccfc_change *command,
			 struct ccfc_slice path);

/* What was done to the file. */
enum ccfc_op ccfc_index_op(const struct ccfc_change *change);
/* Did a command put `other_file` there, by "mv" or "cp"? */
bool ccfc_index_is_taken(const struct ccfc_change *change);

/* The command of a shell change; NULL for any other change. */
const struct ccfc_change *ccfc_index_command(const struct ccfc_index *index,
					     const struct ccfc_change *change);

/*
 * May a command have changed files that nothing names? It ran, and neither its
 * text nor its result shows all.
 */
bool ccfc_index_is_unknown(const struct ccfc_change *command);

/* The id of the call that made a change, without a part's number. */
struct ccfc_slice ccfc_index_call_id(const struct ccfc_change *change);

/* Time of the call, else of the result, else when it was seen on disk. */
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

/* The bytes of a canonical UUID; false when the text is none. */
bool ccfc_uuid_read(struct ccfc_uuid *out, struct ccfc_slice text);

/*
 * The time of the earliest prompt of a session that another one does not have:
 * of a fork, when it was forked. INT64_MAX: there is none.
 */
int64_t ccfc_index_own_since(const struct ccfc_index *index, uint32_t session,
			     uint32_t other);

/* Are the lines of this place still in a transcript? */
bool ccfc_index_place_present(const struct ccfc_index *index,
			      const struct ccfc_place *place);

/* --- what can be read again --- */

/* Where lines are; a greater one is better. */
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
 * The generation to ask the archive for: CCFC_ATTIC_LAST, or that of a place
 * whose bytes the transcript has no more.
 */
uint32_t ccfc_index_place_gen(const struct ccfc_index *index,
			      const struct ccfc_place *place);
/*
 * The same for a text of the store, which is not read again when the same
 * bytes are read anew.
 */
enum ccfc_where ccfc_index_text_where(const struct ccfc_index *index,
				      uint32_t source, uint32_t gen);
/* The best of the session's transcripts. */
enum ccfc_where ccfc_index_session_where(const struct ccfc_index *index,
					 uint32_t session);

/*
 * The user's own words for a session: its name (empty: none), and whether it
 * has a tag, a text without newlines (label.c). The store has them to write.
 */
void ccfc_index_name_session(struct ccfc_index *index, uint32_t session,
			     struct ccfc_slice name);
void ccfc_index_tag_session(struct ccfc_index *index, uint32_t session,
			    struct ccfc_slice tag, bool has);

#endif
