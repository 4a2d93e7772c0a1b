/*
 * Subscriptions and deferred builds, for methods.c: their connections, and
 * their end. Core thread.
 */
#ifndef CCFC_SERVE_METHODS_SUBSCRIPTIONS_H
#define CCFC_SERVE_METHODS_SUBSCRIPTIONS_H

#include "serve/rpc/request.h"

void ccfc_subs_closed(struct ccfc_methods *methods, uint64_t conn);
void ccfc_subs_drained(struct ccfc_methods *methods, uint64_t conn);
/* Their sessions have other numbers now; see ccfc_methods_reindexed. */
void ccfc_subs_reindexed(struct ccfc_methods *methods,
			 const struct ccfc_index *old);
/* Tells all that these sessions are forgotten, and that all is to be asked for
 * again. */
void ccfc_subs_forgotten(struct ccfc_methods *methods,
			 const struct ccfc_slice *sessions, uint32_t n);
void ccfc_subs_release(struct ccfc_methods *methods);
void ccfc_builds_release(struct ccfc_methods *methods);

#endif
