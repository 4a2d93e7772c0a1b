/*
 * The texts of calls and results in a line of a transcript: what tools were
 * given and what they told.
 */
#ifndef CCFC_SEARCH_TOOL_TEXT_H
#define CCFC_SEARCH_TOOL_TEXT_H

#include "base/buf.h"
#include "search/search.h"
#include "transcript/content/blocks.h"

struct ccfc_told {
	struct ccfc_blocks blocks;
	struct ccfc_buf buf;
	struct ccfc_slice line;
	/* Of the text at hand: */
	uint32_t n; /* its number in the line */
	enum ccfc_search_in in;
	struct ccfc_text text; /* after ccfc_told_text */
};

void ccfc_told_init(struct ccfc_told *told);
void ccfc_told_release(struct ccfc_told *told);

/* False when the line is no record that has any of the kinds in `in`. */
bool ccfc_told_open(struct ccfc_told *told, struct ccfc_parser *parser,
		    struct ccfc_slice line, uint32_t in);
/* The next text; false at the end, which also closes. */
bool ccfc_told_next(struct ccfc_told *told);
/* Visits the strings it is made of, raw as they stand in the line. */
typedef void (*ccfc_told_fn)(void *ctx, struct ccfc_slice raw);
void ccfc_told_each(struct ccfc_told *told, ccfc_told_fn fn, void *ctx);
/* Makes told->text of them; it is there until the next text. */
void ccfc_told_text(struct ccfc_told *told);

/* Of the record, while it is open; slices are the parser's. */
int64_t ccfc_told_time(struct ccfc_told *told);
struct ccfc_slice ccfc_told_session(struct ccfc_told *told);
struct ccfc_slice ccfc_told_uuid(struct ccfc_told *told);
struct ccfc_slice ccfc_told_tool(struct ccfc_told *told);

#endif
