/*
 * The bytes that wait for one peer, in order: pieces in memory and pieces in
 * files. The owner locks.
 */
#ifndef CCFC_SERVE_NET_OUTBOX_H
#define CCFC_SERVE_NET_OUTBOX_H

#include "serve/net/spool.h"

struct ccfc_outbox_part;

struct ccfc_outbox {
	struct ccfc_outbox_part *head, *tail;
	size_t waiting; /* bytes */
	size_t memory;	/* held for them; the rest is in files */
};

void ccfc_outbox_release(struct ccfc_outbox *out);

/* Takes the bytes of `buf`, which is empty afterwards. */
void ccfc_outbox_add(struct ccfc_outbox *out, struct ccfc_buf *buf);
/* Takes the file and the memory of `spool`, which is empty afterwards. */
void ccfc_outbox_add_spool(struct ccfc_outbox *out, struct ccfc_spool *spool);

/*
 * Moves the next bytes, at most `max`, to the empty `piece`; it stays empty at
 * the end. -1: they cannot be read from their file.
 */
int ccfc_outbox_take(struct ccfc_outbox *out, struct ccfc_buf *piece,
		     size_t max);

/* Moves long pieces from memory to files in `dir`; -1 and errno. */
int ccfc_outbox_spill(struct ccfc_outbox *out, const char *dir);

#endif
