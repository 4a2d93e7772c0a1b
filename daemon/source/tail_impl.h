/*
 * Shared by the files that read transcripts: tail.c (from a cursor on) and
 * tail_read_at.c (one line at a known place).
 */
#ifndef CCFC_SOURCE_TAIL_IMPL_H
#define CCFC_SOURCE_TAIL_IMPL_H

#include "source/input.h"
#include "source/tail.h"

/* Kept transcripts that ccfc_tail_read_at leaves open for the next line. */
#define CCFC_TAIL_OPEN_KEPT 16u

struct ccfc_tail {
	size_t max_line;

	void *block; /* as allocated; mem is its first page boundary */
	char *mem;
	size_t cap;  /* a multiple of pages; CCFC_TAIL_PADDING bytes follow */
	size_t lo;   /* mem[lo, end) are bytes of the file */
	size_t pos;  /* start of the line that is next */
	size_t scan; /* mem[pos, scan) holds no newline */
	size_t end;

	struct ccfc_input in;
	uint64_t limit; /* read up to here: size, or less if it shrank */
	uint64_t at;	/* offset in the file of mem[end] */
	uint64_t probe; /* look for a newline from here first, or 0 */
	uint64_t seen;	/* the rest was looked at up to here, or 0 */
	bool moved;	/* the cursor's marker is out of date */
	bool within;	/* the cursor is within a line: its start was used */

	const struct ccfc_attic *attic; /* may be NULL */
	struct ccfc_tail_kept {
		char *path;
		uint32_t gen;
		struct ccfc_input in;
	} kept[CCFC_TAIL_OPEN_KEPT]; /* the one that was used last is first */

	const struct ccfc_attic_line *expected; /* see ccfc_tail_expect */
	uint32_t nexpected;
	bool announced; /* the attic has the list */

	bool (*ask_over)(void *ctx); /* see ccfc_tail_until; may be NULL */
	void *ctx;
	bool over;    /* ask_over has returned true */
	bool starved; /* see ccfc_tail_is_starved */
};

/* Makes the buffer empty. */
void ccfc_tail_set_capacity(struct ccfc_tail *tail, size_t cap);
/* The memory of one huge line is not kept for ever. */
void ccfc_tail_free_large_buffer(struct ccfc_tail *tail);

/* Right after an input could not be opened or read. */
void ccfc_tail_note_errno(struct ccfc_tail *tail);
/* The error of errno, which is returned. */
int ccfc_tail_read_error(struct ccfc_err *err, uint64_t offset);
/* CCFC_EAGAIN if the question is over (ccfc_tail_until), or 0. */
int ccfc_tail_fail_if_over(struct ccfc_tail *tail, struct ccfc_err *err);

#endif
