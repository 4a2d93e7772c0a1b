/*
 * The call or the result of a change, found again in the line that told of
 * it. Lines are found by offset, and files change; so a line is only believed
 * when it still has the call or the result of that id.
 *
 * Tokens and names are of the line that was read last: copy what is needed of
 * one line before reading the next.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_FIND_CALL_H
#define CCFC_TRANSCRIPT_CONTENT_FIND_CALL_H

#include "transcript/edit_texts.h"

struct ccfc_found_call {
	struct ccfc_edit_texts texts;
	uint32_t input;
	uint32_t version; /* of the client; so below */
	uint32_t cwd;
};

/* NULL when the line has no such call, or one of no tool that we know. */
const struct ccfc_tool *ccfc_find_tool(struct ccfc_parser *parser,
				       struct ccfc_found_call *out,
				       struct ccfc_slice line,
				       struct ccfc_slice id);

/* False when the line has no such call, or the call writes nothing. */
bool ccfc_find_call(struct ccfc_parser *parser, struct ccfc_found_call *out,
		    struct ccfc_slice line, struct ccfc_slice id);

/* The same for a call of a shell; `texts` is not set. NULL: there is none. */
const struct ccfc_tool *ccfc_find_command(struct ccfc_parser *parser,
					  struct ccfc_found_call *out,
					  struct ccfc_slice line,
					  struct ccfc_slice id);

struct ccfc_found_result {
	struct ccfc_detail detail; /* tool NULL: there is none of a write */
	uint32_t result;	   /* toolUseResult; 0 without detail */
	uint32_t version;
	uint32_t cwd;
	bool created; /* the block's text says so */
	bool alone;   /* the record has no other result */
};

/* `id` may be the record's uuid: of a result without any id. */
bool ccfc_find_result(struct ccfc_parser *parser, struct ccfc_found_result *out,
		      struct ccfc_slice line, struct ccfc_slice id);

#endif
