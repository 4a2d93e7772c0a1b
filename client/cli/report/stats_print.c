/*
 * Totals of changes, calls and tokens; see stats_print.h. A table has the
 * columns whose fields the rows have: the daemon leaves out fields that do not
 * apply. One column is drawn as bars.
 */
#include "cli/report/stats_print.h"

#include "cli/out/columns.h"
#include "cli/out/human.h"
#include "cli/out/render.h"

#define AT	    11	 /* the column of the totals */
#define LEAST_PRICE 1e-9 /* less is what sums of doubles leave over */

/* ---- totals ---- */

static void put_tokens(struct ccfc_buf *text, struct ccfc_obj usage)
{
	static const struct {
		const char *key, *name;
	} parts[] = {
		{ "input", "input" },
		{ "output", "output" },
		{ "cacheRead", "cache read" },
		{ "cacheWrite", "cache write" },
	};

	ccfc_human_count(text, ccfc_human_tokens(usage));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		ccfc_buf_printf(text, "%s%s ", i ? ", " : " (", parts[i].name);
		ccfc_human_count(text,
				 ccfc_obj_get_int(usage, parts[i].key, 0));
	}
	ccfc_buf_putc(text, ')');
}

static void print_labelled_line(struct ccfc_out *out, const char *label,
				struct ccfc_buf *text)
{
	ccfc_render_line(out, label, AT, ccfc_buf_view(text));
	ccfc_buf_clear(text);
}

static void print_period(struct ccfc_out *out, struct ccfc_obj period)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (ccfc_obj_len(period)) {
		ccfc_render_time(&text, ccfc_obj_get(period, "from"),
				 CCFC_RENDER_MINUTE);
		ccfc_buf_puts(&text, " - ");
		ccfc_render_time(&text, ccfc_obj_get(period, "to"),
				 CCFC_RENDER_MINUTE);
	}
	print_labelled_line(out, "Period", &text);
	ccfc_buf_release(&text);
}

static void print_agents(struct ccfc_out *out, struct ccfc_obj agents)
{
	int64_t calls = ccfc_obj_get_int(agents, "toolCalls", 0);
	struct ccfc_obj usage = ccfc_obj_get(agents, "tokenUsage");
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (calls || ccfc_human_tokens(usage)) {
		ccfc_render_count(&text, calls, "call");
		ccfc_buf_puts(&text, " and ");
		ccfc_human_count(&text, ccfc_human_tokens(usage));
		ccfc_buf_puts(&text, " tokens of these");
	}
	print_labelled_line(out, "Subagents", &text);
	ccfc_buf_release(&text);
}

/* "12 in 5 files, +30 -4; 3 of them while commands ran" */
static void print_changes(struct ccfc_out *out, struct ccfc_obj totals)
{
	int64_t shell = ccfc_obj_get_int(totals, "shellChanges", 0);
	int64_t unknown = ccfc_obj_get_int(totals, "unknownCommands", 0);
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_printf(&text, "%lld in ",
			(long long)ccfc_obj_get_int(totals, "changes", 0));
	ccfc_render_count(&text, ccfc_obj_get_int(totals, "filesChanged", 0),
			  "file");
	ccfc_buf_printf(&text, ", +%lld -%lld",
			(long long)ccfc_obj_get_int(totals, "linesAdded", 0),
			(long long)ccfc_obj_get_int(totals, "linesRemoved", 0));
	if (shell)
		ccfc_buf_printf(&text, "; %lld of them while commands ran",
				(long long)shell);
	print_labelled_line(out, "Changes", &text);
	if (unknown) {
		ccfc_buf_puts(&text, "the effects of ");
		ccfc_render_count(&text, unknown, "command");
		ccfc_buf_puts(&text, " on files");
	}
	print_labelled_line(out, "Not known", &text);
	ccfc_buf_release(&text);
}

/*
 * "$1.25 recorded, $3.00 by your prices; not known for 3.1k tokens"; nothing if
 * no cost is known.
 */
static void put_total_cost(struct ccfc_buf *text, struct ccfc_obj totals)
{
	struct ccfc_obj cost = ccfc_obj_get(totals, "costUSD");
	double recorded =
		ccfc_obj_double(ccfc_obj_get(totals, "recordedCostUSD"), 0);
	double priced = ccfc_obj_double(cost, 0) - recorded;
	int64_t without = ccfc_obj_get_int(totals, "unpricedTokens", 0);

	if (ccfc_obj_type(cost) == CCFC_OBJ_NONE)
		return;
	if (recorded > 0)
		ccfc_buf_printf(text, "%s$%.2f recorded",
				ccfc_obj_get_bool(totals, "costUnsure", false)
					? "~"
					: "",
				recorded);
	if (recorded <= 0 || priced >= LEAST_PRICE)
		ccfc_buf_printf(text, "%s$%.2f by your prices",
				recorded > 0 ? ", " : "", priced);
	if (without) {
		ccfc_buf_puts(text, "; not known for ");
		ccfc_human_count(text, without);
		ccfc_buf_puts(text, " tokens");
	}
}

void ccfc_stats_print_totals(struct ccfc_out *out, struct ccfc_obj root)
{
	struct ccfc_obj totals = ccfc_obj_get(root, "totals");
	struct ccfc_buf text = CCFC_BUF_INIT;

	print_period(out, ccfc_obj_get(root, "period"));
	ccfc_buf_printf(&text, "%lld",
			(long long)ccfc_obj_get_int(totals, "sessions", 0));
	print_labelled_line(out, "Sessions", &text);
	/* A session's own count has records, and the user's, too. */
	ccfc_buf_printf(&text, "%lld of the model",
			(long long)ccfc_obj_get_int(totals, "messages", 0));
	print_labelled_line(out, "Messages", &text);
	ccfc_render_count(&text, ccfc_obj_get_int(totals, "toolCalls", 0),
			  "call");
	ccfc_buf_puts(&text, ", ");
	ccfc_render_count(&text, ccfc_obj_get_int(totals, "errors", 0),
			  "error");
	print_labelled_line(out, "Tools", &text);
	print_changes(out, totals);
	put_tokens(&text, ccfc_obj_get(totals, "tokenUsage"));
	print_labelled_line(out, "Tokens", &text);
	put_total_cost(&text, totals);
	print_labelled_line(out, "Cost", &text);
	ccfc_buf_release(&text);
	print_agents(out, ccfc_obj_get(totals, "agents"));
}

/* ---- rows ---- */

/* A table of rows, and the field that its bars are for. */
struct chart {
	const struct ccfc_column *columns;
	unsigned n;
	const char *measure;	/* NULL: no bars */
	const char *name;	/* name of the measure */
	struct ccfc_slice base; /* of relative paths; empty: they are whole */
};

static bool any_has(struct ccfc_obj rows, const char *key)
{
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++)
		if (ccfc_obj_type(ccfc_obj_get(ccfc_obj_at(rows, i), key)) !=
		    CCFC_OBJ_NONE)
			return true;
	return false;
}

static int64_t highest_number(struct ccfc_obj rows, const char *key)
{
	int64_t max = 0;

	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		int64_t n = ccfc_cell_number(ccfc_obj_at(rows, i), key);

		max = n > max ? n : max;
	}
	return max;
}

/*
 * Do the rows have the field? Changes by commands are shown only if there are
 * any.
 */
static bool is_column_useful(struct ccfc_obj rows, const char *key)
{
	return strcmp(key, "shellChanges") ? any_has(rows, key)
					   : highest_number(rows, key) > 0;
}

/*
 * A narrow terminal loses columns from the right, but the bars only when the
 * first three are left.
 */
static void order_drops(struct ccfc_column *columns, unsigned n, bool bars)
{
	unsigned fields = n - bars, turn = 1;

	for (unsigned i = fields; i > 3; i--)
		columns[i - 1].drop = turn++;
	if (bars)
		columns[fields].drop = turn++;
	for (unsigned i = fields < 3 ? fields : 3; i > 1; i--)
		columns[i - 1].drop = turn++;
}

/* The columns that the rows have, and one for the bars; returns their number.
 */
static unsigned choose_stats_columns(struct ccfc_column chosen[CCFC_TABLE_COLS],
				     const struct ccfc_out *out,
				     const struct chart *chart,
				     struct ccfc_obj rows)
{
	bool bars = out->tty && chart->measure && any_has(rows, chart->measure);
	unsigned n = 0;

	for (unsigned i = 0; i < chart->n; i++)
		if (!i || is_column_useful(rows, chart->columns[i].key))
			chosen[n++] = chart->columns[i];
	if (bars)
		chosen[n++] = (struct ccfc_column){ chart->name, chart->measure,
						    .kind = CCFC_CELL_BAR };
	order_drops(chosen, n, bars);
	return n;
}

static void print_chart(struct ccfc_out *out, const char *title,
			const struct chart *chart, struct ccfc_obj rows)
{
	struct ccfc_column columns[CCFC_TABLE_COLS];
	struct ccfc_cells cells = { .out = out, .base = chart->base };
	unsigned n;

	if (!ccfc_obj_len(rows))
		return;
	n = choose_stats_columns(columns, out, chart, rows);
	if (chart->measure)
		cells.max = highest_number(rows, chart->measure);
	ccfc_buf_putc(&out->buf, '\n');
	if (title)
		ccfc_buf_printf(&out->buf, "%s%s:%s\n",
				ccfc_out_on(out, CCFC_STYLE_HEAD), title,
				ccfc_out_off(out));
	ccfc_columns_print(out, columns, n, &cells, rows);
}

/* The measure depends on the kind of rows, as does their order. */
static void pick_measure(struct chart *chart, struct ccfc_slice by,
			 struct ccfc_obj rows)
{
	chart->measure = "changes";
	chart->name = "changes";
	if (ccfc_slice_is(by, "tool")) {
		chart->measure = "toolCalls";
		chart->name = "calls";
	} else if (ccfc_slice_is(by, "model") ||
		   !highest_number(rows, "changes")) {
		chart->measure = "tokenUsage";
		chart->name = "tokens";
	}
}

/* Moves the measure beside the key, where it is never dropped. */
static void move_first(struct ccfc_column *columns, unsigned n, const char *key)
{
	for (unsigned i = 2; i < n; i++)
		if (!strcmp(columns[i].key, key)) {
			struct ccfc_column column = columns[i];

			memmove(&columns[2], &columns[1],
				(i - 1) * sizeof(*columns));
			columns[1] = column;
			return;
		}
}

static struct ccfc_slice short_model(struct ccfc_obj rows, uint32_t i)
{
	return ccfc_human_model(ccfc_obj_get_str(ccfc_obj_at(rows, i), "key"));
}

/* No two models of the rows have the same short name. */
static bool are_short_models_distinct(struct ccfc_obj rows)
{
	uint32_t n = ccfc_obj_len(rows);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (ccfc_slice_eq(short_model(rows, i),
					  short_model(rows, j)))
				return false;
	return true;
}

/* Sets the first column by the kind of rows. */
static void pick_key(struct ccfc_column *column, struct ccfc_slice by,
		     struct ccfc_obj rows)
{
	static const struct {
		const char *by, *title;
		enum ccfc_cell_kind kind;
		bool whole; /* of no use when it is cut */
	} keys[] = {
		{ "day", "DAY", CCFC_CELL_GROUP, .whole = true },
		{ "week", "WEEK OF", CCFC_CELL_GROUP, .whole = true },
		{ "month", "MONTH", CCFC_CELL_GROUP, .whole = true },
		{ "hour", "HOUR", CCFC_CELL_GROUP, .whole = true },
		{ "block", "WINDOW FROM", CCFC_CELL_GROUP, .whole = true },
		{ "session", "SESSION", CCFC_CELL_ID, .whole = true },
		{ "agent", "AGENT", .kind = CCFC_CELL_GROUP },
		{ "project", "PROJECT", .kind = CCFC_CELL_PATH },
		{ "model", "MODEL", .kind = CCFC_CELL_GROUP },
		{ "tool", "TOOL", .kind = CCFC_CELL_GROUP },
		{ "file", "FILE", .kind = CCFC_CELL_BELOW },
		{ "ext", "EXTENSION", .kind = CCFC_CELL_GROUP },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (ccfc_slice_is(by, keys[i].by)) {
			column->title = keys[i].title;
			column->kind = keys[i].kind;
			column->cut = 8;
			column->elastic = !keys[i].whole;
		}
	if (ccfc_slice_is(by, "model") && are_short_models_distinct(rows))
		column->kind = CCFC_CELL_MODEL;
}

/*
 * "$1.25"; "+": not known for some tokens; "~": the client was not sure; "-":
 * not known for any.
 */
static void put_cost(struct ccfc_buf *text, const struct ccfc_cells *cells,
		     struct ccfc_obj row)
{
	struct ccfc_obj cost = ccfc_obj_get(row, "costUSD");
	bool partly = ccfc_obj_get_int(row, "unpricedTokens", 0) > 0;

	(void)cells;
	if (ccfc_obj_type(cost) == CCFC_OBJ_NONE ||
	    (partly && ccfc_obj_double(cost, 0) <= 0))
		ccfc_buf_putc(text, '-');
	else
		ccfc_buf_printf(
			text, "%s$%.2f%s",
			ccfc_obj_get_bool(row, "costUnsure", false) ? "~" : "",
			ccfc_obj_double(cost, 0), partly ? "+" : "");
}

/* On a terminal, files are named as in the project that was asked about. */
static struct ccfc_slice base_dir_of(const struct ccfc_out *out,
				     struct ccfc_obj root)
{
	return out->tty ? ccfc_obj_get_str(root, "scope") : CCFC_SLICE_NONE;
}

void ccfc_stats_print_rows(struct ccfc_out *out, struct ccfc_obj root,
			   const char *title)
{
	struct ccfc_column columns[] = {
		{ "KEY", "key", .kind = CCFC_CELL_GROUP, .elastic = true },
		{ "SESSIONS", "sessions", .kind = CCFC_CELL_COUNT },
		{ "CHANGES", "changes", .kind = CCFC_CELL_COUNT },
		{ "TOKENS", "tokenUsage", .kind = CCFC_CELL_TOKENS },
		{ "COST", "unpricedTokens", .kind = CCFC_CELL_OWN,
		  .put = put_cost },
		{ "LINES", "linesAdded", .kind = CCFC_CELL_LINES },
		{ "SHELL", "shellChanges", .kind = CCFC_CELL_COUNT },
		{ "CALLS", "toolCalls", .kind = CCFC_CELL_COUNT },
		{ "ERRORS", "errors", .kind = CCFC_CELL_COUNT },
		{ "MESSAGES", "messages", .kind = CCFC_CELL_COUNT },
		{ "FILES", "filesChanged", .kind = CCFC_CELL_COUNT },
	};
	static const struct ccfc_column title_column = {
		"TITLE", "title", .kind = CCFC_CELL_TITLE,
		.elastic = CCFC_TABLE_PROSE
	};
	struct chart chart = { .columns = columns,
			       .n = CCFC_NCOLUMNS(columns),
			       .base = base_dir_of(out, root) };
	struct ccfc_slice by = ccfc_obj_get_str(root, "by");
	struct ccfc_obj rows = ccfc_obj_get(root, "rows");

	pick_key(&columns[0], by, rows);
	/* The number of sessions is always 1 there. */
	if (ccfc_slice_is(by, "session"))
		columns[1] = title_column;
	pick_measure(&chart, by, rows);
	move_first(columns, chart.n, chart.measure);
	print_chart(out, title, &chart, rows);
}

void ccfc_stats_print_tools(struct ccfc_out *out, struct ccfc_obj tools)
{
	static const struct ccfc_column columns[] = {
		{ "TOOL", "name", .kind = CCFC_CELL_GROUP, .elastic = true },
		{ "CALLS", "count", .kind = CCFC_CELL_COUNT },
		{ "ERRORS", "errors", .kind = CCFC_CELL_COUNT },
	};
	static const struct chart chart = {
		.columns = columns, .n = 3, .measure = "count", .name = "calls"
	};

	print_chart(out, "Most used tools", &chart, tools);
}

void ccfc_stats_print_files(struct ccfc_out *out, struct ccfc_obj root)
{
	static const struct ccfc_column columns[] = {
		{ "FILE", "path", .kind = CCFC_CELL_BELOW, .elastic = true },
		{ "CHANGES", "changes", .kind = CCFC_CELL_COUNT },
		{ "SHELL", "shellChanges", .kind = CCFC_CELL_COUNT },
		{ "SESSIONS", "sessions", .kind = CCFC_CELL_COUNT },
		{ "LINES", "linesAdded", .kind = CCFC_CELL_LINES },
	};
	const struct chart chart = { columns, 5, "changes", "changes",
				     base_dir_of(out, root) };

	print_chart(out, "Most changed files", &chart,
		    ccfc_obj_get(root, "files"));
}
