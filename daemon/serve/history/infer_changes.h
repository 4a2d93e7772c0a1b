/*
 * Inferred changes for the whole index. What a command did without saying so is
 * told by contents, which the index does not have; so a worker looks at one
 * file after the other that may have such changes (index/gap_marks.h), and the
 * core puts what it found into the index. That is work of low priority: one
 * file at a time, and none while transcripts are being read.
 *
 * A look is the same as that of file.log, but it does not see the file on the
 * disk: that may be another one in a moment, and the index is to be that of a
 * cold scan. What was done behind the last change is therefore not found here.
 * Core thread.
 */
#ifndef CCFC_SERVE_HISTORY_INFER_CHANGES_H
#define CCFC_SERVE_HISTORY_INFER_CHANGES_H

#include "serve/rpc/service.h"

struct ccfc_infer;

/*
 * `service` is used until the end; `settle` (with its ctx) is called after the
 * index was changed, to store and publish that.
 */
struct ccfc_infer *ccfc_infer_new(const struct ccfc_service *service,
				  void (*settle)(void *ctx));
/* After the worker was freed. May be NULL. */
void ccfc_infer_free(struct ccfc_infer *infer);

/* Goes on, unless a worker is at it. */
void ccfc_infer_work(struct ccfc_infer *infer);
/* Is there something to go on with now? */
bool ccfc_infer_has_work(const struct ccfc_infer *infer);
/* Is everything known that can be, of what was read? */
bool ccfc_infer_is_done(const struct ccfc_infer *infer);

#endif
