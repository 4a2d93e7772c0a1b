/*
 * Imports disk events of another machine (ccfc_archive_seen): events, their
 * contents, and marks of commands. Core thread, a slice at a time. Forgotten or
 * excluded items are left out, with their contents. It may be interrupted
 * anywhere and started again.
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
/* Events that are not imported yet stay for the next start. */
void ccfc_seen_import_free(struct ccfc_seen_import *import);
/* Imports a slice, if there is anything. True: there is more. */
bool ccfc_seen_import_step(struct ccfc_seen_import *import,
			   const struct ccfc_seen_import_env *env);

#endif
