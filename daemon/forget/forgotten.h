/*
 * What was forgotten, and must not come back: <state>/forgotten. It is a file
 * of its own, so that it outlives the index.
 *
 * The list names nothing that was forgotten: it has hashes (SHA-256, the first
 * 16 bytes) of session ids, of paths of transcripts, of files and of
 * directories, and of names of backups. Only while a removal is under way, it
 * also says in plain words what is to be removed besides (`below`, `before`):
 * then it is the journal by which the next start finishes what a killed daemon
 * has begun.
 *
 * A list is not changed once several threads read it: a longer one is a copy
 * (ccfc_forgotten_copy), which takes its place. What belongs to a removal is
 * read by that alone.
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

/* --- what it has --- */

/* Is anything on it? */
bool ccfc_forgotten_any(const struct ccfc_forgotten *list);
/* NULL is a list that has nothing. */
bool ccfc_forgotten_session(const struct ccfc_forgotten *list,
			    struct ccfc_slice id);
/* A transcript by its path, for one whose name is not a session id. */
bool ccfc_forgotten_source(const struct ccfc_forgotten *list,
			   struct ccfc_slice path);
/*
 * What happened to this file at that time (CCFC_TIME_NONE: at an unknown one)?
 * What comes after a file was forgotten is new.
 */
bool ccfc_forgotten_file(const struct ccfc_forgotten *list,
			 struct ccfc_slice path, int64_t time);
/* The client's backup of such a file, by its name in the session's folder. */
bool ccfc_forgotten_backup(const struct ccfc_forgotten *list,
			   struct ccfc_slice session, struct ccfc_slice name);
/* Such a file, as the session's snapshots name it. */
bool ccfc_forgotten_tracked(const struct ccfc_forgotten *list,
			    struct ccfc_slice session, struct ccfc_slice path);
/*
 * Was what was seen of this file on disk at that time forgotten, with the file,
 * with a directory above it, or with all that was seen until later?
 */
bool ccfc_forgotten_seen(const struct ccfc_forgotten *list,
			 struct ccfc_slice path, int64_t time);
/* Are there any files on it? */
bool ccfc_forgotten_files(const struct ccfc_forgotten *list);

/* --- a removal that is under way --- */

bool ccfc_forgotten_due(const struct ccfc_forgotten *list);
/* True: what was seen of this file on disk is to be removed. */
bool ccfc_forgotten_below(const struct ccfc_forgotten *list,
			  struct ccfc_slice path);
/* What was seen and kept before this time; CCFC_TIME_NONE: nothing. */
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
/* What was seen below it goes, and stays out as far as it is not later. */
void ccfc_forgotten_add_below(struct ccfc_forgotten *list,
			      struct ccfc_slice dir, int64_t until);
void ccfc_forgotten_set_before(struct ccfc_forgotten *list, int64_t time);

/*
 * Replaces the file, on the disk when this returns 0: with a removal under way
 * (`due`), or without one.
 */
int ccfc_forgotten_save(struct ccfc_forgotten *list, bool due,
			struct ccfc_err *err);

#endif
