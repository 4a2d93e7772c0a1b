/*
 * The session's last read of a file before its change: used if nothing else
 * shows the state before the change. Transcripts are read backwards from the
 * call, so that the last Read comes first.
 */
#ifndef CCFC_HISTORY_CHAIN_READ_EVIDENCE_H
#define CCFC_HISTORY_CHAIN_READ_EVIDENCE_H

#include "base/buf.h"
#include "history/chain/chain.h"

/*
 * The text that the last whole Read of the file in front of node i's call
 * showed; the place of its result is stored in the node (`read_id` is 0 if
 * toolUseResult has the text). False: there is none within the limits (bytes
 * for each call and for the whole chain, and not before an earlier change,
 * which the Read cannot show).
 */
bool ccfc_reads_find(struct ccfc_buf *text, struct ccfc_chain *chain,
		     uint32_t i);

/* The same Read again; false: it has changed. */
bool ccfc_reads_again(struct ccfc_buf *text, struct ccfc_chain *chain,
		      uint32_t i);

#endif
