/* git's own lists of patterns; see git_config.h. */
#include "observe/git_config.h"

#include "base/buf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_MAX ((size_t)256 << 10)

static bool read_text(struct ccfc_buf *out, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	ccfc_buf_clear(out);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		n = read(fd, ccfc_buf_reserve(out, CONFIG_MAX), CONFIG_MAX - 1);
	close(fd);
	if (n < 0)
		return false;
	out->len = (size_t)n;
	out->ptr[n] = '\0';
	return true;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && strchr(" \t\r", text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* A value: quotes and backslashes taken off, a comment cut. */
static void put_value(char out[PATH_MAX], const char *text)
{
	bool quoted = false;
	size_t n = 0;

	for (; *text && n < PATH_MAX - 1; text++) {
		if (*text == '"') {
			quoted = !quoted;
			continue;
		}
		if (!quoted && (*text == '#' || *text == ';'))
			break;
		if (*text == '\\' && text[1])
			text++;
		out[n++] = *text;
	}
	while (!quoted && n && (out[n - 1] == ' ' || out[n - 1] == '\t'))
		n--;
	out[n] = '\0';
}

/* One line of a configuration; true: it sets core.excludesFile. */
static bool read_line(char out[PATH_MAX], char *line, bool *core)
{
	char *value;

	line = trim(line);
	if (*line == '[') {
		*core = !strncasecmp(line, "[core]", 6);
		line = trim(*core ? line + 6 : line + strlen(line));
	}
	value = strchr(line, '=');
	if (!*core || !value)
		return false;
	*value++ = '\0';
	if (strcasecmp(trim(line), "excludesfile") != 0)
		return false;
	put_value(out, trim(value));
	return true;
}

static bool read_config(char out[PATH_MAX], const char *path)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	bool core = false, found = false;
	char *rest = NULL;

	if (read_text(&text, path))
		for (char *line = strtok_r(text.ptr, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			found |= read_line(out, line, &core);
	ccfc_buf_release(&text);
	return found;
}

static bool join(char out[PATH_MAX], const char *dir, const char *name)
{
	return snprintf(out, PATH_MAX, "%s%s", dir, name) < PATH_MAX;
}

/* The directory of the repository of a work tree, with a slash. */
static bool git_dir(char out[PATH_MAX], const char *root)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	char path[PATH_MAX], *line;
	struct stat st;
	bool got;

	if (!join(path, root, ".git") || stat(path, &st))
		return false;
	if (S_ISDIR(st.st_mode))
		return join(out, path, "/");
	/* A linked work tree: "gitdir: …", and there "commondir". */
	got = read_text(&text, path) && !strncmp(text.ptr, "gitdir:", 7);
	if (got) {
		line = strtok_r(text.ptr + 7, "\n", &(char *){ NULL });
		line = line ? trim(line) : text.ptr;
		got = snprintf(path, sizeof(path), "%s%s/",
			       line[0] == '/' ? "" : root,
			       line) < (int)sizeof(path);
	}
	if (got && join(out, path, "commondir") && read_text(&text, out)) {
		line = trim(text.ptr);
		line[strcspn(line, "\n")] = '\0';
		got = snprintf(out, PATH_MAX, "%s%s/",
			       line[0] == '/' ? "" : path, line) < PATH_MAX;
	} else if (got) {
		got = join(out, path, "");
	}
	ccfc_buf_release(&text);
	return got;
}

static bool config_dir(char out[PATH_MAX], const char *home)
{
	const char *config = getenv("XDG_CONFIG_HOME");

	if (config && config[0] == '/')
		return join(out, config, "/git/");
	return home && join(out, home, "/.config/git/");
}

/* "~/x", or below the work tree. */
static bool expand(char out[PATH_MAX], const char *value, const char *root,
		   const char *home)
{
	if (value[0] == '~' && value[1] == '/')
		return home && join(out, home, value + 1);
	return value[0] && join(out, value[0] == '/' ? "" : root, value);
}

bool ccfc_git_excludes_file(char out[PATH_MAX], const char *root,
			    const char *home)
{
	char dir[PATH_MAX], path[PATH_MAX], value[PATH_MAX];
	bool found = false;

	if (config_dir(dir, home) && join(path, dir, "config"))
		found = read_config(value, path);
	if (home && join(path, home, "/.gitconfig"))
		found |= read_config(value, path);
	if (git_dir(dir, root) && join(path, dir, "config"))
		found |= read_config(value, path);
	if (found)
		return expand(out, value, root, home);
	return config_dir(dir, home) && join(out, dir, "ignore");
}

bool ccfc_git_info_exclude(char out[PATH_MAX], const char *root)
{
	char dir[PATH_MAX];

	return git_dir(dir, root) && join(out, dir, "info/exclude");
}
