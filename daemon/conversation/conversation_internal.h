/* What the files of this folder share. */
#ifndef CCFC_CONVERSATION_CONVERSATION_INTERNAL_H
#define CCFC_CONVERSATION_CONVERSATION_INTERNAL_H

#include "conversation/conversation.h"

static inline uint32_t
ccfc_conversation_source_no(const struct ccfc_conversation_line *line)
{
	return (uint32_t)(line->at >> 48);
}

static inline uint64_t
ccfc_conversation_offset(const struct ccfc_conversation_line *line)
{
	return line->at & (((uint64_t)1 << 48) - 1);
}

/* The hash of an id; 0 where there is none. */
uint64_t ccfc_conversation_hash(struct ccfc_conversation_reader *reader,
				uint32_t tok);

/* agents.c: finds each agent's call and type, when all lines are known. */
void ccfc_conversation_join(struct ccfc_conversation *conv,
			    struct ccfc_conversation_reader *reader);

/* skeleton_scan.c: fills in all but what follows from it. */
int ccfc_conversation_scan(struct ccfc_conversation *conv,
			   struct ccfc_conversation_reader *reader,
			   struct ccfc_slice find, struct ccfc_err *err);

/* Marks lines whose uuid was there before; sorts. */
void ccfc_conversation_mark_copies(struct ccfc_conversation *conv);
void ccfc_conversation_sort(struct ccfc_conversation *conv);

/* tasks.c: may the record plan, or tell how that went? These bits, or 0. */
#define CCFC_CONVERSATION_TODO 1u
#define CCFC_CONVERSATION_TASK 2u
unsigned ccfc_conversation_plans(struct ccfc_conversation_reader *reader,
				 const struct ccfc_conversation_record *record);

#endif
