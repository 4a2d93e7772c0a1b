/*
 * The texts of a change, read again from its lines. If the result has texts,
 * they are what was written; the call only proposes.
 */
#include "transcript/content/change_text.h"

#include "transcript/content/find_call.h"

struct reader {
	struct ccfc_parser *parser;
	struct ccfc_change_text *out;
	struct ccfc_arena *arena;
	struct ccfc_slice id;
	uint32_t part;
};

static void add_edit(struct reader *reader, const struct ccfc_edit_texts *texts)
{
	struct ccfc_edit *edit = &reader->out->edits[reader->out->nedits++];

	edit->old_text = ccfc_edit_texts_copy(reader->parser, texts->old_text,
					      reader->arena, NULL);
	edit->new_text = ccfc_edit_texts_copy(reader->parser, texts->new_text,
					      reader->arena, NULL);
}

static void alloc_edits(struct reader *reader, size_t n)
{
	reader->out->nedits = 0;
	reader->out->edits = ccfc_arena_alloc(
		reader->arena, (n ? n : 1) * sizeof(*reader->out->edits));
}

static bool read_edits(struct reader *reader,
		       const struct ccfc_edit_texts *texts)
{
	struct ccfc_edits edits;
	struct ccfc_edit_texts one;

	ccfc_edits_init(&edits, reader->parser, texts, reader->part);
	alloc_edits(reader, edits.n);
	while (ccfc_edits_next(&edits, &one))
		add_edit(reader, &one);
	return reader->out->nedits > 0;
}

static bool read_texts(struct reader *reader,
		       const struct ccfc_edit_texts *texts)
{
	const struct ccfc_json *json = &reader->parser->json;

	if (texts->shape == CCFC_TOOL_MULTI && texts->edits)
		return read_edits(reader, texts);
	if (!ccfc_json_is_string(json, texts->new_text) &&
	    !ccfc_json_is_string(json, texts->old_text))
		return false;
	alloc_edits(reader, 1);
	add_edit(reader, texts);
	return true;
}

static bool read_call(struct reader *reader, struct ccfc_slice line)
{
	struct ccfc_found_call found;

	return ccfc_find_call(reader->parser, &found, line, reader->id) &&
	       read_texts(reader, &found.texts);
}

static bool read_result_texts(struct reader *reader, struct ccfc_slice line)
{
	struct ccfc_found_result found;

	return ccfc_find_result(reader->parser, &found, line, reader->id) &&
	       found.detail.tool && read_texts(reader, &found.detail.texts);
}

bool ccfc_content_read(struct ccfc_parser *parser, struct ccfc_change_text *out,
		       struct ccfc_slice id, uint32_t part,
		       struct ccfc_slice call_line,
		       struct ccfc_slice result_line, struct ccfc_arena *arena)
{
	struct reader reader = { parser, out, arena, id, part };
	bool found;

	*out = (struct ccfc_change_text){ NULL, 0 };
	if (!id.len)
		return false;
	found = read_result_texts(&reader, result_line);
	ccfc_parser_done(parser, result_line);
	if (!found) {
		found = read_call(&reader, call_line);
		ccfc_parser_done(parser, call_line);
	}
	if (!found)
		*out = (struct ccfc_change_text){ NULL, 0 };
	return found;
}
