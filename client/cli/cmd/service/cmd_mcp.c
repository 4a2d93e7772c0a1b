/* ccfc mcp: a server of the Model Context Protocol; see mcp/. */
#include "cli/mcp/mcp.h"

#include <unistd.h>

static const struct ccfc_opt options[] = { { 0 } };

static int run_mcp(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	(void)opts;
	return ccfc_mcp_serve(cli, STDIN_FILENO, STDOUT_FILENO);
}

const struct ccfc_command ccfc_cmd_mcp = {
	.name = "mcp",
	.usage = "mcp",
	.summary = "answer Claude Code and other agents, by MCP",
	.about = "A server of the Model Context Protocol on standard input and "
		 "output, for Claude\n"
		 "Code and other agents: who wrote a line, what happened to a "
		 "file, what others\n"
		 "are doing to it now. Its tools only read. To add it to "
		 "Claude Code:\n"
		 "\n"
		 "  claude mcp add ccfc -s user -- ccfc mcp\n"
		 "\n"
		 "See ccfc-mcp(7).",
	.options = options,
	.args_max = 0,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_mcp,
};
