/*
 * What a Read showed of a file: evidence of its content at that moment, where
 * the change that followed does not show what it found. Pure.
 *
 * It stands in one of two forms. In toolUseResult there are the path and the
 * text. Where an agent's transcript leaves that out, the path is in the call
 * and the text in the result's block, with a number in front of each line. Only
 * Reads that show all of a file count.
 *
 * All slices are in the `arena` that is given; `line` is padded as for
 * ccfc_record_parse.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_READ_RESULT_H
#define CCFC_TRANSCRIPT_CONTENT_READ_RESULT_H

#include "transcript/record.h"

struct ccfc_read_result {
	uint64_t id;		   /* hash of the tool_use id */
	struct ccfc_slice path;	   /* as written; … */
	struct ccfc_slice cwd;	   /* … the record's directory, … */
	struct ccfc_slice version; /* … and its client */
	struct ccfc_slice text;	   /* "\n" for every line ending */
	int64_t time;		   /* CCFC_TIME_NONE where there is none */
};

/* The first form: all but the id, which is 0. False when it is not that. */
bool ccfc_read_result_detail(struct ccfc_parser *parser,
			     struct ccfc_read_result *out,
			     struct ccfc_slice line, struct ccfc_arena *arena);

/*
 * The second form. The line's calls that ask for a whole file: all but the
 * text. Returns how many there are, at most `max`.
 */
uint32_t ccfc_read_result_calls(struct ccfc_parser *parser,
				struct ccfc_read_result *out, uint32_t max,
				struct ccfc_slice line,
				struct ccfc_arena *arena);

/* Its results that may show one: ids only. */
uint32_t ccfc_read_result_results(struct ccfc_parser *parser, uint64_t *ids,
				  uint32_t max, struct ccfc_slice line);

/*
 * The result of the call `id`: text and time. False when it shows less than
 * all of a file, or when that cannot be told.
 */
bool ccfc_read_result_result(struct ccfc_parser *parser,
			     struct ccfc_read_result *out,
			     struct ccfc_slice line, uint64_t id,
			     struct ccfc_arena *arena);

#endif
