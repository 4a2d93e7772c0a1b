/*
 * Where a transcript is cut into segments, and which bytes of a segment are
 * stored.
 *
 * A cut is after a newline chosen by the bytes before it, so that two
 * transcripts with the same lines have the same cuts, whatever came before. A
 * fork has the lines of its original with another session id: the id is
 * replaced by a text of the same length, and put back when the segment is read.
 */
#ifndef CCFC_ARCHIVE_CUT_H
#define CCFC_ARCHIVE_CUT_H

#include "base/buf.h"

#define CCFC_CUT_MIN ((size_t)256 << 10)
#define CCFC_CUT_MAX ((size_t)1 << 20)

/*
 * The length of the first segment of `bytes`; 0: the segment may not be
 * complete. The bytes are those of ccfc_cut_blank.
 */
size_t ccfc_cut_next(struct ccfc_slice bytes);

/* Can the id be replaced? It must look like an id. */
bool ccfc_cut_has_id(struct ccfc_slice session);
/* Replaces the session's id. */
void ccfc_cut_blank(char *bytes, size_t len, struct ccfc_slice session);
/* Puts the session's id back. */
void ccfc_cut_fill(char *bytes, size_t len, struct ccfc_slice session);
/* Copies a part of a segment, and puts the id back in the copy. */
void ccfc_cut_copy(char *to, struct ccfc_slice segment, size_t at, size_t len,
		   struct ccfc_slice session);
/*
 * Do the original bytes contain the text that replaces an id? Then they are
 * stored unchanged.
 */
bool ccfc_cut_is_odd(struct ccfc_slice bytes);

#endif
