/*
 * The list of forgotten items, <state>/forgotten, and its copy. They are
 * separate from the index, so that the list outlives the index.
 *
 * The list does not name the items. It has hashes (the first 16 bytes of
 * SHA-256) of session ids, of paths of transcripts, files and directories, and
 * of names of backups, and the time up to which events are forgotten. Only
 * during a removal it also has, in plain text, what else is to be removed
 * (`below`, `before`). The list is then the journal with which the next start
 * finishes the removal of a killed daemon.
 *
 * Several threads read a list, so its items are not changed: a longer list is a
 * copy (ccfc_forgotten_copy) that takes its place. Only the removal itself
 * reads the part about the removal.
 */
#ifndef CCFC_FORGET_FORGOTTEN_H
#define CCFC_FORGET_FORGOTTEN_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

struct ccfc_forgotten;

/*
 * Reads the list of a state directory; without a file, the list is empty. If
 * the list and its copy are damaged, lines that cannot be read are left out,
 * and their number is logged.
 */
int ccfc_forgotten_new(struct ccfc_forgotten **out, const char *state_dir,
		       struct ccfc_err *err);
void ccfc_forgotten_free(struct ccfc_forgotten *list);
/* Are the list and its copy undamaged, or is there neither? Any thread. */
bool ccfc_forgotten_is_whole(const char *state_dir);
struct ccfc_forgotten *ccfc_forgotten_copy(const struct ccfc_forgotten *list);

/* --- queries; a NULL list is an empty list --- */

/* Does the list have any session, transcript or file? */
bool ccfc_forgotten_any(const struct ccfc_forgotten *list);
bool ccfc_forgotten_session(const struct ccfc_forgotten *list,
			    struct ccfc_slice id);
/* Was the transcript at this path forgotten? */
bool ccfc_forgotten_source(const struct ccfc_forgotten *list,
			   struct ccfc_slice path);
/*
 * Is what happened to this file at that time forgotten? CCFC_TIME_NONE: at an
 * unknown time. Changes after the file was forgotten are new, and are kept.
 */
bool ccfc_forgotten_file(const struct ccfc_forgotten *list,
			 struct ccfc_slice path, int64_t time);
/* Is this the backup of a forgotten file? `name`: in the session's folder. */
bool ccfc_forgotten_backup(const struct ccfc_forgotten *list,
			   struct ccfc_slice session, struct ccfc_slice name);
/* Is this a forgotten file? `path`: as in the session's snapshots. */
bool ccfc_forgotten_tracked(const struct ccfc_forgotten *list,
			    struct ccfc_slice session, struct ccfc_slice path);
/*
 * Is the event on disk of this file at that time forgotten: with the file, with
 * a directory above it, or with all events up to a later time?
 */
bool ccfc_forgotten_seen(const struct ccfc_forgotten *list,
			 struct ccfc_slice path, int64_t time);
/* Does the list have any file? */
bool ccfc_forgotten_files(const struct ccfc_forgotten *list);

/* --- the running removal; the list is not NULL --- */

/* Is a removal running, or to be finished? May be NULL. */
bool ccfc_forgotten_due(const struct ccfc_forgotten *list);
/* True: the events on disk of this file are to be removed. */
bool ccfc_forgotten_below(const struct ccfc_forgotten *list,
			  struct ccfc_slice path);
/*
 * Events and contents before this time are to be removed; CCFC_TIME_NONE: none.
 */
int64_t ccfc_forgotten_before(const struct ccfc_forgotten *list);

/* --- adding --- */

void ccfc_forgotten_add_session(struct ccfc_forgotten *list,
				struct ccfc_slice id);
void ccfc_forgotten_add_source(struct ccfc_forgotten *list,
			       struct ccfc_slice path);
/* A backup of a file; an empty name: the file is tracked only. */
void ccfc_forgotten_add_backup(struct ccfc_forgotten *list,
			       struct ccfc_slice session,
			       struct ccfc_slice name, struct ccfc_slice path);
void ccfc_forgotten_add_file(struct ccfc_forgotten *list,
			     struct ccfc_slice path, int64_t until);
/*
 * Events below this directory are removed. Events up to `until` also stay out
 * if they come later, with an import; later events are kept.
 */
void ccfc_forgotten_add_below(struct ccfc_forgotten *list,
			      struct ccfc_slice dir, int64_t until);
void ccfc_forgotten_set_before(struct ccfc_forgotten *list, int64_t time);

/*
 * Writes the list and its copy; 0: both are on the disk. Unless `due`, the part
 * about the removal is removed first, from `list`, too.
 */
int ccfc_forgotten_save(struct ccfc_forgotten *list, bool due,
			struct ccfc_err *err);

#endif
