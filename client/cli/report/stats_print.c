/*
 * What was done and spent; see stats_print.h. A table here has the columns
 * whose fields the rows have: what makes no sense for a kind of row the daemon
 * leaves out. One column is drawn as bars.
 */
#include "cli/report/stats_print.h"

#include "cli/out/human.h"
#include "cli/out/locale_utf8.h"
#include "cli/out/render.h"
#include "cli/out/table.h"

#define AT  11 /* where the totals start */
#define BAR 20 /* columns */

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

static void line(struct ccfc_out *out, const char *label, struct ccfc_buf *text)
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
	line(out, "Period", &text);
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
	line(out, "Subagents", &text);
	ccfc_buf_release(&text);
}

void ccfc_stats_print_totals(struct ccfc_out *out, struct ccfc_obj root)
{
	struct ccfc_obj totals = ccfc_obj_get(root, "totals");
	struct ccfc_buf text = CCFC_BUF_INIT;

	print_period(out, ccfc_obj_get(root, "period"));
	ccfc_buf_printf(&text, "%lld",
			(long long)ccfc_obj_get_int(totals, "sessions", 0));
	line(out, "Sessions", &text);
	/* A session's own count has records, and the user's, too. */
	ccfc_buf_printf(&text, "%lld of the model",
			(long long)ccfc_obj_get_int(totals, "messages", 0));
	line(out, "Messages", &text);
	ccfc_render_count(&text, ccfc_obj_get_int(totals, "toolCalls", 0),
			  "call");
	ccfc_buf_puts(&text, ", ");
	ccfc_render_count(&text, ccfc_obj_get_int(totals, "errors", 0),
			  "error");
	line(out, "Tools", &text);
	ccfc_buf_printf(&text, "%lld in ",
			(long long)ccfc_obj_get_int(totals, "changes", 0));
	ccfc_render_count(&text, ccfc_obj_get_int(totals, "filesChanged", 0),
			  "file");
	ccfc_buf_printf(&text, ", +%lld -%lld",
			(long long)ccfc_obj_get_int(totals, "linesAdded", 0),
			(long long)ccfc_obj_get_int(totals, "linesRemoved", 0));
	line(out, "Changes", &text);
	put_tokens(&text, ccfc_obj_get(totals, "tokenUsage"));
	line(out, "Tokens", &text);
	ccfc_buf_release(&text);
	print_agents(out, ccfc_obj_get(totals, "agents"));
}

/* ---- rows ---- */

/* What a column shows of a row. */
struct field {
	const char *title;
	const char *key;
	enum { TEXT, PATH, COUNT, LINES, TOKENS } kind;
};

/* A table of rows, and the field that its bars are for. */
struct chart {
	const struct field *fields;
	unsigned n;
	const char *measure; /* NULL: no bars */
	const char *name;    /* of what is measured */
};

static bool any_has(struct ccfc_obj rows, const char *key)
{
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++)
		if (ccfc_obj_type(ccfc_obj_get(ccfc_obj_at(rows, i), key)) !=
		    CCFC_OBJ_NONE)
			return true;
	return false;
}

/* The number of a row that its bar shows. */
static int64_t measure(struct ccfc_obj row, const char *key)
{
	struct ccfc_obj v = ccfc_obj_get(row, key);

	return ccfc_obj_type(v) == CCFC_OBJ_MAP ? ccfc_human_tokens(v)
						: ccfc_obj_int(v, 0);
}

static int64_t highest(struct ccfc_obj rows, const char *key)
{
	int64_t max = 0;

	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		int64_t n = measure(ccfc_obj_at(rows, i), key);

		max = n > max ? n : max;
	}
	return max;
}

static void put_field(struct ccfc_buf *text, const struct ccfc_out *out,
		      const struct field *field, struct ccfc_obj row)
{
	struct ccfc_slice s = ccfc_obj_get_str(row, field->key);

	switch (field->kind) {
	case TEXT:
		ccfc_buf_slice(text, s.len ? s : CCFC_SLICE_LIT("(none)"));
		return;
	case PATH:
		ccfc_human_path(text, out, s);
		return;
	case LINES:
		ccfc_buf_printf(
			text, "+%lld -%lld",
			(long long)ccfc_obj_get_int(row, "linesAdded", 0),
			(long long)ccfc_obj_get_int(row, "linesRemoved", 0));
		return;
	case COUNT:
		ccfc_buf_printf(
			text, "%lld",
			(long long)ccfc_obj_get_int(row, field->key, 0));
		return;
	case TOKENS:
		ccfc_human_count(text, measure(row, field->key));
		return;
	}
}

/* The columns that the rows have, and one for the bars; returns their number.
 */
static unsigned choose(struct ccfc_table_col cols[CCFC_TABLE_COLS],
		       const struct field *chosen[CCFC_TABLE_COLS],
		       const struct ccfc_out *out, const struct chart *chart,
		       struct ccfc_obj rows)
{
	unsigned n = 0;

	for (unsigned i = 0; i < chart->n; i++) {
		const struct field *f = &chart->fields[i];

		if (i && !any_has(rows, f->key))
			continue;
		chosen[n] = f;
		cols[n++] = (struct ccfc_table_col){
			f->title, 0, 2, f->kind == PATH || f->kind == TEXT
		};
	}
	if (out->tty && chart->measure && any_has(rows, chart->measure)) {
		chosen[n] = NULL;
		cols[n++] = (struct ccfc_table_col){ chart->name, 0, 0, false };
	}
	return n;
}

static void fill(struct ccfc_table *table, const struct field *const *chosen,
		 const struct ccfc_out *out, const struct chart *chart,
		 struct ccfc_obj rows)
{
	int64_t max = chart->measure ? highest(rows, chart->measure) : 0;
	struct ccfc_buf text = CCFC_BUF_INIT;
	bool utf8 = ccfc_is_utf8();

	for (uint32_t r = 0; r < ccfc_obj_len(rows); r++) {
		struct ccfc_obj row = ccfc_obj_at(rows, r);

		for (unsigned i = 0; i < table->ncols; i++) {
			ccfc_buf_clear(&text);
			if (chosen[i])
				put_field(&text, out, chosen[i], row);
			else
				ccfc_human_bar(&text,
					       measure(row, chart->measure),
					       max, BAR, utf8);
			ccfc_table_cell(table, ccfc_buf_view(&text));
		}
	}
	ccfc_buf_release(&text);
}

/*
 * A narrow terminal loses columns from the right, but the bars only when the
 * first three are left.
 */
static unsigned order_drops(unsigned drop[CCFC_TABLE_COLS], unsigned n,
			    bool bars)
{
	unsigned fields = n - bars, k = 0;

	for (unsigned i = fields; i > 3; i--)
		drop[k++] = i - 1;
	if (bars)
		drop[k++] = fields;
	for (unsigned i = fields < 3 ? fields : 3; i > 1; i--)
		drop[k++] = i - 1;
	return k;
}

static void print_chart(struct ccfc_out *out, const char *title,
			const struct chart *chart, struct ccfc_obj rows)
{
	struct ccfc_table_col cols[CCFC_TABLE_COLS];
	const struct field *chosen[CCFC_TABLE_COLS];
	unsigned drop[CCFC_TABLE_COLS], n, ndrop;
	struct ccfc_table table;

	if (!ccfc_obj_len(rows))
		return;
	n = choose(cols, chosen, out, chart, rows);
	ndrop = order_drops(drop, n, !chosen[n - 1]);
	ccfc_table_init(&table, cols, n);
	ccfc_table_drop(&table, drop, ndrop);
	fill(&table, chosen, out, chart, rows);
	ccfc_buf_putc(&out->buf, '\n');
	if (title)
		ccfc_buf_printf(&out->buf, "%s%s:%s\n",
				ccfc_out_on(out, CCFC_STYLE_HEAD), title,
				ccfc_out_off(out));
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
}

/* What is measured depends on what the rows are, as does their order. */
static void pick_measure(struct chart *chart, struct ccfc_slice by,
			 struct ccfc_obj rows)
{
	chart->measure = "changes";
	chart->name = "changes";
	if (ccfc_slice_is(by, "tool")) {
		chart->measure = "toolCalls";
		chart->name = "calls";
	} else if (ccfc_slice_is(by, "model") || !highest(rows, "changes")) {
		chart->measure = "tokenUsage";
		chart->name = "tokens";
	}
}

/* What is measured stands beside the key, where no terminal is too narrow. */
static void move_first(struct field *fields, unsigned n, const char *key)
{
	for (unsigned i = 2; i < n; i++)
		if (!strcmp(fields[i].key, key)) {
			struct field f = fields[i];

			memmove(&fields[2], &fields[1],
				(i - 1) * sizeof(*fields));
			fields[1] = f;
			return;
		}
}

/* The first column, by what the rows are. */
static void pick_key(struct field *field, struct ccfc_slice by)
{
	static const struct {
		const char *by;
		struct field field;
	} keys[] = {
		{ "day", { "DAY", "key", TEXT } },
		{ "project", { "PROJECT", "key", PATH } },
		{ "model", { "MODEL", "key", TEXT } },
		{ "tool", { "TOOL", "key", TEXT } },
		{ "file", { "FILE", "key", PATH } },
		{ "ext", { "EXTENSION", "key", TEXT } },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (ccfc_slice_is(by, keys[i].by))
			*field = keys[i].field;
}

void ccfc_stats_print_rows(struct ccfc_out *out, struct ccfc_obj root,
			   const char *title)
{
	struct field fields[] = {
		{ "KEY", "key", TEXT },
		{ "SESSIONS", "sessions", COUNT },
		{ "CHANGES", "changes", COUNT },
		{ "LINES", "linesAdded", LINES },
		{ "TOKENS", "tokenUsage", TOKENS },
		{ "CALLS", "toolCalls", COUNT },
		{ "ERRORS", "errors", COUNT },
		{ "MESSAGES", "messages", COUNT },
		{ "FILES", "filesChanged", COUNT },
	};
	struct chart chart = { fields, sizeof(fields) / sizeof(*fields), NULL,
			       NULL };
	struct ccfc_slice by = ccfc_obj_get_str(root, "by");
	struct ccfc_obj rows = ccfc_obj_get(root, "rows");

	pick_key(&fields[0], by);
	pick_measure(&chart, by, rows);
	move_first(fields, chart.n, chart.measure);
	print_chart(out, title, &chart, rows);
}

void ccfc_stats_print_tools(struct ccfc_out *out, struct ccfc_obj tools)
{
	static const struct field fields[] = {
		{ "TOOL", "name", TEXT },
		{ "CALLS", "count", COUNT },
		{ "ERRORS", "errors", COUNT },
	};
	static const struct chart chart = { fields, 3, "count", "calls" };

	print_chart(out, "Most used tools", &chart, tools);
}

void ccfc_stats_print_files(struct ccfc_out *out, struct ccfc_obj files)
{
	static const struct field fields[] = {
		{ "FILE", "path", PATH },
		{ "CHANGES", "changes", COUNT },
		{ "SESSIONS", "sessions", COUNT },
		{ "LINES", "linesAdded", LINES },
	};
	static const struct chart chart = { fields, 4, "changes", "changes" };

	print_chart(out, "Most changed files", &chart, files);
}
