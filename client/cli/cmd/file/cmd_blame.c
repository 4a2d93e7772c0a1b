/*
 * ccfc blame: who wrote each line of a file.
 *
 * With --git the commits come from `git blame` of the file on disk; a line's
 * commit is used only where git has the same text as the daemon.
 */
#include "cli/blame/agent_trace.h"
#include "cli/blame/blame_line.h"
#include "cli/frame/answer.h"
#include "cli/frame/moment.h"
#include "cli/words/line_range.h"
#include "cli/words/suggest.h"

#include <stdlib.h>
#include <unistd.h>

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

static const struct ccfc_opt options[] = {
	[OPT_LINES] = { "lines", 'L', CCFC_OPT_TEXT, "N,M",
			.help = "only lines N to M: N,M or N,+COUNT or N or "
				",M" },
	[OPT_AT] = CCFC_AT_OPTION,
	[OPT_SPACE] = { "ignore-space", 'w', CCFC_OPT_FLAG,
			.help = "a line keeps its owner when only white space "
				"moved",
			CCFC_ASKS(ignore_space) },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default), porcelain, json, jsonl, "
				 "agent-trace",
			 .choices = "table|porcelain|json|jsonl|agent-trace" },
	[OPT_LINE_PORCELAIN] = { "line-porcelain", 0, CCFC_OPT_FLAG,
				 .help = "porcelain with all fields at every "
					 "line" },
	[OPT_BLOCKS] = { "blocks", 0, CCFC_OPT_FLAG,
			 .help = "a row for each run of lines with the same "
				 "owner" },
	[OPT_SHOW] = { "show", 0, CCFC_OPT_LIST, "LIST",
		       .help = "prompt,session,model,agent,version,tool,"
			       "command" },
	[OPT_GIT] = { "git", 0, CCFC_OPT_FLAG,
		      .help = "also the commit of each line, as git blame has "
			      "it" },
	{ 0 },
};

/* The columns of --show. */
struct shown {
	enum ccfc_blame_col cols[CCFC_BLAME_COLS];
	unsigned n;
};

static bool is_flag_set(const struct ccfc_opts *opts, int option)
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
				   "version, tool, command");
	return CCFC_EINVAL;
}

/* The columns of --show, each once and in the given order. */
static int read_show(struct shown *shown, const struct ccfc_opts *opts,
		     struct ccfc_err *err)
{
	const struct ccfc_opt_value *show = ccfc_opts_own(opts, OPT_SHOW);
	bool have[CCFC_BLAME_COLS] = { false };

	for (uint32_t i = 0; i < show->list.n; i++) {
		int col = find_col(show->list.items[i], err);

		if (col < 0)
			return col;
		if (!have[col])
			shown->cols[shown->n++] = (enum ccfc_blame_col)col;
		have[col] = true;
	}
	return 0;
}

/* Refuses options that do not go together. */
static int check_blame(const struct ccfc_question *q, struct ccfc_err *err)
{
	const struct ccfc_opts *opts = q->opts;
	bool chosen = is_flag_set(opts, OPT_FORMAT);

	if (is_flag_set(opts, OPT_LINE_PORCELAIN) && chosen &&
	    q->format != CCFC_FORMAT_PORCELAIN)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "blame: --line-porcelain: only with "
				    "--format=porcelain");
	if (is_flag_set(opts, OPT_BLOCKS) &&
	    (is_flag_set(opts, OPT_LINE_PORCELAIN) ||
	     q->format == CCFC_FORMAT_PORCELAIN))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "blame: --blocks: porcelain is about "
				    "lines");
	if (is_flag_set(opts, OPT_GIT) && q->format == CCFC_FORMAT_TRACE)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "blame: --git: an agent-trace record has "
				    "no room for commits");
	if (is_flag_set(opts, OPT_GIT) && is_flag_set(opts, OPT_AT))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "blame: --git: not with --at: git knows "
				    "the file as it is now");
	return 0;
}

static void print_view(struct ccfc_question *q,
		       const struct ccfc_blame_view *view, const char *path)
{
	struct ccfc_out *out = &q->cli->out;
	bool blocks = is_flag_set(q->opts, OPT_BLOCKS);

	if (is_flag_set(q->opts, OPT_LINE_PORCELAIN)) {
		ccfc_blame_porcelain(out, view, true);
		return;
	}
	switch (q->format) {
	case CCFC_FORMAT_PORCELAIN:
		ccfc_blame_porcelain(out, view, false);
		return;
	case CCFC_FORMAT_JSON:
		ccfc_blame_json(out, view);
		return;
	case CCFC_FORMAT_JSONL:
		ccfc_blame_jsonl(out, view, blocks);
		return;
	case CCFC_FORMAT_TRACE:
		ccfc_agent_trace(out, view, path,
				 !is_flag_set(q->opts, OPT_AT));
		return;
	default:
		if (blocks)
			ccfc_blame_blocks(out, view);
		else
			ccfc_blame_table(out, view);
	}
}

/* Prints a note if the content itself is not certain. */
static void note_fidelity(struct ccfc_obj root, const char *given)
{
	struct ccfc_slice fidelity = ccfc_obj_get_str(root, "fidelity");
	struct ccfc_slice why = ccfc_obj_get_str(root, "why");

	if (fidelity.len && !ccfc_slice_is(fidelity, "exact"))
		ccfc_cli_note("%s: %.*s%s%.*s", given, (int)fidelity.len,
			      fidelity.ptr, why.len ? ": " : "", (int)why.len,
			      why.len ? why.ptr : "");
}

static void choose_blame_columns(struct ccfc_blame_view *view,
				 const struct ccfc_question *q)
{
	const struct shown *shown = q->own;

	if (shown->n) {
		memcpy(view->cols, shown->cols, sizeof(shown->cols));
		view->ncols = shown->n;
		view->chosen = true;
	} else if (is_flag_set(q->opts, OPT_BLOCKS)) {
		view->cols[view->ncols++] = CCFC_BLAME_COL_PROMPT;
	}
}

static void read_commits(struct ccfc_git_blame *git,
			 const struct ccfc_question *q, const char *path)
{
	struct ccfc_err err;

	if (ccfc_git_blame_read(git, path, q->query.from_line, q->query.to_line,
				q->query.ignore_space, &err) < 0)
		ccfc_cli_note("%s: no commits: %s", q->given, err.what);
	else if (*git->filter)
		ccfc_cli_note("%s: %s applies and is not run: lines that it "
			      "changes have no commit",
			      q->given, git->filter);
}

static int print_blame(struct ccfc_question *q, struct ccfc_obj root)
{
	char *real = ccfc_cwd_real(&q->where, q->given);
	struct ccfc_git_blame git = { 0 };
	struct ccfc_blame_view view;

	note_fidelity(root, q->given);
	ccfc_blame_view_init(
		&view, root,
		ccfc_cwd_short(&q->where, ccfc_obj_get_str(root, "path")));
	choose_blame_columns(&view, q);
	if (is_flag_set(q->opts, OPT_GIT)) {
		read_commits(&git, q, real);
		view.git = &git;
	}
	print_view(q, &view, real);
	ccfc_git_blame_release(&git);
	free(real);
	return CCFC_EXIT_FOUND;
}

static int prepare_blame(struct ccfc_question *q, struct ccfc_err *err)
{
	int code = check_blame(q, err);

	if (!code && is_flag_set(q->opts, OPT_LINES))
		code = read_range(&q->query,
				  ccfc_opts_own(q->opts, OPT_LINES)->text, err);
	else if (q->line)
		q->query.from_line = q->query.to_line = q->line;
	return code < 0 ? code : read_show(q->own, q->opts, err);
}

static int ask_blame(struct ccfc_reply **reply, struct ccfc_question *q,
		     struct ccfc_err *err)
{
	int code =
		ccfc_file_blame(reply, q->cli->client, q->path, &q->query, err);
	char before[sizeof(err->hint)];

	if (code != CCFC_ENOTFOUND || !is_flag_set(q->opts, OPT_GIT) ||
	    access(q->path, R_OK) != 0)
		return code;
	memcpy(before, err->hint, sizeof(before));
	ccfc_err_hint(err, "%s%sgit blame has the commits of its lines", before,
		      *before ? "; " : "");
	return code;
}

static int run_blame(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.subject = CCFC_ABOUT_FILE,
		.own = CCFC_FORMAT_BIT(JSON) | CCFC_FORMAT_BIT(JSONL),
		.prepare = prepare_blame,
		.ask = ask_blame,
		.print = print_blame,
	};
	struct shown shown = { .n = 0 };

	return ccfc_answer_run(&answer, cli, opts, &shown);
}

const struct ccfc_command ccfc_cmd_blame = {
	.name = "blame",
	.usage = "blame FILE [-L N,M] [--at=WHEN] [options]",
	.summary = "who wrote each line of a file",
	.about = "Shows for each line of a file the change that it came from, "
		 "with its session,\n"
		 "model and time. A change owns the lines that it added, not "
		 "those around them.\n"
		 "Lines that no session wrote are \"outside\"; lines without "
		 "any evidence are\n"
		 "\"unknown\". Their time is marked: the line came after (>) "
		 "or before (<) it.\n"
		 "A line that came while a command of a shell ran shows how "
		 "the command begins.\n"
		 "\n"
		 "With --git the commit of each line is shown too, and lines "
		 "that are outside or\n"
		 "unknown have its author and time. The repository is only "
		 "read,\n"
		 "and no filter or other program that it names is run.\n"
		 "\n"
		 "--format=porcelain is for parsers of git blame --porcelain; "
		 "agent-trace is the\n"
		 "record of that name (agent-trace.dev), version 0.1.\n"
		 "\n"
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
