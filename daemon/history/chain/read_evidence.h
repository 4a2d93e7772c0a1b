/*
 * What a session had read of a file before it changed it: looked for when
 * nothing else tells what the change found. Transcripts are read backwards
 * from the call, so that the last Read comes first.
 */
#ifndef CCFC_HISTORY_CHAIN_READ_EVIDENCE_H
#define CCFC_HISTORY_CHAIN_READ_EVIDENCE_H

#include "base/buf.h"
#include "history/chain/chain.h"

/*
 * The text that the last whole Read of the file in front of node i's call
 * showed; where its result stands is noted in the node (`read_id` is 0 where
 * toolUseResult shows the text). False when there is none within bounds: so
 * many bytes for each call and for the whole chain, and none from in front of
 * an earlier change, which the Read cannot know of.
 */
bool ccfc_reads_find(struct ccfc_buf *text, struct ccfc_chain *chain,
		     uint32_t i);

/* The same Read again; false when it is not what it was. */
bool ccfc_reads_again(struct ccfc_buf *text, struct ccfc_chain *chain,
		      uint32_t i);

#endif
