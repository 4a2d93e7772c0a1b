/*
 * ccfc conflicts: conflicts between sessions. The argument is a session if it
 * is the id of one; else it is a file, a directory or a glob.
 */
#include "base/time.h"
#include "cli/frame/answer.h"
#include "cli/frame/listing.h"
#include "cli/frame/scope.h"
#include "cli/out/columns.h"
#include "cli/out/render.h"

enum {
	OPT_LIVE,
	OPT_PROJECT,
	OPT_ALL,
	OPT_FROM,
	OPT_TO,
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_FORMAT,
	OPT_NULL,
};

static const struct ccfc_opt options[] = {
	[OPT_LIVE] = { "live", 0, CCFC_OPT_FLAG,
		       .help = "only of sessions that are both active" },
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_ALL] = CCFC_SCOPE_ALL,
	[OPT_FROM] = CCFC_SCOPE_FROM("conflicts"),
	[OPT_TO] = CCFC_SCOPE_TO("conflicts"),
	[OPT_LIMIT] = CCFC_SCOPE_LIMIT("conflicts"),
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default), json, jsonl or paths",
			 .choices = "table|json|jsonl|paths" },
	[OPT_NULL] = { "null", '0', CCFC_OPT_FLAG,
		       .help = "paths, each ended by a NUL byte" },
	{ 0 },
};

static int ask_once(struct ccfc_reply **reply, struct ccfc_question *q,
		    struct ccfc_err *err)
{
	return ccfc_conflict_list(reply, q->cli->client,
				  ccfc_opts_own(q->opts, OPT_LIVE)->set,
				  &q->query, err);
}

/* Tries a word without '/' and glob characters as a session, then as a path. */
static int ask_conflicts(struct ccfc_reply **reply, struct ccfc_question *q,
			 struct ccfc_err *err)
{
	const char *given = q->given;
	int code;

	if (!given)
		return ask_once(reply, q, err);
	/* The argument may be in any project. */
	if (!q->query.project_path)
		q->query.here = NULL;
	if (!strchr(given, '/') && !ccfc_listing_is_glob(given)) {
		struct ccfc_err first;

		q->query.session = given;
		code = ask_once(reply, q, &first);
		if (code != CCFC_ENOTFOUND) {
			*err = first;
			return code;
		}
		q->query.session = NULL;
	}
	q->query.path = given;
	return ask_once(reply, q, err);
}

static const struct ccfc_column columns[] = {
	{ "TIME", "timestamp", .kind = CCFC_CELL_SECOND },
	{ "KIND", "kind", .kind = CCFC_CELL_TEXT },
	{ "FILE", "path", .kind = CCFC_CELL_BELOW, .elastic = true,
	  .least = 24 },
	{ "SESSION", "sessionId", .kind = CCFC_CELL_ID, .cut = 8 },
	{ "CHANGE", "changeId", .kind = CCFC_CELL_ID, .cut = 14, .drop = 2 },
	{ "WITH SESSION", "otherSessionId", .kind = CCFC_CELL_ID, .cut = 8,
	  .second = "otherParty" },
	{ "CHANGE", "otherChangeId", .kind = CCFC_CELL_ID, .cut = 14,
	  .drop = 1 },
};

static int exit_status_of(struct ccfc_question *q, struct ccfc_obj root)
{
	(void)q;
	return ccfc_obj_get_int(root, "totalConflicts", 0) ? CCFC_EXIT_FOUND
							   : CCFC_EXIT_NOTHING;
}

static int print_conflicts(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_obj rows = ccfc_obj_get(root, "conflicts");
	struct ccfc_out *out = &q->cli->out;
	struct ccfc_cells cells = { .out = out,
				    .now = ccfc_time_now(),
				    .base = ccfc_slice_str(q->where.cwd) };
	int64_t total = ccfc_obj_get_int(root, "totalConflicts", 0);

	if (!total) {
		ccfc_buf_puts(&out->buf,
			      out->tty && q->query.here
				      ? "no conflicts here; --all is about "
					"every project\n"
				      : "no conflicts\n");
		return CCFC_EXIT_NOTHING;
	}
	ccfc_columns_print(out, columns, CCFC_NCOLUMNS(columns), &cells, rows);
	ccfc_answer_more(out, q->query.offset, ccfc_obj_len(rows), total);
	return CCFC_EXIT_FOUND;
}

static int run_conflicts(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.here = true,
		.rows = "conflicts",
		.path = "path",
		.ask = ask_conflicts,
		.print = print_conflicts,
		.status = exit_status_of,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_conflicts = {
	.name = "conflicts",
	.usage = "conflicts [options] [SESSION|PATH|GLOB]",
	.summary = "conflicts between sessions in one file",
	.about =

		"Lists the conflicts between two sessions that change the same "
		"file, or between\n"
		"a session and somebody outside, the latest first:\n"
		"\n"
		"  concurrent   both were at work in the file: one changed it "
		"less than ten\n"
		"               minutes after the other, which went on; once "
		"for a file and two\n"
		"               sessions\n"
		"  stale        a session edited the file and had not seen the "
		"other's change\n"
		"  lost_update  a change overwrote the other's: both were made "
		"from the same\n"
		"               content, or a session replaced a file whose "
		"latest\n"
		"               content it had not seen\n"
		"\n"
		"Without an argument and --all: those of the current "
		"project.\n"
		"\n"
		"The other party is \"outside\" if the file changed on disk "
		"and no session did it:\n"
		"it was a person, or another program.\n"
		"\n"
		"A session has seen a change if it read the file afterwards, "
		"or if Claude Code\n"
		"notified it of the change. What shell commands read is not "
		"known. The subagents\n"
		"of one session are not in conflict with each other. A session "
		"is active if it\n"
		"wrote something in the last five minutes. PATH may be a "
		"directory.",
	.examples = "  ccfc conflicts --live\n"
		    "  ccfc conflicts src/main.c\n"
		    "  ccfc conflicts 42d0 --format=jsonl\n",
	.options = options,
	.args_max = 1,
	.paged = true,
	.run = run_conflicts,
};
