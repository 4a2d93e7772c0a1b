/* One side of a change, as replay determines it. See struct ccfc_side_state. */
#ifndef CCFC_HISTORY_CHAIN_STATE_H
#define CCFC_HISTORY_CHAIN_STATE_H

#include "history/chain/chain.h"

/* Known, by that text; exact until it is weakened. */
void ccfc_state_set(struct ccfc_side_state *s, enum ccfc_how how,
		    enum ccfc_origin origin, struct ccfc_slice text);

/* And these very bytes were seen on disk, so their form is known. */
void ccfc_state_set_seen(struct ccfc_side_state *s,
			 const struct ccfc_form *form);

/* Known: there was no file. */
void ccfc_state_set_absent(struct ccfc_side_state *s, enum ccfc_how how,
			   enum ccfc_origin origin);

/* Not known; with a patch, in part. */
void ccfc_state_set_unknown(struct ccfc_side_state *s, bool has_patch,
			    const char *why);

/* Reconstructed; if `pending`, until ccfc_state_confirm. */
void ccfc_state_weaken(struct ccfc_side_state *s, const char *why,
		       bool pending);

static inline bool ccfc_state_is_known(const struct ccfc_side_state *s)
{
	return s->how != CCFC_HOW_NOT;
}

/* The same text, or no file on both. Both are known. */
bool ccfc_state_same(const struct ccfc_side_state *a,
		     const struct ccfc_side_state *b);

/* The steps that led to the state before node i turned out to be right. */
void ccfc_state_confirm(struct ccfc_chain *chain, uint32_t i);

#endif
