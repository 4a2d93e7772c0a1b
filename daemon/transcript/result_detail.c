/*
 * toolUseResult as the detail of a write. The client does not name the tool
 * there, so the fields show which it was. Reads, and other tools' results with
 * a filePath (a plan's, a language server's), have other fields.
 */
#include "transcript/edit_texts.h"

/* Is it a string that is not empty? */
static bool has_text(const struct ccfc_json *json, uint32_t tok)
{
	return ccfc_json_string(json, tok).len > 0;
}

static const char *infer_tool(const struct ccfc_json *json, const uint32_t *f)
{
	struct ccfc_slice type = ccfc_json_string(json, f[CCFC_DETAIL_TYPE]);

	if (ccfc_json_is_string(json, f[CCFC_DETAIL_NEW_SOURCE]) &&
	    (f[CCFC_DETAIL_CELL_TYPE] || f[CCFC_DETAIL_EDIT_MODE] ||
	     f[CCFC_DETAIL_NOTEBOOK]))
		return "NotebookEdit";
	if (!has_text(json, f[CCFC_DETAIL_PATH]))
		return NULL;
	if (ccfc_json_is_array(json, f[CCFC_DETAIL_EDITS]))
		return "MultiEdit";
	if (ccfc_json_is_string(json, f[CCFC_DETAIL_NEW]) ||
	    ccfc_json_is_string(json, f[CCFC_DETAIL_OLD]) ||
	    ccfc_slice_is(type, "edit"))
		return "Edit";
	if (ccfc_slice_is(type, "create") || ccfc_slice_is(type, "update"))
		return "Write";
	return f[CCFC_DETAIL_PATCH] ? "Edit" : NULL;
}

static struct ccfc_edit_texts read_texts(const struct ccfc_json *json,
					 const char *tool, const uint32_t *f)
{
	struct ccfc_edit_texts texts = {
		.shape = CCFC_TOOL_EDIT,
		.path = f[CCFC_DETAIL_PATH],
		.old_text = f[CCFC_DETAIL_OLD],
		.new_text = f[CCFC_DETAIL_NEW],
		.many = ccfc_json_is_true(json, f[CCFC_DETAIL_ALL]),
	};

	switch (*tool) {
	case 'N':
		texts.shape = CCFC_TOOL_NOTEBOOK;
		texts.path = f[CCFC_DETAIL_NOTEBOOK];
		texts.old_text = f[CCFC_DETAIL_OLD_SOURCE];
		texts.new_text = f[CCFC_DETAIL_NEW_SOURCE];
		texts.mode = f[CCFC_DETAIL_EDIT_MODE];
		break;
	case 'M':
		texts.shape = CCFC_TOOL_MULTI;
		texts.edits = f[CCFC_DETAIL_EDITS];
		break;
	case 'W':
		texts.shape = CCFC_TOOL_WRITE;
		texts.old_text = 0;
		texts.new_text = f[CCFC_DETAIL_CONTENT];
		break;
	}
	return texts;
}

static void read_shell(struct ccfc_detail *out, const struct ccfc_json *json,
		       const uint32_t *f)
{
	if (ccfc_json_is_object(json, f[CCFC_DETAIL_SHELL_DIFF]))
		out->run_diff = f[CCFC_DETAIL_SHELL_DIFF];
	out->background = has_text(json, f[CCFC_DETAIL_BACKGROUND]);
	out->interrupted = ccfc_json_is_true(json, f[CCFC_DETAIL_INTERRUPTED]);
}

void ccfc_detail_read(struct ccfc_detail *out, const struct ccfc_parser *parser,
		      uint32_t tok)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t f[CCFC_DETAIL_COUNT];

	memset(out, 0, sizeof(*out));
	ccfc_json_fields(json, tok, &parser->detail_keys, f);
	out->staged = ccfc_json_is_true(json, f[CCFC_DETAIL_STAGED]);
	out->tool = infer_tool(json, f);
	if (!out->tool) {
		read_shell(out, json, f);
		return;
	}
	out->texts = read_texts(json, out->tool, f);
	out->patch = f[CCFC_DETAIL_PATCH];
	out->original = f[CCFC_DETAIL_ORIGINAL];
	out->created = ccfc_slice_is(
		ccfc_json_string(json, f[CCFC_DETAIL_TYPE]), "create");
	out->error = out->texts.shape == CCFC_TOOL_NOTEBOOK &&
		     has_text(json, f[CCFC_DETAIL_ERROR]);
}

/* Counts the strings of an array that begin with + and with -. */
static void count_marks(const struct ccfc_json *json, uint32_t lines,
			int32_t *added, int32_t *removed)
{
	uint32_t line = 0;

	if (ccfc_json_is_array(json, lines))
		line = ccfc_json_child(json, lines);
	for (; line; line = ccfc_json_next(json, line)) {
		const char *p = json->text + json->at[line];

		*added += p[0] == '"' && p[1] == '+';
		*removed += p[0] == '"' && p[1] == '-';
	}
}

void ccfc_detail_count_hunks(const struct ccfc_json *json, uint32_t hunks,
			     int32_t *added, int32_t *removed)
{
	uint32_t hunk = ccfc_json_child(json, hunks);

	*added = *removed = 0;
	for (; hunk; hunk = ccfc_json_next(json, hunk)) {
		uint32_t key = 0;

		if (ccfc_json_is_object(json, hunk))
			key = ccfc_json_child(json, hunk);
		for (; key; key = ccfc_json_next(json, key + 2))
			if (ccfc_slice_is(ccfc_json_key(json, key), "lines"))
				count_marks(json, key + 2, added, removed);
	}
}

void ccfc_detail_count(struct ccfc_parser *parser,
		       const struct ccfc_detail *detail, int32_t *added,
		       int32_t *removed)
{
	if (detail->created && detail->texts.shape == CCFC_TOOL_WRITE) {
		ccfc_edit_texts_count(parser, &detail->texts, added, removed);
		*removed = 0;
	} else if (ccfc_json_is_array(&parser->json, detail->patch)) {
		ccfc_detail_count_hunks(&parser->json, detail->patch, added,
					removed);
	} else {
		ccfc_edit_texts_count(parser, &detail->texts, added, removed);
	}
}
