/*
 * Calls and results as texts; see tool_text.h. A call is one text: the strings
 * of its input, whatever their names and depth, joined by newlines. So is a
 * result: a string, or the texts of its blocks. Only user and assistant records
 * count; others have copies of them.
 */
#include "search/tool_text.h"

#include "search/needle.h"
#include "transcript/json/unescape.h"

#define KEEP (4u << 20)

void ccfc_tool_text_init(struct ccfc_tool_text *reader)
{
	*reader = (struct ccfc_tool_text){ 0 };
}

void ccfc_tool_text_release(struct ccfc_tool_text *reader)
{
	ccfc_buf_release(&reader->buf);
}

/* As ccfc_blocks_open, but repairs bytes that are not UTF-8. */
static bool open_line(struct ccfc_tool_text *reader, struct ccfc_parser *parser,
		      struct ccfc_slice line)
{
	struct ccfc_blocks *b = &reader->blocks;

	b->parser = parser;
	b->at = 0;
	if (!ccfc_parser_open_damaged(parser, line, b->fields))
		return false;
	b->kind = ccfc_parser_kind(parser, b->fields);
	b->at = ccfc_parser_first_block(parser, b->fields,
					ccfc_parser_content(parser, b->fields));
	return b->kind == CCFC_RECORD_USER || b->kind == CCFC_RECORD_ASSISTANT;
}

bool ccfc_tool_text_open(struct ccfc_tool_text *reader,
			 struct ccfc_parser *parser, struct ccfc_slice line,
			 uint32_t in)
{
	bool user;

	reader->line = line;
	reader->n = 0;
	if (open_line(reader, parser, line)) {
		user = reader->blocks.kind == CCFC_RECORD_USER;
		reader->in = user ? CCFC_IN_RESULT : CCFC_IN_TOOL;
		reader->blocks.type = user ? "tool_result" : "tool_use";
		if (in & CCFC_IN_BIT(reader->in))
			return true;
	}
	ccfc_parser_done(parser, line);
	return false;
}

/* A visitor of the strings of a text. */
struct visit {
	struct ccfc_parser *parser;
	ccfc_tool_text_fn fn;
	void *ctx;
};

static void visit_string(const struct visit *v, uint32_t tok)
{
	struct ccfc_slice raw = ccfc_json_string(&v->parser->json, tok);

	if (raw.len)
		v->fn(v->ctx, raw);
}

/* All strings within `tok` that are not keys. */
static void visit_strings(const struct visit *v, uint32_t tok)
{
	const struct ccfc_json *json = &v->parser->json;
	uint32_t end = tok + 1;

	if (!tok)
		return;
	if (ccfc_json_is_object(json, tok) || ccfc_json_is_array(json, tok))
		end = json->jump[tok];
	for (uint32_t i = tok; i < end; i++)
		if (ccfc_json_is_string(json, i) &&
		    ccfc_json_first(json, i + 1) != ':')
			visit_string(v, i);
}

static void visit_result(const struct visit *v, uint32_t content)
{
	const struct ccfc_json *json = &v->parser->json;
	uint32_t block[CCFC_BLOCK_COUNT];

	if (!content)
		return;
	if (!ccfc_json_is_array(json, content)) {
		visit_string(v, content);
		return;
	}
	for (uint32_t at = ccfc_json_child(json, content); at;
	     at = ccfc_json_next(json, at)) {
		if (!ccfc_json_is_object(json, at))
			continue;
		ccfc_parser_block(v->parser, at, block);
		if (block[CCFC_BLOCK_TEXT])
			visit_string(v, block[CCFC_BLOCK_TEXT]);
	}
}

bool ccfc_tool_text_next(struct ccfc_tool_text *reader)
{
	if (!ccfc_blocks_next(&reader->blocks)) {
		ccfc_parser_done(reader->blocks.parser, reader->line);
		return false;
	}
	reader->n++;
	return true;
}

void ccfc_tool_text_each(struct ccfc_tool_text *reader, ccfc_tool_text_fn fn,
			 void *ctx)
{
	const uint32_t *block = reader->blocks.block;
	const struct visit v = { reader->blocks.parser, fn, ctx };

	if (reader->in == CCFC_IN_TOOL)
		visit_strings(&v, block[CCFC_BLOCK_INPUT]);
	else
		visit_result(&v, block[CCFC_BLOCK_CONTENT]);
}

static void append_string(void *ctx, struct ccfc_slice raw)
{
	struct ccfc_tool_text *reader = ctx;

	if (reader->buf.len)
		ccfc_buf_putc(&reader->buf, '\n');
	ccfc_buf_slice(&reader->buf,
		       ccfc_unescape(&reader->blocks.parser->arena, raw, NULL));
}

void ccfc_tool_text_text(struct ccfc_tool_text *reader)
{
	if (reader->buf.cap > KEEP)
		ccfc_buf_release(&reader->buf);
	ccfc_buf_clear(&reader->buf);
	ccfc_tool_text_each(reader, append_string, reader);
	memset(ccfc_buf_reserve(&reader->buf, CCFC_NEEDLE_SLACK), 0,
	       CCFC_NEEDLE_SLACK);
	reader->text.bytes = ccfc_buf_view(&reader->buf);
	reader->text.folds = ccfc_text_folds(reader->text.bytes);
	reader->text.valid = true; /* the parser has checked it */
}

int64_t ccfc_tool_text_time(struct ccfc_tool_text *reader)
{
	return ccfc_parser_time(reader->blocks.parser,
				reader->blocks.fields[CCFC_FIELD_TIME]);
}

struct ccfc_slice ccfc_tool_text_session(struct ccfc_tool_text *reader)
{
	const uint32_t *f = reader->blocks.fields;
	uint32_t tok = f[CCFC_FIELD_SESSION] ? f[CCFC_FIELD_SESSION]
					     : f[CCFC_FIELD_SESSION_ALIAS];

	return ccfc_parser_name(reader->blocks.parser, tok, CCFC_NAME_MAX);
}

struct ccfc_slice ccfc_tool_text_uuid(struct ccfc_tool_text *reader)
{
	return ccfc_parser_name(reader->blocks.parser,
				reader->blocks.fields[CCFC_FIELD_UUID],
				CCFC_NAME_MAX);
}

struct ccfc_slice ccfc_tool_text_tool(struct ccfc_tool_text *reader)
{
	if (reader->in != CCFC_IN_TOOL)
		return CCFC_SLICE_NONE;
	return ccfc_parser_name(reader->blocks.parser,
				reader->blocks.block[CCFC_BLOCK_NAME],
				CCFC_NAME_MAX);
}
