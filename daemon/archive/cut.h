/*
 * Where a transcript is cut into segments, and what of a segment is stored.
 *
 * A cut stands behind a newline that the bytes before it choose, so that two
 * transcripts with the same lines have the same cuts, whatever came before. A
 * fork has the lines of its original but for the session's id: that is replaced
 * by a text of the same length, and put back when the segment is read.
 */
#ifndef CCFC_ARCHIVE_CUT_H
#define CCFC_ARCHIVE_CUT_H

#include "base/buf.h"

#define CCFC_CUT_MIN ((size_t)256 << 10)
#define CCFC_CUT_MAX ((size_t)1 << 20)

/*
 * The length of the first segment of `bytes`; 0: it may go on beyond them.
 * Bytes are as ccfc_cut_blank makes them.
 */
size_t ccfc_cut_next(struct ccfc_slice bytes);

/* Can the id be replaced? It has to look like one. */
bool ccfc_cut_has_id(struct ccfc_slice session);
/* Replaces the session's id. */
void ccfc_cut_blank(char *bytes, size_t len, struct ccfc_slice session);
/* Puts it back. */
void ccfc_cut_fill(char *bytes, size_t len, struct ccfc_slice session);
/* Do the bytes, before they were blanked, have the text that replaces an id?
 * Then they are stored as they are. */
bool ccfc_cut_is_odd(struct ccfc_slice bytes);

#endif
