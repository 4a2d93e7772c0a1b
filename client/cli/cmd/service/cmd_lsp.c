/* ccfc lsp: a language server for editors; see lsp/. */
#include "cli/lsp/lsp.h"

#include <unistd.h>

static const struct ccfc_opt options[] = { { 0 } };

static int run_lsp(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	(void)opts;
	return ccfc_lsp_serve(cli, STDIN_FILENO, STDOUT_FILENO);
}

const struct ccfc_command ccfc_cmd_lsp = {
	.name = "lsp",
	.usage = "lsp",
	.summary = "answer editors about lines, as a language server",
	.about = "A language server on standard input and output, for editors "
		 "without a plugin\n"
		 "of their own: who wrote a line, for which prompt (hover, "
		 "hint), the changes of\n"
		 "a file (lens), the diff of a change and the file before it "
		 "(actions). See\n"
		 "ccfc-lsp(7) for the settings of Helix, Zed, JetBrains and "
		 "Kakoune.",
	.options = options,
	.args_max = 0,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_lsp,
};
