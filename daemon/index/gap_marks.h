/*
 * Which files may have an inferred change that is not known yet, or one that
 * is not true any more.
 *
 * What a command did without saying so is told by the contents of a file
 * between two changes (history/gap/inferred.c). The index has no contents, so
 * somebody else looks, file by file, when the index has time (serve/history/
 * infer_changes.c). Here is what the index can tell him: a file is worth a look
 * when it has two changes, and between the first and the last of them a command
 * ran, in a project with the file, whose effects contents may tell. And it is
 * worth another look when something came that the last one did not know: a
 * change of the file, a command that ran before one of its changes, a backup.
 *
 * Marks are not stored: ccfc_gap_marks_stamp says whether a store that was
 * loaded is as it was when all marks had been worked off. Core thread.
 */
#ifndef CCFC_INDEX_GAP_MARKS_H
#define CCFC_INDEX_GAP_MARKS_H

#include "index/index.h"

struct ccfc_gap_marks;

/*
 * From now on marks are kept; `all`: all files are marked. Until all marks are
 * taken for the first time, noting costs nothing.
 */
void ccfc_gap_marks_start(struct ccfc_index *index, bool all);
/* May be NULL. */
void ccfc_gap_marks_free(struct ccfc_gap_marks *marks);

/*
 * Of the transcripts, as far as they were read, of what was seen on disk, and
 * of marks of commands.
 */
uint64_t ccfc_gap_marks_stamp(const struct ccfc_index *index);

/* --- noting: nothing happens where no marks are kept --- */

/* Everything will be read anew. */
void ccfc_gap_marks_all(struct ccfc_index *index);
/* A change or a command, as it stands now. */
void ccfc_gap_marks_touch(struct ccfc_index *index, uint32_t change);
/* The directories of a session will be others. */
void ccfc_gap_marks_touch_session(struct ccfc_index *index, uint32_t session);
/* A backup; `old` is what it was before, as it is now if it is new. */
void ccfc_gap_marks_touch_backup(struct ccfc_index *index, uint32_t backup,
				 const struct ccfc_backup_ref *old);
/* That file has to be looked at again. */
void ccfc_gap_marks_put(struct ccfc_index *index, uint32_t file);

/* --- working off --- */

/* Is there anything to do? */
bool ccfc_gap_marks_any(const struct ccfc_index *index);
/*
 * Takes the mark of a file that is worth a look. 0: there is none left;
 * CCFC_ID_NONE: none so far, ask again.
 */
uint32_t ccfc_gap_marks_take(struct ccfc_index *index);
bool ccfc_gap_marks_has(const struct ccfc_index *index, uint32_t file);

/* --- what was found (inferred_change.c) --- */

struct ccfc_inferred {
	uint32_t command;
	enum ccfc_op op;
	int32_t added, removed; /* CCFC_LINES_UNKNOWN: not known */
};

/*
 * These are the inferred changes of the file now. Others that it had are
 * withdrawn, unless lines that tell of them are gone. The caller stores and
 * publishes, as after a batch.
 */
void ccfc_index_infer(struct ccfc_index *index, uint32_t file,
		      const struct ccfc_inferred *found, uint32_t n);

#endif
