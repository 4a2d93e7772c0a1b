/*
 * NotebookEdit, done again. The client reads the file as JSON, changes one
 * cell, and writes JSON.stringify(notebook, null, 1) without a newline at the
 * end. What it does to the cell has changed over time:
 *
 *   names the cell by   cell_number, then (by 1.0.35) cell_id
 *   replace             up to 1.0.35 takes execution_count away and sets
 *                       outputs, whatever the cell's type; from 1.0.128 on
 *                       sets both, in code cells only
 *   insert              with cell_number in that place, with cell_id after
 *                       that cell, and with a random id, which the result
 *                       has, if the notebook's format knows ids
 *   delete              always the same
 *
 * For the versions in between, and without a version, the step is not known.
 */
#include "history/step/notebook.h"

#include "history/step/notebook_cells.h"

static bool find_target_cell(struct ccfc_notebook *nb)
{
	if (nb->cell->number < 0)
		return nb->cell->id.len && ccfc_notebook_find(nb, nb->cell->id);
	nb->at = (uint32_t)nb->cell->number;
	return nb->cell->number < nb->ncells;
}

/* The type that the call gives the replaced cell; ptr NULL: no type. */
static bool wanted_cell_type(struct ccfc_slice *out,
			     const struct ccfc_notebook *nb, bool is_code)
{
	*out = nb->cell->asked ? nb->cell->asked_type : nb->cell->type;
	/* The result says "code" even if the call had no type. */
	if (!nb->cell->asked && ccfc_slice_is(*out, "code") && !is_code)
		return false;
	return true;
}

static bool replace_cell(struct ccfc_notebook *nb)
{
	const struct ccfc_json *json = &nb->doc.json;
	struct ccfc_js_members *edited = &nb->edited;
	uint32_t tok = ccfc_json_child(json, nb->cells);
	struct ccfc_slice source, type;
	bool is_code;

	for (uint32_t i = 0; i < nb->at; i++)
		tok = ccfc_json_next(json, tok);
	if (!ccfc_js_members_read(edited, &nb->doc, tok))
		return false;
	is_code = ccfc_notebook_is(nb, ccfc_js_find(edited, "\"cell_type\""),
				   CCFC_SLICE_LIT("\"code\""));
	if ((!ccfc_notebook_early(nb) && !ccfc_notebook_late(nb)) ||
	    !wanted_cell_type(&type, nb, is_code) ||
	    !ccfc_notebook_quote(&source, nb, nb->cell->source))
		return false;
	ccfc_js_set(edited, "\"source\"", source);
	if (ccfc_notebook_early(nb))
		ccfc_js_drop(edited, "\"execution_count\"");
	else if (is_code)
		ccfc_js_set(edited, "\"execution_count\"",
			    CCFC_SLICE_LIT("null"));
	if (ccfc_notebook_early(nb) || is_code)
		ccfc_js_set(edited, "\"outputs\"", CCFC_SLICE_LIT("[]"));
	if (!type.len)
		return true;
	if (!ccfc_notebook_quote(&type, nb, type))
		return false;
	ccfc_js_set(edited, "\"cell_type\"", type);
	return true;
}

/*
 * A small number in the notebook's object; -1: missing, -2: not a small number.
 */
static int root_number(const struct ccfc_notebook *nb, const char *key)
{
	const struct ccfc_json *json = &nb->doc.json;
	const struct ccfc_js_member *member = ccfc_js_find(&nb->root, key);
	const char *p;

	if (!member)
		return -1;
	p = json->text + json->at[member->value];
	if (*p < '0' || *p > '9' ||
	    strspn(p, "+-.0123456789eE") != strspn(p, "0123456789") ||
	    strspn(p, "0123456789") > 6)
		return -2;
	return (int)ccfc_json_int(json, member->value);
}

/* The id of the new cell; ptr NULL: it gets none. */
static bool new_cell_id(struct ccfc_slice *out, struct ccfc_notebook *nb)
{
	const struct ccfc_cell *cell = nb->cell;
	int format = root_number(nb, "\"nbformat\"");
	int minor = root_number(nb, "\"nbformat_minor\"");
	bool none;

	*out = CCFC_SLICE_NONE;
	if (format == -2 || minor == -2)
		return false;
	if (cell->number >= 0)
		return true;
	/* If the result has no id, the call's id counts, if it has one. */
	none = !cell->id.len || ccfc_slice_eq(cell->id, cell->asked_id);
	if (format < 4 || (format == 4 && minor < 5))
		return none;
	return !none && ccfc_notebook_quote(out, nb, cell->id);
}

static bool find_insert_position(struct ccfc_notebook *nb)
{
	const struct ccfc_cell *cell = nb->cell;

	if (cell->number >= 0) {
		nb->at = (uint32_t)cell->number;
		return cell->number <= nb->ncells;
	}
	/* Older clients may have inserted the cell before the named one. */
	if (!cell->asked || nb->version < CCFC_CLIENT_EARLY)
		return false;
	nb->at = 0;
	if (!cell->asked_id.len)
		return true;
	if (!ccfc_notebook_find(nb, cell->asked_id) ||
	    (!ccfc_notebook_late(nb) &&
	     ccfc_notebook_takes_numbers(nb, cell->asked_id)))
		return false;
	nb->at++;
	return true;
}

static bool insert_cell(struct ccfc_notebook *nb)
{
	struct ccfc_js_members *edited = &nb->edited;
	bool is_code = ccfc_slice_is(nb->cell->type, "code");
	struct ccfc_slice id, source, type;

	if (!find_insert_position(nb) || !new_cell_id(&id, nb) ||
	    !ccfc_notebook_quote(&source, nb, nb->cell->source) ||
	    !ccfc_notebook_quote(&type, nb, nb->cell->type) ||
	    (!is_code && !ccfc_slice_is(nb->cell->type, "markdown")) ||
	    (is_code && !ccfc_notebook_early(nb) && !ccfc_notebook_late(nb)))
		return false;
	edited->n = 0;
	ccfc_js_set(edited, "\"cell_type\"", type);
	if (id.ptr)
		ccfc_js_set(edited, "\"id\"", id);
	ccfc_js_set(edited, "\"source\"", source);
	ccfc_js_set(edited, "\"metadata\"", CCFC_SLICE_LIT("{}"));
	if (is_code && ccfc_notebook_late(nb))
		ccfc_js_set(edited, "\"execution_count\"",
			    CCFC_SLICE_LIT("null"));
	if (is_code)
		ccfc_js_set(edited, "\"outputs\"", CCFC_SLICE_LIT("[]"));
	return true;
}

static bool edit_cells(struct ccfc_notebook *nb)
{
	switch (nb->cell->mode) {
	case CCFC_CELL_REPLACE:
		return find_target_cell(nb) && replace_cell(nb);
	case CCFC_CELL_INSERT:
		return insert_cell(nb);
	case CCFC_CELL_DELETE:
		return find_target_cell(nb);
	}
	return false;
}

/*
 * Prints one cell of the array, with the separator before it. tok 0: the edited
 * cell.
 */
static bool print_cell(struct ccfc_buf *out, struct ccfc_notebook *nb,
		       uint32_t tok)
{
	ccfc_buf_putc(out, out->len ? ',' : '[');
	ccfc_js_newline(out, 2);
	return tok ? ccfc_js_put(out, &nb->doc, tok, 2)
		   : ccfc_js_put_members(out, &nb->doc, &nb->edited, 2);
}

/* Replaces the content of `out`. */
static bool print_cells(struct ccfc_buf *out, struct ccfc_notebook *nb)
{
	const struct ccfc_json *json = &nb->doc.json;
	enum ccfc_cell_mode mode = nb->cell->mode;
	uint32_t tok = ccfc_json_child(json, nb->cells);

	ccfc_buf_clear(out);
	for (uint32_t i = 0; i <= nb->ncells; i++) {
		if (i == nb->at && mode != CCFC_CELL_DELETE &&
		    !print_cell(out, nb, 0))
			return false;
		if (!tok)
			break;
		if ((i != nb->at || mode == CCFC_CELL_INSERT) &&
		    !print_cell(out, nb, tok))
			return false;
		tok = ccfc_json_next(json, tok);
	}
	if (!out->len) {
		ccfc_buf_puts(out, "[]");
		return true;
	}
	ccfc_js_newline(out, 1);
	ccfc_buf_putc(out, ']');
	return true;
}

static bool print_notebook(struct ccfc_buf *out, struct ccfc_notebook *nb)
{
	if (!edit_cells(nb) || !print_cells(&nb->print, nb))
		return false;
	ccfc_js_set(&nb->root, "\"cells\"", ccfc_buf_view(&nb->print));
	return ccfc_js_put_members(out, &nb->doc, &nb->root, 0);
}

bool ccfc_notebook_edit(struct ccfc_buf *out, const struct ccfc_cell *cell,
			struct ccfc_slice before)
{
	struct ccfc_notebook nb = { .cell = cell };
	bool ok;

	/*
	 * No client gives both a number and an id. Texts have no line ending in
	 * "\r".
	 */
	if ((cell->number >= 0 && cell->id.len) ||
	    (before.len && memchr(before.ptr, '\r', before.len))) {
		ccfc_buf_clear(out);
		return false;
	}
	ok = ccfc_notebook_read(&nb, before);
	ccfc_buf_clear(out);
	ok = ok && print_notebook(out, &nb);
	if (!ok)
		ccfc_buf_clear(out);
	ccfc_notebook_release(&nb);
	return ok;
}
