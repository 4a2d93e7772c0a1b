/*
 * The text of a prompt as a person typed it, without what the client wraps
 * around it or inserts.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_PROMPT_TEXT_H
#define CCFC_TRANSCRIPT_CONTENT_PROMPT_TEXT_H

#include "transcript/record.h"

struct ccfc_prompt_text {
	struct ccfc_slice uuid; /* of the record */
	struct ccfc_slice text; /* its texts, one a line; "/name args" for a
				 * command; "[image]" where it has no text */
};

/*
 * Reads the prompt of `line` (padded as for ccfc_record_parse); slices are in
 * `arena`. False if the line is not a prompt that a person gave.
 */
bool ccfc_prompt_text_read(struct ccfc_parser *parser,
			   struct ccfc_prompt_text *out, struct ccfc_slice line,
			   struct ccfc_arena *arena);

#endif
