/*
 * Forgetting in the daemon: the list of forgotten items, the sieve of forgotten
 * lines, and finishing a removal (serve/forget/removal.h) at the start. Core
 * thread, except where it says otherwise.
 */
#ifndef CCFC_FORGETTING_H
#define CCFC_FORGETTING_H

#include "archive/archive.h"
#include "config.h"
#include "forget/forgotten.h"
#include "serve/forget/removal.h"

struct ccfc_forgetting;

/*
 * Reads the list, and finishes a removal that a killed daemon had begun:
 * nothing in the state directory is open yet. A failed removal is logged; the
 * next start tries again.
 */
int ccfc_forgetting_new(struct ccfc_forgetting **out,
			const struct ccfc_config *config, struct ccfc_err *err);
void ccfc_forgetting_free(struct ccfc_forgetting *forgetting);

/*
 * List and sieve are valid until the second ccfc_forgetting_take from now. The
 * sieve may be NULL.
 */
const struct ccfc_forgotten *
ccfc_forgetting_list(const struct ccfc_forgetting *forgetting);
const struct ccfc_archive_sieve *
ccfc_forgetting_sieve(const struct ccfc_forgetting *forgetting);

/* Projects that are never read; NULL: none. */
struct ccfc_excluded *
ccfc_forgetting_excluded(const struct ccfc_forgetting *forgetting);

/* Must this session not be observed? For the observer's thread. */
bool ccfc_forgetting_ignores(void *forgetting, struct ccfc_slice session,
			     struct ccfc_slice cwd);

/*
 * Replaces the list by `list`, and owns that. Of earlier lists, only the last
 * one may still be in use.
 */
void ccfc_forgetting_take(struct ccfc_forgetting *forgetting,
			  struct ccfc_forgotten *list);

/* A removal of what is on the list; the caller frees the removal. */
struct ccfc_removal *
ccfc_forgetting_removal(const struct ccfc_forgetting *forgetting);
/* Everything was removed: the next start has nothing to finish. */
int ccfc_forgetting_done(struct ccfc_forgetting *forgetting,
			 struct ccfc_err *err);
/* The list was removed from the disk: writes it again. */
void ccfc_forgetting_restore(struct ccfc_forgetting *forgetting);

#endif
