/*
 * Past states: the content of files before and after each change, reconstructed
 * from transcripts, the client's backups and the disk.
 *
 * A chain is one file's applied changes in the order of their effects. Somebody
 * else may have changed the file between two changes: an outside step, which no
 * session made. Every state has a fidelity:
 *
 *   exact          the evidence has the bytes. Or they follow from it by steps
 *                  that the client's own patches confirm, up to a later known
 *                  state. The form (line endings, encoding) is proven, too
 *   reconstructed  follows from the evidence and an assumption; see `why`
 *   partial        only some lines are known
 *   unknown        no line is known
 *
 * A struct ccfc_history belongs to one question and one thread, mostly a
 * worker's. It borrows its environment, and has an excerpt (a copy) of the
 * index. All questions share a struct ccfc_kept, which has what is worth
 * keeping for the next one. Returned slices are in the caller's arena.
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
/* May be NULL. No question may use it any more. */
void ccfc_kept_free(struct ccfc_kept *kept);

struct ccfc_history_env {
	const struct ccfc_index *index;
	/*
	 * The excerpt that `index` belongs to; NULL: `index` is the whole
	 * index. Inferred changes are added to it.
	 */
	struct ccfc_excerpt *excerpt;
	struct ccfc_kept *kept; /* NULL: nothing is kept after the question */
	/*
	 * When its ccfc_tail_until aborts, nothing more is read. States not
	 * read by then are unknown, and nothing is kept.
	 */
	struct ccfc_tail *tail;
	struct ccfc_parser *parser;
	const char *const *roots;
	size_t nroots;
	struct ccfc_blobs *blobs; /* contents seen on disk; may be NULL */
	/*
	 * Present files are not read: the answer depends on transcripts,
	 * backups and earlier sightings only.
	 */
	bool no_disk;
};

struct ccfc_history;

struct ccfc_history *ccfc_history_new(const struct ccfc_history_env *env);
void ccfc_history_free(struct ccfc_history *history);

/* The environment, for callers that read lines themselves. */
const struct ccfc_history_env *
ccfc_history_env(const struct ccfc_history *history);

/*
 * The periods whose shell commands may explain gaps of the chains. The excerpt
 * lacked these commands. If the caller adds them (ccfc_excerpt_add_commands)
 * and asks again, the gaps are explained. Otherwise empty.
 */
const struct ccfc_period *
ccfc_history_wanted_commands(const struct ccfc_history *history, uint32_t *n);

/* Ordered: lower values are less certain. */
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
	/* derived step by step from an earlier or later state */
	CCFC_ORIGIN_REPLAY,
	CCFC_ORIGIN_OBSERVED, /* seen on disk and kept */
};

/* "result", "write", "call", "read", "backup", "disk", "replay", "observed";
 * "" for NONE */
const char *ccfc_origin_text(enum ccfc_origin origin);

/*
 * The assumption behind a reconstructed state. Ordered: of several, the last
 * counts.
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

/* Consecutive known lines of a partial state. */
struct ccfc_known {
	uint32_t line; /* number of the first line, from 1 */
	uint32_t nlines;
	struct ccfc_slice text;
};

/* The content of a file at one point. */
struct ccfc_content_state {
	enum ccfc_fidelity fidelity;
	enum ccfc_origin origin;
	enum ccfc_assumed assumed;	/* if reconstructed */
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
 * The same, also for a file without an applied change that snapshots name. Then
 * the chain has no changes, and its states are those of backups, before change
 * 0 (ccfc_chain_seen).
 */
struct ccfc_chain *ccfc_chain_open_seen(struct ccfc_history *history,
					uint32_t file);

/* The number of its file in the index of `history`. */
uint32_t ccfc_chain_file(const struct ccfc_chain *chain);

/*
 * The number of its changes; the id of change i; the number of a change, or -1.
 */
uint32_t ccfc_chain_len(const struct ccfc_chain *chain);
uint32_t ccfc_chain_change(const struct ccfc_chain *chain, uint32_t i);
int64_t ccfc_chain_find(const struct ccfc_chain *chain, uint32_t change);
/* The time of its effect: the result's, else the call's. */
int64_t ccfc_chain_time(const struct ccfc_chain *chain, uint32_t i);
/* The earliest time of its effect; ccfc_chain_time is the latest. */
int64_t ccfc_chain_start(const struct ccfc_chain *chain, uint32_t i);
/* Is the state before this command only assumed to equal the last one? */
bool ccfc_chain_is_assumed(const struct ccfc_chain *chain, uint32_t i);

/* The content right before and right after change i. */
void ccfc_chain_before(struct ccfc_content_state *out, struct ccfc_chain *chain,
		       uint32_t i, struct ccfc_arena *arena);
void ccfc_chain_after(struct ccfc_content_state *out, struct ccfc_chain *chain,
		      uint32_t i, struct ccfc_arena *arena);

/*
 * Did somebody else change the file between change i - 1 and change i (i = len:
 * between the last change and the disk)? NONE for i = 0.
 */
enum ccfc_gap {
	CCFC_GAP_NONE,	  /* the evidence shows: nobody did */
	CCFC_GAP_OUTSIDE, /* somebody did; the states differ */
	CCFC_GAP_UNKNOWN, /* one of the states is not known */
	/* An earlier state of the chain came back, byte for byte: */
	CCFC_GAP_RETURNED, /* by a rewind, a checkout or the like */
	/*
	 * change i was made from that state while the changes in between were
	 * running
	 */
	CCFC_GAP_OVERWRITTEN,
	CCFC_GAP_HOOK, /* a hook of the client changed it after change i - 1 */
};
enum ccfc_gap ccfc_chain_gap(struct ccfc_chain *chain, uint32_t i);

/* The state that came back: before or after change `i`. */
struct ccfc_return {
	uint32_t i;
	bool before;
};

/*
 * The state that came back in gap i: in a RETURNED or OVERWRITTEN gap, or in an
 * UNKNOWN gap before an earlier state. False for other gaps.
 */
bool ccfc_chain_return(struct ccfc_return *out, const struct ccfc_chain *chain,
		       uint32_t i);

/*
 * Did the shell command that made change i restore an earlier state (checkout,
 * stash, reset)? "sed" that writes the same text again did not.
 */
bool ccfc_chain_restored(struct ccfc_return *out,
			 const struct ccfc_chain *chain, uint32_t i);

/*
 * The shell change that made the gap before change i, as the contents show
 * (evidence "inferred"): a row of the index, or a row of the excerpt that is in
 * no list. CCFC_ID_NONE: none. `ccfc_chain_gap` is still OUTSIDE or RETURNED.
 */
uint32_t ccfc_chain_inferred(const struct ccfc_chain *chain, uint32_t i);
/*
 * If several commands fit ("ambiguous": one of them made it), their number and
 * their rows in the order of time; otherwise none.
 */
uint32_t ccfc_chain_commands(const struct ccfc_chain *chain, uint32_t i);
uint32_t ccfc_chain_command(const struct ccfc_chain *chain, uint32_t i,
			    uint32_t k);

/*
 * The steps of a file in the order of time: 2 * i + 1 is change i, 2 * i the
 * gap before it (i = number of changes: before the disk). A gap is a step if a
 * command's change made it (inferred).
 */
static inline uint32_t ccfc_step_of_change(uint32_t i)
{
	return 2 * i + 1;
}

static inline uint32_t ccfc_step_of_gap(uint32_t i)
{
	return 2 * i;
}

/* Its change; CCFC_ID_NONE for a gap that no command made. */
uint32_t ccfc_chain_step_change(const struct ccfc_chain *chain, uint32_t step);
/* The step of a change of the chain, also of an inferred one; 0: none. */
uint32_t ccfc_chain_step_find(const struct ccfc_chain *chain, uint32_t change);
/* The latest time of its effect. */
int64_t ccfc_chain_step_time(const struct ccfc_chain *chain, uint32_t step);
/* The content right before and right after the step. */
void ccfc_chain_step_before(struct ccfc_content_state *out,
			    struct ccfc_chain *chain, uint32_t step,
			    struct ccfc_arena *arena);
void ccfc_chain_step_after(struct ccfc_content_state *out,
			   struct ccfc_chain *chain, uint32_t step,
			   struct ccfc_arena *arena);

/*
 * States that the client's backups show, or that were seen on disk and belong
 * to no change. `k` is the number of such a state, or CCFC_ID_NONE. The first
 * function returns the last state before change i (number of changes: after the
 * last change) that is not later than `until`; the second the previous state
 * before the same change.
 */
uint32_t ccfc_chain_seen(const struct ccfc_chain *chain, uint32_t i,
			 int64_t until);
uint32_t ccfc_chain_seen_before(const struct ccfc_chain *chain, uint32_t k);
/* Its time, and its session (0: not known). */
int64_t ccfc_chain_seen_time(const struct ccfc_chain *chain, uint32_t k);
uint32_t ccfc_chain_seen_session(const struct ccfc_chain *chain, uint32_t k);
/* Unknown if a snapshot names the backup but it is missing. */
void ccfc_chain_seen_state(struct ccfc_content_state *out,
			   struct ccfc_chain *chain, uint32_t k,
			   struct ccfc_arena *arena);
/*
 * The gap between the previous change and this state; the gap between this
 * state and the next known one: a backup, a change or the disk.
 */
enum ccfc_gap ccfc_chain_seen_since(struct ccfc_chain *chain, uint32_t k);
enum ccfc_gap ccfc_chain_seen_gap(struct ccfc_chain *chain, uint32_t k);
/*
 * Did the file still have `state`, which it had at or before `time` before
 * change i, when the next event on the file was seen? If not, the file changed
 * unseen in between: the daemon may not have run.
 */
enum ccfc_held { CCFC_HELD_UNKNOWN, CCFC_HELD_YES, CCFC_HELD_NO };
enum ccfc_held ccfc_chain_seen_held(const struct ccfc_chain *chain, uint32_t i,
				    int64_t time,
				    const struct ccfc_content_state *state);
/* Was it seen on disk? Otherwise it is a backup. */
bool ccfc_chain_seen_on_disk(const struct ccfc_chain *chain, uint32_t k);
/*
 * May the file, before change i, have changed by `time` although that was only
 * seen later?
 */
bool ccfc_chain_may_have_changed(const struct ccfc_chain *chain, uint32_t i,
				 int64_t time);
/* Is it an earlier state of the file? `out` is the last such one. */
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
