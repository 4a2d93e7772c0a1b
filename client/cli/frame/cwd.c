/* The current directory; see cwd.h. */
#include "cli/frame/cwd.h"

#include "base/alloc.h"
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is $PWD the directory that we are in? A parent may have left a stale $PWD. */
static bool is_current_dir(const char *pwd)
{
	struct stat a, b;

	return pwd[0] == '/' && !stat(pwd, &a) && !stat(".", &b) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static char *normal_path(const char *path, const char *base)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	if (!ccfc_path_normalise(&out, ccfc_slice_str(path),
				 ccfc_slice_str(base),
				 ccfc_slice_str(getenv("HOME"))))
		ccfc_buf_puts(&out, path);
	return ccfc_buf_detach(&out, NULL);
}

int ccfc_cwd_init(struct ccfc_cwd *where, struct ccfc_err *err)
{
	const char *pwd = getenv("PWD");

	*where = (struct ccfc_cwd){ 0 };
	where->physical = getcwd(NULL, 0);
	if (!where->physical)
		return ccfc_err_io(err, errno, "the current directory");
	if (pwd && strcmp(pwd, where->physical) && is_current_dir(pwd))
		where->cwd = normal_path(pwd, where->physical);
	else
		where->cwd = ccfc_strdup(where->physical);
	return 0;
}

void ccfc_cwd_release(struct ccfc_cwd *where)
{
	free(where->cwd);
	free(where->physical);
	for (int i = 0; i < CCFC_WHERE_NAMES; i++)
		free(where->names[i]);
}

char *ccfc_cwd_absolute(const struct ccfc_cwd *where, const char *path)
{
	return normal_path(path, where->cwd);
}

/*
 * realpath() needs the whole path to exist, but the file may have been deleted:
 * resolve the existing part, and append the rest. realpath() asks for each
 * directory on the way, so it is tried only with what is there.
 */
static char *resolve_links(const char *path)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	char *head = ccfc_strdup(path), *real = realpath(head, NULL);
	size_t cut = strlen(head);

	while (!real && cut) {
		while (cut && head[--cut] != '/')
			;
		head[cut] = '\0';
		if (!cut || !access(head, F_OK))
			real = realpath(cut ? head : "/", NULL);
	}
	/* "/" and "/x" make "/x", "/" and "" make "/". */
	if (real && (strcmp(real, "/") || !path[cut]))
		ccfc_buf_puts(&out, real);
	ccfc_buf_puts(&out, path + cut);
	free(head);
	free(real);
	return ccfc_buf_detach(&out, NULL);
}

char *ccfc_cwd_real(const struct ccfc_cwd *where, const char *path)
{
	char *absolute = ccfc_cwd_absolute(where, path);
	char *real = resolve_links(absolute);

	free(absolute);
	return real;
}

char *ccfc_cwd_place(const struct ccfc_cwd *where, const char *path)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	char *absolute = ccfc_cwd_absolute(where, path);
	char *slash = strrchr(absolute, '/'), *dir;

	if (absolute[0] != '/')
		return absolute; /* empty, or with a drive */
	*slash = '\0';
	dir = resolve_links(*absolute ? absolute : "/");
	ccfc_buf_puts(&out, strcmp(dir, "/") ? dir : "");
	ccfc_buf_printf(&out, "/%s", slash + 1);
	free(dir);
	free(absolute);
	return ccfc_buf_detach(&out, NULL);
}

/* Adds `name`, or frees it if it is `path` or there already. */
static void add_name(struct ccfc_cwd *where, const char *path, char *name)
{
	int n = 0;

	for (; where->names[n]; n++)
		if (!strcmp(where->names[n], name))
			break;
	if (where->names[n] || n == CCFC_WHERE_NAMES || !strcmp(path, name))
		free(name);
	else
		where->names[n] = name;
}

const char *const *ccfc_cwd_names(struct ccfc_cwd *where, const char *path,
				  const char *given)
{
	add_name(where, path, normal_path(given, where->physical));
	add_name(where, path, resolve_links(path));
	return (const char *const *)where->names;
}

static bool is_repository(const struct ccfc_buf *dir)
{
	struct ccfc_buf git = CCFC_BUF_INIT;
	bool is;

	ccfc_buf_printf(&git, "%s/.git", dir->len > 1 ? dir->ptr : "");
	is = !access(git.ptr, F_OK);
	ccfc_buf_release(&git);
	return is;
}

char *ccfc_cwd_here(const struct ccfc_cwd *where)
{
	const char *home = getenv("HOME");
	struct ccfc_buf dir = CCFC_BUF_INIT;

	ccfc_buf_puts(&dir, where->physical);
	while (dir.len > 1 && !(home && !strcmp(home, dir.ptr))) {
		if (is_repository(&dir))
			return ccfc_buf_detach(&dir, NULL);
		while (dir.len && dir.ptr[--dir.len] != '/')
			;
		dir.ptr[dir.len] = '\0';
	}
	ccfc_buf_release(&dir);
	return ccfc_strdup(where->physical);
}

/* Cuts off a last ':' and the number after it; 0: none. */
static int64_t cut_number(char *path)
{
	char *colon = strrchr(path, ':'), *end;
	long long n;

	if (!colon || colon == path || colon[1] < '1' || colon[1] > '9')
		return 0;
	errno = 0;
	n = strtoll(colon + 1, &end, 10);
	if (errno || *end || n > INT32_MAX)
		return 0;
	*colon = '\0';
	return n;
}

int64_t ccfc_cwd_take_line(char *path)
{
	int64_t line, column;

	if (!access(path, F_OK))
		return 0;
	column = cut_number(path);
	line = column ? cut_number(path) : 0;
	return line ? line : column;
}

/* Appends the current project to a word: "@-1:/home/dev/project". */
static int append_current_project(char **out, const char *word,
				  struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_cwd where;
	int code = ccfc_cwd_init(&where, err);

	if (!code) {
		char *here = ccfc_cwd_here(&where);

		ccfc_buf_printf(&text, "%s:%s", word, here);
		*out = ccfc_buf_detach(&text, NULL);
		free(here);
	}
	ccfc_cwd_release(&where);
	return code;
}

/* Words for the latest session; no id begins with one of them. */
static bool is_latest(const char *given)
{
	return !strcmp(given, "last") || !strcmp(given, "latest") ||
	       !strcmp(given, "HEAD");
}

int ccfc_cwd_session(char **out, const char *given, struct ccfc_err *err)
{
	struct ccfc_cwd where;
	int code;

	*out = NULL;
	if (!*given)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "the name of the session is empty");
	if (is_latest(given))
		given = "@";
	if (*given == '@')
		return append_current_project(out, given, err);
	if (!strchr(given, '/') &&
	    !ccfc_slice_ends(ccfc_slice_str(given), ".jsonl")) {
		*out = ccfc_strdup(given);
		return 0;
	}
	code = ccfc_cwd_init(&where, err);
	if (!code)
		*out = ccfc_cwd_absolute(&where, given);
	ccfc_cwd_release(&where);
	return code;
}

bool ccfc_cwd_is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

void ccfc_cwd_hint(struct ccfc_err *err, const char *given)
{
	if (err->code == CCFC_ENOTFOUND && ccfc_cwd_is_directory(given))
		ccfc_err_hint(
			err,
			"it is a directory; ccfc log lists the "
			"changes below it, ccfc search '%s%s**' "
			"the files",
			given,
			ccfc_slice_ends(ccfc_slice_str(given), "/") ? "" : "/");
}

struct ccfc_slice ccfc_cwd_short(const struct ccfc_cwd *where,
				 struct ccfc_slice path)
{
	struct ccfc_slice s =
		ccfc_path_relative(path, ccfc_slice_str(where->cwd));

	if (s.len == path.len)
		s = ccfc_path_relative(path, ccfc_slice_str(where->physical));
	return s;
}
