/* git's own lists of ignore patterns; see git_config.h. */
#include "observe/git_config.h"

#include "base/buf.h"
#include "os/config_file.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_MAX ((size_t)256 << 10)
/* The maximal depth of includes, and the maximal number of files. */
#define INCLUDE_DEPTH 10
#define INCLUDE_FILES 64u

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

/* Copies a value without its quotes, backslashes and comment. */
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

static bool join_path(char out[PATH_MAX], const char *dir, const char *name)
{
	return snprintf(out, PATH_MAX, "%s%s", dir, name) < PATH_MAX;
}

/* One search for core.excludesFile in all configurations. */
struct reading {
	char *out; /* gets the value of core.excludesFile */
	const char *home;
	const char *git_dir; /* "" where there is none */
	uint32_t files;
	bool found;
};

enum section { SECTION_OTHER, SECTION_CORE, SECTION_INCLUDE };

static void read_config(struct reading *r, const char *path, int depth);

/*
 * Does "gitdir:…" match the repository? Unlike in git, a star also matches
 * slashes.
 */
static bool matches_condition(const struct reading *r, const char *condition)
{
	char pattern[PATH_MAX];
	bool fold = !strncmp(condition, "gitdir/i:", 9);
	const char *text = condition + (fold ? 9 : 7);
	size_t len = strlen(text);
	const char *before = "", *after = "";

	if ((!fold && strncmp(condition, "gitdir:", 7) != 0) || !len ||
	    !r->git_dir[0])
		return false;
	if (text[0] == '~' && text[1] == '/') {
		before = r->home ? r->home : "";
		text++;
	} else if (text[0] != '/') {
		before = "*/";
	}
	after = text[strlen(text) - 1] == '/' ? "*" : "/";
	return snprintf(pattern, sizeof(pattern), "%s%s%s", before, text,
			after) < (int)sizeof(pattern) &&
	       !fnmatch(pattern, r->git_dir, fold ? FNM_CASEFOLD : 0);
}

/*
 * Reads "[core]", "[include]", "[includeIf \"…\"]"; moves `line` past it.
 */
static enum section read_section(const struct reading *r, char **line)
{
	char *end = strrchr(*line, ']'), *name = *line + 1, *quote;
	enum section section = SECTION_OTHER;

	if (!end)
		return SECTION_OTHER;
	*end = '\0';
	*line = ccfc_config_trim(end + 1);
	if (!strcasecmp(name, "core"))
		return SECTION_CORE;
	if (!strcasecmp(name, "include"))
		return SECTION_INCLUDE;
	quote = strchr(name, '"');
	if (!strncasecmp(name, "includeif", 9) && quote) {
		quote[1 + strcspn(quote + 1, "\"")] = '\0';
		if (matches_condition(r, quote + 1))
			section = SECTION_INCLUDE;
	}
	return section;
}

/* Reads an included file; a relative name is relative to the file `path`. */
static void read_included(struct reading *r, const char *value,
			  const char *path, int depth)
{
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX];
	int n;

	if (value[0] == '~' && value[1] == '/')
		n = snprintf(name, sizeof(name), "%s%s", r->home ? r->home : "",
			     value + 1);
	else if (value[0] == '/' || !slash)
		n = snprintf(name, sizeof(name), "%s", value);
	else
		n = snprintf(name, sizeof(name), "%.*s%s",
			     (int)(slash + 1 - path), path, value);
	if (value[0] && n < (int)sizeof(name))
		read_config(r, name, depth + 1);
}

static void read_line(struct reading *r, char *line, enum section *section,
		      const char *path, int depth)
{
	char text[PATH_MAX], *value;

	line = ccfc_config_trim(line);
	if (*line == '[')
		*section = read_section(r, &line);
	value = strchr(line, '=');
	if (*section == SECTION_OTHER || !value)
		return;
	*value++ = '\0';
	put_value(text, ccfc_config_trim(value));
	if (*section == SECTION_INCLUDE &&
	    !strcasecmp(ccfc_config_trim(line), "path"))
		read_included(r, text, path, depth);
	if (*section != SECTION_CORE ||
	    strcasecmp(ccfc_config_trim(line), "excludesfile") != 0)
		return;
	memcpy(r->out, text, strlen(text) + 1);
	r->found = true;
}

static void read_config(struct reading *r, const char *path, int depth)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	enum section section = SECTION_OTHER;
	char *rest = NULL;

	if (depth > INCLUDE_DEPTH || r->files++ >= INCLUDE_FILES)
		return;
	if (read_text(&text, path))
		for (char *line = strtok_r(text.ptr, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			read_line(r, line, &section, path, depth);
	ccfc_buf_release(&text);
}

/* The git directory of a work tree, with a slash. */
static bool git_dir(char out[PATH_MAX], const char *root)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	char path[PATH_MAX], *line;
	struct stat st;
	bool got;

	if (!join_path(path, root, ".git") || stat(path, &st))
		return false;
	if (S_ISDIR(st.st_mode))
		return join_path(out, path, "/");
	/* A linked work tree: "gitdir: …"; "commondir" is in there. */
	got = read_text(&text, path) && !strncmp(text.ptr, "gitdir:", 7);
	if (got) {
		line = strtok_r(text.ptr + 7, "\n", &(char *){ NULL });
		line = line ? ccfc_config_trim(line) : text.ptr;
		got = snprintf(path, sizeof(path), "%s%s/",
			       line[0] == '/' ? "" : root,
			       line) < (int)sizeof(path);
	}
	if (got && join_path(out, path, "commondir") && read_text(&text, out)) {
		line = ccfc_config_trim(text.ptr);
		line[strcspn(line, "\n")] = '\0';
		got = snprintf(out, PATH_MAX, "%s%s/",
			       line[0] == '/' ? "" : path, line) < PATH_MAX;
	} else if (got) {
		got = join_path(out, path, "");
	}
	ccfc_buf_release(&text);
	return got;
}

static bool config_dir(char out[PATH_MAX], const char *home)
{
	const char *config = getenv("XDG_CONFIG_HOME");

	if (config && config[0] == '/')
		return join_path(out, config, "/git/");
	return home && join_path(out, home, "/.config/git/");
}

/* Expands "~/x"; a relative path is below the work tree. */
static bool expand_path(char out[PATH_MAX], const char *value, const char *root,
			const char *home)
{
	if (value[0] == '~' && value[1] == '/')
		return home && join_path(out, home, value + 1);
	return value[0] && join_path(out, value[0] == '/' ? "" : root, value);
}

bool ccfc_git_excludes_file(char out[PATH_MAX], const char *root,
			    const char *home)
{
	char dir[PATH_MAX], path[PATH_MAX], own[PATH_MAX], value[PATH_MAX];
	struct reading r = { .out = value, .home = home, .git_dir = own };

	value[0] = '\0';
	if (!git_dir(own, root))
		own[0] = '\0';
	if (config_dir(dir, home) && join_path(path, dir, "config"))
		read_config(&r, path, 0);
	if (home && join_path(path, home, "/.gitconfig"))
		read_config(&r, path, 0);
	if (own[0] && join_path(path, own, "config"))
		read_config(&r, path, 0);
	if (r.found)
		return expand_path(out, value, root, home);
	return config_dir(dir, home) && join_path(out, dir, "ignore");
}

bool ccfc_git_info_exclude(char out[PATH_MAX], const char *root)
{
	char dir[PATH_MAX];

	return git_dir(dir, root) && join_path(out, dir, "info/exclude");
}
