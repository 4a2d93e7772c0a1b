/*
 * Messages, calls and tokens: the facts behind session listings and statistics.
 *
 * Like all of the index these are sets and minima, so that they do not depend
 * on the order of reading (model_message.c, session_source.c):
 *
 * - A part is what one transcript has of one session. Its counts are those of
 *   the present transcript, or of its last state. Reading the transcript again
 *   counts from zero.
 * - A message is one of the model, by its message.id. It is written as several
 *   lines, which repeat the usage: the one with the most output tokens counts.
 *   Resumes and forks copy messages; the tokens belong to the session that
 *   spent them, by the rule of owner.c.
 * - A call is one of any tool, by its tool_use id, and belongs to its message.
 *   A call is an error if it has an error result and no other.
 * - A read is a file that a call of a reading tool read.
 *
 * Totals are computed on request, by one pass over the arrays.
 */
#ifndef CCFC_INDEX_QUERY_TOTALS_H
#define CCFC_INDEX_QUERY_TOTALS_H

#include "index/query/query.h"

struct ccfc_tokens {
	uint64_t input, output, cache_write, cache_read;
};

static inline void ccfc_tokens_add(struct ccfc_tokens *sum,
				   const struct ccfc_tokens *t)
{
	sum->input += t->input;
	sum->output += t->output;
	sum->cache_write += t->cache_write;
	sum->cache_read += t->cache_read;
}

enum ccfc_title {
	CCFC_TITLE_NONE,
	CCFC_TITLE_PROMPT,  /* how the first prompt begins */
	CCFC_TITLE_SUMMARY, /* of a client up to 2.0.0, by leafUuid */
	CCFC_TITLE_AI,
	CCFC_TITLE_CUSTOM,
	CCFC_TITLE_NAME, /* given with ccfc */
};

/* "name", "custom", "ai", "summary", "prompt", "" */
const char *ccfc_title_text(enum ccfc_title from);

enum ccfc_status {
	CCFC_STATUS_WAITING,   /* its last record asks the user, or it has
				* called a tool that writes, without a result */
	CCFC_STATUS_ACTIVE,    /* a record of the last five minutes */
	CCFC_STATUS_FAILED,    /* its last result is an error, which is no
				* denial, and no answer followed */
	CCFC_STATUS_COMPLETED, /* none of these */
};

/* "waiting", …; from_text: -1 for any other text. */
const char *ccfc_status_text(enum ccfc_status status);
int ccfc_status_from_text(struct ccfc_slice text);

/* Messages, calls and tokens of one thread, or of all agents together. */
struct ccfc_tally_part {
	uint64_t user, assistant; /* records, as the transcripts hold them */
	uint64_t uses, errors;	  /* calls that it made itself */
	struct ccfc_tokens tokens;
};

struct ccfc_tally {
	struct ccfc_tally_part main;
	struct ccfc_tally_part agents; /* agents' files, inline sidechains */
	uint32_t nagents;    /* in transcripts, or in progress records only */
	uint64_t files_read; /* that it or its agents saw */
	uint64_t files_modified;   /* with an applied change */
	uint64_t changes;	   /* applied */
	uint64_t shell_changes;	   /* those of them that commands made */
	uint64_t unknown_commands; /* whose effects are not known */
	int64_t last_change;	   /* CCFC_TIME_NONE: none */
	uint64_t bytes;		   /* of its own transcripts */
	uint64_t agent_bytes;
	bool named; /* `main` has the messages of a transcript of its name */
};

/*
 * The tallies of all sessions, by session, piece by piece: `out` is an array of
 * index->sessions.n in the arena when ccfc_tally_some returns false. When
 * something is applied to the index in between, each row counts as it stands
 * when its turn comes; sessions that are new since the beginning have no tally.
 */
struct ccfc_tallying {
	struct ccfc_tally *out;
	uint32_t nsessions; /* of `out` */
	/* totals.c's own: */
	const struct ccfc_index *index;
	uint32_t nfiles;	/* of `last_session` */
	uint32_t only;		/* one session, whose tally `out` is; 0: all */
	uint32_t *last_file;	/* by session: that it looked at */
	uint32_t *last_session; /* by file: that changed it */
	uint32_t table, row;	/* how far it is */
};
void ccfc_tally_begin(struct ccfc_tallying *tallying,
		      const struct ccfc_index *index, struct ccfc_arena *arena);
/* Of one session, which is not 0; into `out`. */
void ccfc_tally_begin_session(struct ccfc_tallying *tallying,
			      struct ccfc_tally *out,
			      const struct ccfc_index *index, uint32_t session,
			      struct ccfc_arena *arena);
/* At most so many rows; false when all have been summed up. */
bool ccfc_tally_some(struct ccfc_tallying *tallying, uint32_t rows);

/* The best title there is: custom, AI, summary, first prompt. */
enum ccfc_title ccfc_tally_title(struct ccfc_slice *out,
				 const struct ccfc_index *index,
				 uint32_t session);

enum ccfc_status ccfc_tally_status(const struct ccfc_index *index,
				   uint32_t session, int64_t now);

/*
 * The transcript that is the session's own: the one of its name that still
 * exists, else any of its own that does, else the last one known.
 * CCFC_ID_NONE when there are only agents' or none.
 */
uint32_t ccfc_tally_source(const struct ccfc_index *index, uint32_t session);

/* --- facts one by one, for statistics --- */

/* A message of the model. */
struct ccfc_message_fact {
	int64_t time; /* may be CCFC_TIME_NONE */
	uint32_t session;
	uint32_t model; /* string; 0: none */
	uint32_t name;	/* string: of the agent; 0: the session itself */
	bool agent;
	uint32_t cost; /* as recorded; CCFC_COST_DOLLAR is one; 0: not said */
	struct ccfc_tokens tokens;
};

/* A call. */
struct ccfc_call_fact {
	int64_t time;
	uint32_t session;
	uint32_t model;
	uint32_t tool; /* string */
	uint32_t name; /* as above */
	bool agent;
	bool error;
};

/* A read of a file. */
struct ccfc_read_fact {
	int64_t time;
	uint32_t session;
	uint32_t file;
	uint32_t agent; /* string; 0: the session itself; "sidechain": an
			 * agent that has no file of its own */
	bool error;	/* the read failed */
};

/*
 * The fact in one row of `messages`, `calls` or `reads`; false: none. All rows
 * together give each fact exactly once, with the session that owns it.
 */
bool ccfc_tally_message_at(struct ccfc_message_fact *out,
			   const struct ccfc_index *index, uint32_t message);
bool ccfc_tally_call_at(struct ccfc_call_fact *out,
			const struct ccfc_index *index, uint32_t call);
bool ccfc_tally_read_at(struct ccfc_read_fact *out,
			const struct ccfc_index *index, uint32_t read);

#endif
