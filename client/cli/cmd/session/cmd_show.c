/*
 * ccfc show: one session with its messages and events. Sections are fetched one
 * after another, and long ones page by page. Without a named section show
 * prints an overview: the facts about the session, and its last messages.
 */
#include "cli/conversation/show.h"
#include "cli/conversation/show_run.h"
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"

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
	[OPT_MESSAGES] = { "messages", 'm', CCFC_OPT_FLAG,
			   .help = "all messages, agents included" },
	[OPT_TIMELINE] = { "timeline", 't', CCFC_OPT_FLAG,
			   .help = "what happened, one line for each event" },
	[OPT_TOOLS] = { "tools", 0, CCFC_OPT_FLAG,
			.help = "tools, with call and error counts" },
	[OPT_FILES] = { "files", 0, CCFC_OPT_MAYBE, "WHICH",
			.help = "files: all (default), modified or read",
			.choices = "all|modified|read" },
	[OPT_TASKS] = { "tasks", 0, CCFC_OPT_FLAG,
			.help = "the list of tasks" },
	[OPT_TREE] = { "tree", 0, CCFC_OPT_FLAG,
		       .help = "the conversation with its branches" },
	[OPT_THINKING] = { "thinking", 0, CCFC_OPT_FLAG,
			   .help = "include the model's thinking",
			   CCFC_ASKS(thinking) },
	[OPT_AGENT] = { "agent", 0, CCFC_OPT_TEXT, "AGENT",
			.help = "messages of this agent", CCFC_ASKS(agent) },
	[OPT_MESSAGE] = { "message", 0, CCFC_OPT_TEXT, "UUID",
			  .help = "this message and the messages around it",
			  CCFC_ASKS(message) },
	[OPT_ROLE] = { "role", 0, CCFC_OPT_CHOICE, "ROLE",
		       .help = "messages of user, assistant, system or tool",
		       .choices = "user|assistant|system|tool",
		       CCFC_ASKS(role) },
	[OPT_LIMIT] = { "limit", 'n', CCFC_OPT_INT, "N",
			.help = "at most N messages, events or nodes", .min = 1,
			.max = LIMIT_MAX },
	[OPT_OFFSET] = { "offset", 0, CCFC_OPT_INT, "N",
			 .help = "leave out the first N", .max = LIMIT_MAX,
			 CCFC_ASKS(offset) },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "text (default), json, jsonl or markdown",
			 .choices = "text|json|jsonl|markdown" },
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
		/* Options that are about messages only. */
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

static void read_options(struct ccfc_show *show, const struct ccfc_opts *opts)
{
	const struct ccfc_opt_value *limit = ccfc_opts_own(opts, OPT_LIMIT);

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
	struct ccfc_question q;
	struct ccfc_err err;
	int code = ccfc_question_init(&q, cli, opts, &err);

	read_options(&show, opts);
	show.query = q.query;
	if (!code)
		code = ccfc_question_session(&q, opts->args[0], &err);
	show.session = q.session;
	if (!code)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, &err);
	if (!code)
		code = ccfc_show_run(&show, &err);
	ccfc_show_release(&show);
	ccfc_question_release(&q);
	if (code < 0)
		return ccfc_cli_fail(&err);
	if (show.truncated && show.format != CCFC_SHOW_JSON &&
	    show.format != CCFC_SHOW_JSONL)
		ccfc_cli_note("some texts are cut, or not there any more");
	return CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_show = {
	.name = "show",
	.usage = "show [SESSION] [options]",
	.summary = "one session: messages, tools, files, tasks",
	.about = "Shows a session: a summary, its tasks, tools and files, and "
		 "its last messages;\n"
		 "or only the requested sections.\n"
		 "\n"
		 "SESSION is an id, a unique prefix of one, or a transcript's "
		 "path. UUID is a\n"
		 "message's id or a prefix of at least 6 characters; ccfc "
		 "grep shows it.\n"
		 "\n"
		 "A message has one line for each tool call and the first "
		 "lines of each result.\n"
		 "Agents are indented below the call that started them. JSON "
		 "has everything, with\n"
		 "texts up to 64 KiB; ccfc export has whole texts.",
	.examples = "  ccfc show 3f2a\n"
		    "  ccfc show 3f2a --messages --thinking\n"
		    "  ccfc show 3f2a --message=9b1deb4d --limit=20\n"
		    "  ccfc show 3f2a --files=read\n"
		    "  ccfc show 3f2a --timeline --format=jsonl | jq .type\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_show,
};
