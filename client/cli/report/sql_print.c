/* Printing rows of users' SQL; see sql_print.h. */
#include "cli/report/sql_print.h"

#include "base/alloc.h"
#include "cli/out/columns.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"
#include "wire/to_json.h"

#include <stdlib.h>

#define TITLE_MAX 40
#define GAP	  2

/* Numbers as in JSON, bytes as in SQL, nothing for NULL. */
static void put_value(struct ccfc_buf *out, struct ccfc_obj v)
{
	struct ccfc_slice s = ccfc_obj_str(v);

	switch (ccfc_obj_type(v)) {
	case CCFC_OBJ_NONE:
	case CCFC_OBJ_NIL:
		return;
	case CCFC_OBJ_STR:
		ccfc_buf_slice(out, s);
		return;
	case CCFC_OBJ_BIN:
		ccfc_buf_puts(out, "x'");
		for (size_t i = 0; i < s.len; i++)
			ccfc_buf_printf(out, "%02x", (unsigned char)s.ptr[i]);
		ccfc_buf_putc(out, '\'');
		return;
	default:
		ccfc_json_write(out, v, 0);
	}
}

/* --- a table --- */

static struct ccfc_table_col *make_columns(struct ccfc_obj names, unsigned n)
{
	struct ccfc_table_col *cols = ccfc_calloc(n + 1, sizeof(*cols));

	for (unsigned i = 0; i < n; i++) {
		struct ccfc_buf safe = CCFC_BUF_INIT, title = CCFC_BUF_INIT;

		ccfc_safe_append(&safe, ccfc_obj_str(ccfc_obj_at(names, i)),
				 false);
		ccfc_width_cut(&title, ccfc_buf_view(&safe), TITLE_MAX);
		ccfc_buf_puts(&title, ""); /* it may have no letter */
		cols[i] = (struct ccfc_table_col){
			.title = ccfc_buf_detach(&title, NULL),
			.gap = GAP,
			.elastic = true,
		};
		ccfc_buf_release(&safe);
	}
	return cols;
}

static void free_columns(struct ccfc_table_col *cols, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		free((char *)cols[i].title);
	free(cols);
}

void ccfc_sql_table(struct ccfc_out *out, struct ccfc_obj reply)
{
	struct ccfc_obj names = ccfc_obj_get(reply, "columns");
	struct ccfc_obj rows = ccfc_obj_get(reply, "rows");
	unsigned n = ccfc_obj_len(names) < CCFC_TABLE_COLS ? ccfc_obj_len(names)
							   : CCFC_TABLE_COLS;
	struct ccfc_table_col *cols;
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_table table;

	if (!n || !ccfc_obj_len(rows))
		return;
	cols = make_columns(names, n);
	ccfc_table_init(&table, cols, n);
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++)
		for (unsigned k = 0; k < n; k++) {
			ccfc_buf_clear(&text);
			put_value(&text, ccfc_obj_at(ccfc_obj_at(rows, i), k));
			ccfc_table_cell(&table, ccfc_buf_view(&text));
		}
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
	ccfc_buf_release(&text);
	free_columns(cols, n);
}

/* --- CSV --- */

static bool wants_quotes(struct ccfc_slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == ',' || s.ptr[i] == '"' || s.ptr[i] == '\r' ||
		    s.ptr[i] == '\n')
			return true;
	return !s.len;
}

static void put_field(struct ccfc_out *out, struct ccfc_obj v)
{
	struct ccfc_buf text = CCFC_BUF_INIT, field = CCFC_BUF_INIT;

	put_value(&text, v);
	if (!ccfc_obj_is_str(v) || !wants_quotes(ccfc_buf_view(&text))) {
		ccfc_out_content(out, ccfc_buf_view(&text));
		ccfc_buf_release(&text);
		return;
	}
	ccfc_buf_putc(&field, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			ccfc_buf_putc(&field, '"');
		ccfc_buf_putc(&field, text.ptr[i]);
	}
	ccfc_buf_putc(&field, '"');
	ccfc_out_content(out, ccfc_buf_view(&field));
	ccfc_buf_release(&field);
	ccfc_buf_release(&text);
}

static void put_record(struct ccfc_out *out, struct ccfc_obj fields)
{
	for (uint32_t i = 0; i < ccfc_obj_len(fields); i++) {
		if (i)
			ccfc_buf_putc(&out->buf, ',');
		put_field(out, ccfc_obj_at(fields, i));
	}
	ccfc_buf_puts(&out->buf, "\r\n");
	ccfc_out_check(out);
}

void ccfc_sql_csv(struct ccfc_out *out, struct ccfc_obj reply)
{
	struct ccfc_obj rows = ccfc_obj_get(reply, "rows");

	put_record(out, ccfc_obj_get(reply, "columns"));
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++)
		put_record(out, ccfc_obj_at(rows, i));
}

/* --- JSON lines --- */

/* How many of the names before the i-th are the same? */
static unsigned count_earlier_names(struct ccfc_obj names, uint32_t i)
{
	struct ccfc_slice name = ccfc_obj_str(ccfc_obj_at(names, i));
	unsigned n = 0;

	for (uint32_t k = 0; k < i; k++)
		n += ccfc_slice_eq(ccfc_obj_str(ccfc_obj_at(names, k)), name);
	return n;
}

/* "name":, with its comma; "name_2": for the second of that name. */
static void put_key(struct ccfc_buf *out, struct ccfc_obj names, uint32_t i)
{
	struct ccfc_buf key = CCFC_BUF_INIT;
	unsigned n = count_earlier_names(names, i);

	ccfc_buf_slice(&key, ccfc_obj_str(ccfc_obj_at(names, i)));
	if (n)
		ccfc_buf_printf(&key, "_%u", n + 1);
	if (i)
		ccfc_buf_putc(out, ',');
	ccfc_json_string(out, ccfc_buf_view(&key));
	ccfc_buf_putc(out, ':');
	ccfc_buf_release(&key);
}

void ccfc_sql_jsonl(struct ccfc_out *out, struct ccfc_obj reply)
{
	struct ccfc_obj names = ccfc_obj_get(reply, "columns");
	struct ccfc_obj rows = ccfc_obj_get(reply, "rows");

	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		ccfc_buf_putc(&out->buf, '{');
		for (uint32_t k = 0; k < ccfc_obj_len(names); k++) {
			put_key(&out->buf, names, k);
			ccfc_json_write(&out->buf,
					ccfc_obj_at(ccfc_obj_at(rows, i), k),
					0);
		}
		ccfc_buf_puts(&out->buf, "}\n");
		ccfc_out_check(out);
	}
}

/* --- the views --- */

static void print_view(struct ccfc_out *out, struct ccfc_obj view)
{
	static const struct ccfc_column columns[] = {
		{ "COLUMN", "name", .kind = CCFC_CELL_OPTIONAL, .min = 28 },
		{ "TYPE", "type", .kind = CCFC_CELL_OPTIONAL, .min = 7 },
		{ "ABOUT", "about", .kind = CCFC_CELL_OPTIONAL,
		  .elastic = CCFC_TABLE_PROSE },
	};
	struct ccfc_cells cells = { .out = out };

	ccfc_buf_puts(&out->buf, ccfc_out_on(out, CCFC_STYLE_HEAD));
	ccfc_out_field(out, ccfc_obj_get_str(view, "name"));
	ccfc_buf_puts(&out->buf, ccfc_out_off(out));
	ccfc_buf_puts(&out->buf, ": ");
	ccfc_out_field(out, ccfc_obj_get_str(view, "about"));
	ccfc_buf_puts(&out->buf, "\n\n");
	ccfc_columns_print(out, columns, CCFC_NCOLUMNS(columns), &cells,
			   ccfc_obj_get(view, "columns"));
}

void ccfc_sql_views(struct ccfc_out *out, struct ccfc_obj reply)
{
	struct ccfc_obj views = ccfc_obj_get(reply, "views");

	for (uint32_t i = 0; i < ccfc_obj_len(views); i++) {
		if (i)
			ccfc_buf_putc(&out->buf, '\n');
		print_view(out, ccfc_obj_at(views, i));
	}
}
