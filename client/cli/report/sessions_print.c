/*
 * The table of `ccfc sessions`; see sessions_print.h. It has more columns than
 * fit most terminals: the columns that identify a session least are dropped
 * first.
 */
#include "cli/report/sessions_print.h"

#include "base/path.h"
#include "cli/frame/answer.h"
#include "cli/out/columns.h"
#include "cli/out/human.h"
#include "cli/out/render.h"

/* "#12, #7" */
static void put_pull_requests(struct ccfc_buf *text,
			      const struct ccfc_cells *cells,
			      struct ccfc_obj row)
{
	struct ccfc_obj urls = ccfc_obj_get(row, "pullRequests");

	(void)cells;
	for (uint32_t i = 0; i < ccfc_obj_len(urls); i++) {
		ccfc_buf_puts(text, i ? ", #" : "#");
		ccfc_buf_slice(text, ccfc_path_basename(ccfc_obj_str(
					     ccfc_obj_at(urls, i))));
	}
}

/*
 * The order in which columns are dropped on a narrow terminal, the least
 * important first.
 */
enum { STATUS_DROP = 7, PROJECT_DROP = 10 };

/* The last two are left out if no session has them. */
static const struct ccfc_column session_columns[] = {
	{ "SESSION", "sessionId", .kind = CCFC_CELL_PREFIX },
	{ "TITLE", "title", .kind = CCFC_CELL_TITLE, .min = 24, .least = 28,
	  .elastic = CCFC_TABLE_PROSE },
	{ "PROJECT", "projectPath", .kind = CCFC_CELL_PATH, .elastic = true,
	  .drop = PROJECT_DROP },
	{ "BRANCH", "gitBranch", .kind = CCFC_CELL_TEXT, .elastic = true,
	  .drop = 5 },
	{ "LAST", "endTime", .kind = CCFC_CELL_WHEN },
	{ "TIME", "durationSeconds", .kind = CCFC_CELL_DURATION, .drop = 4 },
	{ "MSGS", "messageCount", .kind = CCFC_CELL_COUNT, .drop = 8 },
	{ "TOOLS", "toolCount", .kind = CCFC_CELL_COUNT, .drop = 1 },
	{ "MOD/READ", "filesModifiedCount", .kind = CCFC_CELL_PAIR,
	  .second = "filesReadCount", .drop = 3 },
	{ "CHANGES", "totalChanges", .kind = CCFC_CELL_COUNT, .drop = 9 },
	{ "TOKENS", "tokenUsage", .kind = CCFC_CELL_TOKENS, .drop = 6 },
	{ "MODEL", "model", .kind = CCFC_CELL_MODEL, .elastic = true,
	  .drop = 2 },
	{ "STATUS", "status", .kind = CCFC_CELL_STATUS, .drop = STATUS_DROP },
	{ "CONFLICTS", "conflictCount", .kind = CCFC_CELL_COUNT, .drop = 12 },
	{ "PR", "pullRequests", .kind = CCFC_CELL_OWN, .drop = 11,
	  .put = put_pull_requests },
};
#define NSESSION_COLUMNS CCFC_NCOLUMNS(session_columns)

static const struct ccfc_column reader_columns[] = {
	{ "SESSION ID", "sessionId", .kind = CCFC_CELL_PREFIX },
	{ "PROJECT", "projectPath", .kind = CCFC_CELL_PATH, .elastic = true,
	  .drop = 4 },
	{ "BRANCH", "gitBranch", .kind = CCFC_CELL_TEXT, .elastic = true,
	  .drop = 1 },
	{ "READS", "readCount", .kind = CCFC_CELL_COUNT },
	{ "CHANGES", "changeCount", .kind = CCFC_CELL_COUNT, .drop = 3 },
	{ "LAST READ", "lastRead", .kind = CCFC_CELL_WHEN },
	{ "TITLE", "title", .kind = CCFC_CELL_TITLE, .min = 20,
	  .elastic = CCFC_TABLE_PROSE, .drop = 2 },
};

static void print_session_columns(struct ccfc_out *out,
				  const struct ccfc_column *columns, unsigned n,
				  struct ccfc_obj sessions, int64_t now)
{
	struct ccfc_cells cells = {
		.out = out,
		.now = now,
		.id_length = ccfc_render_id_length(out, sessions),
	};

	ccfc_columns_print(out, columns, n, &cells, sessions);
}

/* "Total: 3 sessions, …"; for a page, its rows and the total. */
static void print_session_total(struct ccfc_out *out, struct ccfc_obj root,
				int64_t offset)
{
	struct ccfc_obj sessions = ccfc_obj_get(root, "sessions");
	uint32_t shown = ccfc_obj_len(sessions);
	int64_t total = ccfc_obj_get_int(root, "totalSessions", shown);
	int64_t messages = 0, changes = 0, tokens = 0;
	struct ccfc_buf *buf = &out->buf;

	for (uint32_t i = 0; i < shown; i++) {
		struct ccfc_obj s = ccfc_obj_at(sessions, i);

		messages += ccfc_obj_get_int(s, "messageCount", 0);
		changes += ccfc_obj_get_int(s, "totalChanges", 0);
		tokens += ccfc_human_tokens(ccfc_obj_get(s, "tokenUsage"));
	}
	if (shown < total)
		ccfc_buf_printf(buf, "\nShown: %u of ", shown);
	else
		ccfc_buf_puts(buf, "\nTotal: ");
	ccfc_render_count(buf, total, "session");
	ccfc_buf_puts(buf, ", ");
	ccfc_render_count(buf, messages, "message");
	ccfc_buf_puts(buf, ", ");
	ccfc_render_count(buf, changes, "change");
	ccfc_buf_puts(buf, ", ");
	ccfc_human_count(buf, tokens);
	ccfc_buf_puts(buf, " tokens\n");
	ccfc_answer_more(out, offset, shown, total);
}

/* Has any session a number above 0, or an array that is not empty? */
static bool has_any(struct ccfc_obj sessions, const char *key)
{
	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++) {
		struct ccfc_obj o = ccfc_obj_get(ccfc_obj_at(sessions, i), key);

		if (ccfc_obj_len(o) || ccfc_obj_int(o, 0))
			return true;
	}
	return false;
}

static bool is_one_project(struct ccfc_obj sessions)
{
	struct ccfc_slice first =
		ccfc_obj_get_str(ccfc_obj_at(sessions, 0), "projectPath");

	for (uint32_t i = 1; i < ccfc_obj_len(sessions); i++)
		if (!ccfc_slice_eq(ccfc_obj_get_str(ccfc_obj_at(sessions, i),
						    "projectPath"),
				   first))
			return false;
	return true;
}

/* If the project column has no news, drops it before the status. */
static void prefer_status(struct ccfc_column *columns, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (columns[i].drop == PROJECT_DROP)
			columns[i].drop = STATUS_DROP;
		else if (columns[i].drop == STATUS_DROP)
			columns[i].drop = PROJECT_DROP;
	}
}

/* Is the project in a note on the terminal? Then drops its column at once. */
static bool is_told(const struct ccfc_column *column,
		    const struct ccfc_out *out, struct ccfc_obj root)
{
	struct ccfc_slice scope = ccfc_obj_get_str(root, "scope");
	struct ccfc_obj sessions = ccfc_obj_get(root, "sessions");

	return column->drop == PROJECT_DROP && out->tty && scope.len &&
	       is_one_project(sessions) &&
	       ccfc_slice_eq(ccfc_obj_get_str(ccfc_obj_at(sessions, 0),
					      "projectPath"),
			     scope);
}

void ccfc_sessions_print(struct ccfc_out *out, struct ccfc_obj root,
			 int64_t offset, int64_t now)
{
	struct ccfc_obj sessions = ccfc_obj_get(root, "sessions");
	struct ccfc_column chosen[NSESSION_COLUMNS];
	unsigned n = 0;

	for (unsigned i = 0; i < NSESSION_COLUMNS; i++)
		if ((i < NSESSION_COLUMNS - 2 ||
		     has_any(sessions, session_columns[i].key)) &&
		    !is_told(&session_columns[i], out, root))
			chosen[n++] = session_columns[i];
	if (is_one_project(sessions))
		prefer_status(chosen, n);
	print_session_columns(out, chosen, n, sessions, now);
	print_session_total(out, root, offset);
}

void ccfc_readers_print(struct ccfc_out *out, struct ccfc_obj root,
			struct ccfc_slice name, int64_t offset, int64_t now)
{
	struct ccfc_obj sessions = ccfc_obj_get(root, "sessions");
	int64_t total = ccfc_obj_get_int(root, "totalSessions", 0);

	ccfc_human_file(out, name);
	ccfc_buf_puts(&out->buf, "Read by ");
	ccfc_render_count(&out->buf, total, "session");
	ccfc_buf_puts(&out->buf, ":\n\n");
	print_session_columns(out, reader_columns,
			      CCFC_NCOLUMNS(reader_columns), sessions, now);
	ccfc_buf_puts(&out->buf, "\nTotal: ");
	ccfc_render_count(&out->buf, ccfc_obj_get_int(root, "totalReads", 0),
			  "read");
	ccfc_buf_puts(&out->buf, " across ");
	ccfc_render_count(&out->buf, total, "session");
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_answer_more(out, offset, ccfc_obj_len(sessions), total);
}

void ccfc_sessions_tsv(struct ccfc_out *out, struct ccfc_obj root)
{
	static const char *const keys[] = { "sessionId", "endTime", "status",
					    "projectPath", "title" };
	struct ccfc_obj sessions = ccfc_obj_get(root, "sessions");
	const size_t n = sizeof(keys) / sizeof(*keys);

	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++) {
		for (size_t k = 0; k < n; k++)
			ccfc_render_tsv(
				out,
				ccfc_obj_get_str(ccfc_obj_at(sessions, i),
						 keys[k]),
				k + 1 < n ? '\t' : '\n');
		ccfc_out_check(out);
	}
}
