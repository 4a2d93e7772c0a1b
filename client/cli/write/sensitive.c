/*
 * The table of files that must be named to be written; see sensitive.h.
 *
 * A row matches consecutive parts of a path. "a/b" is a file b in any directory
 * a; "a/" is everything below a directory a; a slash in front means the root. A
 * star at one end of a part matches anything. Below .claude/worktrees/NAME are
 * a project's files: only the rest of their path is checked.
 */
#include "cli/write/sensitive.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/path.h"
#include "os/dirs.h"

#include <stdlib.h>
#include <strings.h>

#define SHELL	 "a start-up file of a shell"
#define KEYS	 "keys, passwords or trusted hosts"
#define GIT	 "read or run by git"
#define CLAUDE	 "read or run by Claude Code"
#define AGENT	 "read or run by another agent"
#define SESSION	 "started when you log in"
#define TIMER	 "started by a timer"
#define EDITOR	 "run by an editor when it opens a file"
#define TOOL	 "read or run by a program at its start"
#define PACKAGES "a setting of a package manager"
#define SYSTEM	 "a file of the system"

static const struct row {
	const char *pattern;
	const char *what;
} rows[] = {
	/* shells */
	{ ".bashrc", SHELL },
	{ ".bash_*", SHELL },
	{ ".profile", SHELL },
	{ ".zshrc", SHELL },
	{ ".zshenv", SHELL },
	{ ".zprofile", SHELL },
	{ ".zlogin", SHELL },
	{ ".zlogout", SHELL },
	{ ".kshrc", SHELL },
	{ ".mkshrc", SHELL },
	{ ".shrc", SHELL },
	{ ".cshrc", SHELL },
	{ ".tcshrc", SHELL },
	{ ".login", SHELL },
	{ ".logout", SHELL },
	{ ".inputrc", SHELL },
	{ ".oh-my-zsh/", SHELL },
	{ "config.fish", SHELL },
	{ "fish/conf.d/", SHELL },
	{ "fish/functions/", SHELL },
	{ ".config/fish/", SHELL },
	{ ".config/nushell/", SHELL },
	{ ".envrc", SHELL },
	{ ".config/direnv/", SHELL },
	{ ".direnvrc", SHELL },
	{ "mise.toml", SHELL },
	{ ".mise.toml", SHELL },
	{ ".mise/", SHELL },
	/* keys */
	{ ".ssh/", KEYS },
	{ ".gnupg/", KEYS },
	{ ".netrc", KEYS },
	{ "_netrc", KEYS },
	{ ".pgpass", KEYS },
	{ ".git-credentials", KEYS },
	{ ".aws/", KEYS },
	{ ".kube/", KEYS },
	{ ".docker/", KEYS },
	{ ".config/gcloud/", KEYS },
	{ ".config/gh/", KEYS },
	{ ".password-store/", KEYS },
	/* version control */
	{ ".git", GIT },
	{ ".git/", GIT },
	{ "*.git/hooks/", GIT },
	{ "*.git/config", GIT },
	{ ".gitconfig", GIT },
	{ ".config/git/", GIT },
	{ ".husky/", GIT },
	{ ".hg/", GIT },
	{ ".hgrc", GIT },
	{ ".jj/", GIT },
	/* Claude Code */
	{ ".claude/", CLAUDE },
	{ ".claude.json", CLAUDE },
	{ ".mcp.json", CLAUDE },
	{ ".codex/", AGENT },
	{ ".cursor/", AGENT },
	{ ".gemini/", AGENT },
	/* sessions */
	{ "autostart/*.desktop", SESSION },
	{ ".config/autostart/", SESSION },
	{ ".config/systemd/", SESSION },
	{ ".local/share/systemd/", SESSION },
	{ ".config/environment.d/", SESSION },
	{ ".config/upstart/", SESSION },
	{ ".local/share/applications/", SESSION },
	{ ".local/share/dbus-1/", SESSION },
	{ "Library/LaunchAgents/", SESSION },
	{ "Library/LaunchDaemons/", SESSION },
	{ ".xinitrc", SESSION },
	{ ".xserverrc", SESSION },
	{ ".xsession", SESSION },
	{ ".xsessionrc", SESSION },
	{ ".xprofile", SESSION },
	{ ".pam_environment", SESSION },
	{ ".forward", SESSION },
	{ ".procmailrc", SESSION },
	/* timers */
	{ "crontab", TIMER },
	{ ".crontab", TIMER },
	{ "/var/spool/", TIMER },
	{ "/var/cron/", TIMER },
	{ "/usr/lib/cron/", TIMER },
	/* editors */
	{ ".vimrc", EDITOR },
	{ "_vimrc", EDITOR },
	{ ".gvimrc", EDITOR },
	{ ".exrc", EDITOR },
	{ ".nvimrc", EDITOR },
	{ ".nvim.lua", EDITOR },
	{ ".vim/", EDITOR },
	{ "nvim/init.vim", EDITOR },
	{ "nvim/init.lua", EDITOR },
	{ ".config/nvim/", EDITOR },
	{ ".emacs", EDITOR },
	{ ".emacs.el", EDITOR },
	{ ".emacs.d/", EDITOR },
	{ ".config/emacs/", EDITOR },
	{ ".dir-locals.el", EDITOR },
	{ ".vscode/tasks.json", EDITOR },
	{ ".vscode/settings.json", EDITOR },
	{ ".vscode/launch.json", EDITOR },
	{ ".idea/", EDITOR },
	{ ".zed/", EDITOR },
	{ ".devcontainer/", EDITOR },
	{ ".devcontainer.json", EDITOR },
	/* other programs */
	{ ".gdbinit", TOOL },
	{ ".lldbinit", TOOL },
	{ ".pythonrc*", TOOL },
	{ "sitecustomize.py", TOOL },
	{ "usercustomize.py", TOOL },
	{ ".irbrc", TOOL },
	{ ".Rprofile", TOOL },
	{ ".screenrc", TOOL },
	{ ".tmux.conf", TOOL },
	{ ".config/tmux/", TOOL },
	{ ".curlrc", TOOL },
	{ ".wgetrc", TOOL },
	{ ".mailcap", TOOL },
	{ ".local/bin/", "a program of yours" },
	{ ".local/lib/", "a program of yours" },
	/* packages */
	{ ".npmrc", PACKAGES },
	{ ".yarnrc*", PACKAGES },
	{ ".pypirc", PACKAGES },
	{ "pip.conf", PACKAGES },
	{ ".pip/", PACKAGES },
	{ ".config/pip/", PACKAGES },
	{ ".cargo/", PACKAGES },
	{ ".bundle/", PACKAGES },
	{ ".gem/", PACKAGES },
	{ ".gemrc", PACKAGES },
	{ ".m2/", PACKAGES },
	/* the system */
	{ "/etc/", SYSTEM },
	{ "/private/etc/", SYSTEM },
	{ "/boot/", SYSTEM },
	{ "/proc/", SYSTEM },
	{ "/sys/", SYSTEM },
	{ "/run/systemd/", SYSTEM },
	{ "/bin/", SYSTEM },
	{ "/sbin/", SYSTEM },
	{ "/lib/", SYSTEM },
	{ "/lib64/", SYSTEM },
	{ "/usr/bin/", SYSTEM },
	{ "/usr/sbin/", SYSTEM },
	{ "/usr/lib/", SYSTEM },
	{ "/usr/lib64/", SYSTEM },
	{ "/usr/libexec/", SYSTEM },
	{ "/usr/share/", SYSTEM },
	{ "/usr/local/bin/", SYSTEM },
	{ "/usr/local/sbin/", SYSTEM },
	{ "/usr/local/lib/", SYSTEM },
	{ "/usr/local/etc/", SYSTEM },
	{ "/Library/", SYSTEM },
	{ "/System/", SYSTEM },
};

/* ---- by name ---- */

/* The part at *p up to the next slash; moves *p behind it. */
static struct ccfc_slice next_part(const char **p)
{
	size_t n = strcspn(*p, "/");
	struct ccfc_slice part = ccfc_slice(*p, n);

	*p += n + ((*p)[n] == '/');
	return part;
}

/* "*.desktop" and ".bash_*" have a star at one end. */
static bool part_is(struct ccfc_slice part, struct ccfc_slice want)
{
	size_t fixed = want.len;

	if (want.len && want.ptr[0] == '*') {
		fixed--;
		return part.len >= fixed &&
		       !strncasecmp(part.ptr + part.len - fixed, want.ptr + 1,
				    fixed);
	}
	if (want.len && want.ptr[want.len - 1] == '*')
		return part.len >= fixed - 1 &&
		       !strncasecmp(part.ptr, want.ptr, fixed - 1);
	return part.len == fixed && !strncasecmp(part.ptr, want.ptr, fixed);
}

/* Does the pattern match the parts of `path` from its first one on? */
static bool matches_pattern(const char *path, const char *pattern)
{
	while (*pattern) {
		if (!*path || !part_is(next_part(&path), next_part(&pattern)))
			return false;
	}
	/* After a directory something must follow, after a file nothing. */
	return pattern[-1] == '/' ? *path : !*path;
}

/* The path after the last ".claude/worktrees/NAME/". */
static const char *in_worktree(const char *path)
{
	static const char trees[] = "/.claude/worktrees/";
	const char *found;

	while ((found = strstr(path, trees))) {
		const char *slash = strchr(found + strlen(trees), '/');

		if (!slash)
			break;
		path = slash;
	}
	return path;
}

const char *ccfc_sensitive(const char *path)
{
	const char *part = in_worktree(path) + 1;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].pattern[0] == '/' &&
		    matches_pattern(path + 1, rows[i].pattern + 1))
			return rows[i].what;
	for (; *part; next_part(&part))
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			if (rows[i].pattern[0] != '/' &&
			    matches_pattern(part, rows[i].pattern))
				return rows[i].what;
	return NULL;
}

/* ---- by the user's own places ---- */

static bool is_below(const char *path, const char *dir)
{
	return ccfc_path_is_below(ccfc_slice_str(path), ccfc_slice_str(dir));
}

/* Is the file one of the directory, which may be named by a link? */
static bool is_in_dir(const char *path, struct ccfc_slice dir)
{
	char *name = ccfc_strndup(dir.ptr, dir.len);
	char *real = realpath(name, NULL);
	size_t n = real ? strlen(real) : 0;
	bool yes = n > 1 && !strncmp(path, real, n) && path[n] == '/' &&
		   !strchr(path + n + 1, '/');

	free(real);
	free(name);
	return yes;
}

static bool is_on_path(const char *path)
{
	const char *p = getenv("PATH");

	while (p && *p) {
		size_t n = strcspn(p, ":");

		if (*p == '/' && is_in_dir(path, ccfc_slice(p, n)))
			return true;
		p += n + (p[n] == ':');
	}
	return false;
}

/*
 * Is `root` below the home directory, and a project in a hidden directory? Not
 * in directories where programs keep their own files, and not in ~/.config:
 * most of that is run at login.
 */
static bool is_hidden_project(const char *root, const char *home)
{
	static const char *const shared[] = { "/.local", "/.local/share",
					      "/.local/state", "/.cache" };
	static const char config[] = "/.config";
	const char *rest = root + strlen(home);

	if (!is_below(root, home) || !*rest)
		return false;
	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		if (!strcmp(rest, shared[i]))
			return false;
	return strncmp(rest, config, strlen(config)) != 0 ||
	       (rest[strlen(config)] && rest[strlen(config)] != '/');
}

/* ~/.something, unless the work is done in there. */
static bool is_hidden(const char *path, const char *root)
{
	const char *home = getenv("HOME");
	char *real = home && *home ? realpath(home, NULL) : NULL;
	size_t n = real ? strlen(real) : 0;
	bool yes = n > 1 && is_below(path, real) && path[n] == '/' &&
		   path[n + 1] == '.';

	if (yes && is_hidden_project(root, real))
		yes = !is_below(path, root);
	free(real);
	return yes;
}

/* Files that ccfc itself trusts at its next start. */
static bool is_in_state_dir(const char *path)
{
	struct ccfc_buf dir = CCFC_BUF_INIT;
	bool yes = false;

	if (!ccfc_dirs_state(&dir, NULL)) {
		char *real = realpath(dir.ptr, NULL);

		yes = is_below(path, real ? real : dir.ptr);
		free(real);
	}
	ccfc_buf_clear(&dir);
	if (!ccfc_dirs_config(&dir, NULL))
		yes = yes || !strcmp(path, dir.ptr);
	ccfc_buf_release(&dir);
	return yes;
}

const char *ccfc_sensitive_here(const char *path, const char *root)
{
	if (is_in_state_dir(path))
		return "ccfc's own";
	if (is_on_path(path))
		return "in a directory of $PATH";
	if (is_hidden(path, root))
		return "hidden in your home directory";
	return NULL;
}
