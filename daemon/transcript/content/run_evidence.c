/*
 * A command's lines, read again; see run_evidence.h.
 *
 * The hunks of bashEditDiff show lines unchanged, with tabs and with "\r" at
 * the end of a line. Texts of files have only "\n", so each "\r" is removed
 * from the hunks, and the evidence notes which lines had one. Some hunks lack
 * their "\ No newline at end of file". So it is known only with that marker
 * whether a last line ends in a newline.
 */
#include "transcript/content/run_evidence.h"

#include "base/path.h"
#include "transcript/content/find_call.h"
#include "transcript/content/structured_patch.h"

bool ccfc_run_call_read(struct ccfc_parser *parser, struct ccfc_run_call *out,
			struct ccfc_slice id, struct ccfc_slice line,
			struct ccfc_arena *arena)
{
	struct ccfc_found_call found;
	const struct ccfc_tool *tool;
	struct ccfc_call call = { 0 };

	*out = (struct ccfc_run_call){ 0 };
	tool = id.len ? ccfc_find_command(parser, &found, line, id) : NULL;
	if (tool) {
		ccfc_command_fill(parser, &call, tool, found.input);
		out->command = ccfc_arena_copy(arena, call.command);
		out->cwd = ccfc_arena_copy(
			arena,
			ccfc_parser_name(parser, found.cwd, CCFC_PATH_MAX));
		out->cut = call.cut;
		out->foreign = call.foreign;
	}
	ccfc_parser_done(parser, line);
	return tool;
}

/* --- the file among those of a result --- */

static bool is_file(struct ccfc_parser *parser, uint32_t name, uint32_t cwd,
		    struct ccfc_slice path)
{
	struct ccfc_slice base = ccfc_parser_name(parser, cwd, CCFC_PATH_MAX);
	struct ccfc_slice said = ccfc_parser_name(parser, name, CCFC_PATH_MAX);
	struct ccfc_buf normal = CCFC_BUF_INIT;
	bool same = ccfc_path_normalise(&normal, said, base, CCFC_SLICE_NONE) &&
		    ccfc_slice_eq(ccfc_buf_view(&normal), path);

	ccfc_buf_release(&normal);
	return same;
}

/* Sets `f` to the fields of the entry; false: there is none with hunks. */
static bool find_file(uint32_t *f, struct ccfc_parser *parser,
		      const struct ccfc_found_result *found,
		      struct ccfc_slice path)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t at = 0, n = 0;

	ccfc_json_fields(json, found->detail.run_diff, &parser->run_keys, f);
	if (ccfc_json_is_array(json, f[CCFC_RUN_FIELD_FILES]))
		at = ccfc_json_child(json, f[CCFC_RUN_FIELD_FILES]);
	for (; at && n < CCFC_RUN_FILES_MAX; at = ccfc_json_next(json, at)) {
		n++;
		if (!ccfc_json_is_object(json, at))
			continue;
		ccfc_json_fields(json, at, &parser->run_keys, f);
		if (is_file(parser, f[CCFC_RUN_FIELD_PATH], found->cwd, path))
			return ccfc_json_is_array(json,
						  f[CCFC_RUN_FIELD_HUNKS]);
	}
	return false;
}

/* --- its lines --- */

static bool is_marker(struct ccfc_slice line)
{
	return ccfc_slice_starts(line, "\\");
}

/*
 * The text of one side of a hunk that has that side completely, as it was on
 * disk.
 */
static struct ccfc_slice whole_side(struct ccfc_evidence *out, char sign,
				    struct ccfc_arena *arena)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_slice copy;

	out->open_end = false;
	for (uint32_t k = 0; out->has_patch && k < out->hunks[0].nlines; k++) {
		struct ccfc_slice line = out->hunks[0].lines[k];

		if (is_marker(line)) {
			text.len -= text.len != 0;
			out->open_end = false;
			continue;
		}
		if (line.ptr[0] != sign)
			continue;
		ccfc_buf_append(&text, line.ptr + 1, line.len - 1);
		ccfc_buf_putc(&text, '\n');
		out->open_end = true;
	}
	copy = ccfc_arena_copy(arena, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
	return copy;
}

/* Is there one hunk, with lines of that sign only? */
static bool has_only_lines_with(const struct ccfc_evidence *ev, char sign)
{
	if (ev->nhunks > 1)
		return false;
	for (uint32_t k = 0; ev->nhunks && k < ev->hunks[0].nlines; k++)
		if (ev->hunks[0].lines[k].ptr[0] != sign &&
		    !is_marker(ev->hunks[0].lines[k]))
			return false;
	return true;
}

static void drop_returns(struct ccfc_evidence *out)
{
	for (uint32_t h = 0; h < out->nhunks; h++)
		for (uint32_t k = 0; k < out->hunks[h].nlines; k++) {
			struct ccfc_slice *line = &out->hunks[h].lines[k];
			bool cr = line->len > 1 &&
				  line->ptr[line->len - 1] == '\r';

			if (is_marker(*line))
				continue;
			line->len -= cr;
			out->with_cr |= cr;
			out->without_cr |= !cr;
		}
}

/* Refuses lines that the client would not write. */
static bool set_run_lines(struct ccfc_evidence *out, bool created, bool deleted,
			  bool has_hunks, struct ccfc_arena *arena)
{
	if (has_hunks && !out->has_patch)
		return false;
	if (!created && !deleted)
		return out->has_patch;
	if (!has_only_lines_with(out, created ? '+' : '-'))
		return false;
	if (created) {
		out->before = CCFC_BEFORE_ABSENT;
		out->has_after = true;
		out->after = whole_side(out, '+', arena);
	} else {
		out->gone = true;
		out->before = CCFC_BEFORE_TEXT;
		out->original = whole_side(out, '-', arena);
	}
	return true;
}

bool ccfc_run_result_read(struct ccfc_parser *parser, struct ccfc_evidence *out,
			  struct ccfc_slice id, struct ccfc_slice path,
			  struct ccfc_slice line, struct ccfc_arena *arena)
{
	const struct ccfc_json *json = &parser->json;
	struct ccfc_found_result found;
	struct ccfc_evidence ev = { .shape = CCFC_TOOL_SHELL,
				    .cell.number = -1,
				    .is_shell = true };
	uint32_t f[CCFC_RUN_FIELD_COUNT];
	bool known = false;

	if (id.len && ccfc_find_result(parser, &found, line, id) &&
	    found.detail.run_diff && find_file(f, parser, &found, path)) {
		ccfc_patch_read(&ev, parser, f[CCFC_RUN_FIELD_HUNKS], arena);
		known = set_run_lines(
			&ev, ccfc_json_is_true(json, f[CCFC_RUN_FIELD_CREATED]),
			ccfc_json_is_true(json, f[CCFC_RUN_FIELD_DELETED]),
			ccfc_json_child(json, f[CCFC_RUN_FIELD_HUNKS]), arena);
	}
	ccfc_parser_done(parser, line);
	if (!known)
		return false;
	drop_returns(&ev);
	ev.from_result = true;
	*out = ev;
	return true;
}
