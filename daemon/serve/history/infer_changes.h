/*
 * Inferred changes for the whole index. Unrecorded effects of a command show in
 * the contents of files, which the index does not have. So a worker examines
 * one file after the other that may have such changes (index/gap_marks.h), and
 * the core adds the results to the index. The work has a low priority: one file
 * at a time, and none while transcripts are being read.
 *
 * The result is the same as that of file.log, but without the file on disk:
 * that may change at any time, and the index must equal that of a cold scan. So
 * changes after the last recorded one are not found here. Core thread.
 */
#ifndef CCFC_SERVE_HISTORY_INFER_CHANGES_H
#define CCFC_SERVE_HISTORY_INFER_CHANGES_H

#include "serve/rpc/service.h"

struct ccfc_infer;

/*
 * `service` is used until the end; `settle` (with its ctx) is called after the
 * index was changed, to store and publish the changes.
 */
struct ccfc_infer *ccfc_infer_new(const struct ccfc_service *service,
				  void (*settle)(void *ctx));
/* After the worker was freed. May be NULL. */
void ccfc_infer_free(struct ccfc_infer *infer);

/* Continues, unless a worker is busy with a file. */
void ccfc_infer_work(struct ccfc_infer *infer);
/* Is there a file to check now? */
bool ccfc_infer_has_work(const struct ccfc_infer *infer);
/* Are all inferred changes known for the lines read so far? */
bool ccfc_infer_is_done(const struct ccfc_infer *infer);

#endif
