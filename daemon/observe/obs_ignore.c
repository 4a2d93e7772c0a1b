/*
 * What is not observed: paths that lists of patterns exclude, directories of
 * version control, Claude directories and ccfc's own. The lists: the settings,
 * git's (git_config.h), each .gitignore from the top of the repository down.
 */
#include "observe/git_config.h"
#include "observe/observe_internal.h"

#include "base/alloc.h"
#include "base/path.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_vcs(const char *name)
{
	return !strcmp(name, ".git") || !strcmp(name, ".hg") ||
	       !strcmp(name, ".svn") || !strcmp(name, ".jj");
}

/* Is it a Claude directory, ccfc's state directory, or below one? */
static bool is_own_path(const struct ccfc_obs *obs, struct ccfc_slice path)
{
	if (ccfc_path_is_below(path, ccfc_slice_str(obs->env.state_dir)))
		return true;
	for (size_t i = 0; i < obs->env.nroots; i++)
		if (ccfc_path_is_below(path, ccfc_slice_str(obs->env.roots[i])))
			return true;
	return false;
}

bool ccfc_obs_ignores(const struct ccfc_obs *obs,
		      const struct ccfc_obs_dir *dir, const char *name,
		      bool is_dir)
{
	struct ccfc_slice path, below;
	char text[PATH_MAX];

	if (!strcmp(name, ".") || !strcmp(name, "..") || is_vcs(name) ||
	    !ccfc_obs_path(text, dir, name))
		return true;
	path = ccfc_slice_str(text);
	if (is_dir && is_own_path(obs, path))
		return true;
	below = ccfc_slice_from(path, strlen(dir->project->root));
	return ccfc_ignore_match(obs->exclude, below, is_dir) ==
		       CCFC_IGNORE_YES ||
	       ccfc_ignore_excludes(&dir->level, path, is_dir);
}

bool ccfc_obs_ignores_dir(const struct ccfc_obs *obs,
			  const struct ccfc_obs_dir *dir)
{
	const char *at = dir->path + strlen(dir->parent->path);
	char *name = ccfc_strndup(at, strlen(at) - 1);
	bool ignored = ccfc_obs_ignores(obs, dir->parent, name, true);

	free(name);
	return ignored;
}

bool ccfc_obs_is_ignored_now(const struct ccfc_obs *obs,
			     const struct ccfc_obs_file *file)
{
	if (!ccfc_obs_has_unread(obs))
		return false;
	if (ccfc_obs_ignores(obs, file->dir, file->name, false))
		return true;
	for (const struct ccfc_obs_dir *d = file->dir; d->parent; d = d->parent)
		if (ccfc_obs_ignores_dir(obs, d))
			return true;
	return false;
}

/* --- reading lists of patterns --- */

/*
 * `follow` is 0 for git's own lists, which many people keep elsewhere behind a
 * link. As in git, a .gitignore that is a link is not read (O_NOFOLLOW).
 */
static struct ccfc_ignore *read_list(const char *path, int follow)
{
	struct ccfc_ignore *list = NULL;
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct stat st;
	ssize_t n = 0;
	int fd;

	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | follow);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		n = read(fd, ccfc_buf_reserve(&text, CCFC_IGNORE_BYTES),
			 CCFC_IGNORE_BYTES);
	close(fd);
	if (n > 0)
		list = ccfc_ignore_parse(ccfc_slice(text.ptr, (size_t)n));
	ccfc_buf_release(&text);
	return list;
}

void ccfc_obs_read_patterns(struct ccfc_obs_dir *dir)
{
	char path[PATH_MAX];

	ccfc_ignore_free(dir->level.own);
	dir->level.own = NULL;
	if (ccfc_obs_path(path, dir, ".gitignore"))
		dir->level.own = read_list(path, O_NOFOLLOW);
}

/* --- lists above the project's directories --- */

/*
 * The repository around a project may be too large to be watched (a home
 * directory with dotfiles), but its lists still apply. False: a list excludes
 * the project itself.
 */
static bool read_between(struct ccfc_obs_project *project, size_t at)
{
	struct ccfc_slice root = ccfc_slice_str(project->root);

	while (at < root.len) {
		struct ccfc_ignore_level *level =
			ccfc_calloc(1, sizeof(*level));
		char path[PATH_MAX];

		level->above = project->patterns;
		level->prefix = at;
		if (snprintf(path, sizeof(path), "%.*s.gitignore", (int)at,
			     root.ptr) < (int)sizeof(path))
			level->own = read_list(path, O_NOFOLLOW);
		CCFC_VEC_PUSH(project->above, level);
		project->patterns = level;
		at += strcspn(root.ptr + at, "/");
		if (ccfc_ignore_excludes(level, ccfc_slice(root.ptr, at), true))
			return false;
		at++;
	}
	return true;
}

bool ccfc_obs_read_above(struct ccfc_obs *obs, struct ccfc_obs_project *project)
{
	char *root = ccfc_strndup(project->root, strlen(project->root) - 1);
	char *repository = ccfc_obs_root(root);
	size_t prefix = strlen(repository);
	char path[PATH_MAX];

	project->global = (struct ccfc_ignore_level){ .prefix = prefix };
	if (ccfc_git_excludes_file(path, repository, obs->env.home))
		project->global.own = read_list(path, 0);
	project->exclude =
		(struct ccfc_ignore_level){ .above = &project->global,
					    .prefix = prefix };
	if (ccfc_git_info_exclude(path, repository))
		project->exclude.own = read_list(path, 0);
	project->patterns = &project->exclude;
	free(repository);
	free(root);
	return read_between(project, prefix);
}

void ccfc_obs_drop_patterns(struct ccfc_obs_project *project)
{
	for (uint32_t i = 0; i < project->above.n; i++) {
		ccfc_ignore_free(project->above.items[i]->own);
		free(project->above.items[i]);
	}
	free(project->above.items);
	ccfc_ignore_free(project->global.own);
	ccfc_ignore_free(project->exclude.own);
}
