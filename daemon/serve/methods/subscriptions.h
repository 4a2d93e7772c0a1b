/*
 * Subscriptions and deferred builds, for methods.c: what happens when
 * connections or the index change. Core thread.
 */
#ifndef CCFC_SERVE_METHODS_SUBSCRIPTIONS_H
#define CCFC_SERVE_METHODS_SUBSCRIPTIONS_H

#include "serve/rpc/request.h"

void ccfc_subs_closed(struct ccfc_methods *methods, uint64_t conn);
void ccfc_subs_drained(struct ccfc_methods *methods, uint64_t conn);
/* The sessions have new numbers; see ccfc_methods_reindexed. */
void ccfc_subs_reindexed(struct ccfc_methods *methods,
			 const struct ccfc_index *old);
/*
 * Tells all subscribers that these sessions are forgotten and that everything
 * must be requested again.
 */
void ccfc_subs_forgotten(struct ccfc_methods *methods,
			 const struct ccfc_slice *sessions, uint32_t n);
void ccfc_subs_release(struct ccfc_methods *methods);
void ccfc_builds_release(struct ccfc_methods *methods);

#endif
