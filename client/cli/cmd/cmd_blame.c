/*
 * ccfc blame: who wrote each line of a file.
 *
 * With --git the commits come from `git blame` of the file on disk; a line's
 * commit is believed only where git has the very text that the daemon has.
 */
#include "cli/blame/agent_trace.h"
#include "cli/blame/blame_line.h"
#include "cli/frame/connect.h"
#include "cli/frame/cwd.h"
#include "cli/frame/line_range.h"
#include "cli/frame/moment.h"
#include "cli/frame/suggest.h"

#include <stdlib.h>

enum {
	OPT_LINES,
	OPT_AT,
	OPT_SPACE,
	OPT_FORMAT,
	OPT_LINE_PORCELAIN,
	OPT_BLOCKS,
	OPT_SHOW,
	OPT_GIT,
};

enum {
	FORMAT_TABLE,
	FORMAT_PORCELAIN,
	FORMAT_JSON,
	FORMAT_JSONL,
	FORMAT_TRACE,
};

static const struct ccfc_opt options[] = {
	[OPT_LINES] = { "lines", 'L', CCFC_OPT_TEXT, "N,M",
			"only lines N to M: N,M or N,+COUNT or N or ,M", NULL,
			0, 0 },
	[OPT_AT] = CCFC_AT_OPTION,
	[OPT_SPACE] = { "ignore-space", 'w', CCFC_OPT_FLAG, NULL,
			"a line keeps its owner when only white space moved",
			NULL, 0, 0 },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "table (default), porcelain, json, jsonl, agent-trace",
			 "table|porcelain|json|jsonl|agent-trace", 0, 0 },
	[OPT_LINE_PORCELAIN] = { "line-porcelain", 0, CCFC_OPT_FLAG, NULL,
				 "porcelain with everything at every line",
				 NULL, 0, 0 },
	[OPT_BLOCKS] = { "blocks", 0, CCFC_OPT_FLAG, NULL,
			 "a row for each run of lines with the same owner",
			 NULL, 0, 0 },
	[OPT_SHOW] = { "show", 0, CCFC_OPT_LIST, "LIST",
		       "prompt,session,model,agent,version,tool", NULL, 0, 0 },
	[OPT_GIT] = { "git", 0, CCFC_OPT_FLAG, NULL,
		      "also the commit of each line, as git blame has it", NULL,
		      0, 0 },
	{ 0 },
};

/* One run. */
struct blame {
	const struct ccfc_opts *opts;
	struct ccfc_query query;
	struct ccfc_cwd where;
	enum ccfc_blame_col cols[CCFC_BLAME_COLS]; /* of --show */
	unsigned ncols;
};

static bool flag(const struct ccfc_opts *opts, int option)
{
	return ccfc_opts_own(opts, option)->set;
}

static int read_range(struct ccfc_query *query, const char *text,
		      struct ccfc_err *err)
{
	if (ccfc_line_range_parse(&query->from_line, &query->to_line, text))
		return 0;
	ccfc_err_set(err, CCFC_EINVAL, "blame: -L %s: no such lines", text);
	ccfc_err_hint(err, "lines count from 1: -L 10,20, -L 10,+5, -L 10 or "
			   "-L ,20");
	return CCFC_EINVAL;
}

static int find_col(const char *name, struct ccfc_err *err)
{
	struct ccfc_suggest near;

	ccfc_suggest_init(&near, name);
	for (int i = 0; i < CCFC_BLAME_COLS; i++) {
		if (!strcmp(name, ccfc_blame_col_names[i]))
			return i;
		ccfc_suggest_try(&near, ccfc_blame_col_names[i]);
	}
	ccfc_err_set(err, CCFC_EINVAL, "blame: --show=%s: no such column",
		     name);
	if (near.best)
		ccfc_err_hint(err, "did you mean '%s'?", near.best);
	else
		ccfc_err_hint(err, "one of prompt, session, model, agent, "
				   "version, tool");
	return CCFC_EINVAL;
}

/* The columns that are asked for, once each and in that order. */
static int read_show(struct blame *b, struct ccfc_err *err)
{
	const struct ccfc_opt_value *show = ccfc_opts_own(b->opts, OPT_SHOW);
	bool have[CCFC_BLAME_COLS] = { false };

	for (uint32_t i = 0; i < show->list.n; i++) {
		int col = find_col(show->list.items[i], err);

		if (col < 0)
			return col;
		if (!have[col])
			b->cols[b->ncols++] = (enum ccfc_blame_col)col;
		have[col] = true;
	}
	return 0;
}

/* Options that do not go together. */
static int check_blame(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	int64_t format = ccfc_opts_own(opts, OPT_FORMAT)->num;
	bool chosen = flag(opts, OPT_FORMAT);

	if (!*opts->args[0])
		return ccfc_err_set(err, CCFC_EINVAL,
				    "blame: the path is empty");
	if (flag(opts, OPT_LINE_PORCELAIN) && chosen &&
	    format != FORMAT_PORCELAIN)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "blame: --line-porcelain: goes with "
				    "--format=porcelain only");
	if (flag(opts, OPT_BLOCKS) &&
	    (flag(opts, OPT_LINE_PORCELAIN) || format == FORMAT_PORCELAIN))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "blame: --blocks: porcelain is about "
				    "lines");
	if (flag(opts, OPT_GIT) && format == FORMAT_TRACE)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "blame: --git: an agent-trace record has "
				    "no room for commits");
	if (flag(opts, OPT_GIT) && flag(opts, OPT_AT))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "blame: --git: goes without --at: git "
				    "knows the file as it is now");
	return 0;
}

static void print_blame(struct ccfc_out *out,
			const struct ccfc_blame_view *view,
			const struct ccfc_opts *opts, const char *path)
{
	bool blocks = flag(opts, OPT_BLOCKS);

	if (flag(opts, OPT_LINE_PORCELAIN)) {
		ccfc_blame_porcelain(out, view, true);
		return;
	}
	switch (ccfc_opts_own(opts, OPT_FORMAT)->num) {
	case FORMAT_PORCELAIN:
		ccfc_blame_porcelain(out, view, false);
		return;
	case FORMAT_JSON:
		ccfc_blame_json(out, view);
		return;
	case FORMAT_JSONL:
		ccfc_blame_jsonl(out, view, blocks);
		return;
	case FORMAT_TRACE:
		ccfc_agent_trace(out, view, path, !flag(opts, OPT_AT));
		return;
	default:
		if (blocks)
			ccfc_blame_blocks(out, view);
		else
			ccfc_blame_table(out, view);
	}
}

/* A note where the content itself is not known for certain. */
static void note_fidelity(struct ccfc_obj root, const char *given)
{
	struct ccfc_slice fidelity = ccfc_obj_get_str(root, "fidelity");
	struct ccfc_slice why = ccfc_obj_get_str(root, "why");

	if (fidelity.len && !ccfc_slice_is(fidelity, "exact"))
		ccfc_cli_note("%s: %.*s%s%.*s", given, (int)fidelity.len,
			      fidelity.ptr, why.len ? ": " : "", (int)why.len,
			      why.len ? why.ptr : "");
}

static void choose_columns(struct ccfc_blame_view *view, const struct blame *b)
{
	if (b->ncols) {
		memcpy(view->cols, b->cols, sizeof(b->cols));
		view->ncols = b->ncols;
	} else if (flag(b->opts, OPT_BLOCKS)) {
		view->cols[view->ncols++] = CCFC_BLAME_COL_PROMPT;
	}
}

static void answer(struct ccfc_cli *cli, const struct blame *b,
		   struct ccfc_obj root)
{
	const char *given = b->opts->args[0];
	char *real = ccfc_cwd_real(&b->where, given);
	struct ccfc_git_blame git = { 0 };
	struct ccfc_blame_view view;
	struct ccfc_err err;

	ccfc_cli_note_indexing(root);
	note_fidelity(root, given);
	ccfc_blame_view_init(
		&view, root,
		ccfc_cwd_short(&b->where, ccfc_obj_get_str(root, "path")));
	choose_columns(&view, b);
	if (flag(b->opts, OPT_GIT)) {
		if (ccfc_git_blame_read(&git, real, b->query.from_line,
					b->query.to_line, b->query.ignore_space,
					&err) < 0)
			ccfc_cli_note("%s: no commits: %s", given, err.what);
		view.git = &git;
	}
	print_blame(&cli->out, &view, b->opts, real);
	ccfc_git_blame_release(&git);
	free(real);
}

static int ask_blame(struct ccfc_cli *cli, struct blame *b,
		     struct ccfc_err *err)
{
	const char *given = b->opts->args[0];
	char *path = ccfc_cwd_absolute(&b->where, given);
	struct ccfc_reply *reply = NULL;
	int code;

	b->query.cwd = b->where.cwd;
	b->query.alternatives = ccfc_cwd_names(&b->where, path, given);
	if (!b->query.alternatives[0])
		b->query.alternatives = NULL;
	code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);
	if (!code)
		code = ccfc_file_blame(&reply, cli->client, path, &b->query,
				       err);
	if (!code)
		answer(cli, b, ccfc_cli_value(reply));
	else
		ccfc_cwd_hint(err, given);
	ccfc_reply_free(reply);
	free(path);
	return code;
}

static int run_blame(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	const struct ccfc_opt_value *at = ccfc_opts_own(opts, OPT_AT);
	struct blame b = { .opts = opts, .query = CCFC_QUERY_INIT };
	struct ccfc_err err;
	char *when = NULL;
	int code = check_blame(opts, &err);

	b.query.ignore_space = flag(opts, OPT_SPACE);
	if (!code && flag(opts, OPT_LINES))
		code = read_range(&b.query,
				  ccfc_opts_own(opts, OPT_LINES)->text, &err);
	if (!code)
		code = read_show(&b, &err);
	if (!code && at->set)
		code = ccfc_moment_text(&when, at->text, &err);
	b.query.at = when;
	if (!code)
		code = ccfc_cwd_init(&b.where, &err);
	if (!code)
		code = ask_blame(cli, &b, &err);
	ccfc_cwd_release(&b.where);
	free(when);
	return code < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_blame = {
	.name = "blame",
	.usage = "blame FILE [-L N,M] [--at=WHEN] [options]",
	.summary = "who wrote each line of a file",
	.about = "Shows for each line of a file the change that it came from, "
		 "with its session,\n"
		 "model and time. A change owns the lines that it added, not "
		 "those around them.\n"
		 "Lines that nobody's session wrote are \"outside\", and those "
		 "that nothing is known\n"
		 "of \"unknown\"; their time is the one after (>) or before "
		 "(<) which they came.\n\n"
		 "With --git the commit of each line is shown too, and lines "
		 "that are outside or\n"
		 "unknown have its author and time. The repository is only "
		 "read.\n\n"
		 "--format=porcelain is for parsers of git blame --porcelain; "
		 "agent-trace is the\n"
		 "record of that name (agent-trace.dev), version 0.1.\n\n"
		 "Without --at the file is taken as it is on "
		 "disk. " CCFC_AT_WHEN,
	.examples = "  ccfc blame src/auth/login.ts\n"
		    "  ccfc blame -L 10,20 --show=session,prompt login.ts\n"
		    "  ccfc blame --blocks --git login.ts\n"
		    "  ccfc blame --at=before:3f2a login.ts\n"
		    "  ccfc blame --format=json login.ts | jq "
		    "'.blocks[].prompt'\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.run = run_blame,
};
