/*
 * Shared by session_recover.c, which chooses and packs contents, and
 * recover_deleted.c, which finds the files that are gone.
 */
#ifndef CCFC_SERVE_HISTORY_RECOVER_H
#define CCFC_SERVE_HISTORY_RECOVER_H

#include "serve/rpc/history_job.h"

/* Packs the answer about the job's files; on a worker. */
int ccfc_recover_answer(struct ccfc_history_job *job, struct ccfc_request *rq,
			struct ccfc_err *err);

/* Any thread. */
bool ccfc_recover_is_on_disk(const char *path);
/* Does the last change of a file say that the file was deleted? */
bool ccfc_recover_was_deleted(const struct ccfc_index *index, uint32_t last);

/* Answers for all changed files that are gone; core. */
int ccfc_recover_deleted(struct ccfc_request *rq, struct ccfc_err *err);

#endif
