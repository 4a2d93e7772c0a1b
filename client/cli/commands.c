/* The table of commands; see frame/cli.h. */
#include "cli/frame/cli.h"

const struct ccfc_command *const ccfc_commands[] = {
#define COMMAND(name) &ccfc_cmd_##name,
#include "cli/commands.def"
#undef COMMAND
	NULL,
};
