/*
 * Taking in what another machine has seen on disk, which an import brought
 * (ccfc_archive_seen): events, their contents, and marks of commands. Core
 * thread, a slice at a time. What is forgotten or excluded here stays out, with
 * its contents. It may be cut off anywhere and begun again.
 */
#ifndef CCFC_SEEN_IMPORT_H
#define CCFC_SEEN_IMPORT_H

#include "archive/archive.h"
#include "forget/forgotten.h"
#include "index/index.h"
#include "ingest/excluded.h"
#include "ingest/ingest.h"
#include "observing.h"

struct ccfc_seen_import;

struct ccfc_seen_import_env {
	struct ccfc_archive *archive;
	struct ccfc_index *index;
	struct ccfc_ingest *ingest; /* which stores */
	struct ccfc_observing *observing;
	const struct ccfc_forgotten *forgotten;
	struct ccfc_excluded *excluded;
};

struct ccfc_seen_import *ccfc_seen_import_new(void);
/* What is not taken in yet stays for the next start. */
void ccfc_seen_import_free(struct ccfc_seen_import *import);
/* Takes in a slice, if there is anything. True: there is more. */
bool ccfc_seen_import_step(struct ccfc_seen_import *import,
			   const struct ccfc_seen_import_env *env);

#endif
