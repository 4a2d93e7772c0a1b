/*
 * ccfc show: one session, and what was said and done in it.
 *
 * Sections are asked for one after another, and long ones page by page. Where
 * none is named it is an overview: what is known of the session as a whole,
 * and its last messages.
 */
#include "cli/conversation/show.h"
#include "cli/conversation/show_run.h"
#include "cli/frame/connect.h"
#include "cli/frame/cwd.h"
#include "cli/out/render.h"

#include <stdlib.h>

enum {
	OPT_MESSAGES,
	OPT_TIMELINE,
	OPT_TOOLS,
	OPT_FILES,
	OPT_TASKS,
	OPT_TREE,
	OPT_THINKING,
	OPT_AGENT,
	OPT_MESSAGE,
	OPT_ROLE,
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_FORMAT,
};

#define LIMIT_MAX 1000000000

static const struct ccfc_opt options[] = {
	[OPT_MESSAGES] = { "messages", 'm', CCFC_OPT_FLAG, NULL,
			   "all messages, with those of agents", NULL, 0, 0 },
	[OPT_TIMELINE] = { "timeline", 't', CCFC_OPT_FLAG, NULL,
			   "what happened, one line an event", NULL, 0, 0 },
	[OPT_TOOLS] = { "tools", 0, CCFC_OPT_FLAG, NULL,
			"tools, how often, and how often in vain", NULL, 0, 0 },
	[OPT_FILES] = { "files", 0, CCFC_OPT_MAYBE, "WHICH",
			"files: all (default), modified or read",
			"all|modified|read", 0, 0 },
	[OPT_TASKS] = { "tasks", 0, CCFC_OPT_FLAG, NULL, "its list of tasks",
			NULL, 0, 0 },
	[OPT_TREE] = { "tree", 0, CCFC_OPT_FLAG, NULL,
		       "the conversation with its branches", NULL, 0, 0 },
	[OPT_THINKING] = { "thinking", 0, CCFC_OPT_FLAG, NULL,
			   "with what the model thought", NULL, 0, 0 },
	[OPT_AGENT] = { "agent", 0, CCFC_OPT_TEXT, "AGENT",
			"messages of this agent", NULL, 0, 0 },
	[OPT_MESSAGE] = { "message", 0, CCFC_OPT_TEXT, "UUID",
			  "this message, and those around it", NULL, 0, 0 },
	[OPT_ROLE] = { "role", 0, CCFC_OPT_CHOICE, "ROLE",
		       "messages of user, assistant, system or tool",
		       "user|assistant|system|tool", 0, 0 },
	[OPT_LIMIT] = { "limit", 0, CCFC_OPT_INT, "N",
			"at most N messages, events or nodes", NULL, 1,
			LIMIT_MAX },
	[OPT_OFFSET] = { "offset", 0, CCFC_OPT_INT, "N", "without the first N",
			 NULL, 0, LIMIT_MAX },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "text (default), json, jsonl or markdown",
			 "text|json|jsonl|markdown", 0, 0 },
	{ 0 },
};

static unsigned read_sections(const struct ccfc_opts *opts)
{
	static const struct {
		int option;
		unsigned section;
	} rows[] = {
		{ OPT_TASKS, CCFC_SHOW_TASKS },
		{ OPT_TOOLS, CCFC_SHOW_TOOLS },
		{ OPT_FILES, CCFC_SHOW_FILES },
		{ OPT_TIMELINE, CCFC_SHOW_TIMELINE },
		{ OPT_TREE, CCFC_SHOW_TREE },
		{ OPT_MESSAGES, CCFC_SHOW_MESSAGES },
		/* What only messages have. */
		{ OPT_AGENT, CCFC_SHOW_MESSAGES },
		{ OPT_MESSAGE, CCFC_SHOW_MESSAGES },
		{ OPT_ROLE, CCFC_SHOW_MESSAGES },
	};
	unsigned sections = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (ccfc_opts_own(opts, rows[i].option)->set)
			sections |= rows[i].section;
	return sections;
}

static void read_query(struct ccfc_show *show, const struct ccfc_opts *opts)
{
	const struct ccfc_opt_value *limit = ccfc_opts_own(opts, OPT_LIMIT);
	const struct ccfc_query query = CCFC_QUERY_INIT;

	show->query = query;
	show->query.thinking = ccfc_opts_own(opts, OPT_THINKING)->set;
	show->query.agent = ccfc_opts_own(opts, OPT_AGENT)->text;
	show->query.message = ccfc_opts_own(opts, OPT_MESSAGE)->text;
	show->query.role = ccfc_opts_own(opts, OPT_ROLE)->text;
	show->query.offset = ccfc_opts_own(opts, OPT_OFFSET)->num;
	show->limit = limit->set ? limit->num : -1;
	show->offset_set = ccfc_opts_own(opts, OPT_OFFSET)->set;
	show->which = (enum ccfc_show_which)ccfc_opts_own(opts, OPT_FILES)->num;
	show->format =
		(enum ccfc_show_format)ccfc_opts_own(opts, OPT_FORMAT)->num;
	show->sections = read_sections(opts);
}

static int run_show(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_show show = { .cli = cli };
	struct ccfc_err err;
	char *session = NULL;
	int code = ccfc_cwd_session(&session, opts->args[0], &err);

	read_query(&show, opts);
	show.session = session;
	if (!code)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, &err);
	if (!code)
		code = ccfc_show_run(&show, &err);
	ccfc_show_release(&show);
	free(session);
	if (code < 0)
		return ccfc_cli_fail(&err);
	if (show.truncated && show.format != CCFC_SHOW_JSON &&
	    show.format != CCFC_SHOW_JSONL)
		ccfc_cli_note("some texts are cut, or not there any more");
	return CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_show = {
	.name = "show",
	.usage = "show SESSION [options]",
	.summary = "one session: messages, tools, files, tasks",
	.about = "Shows a session: what it is, its tasks, tools and files, and "
		 "its last messages;\n"
		 "or the sections that are asked for.\n\n"
		 "SESSION is an id, any unique start of one, or a transcript's "
		 "path. UUID is a\n"
		 "message's id or its first 6 characters and more; ccfc grep "
		 "shows it.\n\n"
		 "Messages have one line for each call of a tool and the first "
		 "lines of each\n"
		 "result; agents are indented below the call that started "
		 "them. JSON has all of\n"
		 "it, texts up to 64 KiB each; ccfc export has them whole.",
	.examples = "  ccfc show 3f2a\n"
		    "  ccfc show 3f2a --messages --thinking\n"
		    "  ccfc show 3f2a --message=9b1deb4d --limit=20\n"
		    "  ccfc show 3f2a --files=read\n"
		    "  ccfc show 3f2a --timeline --format=jsonl | jq .type\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.run = run_show,
};
