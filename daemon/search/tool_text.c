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

void ccfc_tool_text_init(struct ccfc_tool_text *told)
{
	*told = (struct ccfc_tool_text){ 0 };
}

void ccfc_tool_text_release(struct ccfc_tool_text *told)
{
	ccfc_buf_release(&told->buf);
}

/* As ccfc_blocks_open, but repairs bytes that are not UTF-8. */
static bool open_line(struct ccfc_tool_text *told, struct ccfc_parser *parser,
		      struct ccfc_slice line)
{
	struct ccfc_blocks *b = &told->blocks;

	b->parser = parser;
	b->at = 0;
	if (!ccfc_parser_open_damaged(parser, line, b->fields))
		return false;
	b->kind = ccfc_parser_kind(parser, b->fields);
	b->at = ccfc_parser_first_block(parser, b->fields,
					ccfc_parser_content(parser, b->fields));
	return b->kind == CCFC_RECORD_USER || b->kind == CCFC_RECORD_ASSISTANT;
}

bool ccfc_tool_text_open(struct ccfc_tool_text *told,
			 struct ccfc_parser *parser, struct ccfc_slice line,
			 uint32_t in)
{
	bool user;

	told->line = line;
	told->n = 0;
	if (open_line(told, parser, line)) {
		user = told->blocks.kind == CCFC_RECORD_USER;
		told->in = user ? CCFC_IN_RESULT : CCFC_IN_TOOL;
		told->blocks.type = user ? "tool_result" : "tool_use";
		if (in & CCFC_IN_BIT(told->in))
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

bool ccfc_tool_text_next(struct ccfc_tool_text *told)
{
	if (!ccfc_blocks_next(&told->blocks)) {
		ccfc_parser_done(told->blocks.parser, told->line);
		return false;
	}
	told->n++;
	return true;
}

void ccfc_tool_text_each(struct ccfc_tool_text *told, ccfc_tool_text_fn fn,
			 void *ctx)
{
	const uint32_t *block = told->blocks.block;
	const struct visit v = { told->blocks.parser, fn, ctx };

	if (told->in == CCFC_IN_TOOL)
		visit_strings(&v, block[CCFC_BLOCK_INPUT]);
	else
		visit_result(&v, block[CCFC_BLOCK_CONTENT]);
}

static void append_string(void *ctx, struct ccfc_slice raw)
{
	struct ccfc_tool_text *told = ctx;

	if (told->buf.len)
		ccfc_buf_putc(&told->buf, '\n');
	ccfc_buf_slice(&told->buf,
		       ccfc_unescape(&told->blocks.parser->arena, raw, NULL));
}

void ccfc_tool_text_text(struct ccfc_tool_text *told)
{
	if (told->buf.cap > KEEP)
		ccfc_buf_release(&told->buf);
	ccfc_buf_clear(&told->buf);
	ccfc_tool_text_each(told, append_string, told);
	memset(ccfc_buf_reserve(&told->buf, CCFC_NEEDLE_SLACK), 0,
	       CCFC_NEEDLE_SLACK);
	told->text.bytes = ccfc_buf_view(&told->buf);
	told->text.folds = ccfc_text_folds(told->text.bytes);
	told->text.valid = true; /* the parser has checked it */
}

int64_t ccfc_tool_text_time(struct ccfc_tool_text *told)
{
	return ccfc_parser_time(told->blocks.parser,
				told->blocks.fields[CCFC_FIELD_TIME]);
}

struct ccfc_slice ccfc_tool_text_session(struct ccfc_tool_text *told)
{
	const uint32_t *f = told->blocks.fields;
	uint32_t tok = f[CCFC_FIELD_SESSION] ? f[CCFC_FIELD_SESSION]
					     : f[CCFC_FIELD_SESSION_ALIAS];

	return ccfc_parser_name(told->blocks.parser, tok, CCFC_NAME_MAX);
}

struct ccfc_slice ccfc_tool_text_uuid(struct ccfc_tool_text *told)
{
	return ccfc_parser_name(told->blocks.parser,
				told->blocks.fields[CCFC_FIELD_UUID],
				CCFC_NAME_MAX);
}

struct ccfc_slice ccfc_tool_text_tool(struct ccfc_tool_text *told)
{
	if (told->in != CCFC_IN_TOOL)
		return CCFC_SLICE_NONE;
	return ccfc_parser_name(told->blocks.parser,
				told->blocks.block[CCFC_BLOCK_NAME],
				CCFC_NAME_MAX);
}
