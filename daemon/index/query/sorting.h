/* Sorting piece by piece: by merging, stable. */
#ifndef CCFC_INDEX_QUERY_SORTING_H
#define CCFC_INDEX_QUERY_SORTING_H

#include <stdbool.h>
#include <stddef.h>

struct ccfc_sorting {
	char *items; /* of ccfc_sorting_init; in order when all is done */
	char *spare;
	size_t n, size;
	int (*compare)(const void *x, const void *y);
	/* sorting.c's own: */
	size_t run;	    /* so many each are in order; 0: not yet */
	size_t at;	    /* the next one to find in this pass */
	size_t left, right; /* the next ones of the two runs that are merged */
};

/*
 * `items` and `spare` have room for `n` of `size` bytes each. They are the
 * caller's, and may have changed places afterwards.
 */
void ccfc_sorting_init(struct ccfc_sorting *s, void *items, void *spare,
		       size_t n, size_t size,
		       int (*compare)(const void *x, const void *y));
/* Moves about `most` items; false when all is done. */
bool ccfc_sorting_some(struct ccfc_sorting *s, size_t most);

#endif
