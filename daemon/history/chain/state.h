/*
 * The state on one side of a change, as replay determines it. See struct
 * ccfc_side_state.
 */
#ifndef CCFC_HISTORY_CHAIN_STATE_H
#define CCFC_HISTORY_CHAIN_STATE_H

#include "history/chain/chain.h"

/* Known: this text. Exact until it is weakened. */
void ccfc_state_set(struct ccfc_side_state *s, enum ccfc_how how,
		    enum ccfc_origin origin, struct ccfc_slice text);

/* These very bytes were seen on disk, so their form is known. */
void ccfc_state_set_seen(struct ccfc_side_state *s,
			 const struct ccfc_form *form);

/* Known: there was no file. */
void ccfc_state_set_absent(struct ccfc_side_state *s, enum ccfc_how how,
			   enum ccfc_origin origin);

/* Unknown; with a patch, partly known. */
void ccfc_state_set_unknown(struct ccfc_side_state *s, bool has_patch,
			    const char *why);

/* Reconstructed; with `pending`, until ccfc_state_confirm. */
void ccfc_state_weaken(struct ccfc_side_state *s, const char *why,
		       bool pending);

static inline bool ccfc_state_is_known(const struct ccfc_side_state *s)
{
	return s->how != CCFC_HOW_NOT;
}

/* Have both, which are known, the same text, or no file? */
bool ccfc_state_same(const struct ccfc_side_state *a,
		     const struct ccfc_side_state *b);

/* A later state confirms the steps that led to the state before node i. */
void ccfc_state_confirm(struct ccfc_chain *chain, uint32_t i);

#endif
