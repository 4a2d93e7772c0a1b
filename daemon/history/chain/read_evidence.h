/*
 * The session's last Read of a file before its change. It is used if nothing
 * else shows the state before the change. Transcripts are read backwards from
 * the call, so the last Read is met first.
 */
#ifndef CCFC_HISTORY_CHAIN_READ_EVIDENCE_H
#define CCFC_HISTORY_CHAIN_READ_EVIDENCE_H

#include "base/buf.h"
#include "history/chain/chain.h"

/*
 * The text of the last whole Read of the file before node i's call. The place
 * of its result is stored in the node (`read_id` is 0 if toolUseResult has the
 * text). False: there is none within the limits. The limits are bytes for each
 * call and for the whole chain, and the previous change, which the Read cannot
 * show.
 */
bool ccfc_read_evidence_find(struct ccfc_buf *text, struct ccfc_chain *chain,
			     uint32_t i);

/* Reads the text of that Read again; false: it has changed. */
bool ccfc_read_evidence_again(struct ccfc_buf *text, struct ccfc_chain *chain,
			      uint32_t i);

#endif
