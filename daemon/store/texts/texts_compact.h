/*
 * Texts that were written again: a transcript that was rewritten or shrank is
 * read again, and its texts are added once more. Of equal texts of one
 * transcript, record and block only the last is used; the others are dead. When
 * there are many, the file is copied without them: on a worker, while it grows.
 *
 *   <state>/texts.next   the copy
 *
 * The copy is on the disk before a commit of the store names it by its id; then
 * it replaces the file. A start that finds a copy compares that id: the copy
 * replaces the file, or is removed.
 */
#ifndef CCFC_STORE_TEXTS_TEXTS_COMPACT_H
#define CCFC_STORE_TEXTS_TEXTS_COMPACT_H

#include "store/texts/texts_write.h"

/* Worth a copy: so many bytes are dead, and so much of the file. */
#define CCFC_TEXTS_DEAD_MIN   ((uint64_t)4 << 20)
#define CCFC_TEXTS_DEAD_SHARE 3 /* a third */

#define CCFC_TEXTS_NEXT ".next"

struct ccfc_texts_compaction;

/* Of a file that the caller writes to. NULL: no descriptor was left. */
struct ccfc_texts_compaction *
ccfc_texts_compaction_new(const char *dir, const struct ccfc_texts_file *file);
/* Removes the copy, unless it was taken. May be NULL. */
void ccfc_texts_compaction_free(struct ccfc_texts_compaction *compaction);

/*
 * Makes the copy, of everything written before the compaction was created. Any
 * thread. CCFC_ECORRUPT: some texts are damaged, which is handled elsewhere.
 */
int ccfc_texts_compaction_run(struct ccfc_texts_compaction *compaction,
			      struct ccfc_err *err);
/* Adds texts written since, and gives the copy to the caller; NULL: failed. */
struct ccfc_texts_file *
ccfc_texts_compaction_take(struct ccfc_texts_compaction *compaction,
			   const struct ccfc_texts_file *file,
			   struct ccfc_err *err);
/* A commit has named the copy: puts it in place. */
int ccfc_texts_file_settle(struct ccfc_texts_file *file, const char *dir,
			   struct ccfc_err *err);

/* At the start: finishes or removes a copy; the store names the file `id`. */
int ccfc_texts_compaction_finish(const char *dir, uint64_t id,
				 struct ccfc_err *err);

#endif
