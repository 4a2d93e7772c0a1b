/*
 * The program of one folder of unit tests: runs the modules that are named, or
 * all of them. The build makes modules.def, a line for each test_<module>.c,
 * and renames main() of the module to unit_<module>.
 */
#include <stdio.h>
#include <string.h>

#define MODULE(name) int unit_##name(void);
#include "modules.def"
#undef MODULE

static const struct {
	const char *name;
	int (*run)(void);
} modules[] = {
#define MODULE(name) { #name, unit_##name },
#include "modules.def"
#undef MODULE
};

#define COUNT (sizeof(modules) / sizeof(modules[0]))

static int run_named(const char *name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (strcmp(modules[i].name, name) == 0)
			return modules[i].run();
	fprintf(stderr, "no module %s here\n", name);
	return 1;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= run_named(argv[i]);
	for (size_t i = 0; argc == 1 && i < COUNT; i++)
		failed |= modules[i].run();
	return failed != 0;
}
