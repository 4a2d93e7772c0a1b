/*
 * Forgetting in the daemon: the list of what is forgotten, the lines that it
 * concerns, and removing what is kept. Core thread, except where it says
 * otherwise.
 */
#ifndef CCFC_FORGETTING_H
#define CCFC_FORGETTING_H

#include "archive/archive.h"
#include "config.h"
#include "forget/forgotten.h"

struct ccfc_forgetting;

/*
 * Reads the list. A removal that a killed daemon had begun is finished first:
 * nothing in the state directory is open yet. That it fails is logged; the next
 * start tries again.
 */
int ccfc_forgetting_new(struct ccfc_forgetting **out,
			const struct ccfc_config *config, struct ccfc_err *err);
void ccfc_forgetting_free(struct ccfc_forgetting *forgetting);

/* Both until the next ccfc_forgetting_take. The sieve may be NULL. */
const struct ccfc_forgotten *
ccfc_forgetting_list(const struct ccfc_forgetting *forgetting);
const struct ccfc_archive_sieve *
ccfc_forgetting_sieve(const struct ccfc_forgetting *forgetting);

/* Projects that are never read; NULL: none. */
struct ccfc_excluded *
ccfc_forgetting_excluded(const struct ccfc_forgetting *forgetting);

/* Is nothing to be observed for this session? For the observer's thread. */
bool ccfc_forgetting_ignores(void *forgetting, struct ccfc_slice session,
			     struct ccfc_slice cwd);

/* The list is now this one, which is taken. Nobody uses the old one. */
void ccfc_forgetting_take(struct ccfc_forgetting *forgetting,
			  struct ccfc_forgotten *list);

struct ccfc_forgetting_result {
	uint64_t bytes; /* of the state directory, that went */
	uint32_t undo;	/* entries of the undo area */
};
/*
 * Removes all that is on the list, and notes that it is done. The store, the
 * archive and the blobs are closed.
 */
int ccfc_forgetting_remove(struct ccfc_forgetting_result *out,
			   struct ccfc_forgetting *forgetting,
			   struct ccfc_err *err);

#endif
