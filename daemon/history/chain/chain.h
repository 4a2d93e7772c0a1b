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
	CCFC_HOW_EVIDENCE,  /* in the change's own lines */
	CCFC_HOW_READ,	    /* before: a Read's result, at `read` */
	CCFC_HOW_COPY,	    /* before: the backup `copy` */
	CCFC_HOW_DISK,	    /* after, last change only: the file on disk */
	CCFC_HOW_STEP,	    /* after: the step applied to before */
	CCFC_HOW_STEP_BACK, /* before: the step undone from after */
	/*
	 * before: equals the state after the previous change; after: equals the
	 * state before the next change
	 */
	CCFC_HOW_SAME,
	CCFC_HOW_BASE, /* before: equals the state after change `base` */
	/* before: equals the state before the next change */
	CCFC_HOW_NEXT,
};

/* The state on one side of a change: before or after it. */
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
	bool guessed;	  /* depends on a step that nothing has confirmed */
	bool has_form;	  /* `form` is known */
	bool form_proven; /* and `form` is proven */
	bool empty;	  /* the text is empty */
	bool has_lines;	  /* the text has a newline */
	bool has_mark;	  /* the text begins with a byte order mark */
	/* the text has U+FFFD: the original character is unknown */
	bool has_bad;
	bool seen; /* with HOW_EVIDENCE: these bytes were seen on disk */
};

struct ccfc_node {
	uint32_t change;
	uint32_t home; /* its number in the whole index */
	int64_t start; /* time of its call */
	int64_t late;  /* time of its result; `start` without one */
	/* latest time of its effect; never falls along a chain */
	int64_t time;
	uint64_t stamp; /* of the change when it was replayed */
	/* the place whose state came back before this node, or NONE */
	uint64_t back;
	uint64_t brought; /* the place whose state its command restored */
	struct ccfc_side_state before, after;
	enum ccfc_gap gap; /* between the previous node and this one */
	/*
	 * the node whose state it was made from; ID_NONE: the previous node's,
	 * or the one that the result shows
	 */
	uint32_t base;
	/* with HOW_READ: the Read's result; `source` as in the whole index */
	struct ccfc_place read;
	/* hash of the Read's id; 0: see read_evidence.h */
	uint64_t read_id;
	/* with `whole`: the form of the written content */
	struct ccfc_form own;
	bool shown; /* its result shows the text before */
	bool whole; /* writes the whole file */
	/* its step may give the same result from other texts */
	bool lossy;
	/* with `whole`: it kept the content's line endings */
	bool as_is;
	bool has_patch;
	bool came_back;	 /* its command restored the state of `brought` */
	bool is_shell;	 /* a shell command made it */
	bool from_text;	 /* its effect is derived from the command's text */
	bool brings;	 /* its command copies content that others wrote */
	bool with_cr;	 /* some recorded lines end in "\r\n" */
	bool without_cr; /* some recorded lines end in "\n" only */
	enum ccfc_step_rule rule; /* how its step replaces the text */
};

/* A backup or a sighting on disk, and the change after it. */
struct ccfc_copy {
	struct ccfc_backup_copy file; /* `session` as in the whole index */
	int64_t time;		      /* when the file had this content */
	/*
	 * Seen on disk (`observed`): `path` is the key of its content; `before`
	 * is the key of the content that it replaced, "" if there was no file,
	 * NULL if unknown.
	 */
	const char *before;
	bool observed;
	bool holds;   /* the file stayed so until the next copy */
	int64_t held; /* until this time the file had its earlier content */
	uint32_t at;
	bool looked; /* the following fields are set */
	bool readable;
	struct ccfc_form form;
	uint64_t hash; /* of its text */
};

struct ccfc_copies {
	struct ccfc_copy *items; /* by time */
	uint32_t n, cap;
	struct ccfc_arena arena; /* their paths */
};

/* One side of a node as a number; the numbers ascend with time. */
static inline uint64_t ccfc_place_of(uint32_t i, bool after)
{
	return (uint64_t)i * 2 + after;
}

#define CCFC_PLACE_NONE UINT64_MAX

/*
 * The bytes of another file that a command moved or copied to this one
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

/* Moves and copies followed in a row, from file to file. */
#define CCFC_RENAME_DEPTH 3u

/* A gap that shell commands explain (gap/inferred.c). */
struct ccfc_chain_run {
	/* the node after the gap; number of nodes: the disk */
	uint32_t gap;
	uint32_t first, n; /* the range in `run_commands` */
	uint32_t change;   /* if n == 1: the command's change, in the excerpt */
};

struct ccfc_checkpoint {
	uint32_t node;
	bool back;	      /* derived from a later state */
	struct ccfc_buf text; /* the text before `node` */
};

struct ccfc_chain {
	struct ccfc_history *history;
	uint32_t file;
	uint32_t home;	/* its number in the whole index */
	uint64_t stamp; /* of everything that the chain was made from */
	struct ccfc_node *nodes;
	uint32_t n;
	struct ccfc_copies copies;
	uint64_t copied; /* bytes of backups read so far */
	/*
	 * The forward pass continues here when there are new changes: its
	 * nodes, and the text after the last one.
	 */
	struct ccfc_node *forward;
	uint32_t nforward;
	/* the first nodes of `forward` whose order is settled */
	uint32_t mended;
	uint64_t ordered; /* bytes spent on finding that order */
	struct ccfc_buf hand;
	enum ccfc_gap last_gap; /* between the last change and the disk */
	uint64_t last_back;	/* as node.back, for the gap before the disk */
	struct ccfc_file_info disk;
	struct ccfc_form disk_form;
	/* unknown if the disk was not read */
	struct ccfc_side_state disk_state;
	/* `disk` describes the file on disk */
	bool disk_known;
	bool stale; /* a source has changed since the replay */
	struct {
		struct ccfc_checkpoint *items;
		uint32_t n, cap;
	} marks;
	uint32_t stride;   /* distance between checkpoints, in nodes */
	size_t mark_bytes; /* bytes of all checkpoints */
	uint64_t searched; /* bytes searched for Reads */
	/*
	 * The text of the last requested state. The next request is usually one
	 * step away.
	 */
	struct ccfc_buf last;
	uint64_t last_at;   /* the place of `last` */
	uint64_t last_hash; /* of `last` */
	bool has_last;
	bool explained; /* this question has filled in `runs` */
	/* Gaps explained by commands, and the commands. */
	struct {
		struct ccfc_chain_run *items;
		uint32_t n, cap;
	} runs;
	struct ccfc_ids run_commands; /* numbers in the whole index */
	/* of what `runs` was made from; 0: of nothing */
	uint64_t run_stamp;
	struct ccfc_rename_texts moved;
};

struct ccfc_launches;

struct ccfc_history {
	struct ccfc_history_env env;
	/* owned; only if the caller gave none */
	struct ccfc_kept *own_kept;
	struct ccfc_chain *chain;	/* the open chain; may be NULL */
	struct ccfc_launches *launches; /* of agents; may be NULL */
	struct ccfc_arena scratch;	/* for the evidence of one change */
	struct {
		struct ccfc_period *items;
		uint32_t n, cap;
	} spans; /* see ccfc_history_wanted_commands */
};

void ccfc_chain_free(struct ccfc_chain *chain);
/*
 * ccfc_chain_open for another chain that needs this one; `depth` counts the
 * nested chains.
 */
struct ccfc_chain *ccfc_chain_open_deep(struct ccfc_history *history,
					uint32_t file, uint32_t depth);
/* Its size in memory, about. */
size_t ccfc_chain_bytes(const struct ccfc_chain *chain);

/* A row's number in the whole index, from its number in history->env.index. */
static inline uint32_t ccfc_home_of(const struct ccfc_homes *homes,
				    uint32_t own)
{
	return homes ? homes->items[own] : own;
}

/* The reverse; CCFC_ID_NONE if the excerpt lacks the row. */
static inline uint32_t ccfc_own_of(const struct ccfc_homes *homes,
				   uint32_t home)
{
	return homes ? ccfc_homes_find(homes, home) : home;
}

/* NULL if both have the same numbers: there is no excerpt. */
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
 * Determines all states of a chain; its `nodes` are in order. The first
 * `nforward` nodes are taken from `forward`. False: one of them would have to
 * move.
 */
bool ccfc_replay(struct ccfc_chain *chain);
/* Reads the disk only, for a chain without nodes. */
void ccfc_replay_disk(struct ccfc_chain *chain);
/*
 * Did two changes overlap in time, in two transcripts? Then either may have
 * come first.
 */
bool ccfc_nodes_overlap(const struct ccfc_chain *chain, uint32_t k, uint32_t i);
/* Marks the gaps in which an earlier state came back (gap/returns.c). */
void ccfc_replay_returns(struct ccfc_chain *chain);
/* Marks the gaps that a hook of Claude Code made (gap/hooks.c). */
void ccfc_replay_hooks(struct ccfc_chain *chain);
/* A number that differs whenever the lines of a change differ. */
uint64_t ccfc_change_stamp(const struct ccfc_history *history,
			   const struct ccfc_change *change);
/* The last part of replay: line endings and encodings (encoding_choice.c). */
void ccfc_replay_forms(struct ccfc_chain *chain);

/* The backups of a file (backups.c), and a number that differs when they do. */
void ccfc_copies_find(struct ccfc_copies *out,
		      const struct ccfc_history *history, uint32_t file);
void ccfc_copies_release(struct ccfc_copies *copies);
uint64_t ccfc_copies_stamp(const struct ccfc_copies *copies);
/*
 * Moves the copies into a chain. False: the chain had other copies, and these
 * differ for the first `nforward` nodes.
 */
bool ccfc_chain_take_copies(struct ccfc_chain *chain, struct ccfc_copies *now);

/* The text of one state; false if it is no longer available. */
bool ccfc_chain_text(struct ccfc_buf *out, struct ccfc_chain *chain, uint32_t i,
		     bool after);

/* The bytes of a blob; false if they are gone. */
bool ccfc_history_blob(struct ccfc_buf *out, const struct ccfc_history_env *env,
		       const char *key);
/* The bytes of a backup or of the disk; false if they are gone. */
bool ccfc_chain_copy_bytes(struct ccfc_buf *out, const struct ccfc_chain *chain,
			   uint32_t copy);
bool ccfc_chain_disk_bytes(struct ccfc_buf *out,
			   const struct ccfc_chain *chain);

/* Larger files are not read. */
#define CCFC_HISTORY_FILE_MAX ((size_t)256 << 20)

#endif
