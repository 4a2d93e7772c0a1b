/*
 * Past states: the content of files before and after each change, reconstructed
 * from transcripts, the client's backups and the disk.
 *
 * A chain is one file's applied changes in the order of their effects. Between
 * two changes the file may have been changed by somebody else: an outside step,
 * which is never a session's. Every state has a fidelity:
 *
 *   exact          the bytes stand in the evidence, or follow from it by steps
 *                  that the client's own patches confirm, up to a later state
 *                  that is known again; also the form (line endings, encoding)
 *                  is proven
 *   reconstructed  follows from the evidence, but something was assumed; `why`
 *   partial        only some lines are known
 *   unknown        nothing is
 *
 * A struct ccfc_history is of one question and one thread, mostly a worker's;
 * it borrows what it is given and sees the index by an excerpt (a copy). What
 * is worth keeping for the next question is in struct ccfc_kept, which all
 * share. Slices that are given out are in the caller's arena.
 */
#ifndef CCFC_HISTORY_HISTORY_H
#define CCFC_HISTORY_HISTORY_H

#include "base/arena.h"
#include "base/err.h"
#include "blobs/blobs.h"
#include "index/excerpt/excerpt.h"
#include "source/tail.h"
#include "transcript/content/evidence.h"

/* Kept between questions (kept.h). Any thread. */
struct ccfc_kept;

struct ccfc_kept *ccfc_kept_new(void);
/* May be NULL. Nobody uses it any more. */
void ccfc_kept_free(struct ccfc_kept *kept);

struct ccfc_history_env {
	const struct ccfc_index *index;
	/* What `index` is of; NULL: it is the whole index. Changes that the
	 * contents tell are added to it. */
	struct ccfc_excerpt *excerpt;
	struct ccfc_kept *kept; /* NULL: nothing is kept beyond the question */
	/* When its ccfc_tail_until says so, nothing more is read, what was
	 * not yet is not known, and nothing of it is kept. */
	struct ccfc_tail *tail;
	struct ccfc_parser *parser;
	const char *const *roots;
	size_t nroots;
	struct ccfc_blobs *blobs; /* what was seen on disk; may be NULL */
	/* Files are not looked at as they are now: then the answer depends on
	 * transcripts, backups and what was seen before. */
	bool no_disk;
};

struct ccfc_history;

struct ccfc_history *ccfc_history_new(const struct ccfc_history_env *env);
void ccfc_history_free(struct ccfc_history *history);

/* Its environment: for callers that read a line themselves. */
const struct ccfc_history_env *
ccfc_history_env(const struct ccfc_history *history);

/*
 * When commands of a shell ran that may explain what the chains so far leave
 * open. The excerpt did not have them: who asks again with one that does
 * (ccfc_excerpt_add_commands) gets them named. Empty otherwise.
 */
const struct ccfc_period *ccfc_history_wants(const struct ccfc_history *history,
					     uint32_t *n);

/* Ordered: a lesser one is less sure. */
enum ccfc_fidelity {
	CCFC_FIDELITY_UNKNOWN,
	CCFC_FIDELITY_PARTIAL,
	CCFC_FIDELITY_RECONSTRUCTED,
	CCFC_FIDELITY_EXACT,
};

/* "exact", … */
const char *ccfc_fidelity_text(enum ccfc_fidelity fidelity);

/* Where the bytes come from. */
enum ccfc_origin {
	CCFC_ORIGIN_NONE,
	CCFC_ORIGIN_RESULT, /* originalFile, with or without the patch */
	CCFC_ORIGIN_WRITE,  /* the content of a Write, a notebook's file */
	CCFC_ORIGIN_CALL,   /* the call's strings on a known state */
	CCFC_ORIGIN_READ,   /* what a Read showed */
	CCFC_ORIGIN_BACKUP,
	CCFC_ORIGIN_DISK,
	CCFC_ORIGIN_REPLAY,   /* from an earlier or later state, step by step */
	CCFC_ORIGIN_OBSERVED, /* seen on disk, and kept */
};

/* "result", "write", "call", "read", "backup", "disk", "replay", "observed";
 * "" for NONE */
const char *ccfc_origin_text(enum ccfc_origin origin);

/*
 * The assumption behind a reconstructed state; ordered, the strongest counts.
 */
enum ccfc_assumed {
	CCFC_ASSUMED_NOTHING,
	CCFC_ASSUMED_FORM,   /* line endings or the encoding */
	CCFC_ASSUMED_MOMENT, /* that the file was in this state at that moment
			      */
	CCFC_ASSUMED_CONTENT,
};

/* "form", "moment", "content"; "" for NOTHING */
const char *ccfc_assumed_text(enum ccfc_assumed assumed);

/* A run of lines that are known of a partial state. */
struct ccfc_known {
	uint32_t line; /* of the first, from 1 */
	uint32_t nlines;
	struct ccfc_slice text;
};

/* The content of a file at one point. */
struct ccfc_content_state {
	enum ccfc_fidelity fidelity;
	enum ccfc_origin origin;
	enum ccfc_assumed assumed;	/* when reconstructed */
	bool exists;			/* valid unless unknown */
	struct ccfc_slice bytes;	/* valid when reconstructed or exact */
	const struct ccfc_known *known; /* when partial */
	uint32_t nknown;
	const char *why; /* one clause for the user, "" when exact */
};

/* One file's changes. */
struct ccfc_chain;

/*
 * The chain of a file. NULL when it has no applied change. Belongs to
 * `history`; valid until the next one is opened.
 */
struct ccfc_chain *ccfc_chain_open(struct ccfc_history *history, uint32_t file);
/*
 * The same, also of a file without an applied change, if snapshots name it:
 * then the chain has no changes, and its states are those that backups show, in
 * front of change 0 (ccfc_chain_seen).
 */
struct ccfc_chain *ccfc_chain_open_seen(struct ccfc_history *history,
					uint32_t file);

/* Its file, as in the index of `history`. */
uint32_t ccfc_chain_file(const struct ccfc_chain *chain);

/* How many changes it has; their ids in order; where one stands, or -1. */
uint32_t ccfc_chain_len(const struct ccfc_chain *chain);
uint32_t ccfc_chain_change(const struct ccfc_chain *chain, uint32_t i);
int64_t ccfc_chain_find(const struct ccfc_chain *chain, uint32_t change);
/* When its effect was there: the result's time, else the call's. */
int64_t ccfc_chain_time(const struct ccfc_chain *chain, uint32_t i);
/* From when on change i may have had its effect, at the latest at its time. */
int64_t ccfc_chain_start(const struct ccfc_chain *chain, uint32_t i);
/* Is what a command found only thought to be what was there last? */
bool ccfc_chain_is_assumed(const struct ccfc_chain *chain, uint32_t i);

/* The content right before and right after change i. */
void ccfc_chain_before(struct ccfc_content_state *out, struct ccfc_chain *chain,
		       uint32_t i, struct ccfc_arena *arena);
void ccfc_chain_after(struct ccfc_content_state *out, struct ccfc_chain *chain,
		      uint32_t i, struct ccfc_arena *arena);

/*
 * Did somebody else change the file between change i - 1 and change i (i = len:
 * between the last change and the disk as it is now)? i = 0 is never.
 */
enum ccfc_gap {
	CCFC_GAP_NONE,	  /* by the evidence, nobody did */
	CCFC_GAP_OUTSIDE, /* somebody did: the states differ */
	CCFC_GAP_UNKNOWN, /* one of the states is not known */
	/* An earlier state of the chain came back, byte for byte: */
	CCFC_GAP_RETURNED,    /* by a rewind, a checkout and the like */
	CCFC_GAP_OVERWRITTEN, /* change i was made from that state while the
			       * changes in between were under way */
	CCFC_GAP_HOOK, /* a hook of the client's did, after change i - 1 */
};
enum ccfc_gap ccfc_chain_gap(struct ccfc_chain *chain, uint32_t i);

/* The state that came back: before or after change `i`. */
struct ccfc_return {
	uint32_t i;
	bool before;
};

/*
 * Of a gap that is RETURNED or OVERWRITTEN, or UNKNOWN where what is found
 * behind it is an earlier state; false of others.
 */
bool ccfc_chain_return(struct ccfc_return *out, const struct ccfc_chain *chain,
		       uint32_t i);

/*
 * Did the shell's command that made change i bring an earlier state back
 * (checkout, stash, reset)? "sed", that writes the same again, did not.
 */
bool ccfc_chain_brought(struct ccfc_return *out, const struct ccfc_chain *chain,
			uint32_t i);

/*
 * The change of a shell's command that made the gap in front of change i, as
 * the contents tell, with the evidence "inferred": the index's row, or one of
 * the excerpt that is in no list. CCFC_ID_NONE: there is none. `ccfc_chain_gap`
 * says what the gap is besides, OUTSIDE or RETURNED.
 */
uint32_t ccfc_chain_inferred(const struct ccfc_chain *chain, uint32_t i);
/*
 * Where several commands fit, how many there are ("ambiguous", it is one of
 * theirs), and their rows in the order of time; else none.
 */
uint32_t ccfc_chain_commands(const struct ccfc_chain *chain, uint32_t i);
uint32_t ccfc_chain_command(const struct ccfc_chain *chain, uint32_t i,
			    uint32_t k);

/*
 * What happened to a file, as numbers in the order of time: 2 * i + 1 is change
 * i, 2 * i the gap in front of it (i the number of changes: in front of the
 * disk). A gap is a step where a change of a command made it (inferred).
 */
static inline uint32_t ccfc_step_of_change(uint32_t i)
{
	return 2 * i + 1;
}

static inline uint32_t ccfc_step_of_gap(uint32_t i)
{
	return 2 * i;
}

/* Its change; CCFC_ID_NONE of a gap that no command made. */
uint32_t ccfc_chain_step_change(const struct ccfc_chain *chain, uint32_t step);
/* The step of a change of the chain, also of an inferred one; 0: none. */
uint32_t ccfc_chain_step_find(const struct ccfc_chain *chain, uint32_t change);
/* By when its effect was there. */
int64_t ccfc_chain_step_time(const struct ccfc_chain *chain, uint32_t step);
/* The content right before and right after it. */
void ccfc_chain_step_before(struct ccfc_content_state *out,
			    struct ccfc_chain *chain, uint32_t step,
			    struct ccfc_arena *arena);
void ccfc_chain_step_after(struct ccfc_content_state *out,
			   struct ccfc_chain *chain, uint32_t step,
			   struct ccfc_arena *arena);

/*
 * States that backups of the client show, or that were seen on disk and are
 * nobody's: `k` is the number of one, or
 * CCFC_ID_NONE. The last one in front of change i (the number of changes:
 * behind the last) that is not later than `until`; the one before it, in front
 * of the same change.
 */
uint32_t ccfc_chain_seen(const struct ccfc_chain *chain, uint32_t i,
			 int64_t until);
uint32_t ccfc_chain_seen_before(const struct ccfc_chain *chain, uint32_t k);
/* Its time and session (0: not known). */
int64_t ccfc_chain_seen_time(const struct ccfc_chain *chain, uint32_t k);
uint32_t ccfc_chain_seen_session(const struct ccfc_chain *chain, uint32_t k);
/* Unknown if the backup was named but is missing. */
void ccfc_chain_seen_state(struct ccfc_content_state *out,
			   struct ccfc_chain *chain, uint32_t k,
			   struct ccfc_arena *arena);
/* Between the change in front of it and it; and between it and what is known
 * next: a backup, a change, the disk. */
enum ccfc_gap ccfc_chain_seen_since(struct ccfc_chain *chain, uint32_t k);
enum ccfc_gap ccfc_chain_seen_gap(struct ccfc_chain *chain, uint32_t k);
/*
 * Was `state`, which the file had at or before `time`, in front of change i,
 * still the file's when something was next seen to happen to it? If not, the
 * file changed in between, and nobody saw when: the daemon may not have run.
 */
enum ccfc_held { CCFC_HELD_UNKNOWN, CCFC_HELD_YES, CCFC_HELD_NO };
enum ccfc_held ccfc_chain_seen_held(const struct ccfc_chain *chain, uint32_t i,
				    int64_t time,
				    const struct ccfc_content_state *state);
/* Was it seen on disk, and not in a backup? */
bool ccfc_chain_seen_on_disk(const struct ccfc_chain *chain, uint32_t k);
/* May the file have changed by `time`, in front of change i, though that was
 * only noticed later? */
bool ccfc_chain_seen_going(const struct ccfc_chain *chain, uint32_t i,
			   int64_t time);
/* Is it an earlier state of the file? The last such one. */
bool ccfc_chain_seen_return(struct ccfc_return *out, struct ccfc_chain *chain,
			    uint32_t k);

/*
 * The change's own patch, for a change whose states are not known: hunks with
 * real line numbers, leading tabs restored from the strings. False: there is no
 * patch.
 */
bool ccfc_chain_patch(const struct ccfc_hunk **hunks, uint32_t *n,
		      struct ccfc_chain *chain, uint32_t i,
		      struct ccfc_arena *arena);

#endif
