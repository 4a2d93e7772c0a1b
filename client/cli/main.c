/* The `ccfc` command; all of it is in cli.c and its neighbours. */
#include "cli/frame/cli.h"

int main(int argc, char **argv)
{
	return ccfc_cli_main(argc, argv);
}
