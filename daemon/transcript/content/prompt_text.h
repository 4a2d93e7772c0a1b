/*
 * What a person asked: the text of a prompt as it was typed, without what the
 * client wraps round it or puts in.
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
 * Reads the prompt of `line` (padded like ccfc_record_parse's); slices are in
 * `arena`. False when the line is no prompt that a person gave.
 */
bool ccfc_prompt_text_read(struct ccfc_parser *parser,
			   struct ccfc_prompt_text *out, struct ccfc_slice line,
			   struct ccfc_arena *arena);

#endif
