/*
 * Results of Read; see read_result.h. Records that are copies are ignored: only
 * calls of assistant records and results of user records count.
 */
#include "transcript/content/read_result.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/time.h"
#include "transcript/content/blocks.h"
#include "transcript/content/numbered_lines.h"
#include "transcript/edit_texts.h"

static struct ccfc_slice copy_name(struct ccfc_parser *parser, uint32_t tok,
				   size_t max, struct ccfc_arena *arena)
{
	return ccfc_arena_copy(arena, ccfc_parser_name(parser, tok, max));
}

/* 0 if there is no id. */
static uint64_t hash_id(struct ccfc_parser *parser, uint32_t tok)
{
	struct ccfc_slice id = ccfc_parser_name(parser, tok, CCFC_ID_MAX);

	return id.len ? ccfc_hash_slice(id) : 0;
}

/* Sets everything except id and text. False without a path. */
static bool set_paths(struct ccfc_parser *parser, struct ccfc_read_result *out,
		      const uint32_t *fields, uint32_t path,
		      struct ccfc_arena *arena)
{
	*out = (struct ccfc_read_result){
		.path = copy_name(parser, path, CCFC_PATH_MAX, arena),
		.cwd = copy_name(parser, fields[CCFC_FIELD_CWD], CCFC_PATH_MAX,
				 arena),
		.version = copy_name(parser, fields[CCFC_FIELD_VERSION],
				     CCFC_NAME_MAX, arena),
		.time = ccfc_parser_time(parser, fields[CCFC_FIELD_TIME]),
	};
	return out->path.len;
}

/* --- toolUseResult --- */

static bool read_detail(struct ccfc_parser *parser,
			struct ccfc_read_result *out, const uint32_t *fields,
			struct ccfc_arena *arena)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t result = fields[CCFC_FIELD_RESULT];
	uint32_t top[CCFC_READ_COUNT], f[CCFC_READ_COUNT];
	bool bad = false;
	int64_t lines;

	if (!ccfc_json_is_object(json, result))
		return false;
	ccfc_json_fields(json, result, &parser->read_keys, top);
	if (!ccfc_json_is_object(json, top[CCFC_READ_FILE]))
		return false;
	ccfc_json_fields(json, top[CCFC_READ_FILE], &parser->read_keys, f);
	lines = ccfc_json_int(json, f[CCFC_READ_LINES]);
	if (ccfc_json_int(json, f[CCFC_READ_START]) != 1 || lines < 1 ||
	    ccfc_json_int(json, f[CCFC_READ_TOTAL]) != lines ||
	    !set_paths(parser, out, fields, f[CCFC_READ_PATH], arena))
		return false;
	out->text =
		ccfc_edit_texts_copy(parser, f[CCFC_READ_CONTENT], arena, &bad);
	return out->text.ptr && !bad;
}

bool ccfc_read_result_detail(struct ccfc_parser *parser,
			     struct ccfc_read_result *out,
			     struct ccfc_slice line, struct ccfc_arena *arena)
{
	uint32_t fields[CCFC_FIELD_COUNT];
	bool whole = ccfc_parser_open(parser, line, fields) &&
		     ccfc_parser_kind(parser, fields) == CCFC_RECORD_USER &&
		     read_detail(parser, out, fields, arena);

	ccfc_parser_done(parser, line);
	return whole;
}

/* --- calls --- */

/* The path of a call whose only argument is a file; 0: none. */
static uint32_t path_argument_of(const struct ccfc_json *json, uint32_t input)
{
	uint32_t key = 0, path = 0;

	if (ccfc_json_is_object(json, input))
		key = ccfc_json_child(json, input);
	for (; key; key = ccfc_json_next(json, key + 2)) {
		if (ccfc_slice_is(ccfc_json_key(json, key), "file_path"))
			path = key + 2;
		else if (ccfc_json_first(json, key + 2) != 'n')
			return 0;
	}
	return path;
}

uint32_t ccfc_read_result_calls(struct ccfc_parser *parser,
				struct ccfc_read_result *out, uint32_t max,
				struct ccfc_slice line,
				struct ccfc_arena *arena)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t n = 0;
	struct ccfc_blocks w;

	ccfc_blocks_open(&w, parser, line, CCFC_RECORD_ASSISTANT, "tool_use");
	while (n < max && ccfc_blocks_next(&w)) {
		uint64_t id = hash_id(parser, w.block[CCFC_BLOCK_ID]);
		uint32_t path =
			path_argument_of(json, w.block[CCFC_BLOCK_INPUT]);

		if (!id || !path ||
		    !ccfc_slice_is(
			    ccfc_json_string(json, w.block[CCFC_BLOCK_NAME]),
			    "Read") ||
		    !set_paths(parser, &out[n], w.fields, path, arena))
			continue;
		out[n++].id = id;
	}
	ccfc_parser_done(parser, line);
	return n;
}

/* --- results --- */

uint32_t ccfc_read_result_results(struct ccfc_parser *parser, uint64_t *ids,
				  uint32_t max, struct ccfc_slice line)
{
	uint32_t n = 0;
	struct ccfc_blocks w;

	ccfc_blocks_open(&w, parser, line, CCFC_RECORD_USER, "tool_result");
	while (n < max && ccfc_blocks_next(&w)) {
		uint64_t id = hash_id(parser, w.block[CCFC_BLOCK_CALL_ID]);

		if (id && !ccfc_json_is_true(&parser->json,
					     w.block[CCFC_BLOCK_IS_ERROR]))
			ids[n++] = id;
	}
	ccfc_parser_done(parser, line);
	return n;
}

/* The text of a result: a string, or blocks that are all texts. */
static bool append_shown_text(struct ccfc_parser *parser, struct ccfc_buf *out,
			      uint32_t tok, struct ccfc_arena *arena)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t item = 0, f[CCFC_BLOCK_COUNT];
	struct ccfc_slice text;
	bool bad = false;

	if (tok && ccfc_json_is_array(json, tok))
		item = ccfc_json_child(json, tok);
	if (!item) {
		text = ccfc_edit_texts_copy(parser, tok, arena, &bad);
		ccfc_buf_slice(out, text);
		return text.ptr && !bad;
	}
	for (; item; item = ccfc_json_next(json, item)) {
		if (!ccfc_json_is_object(json, item))
			return false;
		ccfc_json_fields(json, item, &parser->block_keys, f);
		text = ccfc_edit_texts_copy(parser, f[CCFC_BLOCK_TEXT], arena,
					    &bad);
		if (!text.ptr || bad)
			return false;
		if (out->len)
			ccfc_buf_putc(out, '\n');
		ccfc_buf_slice(out, text);
	}
	return true;
}

static bool read_shown_result(struct ccfc_blocks *w,
			      struct ccfc_read_result *out,
			      struct ccfc_arena *arena)
{
	struct ccfc_buf shown = CCFC_BUF_INIT;
	bool whole;

	*out = (struct ccfc_read_result){
		.time = ccfc_parser_time(w->parser, w->fields[CCFC_FIELD_TIME]),
	};
	whole = !ccfc_json_is_true(&w->parser->json,
				   w->block[CCFC_BLOCK_IS_ERROR]) &&
		append_shown_text(w->parser, &shown,
				  w->block[CCFC_BLOCK_CONTENT], arena) &&
		ccfc_numbered_lines_text(&out->text, ccfc_buf_view(&shown),
					 arena);
	ccfc_buf_release(&shown);
	return whole;
}

bool ccfc_read_result_result(struct ccfc_parser *parser,
			     struct ccfc_read_result *out,
			     struct ccfc_slice line, uint64_t id,
			     struct ccfc_arena *arena)
{
	bool whole = false;
	struct ccfc_blocks w;

	ccfc_blocks_open(&w, parser, line, CCFC_RECORD_USER, "tool_result");
	while (ccfc_blocks_next(&w)) {
		if (hash_id(parser, w.block[CCFC_BLOCK_CALL_ID]) != id)
			continue;
		whole = read_shown_result(&w, out, arena);
		out->id = id;
		break;
	}
	ccfc_parser_done(parser, line);
	return whole;
}
