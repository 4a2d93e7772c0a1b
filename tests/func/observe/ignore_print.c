/*
 * Says for each line of the input, "d PATH" or "f PATH", whether .gitignore
 * files below the working directory exclude it: "1" or "0". For ignore.py,
 * which asks git the same.
 */
#include "observe/ignore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ccfc_ignore *read_list(const char *dir)
{
	static char text[1 << 16];
	char path[8192];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s.gitignore", dir);
	f = fopen(path, "rb");
	if (!f)
		return NULL;
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	return ccfc_ignore_parse(ccfc_slice(text, n));
}

/* From the top: each directory on the way, then the path itself. */
static bool is_excluded(const char *path, bool is_dir)
{
	struct ccfc_ignore_level levels[64] = { 0 };
	bool found = false;
	int n = 0;

	for (size_t at = 0; !found && n < 64; n++) {
		const char *slash = strchr(path + at, '/');
		char dir[4096];

		snprintf(dir, sizeof(dir), "%.*s", (int)at, path);
		levels[n] =
			(struct ccfc_ignore_level){ n ? &levels[n - 1] : NULL,
						    read_list(dir), at };
		found = ccfc_ignore_excludes(
			&levels[n],
			ccfc_slice(path, slash ? (size_t)(slash - path)
					       : strlen(path)),
			slash || is_dir);
		if (!slash) {
			n++;
			break;
		}
		at = (size_t)(slash - path) + 1;
	}
	while (n-- > 0)
		ccfc_ignore_free(levels[n].own);
	return found;
}

int main(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		puts(is_excluded(line + 2, line[0] == 'd') ? "1" : "0");
	}
	return 0;
}
