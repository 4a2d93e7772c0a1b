/* Shared by the files of this folder. */
#ifndef CCFC_CONVERSATION_CONVERSATION_INTERNAL_H
#define CCFC_CONVERSATION_CONVERSATION_INTERNAL_H

#include "conversation/conversation.h"

/* At most so many lines with the searched uuid are kept. */
#define CCFC_CONVERSATION_FOUND 64u

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

/* Is it a progress record of an agent? */
static inline bool
ccfc_conversation_is_progress(const struct ccfc_conversation *conv,
			      const struct ccfc_conversation_line *line)
{
	return ccfc_conversation_source_no(line) >= conv->nsources;
}

/* The hash of an id; 0 where there is none. */
uint64_t ccfc_conversation_hash(struct ccfc_conversation_reader *reader,
				uint32_t tok);

/*
 * The thread of an agent that is known from progress records, by its source
 * number; NONE: too many.
 */
uint32_t ccfc_conversation_progress_agent(struct ccfc_conversation *conv,
					  uint32_t source,
					  struct ccfc_slice agent);

/* agents.c: finds each agent's call and type, when all lines are known. */
void ccfc_conversation_join(struct ccfc_conversation *conv,
			    struct ccfc_conversation_reader *reader);

/* skeleton_scan.c: fills in everything that comes from the lines themselves. */
int ccfc_conversation_scan(struct ccfc_conversation *conv,
			   struct ccfc_conversation_reader *reader,
			   struct ccfc_slice find, struct ccfc_err *err);

/* Marks lines whose uuid occurred before; sorts. */
void ccfc_conversation_mark_copies(struct ccfc_conversation *conv);
void ccfc_conversation_sort(struct ccfc_conversation *conv);

/* tasks.c: may the record be a planning call, or its result? Bits, or 0. */
#define CCFC_CONVERSATION_TODO 1u
#define CCFC_CONVERSATION_TASK 2u
unsigned ccfc_conversation_plans(struct ccfc_conversation_reader *reader,
				 const struct ccfc_conversation_record *record);

#endif
