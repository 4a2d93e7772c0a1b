/*
 * Finds a file's work tree; see git_repo.h. We search for the work tree
 * ourselves, and then ask git in that very directory: so git finds no other
 * repository first, checks the owner, and names HEAD.
 */
#include "cli/blame/git_repo.h"

#include "base/alloc.h"
#include "cli/blame/git.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void ccfc_repo_release(struct ccfc_repo *repo)
{
	free(repo->top);
	free(repo->path);
	free(repo->git_dir);
	free(repo->common);
}

static char *join_path(const char *dir, const char *name)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;

	ccfc_buf_printf(&buf, "%s/%s", strcmp(dir, "/") ? dir : "", name);
	return ccfc_buf_detach(&buf, NULL);
}

static bool stat_in(struct stat *st, const char *dir, const char *name)
{
	char *path = join_path(dir, name);
	bool there = !stat(path, st);

	free(path);
	return there;
}

/* Resolves symbolic links; of a deleted file only those of its directory. */
static char *real_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *real = realpath(path, NULL), *dir, *dir_real;

	if (real || !slash)
		return real;
	dir = slash > path ? ccfc_strndup(path, (size_t)(slash - path))
			   : ccfc_strdup("/");
	dir_real = realpath(dir, NULL);
	real = dir_real ? join_path(dir_real, slash + 1) : NULL;
	free(dir);
	free(dir_real);
	return real;
}

/*
 * The path after `prefix` in a file of one line, relative to `dir` and without
 * symbolic links; NULL: not such a file, or the path does not exist.
 */
static char *read_pointer(const char *dir, const char *name, const char *prefix)
{
	char text[PATH_MAX + 16], *path = join_path(dir, name), *to = NULL,
				  *real;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t skip = strlen(prefix), n = 0;
	struct stat st;
	ssize_t got;

	free(path);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    (got = read(fd, text, sizeof(text) - 1)) > 0)
		n = (size_t)got;
	close(fd);
	while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	text[n] = '\0';
	if (n > skip && !strncmp(text, prefix, skip))
		to = text[skip] == '/' ? ccfc_strdup(text + skip)
				       : join_path(dir, text + skip);
	real = to ? realpath(to, NULL) : NULL;
	free(to);
	return real;
}

/* Like git, ignores a directory `.git` without a HEAD. */
static bool has_git(const char *dir)
{
	struct stat st;

	if (!stat_in(&st, dir, ".git"))
		return false;
	return S_ISREG(st.st_mode) ||
	       (S_ISDIR(st.st_mode) && stat_in(&st, dir, ".git/HEAD"));
}

static int find_top(struct ccfc_repo *repo, struct ccfc_err *err)
{
	char *top = ccfc_strdup(repo->path), *slash;

	while ((slash = strrchr(top, '/'))) {
		*slash = '\0';
		if (has_git(*top ? top : "/"))
			break;
	}
	if (!slash) {
		free(top);
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "git: not a git repository, nor any of the "
				    "directories above");
	}
	repo->name = repo->path + strlen(top) + 1;
	repo->top = *top ? top : ccfc_strdup("/");
	if (repo->top != top)
		free(top);
	if (!strncmp(repo->name, ".git/", 5))
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "git: the file is in git's own "
				    "directory, not in a work tree");
	return 0;
}

/* "<git directory>\n<head>\n"; a directory's name may contain any bytes. */
static bool read_answer(struct ccfc_repo *repo, struct ccfc_slice *git_dir,
			struct ccfc_slice says)
{
	size_t end = says.len, start;

	if (!end || says.ptr[--end] != '\n')
		return false;
	for (start = end; start && says.ptr[start - 1] != '\n'; start--)
		;
	if (end - start != 40 && end - start != 64)
		return false;
	memcpy(repo->head, says.ptr + start, end - start);
	*git_dir = ccfc_slice(says.ptr, start ? start - 1 : 0);
	return strspn(repo->head, "0123456789abcdef") == end - start;
}

/* Asks git in `top`; a repository without a commit has no HEAD to name. */
static int ask_git(struct ccfc_repo *repo, struct ccfc_buf *words,
		   struct ccfc_slice *git_dir, struct ccfc_err *err)
{
	static const char *const born[] = { "rev-parse", "--absolute-git-dir",
					    "HEAD", NULL };
	static const char *const unborn[] = { "rev-parse", "--absolute-git-dir",
					      NULL };
	struct ccfc_git_place place = { .dir = repo->top };
	int code = ccfc_git_run(words, &place, born, err);

	if (!code && read_answer(repo, git_dir, ccfc_buf_view(words)))
		return 0;
	*repo->head = '\0';
	ccfc_buf_clear(words);
	if (!code || code == CCFC_EDENIED)
		code = ccfc_git_run(words, &place, unborn, err);
	*git_dir = ccfc_buf_view(words);
	if (ccfc_slice_ends(*git_dir, "\n"))
		git_dir->len--;
	return code;
}

/*
 * git checks the owner of the directories, but not of the configuration in
 * them. Where many users may write, somebody else may have put a configuration
 * there.
 */
static int check_owner(const struct ccfc_repo *repo, struct ccfc_err *err)
{
	struct stat dir, config;

	if (!stat_in(&config, repo->common, "config") ||
	    config.st_uid == geteuid() || config.st_uid == 0 ||
	    (!stat(repo->git_dir, &dir) && dir.st_uid == config.st_uid))
		return 0;
	return ccfc_err_set(err, CCFC_EDENIED,
			    "git: %s/config belongs to another user than the "
			    "repository",
			    repo->common);
}

static char *find_git_dir(const char *top)
{
	char *inside = join_path(top, ".git"), *git_dir;
	struct stat st;

	git_dir = !stat(inside, &st) && S_ISDIR(st.st_mode)
			  ? realpath(inside, NULL)
			  : read_pointer(top, ".git", "gitdir: ");
	free(inside);
	return git_dir;
}

/* git must report the same repository. */
static int read_repo(struct ccfc_repo *repo, struct ccfc_err *err)
{
	struct ccfc_buf words = CCFC_BUF_INIT;
	struct ccfc_slice theirs;
	int code;

	repo->git_dir = find_git_dir(repo->top);
	code = ask_git(repo, &words, &theirs, err);
	if (!code &&
	    (!repo->git_dir || !ccfc_slice_is(theirs, repo->git_dir))) {
		code = ccfc_err_set(err, CCFC_EDENIED,
				    "git: the .git of %s is not a git "
				    "repository",
				    repo->top);
	} else if (!code) {
		repo->common = read_pointer(repo->git_dir, "commondir", "");
		if (!repo->common)
			repo->common = ccfc_strdup(repo->git_dir);
		code = check_owner(repo, err);
	}
	ccfc_buf_release(&words);
	return code;
}

int ccfc_repo_find(struct ccfc_repo *repo, const char *path,
		   struct ccfc_err *err)
{
	int code;

	*repo = (struct ccfc_repo){ .path = real_path(path) };
	if (!repo->path)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "git: the directory does not exist");
	code = find_top(repo, err);
	return code ? code : read_repo(repo, err);
}
