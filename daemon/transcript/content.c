/*
 * The texts of a change, read again from the lines that told of it. The lines
 * are found by offset, and files change; so a line is only believed when it
 * still has the call or the result of that id.
 */
#include "transcript/content.h"

#include "transcript/texts.h"
#include "transcript/unescape.h"

struct reader {
	struct ccfc_parser *parser;
	struct ccfc_content *out;
	struct ccfc_arena *arena;
	struct ccfc_slice id;
	uint32_t part;
};

/* A copy, as the line may go before the content does. */
static struct ccfc_slice read_text(struct reader *reader, uint32_t tok)
{
	struct ccfc_slice raw = ccfc_json_string(&reader->parser->json, tok);
	struct ccfc_slice text;

	if (!raw.ptr)
		return raw;
	text = ccfc_unescape(reader->arena, raw, NULL);
	return text.ptr == raw.ptr ? ccfc_arena_copy(reader->arena, raw) : text;
}

static void add_edit(struct reader *reader, const struct ccfc_texts *texts)
{
	struct ccfc_edit *edit = &reader->out->edits[reader->out->nedits++];

	edit->old_text = read_text(reader, texts->old_text);
	edit->new_text = read_text(reader, texts->new_text);
}

static void make_room(struct reader *reader, size_t n)
{
	reader->out->nedits = 0;
	reader->out->edits = ccfc_arena_alloc(
		reader->arena, (n ? n : 1) * sizeof(*reader->out->edits));
}

/* The edits of a MultiEdit; of one part where each edit names its file. */
static bool read_edits(struct reader *reader, const struct ccfc_texts *texts)
{
	struct ccfc_parser *parser = reader->parser;
	struct ccfc_parts parts = { NULL, 0 };
	uint32_t first = ccfc_json_child(&parser->json, texts->edits);
	uint32_t edit;
	size_t n = 0;

	for (edit = first; edit; edit = ccfc_json_next(&parser->json, edit))
		n++;
	make_room(reader, n);
	for (edit = first; edit; edit = ccfc_json_next(&parser->json, edit)) {
		struct ccfc_texts one = ccfc_texts_edit(parser, edit);
		uint32_t part = CCFC_PARTS_MAX;

		if (!texts->path)
			part = ccfc_parts_put(&parts, parser, &one);
		if (part == CCFC_PARTS_MAX ? !parts.n : part == reader->part)
			add_edit(reader, &one);
	}
	return reader->out->nedits > 0;
}

static bool read_texts(struct reader *reader, const struct ccfc_texts *texts)
{
	const struct ccfc_json *json = &reader->parser->json;

	if (texts->shape == CCFC_TOOL_MULTI && texts->edits)
		return read_edits(reader, texts);
	if (!ccfc_json_is_string(json, texts->new_text) &&
	    !ccfc_json_is_string(json, texts->old_text))
		return false;
	make_room(reader, 1);
	add_edit(reader, texts);
	return true;
}

/* The block of `type` whose `id_field` is the id; sets how many there are. */
static bool find_block(struct reader *reader, const uint32_t *fields,
		       const char *type, enum ccfc_block_field id_field,
		       uint32_t *found, uint32_t *n)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t content = ccfc_parser_content(parser, fields);
	uint32_t at = ccfc_parser_first_block(parser, fields, content);
	uint32_t block[CCFC_BLOCK_COUNT];
	bool any = false;

	for (*n = 0; at; at = ccfc_parser_next_block(parser, at)) {
		ccfc_parser_block(parser, at, block);
		if (!ccfc_slice_is(ccfc_json_string(&parser->json,
						    block[CCFC_BLOCK_TYPE]),
				   type))
			continue;
		(*n)++;
		if (any ||
		    !ccfc_slice_eq(ccfc_parser_name(parser, block[id_field],
						    CCFC_ID_MAX),
				   reader->id))
			continue;
		memcpy(found, block, sizeof(block));
		any = true;
	}
	return any;
}

static bool read_call(struct reader *reader, struct ccfc_slice line)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t fields[CCFC_FIELD_COUNT];
	uint32_t block[CCFC_BLOCK_COUNT];
	const struct ccfc_tool *tool;
	struct ccfc_texts texts;
	uint32_t n;

	if (!ccfc_parser_open(parser, line, fields) ||
	    ccfc_parser_kind(parser, fields) != CCFC_RECORD_ASSISTANT ||
	    !find_block(reader, fields, "tool_use", CCFC_BLOCK_ID, block, &n))
		return false;
	tool = ccfc_tools_find(parser->tools,
			       ccfc_parser_name(parser, block[CCFC_BLOCK_NAME],
						CCFC_NAME_MAX));
	return tool &&
	       ccfc_texts_input(&texts, parser, tool,
				block[CCFC_BLOCK_INPUT]) &&
	       read_texts(reader, &texts);
}

static bool read_result(struct reader *reader, struct ccfc_slice line)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t fields[CCFC_FIELD_COUNT];
	uint32_t block[CCFC_BLOCK_COUNT];
	struct ccfc_detail detail;
	struct ccfc_slice uuid;
	bool found;
	uint32_t n;

	if (!ccfc_parser_open(parser, line, fields) ||
	    ccfc_parser_kind(parser, fields) != CCFC_RECORD_USER)
		return false;
	uuid = ccfc_parser_name(parser, fields[CCFC_FIELD_UUID], CCFC_NAME_MAX);
	found = find_block(reader, fields, "tool_result", CCFC_BLOCK_CALL_ID,
			   block, &n);
	if (n > 1 || (!found && !ccfc_slice_eq(uuid, reader->id)))
		return false;
	ccfc_detail_read(&detail, parser, fields[CCFC_FIELD_RESULT]);
	return detail.tool && read_texts(reader, &detail.texts);
}

bool ccfc_content_read(struct ccfc_parser *parser, struct ccfc_content *out,
		       struct ccfc_slice id, uint32_t part,
		       struct ccfc_slice call_line,
		       struct ccfc_slice result_line, struct ccfc_arena *arena)
{
	struct reader reader = { parser, out, arena, id, part };
	bool found;

	*out = (struct ccfc_content){ NULL, 0 };
	if (!id.len)
		return false;
	found = read_result(&reader, result_line);
	ccfc_parser_done(parser, result_line);
	if (!found) {
		found = read_call(&reader, call_line);
		ccfc_parser_done(parser, call_line);
	}
	if (!found)
		*out = (struct ccfc_content){ NULL, 0 };
	return found;
}
