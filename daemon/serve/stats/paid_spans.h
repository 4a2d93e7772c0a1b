/*
 * What sessions cost by the running totals that their clients recorded. A span
 * is what was added to a total between two records of it, and the time in
 * which that was spent. The messages of that time are paid for by the span;
 * nobody knows what each of them cost.
 *
 * A total goes on where its session is resumed, and where the session is
 * forked: the fork's total begins with what the other session had cost by then.
 */
#ifndef CCFC_SERVE_STATS_PAID_SPANS_H
#define CCFC_SERVE_STATS_PAID_SPANS_H

#include "base/arena.h"
#include "index/query/sorting.h"
#include "index/query/totals.h"

struct ccfc_paid_span {
	uint32_t session;
	int64_t from, until; /* both are within it */
	uint64_t cost;	     /* CCFC_COST_DOLLAR is one */
	uint64_t tokens;     /* that the client counted */
	bool unsure;	     /* it did not know a model's price */
	/* Places in ccfc_paid_spans.order: the rows of the total, by model, and
	 * of the one that it goes on from. */
	uint32_t rows, nrows, base, nbase;
	/* Of the messages that it pays for: */
	int64_t first, last; /* CCFC_TIME_NONE: there is none */
	uint64_t said;	     /* tokens */
	bool agents;	     /* some are of agents */
};

struct ccfc_paid_spans {
	struct ccfc_paid_span *items; /* by session and time */
	uint32_t n;
	/* paid_spans.c's own: */
	const struct ccfc_index *index;
	uint32_t *order; /* rows of running_costs */
	uint32_t norder;
	uint32_t *heads; /* by session: its first span; ID_NONE: none */
	int64_t *begun;	 /* by session: its first message of its own */
	uint32_t nsessions;
	struct ccfc_sorting sorting;
};

/* All memory is the arena's. Without records no other call does anything. */
void ccfc_paid_spans_begin(struct ccfc_paid_spans *spans,
			   const struct ccfc_index *index,
			   struct ccfc_arena *arena);
/* First for all messages, */
void ccfc_paid_spans_note(struct ccfc_paid_spans *spans,
			  const struct ccfc_said *said);
/* then, after being prepared once, until it returns false, */
void ccfc_paid_spans_prepare(struct ccfc_paid_spans *spans,
			     struct ccfc_arena *arena);
bool ccfc_paid_spans_sort(struct ccfc_paid_spans *spans, size_t rows);
/* then once, */
void ccfc_paid_spans_make(struct ccfc_paid_spans *spans);
/* then for all messages again. */
void ccfc_paid_spans_add(struct ccfc_paid_spans *spans,
			 const struct ccfc_said *said);

/* The one that pays for a message, or NULL. */
struct ccfc_paid_span *ccfc_paid_spans_of(const struct ccfc_paid_spans *spans,
					  const struct ccfc_said *said);

/* What one model has of it: `i` from 0 to nrows - 1. */
uint64_t ccfc_paid_spans_model(const struct ccfc_paid_spans *spans,
			       const struct ccfc_paid_span *span, uint32_t i,
			       uint32_t *model);

#endif
