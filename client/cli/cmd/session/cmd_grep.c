/*
 * ccfc grep: messages that contain a text, in all sessions. The daemon searches
 * unescaped texts, not the lines of the files, so that JSON escapes never hide
 * a match.
 */
#include "cli/frame/answer.h"
#include "cli/frame/scope.h"
#include "cli/report/grep_print.h"

#include <limits.h>

enum {
	OPT_IGNORE_CASE,
	OPT_CASE,
	OPT_REGEX,
	OPT_ROLE,
	OPT_SESSION,
	OPT_PROJECT,
	OPT_ALL,
	OPT_FROM,
	OPT_TO,
	OPT_IN,
	OPT_SORT,
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_FORMAT,
	OPT_LIST,
	OPT_COUNT,
	OPT_WORD,
	OPT_CONTEXT,
	OPT_FIXED,
	OPT_EXTENDED,
};

#define WORDS_MAX   16
#define ALL_MATCHES 10000 /* matches read for -l, -c and ids */

static const struct ccfc_opt options[] = {
	[OPT_IGNORE_CASE] = { "ignore-case", 'i', CCFC_OPT_FLAG,
			      .help = "a and A are the same (default)" },
	[OPT_CASE] = { "case-sensitive", 's', CCFC_OPT_FLAG,
		       .help = "a and A differ", CCFC_ASKS(case_sensitive) },
	[OPT_REGEX] = { "regex", 'e', CCFC_OPT_FLAG,
			.help = "PATTERN is a regular expression (PCRE2)",
			CCFC_ASKS(regex) },
	[OPT_ROLE] = { "role", 0, CCFC_OPT_CHOICE, "ROLE",
		       .help = "only messages of user or assistant",
		       .choices = "user|assistant", CCFC_ASKS(role) },
	[OPT_SESSION] = { "session", 0, CCFC_OPT_SESSION, "SESSION",
			  .help = "only in this session", CCFC_ASKS(session) },
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_ALL] = CCFC_SCOPE_ALL,
	[OPT_FROM] = CCFC_SCOPE_FROM("messages"),
	[OPT_TO] = CCFC_SCOPE_TO("messages"),
	[OPT_IN] = { "in", 0, CCFC_OPT_LIST, "LIST",
		     .help = "text (default), thinking, tool, result, meta",
		     .choices = "text|thinking|tool|result|meta",
		     CCFC_ASKS(in) },
	[OPT_SORT] = { "sort", 0, CCFC_OPT_CHOICE, "BY",
		       .help = "recent, or rank (default for several words)",
		       .choices = "recent|rank", CCFC_ASKS(sort) },
	[OPT_LIMIT] = CCFC_SCOPE_LIMIT("matches"),
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "text (default), json, jsonl or ids (of "
				 "sessions)",
			 .choices = "text|json|jsonl|ids" },
	[OPT_LIST] = { "sessions", 'l', CCFC_OPT_FLAG,
		       .help = "only the sessions, a line for each" },
	[OPT_COUNT] = { "count", 'c', CCFC_OPT_FLAG,
			.help = "the same with the number of messages" },
	[OPT_WORD] = { "word", 'w', CCFC_OPT_FLAG, .help = "whole words only" },
	[OPT_CONTEXT] = { "context", 'C', CCFC_OPT_INT, "N",
			  .help = "the line of the match, and N around it",
			  .min = 1, .max = 1000 },
	[OPT_FIXED] = { "fixed-strings", 'F', CCFC_OPT_FLAG,
			.help = "PATTERN is plain text (default)" },
	[OPT_EXTENDED] = { "extended-regexp", 'E', CCFC_OPT_FLAG,
			   .help = "the same as -e", CCFC_ASKS(regex) },
	{ 0 },
};

/* Are only the sessions wanted: -l, -c, or their ids? */
static bool only_sessions(const struct ccfc_question *q)
{
	return q->format == CCFC_FORMAT_IDS ||
	       ccfc_opts_own(q->opts, OPT_LIST)->set ||
	       ccfc_opts_own(q->opts, OPT_COUNT)->set;
}

static int check_grep(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	for (int i = 0; i < opts->nargs; i++)
		if (!*opts->args[i])
			return ccfc_err_set(err, CCFC_EINVAL,
					    "grep: the pattern is empty");
	if (opts->nargs > 1 + (int)WORDS_MAX)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "grep: more than %d words", 1 + WORDS_MAX);
	if (ccfc_opts_own(opts, OPT_IGNORE_CASE)->set &&
	    ccfc_opts_own(opts, OPT_CASE)->set)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "grep: -i and -s: one of them");
	if (ccfc_opts_own(opts, OPT_FIXED)->set &&
	    (ccfc_opts_own(opts, OPT_REGEX)->set ||
	     ccfc_opts_own(opts, OPT_EXTENDED)->set))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "grep: -F and -e: one of them");
	return 0;
}

static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The pattern as a regular expression for whole words. */
static const char *whole_word(struct ccfc_question *q, const char *pattern,
			      bool regex)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	const char *copy;

	ccfc_buf_puts(&text, "(?<!\\w)(?:");
	for (const char *p = pattern; *p; p++) {
		if (!regex && !is_plain(*p))
			ccfc_buf_putc(&text, '\\');
		ccfc_buf_putc(&text, *p);
	}
	ccfc_buf_puts(&text, ")(?!\\w)");
	copy = ccfc_arena_copy(&q->texts, ccfc_buf_view(&text)).ptr;
	ccfc_buf_release(&text);
	return copy;
}

static int prepare_grep(struct ccfc_question *q, struct ccfc_err *err)
{
	const struct ccfc_opts *opts = q->opts;
	const struct ccfc_opt_value *context = ccfc_opts_own(opts, OPT_CONTEXT);
	bool word = ccfc_opts_own(opts, OPT_WORD)->set;
	size_t n = (size_t)opts->nargs;
	const char **words =
		ccfc_arena_alloc(&q->texts, (n + 1) * sizeof(*words));
	int r = check_grep(opts, err);

	for (size_t i = 0; i < n; i++)
		words[i] = word ? whole_word(q, opts->args[i], q->query.regex)
				: opts->args[i];
	words[n] = NULL;
	q->query.regex |= word;
	q->own = (void *)words[0];
	if (n > 1)
		q->query.words = words + 1;
	if (n > 1 && !q->query.sort)
		q->query.sort = "rank";
	if (context->set)
		q->query.context = context->num;
	if (only_sessions(q) && !q->query.limit)
		q->query.limit = ALL_MATCHES;
	return r;
}

/* The error names all words as the caller wrote them; -w has changed them. */
static void fail_nothing_found(const struct ccfc_question *q,
			       struct ccfc_err *err)
{
	struct ccfc_buf words = CCFC_BUF_INIT;
	const struct ccfc_err said = *err;

	for (int i = 0; i < q->opts->nargs; i++)
		ccfc_buf_printf(&words, "%s%s", i ? " " : "", q->opts->args[i]);
	ccfc_err_set(err, CCFC_ENOTFOUND, "grep: nothing matches '%.*s'",
		     (int)ccfc_slice_cut(ccfc_buf_view(&words), 200).len,
		     words.ptr);
	/* Damage, or a search that was cut short, matters more. */
	if (said.hint[0])
		ccfc_err_hint(err, "%s", said.hint);
	else if (!ccfc_opts_own(q->opts, OPT_IN)->set)
		ccfc_err_hint(err,
			      "only what was said was searched: "
			      "--in=tool,result has what tools were given "
			      "and answered%s",
			      q->query.here ? ", --all every project" : "");
	ccfc_buf_release(&words);
}

static int ask_grep(struct ccfc_reply **reply, struct ccfc_question *q,
		    struct ccfc_err *err)
{
	int r = ccfc_text_search(reply, q->cli->client, q->own, &q->query, err);

	if (r == CCFC_ENOTFOUND && strstr(err->what, "nothing matches"))
		fail_nothing_found(q, err);
	return r;
}

static int print_grep(struct ccfc_question *q, struct ccfc_obj root)
{
	if (q->format == CCFC_FORMAT_IDS)
		ccfc_grep_sessions(&q->cli->out, root, CCFC_GREP_IDS, q->end);
	else if (ccfc_opts_own(q->opts, OPT_COUNT)->set)
		ccfc_grep_sessions(&q->cli->out, root, CCFC_GREP_COUNTS, '\n');
	else if (only_sessions(q))
		ccfc_grep_sessions(&q->cli->out, root, CCFC_GREP_TITLES, '\n');
	else
		ccfc_grep_print(&q->cli->out, root, q->query.offset);
	if (only_sessions(q) &&
	    ccfc_obj_get_int(root, "totalMatches", 0) > q->query.limit)
		ccfc_cli_note(
			"only %lld of %lld matches were looked at: "
			"--limit=N looks at more",
			(long long)q->query.limit,
			(long long)ccfc_obj_get_int(root, "totalMatches", 0));
	return CCFC_EXIT_FOUND;
}

static int status_of_lines(struct ccfc_question *q, struct ccfc_obj root)
{
	/* Lines of JSON have no place for these facts. */
	if (q->format == CCFC_FORMAT_JSONL &&
	    ccfc_obj_get_bool(root, "truncated", false))
		ccfc_cli_note("the search is incomplete");
	if (q->format == CCFC_FORMAT_JSONL &&
	    ccfc_obj_get_int(root, "damaged", 0))
		ccfc_cli_note("damaged texts were left out");
	return CCFC_EXIT_FOUND;
}

static int run_grep(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.here = true,
		.rows = "matches",
		.own = CCFC_FORMAT_BIT(IDS),
		.prepare = prepare_grep,
		.ask = ask_grep,
		.print = print_grep,
		.status = status_of_lines,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_grep = {
	.name = "grep",
	.usage = "grep PATTERN… [options]",
	.summary = "messages that contain a text",
	.about = "Searches the messages of all sessions, the latest first. It "
		 "shows the text\n"
		 "around the first match of each message, session by session, "
		 "and the command\n"
		 "that shows the message. With --sort=rank prompts, short "
		 "messages and messages\n"
		 "with many matches come first.\n"
		 "\n"
		 "PATTERN is plain text, or with -e a Perl-compatible regular "
		 "expression. Of\n"
		 "several PATTERNs a message has all, in any order; quoted "
		 "words are one\n"
		 "pattern. Case only matters with -s. Letters with accents "
		 "match in both\n"
		 "spellings of Unicode (NFC and NFD). --in says what is "
		 "searched: the text of\n"
		 "messages, the model's thinking, the input of tools (tool), "
		 "their results\n"
		 "(result), and what is known of a session (meta): title, "
		 "name, tags, project\n"
		 "and branches.",
	.examples = "  ccfc grep 'rate limit'\n"
		    "  ccfc grep rate limit -l\n"
		    "  ccfc grep -e 'E[A-Z]+: .*denied' --in=result "
		    "--project=.\n"
		    "  ccfc grep TODO -s --role=user --from=2025-12-01\n"
		    "  ccfc grep migrate --in=text,tool --format=jsonl | jq "
		    "-r .sessionId\n",
	.options = options,
	.args_min = 1,
	.args_max = INT_MAX,
	.paged = true,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_grep,
};
