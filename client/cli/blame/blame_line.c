/* The facts about a line; see blame_line.h. */
#include "cli/blame/blame_line.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/out/human.h"
#include "cli/out/render.h"

#include <stdlib.h>

/*
 * Least characters shown. CHANGE_MIN counts after "toolu_01", or after as many
 * characters of another id.
 */
#define CHANGE_MIN  6
#define TAIL_MIN    8
#define SESSION_MIN 8

const char *const ccfc_blame_col_names[CCFC_BLAME_COLS] = {
	[CCFC_BLAME_COL_PROMPT] = "prompt",
	[CCFC_BLAME_COL_SESSION] = "session",
	[CCFC_BLAME_COL_MODEL] = "model",
	[CCFC_BLAME_COL_AGENT] = "agent",
	[CCFC_BLAME_COL_VERSION] = "version",
	[CCFC_BLAME_COL_TOOL] = "tool",
	[CCFC_BLAME_COL_COMMAND] = "command",
};

static bool any_has(struct ccfc_obj array, const char *key)
{
	for (uint32_t i = 0; i < ccfc_obj_len(array); i++)
		if (ccfc_obj_get_str(ccfc_obj_at(array, i), key).len)
			return true;
	return false;
}

static void measure_ids(struct ccfc_blame_view *view)
{
	uint32_t n = ccfc_obj_len(view->blocks);
	struct ccfc_slice *list = ccfc_calloc((size_t)n + 1, sizeof(*list));

	for (uint32_t i = 0; i < n; i++)
		list[i] = ccfc_obj_get_str(ccfc_obj_at(view->blocks, i),
					   "changeId");
	ccfc_change_ids_init(&view->ids, list, n, CHANGE_MIN);
	view->ids.whole_start = true;
	free(list);
}

void ccfc_blame_view_init(struct ccfc_blame_view *view, struct ccfc_obj root,
			  struct ccfc_slice name)
{
	*view = (struct ccfc_blame_view){ .root = root, .name = name };
	view->lines = ccfc_obj_get(root, "lines");
	view->blocks = ccfc_obj_get(root, "blocks");
	view->cols[view->ncols++] = CCFC_BLAME_COL_SESSION;
	/* Columns for subagents and commands, if there are any. */
	if (any_has(view->blocks, "agentId"))
		view->cols[view->ncols++] = CCFC_BLAME_COL_AGENT;
	view->cols[view->ncols++] = CCFC_BLAME_COL_MODEL;
	if (any_has(view->lines, "command"))
		view->cols[view->ncols++] = CCFC_BLAME_COL_COMMAND;
	measure_ids(view);
	view->session_length = ccfc_render_unique_length(
		view->blocks, "sessionId", SESSION_MIN);
}

bool ccfc_blame_is_session(struct ccfc_obj line)
{
	return ccfc_slice_is(ccfc_obj_get_str(line, "kind"), "session");
}

const struct ccfc_git_commit *
ccfc_blame_commit(const struct ccfc_blame_view *view, struct ccfc_obj line)
{
	struct ccfc_obj content = ccfc_obj_get(line, "content");

	if (!view->git || !ccfc_obj_is_str(content))
		return NULL;
	return ccfc_git_blame_commit(view->git,
				     ccfc_obj_get_int(line, "line", 0),
				     ccfc_obj_str(content));
}

int64_t ccfc_blame_time(char *sign, const struct ccfc_blame_view *view,
			struct ccfc_obj line)
{
	const struct ccfc_git_commit *commit;
	int64_t t;

	*sign = ' ';
	if (ccfc_blame_is_session(line))
		return ccfc_time_parse(ccfc_obj_get_str(line, "timestamp"));
	commit = ccfc_blame_commit(view, line);
	if (commit)
		return commit->time;
	t = ccfc_time_parse(ccfc_obj_get_str(line, "from"));
	if (t != CCFC_TIME_NONE) {
		*sign = '>';
		return t;
	}
	t = ccfc_time_parse(ccfc_obj_get_str(line, "to"));
	if (t != CCFC_TIME_NONE)
		*sign = '<';
	return t;
}

/* "Explore a1b2c3d": what kind of agent, and which. */
static void agent_cell(struct ccfc_buf *out, struct ccfc_obj line)
{
	struct ccfc_slice type = ccfc_obj_get_str(line, "agentType");
	struct ccfc_slice id = ccfc_obj_get_str(line, "agentId");

	ccfc_buf_slice(out, type);
	if (type.len && id.len)
		ccfc_buf_putc(out, ' ');
	ccfc_buf_slice(out, ccfc_slice_cut(id, SESSION_MIN));
}

/* "$ make fmt": the command that ran when the line was added. */
static void command_cell(struct ccfc_buf *out, struct ccfc_obj line)
{
	struct ccfc_slice command = ccfc_obj_get_str(line, "command");

	if (!command.len)
		return;
	ccfc_buf_puts(out, "$ ");
	ccfc_buf_slice(out, command);
}

/* "one of 2 commands": which one is not known. */
static void candidates_cell(struct ccfc_buf *out, struct ccfc_obj line)
{
	uint32_t n = ccfc_obj_len(ccfc_obj_get(line, "candidates"));

	if (n)
		ccfc_buf_printf(out, "one of %u commands", n);
}

void ccfc_blame_cell(struct ccfc_buf *out, const struct ccfc_blame_view *view,
		     struct ccfc_obj line, unsigned col)
{
	const struct ccfc_git_commit *commit;
	struct ccfc_slice id;

	if (!ccfc_blame_is_session(line)) {
		commit = col ? NULL : ccfc_blame_commit(view, line);
		if (commit)
			ccfc_buf_slice(out, commit->author);
		else if (!col)
			candidates_cell(out, line);
		return;
	}
	switch (view->cols[col]) {
	case CCFC_BLAME_COL_SESSION:
		id = ccfc_obj_get_str(line, "sessionId");
		ccfc_buf_slice(out, ccfc_slice_cut(id, view->session_length));
		return;
	case CCFC_BLAME_COL_MODEL:
		id = ccfc_obj_get_str(line, "model");
		ccfc_buf_slice(out, ccfc_human_model(id));
		return;
	case CCFC_BLAME_COL_AGENT:
		agent_cell(out, line);
		return;
	case CCFC_BLAME_COL_COMMAND:
		command_cell(out, line);
		return;
	default:
		ccfc_buf_slice(
			out,
			ccfc_obj_get_str(
				line, ccfc_blame_col_names[view->cols[col]]));
	}
}

void ccfc_blame_owner(struct ccfc_buf *out, const struct ccfc_blame_view *view,
		      struct ccfc_obj line)
{
	bool inferred =
		ccfc_slice_is(ccfc_obj_get_str(line, "evidence"), "inferred");

	if (ccfc_blame_is_session(line))
		ccfc_change_ids_put(out, &view->ids,
				    ccfc_obj_get_str(line, "changeId"),
				    inferred);
	else
		ccfc_buf_slice(out, ccfc_obj_get_str(line, "kind"));
}

void ccfc_blame_short_ids(struct ccfc_blame_view *view)
{
	view->ids.whole_start = false;
	if (view->ids.call < TAIL_MIN)
		view->ids.call = TAIL_MIN;
}
