/*
 * Which files may have an inferred change that is not known yet, or one that is
 * not true any more.
 *
 * An unrecorded effect of a command shows in the contents of a file between two
 * changes (history/gap/inferred.c). The index has no contents, so a worker
 * looks at one file after the other when there is time
 * (serve/history/infer_changes.c). This file selects the files. A file needs a
 * look if it has two changes, and between the first and the last of them a
 * command with unknown effects ran, in a project with the file. It needs
 * another look if there is something new: a change of the file, a command that
 * ran before one of its changes, a backup.
 *
 * Marks are not stored: ccfc_gap_marks_stamp says whether a loaded store is in
 * the state it had when all marks were done. Core thread.
 */
#ifndef CCFC_INDEX_GAP_MARKS_H
#define CCFC_INDEX_GAP_MARKS_H

#include "index/index.h"

struct ccfc_gap_marks;

/*
 * Keeps marks from now on; `all`: marks all files. Until all marks have been
 * taken once, noting costs nothing.
 */
void ccfc_gap_marks_start(struct ccfc_index *index, bool all);
/* May be NULL. */
void ccfc_gap_marks_free(struct ccfc_gap_marks *marks);

/*
 * A stamp of the transcripts as far as they were read, of the disk events, and
 * of the marks of commands.
 */
uint64_t ccfc_gap_marks_stamp(const struct ccfc_index *index);

/* --- noting: does nothing if no marks are kept --- */

/* Everything will be read again. */
void ccfc_gap_marks_all(struct ccfc_index *index);
/* A change or a command, in its current state. */
void ccfc_gap_marks_touch(struct ccfc_index *index, uint32_t change);
/* The directories of a session will change. */
void ccfc_gap_marks_touch_session(struct ccfc_index *index, uint32_t session);
/* A backup; `old` is its previous state, or the current one if it is new. */
void ccfc_gap_marks_touch_backup(struct ccfc_index *index, uint32_t backup,
				 const struct ccfc_backup_ref *old);
/* This file must be checked again. */
void ccfc_gap_marks_put(struct ccfc_index *index, uint32_t file);

/* --- taking marks --- */

/* Are there marks? */
bool ccfc_gap_marks_any(const struct ccfc_index *index);
/*
 * Takes the mark of a file that must be checked. 0: no mark is left;
 * CCFC_ID_NONE: call again.
 */
uint32_t ccfc_gap_marks_take(struct ccfc_index *index);
bool ccfc_gap_marks_has(const struct ccfc_index *index, uint32_t file);

/* --- results (inferred_change.c) --- */

struct ccfc_inferred {
	uint32_t command;
	enum ccfc_op op;
	int32_t added, removed; /* CCFC_LINES_UNKNOWN: not known */
};

/*
 * Sets the inferred changes of the file. Its other inferred changes are
 * withdrawn, unless the lines on which they depend are gone. The caller stores
 * and publishes, as after a batch.
 */
void ccfc_index_infer(struct ccfc_index *index, uint32_t file,
		      const struct ccfc_inferred *found, uint32_t n);

#endif
