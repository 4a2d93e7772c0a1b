/* ccfc files: another spelling of list, search and index. */
#include "cli/frame/cli.h"
#include "cli/words/suggest.h"

#include <limits.h>

static const char *const names[] = { "list", "search", "index" };

/* "files list …" is turned into "list …" before any command is looked up. */
bool ccfc_files_has(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int run_files(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_suggest near;
	struct ccfc_err err;

	(void)cli;
	ccfc_suggest_init(&near, opts->nargs ? opts->args[0] : "");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ccfc_suggest_try(&near, names[i]);
	if (opts->nargs)
		ccfc_err_set(&err, CCFC_EINVAL, "files: unknown command '%s'",
			     opts->args[0]);
	else
		ccfc_err_set(&err, CCFC_EINVAL, "files: which command?");
	if (near.best)
		ccfc_err_hint(&err, "did you mean 'ccfc files %s'?", near.best);
	else
		ccfc_err_hint(&err, "files list, files search or files index");
	return ccfc_cli_fail(&err);
}

const struct ccfc_command ccfc_cmd_files = {
	.name = "files",
	.usage = "files list|search|index …",
	.summary = "another spelling of list, search and index",
	.about = "ccfc files list is ccfc list, and so on: see their help.",
	.args_max = INT_MAX,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_files,
};
