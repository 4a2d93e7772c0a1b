/*
 * The cost of sessions by the running totals that their clients recorded. A
 * span is the increase of a total between two records, and the time in which it
 * was spent. It pays for the messages of that time; the cost of a single
 * message is not known. A message that forks copied may count for another
 * session than the one whose client paid for it.
 *
 * A total continues when its session is resumed, and when it is forked: the
 * fork's total begins with the cost of the other session up to then.
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
	bool unsure;	     /* it did not know a model's price */
	/*
	 * Places in ccfc_paid_spans.order: the rows of the total, by model, and
	 * of the total that it continues.
	 */
	uint32_t rows, nrows, base, nbase;
	/* Of the messages that it pays for: */
	int64_t first, last; /* CCFC_TIME_NONE: there is none */
	uint64_t unnamed;    /* tokens of models that the total does not name */
	bool agents;	     /* some are of agents */
	bool shared;	     /* some count for another session */
	bool cut; /* some count for a session that is not asked for */
};

struct ccfc_paid_spans {
	struct ccfc_paid_span *items; /* by session and time */
	uint32_t n;
	/* paid_spans.c's own: */
	const struct ccfc_index *index;
	uint32_t *order; /* rows of running_costs */
	uint64_t *said;	 /* by place in it: tokens of messages of that model */
	uint32_t norder;
	uint32_t *heads; /* by session: its first span; ID_NONE: none */
	uint32_t nsessions;
	uint32_t *payer; /* by message: its span; ID_NONE: none */
	uint32_t nmessages;
	struct ccfc_sorting sorting;
};

/* The arena has all memory. Without records no other call does anything. */
void ccfc_paid_spans_begin(struct ccfc_paid_spans *spans,
			   const struct ccfc_index *index,
			   struct ccfc_arena *arena);
/* To be called until it returns false, then ccfc_paid_spans_make once. */
bool ccfc_paid_spans_sort(struct ccfc_paid_spans *spans, size_t rows);
void ccfc_paid_spans_make(struct ccfc_paid_spans *spans);
/* Then for each message, by its row. `wanted`: its session is asked for. */
void ccfc_paid_spans_add(struct ccfc_paid_spans *spans, uint32_t message,
			 const struct ccfc_message_fact *said, bool wanted);

/* The span that pays for a message, or NULL. */
const struct ccfc_paid_span *
ccfc_paid_spans_of(const struct ccfc_paid_spans *spans, uint32_t message);

/* One model's part of a span. */
struct ccfc_paid_part {
	uint32_t model; /* string; 0: not recorded */
	uint64_t cost;
	uint64_t missing; /* tokens of messages that the client did not count */
};

/* `i` from 0 to nrows - 1. */
struct ccfc_paid_part ccfc_paid_spans_part(const struct ccfc_paid_spans *spans,
					   const struct ccfc_paid_span *span,
					   uint32_t i);
/* Has the span a part of that model? */
bool ccfc_paid_spans_names(const struct ccfc_paid_spans *spans,
			   const struct ccfc_paid_span *span, uint32_t model);
/* Tokens of messages that the client did not count, of all models. */
uint64_t ccfc_paid_spans_missing(const struct ccfc_paid_spans *spans,
				 const struct ccfc_paid_span *span);

#endif
