/*
 * The call or the result of a change, found again in its line. Lines are read
 * by offset, and files change. So a line counts only if it still has the call
 * or the result of that id. Tokens and names belong to the line that was read
 * last: copy what you need before you read the next line.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_FIND_CALL_H
#define CCFC_TRANSCRIPT_CONTENT_FIND_CALL_H

#include "transcript/edit_texts.h"

struct ccfc_found_call {
	struct ccfc_edit_texts texts;
	uint32_t input;
	uint32_t version; /* of the client */
	uint32_t cwd;
};

/* NULL if the line has no such call, or its tool is unknown. */
const struct ccfc_tool *ccfc_find_tool(struct ccfc_parser *parser,
				       struct ccfc_found_call *out,
				       struct ccfc_slice line,
				       struct ccfc_slice id);

/* False if the line has no such call, or the call writes nothing. */
bool ccfc_find_call(struct ccfc_parser *parser, struct ccfc_found_call *out,
		    struct ccfc_slice line, struct ccfc_slice id);

/* The same for a shell call; `texts` is not set. NULL: there is none. */
const struct ccfc_tool *ccfc_find_command(struct ccfc_parser *parser,
					  struct ccfc_found_call *out,
					  struct ccfc_slice line,
					  struct ccfc_slice id);

struct ccfc_found_result {
	struct ccfc_detail detail; /* tool NULL: not a write */
	uint32_t result;	   /* toolUseResult; 0 without detail */
	uint32_t version;
	uint32_t cwd;
	bool created; /* the block's text reports a creation */
	bool alone;   /* the record has no other result */
};

/* `id` may be the record's uuid, for a result without an id. */
bool ccfc_find_result(struct ccfc_parser *parser, struct ccfc_found_result *out,
		      struct ccfc_slice line, struct ccfc_slice id);

#endif
