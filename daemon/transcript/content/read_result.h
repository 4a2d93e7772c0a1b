/*
 * What a Read showed of a file: evidence of the content at that moment, for
 * changes that do not show what they found. Pure.
 *
 * There are two forms. toolUseResult has the path and the text. If an agent's
 * transcript lacks it, the call has the path and the result's block has the
 * text, with a number before each line. Only Reads of a whole file count.
 *
 * All slices are in the given `arena`; `line` is padded as for
 * ccfc_record_parse.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_READ_RESULT_H
#define CCFC_TRANSCRIPT_CONTENT_READ_RESULT_H

#include "transcript/record.h"

struct ccfc_read_result {
	uint64_t id;		   /* hash of the tool_use id */
	struct ccfc_slice path;	   /* as written */
	struct ccfc_slice cwd;	   /* the record's directory */
	struct ccfc_slice version; /* of the client */
	struct ccfc_slice text;	   /* "\n" for every line ending */
	int64_t time;		   /* CCFC_TIME_NONE if there is none */
};

/*
 * Reads the first form: everything except the id, which is 0. False if the line
 * is not of this form.
 */
bool ccfc_read_result_detail(struct ccfc_parser *parser,
			     struct ccfc_read_result *out,
			     struct ccfc_slice line, struct ccfc_arena *arena);

/*
 * Reads calls of the second form that ask for a whole file: everything except
 * the text. Returns their number, at most `max`.
 */
uint32_t ccfc_read_result_calls(struct ccfc_parser *parser,
				struct ccfc_read_result *out, uint32_t max,
				struct ccfc_slice line,
				struct ccfc_arena *arena);

/* The ids of the line's results, which may belong to such calls. */
uint32_t ccfc_read_result_results(struct ccfc_parser *parser, uint64_t *ids,
				  uint32_t max, struct ccfc_slice line);

/*
 * Reads text and time of the result of call `id`. False if it does not
 * certainly show a whole file.
 */
bool ccfc_read_result_result(struct ccfc_parser *parser,
			     struct ccfc_read_result *out,
			     struct ccfc_slice line, uint64_t id,
			     struct ccfc_arena *arena);

#endif
