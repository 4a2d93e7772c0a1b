/* Tables whose columns are data; see columns.h. */
#include "cli/out/columns.h"

#include "base/path.h"
#include "cli/out/human.h"
#include "cli/out/locale_utf8.h"
#include "cli/out/render.h"

#define GAP 2
#define BAR 20 /* columns of the longest bar */

int64_t ccfc_cell_number(struct ccfc_obj row, const char *key)
{
	struct ccfc_obj v = ccfc_obj_get(row, key);

	return ccfc_obj_type(v) == CCFC_OBJ_MAP ? ccfc_human_tokens(v)
						: ccfc_obj_int(v, 0);
}

/* `s`, cut to `max` bytes, or `empty` if it is empty. */
static void put_cell_text(struct ccfc_buf *text, struct ccfc_slice s,
			  size_t max, const char *empty)
{
	if (s.len)
		ccfc_buf_slice(text, ccfc_slice_cut(s, max));
	else
		ccfc_buf_puts(text, empty);
}

static void put_cell_string(struct ccfc_buf *text,
			    const struct ccfc_cells *cells,
			    const struct ccfc_column *col, struct ccfc_obj row)
{
	struct ccfc_slice s = ccfc_obj_get_str(row, col->key);

	switch (col->kind) {
	case CCFC_CELL_OPTIONAL:
		put_cell_text(text, s, SIZE_MAX, "");
		return;
	case CCFC_CELL_GROUP:
		put_cell_text(text, s, SIZE_MAX, "(none)");
		return;
	case CCFC_CELL_TITLE:
		ccfc_buf_slice(text, ccfc_human_title(s));
		return;
	case CCFC_CELL_MODEL:
		put_cell_text(text, ccfc_human_model(s), SIZE_MAX, "-");
		return;
	case CCFC_CELL_PATH:
		ccfc_human_path(text, cells->out, s);
		return;
	case CCFC_CELL_BELOW:
		if (s.len)
			ccfc_human_path(text, cells->out,
					ccfc_path_relative(s, cells->base));
		return;
	case CCFC_CELL_PREFIX:
		put_cell_text(text, s, cells->id_length, "");
		return;
	case CCFC_CELL_ID:
		if (!s.len && col->second)
			s = ccfc_obj_get_str(row, col->second);
		put_cell_text(text, s, cells->out->tty ? col->cut : SIZE_MAX,
			      "-");
		return;
	default:
		if (!s.len && col->second)
			s = ccfc_obj_get_str(row, col->second);
		put_cell_text(text, s, SIZE_MAX, "-");
	}
}

static void put_cell_time(struct ccfc_buf *text, const struct ccfc_cells *cells,
			  enum ccfc_cell_kind kind, struct ccfc_obj time)
{
	if (kind == CCFC_CELL_WHEN || (cells->out->tty && cells->now))
		ccfc_human_when(text, cells->out, time, cells->now);
	else
		ccfc_render_time(text, time,
				 kind == CCFC_CELL_MINUTE ? CCFC_RENDER_MINUTE
							  : CCFC_RENDER_SECOND);
}

/* "?" if there are changes but no line numbers are known. */
static void put_cell_lines(struct ccfc_buf *text, struct ccfc_obj row)
{
	int64_t added = ccfc_obj_get_int(row, "linesAdded", -1);
	int64_t removed = ccfc_obj_get_int(row, "linesRemoved", -1);
	bool known = added >= 0 || removed >= 0;

	if (!known && ccfc_obj_get_int(row, "changes", 0))
		ccfc_buf_putc(text, '?');
	else
		ccfc_buf_printf(text, "+%lld -%lld",
				(long long)(added > 0 ? added : 0),
				(long long)(removed > 0 ? removed : 0));
}

static void put_cell(struct ccfc_buf *text, const struct ccfc_cells *cells,
		     const struct ccfc_column *col, struct ccfc_obj row)
{
	long long n = ccfc_obj_get_int(row, col->key, 0);

	if (col->put) {
		col->put(text, cells, row);
		return;
	}
	switch (col->kind) {
	case CCFC_CELL_COUNT:
		ccfc_buf_printf(text, "%lld", n);
		return;
	case CCFC_CELL_PAIR:
		ccfc_buf_printf(
			text, "%lld/%lld", n,
			(long long)ccfc_obj_get_int(row, col->second, 0));
		return;
	case CCFC_CELL_LENGTH:
		ccfc_buf_printf(text, "%u",
				ccfc_obj_len(ccfc_obj_get(row, col->key)));
		return;
	case CCFC_CELL_TOKENS:
		ccfc_human_count(text, ccfc_cell_number(row, col->key));
		return;
	case CCFC_CELL_LINES:
		put_cell_lines(text, row);
		return;
	case CCFC_CELL_DURATION:
		ccfc_human_duration(text, ccfc_obj_get_int(row, col->key, -1));
		return;
	case CCFC_CELL_MINUTE:
	case CCFC_CELL_SECOND:
	case CCFC_CELL_WHEN:
		put_cell_time(text, cells, col->kind,
			      ccfc_obj_get(row, col->key));
		return;
	case CCFC_CELL_JOIN:
		ccfc_render_join(text, ccfc_obj_get(row, col->key));
		return;
	case CCFC_CELL_BAR:
		ccfc_human_bar(text, ccfc_cell_number(row, col->key),
			       cells->max, BAR, ccfc_is_utf8());
		return;
	default:
		put_cell_string(text, cells, col, row);
	}
}

/* Columns in the order in which they are left out; returns their number. */
static unsigned order_drops(unsigned *drop, const struct ccfc_column *columns,
			    unsigned n)
{
	unsigned k = 0;

	for (unsigned turn = 1; turn <= n; turn++)
		for (unsigned i = 0; i < n; i++)
			if (columns[i].drop == turn)
				drop[k++] = i;
	return k;
}

static void set_style(struct ccfc_table *table, unsigned col,
		      enum ccfc_cell_kind kind)
{
	switch (kind) {
	case CCFC_CELL_PREFIX:
	case CCFC_CELL_ID:
		ccfc_table_style(table, col, CCFC_STYLE_ID);
		return;
	case CCFC_CELL_MINUTE:
	case CCFC_CELL_SECOND:
	case CCFC_CELL_WHEN:
		ccfc_table_style(table, col, CCFC_STYLE_TIME);
		return;
	case CCFC_CELL_STATUS:
		ccfc_table_style(table, col, CCFC_TABLE_BY_STATUS);
		return;
	default:
		return;
	}
}

void ccfc_columns_init(struct ccfc_columns *c,
		       const struct ccfc_column *columns, unsigned n,
		       const struct ccfc_cells *cells)
{
	c->columns = columns;
	c->n = n;
	c->cells = *cells;
	for (unsigned i = 0; i < n; i++)
		c->cols[i] = (struct ccfc_table_col){
			.title = columns[i].title,
			.min = columns[i].min,
			.gap = columns[i].gap ? columns[i].gap : GAP,
			.elastic = columns[i].elastic,
		};
	ccfc_table_init(&c->table, c->cols, n);
	for (unsigned i = 0; i < n; i++) {
		c->table.least[i] = columns[i].least;
		set_style(&c->table, i, columns[i].kind);
	}
	ccfc_table_drop(&c->table, c->drop, order_drops(c->drop, columns, n));
}

/* An absolute path that the cell is about; empty: none. */
static struct ccfc_slice link_of_cell(const struct ccfc_cells *cells,
				      const struct ccfc_column *col,
				      struct ccfc_obj row)
{
	struct ccfc_slice path = CCFC_SLICE_NONE;

	if (col->link)
		path = col->link(cells, row);
	else if (col->kind == CCFC_CELL_PATH || col->kind == CCFC_CELL_BELOW)
		path = ccfc_obj_get_str(row, col->key);
	return path.len && path.ptr[0] == '/' ? path : CCFC_SLICE_NONE;
}

void ccfc_columns_row(struct ccfc_columns *c, struct ccfc_obj row)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	for (unsigned i = 0; i < c->n; i++) {
		ccfc_buf_clear(&text);
		put_cell(&text, &c->cells, &c->columns[i], row);
		ccfc_table_cell(&c->table, ccfc_buf_view(&text));
		ccfc_table_link(&c->table,
				link_of_cell(&c->cells, &c->columns[i], row));
	}
	if (c->cells.note)
		c->cells.note(&c->table, row);
	ccfc_buf_release(&text);
}

void ccfc_columns_release(struct ccfc_columns *c)
{
	ccfc_table_release(&c->table);
}

void ccfc_columns_print(struct ccfc_out *out, const struct ccfc_column *columns,
			unsigned n, const struct ccfc_cells *cells,
			struct ccfc_obj rows)
{
	struct ccfc_columns c;

	ccfc_columns_init(&c, columns, n, cells);
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++)
		ccfc_columns_row(&c, ccfc_obj_at(rows, i));
	ccfc_table_print(&c.table, out);
	ccfc_columns_release(&c);
}
