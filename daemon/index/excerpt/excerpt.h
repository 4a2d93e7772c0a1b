/*
 * A part of the index, by value: the rows for one question about a few files,
 * for a worker's thread. The copy is an index itself, so all readers of an
 * index can use it. Its rows have their own numbers, in the order of the whole
 * index; the numbers there ("home") identify the same row in two excerpts.
 *
 * The core names what is wanted (init, add, finish); after that the excerpt
 * shares no memory with the index and is not changed any more, but for changes
 * that the contents of files tell (ccfc_excerpt_infer).
 */
#ifndef CCFC_INDEX_EXCERPT_EXCERPT_H
#define CCFC_INDEX_EXCERPT_EXCERPT_H

#include "index/query/query.h"

/* Home numbers, rising. */
struct ccfc_homes {
	const uint32_t *items;
	uint32_t n;
};

/* A transcript that may have read a file. */
struct ccfc_looked {
	uint32_t file, source; /* ID_NONE: any */
};

struct ccfc_excerpt {
	struct ccfc_index *index;
	/* By number in `index`: the number at home. */
	struct ccfc_homes changes, sources, sessions, files;
	const struct ccfc_looked *looked; /* sorted */
	uint32_t nlooked;
	/*
	 * The commands of the requested periods, ascending. False: none were
	 * requested.
	 */
	bool has_commands;
	const uint32_t *commands;
	uint32_t ncommands;
	uint32_t ninferred; /* number of changes after those of `changes` */
	struct ccfc_arena arena;
};

#define CCFC_COMMANDS_MAX 100u

/* What an excerpt has besides changes, their sessions and their transcripts. */
enum ccfc_excerpt_more {
	CCFC_EXCERPT_PROMPTS = 1, /* of the sessions */
	/* of the files in the sessions; and the files' disk events */
	CCFC_EXCERPT_BACKUPS = 2,
	CCFC_EXCERPT_SOURCES = 4, /* all transcripts of the sessions */
	CCFC_EXCERPT_LOOKS = 8,	  /* at the files */
	/*
	 * The first CCFC_COMMANDS_MAX commands with unknown effects of the
	 * added sessions.
	 */
	CCFC_EXCERPT_COMMANDS = 16,
	/* Everything that chains need (history/history.h). */
	CCFC_EXCERPT_CHAINS = CCFC_EXCERPT_BACKUPS | CCFC_EXCERPT_LOOKS,
};

/* The selection while it is made. Core thread. */
struct ccfc_excerpting {
	const struct ccfc_index *from;
	struct ccfc_ids whole, single; /* files, changes; as they were named */
	struct ccfc_ids files, changes, sessions, commands;
	/*
	 * Files that the index does not have. Their numbers follow the index's
	 * own and are valid in this excerpt only.
	 */
	struct {
		struct ccfc_slice *items;
		uint32_t n, cap;
	} paths;
	bool has_commands;
	uint32_t more;		 /* of enum ccfc_excerpt_more */
	struct ccfc_arena texts; /* of `paths` */
};

void ccfc_excerpt_init(struct ccfc_excerpting *e, const struct ccfc_index *from,
		       uint32_t more);
/* A file with all of its changes, and files that were moved to it, likewise. */
void ccfc_excerpt_add_file(struct ccfc_excerpting *e, uint32_t file);
/*
 * Adds the file with that normal path, even if only snapshots name it; the
 * sessions of these must be added too. Returns its number in the whole index.
 */
uint32_t ccfc_excerpt_add_path(struct ccfc_excerpting *e,
			       struct ccfc_slice path);
/* Single changes; their files have no other changes then. */
void ccfc_excerpt_add_changes(struct ccfc_excerpting *e,
			      const uint32_t *changes, uint32_t n);
void ccfc_excerpt_add_session(struct ccfc_excerpting *e, uint32_t session);
/*
 * Adds commands with unknown effects that ran in one of the spans. If there are
 * too many, adds none: a part of them would prove nothing.
 */
void ccfc_excerpt_add_commands(struct ccfc_excerpting *e,
			       const struct ccfc_period *spans, uint32_t n);
/* Makes the copy and releases `e`. */
struct ccfc_excerpt *ccfc_excerpt_finish(struct ccfc_excerpting *e);

/*
 * The same piece by piece, as long as nothing is applied to the index: begin
 * takes over what is in `e`, each call of `some` does what copying `most` rows
 * would cost, until it returns false; `end` gives the excerpt, or what there is
 * of it for ccfc_excerpt_free.
 */
struct ccfc_excerpt_copying;
struct ccfc_excerpt_copying *ccfc_excerpt_begin(struct ccfc_excerpting *e);
bool ccfc_excerpt_some(struct ccfc_excerpt_copying *copying, uint32_t most);
struct ccfc_excerpt *ccfc_excerpt_end(struct ccfc_excerpt_copying *copying);

/* At most so many changes can be inferred in one excerpt. */
#define CCFC_EXCERPT_INFERRED_MAX 1024u

/*
 * A change of the file by one of `commands`, which is in no line: the thread
 * that has the excerpt found it out. That is the index's row, if it knows the
 * change; else it is in no list and has no number at home; pointers to changes
 * stay valid. CCFC_ID_NONE: there is no room.
 */
uint32_t ccfc_excerpt_infer(struct ccfc_excerpt *excerpt, uint32_t command,
			    uint32_t file, enum ccfc_op op);

/* May be NULL. */
void ccfc_excerpt_free(struct ccfc_excerpt *excerpt);

/* The own number of the row with the home number; CCFC_ID_NONE: not there. */
uint32_t ccfc_homes_find(const struct ccfc_homes *homes, uint32_t home);

/*
 * A copy of groups of the whole index in numbers of the excerpt, in `arena`.
 * All their rows are in the excerpt. `by_session`: what their keys are.
 */
void ccfc_excerpt_groups(struct ccfc_groups *out,
			 const struct ccfc_excerpt *excerpt,
			 const struct ccfc_groups *groups, bool by_session,
			 struct ccfc_arena *arena);

/* May the transcript (both in numbers of the excerpt) have read the file? */
bool ccfc_excerpt_looked(const struct ccfc_excerpt *excerpt, uint32_t file,
			 uint32_t source);

#endif
