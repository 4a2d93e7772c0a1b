/*
 * Completions for the user's shells; see setup.h. Shells look for them below
 * /usr and /usr/local, where an installation has put them. From any other
 * prefix they are copied to where each shell looks in the home directory.
 */
#include "base/path.h"
#include "cli/setup/installed.h"
#include "cli/setup/setup.h"
#include "cli/system/child.h"
#include "cli/system/file_io.h"
#include "os/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const struct shell {
	const char *name;
	const char *source; /* below share/ccfc/completions */
	const char *system; /* below share */
	const char *debian; /* the same, at another place in Debian */
	int (*place)(struct ccfc_buf *out, const char *tail,
		     struct ccfc_err *err);
	const char *tail; /* below that place */
	const char *what;
} shells[] = {
	{ "bash", "ccfc.bash", "bash-completion/completions/ccfc", NULL,
	  ccfc_dirs_user_data, "bash-completion/completions/ccfc",
	  "completions for bash" },
	{ "zsh", "_ccfc", "zsh/site-functions/_ccfc",
	  "zsh/vendor-completions/_ccfc", ccfc_dirs_user_data,
	  "zsh/site-functions/_ccfc", "completions for zsh" },
	{ "fish", "ccfc.fish", "fish/vendor_completions.d/ccfc.fish", NULL,
	  ccfc_dirs_user_config, "fish/completions/ccfc.fish",
	  "completions for fish" },
};

static bool is_used(const char *name)
{
	const char *login = getenv("SHELL");
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool used = (login &&
		     ccfc_slice_is(ccfc_path_basename(ccfc_slice_str(login)),
				   name)) ||
		    ccfc_child_find(&path, name);

	ccfc_buf_release(&path);
	return used;
}

/* Do shells find it at its installed place? */
static bool is_installed(const char *share, const struct shell *shell)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool there;

	if (strcmp(share, "/usr/share") && strcmp(share, "/usr/local/share"))
		return false;
	ccfc_buf_printf(&path, "%s/%s", share, shell->system);
	there = !access(path.ptr, R_OK);
	if (!there && shell->debian) {
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/%s", share, shell->debian);
		there = !access(path.ptr, R_OK);
	}
	ccfc_buf_release(&path);
	return there;
}

/* 1: it was read; 0: there is none. */
static int read_shell_file(struct ccfc_buf *out, const char *share,
			   const struct shell *shell, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int fd, code = 1;

	ccfc_buf_printf(&path, "%s/ccfc/completions/%s", share, shell->source);
	fd = open(path.ptr, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		code = errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : ccfc_err_io(err, errno, "%s", path.ptr);
	else if (ccfc_read_all(out, fd) < 0)
		code = ccfc_err_io(err, errno, "%s", path.ptr);
	if (fd >= 0)
		close(fd);
	ccfc_buf_release(&path);
	return code;
}

/* zsh searches no place in the home directory by default. */
static void note_fpath(struct ccfc_setup *s, const char *path)
{
	struct ccfc_slice file = ccfc_slice_str(path);
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_puts(&text, "zsh: have fpath=(");
	ccfc_buf_append(&text, path,
			file.len - ccfc_path_basename(file).len - 1);
	ccfc_buf_puts(&text, " $fpath) in ~/.zshrc, before compinit");
	ccfc_setup_add(s, CCFC_SETUP_STEP_NOTE, text.ptr, NULL);
	ccfc_buf_release(&text);
}

static int plan_shell(struct ccfc_setup *s, const char *share,
		      const struct shell *shell, bool *missing,
		      struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	bool wanted = is_used(shell->name) && !is_installed(share, shell);
	int code = shell->place(&path, shell->tail, err);

	if (!code && wanted) {
		code = read_shell_file(&text, share, shell, err);
		*missing = *missing || !code;
	}
	/* Without a text: one that an earlier setup wrote is not needed. */
	if (code > 0 || (!code && !wanted))
		code = ccfc_setup_want(s, path.ptr, wanted ? text.ptr : NULL,
				       shell->what, err);
	if (code > 0 && wanted && !strcmp(shell->name, "zsh"))
		note_fpath(s, path.ptr);
	ccfc_buf_release(&path);
	ccfc_buf_release(&text);
	return code < 0 ? code : 0;
}

int ccfc_setup_plan_shells(struct ccfc_setup *s, struct ccfc_err *err)
{
	struct ccfc_buf share = CCFC_BUF_INIT;
	bool missing = false;
	int code = 0;

	ccfc_installed_share(&share);
	for (size_t i = 0; !code && i < sizeof(shells) / sizeof(*shells); i++)
		code = plan_shell(s, share.ptr, &shells[i], &missing, err);
	if (missing) {
		ccfc_buf_puts(&share, "/ccfc/completions: completions are not "
				      "installed there, so none are set up");
		ccfc_setup_add(s, CCFC_SETUP_STEP_NOTE, share.ptr, NULL);
	}
	ccfc_buf_release(&share);
	return code;
}
