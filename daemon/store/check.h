/*
 * Checks the store on disk, through its own connection and descriptor,
 * independent of the daemon's memory. Any thread; reads only.
 */
#ifndef CCFC_STORE_CHECK_H
#define CCFC_STORE_CHECK_H

#include "base/err.h"
#include "store/texts/texts.h"

#include <stdatomic.h>

#define CCFC_CHECK_PROBLEMS 20 /* at most so many problems of index.db */

struct ccfc_check {
	struct {
		char **items; /* of index.db, one line each */
		uint32_t n, cap;
	} problems;
	int64_t schema, reader; /* versions in the file; 0: none */
	uint64_t rows;		/* that were checked; only if deep */
	uint64_t texts;		/* without damage */
	uint64_t damaged_texts; /* places in the file of texts */
};

/*
 * Checks <dir>/index.db and the texts in `view`; with `deep` also the checksum
 * of every row, and whether a row is missing. Damage is not an error, but in
 * `out`; an error means that the check was not possible. Ends early, without a
 * usable result, when *cancelled is set. Release `out` also after an error.
 */
int ccfc_check_run(struct ccfc_check *out, const char *dir,
		   const struct ccfc_texts_view *view, bool deep,
		   const atomic_bool *cancelled, struct ccfc_err *err);
void ccfc_check_release(struct ccfc_check *check);

#endif
