/*
 * Subscriptions and deferred builds, for methods.c: their connections, and
 * their end. Core thread.
 */
#ifndef CCFC_SERVE_METHODS_SUBSCRIPTIONS_H
#define CCFC_SERVE_METHODS_SUBSCRIPTIONS_H

#include "serve/rpc/request.h"

void ccfc_subs_closed(struct ccfc_methods *methods, uint64_t conn);
void ccfc_subs_drained(struct ccfc_methods *methods, uint64_t conn);
void ccfc_subs_release(struct ccfc_methods *methods);
void ccfc_builds_release(struct ccfc_methods *methods);

#endif
