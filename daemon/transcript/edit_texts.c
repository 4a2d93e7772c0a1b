/*
 * The texts of a change, and how many lines they add and remove; see
 * edit_texts.h. These numbers are what a call proposes: for an edit of half a
 * line only the result's patch has the changed lines of the file.
 */
#include "transcript/edit_texts.h"

#include "transcript/json/unescape.h"
#include "transcript/line_count.h"
#include "transcript/word_pattern.h"

/* The commands of editor tools that change a file. */
#define WRITE_COMMANDS "create|str_replace|insert|write|append"

static uint32_t first_token(uint32_t a, uint32_t b)
{
	return a ? a : b;
}

struct ccfc_edit_texts ccfc_edit_texts_edit(const struct ccfc_parser *parser,
					    uint32_t edit)
{
	uint32_t f[CCFC_EDIT_COUNT];

	ccfc_json_fields(&parser->json, edit, &parser->edit_keys, f);
	return (struct ccfc_edit_texts){
		.shape = CCFC_TOOL_EDIT,
		.path = first_token(f[CCFC_EDIT_PATH], f[CCFC_EDIT_PATH_ALIAS]),
		.old_text =
			first_token(f[CCFC_EDIT_OLD], f[CCFC_EDIT_OLD_TEXT]),
		.new_text =
			first_token(f[CCFC_EDIT_NEW], f[CCFC_EDIT_NEW_TEXT]),
		.many = ccfc_json_is_true(&parser->json, f[CCFC_EDIT_ALL]),
	};
}

/* Reads the fields that no row of the table names. False for a dry run. */
static bool read_option(struct ccfc_edit_texts *out,
			const struct ccfc_json *json, struct ccfc_slice key,
			uint32_t value)
{
	if (ccfc_slice_is(key, "edits") && ccfc_json_is_array(json, value))
		out->edits = value;
	else if (ccfc_slice_is(key, "replace_all"))
		out->many = ccfc_json_is_true(json, value);
	else if (ccfc_slice_is(key, "expected_replacements"))
		out->many = ccfc_json_int(json, value) != 1;
	else if (ccfc_slice_is(key, "edit_mode") ||
		 ccfc_slice_is(key, "command"))
		out->mode = value;
	else if (ccfc_pattern_lists("dryRun|dry_run", key))
		return !ccfc_json_is_true(json, value);
	return true;
}

bool ccfc_edit_texts_input(struct ccfc_edit_texts *out,
			   const struct ccfc_parser *parser,
			   const struct ccfc_tool *tool, uint32_t input)
{
	const struct ccfc_json *json = &parser->json;
	bool writes = true;
	uint32_t key = 0;

	*out = (struct ccfc_edit_texts){ .shape = tool->shape };
	if (ccfc_json_is_object(json, input))
		key = ccfc_json_child(json, input);
	for (; key; key = ccfc_json_next(json, key + 2)) {
		struct ccfc_slice name = ccfc_json_key(json, key);

		if (ccfc_pattern_lists(tool->path_key, name))
			out->path = key + 2;
		else if (ccfc_pattern_lists(tool->new_key, name))
			out->new_text = key + 2;
		else if (ccfc_pattern_lists(tool->old_key, name))
			out->old_text = key + 2;
		else if (!read_option(out, json, name, key + 2))
			writes = false;
	}
	if (tool->shape == CCFC_TOOL_SHELL ||
	    tool->shape == CCFC_TOOL_SHELL_OTHER)
		return false;
	if (tool->shape == CCFC_TOOL_COMMAND)
		return ccfc_pattern_lists(WRITE_COMMANDS,
					  ccfc_json_string(json, out->mode));
	return writes;
}

static int32_t count_text(const struct ccfc_parser *parser, uint32_t tok)
{
	if (!ccfc_json_is_string(&parser->json, tok))
		return CCFC_LINES_UNKNOWN;
	return ccfc_line_count_raw(ccfc_json_string(&parser->json, tok));
}

/* Old text to new text. */
static void count_pair(struct ccfc_parser *parser,
		       const struct ccfc_edit_texts *texts, int32_t *added,
		       int32_t *removed)
{
	struct ccfc_json *json = &parser->json;
	struct ccfc_slice before = ccfc_json_string(json, texts->old_text);
	struct ccfc_slice after = ccfc_json_string(json, texts->new_text);

	if (texts->many || !after.ptr)
		return;
	if (!before.ptr) {
		*added = ccfc_line_count_raw(after);
		return;
	}
	before = ccfc_unescape(&parser->arena, before, NULL);
	after = ccfc_unescape(&parser->arena, after, NULL);
	ccfc_line_count_diff(&parser->arena, &parser->budget, before, after,
			     added, removed);
}

static void count_notebook(struct ccfc_parser *parser,
			   const struct ccfc_edit_texts *texts, int32_t *added,
			   int32_t *removed)
{
	struct ccfc_slice mode = ccfc_json_string(&parser->json, texts->mode);

	if (ccfc_slice_is(mode, "insert")) {
		*added = count_text(parser, texts->new_text);
		*removed = 0;
	} else if (ccfc_slice_is(mode, "delete")) {
		*added = 0;
		*removed = count_text(parser, texts->old_text);
	} else {
		count_pair(parser, texts, added, removed);
	}
}

void ccfc_edit_texts_add(int32_t *a, int32_t b)
{
	if (*a == CCFC_LINES_UNKNOWN || b == CCFC_LINES_UNKNOWN)
		*a = CCFC_LINES_UNKNOWN;
	else
		*a += b;
}

static void count_edits(struct ccfc_parser *parser, uint32_t edits,
			int32_t *added, int32_t *removed)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t edit = ccfc_json_child(json, edits);

	*added = *removed = 0;
	for (; edit; edit = ccfc_json_next(json, edit)) {
		struct ccfc_edit_texts texts =
			ccfc_edit_texts_edit(parser, edit);
		int32_t plus;
		int32_t minus;

		ccfc_edit_texts_count(parser, &texts, &plus, &minus);
		ccfc_edit_texts_add(added, plus);
		ccfc_edit_texts_add(removed, minus);
	}
}

void ccfc_edit_texts_count(struct ccfc_parser *parser,
			   const struct ccfc_edit_texts *texts, int32_t *added,
			   int32_t *removed)
{
	*added = *removed = CCFC_LINES_UNKNOWN;
	switch (texts->shape) {
	case CCFC_TOOL_WRITE:
		*added = count_text(parser, texts->new_text);
		break;
	case CCFC_TOOL_NOTEBOOK:
		count_notebook(parser, texts, added, removed);
		break;
	case CCFC_TOOL_MULTI:
		if (texts->edits)
			count_edits(parser, texts->edits, added, removed);
		else
			count_pair(parser, texts, added, removed);
		break;
	case CCFC_TOOL_COMMAND:
		count_pair(parser, texts, added, removed);
		if (ccfc_slice_is(ccfc_json_string(&parser->json, texts->mode),
				  "insert"))
			*removed = 0;
		break;
	case CCFC_TOOL_EDIT:
		count_pair(parser, texts, added, removed);
		break;
	case CCFC_TOOL_SHELL:
	case CCFC_TOOL_SHELL_OTHER:
	case CCFC_TOOL_OPAQUE:
		break;
	}
}

uint32_t ccfc_parts_put(struct ccfc_parts *parts, struct ccfc_parser *parser,
			const struct ccfc_edit_texts *texts)
{
	struct ccfc_slice path =
		ccfc_parser_name(parser, texts->path, CCFC_PATH_MAX);
	uint32_t i = 0;

	if (!path.len)
		return CCFC_PARTS_MAX;
	if (!parts->paths)
		parts->paths = ccfc_arena_alloc(&parser->arena,
						CCFC_PARTS_MAX * sizeof(path));
	while (i < parts->n && !ccfc_slice_eq(parts->paths[i], path))
		i++;
	if (i == parts->n && i < CCFC_PARTS_MAX)
		parts->paths[parts->n++] = path;
	return i;
}

void ccfc_edits_init(struct ccfc_edits *edits, struct ccfc_parser *parser,
		     const struct ccfc_edit_texts *texts, uint32_t part)
{
	uint32_t edit = 0;

	if (texts->edits)
		edit = ccfc_json_child(&parser->json, texts->edits);
	*edits = (struct ccfc_edits){
		.parser = parser,
		.part = part,
		.at = edit,
	};
	for (; edit; edit = ccfc_json_next(&parser->json, edit)) {
		struct ccfc_edit_texts one = ccfc_edit_texts_edit(parser, edit);

		if (!texts->path)
			ccfc_parts_put(&edits->parts, parser, &one);
		edits->n++;
	}
}

bool ccfc_edits_next(struct ccfc_edits *edits, struct ccfc_edit_texts *out)
{
	while (edits->at) {
		*out = ccfc_edit_texts_edit(edits->parser, edits->at);
		edits->at = ccfc_json_next(&edits->parser->json, edits->at);
		if (!edits->parts.n ||
		    ccfc_parts_put(&edits->parts, edits->parser, out) ==
			    edits->part)
			return true;
	}
	return false;
}

struct ccfc_slice ccfc_edit_texts_copy(const struct ccfc_parser *parser,
				       uint32_t tok, struct ccfc_arena *arena,
				       bool *bad)
{
	struct ccfc_slice raw = ccfc_json_string(&parser->json, tok);
	struct ccfc_slice text;

	if (!raw.ptr)
		return raw;
	text = ccfc_unescape(arena, raw, bad);
	return text.ptr == raw.ptr ? ccfc_arena_copy(arena, raw) : text;
}
