/*
 * The list of forgotten items, <state>/forgotten. It is a separate file, so
 * that it outlives the index.
 *
 * The list does not name the items: it has hashes (the first 16 bytes of
 * SHA-256) of session ids, of paths of transcripts, files and directories, and
 * of names of backups. Only during a removal it also has, in plain text, what
 * else is to be removed (`below`, `before`): it is then the journal with which
 * the next start finishes the removal of a killed daemon.
 *
 * Several threads read a list, so it is not changed: a longer list is a copy
 * (ccfc_forgotten_copy) that takes its place. Only the removal itself reads the
 * part about the removal.
 */
#ifndef CCFC_FORGET_FORGOTTEN_H
#define CCFC_FORGET_FORGOTTEN_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

struct ccfc_forgotten;

/*
 * Reads the list of a state directory. That there is none is fine. If both it
 * and its copy are damaged, a line that cannot be read is left out and logged.
 */
int ccfc_forgotten_new(struct ccfc_forgotten **out, const char *state_dir,
		       struct ccfc_err *err);
void ccfc_forgotten_free(struct ccfc_forgotten *list);
/* Is it undamaged on disk, or not there? Any thread. */
bool ccfc_forgotten_is_whole(const char *state_dir);
struct ccfc_forgotten *ccfc_forgotten_copy(const struct ccfc_forgotten *list);

/* --- queries --- */

/* Does the list have any item? */
bool ccfc_forgotten_any(const struct ccfc_forgotten *list);
/* NULL is an empty list. */
bool ccfc_forgotten_session(const struct ccfc_forgotten *list,
			    struct ccfc_slice id);
/* A transcript by its path, if its name is not a session id. */
bool ccfc_forgotten_source(const struct ccfc_forgotten *list,
			   struct ccfc_slice path);
/*
 * Is what happened to this file at that time forgotten? CCFC_TIME_NONE: at an
 * unknown time. Changes after the file was forgotten are new, and are kept.
 */
bool ccfc_forgotten_file(const struct ccfc_forgotten *list,
			 struct ccfc_slice path, int64_t time);
/*
 * The client's backup of a forgotten file, by its name in the session's folder.
 */
bool ccfc_forgotten_backup(const struct ccfc_forgotten *list,
			   struct ccfc_slice session, struct ccfc_slice name);
/* A forgotten file, by its name in the session's snapshots. */
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

/* --- the running removal --- */

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
 * Events below this directory are removed, and stay out unless they are later.
 */
void ccfc_forgotten_add_below(struct ccfc_forgotten *list,
			      struct ccfc_slice dir, int64_t until);
void ccfc_forgotten_set_before(struct ccfc_forgotten *list, int64_t time);

/*
 * Writes the file, and returns 0 when it is on the disk: with a running removal
 * (`due`), or without one.
 */
int ccfc_forgotten_save(struct ccfc_forgotten *list, bool due,
			struct ccfc_err *err);

#endif
