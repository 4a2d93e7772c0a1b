/*
 * Shared by the files of an excerpt while it is made (excerpt.c,
 * excerpt_select.c, excerpt_rows.c, excerpt_more.c). Core thread.
 */
#ifndef CCFC_INDEX_EXCERPT_EXCERPT_IMPL_H
#define CCFC_INDEX_EXCERPT_EXCERPT_IMPL_H

#include "index/excerpt/excerpt.h"

/* Consecutive changes usually have the same strings. */
#define CCFC_EXCERPT_RECENT 256u

/* Rows of one kind, by number at home: the own number. */
struct ccfc_excerpt_marks {
	uint32_t *own; /* 0: not wanted, else one more than the number */
	uint32_t n;    /* at home */
};

struct ccfc_excerpt_copying {
	struct ccfc_excerpting wanted;
	const struct ccfc_index *from;
	struct ccfc_excerpt *ex;
	struct ccfc_index *to;
	struct ccfc_excerpt_marks sources, sessions;
	/* Strings, each at its home number modulo the size. */
	struct {
		uint32_t home, own;
	} recent[CCFC_EXCERPT_RECENT];
	/* How the keys of the files' backups may end, and their names begin. */
	struct ccfc_strtab backup_ends, backup_starts;
	struct {
		struct ccfc_looked *items;
		uint32_t n, cap;
	} looked;
	/* Progress of excerpt.c: */
	uint32_t phase, at;
};

/*
 * excerpt_select.c: selects the rows of a whole file, or of a single change;
 * returns the cost.
 */
uint32_t ccfc_excerpt_put_file(struct ccfc_excerpting *e, uint32_t i);
uint32_t ccfc_excerpt_put_single(struct ccfc_excerpting *e, uint32_t i);
/* Frees the lists. */
void ccfc_excerpt_forget(struct ccfc_excerpting *e);

/* excerpt_rows.c */
void ccfc_excerpt_copy_file(struct ccfc_excerpt_copying *c, uint32_t home);
void ccfc_excerpt_copy_session(struct ccfc_excerpt_copying *c, uint32_t home);
void ccfc_excerpt_copy_source(struct ccfc_excerpt_copying *c, uint32_t home);
void ccfc_excerpt_copy_change(struct ccfc_excerpt_copying *c, uint32_t home);

/*
 * The own number of a transcript; CCFC_ID_NONE if it is not part of the
 * excerpt.
 */
uint32_t ccfc_excerpt_source(const struct ccfc_excerpt_copying *c,
			     uint32_t home);
/* A string, put into the copy if it is not there. */
uint32_t ccfc_excerpt_string(struct ccfc_excerpt_copying *c, uint32_t home);

/* excerpt_more.c: the prompts of a session. */
void ccfc_excerpt_copy_prompts(struct ccfc_excerpt_copying *c, uint32_t own);
/* The backups of a session, when they are known of each file. */
void ccfc_excerpt_know_backups(struct ccfc_excerpt_copying *c, uint32_t own);
void ccfc_excerpt_copy_backups(struct ccfc_excerpt_copying *c, uint32_t own);
/* The disk events of a file that belong neither to a tool nor to a command. */
void ccfc_excerpt_copy_seen(struct ccfc_excerpt_copying *c, uint32_t own);
/* The disk events of a change. */
void ccfc_excerpt_copy_effects(struct ccfc_excerpt_copying *c, uint32_t own);
/*
 * The reads of a file; the second function puts all of them into the excerpt at
 * the end.
 */
void ccfc_excerpt_copy_looks(struct ccfc_excerpt_copying *c, uint32_t own);
void ccfc_excerpt_keep_looks(struct ccfc_excerpt_copying *c);
/* Files that were moved to that one by its last few changes; how many. */
#define CCFC_EXCERPT_MOVED 8u
uint32_t ccfc_excerpt_moved(uint32_t out[CCFC_EXCERPT_MOVED],
			    const struct ccfc_index *index, uint32_t file);
/* The commands that were asked for, in the numbers of the excerpt. */
void ccfc_excerpt_keep_commands(struct ccfc_excerpt_copying *c);

#endif
