/* The `ccfc` command; everything else is in the library ccfc_cli. */
#include "cli/frame/cli.h"

int main(int argc, char **argv)
{
	return ccfc_cli_main(argc, argv);
}
