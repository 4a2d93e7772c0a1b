/* The tools that combine several answers; see mcp.h. */
#include "base/time.h"
#include "cli/frame/connect.h"
#include "cli/jsonrpc/json_text.h"
#include "cli/mcp/mcp.h"
#include "cli/words/dates.h"
#include "wire/to_json.h"

#define STEPS	  20 /* of a file's history, to find its last change */
#define FEW	  5  /* rows of minor lists */
#define PROMPTS	  5
#define MOST_USED 5

/* ---- before_you_edit ---- */

/* The warnings of a tool, one line each. */
struct warnings {
	bool outside;
	uint32_t live;
	int64_t conflicts;
};

static bool is_change(struct ccfc_obj step)
{
	return ccfc_slice_is(ccfc_obj_get_str(step, "kind"), "change");
}

/* The last change of a file, and the events of the file since then. */
static void put_history(struct ccfc_mcp_call *call, struct ccfc_obj root,
			struct warnings *w)
{
	const struct ccfc_mcp_group *since = ccfc_mcp_group(call, "since");
	struct ccfc_obj steps = ccfc_obj_get(root, "steps");
	uint32_t n = ccfc_obj_len(steps), last = 0;

	while (last < n && !is_change(ccfc_obj_at(steps, last)))
		last++;
	if (last < n)
		ccfc_mcp_put_one(call, "lastChange", ccfc_obj_at(steps, last));
	ccfc_json_text_open(&call->out, "since", '[');
	for (uint32_t i = 0; i < last; i++) {
		struct ccfc_obj step = ccfc_obj_at(steps, i);

		w->outside = w->outside ||
			     ccfc_slice_is(ccfc_obj_get_str(step, "kind"),
					   "outside");
		if (i < FEW)
			ccfc_mcp_put_row(call, since, step, CCFC_SLICE_NONE);
	}
	ccfc_buf_putc(&call->out, ']');
}

static int ask_history(struct ccfc_mcp_call *call, struct warnings *w,
		       struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj none = { 0 };
	int code;

	ccfc_mcp_begin(call, CCFC_M_FILE_LOG, NULL);
	ccfc_pack_kv_int(&call->pack, "limit", STEPS);
	code = ccfc_mcp_ask(&reply, call, err);
	/* A file that no session changed is no error here. */
	if (code == CCFC_ENOTFOUND) {
		ccfc_mcp_put_text(call, "path", call->q.path);
		put_history(call, none, w);
		return 0;
	}
	if (code < 0)
		return code;
	ccfc_mcp_put_own(call, ccfc_cli_value(reply));
	call->q.path =
		ccfc_arena_copy(&call->q.texts,
				ccfc_obj_get_str(ccfc_cli_value(reply), "path"))
			.ptr;
	put_history(call, ccfc_cli_value(reply), w);
	ccfc_reply_free(reply);
	return 0;
}

/* Sessions in that status that changed the file, without the caller's own. */
static int put_live(struct ccfc_mcp_call *call, const char *status,
		    struct warnings *w, struct ccfc_err *err)
{
	const struct ccfc_mcp_group *group =
		ccfc_mcp_group(call, "liveSessions");
	struct ccfc_slice own = ccfc_obj_str(ccfc_mcp_arg(call, "session"));
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj rows;
	int code;

	ccfc_mcp_begin(call, CCFC_M_SESSION_LIST, "session");
	ccfc_pack_kv_cstr(&call->pack, "touched", call->q.path);
	ccfc_pack_kv_cstr(&call->pack, "status", status);
	ccfc_pack_kv_int(&call->pack, "limit", CCFC_MCP_ROWS);
	code = ccfc_mcp_ask(&reply, call, err);
	if (code < 0)
		return code == CCFC_ENOTFOUND ? 0 : code;
	rows = ccfc_obj_get(ccfc_cli_value(reply), "sessions");
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		struct ccfc_obj o = ccfc_obj_at(rows, i);
		struct ccfc_slice id = ccfc_obj_get_str(o, "sessionId");

		if (own.len && own.len <= id.len &&
		    !memcmp(id.ptr, own.ptr, own.len))
			continue;
		if (w->live++ < 2 * FEW)
			ccfc_mcp_put_row(call, group, o, CCFC_SLICE_NONE);
	}
	ccfc_reply_free(reply);
	return 0;
}

static int put_conflicts(struct ccfc_mcp_call *call, struct warnings *w,
			 struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj root = { 0 };
	int code;

	ccfc_mcp_begin(call, CCFC_M_CONFLICT_LIST, "session");
	ccfc_pack_kv_int(&call->pack, "limit", FEW);
	code = ccfc_mcp_ask(&reply, call, err);
	if (code < 0 && code != CCFC_ENOTFOUND)
		return code;
	if (!code)
		root = ccfc_cli_value(reply);
	ccfc_mcp_put_many(call, "conflicts", ccfc_obj_get(root, "conflicts"),
			  FEW);
	w->conflicts = ccfc_obj_get_int(root, "totalConflicts", 0);
	ccfc_reply_free(reply);
	return 0;
}

static void put_warnings(struct ccfc_buf *out, const struct warnings *w)
{
	ccfc_json_text_open(out, "warnings", '[');
	if (w->live) {
		ccfc_json_text_next(out);
		ccfc_buf_printf(out,
				"\"%u other live session%s changed this file\"",
				w->live, w->live == 1 ? "" : "s");
	}
	if (w->outside) {
		ccfc_json_text_next(out);
		ccfc_buf_puts(out, "\"the file was changed outside of Claude "
				   "Code since its last change: read it "
				   "again\"");
	}
	if (w->conflicts) {
		ccfc_json_text_next(out);
		ccfc_buf_printf(out, "\"%lld conflict%s in this file so far\"",
				(long long)w->conflicts,
				w->conflicts == 1 ? "" : "s");
	}
	ccfc_buf_putc(out, ']');
}

int ccfc_mcp_before_you_edit(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	struct warnings w = { 0 };
	int code = ask_history(call, &w, err);

	if (code < 0)
		return code;
	ccfc_json_text_open(&call->out, "liveSessions", '[');
	code = put_live(call, "active", &w, err);
	if (!code)
		code = put_live(call, "waiting", &w, err);
	if (code < 0)
		return code;
	ccfc_buf_putc(&call->out, ']');
	code = put_conflicts(call, &w, err);
	put_warnings(&call->out, &w);
	return code;
}

/* ---- what_happened ---- */

static int put_session(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	int code;

	ccfc_mcp_begin(call, CCFC_M_SESSION_GET, NULL);
	ccfc_pack_kv_bool(&call->pack, "includeContent", false);
	code = ccfc_mcp_ask(&reply, call, err);
	if (!code)
		ccfc_mcp_put_own(call, ccfc_cli_value(reply));
	ccfc_reply_free(reply);
	return code;
}

/* One page of prompts from `offset` on; *total: how many there are. */
static int ask_prompts(struct ccfc_reply **reply, struct ccfc_mcp_call *call,
		       int64_t *total, int64_t offset, struct ccfc_err *err)
{
	int code;

	ccfc_mcp_begin(call, CCFC_M_SESSION_MESSAGES, NULL);
	ccfc_pack_kv_cstr(&call->pack, "role", "user");
	ccfc_pack_kv_int(&call->pack, "limit", PROMPTS);
	ccfc_pack_kv_int(&call->pack, "offset", offset);
	code = ccfc_mcp_ask(reply, call, err);
	if (!code)
		*total = ccfc_obj_get_int(ccfc_cli_value(*reply),
					  "totalMessages", 0);
	return code;
}

/*
 * The last prompts. Without the transcript, the other fields are still known.
 */
static void put_prompts(struct ccfc_mcp_call *call)
{
	struct ccfc_reply *reply = NULL;
	int64_t total = 0;
	int code = ask_prompts(&reply, call, &total, 0, NULL);

	if (!code && total > PROMPTS) {
		ccfc_reply_free(reply);
		code = ask_prompts(&reply, call, &total, total - PROMPTS, NULL);
	}
	if (!code)
		ccfc_mcp_put_many(
			call, "prompts",
			ccfc_obj_get(ccfc_cli_value(reply), "messages"),
			PROMPTS);
	ccfc_reply_free(reply);
}

static int put_files(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj root;
	uint32_t shown;
	int code;

	ccfc_mcp_begin(call, CCFC_M_SESSION_FILES, NULL);
	ccfc_pack_kv_bool(&call->pack, "includeChanges", false);
	ccfc_pack_kv_int(&call->pack, "limit", CCFC_MCP_ROWS);
	ccfc_pack_kv_int(&call->pack, "offset", call->offset);
	code = ccfc_mcp_ask(&reply, call, err);
	if (code < 0)
		return code;
	root = ccfc_cli_value(reply);
	shown = ccfc_mcp_put_many(call, "files", ccfc_obj_get(root, "files"),
				  CCFC_MCP_ROWS);
	ccfc_mcp_put_next(call, shown,
			  ccfc_obj_get_int(root, "totalFilesChanged", 0));
	ccfc_reply_free(reply);
	return 0;
}

/* Today, if no time was named. */
static void pack_today(struct ccfc_mcp_call *call)
{
	struct ccfc_date_span today;

	if (ccfc_obj_is_str(ccfc_mcp_arg(call, "fromDate")) ||
	    ccfc_obj_is_str(ccfc_mcp_arg(call, "toDate")) ||
	    !ccfc_dates_read(&today, CCFC_SLICE_LIT("today"), ccfc_time_now()))
		return;
	ccfc_pack_kv_time(&call->pack, "fromDate", today.from);
}

static int put_totals(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj root;
	int code;

	ccfc_mcp_begin(call, CCFC_M_STATS_GET, NULL);
	pack_today(call);
	ccfc_pack_kv_int(&call->pack, "limit", 1);
	code = ccfc_mcp_ask(&reply, call, err);
	/* Without an active session at that time there are no totals. */
	if (code < 0)
		return code == CCFC_ENOTFOUND ? 0 : code;
	root = ccfc_cli_value(reply);
	ccfc_mcp_put_one(call, "totals", ccfc_obj_get(root, "totals"));
	ccfc_mcp_put_many(call, "mostChanged", ccfc_obj_get(root, "files"),
			  MOST_USED);
	ccfc_reply_free(reply);
	return 0;
}

static int put_sessions(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj root = { 0 };
	uint32_t shown;
	int code;

	ccfc_mcp_begin(call, CCFC_M_SESSION_LIST, NULL);
	pack_today(call);
	ccfc_pack_kv_int(&call->pack, "limit", CCFC_MCP_ROWS);
	ccfc_pack_kv_int(&call->pack, "offset", call->offset);
	code = ccfc_mcp_ask(&reply, call, err);
	if (code < 0 && code != CCFC_ENOTFOUND)
		return code;
	if (!code)
		root = ccfc_cli_value(reply);
	shown = ccfc_mcp_put_many(call, "sessions",
				  ccfc_obj_get(root, "sessions"),
				  CCFC_MCP_ROWS);
	ccfc_mcp_put_next(call, shown,
			  ccfc_obj_get_int(root, "totalSessions", 0));
	ccfc_reply_free(reply);
	return 0;
}

int ccfc_mcp_what_happened(struct ccfc_mcp_call *call, struct ccfc_err *err)
{
	int code;

	if (call->q.session) {
		code = put_session(call, err);
		if (!code)
			put_prompts(call);
		return code < 0 ? code : put_files(call, err);
	}
	code = put_totals(call, err);
	return code < 0 ? code : put_sessions(call, err);
}
