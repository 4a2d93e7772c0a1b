/*
 * Files in the result of a shell command: bashEditDiff, in which newer clients
 * record, in some modes, the files that changed while the command ran. `files`
 * has the changed lines of the first few, `changedFiles` names up to 200,
 * `moreFiles` counts those without lines in `files`.
 *
 * Also the client's notes that a background command has ended.
 */
#include "base/alloc.h"
#include "transcript/edit_texts.h"
#include "transcript/json/unescape.h"

#define NOTE	  "<task-notification>"
#define ID_OPEN	  "<tool-use-id>"
#define ID_CLOSE  "</tool-use-id>"
#define RUNNING	  "<status>running"
#define NOTE_HEAD 4096u /* bytes of a note that are searched */

static bool has_file(const struct ccfc_parser *parser, struct ccfc_slice path)
{
	for (uint32_t i = 0; i < parser->run_files.n; i++)
		if (ccfc_slice_eq(parser->run_files.items[i].path, path))
			return true;
	return false;
}

/* False if there is no room. */
static bool put_run_file(struct ccfc_parser *parser,
			 const struct ccfc_run_file *file)
{
	if (!file->path.len || has_file(parser, file->path))
		return true;
	if (parser->run_files.n == CCFC_RUN_FILES_MAX)
		return false;
	CCFC_VEC_PUSH(parser->run_files, *file);
	return true;
}

static struct ccfc_run_file read_file(struct ccfc_parser *parser, uint32_t tok)
{
	const struct ccfc_json *json = &parser->json;
	struct ccfc_run_file file = { .added = CCFC_LINES_UNKNOWN,
				      .removed = CCFC_LINES_UNKNOWN };
	uint32_t f[CCFC_RUN_FIELD_COUNT];
	uint32_t hunks;

	ccfc_json_fields(json, tok, &parser->run_keys, f);
	file.path =
		ccfc_parser_name(parser, f[CCFC_RUN_FIELD_PATH], CCFC_PATH_MAX);
	if (ccfc_json_is_true(json, f[CCFC_RUN_FIELD_DELETED]))
		file.op = CCFC_OP_DELETED;
	else if (ccfc_json_is_true(json, f[CCFC_RUN_FIELD_CREATED]))
		file.op = CCFC_OP_CREATED;
	hunks = f[CCFC_RUN_FIELD_HUNKS];
	file.hunks = ccfc_json_is_array(json, hunks);
	if (file.hunks)
		ccfc_detail_count_hunks(json, hunks, &file.added,
					&file.removed);
	return file;
}

/* Reads the files with their lines; false if some were left out. */
static bool read_files(struct ccfc_parser *parser, uint32_t list)
{
	uint32_t at = 0;

	if (ccfc_json_is_array(&parser->json, list))
		at = ccfc_json_child(&parser->json, list);
	for (; at; at = ccfc_json_next(&parser->json, at)) {
		struct ccfc_run_file file = read_file(parser, at);

		if (!put_run_file(parser, &file))
			return false;
	}
	return true;
}

static bool read_names(struct ccfc_parser *parser, uint32_t list)
{
	uint32_t at = 0;

	if (ccfc_json_is_array(&parser->json, list))
		at = ccfc_json_child(&parser->json, list);
	for (; at; at = ccfc_json_next(&parser->json, at)) {
		struct ccfc_run_file file = {
			.path = ccfc_parser_name(parser, at, CCFC_PATH_MAX),
			.added = CCFC_LINES_UNKNOWN,
			.removed = CCFC_LINES_UNKNOWN,
		};

		if (!put_run_file(parser, &file))
			return false;
	}
	return true;
}

void ccfc_run_diff_read(struct ccfc_parser *parser, struct ccfc_result *out,
			uint32_t diff)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t f[CCFC_RUN_FIELD_COUNT];
	uint32_t with_lines;
	int64_t more;
	bool whole;

	ccfc_json_fields(json, diff, &parser->run_keys, f);
	whole = read_files(parser, f[CCFC_RUN_FIELD_FILES]);
	with_lines = parser->run_files.n;
	whole = read_names(parser, f[CCFC_RUN_FIELD_CHANGED]) && whole;
	more = ccfc_json_count(json, f[CCFC_RUN_FIELD_MORE]);
	out->files = parser->run_files.items;
	out->nfiles = parser->run_files.n;
	out->run |= CCFC_RUN_DIFF;
	if (ccfc_json_is_true(json, f[CCFC_RUN_FIELD_SHARED]))
		out->run |= CCFC_RUN_SHARED;
	if (!whole || more > (int64_t)(out->nfiles - with_lines) ||
	    ccfc_json_is_true(json, f[CCFC_RUN_FIELD_SKIPPED]) ||
	    ccfc_json_is_true(json, f[CCFC_RUN_FIELD_UNAVAILABLE]))
		out->run |= CCFC_RUN_PARTIAL;
}

/* The offset of `word` in `text`, or the length of `text`. */
static size_t find_word(struct ccfc_slice text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.len; i++)
		if (!memcmp(text.ptr + i, word, n))
			return i;
	return text.len;
}

struct ccfc_slice ccfc_run_ended(struct ccfc_parser *parser,
				 struct ccfc_slice raw)
{
	size_t open, close;

	if (!ccfc_slice_starts(raw, NOTE))
		return CCFC_SLICE_NONE;
	raw = ccfc_slice_cut(raw, NOTE_HEAD);
	open = find_word(raw, ID_OPEN) + strlen(ID_OPEN);
	close = find_word(raw, ID_CLOSE);
	if (open > close || close == raw.len ||
	    find_word(raw, RUNNING) != raw.len)
		return CCFC_SLICE_NONE;
	return ccfc_unescape_name(&parser->arena,
				  ccfc_slice(raw.ptr + open, close - open),
				  CCFC_ID_MAX);
}
