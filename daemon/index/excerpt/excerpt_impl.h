/*
 * Shared by the files of an excerpt while it is made (excerpt.c,
 * excerpt_more.c). Core thread.
 */
#ifndef CCFC_INDEX_EXCERPT_EXCERPT_IMPL_H
#define CCFC_INDEX_EXCERPT_EXCERPT_IMPL_H

#include "index/excerpt/excerpt.h"

/* Consecutive changes mostly have the same strings. */
#define CCFC_EXCERPT_RECENT 256u

/* Rows of one kind, by number at home: the own number. */
struct ccfc_excerpt_marks {
	uint32_t *own; /* 0: not wanted, else one more than the number */
	uint32_t n;    /* at home */
};

struct ccfc_excerpt_copying {
	const struct ccfc_excerpting *e;
	const struct ccfc_index *from;
	struct ccfc_excerpt *ex;
	struct ccfc_index *to;
	struct ccfc_excerpt_marks sources, sessions;
	/* Strings, each at its home number modulo the size. */
	struct {
		uint32_t home, own;
	} recent[CCFC_EXCERPT_RECENT];
};

/* The own number of a transcript; CCFC_ID_NONE where it is not wanted. */
uint32_t ccfc_excerpt_source(const struct ccfc_excerpt_copying *c,
			     uint32_t home);
/* A string, put into the copy if it is not there. */
uint32_t ccfc_excerpt_string(struct ccfc_excerpt_copying *c, uint32_t home);

/* excerpt_more.c: the prompts of the sessions; backups and looks. */
void ccfc_excerpt_copy_prompts(struct ccfc_excerpt_copying *c);
void ccfc_excerpt_copy_backups(struct ccfc_excerpt_copying *c);
/* What was seen on disk of the files and is neither a tool's nor a command's.
 */
void ccfc_excerpt_copy_seen(struct ccfc_excerpt_copying *c);
/* And what is, with its change. */
void ccfc_excerpt_copy_effects(struct ccfc_excerpt_copying *c);
void ccfc_excerpt_copy_looks(struct ccfc_excerpt_copying *c);
/* Files that were moved to that one by its last few changes; how many. */
#define CCFC_EXCERPT_MOVED 8u
uint32_t ccfc_excerpt_moved(uint32_t out[CCFC_EXCERPT_MOVED],
			    const struct ccfc_index *index, uint32_t file);
/* The commands that were asked for, in the numbers of the excerpt. */
void ccfc_excerpt_keep_commands(struct ccfc_excerpt_copying *c);

#endif
