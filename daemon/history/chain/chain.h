/*
 * The inside of a chain: replay.c determines it once for each file, and
 * content.c reconstructs any of its states from it. Texts are not kept, except
 * a few checkpoints; each state says how to get its text.
 */
#ifndef CCFC_HISTORY_CHAIN_CHAIN_H
#define CCFC_HISTORY_CHAIN_CHAIN_H

#include "history/file/backup_file.h"
#include "history/file/encoding.h"
#include "history/file/read_file.h"
#include "history/history.h"
#include "history/step/step.h"

/* The source of a state's text. */
enum ccfc_how {
	CCFC_HOW_NOT,
	CCFC_HOW_EVIDENCE,  /* stands in the change's own lines */
	CCFC_HOW_READ,	    /* before: a Read showed it, at `read` */
	CCFC_HOW_COPY,	    /* before: a backup, `copy` says which */
	CCFC_HOW_DISK,	    /* after, of the last change: the file as it is */
	CCFC_HOW_STEP,	    /* after: the step, from before */
	CCFC_HOW_STEP_BACK, /* before: the step back, from after */
	CCFC_HOW_SAME,	    /* before: as after the change before this one;
			     * after: as before the next change */
	CCFC_HOW_BASE,	    /* before: as after an earlier change, `base` */
	CCFC_HOW_NEXT,	    /* before: as before the next change */
};

/* One side of a change. */
struct ccfc_side_state {
	uint64_t hash; /* of the text */
	enum ccfc_how how;
	enum ccfc_fidelity fidelity; /* of the text */
	enum ccfc_origin origin;
	const char *why;
	uint32_t copy;
	struct ccfc_form form;
	bool exists;
	bool pending;	  /* reconstructed until a later state confirms it */
	bool guessed;	  /* by a step that nothing confirms so far */
	bool has_form;	  /* `form` is known */
	bool form_proven; /* and proven */
	bool empty;	  /* the text is */
	bool has_lines;	  /* the text has a newline */
	bool has_mark;	  /* it begins with a byte order mark */
	bool has_bad;	  /* it holds U+FFFD: what was there is not known */
	bool seen;	  /* of HOW_EVIDENCE: these bytes were seen on disk */
};

struct ccfc_node {
	uint32_t change;
	uint32_t home;	  /* its number in the whole index */
	int64_t start;	  /* when its call was made */
	int64_t late;	  /* when its result was there, else as `start` */
	int64_t time;	  /* by when its effect was there; never falls */
	uint64_t stamp;	  /* of the change, as it was then */
	uint64_t back;	  /* the place that came back in front, or NONE */
	uint64_t brought; /* the place that its command brought back */
	struct ccfc_side_state before, after;
	enum ccfc_gap gap;	/* in front of it */
	uint32_t base;		/* the node whose state it was made from;
				 * ID_NONE: the one in front, or as shown */
	struct ccfc_place read; /* of HOW_READ: the Read's result; its source
				 * is a number in the whole index */
	uint64_t read_id;	/* hash of its id; 0: see read_evidence.h */
	struct ccfc_form own;	/* of the content that it writes, if whole */
	bool shown;		/* its result shows the text before */
	bool whole;		/* writes the whole file */
	bool lossy;		/* its step may lead there from other texts */
	bool as_is;		/* and its line endings are the content's */
	bool has_patch;
	bool came_back;	 /* a command brought back `brought` */
	bool is_shell;	 /* a shell's command made it */
	bool from_text;	 /* as the command's text says, not as it was seen */
	bool brings;	 /* it takes what others wrote from elsewhere */
	bool with_cr;	 /* lines that were seen end in "\r\n" */
	bool without_cr; /* lines that were seen do not */
	enum ccfc_step_rule rule; /* of its step */
};

/* A backup, and the change after it. */
struct ccfc_copy {
	struct ccfc_backup_copy file; /* the session as in the whole index */
	int64_t time;		      /* at which the file was so */
	/* Seen on disk: `path` is the key of its content, and it was made
	 * from the content of this key. "": from nothing; NULL: not known. */
	const char *before;
	bool observed;
	bool holds;   /* and it was so until the next one */
	int64_t held; /* until then it was as before, surely */
	uint32_t at;
	bool looked; /* the rest is known: */
	bool readable;
	struct ccfc_form form;
	uint64_t hash; /* of its text */
};

struct ccfc_copies {
	struct ccfc_copy *items; /* by time */
	uint32_t n, cap;
	struct ccfc_arena arena; /* their paths */
};

/* A side of a node as one number, in the order of time. */
static inline uint64_t ccfc_place_of(uint32_t i, bool after)
{
	return (uint64_t)i * 2 + after;
}

#define CCFC_PLACE_NONE UINT64_MAX

/*
 * What a command moved or copied to the file: the bytes of another one
 * (rename_text.c).
 */
struct ccfc_rename_text {
	uint32_t home; /* the change, as in the whole index */
	struct ccfc_slice bytes;
};

struct ccfc_rename_texts {
	struct ccfc_rename_text *items;
	uint32_t n, cap;
	uint64_t stamp;
	struct ccfc_arena arena;
};

/* How many files in a row are followed that were moved or copied. */
#define CCFC_RENAME_DEPTH 3u

/* A gap that commands of a shell explain (gap/inferred.c). */
struct ccfc_chain_run {
	uint32_t gap;	   /* the node behind it, or the number of nodes */
	uint32_t first, n; /* of `run_commands` */
	uint32_t change;   /* of one command: its change, in this question */
};

struct ccfc_checkpoint {
	uint32_t node;
	bool back;	      /* worked out from a later state */
	struct ccfc_buf text; /* before it */
};

struct ccfc_chain {
	struct ccfc_history *history;
	uint32_t file;
	uint32_t home;	/* its number in the whole index */
	uint64_t stamp; /* of all that it was made from */
	struct ccfc_node *nodes;
	uint32_t n;
	struct ccfc_copies copies;
	uint64_t copied; /* bytes of backups that were read */
	/*
	 * Where the forward pass ended, so that it can continue with new
	 * changes: its nodes, and the present text.
	 */
	struct ccfc_node *forward;
	uint32_t nforward;
	uint32_t mended;  /* of them, whose order is settled, */
	uint64_t ordered; /* and what that took */
	struct ccfc_buf hand;
	enum ccfc_gap last_gap; /* between the last change and the disk */
	uint64_t last_back;	/* as `back` of a node */
	struct ccfc_file_info disk;
	struct ccfc_form disk_form;
	struct ccfc_side_state disk_state; /* if it was read, else not known */
	bool disk_known;		   /* `disk` is what is there */
	bool stale; /* something else was found than it was made from */
	struct {
		struct ccfc_checkpoint *items;
		uint32_t n, cap;
	} marks;
	uint32_t stride;   /* of the checkpoints */
	size_t mark_bytes; /* that they take */
	uint64_t searched; /* bytes, for Reads */
	/*
	 * The text of the last requested state: the next one is mostly one step
	 * further.
	 */
	struct ccfc_buf last;
	uint64_t last_at;   /* its place */
	uint64_t last_hash; /* of the text */
	bool has_last;
	bool explained; /* in this question: */
	/* What commands explain, and what that was made from. */
	struct {
		struct ccfc_chain_run *items;
		uint32_t n, cap;
	} runs;
	struct ccfc_ids run_commands; /* as in the whole index */
	uint64_t run_stamp;	      /* 0: nothing was made */
	struct ccfc_rename_texts moved;
};

struct ccfc_launches;

struct ccfc_history {
	struct ccfc_history_env env;
	struct ccfc_kept *own_kept;	/* if none was given */
	struct ccfc_chain *chain;	/* that is open; may be NULL */
	struct ccfc_launches *launches; /* of agents; may be NULL */
	struct ccfc_arena scratch;	/* of one piece of evidence */
	struct {
		struct ccfc_period *items;
		uint32_t n, cap;
	} spans; /* see ccfc_history_wants */
};

void ccfc_chain_free(struct ccfc_chain *chain);
/* ccfc_chain_open for the sake of another chain, so many deep. */
struct ccfc_chain *ccfc_chain_open_deep(struct ccfc_history *history,
					uint32_t file, uint32_t depth);
/* That it takes, about. */
size_t ccfc_chain_bytes(const struct ccfc_chain *chain);

/* A row's number in the whole index, from its number in history->env.index. */
static inline uint32_t ccfc_home_of(const struct ccfc_homes *homes,
				    uint32_t own)
{
	return homes ? homes->items[own] : own;
}

/* The reverse; CCFC_ID_NONE: not there. */
static inline uint32_t ccfc_own_of(const struct ccfc_homes *homes,
				   uint32_t home)
{
	return homes ? ccfc_homes_find(homes, home) : home;
}

/* NULL where the numbers are the same. */
#define CCFC_HOMES(history, what)                                              \
	((history)->env.excerpt ? &(history)->env.excerpt->what : NULL)

/* The file's path, as a string. */
const char *ccfc_chain_path(const struct ccfc_chain *chain);

/*
 * The evidence of a node, in history->scratch (cleared first). False: its lines
 * are gone or have changed.
 */
bool ccfc_chain_evidence(struct ccfc_evidence *out, struct ccfc_chain *chain,
			 uint32_t i);

/*
 * Determines all states of a chain whose `nodes` are in order. The first
 * `nforward` are as in `forward`; false: one of them would have to move.
 */
bool ccfc_replay(struct ccfc_chain *chain);
/* Reads only what is on the disk: of a chain that has no nodes. */
void ccfc_replay_disk(struct ccfc_chain *chain);
/* May either have come first: were both under way, in two transcripts? */
bool ccfc_nodes_overlap(const struct ccfc_chain *chain, uint32_t k, uint32_t i);
/* Finds the gaps in which an earlier state came back (gap/returns.c). */
void ccfc_replay_returns(struct ccfc_chain *chain);
/* Finds those that a hook of the client's made (gap/hooks.c). */
void ccfc_replay_hooks(struct ccfc_chain *chain);
/* A number that is another one when the lines of a change are. */
uint64_t ccfc_change_stamp(const struct ccfc_history *history,
			   const struct ccfc_change *change);
/* The last part of it: line endings and encodings (encoding_choice.c). */
void ccfc_replay_forms(struct ccfc_chain *chain);

/* The backups of a file (backups.c), and a number that changes with them. */
void ccfc_copies_find(struct ccfc_copies *out,
		      const struct ccfc_history *history, uint32_t file);
void ccfc_copies_release(struct ccfc_copies *copies);
uint64_t ccfc_copies_stamp(const struct ccfc_copies *copies);
/*
 * Gives them to a chain. False: the chain had others, and for the first
 * `nforward` nodes they differ.
 */
bool ccfc_chain_take_copies(struct ccfc_chain *chain, struct ccfc_copies *now);

/* The text of one state; false: it is not available any more. */
bool ccfc_chain_text(struct ccfc_buf *out, struct ccfc_chain *chain, uint32_t i,
		     bool after);

/* The bytes of a blob; false when they are gone. */
bool ccfc_history_blob(struct ccfc_buf *out, const struct ccfc_history_env *env,
		       const char *key);
/* The bytes of a backup or of the disk; false when they are gone. */
bool ccfc_chain_copy_bytes(struct ccfc_buf *out, const struct ccfc_chain *chain,
			   uint32_t copy);
bool ccfc_chain_disk_bytes(struct ccfc_buf *out,
			   const struct ccfc_chain *chain);

/* Largest file that is looked at. */
#define CCFC_HISTORY_FILE_MAX ((size_t)256 << 20)

#endif
