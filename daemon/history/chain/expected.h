/*
 * The archived lines that a question about changes may read: those of all
 * changes in its excerpt. They can be made ready while others are worked on.
 */
#ifndef CCFC_HISTORY_CHAIN_EXPECTED_H
#define CCFC_HISTORY_CHAIN_EXPECTED_H

#include "history/history.h"

/*
 * In about the order in which a history reads them. The caller frees the list;
 * the paths are those of the index.
 */
struct ccfc_attic_line *ccfc_history_expected(const struct ccfc_index *index,
					      uint32_t *n);

#endif
