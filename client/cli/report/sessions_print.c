/*
 * The table of `ccfc sessions`; see sessions_print.h. It has more columns than
 * most terminals have room for: those that say least about which session it was
 * go first.
 */
#include "cli/report/sessions_print.h"

#include "cli/blame/blame_line.h"
#include "cli/out/human.h"
#include "cli/out/render.h"
#include "cli/out/table.h"

enum col {
	ID,
	TITLE,
	PROJECT,
	BRANCH,
	LAST,
	DURATION,
	MESSAGES,
	TOOLS,
	FILES,
	CHANGES,
	TOKENS,
	MODEL,
	STATUS,
	NCOLS,
};

static const struct ccfc_table_col cols[NCOLS] = {
	[ID] = { "SESSION", 0, 2, false },
	[TITLE] = { "TITLE", 24, 2, CCFC_TABLE_PROSE },
	[PROJECT] = { "PROJECT", 0, 2, true },
	[BRANCH] = { "BRANCH", 0, 2, true },
	[LAST] = { "LAST", 0, 2, false },
	[DURATION] = { "TIME", 0, 2, false },
	[MESSAGES] = { "MSGS", 0, 2, false },
	[TOOLS] = { "TOOLS", 0, 2, false },
	[FILES] = { "MOD/READ", 0, 2, false },
	[CHANGES] = { "CHANGES", 0, 2, false },
	[TOKENS] = { "TOKENS", 0, 2, false },
	[MODEL] = { "MODEL", 0, 2, true },
	[STATUS] = { "STATUS", 0, 0, false },
};

static const unsigned drop[] = { TOOLS,	 MODEL,	 FILES,	   DURATION, BRANCH,
				 TOKENS, STATUS, MESSAGES, CHANGES,  PROJECT };

static struct ccfc_slice or_dash(struct ccfc_slice s)
{
	return s.len ? s : CCFC_SLICE_LIT("-");
}

static void put_count(struct ccfc_table *table, struct ccfc_obj s,
		      const char *key)
{
	ccfc_table_printf(table, "%lld",
			  (long long)ccfc_obj_get_int(s, key, 0));
}

static void put_id(struct ccfc_table *table, struct ccfc_obj s, size_t length)
{
	struct ccfc_slice id = ccfc_obj_get_str(s, "sessionId");

	if (id.len > length)
		id.len = length;
	ccfc_table_cell(table, id);
}

static void put_text(struct ccfc_table *table, struct ccfc_buf *text)
{
	ccfc_table_cell(table, ccfc_buf_view(text));
	ccfc_buf_clear(text);
}

static void put_row(struct ccfc_table *table, const struct ccfc_out *out,
		    struct ccfc_obj s, size_t id_length, int64_t now)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	put_id(table, s, id_length);
	ccfc_table_cell(table, ccfc_human_title(ccfc_obj_get_str(s, "title")));
	ccfc_human_path(&text, out, ccfc_obj_get_str(s, "projectPath"));
	put_text(table, &text);
	ccfc_table_cell(table, or_dash(ccfc_obj_get_str(s, "gitBranch")));
	ccfc_human_when(&text, out, ccfc_obj_get(s, "endTime"), now);
	put_text(table, &text);
	ccfc_human_duration(&text, ccfc_obj_get_int(s, "durationSeconds", -1));
	put_text(table, &text);
	put_count(table, s, "messageCount");
	put_count(table, s, "toolCount");
	ccfc_table_printf(
		table, "%lld/%lld",
		(long long)ccfc_obj_get_int(s, "filesModifiedCount", 0),
		(long long)ccfc_obj_get_int(s, "filesReadCount", 0));
	put_count(table, s, "totalChanges");
	ccfc_human_count(&text,
			 ccfc_human_tokens(ccfc_obj_get(s, "tokenUsage")));
	put_text(table, &text);
	ccfc_table_cell(
		table, or_dash(ccfc_human_model(ccfc_obj_get_str(s, "model"))));
	ccfc_table_cell(table, or_dash(ccfc_obj_get_str(s, "status")));
	ccfc_buf_release(&text);
}

/* "Total: 3 sessions, …"; of a page what is on it, and what there is. */
static void print_total(struct ccfc_out *out, struct ccfc_obj root,
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
	ccfc_scope_more(out, offset, shown, total);
}

void ccfc_sessions_print(struct ccfc_out *out, struct ccfc_obj root,
			 int64_t offset, int64_t now)
{
	struct ccfc_obj sessions = ccfc_obj_get(root, "sessions");
	size_t id_length = ccfc_render_id_length(out, sessions);
	struct ccfc_table table;

	ccfc_table_init(&table, cols, NCOLS);
	ccfc_table_drop(&table, drop, sizeof(drop) / sizeof(*drop));
	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++)
		put_row(&table, out, ccfc_obj_at(sessions, i), id_length, now);
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
	print_total(out, root, offset);
}

static void print_readers(struct ccfc_out *out, struct ccfc_obj sessions,
			  int64_t now)
{
	static const struct ccfc_table_col readers[] = {
		{ "SESSION ID", 0, 2, false },
		{ "PROJECT", 0, 2, true },
		{ "BRANCH", 0, 2, true },
		{ "READS", 0, 2, false },
		{ "CHANGES", 0, 2, false },
		{ "LAST READ", 0, 2, false },
		{ "TITLE", 20, 0, CCFC_TABLE_PROSE },
	};
	static const unsigned least[] = { 2, 6, 4, 1 };
	size_t id_length = ccfc_render_id_length(out, sessions);
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_table table;

	ccfc_table_init(&table, readers, 7);
	ccfc_table_drop(&table, least, 4);
	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++) {
		struct ccfc_obj s = ccfc_obj_at(sessions, i);

		put_id(&table, s, id_length);
		ccfc_human_path(&text, out, ccfc_obj_get_str(s, "projectPath"));
		put_text(&table, &text);
		ccfc_table_cell(&table,
				or_dash(ccfc_obj_get_str(s, "gitBranch")));
		put_count(&table, s, "readCount");
		put_count(&table, s, "changeCount");
		ccfc_human_when(&text, out, ccfc_obj_get(s, "lastRead"), now);
		put_text(&table, &text);
		ccfc_table_cell(&table,
				ccfc_human_title(ccfc_obj_get_str(s, "title")));
	}
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
	ccfc_buf_release(&text);
}

void ccfc_readers_print(struct ccfc_out *out, struct ccfc_obj root,
			struct ccfc_slice name, int64_t offset, int64_t now)
{
	struct ccfc_obj sessions = ccfc_obj_get(root, "sessions");
	int64_t total = ccfc_obj_get_int(root, "totalSessions", 0);

	ccfc_render_line(out, "File", 0, name);
	ccfc_buf_puts(&out->buf, "Read by ");
	ccfc_render_count(&out->buf, total, "session");
	ccfc_buf_puts(&out->buf, ":\n\n");
	print_readers(out, sessions, now);
	ccfc_buf_puts(&out->buf, "\nTotal: ");
	ccfc_render_count(&out->buf, ccfc_obj_get_int(root, "totalReads", 0),
			  "read");
	ccfc_buf_puts(&out->buf, " across ");
	ccfc_render_count(&out->buf, total, "session");
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_scope_more(out, offset, ccfc_obj_len(sessions), total);
}
