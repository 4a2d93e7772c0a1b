/* Files of settings; see config_file.h. */
#include "os/config_file.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (1u << 20)

char *ccfc_config_trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	n = strlen(s);
	while (n && strchr(" \t\r", s[n - 1]))
		s[--n] = '\0';
	return s;
}

static int read_config_line(const char *path, int number, char *line,
			    ccfc_config_file_fn fn, void *data,
			    struct ccfc_err *err)
{
	char *hash = strchr(line, '#');
	char *eq;
	int r;

	if (hash)
		*hash = '\0';
	line = ccfc_config_trim(line);
	if (!*line)
		return 0;
	eq = strchr(line, '=');
	if (!eq)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "config %s:%d: has no '='", path, number);
	*eq = '\0';
	line = ccfc_config_trim(line);
	r = fn(data, line, ccfc_config_trim(eq + 1));
	if (r == CCFC_ENOTFOUND)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "config %s:%d: unknown key '%s'", path,
				    number, line);
	if (r)
		return ccfc_err_set(err, r, "config %s:%d: bad value for '%s'",
				    path, number, line);
	return 0;
}

int ccfc_config_file_read(const char *path, bool must_exist,
			  ccfc_config_file_fn fn, void *data,
			  struct ccfc_err *err)
{
	FILE *f = fopen(path, "re");
	char *text, *save = NULL;
	int number = 0, r = 0;
	size_t n;

	if (!f) {
		if (errno == ENOENT && !must_exist)
			return 0;
		return ccfc_err_errno(err, errno, "config %s", path);
	}
	text = ccfc_malloc(MAX_BYTES + 1);
	n = fread(text, 1, MAX_BYTES, f);
	fclose(f);
	text[n] = '\0';
	/* strsep keeps empty lines, so that numbers are right. */
	save = text;
	for (char *line; !r && (line = strsep(&save, "\n"));)
		r = read_config_line(path, ++number, line, fn, data, err);
	free(text);
	return r;
}
