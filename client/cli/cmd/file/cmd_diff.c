/*
 * ccfc diff: a session's changes, or one change, as unified diffs.
 *
 * A word that does not look like a change's id is tried as a session first,
 * then as a prefix of a change's id.
 */
#include "base/alloc.h"
#include "cli/frame/listing.h"
#include "cli/patch/patch.h"

#include <limits.h>
#include <stdlib.h>

#define CONTEXT_MAX 100000

enum {
	OPT_NET,
	OPT_STAT,
	OPT_UNIFIED,
	OPT_FORMAT,
	OPT_EXT,
	OPT_DIR,
	OPT_TOOL,
	OPT_EVIDENCE,
};

static const struct ccfc_opt options[] = {
	[OPT_NET] = { "net", 0, CCFC_OPT_FLAG,
		      .help = "one diff for each file: the sum of its "
			      "changes" },
	[OPT_STAT] = { "stat", 0, CCFC_OPT_FLAG,
		       .help = "only the number of lines for each file" },
	[OPT_UNIFIED] = { "unified", 'U', CCFC_OPT_INT, "N",
			  .help = "N lines around each change; default 3",
			  .max = CONTEXT_MAX },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "diff (default), json or jsonl",
			 .choices = "diff|json|jsonl" },
	[OPT_EXT] = CCFC_LISTING_EXT,
	[OPT_DIR] = CCFC_LISTING_DIR,
	[OPT_TOOL] = CCFC_LISTING_TOOL,
	[OPT_EVIDENCE] = CCFC_LISTING_EVIDENCE,
	{ 0 },
};

/* Absolute paths, each also without symbolic links; ends with NULL. */
struct paths {
	char **items;
	uint32_t n, cap;
};

static void add_path(struct paths *paths, const struct ccfc_cwd *where,
		     const char *given)
{
	char *path = ccfc_cwd_absolute(where, given);
	char *real = ccfc_cwd_real(where, given);

	CCFC_VEC_PUSH(*paths, path);
	if (strcmp(path, real))
		CCFC_VEC_PUSH(*paths, real);
	else
		free(real);
}

static int add_paths(struct paths *paths, const struct ccfc_question *q,
		     struct ccfc_err *err)
{
	const struct ccfc_opts *opts = q->opts;
	int code = 0;

	for (int i = 1; !code && i < opts->nargs; i++) {
		char *meant;

		code = ccfc_question_resolve(&meant, q->cli, opts,
					     opts->args[i], err);
		add_path(paths, &q->where, meant ? meant : opts->args[i]);
		free(meant);
	}
	CCFC_VEC_PUSH(*paths, NULL);
	return code;
}

static void release_paths(struct paths *paths)
{
	for (uint32_t i = 0; i < paths->n; i++)
		free(paths->items[i]);
	free(paths->items);
}

static int ask_session(struct ccfc_reply **reply, struct ccfc_question *q,
		       struct ccfc_err *err)
{
	bool net = ccfc_opts_own(q->opts, OPT_NET)->set;
	struct paths paths = { 0 };
	int code = ccfc_question_here(q, err);

	if (!code)
		code = ccfc_question_session(q, q->given, err);
	if (code < 0)
		return code;
	q->query.cwd = q->where.cwd;
	if (q->opts->nargs > 1)
		code = add_paths(&paths, q, err);
	if (!code)
		code = ccfc_session_diff(reply, q->cli->client, q->session,
					 (const char *const *)paths.items, net,
					 &q->query, err);
	release_paths(&paths);
	return code;
}

/*
 * Are there options that select among a session's changes? A single change has
 * none.
 */
static bool is_narrowed(const struct ccfc_opts *opts)
{
	return opts->nargs > 1 || ccfc_opts_own(opts, OPT_EXT)->set ||
	       ccfc_opts_own(opts, OPT_DIR)->set ||
	       ccfc_opts_own(opts, OPT_TOOL)->set ||
	       ccfc_opts_own(opts, OPT_EVIDENCE)->set;
}

static int ask_change(struct ccfc_reply **reply, struct ccfc_question *q,
		      struct ccfc_err *err)
{
	struct ccfc_query only = CCFC_QUERY_INIT;

	if (is_narrowed(q->opts))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "diff: %s: a change is of one file: paths, "
				    "--ext, --dir, --tool and --evidence go "
				    "with a session",
				    q->given);
	only.context = q->query.context;
	return ccfc_change_get(reply, q->cli->client, q->given, &only, err);
}

static bool is_change_id(const char *text)
{
	return ccfc_slice_starts(ccfc_slice_str(text), "toolu_");
}

static int ask_diff(struct ccfc_reply **reply, struct ccfc_question *q,
		    struct ccfc_err *err)
{
	struct ccfc_err second;
	int code;

	if (is_change_id(q->given))
		return ask_change(reply, q, err);
	code = ask_session(reply, q, err);
	if (code != CCFC_ENOTFOUND || is_narrowed(q->opts))
		return code;
	code = ask_change(reply, q, &second);
	/* A word that is neither was meant as a session. */
	if (code < 0 && code != CCFC_ENOTFOUND && code != CCFC_EINVAL)
		*err = second;
	return code;
}

static int prepare_diff(struct ccfc_question *q, struct ccfc_err *err)
{
	const struct ccfc_opt_value *unified =
		ccfc_opts_own(q->opts, OPT_UNIFIED);

	/* In a query 0 means the default. */
	if (unified->set)
		q->query.context = unified->num ? unified->num : -1;
	if (ccfc_opts_own(q->opts, OPT_STAT)->set &&
	    q->format != CCFC_FORMAT_DIFF)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "diff: --stat: only with --format=diff");
	return 0;
}

/* ", <name> <text>", or nothing. */
static void put_note(struct ccfc_buf *out, const char *name,
		     struct ccfc_slice text)
{
	if (!text.len)
		return;
	ccfc_buf_puts(out, out->len ? ", " : "");
	ccfc_buf_puts(out, name);
	ccfc_buf_slice(out, text);
}

/*
 * Prints what the client recorded about a change's call: who allowed it, the
 * requested model if another one answered, and the commit that it made.
 */
static void note_call(struct ccfc_obj root)
{
	struct ccfc_obj permission = ccfc_obj_get(root, "permission");
	struct ccfc_obj commit = ccfc_obj_get(root, "commit");
	struct ccfc_slice asked = ccfc_obj_get_str(root, "requestedModel");
	struct ccfc_buf text = CCFC_BUF_INIT;

	put_note(&text,
		 "permission: ", ccfc_obj_get_str(permission, "decision"));
	put_note(&text, "by ", ccfc_obj_get_str(permission, "source"));
	if (!ccfc_slice_eq(asked, ccfc_obj_get_str(root, "model")))
		put_note(&text, "requested model: ", asked);
	put_note(&text, "commit: ", ccfc_obj_get_str(commit, "sha"));
	put_note(&text, "branch: ", ccfc_obj_get_str(commit, "branch"));
	if (text.len)
		ccfc_cli_note("%.*s", (int)text.len, text.ptr);
	ccfc_buf_release(&text);
}

static int print_diff(struct ccfc_question *q, struct ccfc_obj root)
{
	enum ccfc_patch_format format =
		q->format == CCFC_FORMAT_JSON		? CCFC_PATCH_JSON
		: q->format == CCFC_FORMAT_JSONL	? CCFC_PATCH_JSONL
		: ccfc_opts_own(q->opts, OPT_STAT)->set ? CCFC_PATCH_STAT
							: CCFC_PATCH_DIFF;

	if (q->format == CCFC_FORMAT_DIFF)
		note_call(root);
	return ccfc_patch_answer(q->cli, root, format, q->opts->command);
}

static int run_diff(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.own = CCFC_FORMAT_BIT(JSON) | CCFC_FORMAT_BIT(JSONL),
		.prepare = prepare_diff,
		.ask = ask_diff,
		.print = print_diff,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_diff = {
	.name = "diff",
	.usage = "diff [SESSION|CHANGE] [PATH…] [options]",
	.summary = "what a session or a change did, as unified diffs",
	.about = "Shows what a session did, one diff for each change in order "
		 "of time, or what\n"
		 "one change did. In the project's directory `patch -p1` and "
		 "`git apply` accept\n"
		 "the diffs, also with -R.\n"
		 "\n"
		 "SESSION is an id, a unique prefix of one, or a transcript's "
		 "path. CHANGE is the\n"
		 "id of a tool call (toolu_…), or a prefix of at least 6 "
		 "characters. With PATHs,\n"
		 "only these files and files below these directories.\n"
		 "\n"
		 "--net shows the sum of the session's changes of a file, "
		 "without changes that\n"
		 "others made in between. A note on stderr says where the "
		 "content is not known for\n"
		 "certain.",
	.examples = "  ccfc diff 3f2a\n"
		    "  ccfc diff 3f2a --net src/auth/login.ts\n"
		    "  ccfc diff 3f2a --stat --ext=.ts,.tsx\n"
		    "  ccfc diff 3f2a --net | git apply -R\n"
		    "  ccfc diff toolu_01A2b3\n",
	.options = options,
	.args_min = 1,
	.args_max = INT_MAX,
	.paged = true,
	.run = run_diff,
};
