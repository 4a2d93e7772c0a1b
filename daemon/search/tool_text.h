/* The texts of tool calls and their results in a line of a transcript. */
#ifndef CCFC_SEARCH_TOOL_TEXT_H
#define CCFC_SEARCH_TOOL_TEXT_H

#include "base/buf.h"
#include "search/search.h"
#include "transcript/content/blocks.h"

struct ccfc_tool_text {
	struct ccfc_blocks blocks;
	struct ccfc_buf buf;
	struct ccfc_slice line;
	/* Of the current text: */
	uint32_t n; /* its number in the line */
	enum ccfc_search_in in;
	struct ccfc_text text; /* after ccfc_tool_text_text */
};

void ccfc_tool_text_init(struct ccfc_tool_text *reader);
void ccfc_tool_text_release(struct ccfc_tool_text *reader);

/* False: the line is not a record with any of the kinds in `in`. */
bool ccfc_tool_text_open(struct ccfc_tool_text *reader,
			 struct ccfc_parser *parser, struct ccfc_slice line,
			 uint32_t in);
/* The next text; false at the end, which also closes. */
bool ccfc_tool_text_next(struct ccfc_tool_text *reader);
/* Visits its strings, raw as in the line. */
typedef void (*ccfc_tool_text_fn)(void *ctx, struct ccfc_slice raw);
void ccfc_tool_text_each(struct ccfc_tool_text *reader, ccfc_tool_text_fn fn,
			 void *ctx);
/* Joins the strings in reader->text; valid until the next text. */
void ccfc_tool_text_text(struct ccfc_tool_text *reader);

/* Of the record, while it is open; slices are the parser's. */
int64_t ccfc_tool_text_time(struct ccfc_tool_text *reader);
struct ccfc_slice ccfc_tool_text_session(struct ccfc_tool_text *reader);
struct ccfc_slice ccfc_tool_text_uuid(struct ccfc_tool_text *reader);
struct ccfc_slice ccfc_tool_text_tool(struct ccfc_tool_text *reader);

#endif
