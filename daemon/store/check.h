/*
 * Is the store as it should be? Looks at what is on disk, through a connection
 * and a descriptor of its own: what the daemon holds in memory does not count.
 * Any thread; reads only.
 */
#ifndef CCFC_STORE_CHECK_H
#define CCFC_STORE_CHECK_H

#include "base/err.h"
#include "store/texts/texts.h"

#include <stdatomic.h>

#define CCFC_CHECK_PROBLEMS 20 /* so many are told of index.db */

struct ccfc_check {
	struct {
		char **items; /* of index.db, one line each */
		uint32_t n, cap;
	} problems;
	int64_t schema, reader; /* versions that the file says; 0: none */
	uint64_t rows;		/* that are whole; only looked at if deep */
	uint64_t texts;		/* that are whole */
	uint64_t damaged_texts; /* places in the file of texts */
};

/*
 * Checks <dir>/index.db and the texts in `view`; with `deep` the sum of every
 * row too, and whether one is missing. Damage is no error, but in
 * `out`; an error is what kept it from looking. Ends early, with nothing that
 * counts, when *cancelled is set. Release `out` also after an error.
 */
int ccfc_check_run(struct ccfc_check *out, const char *dir,
		   const struct ccfc_texts_view *view, bool deep,
		   const atomic_bool *cancelled, struct ccfc_err *err);
void ccfc_check_release(struct ccfc_check *check);

#endif
