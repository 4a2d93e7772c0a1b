/*
 * A notebook and its cells: parsing, and finding the cell of a call. See
 * notebook_cells.h.
 */
#include "history/step/notebook_cells.h"

#include "history/step/js_json_print.h"

/* "1.0.128" as CCFC_VERSION_NUMBER(1, 0, 128), or 0. */
static int64_t parse_client_version(struct ccfc_slice s)
{
	int64_t parts[3] = { 0, 0, 0 };
	size_t part = 0, digits = 0;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c >= '0' && c <= '9' && digits++ < 3)
			parts[part] = parts[part] * 10 + (c - '0');
		else if (c == '.' && digits && part++ < 2)
			digits = 0;
		else
			return 0;
	}
	if (part < 2 || !digits)
		return 0;
	return CCFC_VERSION_NUMBER(parts[0], parts[1], parts[2]);
}

bool ccfc_notebook_early(const struct ccfc_notebook *nb)
{
	return nb->cell->number >= 0 ||
	       (nb->version && nb->version <= CCFC_CLIENT_EARLY);
}

bool ccfc_notebook_late(const struct ccfc_notebook *nb)
{
	return nb->cell->number < 0 && nb->version >= CCFC_CLIENT_LATE;
}

bool ccfc_notebook_quote(struct ccfc_slice *out, struct ccfc_notebook *nb,
			 struct ccfc_slice text)
{
	ccfc_buf_clear(&nb->print);
	if (!ccfc_js_text(&nb->print, text))
		return false;
	*out = ccfc_arena_copy(&nb->doc.arena, ccfc_buf_view(&nb->print));
	return true;
}

bool ccfc_notebook_is(struct ccfc_notebook *nb,
		      const struct ccfc_js_member *member,
		      struct ccfc_slice printed)
{
	const struct ccfc_json *json = &nb->doc.json;

	if (!member || !ccfc_json_is_string(json, member->value))
		return false;
	ccfc_buf_clear(&nb->print);
	return ccfc_js_string(&nb->print, ccfc_json_key(json, member->value),
			      &nb->doc.scratch) &&
	       ccfc_slice_eq(ccfc_buf_view(&nb->print), printed);
}

/*
 * The client fails on a notebook without metadata and on cells that are not
 * objects.
 */
static bool find_cells_and_metadata(struct ccfc_notebook *nb)
{
	const struct ccfc_json *json = &nb->doc.json;
	const struct ccfc_js_member *cells, *metadata;

	if (!ccfc_js_members_read(&nb->root, &nb->doc, 0))
		return false;
	cells = ccfc_js_find(&nb->root, "\"cells\"");
	metadata = ccfc_js_find(&nb->root, "\"metadata\"");
	if (!cells || !ccfc_json_is_array(json, cells->value) || !metadata ||
	    !ccfc_json_is_object(json, metadata->value))
		return false;
	nb->cells = cells->value;
	for (uint32_t tok = ccfc_json_child(json, nb->cells); tok;
	     tok = ccfc_json_next(json, tok)) {
		if (!ccfc_json_is_object(json, tok))
			return false;
		nb->ncells++;
	}
	return true;
}

/* The first cell with that id; -1: none, -2: not certain. */
static int64_t cell_by_id(struct ccfc_notebook *nb, struct ccfc_slice id)
{
	const struct ccfc_json *json = &nb->doc.json;
	struct ccfc_slice printed;
	int64_t i = 0;

	if (!ccfc_notebook_quote(&printed, nb, id))
		return -2;
	for (uint32_t tok = ccfc_json_child(json, nb->cells); tok;
	     tok = ccfc_json_next(json, tok), i++) {
		if (!ccfc_js_members_read(&nb->edited, &nb->doc, tok))
			return -2;
		if (ccfc_notebook_is(nb, ccfc_js_find(&nb->edited, "\"id\""),
				     printed))
			return i;
	}
	return -1;
}

/* "cell-7" is cell 7 in notebooks without ids; otherwise -1. */
static int64_t cell_by_number(const struct ccfc_notebook *nb,
			      struct ccfc_slice id)
{
	int64_t value = 0;

	if (!ccfc_slice_starts(id, "cell-") || id.len == 5)
		return -1;
	for (size_t i = 5; i < id.len; i++) {
		if (id.ptr[i] < '0' || id.ptr[i] > '9')
			return -1;
		value = value * 10 + (id.ptr[i] - '0');
		if (value >= nb->ncells)
			return -1;
	}
	return value;
}

bool ccfc_notebook_takes_numbers(const struct ccfc_notebook *nb,
				 struct ccfc_slice id)
{
	return cell_by_number(nb, id) >= 0;
}

/*
 * A cell's own id may look like "cell-7". Only for late clients it is known
 * which of the two counts.
 */
bool ccfc_notebook_find(struct ccfc_notebook *nb, struct ccfc_slice id)
{
	int64_t own = cell_by_id(nb, id), named = cell_by_number(nb, id);

	if (own == -2 || (own < 0 && named < 0))
		return false;
	if (own >= 0 && named >= 0 && own != named && !ccfc_notebook_late(nb))
		return false;
	nb->at = (uint32_t)(own >= 0 ? own : named);
	return true;
}

bool ccfc_notebook_read(struct ccfc_notebook *nb, struct ccfc_slice text)
{
	ccfc_js_doc_init(&nb->doc);
	nb->version = parse_client_version(nb->cell->version);
	return ccfc_js_doc_read(&nb->doc, text) && find_cells_and_metadata(nb);
}

void ccfc_notebook_release(struct ccfc_notebook *nb)
{
	ccfc_js_members_release(&nb->root);
	ccfc_js_members_release(&nb->edited);
	ccfc_buf_release(&nb->print);
	ccfc_js_doc_release(&nb->doc);
}
