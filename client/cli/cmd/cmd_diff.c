/*
 * ccfc diff: what a session, or one change, did, as unified diffs.
 *
 * What the argument is, the daemon decides: a word that does not look like a
 * change's id is asked for as a session first, then as the start of an id.
 */
#include "base/alloc.h"
#include "cli/frame/connect.h"
#include "cli/frame/cwd.h"
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
};

static const struct ccfc_opt options[] = {
	[OPT_NET] = { "net", 0, CCFC_OPT_FLAG, NULL,
		      "one diff a file: what is left of all changes", NULL, 0,
		      0 },
	[OPT_STAT] = { "stat", 0, CCFC_OPT_FLAG, NULL,
		       "only how many lines of which files", NULL, 0, 0 },
	[OPT_UNIFIED] = { "unified", 'U', CCFC_OPT_INT, "N",
			  "N lines around each change; default 3", NULL, 0,
			  CONTEXT_MAX },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "diff (default), json or jsonl", "diff|json|jsonl", 0,
			 0 },
	[OPT_EXT] = CCFC_LISTING_EXT,
	[OPT_DIR] = CCFC_LISTING_DIR,
	[OPT_TOOL] = CCFC_LISTING_TOOL,
	{ 0 },
};

/* Absolute paths, each also without symbolic links; ends with NULL. */
struct paths {
	char **items;
	uint32_t n, cap;
};

static void add_paths(struct paths *paths, const struct ccfc_cwd *where,
		      const struct ccfc_opts *opts)
{
	for (int i = 1; i < opts->nargs; i++) {
		char *path = ccfc_cwd_absolute(where, opts->args[i]);
		char *real = ccfc_cwd_real(where, opts->args[i]);

		CCFC_VEC_PUSH(*paths, path);
		if (strcmp(path, real))
			CCFC_VEC_PUSH(*paths, real);
		else
			free(real);
	}
	CCFC_VEC_PUSH(*paths, NULL);
}

static void release_paths(struct paths *paths)
{
	for (uint32_t i = 0; i < paths->n; i++)
		free(paths->items[i]);
	free(paths->items);
}

static int ask_session(struct ccfc_reply **reply, struct ccfc_cli *cli,
		       const struct ccfc_opts *opts, struct ccfc_query *query,
		       struct ccfc_err *err)
{
	bool net = ccfc_opts_own(opts, OPT_NET)->set;
	struct paths paths = { 0 };
	struct ccfc_cwd where;
	char *session = NULL;
	int code = ccfc_cwd_init(&where, err);

	if (!code)
		code = ccfc_cwd_session(&session, opts->args[0], err);
	if (!code) {
		query->cwd = where.cwd;
		if (opts->nargs > 1)
			add_paths(&paths, &where, opts);
		code = ccfc_session_diff(reply, cli->client, session,
					 (const char *const *)paths.items, net,
					 query, err);
		query->cwd = NULL;
	}
	free(session);
	release_paths(&paths);
	ccfc_cwd_release(&where);
	return code;
}

/* What narrows down the changes of a session says nothing about one. */
static bool is_narrowed(const struct ccfc_opts *opts)
{
	return opts->nargs > 1 || ccfc_opts_own(opts, OPT_EXT)->set ||
	       ccfc_opts_own(opts, OPT_DIR)->set ||
	       ccfc_opts_own(opts, OPT_TOOL)->set;
}

static int ask_change(struct ccfc_reply **reply, struct ccfc_cli *cli,
		      const struct ccfc_opts *opts,
		      const struct ccfc_query *query, struct ccfc_err *err)
{
	struct ccfc_query only = CCFC_QUERY_INIT;

	if (is_narrowed(opts))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "diff: %s: a change is of one file: paths, "
				    "--ext, --dir and --tool go with a session",
				    opts->args[0]);
	only.context = query->context;
	return ccfc_change_get(reply, cli->client, opts->args[0], &only, err);
}

static bool is_change_id(const char *text)
{
	return ccfc_slice_starts(ccfc_slice_str(text), "toolu_");
}

static int ask_diff(struct ccfc_reply **reply, struct ccfc_cli *cli,
		    const struct ccfc_opts *opts, struct ccfc_query *query,
		    struct ccfc_err *err)
{
	struct ccfc_err second;
	int code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);

	if (code < 0)
		return code;
	if (is_change_id(opts->args[0]))
		return ask_change(reply, cli, opts, query, err);
	code = ask_session(reply, cli, opts, query, err);
	if (code != CCFC_ENOTFOUND || is_narrowed(opts))
		return code;
	code = ask_change(reply, cli, opts, query, &second);
	/* If it is neither, it was meant to be a session. */
	if (code < 0 && code != CCFC_ENOTFOUND && code != CCFC_EINVAL)
		*err = second;
	return code;
}

static int read_format(enum ccfc_patch_format *format,
		       const struct ccfc_opts *opts, struct ccfc_err *err)
{
	static const enum ccfc_patch_format formats[] = { CCFC_PATCH_DIFF,
							  CCFC_PATCH_JSON,
							  CCFC_PATCH_JSONL };

	*format = formats[ccfc_opts_own(opts, OPT_FORMAT)->num];
	if (!ccfc_opts_own(opts, OPT_STAT)->set)
		return 0;
	if (*format != CCFC_PATCH_DIFF)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "diff: --stat: goes with --format=diff "
				    "only");
	*format = CCFC_PATCH_STAT;
	return 0;
}

static int run_diff(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	const struct ccfc_opt_value *unified = ccfc_opts_own(opts, OPT_UNIFIED);
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply = NULL;
	enum ccfc_patch_format format;
	struct ccfc_err err;
	int status;

	query.extensions = ccfc_opts_own(opts, OPT_EXT)->list.items;
	query.directories = ccfc_opts_own(opts, OPT_DIR)->list.items;
	query.tools = ccfc_opts_own(opts, OPT_TOOL)->list.items;
	/* A query's 0 is the default. */
	if (unified->set)
		query.context = unified->num ? unified->num : -1;
	if (read_format(&format, opts, &err) < 0 ||
	    ask_diff(&reply, cli, opts, &query, &err) < 0)
		return ccfc_cli_fail(&err);
	status = ccfc_patch_answer(cli, ccfc_cli_value(reply), format,
				   opts->command);
	ccfc_reply_free(reply);
	return status;
}

const struct ccfc_command ccfc_cmd_diff = {
	.name = "diff",
	.usage = "diff SESSION|CHANGE [PATH…] [options]",
	.summary = "what a session or a change did, as unified diffs",
	.about = "Shows what a session did, one diff for each change in the "
		 "order of time, or what\n"
		 "one change did. In the project's directory `patch -p1` and "
		 "`git apply` take the\n"
		 "diffs, forwards and backwards.\n\n"
		 "SESSION is an id, any unique start of one, or a transcript's "
		 "path. CHANGE is the\n"
		 "id of a tool call (toolu_…), or its first 6 characters and "
		 "more. With PATHs,\n"
		 "only of these files, and of what is below them.\n\n"
		 "--net shows what the session's changes of a file come to, "
		 "without what others\n"
		 "did to it in between. A note on stderr says where the "
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
