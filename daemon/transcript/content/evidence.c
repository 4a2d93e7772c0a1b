/*
 * What the lines of a change say about the file's content. The call is read
 * first, then the result, which replaces the call's values: the call has what
 * was requested, the result what was written, and hooks, hosts and editors may
 * come in between. A value of the call counts only if the result lacks it.
 */
#include "transcript/content/evidence.h"

#include "transcript/content/find_call.h"
#include "transcript/content/structured_patch.h"
#include "transcript/word_pattern.h"

struct reader {
	struct ccfc_parser *parser;
	struct ccfc_evidence *out;
	struct ccfc_arena *arena;
	struct ccfc_slice id;
	uint32_t part;
	bool called;		    /* the call was found */
	enum ccfc_tool_shape shape; /* shape of the call's tool */
	bool several;		    /* the call edits several files */
	struct ccfc_slice path;	    /* with `several`: the file of this part */
};

/* A text with bad escapes is not the text that was written: ptr NULL. */
static struct ccfc_slice copy_text(struct reader *reader, uint32_t tok)
{
	bool bad = false;
	struct ccfc_slice text =
		ccfc_edit_texts_copy(reader->parser, tok, reader->arena, &bad);

	return bad ? CCFC_SLICE_NONE : text;
}

static void replace_if_set(struct ccfc_slice *text, struct ccfc_slice by)
{
	if (by.ptr)
		*text = by;
}

static void alloc_edits(struct reader *reader, uint32_t n)
{
	reader->out->nedits = 0;
	reader->out->edits = ccfc_arena_alloc(reader->arena,
					      n * sizeof(*reader->out->edits));
}

static void read_edits(struct reader *reader, struct ccfc_edits *edits)
{
	struct ccfc_edit_texts one;

	alloc_edits(reader, edits->n);
	while (ccfc_edits_next(edits, &one))
		reader->out->edits[reader->out->nedits++] =
			(struct ccfc_replacement){
				.old_text = copy_text(reader, one.old_text),
				.new_text = copy_text(reader, one.new_text),
				.all = one.many,
			};
}

static void read_single_edit(struct reader *reader,
			     const struct ccfc_edit_texts *texts)
{
	struct ccfc_slice old_text = copy_text(reader, texts->old_text);
	struct ccfc_slice new_text = copy_text(reader, texts->new_text);
	struct ccfc_evidence *out = reader->out;

	if (!old_text.ptr && !new_text.ptr)
		return;
	if (out->nedits != 1) {
		alloc_edits(reader, 1);
		out->edits[out->nedits++] =
			(struct ccfc_replacement){ .all = texts->many };
	}
	replace_if_set(&out->edits->old_text, old_text);
	replace_if_set(&out->edits->new_text, new_text);
}

static void read_after(struct reader *reader, uint32_t tok)
{
	replace_if_set(&reader->out->after, copy_text(reader, tok));
	reader->out->has_after = reader->out->after.ptr != NULL;
}

static void read_call_texts(struct reader *reader,
			    const struct ccfc_edit_texts *texts)
{
	struct ccfc_edits edits;

	switch (reader->out->shape) {
	case CCFC_TOOL_WRITE:
		read_after(reader, texts->new_text);
		break;
	case CCFC_TOOL_EDIT:
		read_single_edit(reader, texts);
		break;
	case CCFC_TOOL_MULTI:
		ccfc_edits_init(&edits, reader->parser, texts, reader->part);
		if (edits.n)
			read_edits(reader, &edits);
		else if (!texts->edits)
			read_single_edit(reader, texts);
		break;
	default: /* read_cell reads cells; for other shapes nothing is known */
		break;
	}
}

/* False if the mode is unknown. A missing mode changes nothing. */
static bool read_cell_mode(struct ccfc_cell *cell, const struct ccfc_json *json,
			   uint32_t tok)
{
	struct ccfc_slice mode = ccfc_json_string(json, tok);

	if (!tok)
		return true;
	if (ccfc_slice_is(mode, "replace"))
		cell->mode = CCFC_CELL_REPLACE;
	else if (ccfc_slice_is(mode, "insert"))
		cell->mode = CCFC_CELL_INSERT;
	else if (ccfc_slice_is(mode, "delete"))
		cell->mode = CCFC_CELL_DELETE;
	else
		return false;
	return true;
}

/* Is there a cell id that is not a text? That is not the same as no id. */
static bool odd_id(const struct ccfc_json *json, uint32_t tok,
		   struct ccfc_slice id)
{
	return tok && !id.ptr && ccfc_json_first(json, tok) != 'n';
}

/* Reads a cell from a call's input or from a result. */
static void read_cell(struct reader *reader, uint32_t object, uint32_t source,
		      uint32_t version)
{
	const struct ccfc_json *json = &reader->parser->json;
	struct ccfc_cell *cell = &reader->out->cell;
	uint32_t f[CCFC_EVIDENCE_COUNT];
	struct ccfc_slice id;
	int64_t number;
	bool known;

	ccfc_json_fields(json, object, &reader->parser->evidence_keys, f);
	known = read_cell_mode(cell, json, f[CCFC_EVIDENCE_CELL_MODE]);
	number = ccfc_json_count(json, f[CCFC_EVIDENCE_CELL_NUMBER]);
	if (number >= 0)
		cell->number = number;
	id = copy_text(reader, f[CCFC_EVIDENCE_CELL_ID]);
	replace_if_set(&cell->id, id);
	replace_if_set(&cell->type,
		       copy_text(reader, f[CCFC_EVIDENCE_CELL_TYPE]));
	replace_if_set(&cell->source, copy_text(reader, source));
	replace_if_set(&cell->version, copy_text(reader, version));
	reader->out->has_cell =
		known && !odd_id(json, f[CCFC_EVIDENCE_CELL_ID], id) &&
		(cell->source.ptr || cell->mode == CCFC_CELL_DELETE);
}

static void read_asked_cell(struct reader *reader,
			    const struct ccfc_found_call *found)
{
	struct ccfc_cell *cell = &reader->out->cell;

	read_cell(reader, found->input, found->texts.new_text, found->version);
	cell->asked = reader->out->has_cell;
	cell->asked_type = cell->type;
	cell->asked_id = cell->id;
}

/* The shape of an editor's command. */
static enum ccfc_tool_shape shape_of(const struct ccfc_json *json,
				     const struct ccfc_edit_texts *texts)
{
	struct ccfc_slice command = ccfc_json_string(json, texts->mode);

	if (texts->shape != CCFC_TOOL_COMMAND)
		return texts->shape;
	if (ccfc_pattern_lists("create|write", command))
		return CCFC_TOOL_WRITE;
	return ccfc_slice_is(command, "str_replace") ? CCFC_TOOL_EDIT
						     : CCFC_TOOL_OPAQUE;
}

/* False if the call does not have this part. */
static bool read_part_texts(struct reader *reader,
			    const struct ccfc_edit_texts *texts)
{
	struct ccfc_edits edits;

	ccfc_edits_init(&edits, reader->parser, texts, reader->part);
	reader->several = edits.parts.n > 1;
	if (reader->part >= (edits.parts.n ? edits.parts.n : 1))
		return false;
	if (reader->several)
		reader->path = ccfc_arena_copy(reader->arena,
					       edits.parts.paths[reader->part]);
	return true;
}

static bool read_call(struct reader *reader, struct ccfc_slice line)
{
	struct ccfc_found_call found;

	if (!ccfc_find_call(reader->parser, &found, line, reader->id) ||
	    !read_part_texts(reader, &found.texts))
		return false;
	reader->called = true;
	reader->shape = found.texts.shape;
	reader->out->shape = shape_of(&reader->parser->json, &found.texts);
	read_call_texts(reader, &found.texts);
	if (reader->out->shape == CCFC_TOOL_NOTEBOOK)
		read_asked_cell(reader, &found);
	return true;
}

static void read_before(struct reader *reader, const uint32_t *f, bool created)
{
	struct ccfc_evidence *out = reader->out;

	replace_if_set(&out->original,
		       copy_text(reader, f[CCFC_EVIDENCE_ORIGINAL]));
	replace_if_set(&out->original,
		       copy_text(reader, f[CCFC_EVIDENCE_ORIGINAL_MULTI]));
	replace_if_set(&out->original,
		       copy_text(reader, f[CCFC_EVIDENCE_ORIGINAL_NOTEBOOK]));
	if (!created)
		out->before = out->original.ptr ? CCFC_BEFORE_TEXT
						: CCFC_BEFORE_UNKNOWN;
	else if (!out->original.len)
		out->before = CCFC_BEFORE_ABSENT;
	if (out->before != CCFC_BEFORE_TEXT)
		out->original = CCFC_SLICE_NONE;
}

static bool has_texts(const struct ccfc_json *json,
		      const struct ccfc_edit_texts *texts)
{
	return texts->edits || ccfc_json_is_string(json, texts->old_text) ||
	       ccfc_json_is_string(json, texts->new_text);
}

/*
 * Reads the texts of a result. Drops the call's texts if they are of another
 * shape.
 */
static void read_result_texts(struct reader *reader,
			      const struct ccfc_edit_texts *texts)
{
	struct ccfc_evidence *out = reader->out;

	if (!reader->called || (texts->shape != out->shape &&
				has_texts(&reader->parser->json, texts)))
		*out = (struct ccfc_evidence){
			.shape = texts->shape,
			.cell.number = -1,
		};
	read_call_texts(reader, texts);
}

static void read_result_detail(struct reader *reader,
			       const struct ccfc_found_result *found)
{
	const struct ccfc_json *json = &reader->parser->json;
	const struct ccfc_detail *detail = &found->detail;
	struct ccfc_evidence *out = reader->out;
	uint32_t f[CCFC_EVIDENCE_COUNT];

	ccfc_json_fields(json, found->result, &reader->parser->evidence_keys,
			 f);
	read_result_texts(reader, &detail->texts);
	out->from_result = true;
	out->user_modified =
		ccfc_json_is_true(json, f[CCFC_EVIDENCE_USER_MODIFIED]);
	/*
	 * Results of clients before 1.0.35 lack replaceAll: the call's value
	 * counts.
	 */
	if (out->shape == CCFC_TOOL_EDIT && out->nedits == 1 &&
	    f[CCFC_EVIDENCE_ALL])
		out->edits->all = ccfc_json_is_true(json, f[CCFC_EVIDENCE_ALL]);
	if (detail->texts.shape == CCFC_TOOL_NOTEBOOK) {
		read_cell(reader, found->result, detail->texts.new_text,
			  found->version);
		read_after(reader, f[CCFC_EVIDENCE_UPDATED_NOTEBOOK]);
	}
	read_before(reader, f, detail->created);
	ccfc_patch_read(out, reader->parser, detail->patch, reader->arena);
}

static bool read_result(struct reader *reader, struct ccfc_slice line)
{
	struct ccfc_parser *parser = reader->parser;
	struct ccfc_found_result found;
	struct ccfc_slice path;

	if (!ccfc_find_result(parser, &found, line, reader->id))
		return false;
	if (!found.detail.tool) {
		/* Other tools report a creation also for files that existed. */
		if (found.created && reader->called &&
		    reader->shape == CCFC_TOOL_WRITE)
			reader->out->before = CCFC_BEFORE_ABSENT;
		return false;
	}
	path = ccfc_parser_name(parser, found.detail.texts.path, CCFC_PATH_MAX);
	if (reader->several ? !ccfc_slice_eq(path, reader->path) : reader->part)
		return false;
	read_result_detail(reader, &found);
	return true;
}

/* An unreadable result may contradict the call. */
static bool is_readable(struct ccfc_parser *parser, struct ccfc_slice line)
{
	uint32_t fields[CCFC_FIELD_COUNT];

	return !line.len || ccfc_parser_open(parser, line, fields);
}

bool ccfc_evidence_read(struct ccfc_parser *parser, struct ccfc_evidence *out,
			struct ccfc_slice id, uint32_t part,
			struct ccfc_slice call_line,
			struct ccfc_slice result_line, struct ccfc_arena *arena)
{
	struct reader reader = {
		.parser = parser,
		.out = out,
		.arena = arena,
		.id = id,
		.part = part,
	};
	bool known;

	*out = (struct ccfc_evidence){ .cell.number = -1 };
	if (!id.len)
		return false;
	known = read_call(&reader, call_line);
	ccfc_parser_done(parser, call_line);
	if (read_result(&reader, result_line))
		known = true;
	else if (known)
		known = is_readable(parser, result_line);
	ccfc_parser_done(parser, result_line);
	if (!known)
		*out = (struct ccfc_evidence){ .cell.number = -1 };
	return known;
}
