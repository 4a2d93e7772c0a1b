/* The transcript's lines of one change. */
#ifndef CCFC_HISTORY_CHAIN_LINES_H
#define CCFC_HISTORY_CHAIN_LINES_H

#include "history/history.h"

/* The line at a place, padded, in `arena`; empty if it is gone. */
struct ccfc_slice ccfc_history_line(const struct ccfc_history_env *env,
				    const struct ccfc_place *place,
				    struct ccfc_arena *arena);

/* The line of the call alone, likewise. */
struct ccfc_slice ccfc_history_call_line(const struct ccfc_history_env *env,
					 const struct ccfc_change *change,
					 struct ccfc_arena *arena);

/*
 * The lines of the call and of the result, padded for the parser, in `arena`; a
 * line that is gone is empty. False when both are gone.
 */
bool ccfc_history_lines(struct ccfc_slice *call, struct ccfc_slice *result,
			const struct ccfc_history_env *env,
			const struct ccfc_change *change,
			struct ccfc_arena *arena);

/* What these lines say about the file's content, in `arena`; false: nothing. */
bool ccfc_history_evidence(struct ccfc_evidence *out,
			   const struct ccfc_history_env *env,
			   const struct ccfc_change *change,
			   struct ccfc_arena *arena);

#endif
