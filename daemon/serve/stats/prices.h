/*
 * The cost of tokens, by the user's file `prices` beside the configuration.
 * None is shipped: prices change, and wrong prices are worse than none. See
 * ccfc.conf(5) for the file.
 */
#ifndef CCFC_SERVE_STATS_PRICES_H
#define CCFC_SERVE_STATS_PRICES_H

#include "index/query/totals.h"

struct ccfc_price {
	char *model; /* '*' at its end: names that begin so */
	int kind;    /* as the members of struct ccfc_tokens */
	int64_t from;
	double dollars; /* of a million tokens */
};

struct ccfc_prices {
	struct {
		struct ccfc_price *items;
		uint32_t n, cap;
	} all;
};

/* Reads the file; without one there are no prices. CCFC_EINVAL names a line. */
int ccfc_prices_read(struct ccfc_prices *prices, struct ccfc_err *err);
void ccfc_prices_release(struct ccfc_prices *prices);

/*
 * Adds the cost of the tokens to *dollars; returns how many have no price. The
 * most exact name counts, then the latest date that is not after `time`.
 */
uint64_t ccfc_prices_add(const struct ccfc_prices *prices, double *dollars,
			 struct ccfc_slice model, int64_t time,
			 const struct ccfc_tokens *tokens);

#endif
