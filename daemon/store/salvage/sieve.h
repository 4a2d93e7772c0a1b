/*
 * The items that an import leaves out because they are to be forgotten
 * (forget/forgotten.h): the rows of forgotten sessions, changes of forgotten
 * files, and disk events of both. Within store/ only. Any thread, as for an
 * import.
 *
 * A disk event usually names no session. It is left out
 *
 * - if the client of a forgotten session caused it, or its file is forgotten;
 * - if the running removal names its directory or its time;
 * - if a forgotten session was live in a directory above it at that time, and
 *   either no other session was, or only forgotten ones changed the file.
 */
#ifndef CCFC_STORE_SALVAGE_SIEVE_H
#define CCFC_STORE_SALVAGE_SIEVE_H

#include "forget/forgotten.h"
#include "store/salvage/import.h"

struct ccfc_import_sieve {
	const struct ccfc_forgotten *list;
	struct {
		char **items; /* of files, by that store's ids; may be NULL */
		uint32_t n, cap;
	} paths;
	struct {
		struct ccfc_sieve_span {
			int64_t start, end;
			struct ccfc_ids roots;	 /* strings of the index */
			struct ccfc_ids sources; /* by that store's ids */
			bool goes;
		} * items;
		uint32_t n, cap;
	} spans;		     /* of all sessions */
	struct ccfc_ids going;	     /* by that store's ids of sessions: 1 */
	struct ccfc_ids shared;	     /* sources, by that store's ids, that have
				      * lines of what goes */
	struct ccfc_ids shared_here; /* the same, by the index's */
	/* By that store's ids of files: 1 */
	struct ccfc_ids touched; /* that forgotten sessions changed */
	struct ccfc_ids rest;	 /* that others changed */
	/* Commands that changed a forgotten file, by that store's ids: 1 */
	struct ccfc_ids commands;
};

void ccfc_sieve_release(struct ccfc_import_sieve *sieve);

/* Is the row left out? Without a sieve no row is. */
bool ccfc_sieve_source(const struct ccfc_import_sieve *sieve,
		       struct ccfc_slice path, struct ccfc_slice session);
bool ccfc_sieve_session(struct ccfc_import *im, int64_t id,
			struct ccfc_slice uuid, const struct ccfc_session *row);
/* `row` has that store's ids. */
bool ccfc_sieve_change(struct ccfc_import *im, int64_t id,
		       const struct ccfc_change *row);
/*
 * Call it for all changes before asking about any: commands come before their
 * changes.
 */
void ccfc_sieve_see_change(struct ccfc_import_sieve *sieve,
			   const struct ccfc_change *row);
bool ccfc_sieve_look(const struct ccfc_import_sieve *sieve, uint32_t file,
		     int64_t time);
/* `row` has the index's ids. */
bool ccfc_sieve_backup(const struct ccfc_import *im,
		       const struct ccfc_backup_ref *row);
/* `event` has that store's id of the file. */
bool ccfc_sieve_event(const struct ccfc_import *im,
		      const struct ccfc_disk_event *event);

/* Call it for a file before anything names the file. */
void ccfc_sieve_file(struct ccfc_import_sieve *sieve, int64_t id,
		     struct ccfc_slice path);
/* Empty: there is no such file. */
struct ccfc_slice ccfc_sieve_path(const struct ccfc_import_sieve *sieve,
				  int64_t id);

/*
 * A call of the index was about a forgotten file: adds the call's transcript.
 */
void ccfc_sieve_share_call(struct ccfc_import *im, uint32_t call);
/*
 * All rows were read: sessions near forgotten files may contain their contents
 * without a row that says so, and are added to the list.
 */
void ccfc_sieve_share_near(struct ccfc_import *im);

/* Was it changed by a forgotten session, or is it forgotten itself? */
bool ccfc_sieve_touched(const struct ccfc_import_sieve *sieve,
			struct ccfc_slice path);

#endif
