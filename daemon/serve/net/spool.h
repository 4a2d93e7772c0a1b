/*
 * A long answer under construction: it is packed into `mem`, and bytes beyond a
 * MiB go to an unnamed file, so that an answer costs little memory however long
 * it is and however slowly its peer reads. One thread at a time.
 */
#ifndef CCFC_SERVE_NET_SPOOL_H
#define CCFC_SERVE_NET_SPOOL_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct ccfc_spool {
	const char *dir;     /* directory of the file; borrowed */
	struct ccfc_buf mem; /* the bytes after the file's */
	int fd;		     /* -1: there is no file yet */
	uint64_t bytes;	     /* in the file */
	bool stays;	     /* further bytes stay in memory */
};

void ccfc_spool_init(struct ccfc_spool *spool, const char *dir);
void ccfc_spool_release(struct ccfc_spool *spool);
/* To be called when `mem` has grown; `mem` may be empty afterwards. */
int ccfc_spool_settle(struct ccfc_spool *spool, struct ccfc_err *err);
/*
 * The same in pieces of half a MiB, while `is_full`. Bytes that cannot be
 * written stay in memory.
 */
void ccfc_spool_settle_some(struct ccfc_spool *spool);
bool ccfc_spool_is_full(const struct ccfc_spool *spool);
uint64_t ccfc_spool_size(const struct ccfc_spool *spool);

/* An unnamed file; -1 and errno. */
int ccfc_spool_file(const char *dir);

#endif
