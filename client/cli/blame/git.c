/* Running git; see git.h. */
#include "cli/blame/git.h"

#include "cli/system/child.h"

#include <ccfc/protocol.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define ARGS_MAX     24
#define NO_DIRECTORY 126

#ifndef __linux__
extern char **environ;
#endif

/*
 * The program and the arguments of each call. These arguments win over a
 * repository's configuration.
 */
static const char *const always[] = {
	"git",
	"--no-pager",
	"--literal-pathspecs",
	"-c",
	"core.fsmonitor=false",
	"-c",
	"core.hooksPath=/dev/null",
	"-c",
	"protocol.allow=never",
	"-c",
	"safe.bareRepository=explicit",
};
#define ALWAYS (sizeof(always) / sizeof(*always))

/* Variables that select the user's configuration; all others are removed. */
static const char *const keep[] = {
	"GIT_CONFIG_GLOBAL=",
	"GIT_CONFIG_SYSTEM=",
	"GIT_CONFIG_NOSYSTEM=",
	"GIT_ATTR_NOSYSTEM=",
};

static bool is_kept(const char *entry)
{
	for (size_t i = 0; i < sizeof(keep) / sizeof(*keep); i++)
		if (!strncmp(entry, keep[i], strlen(keep[i])))
			return true;
	return false;
}

/*
 * A hook, or a shell in another repository, may have left variables that name a
 * repository, configuration or programs. Each version of git has new variables:
 * all are removed except known harmless ones.
 */
static void unset_git_variables(void)
{
	char **to = environ;

	for (char **from = environ; from && *from; from++)
		if (strncmp(*from, "GIT_", 4) != 0 || is_kept(*from))
			*to++ = *from;
	if (environ)
		*to = NULL;
}

/* The parent may block signals; a signal of the terminal must end git. */
static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void prepare_git_child(const void *data)
{
	const struct ccfc_git_place *place = data;

	unblock_signals();
	unset_git_variables();
	setenv("GIT_OPTIONAL_LOCKS", "0", 1);
	setenv("GIT_TERMINAL_PROMPT", "0", 1);
	/*
	 * Missing objects are not fetched. Only newer versions know the first
	 * variable; the second forbids every transport.
	 */
	setenv("GIT_NO_LAZY_FETCH", "1", 1);
	setenv("GIT_ALLOW_PROTOCOL", "none", 1);
	if (place->git_dir) {
		setenv("GIT_DIR", place->git_dir, 1);
		setenv("GIT_OBJECT_DIRECTORY", place->objects, 1);
	}
	if (place->work_tree)
		setenv("GIT_WORK_TREE", place->work_tree, 1);
	if (place->index)
		setenv("GIT_INDEX_FILE", place->index, 1);
	if (chdir(place->dir) < 0)
		_exit(NO_DIRECTORY);
}

static int check_git_exit(const struct ccfc_child *child, struct ccfc_err *err)
{
	struct ccfc_slice say = ccfc_child_says(child);

	if (!child->code)
		return 0;
	if (child->code == NO_DIRECTORY && !say.len)
		return ccfc_err_set(err, CCFC_EDENIED,
				    "git: the directory cannot be entered");
	if (!say.len)
		return ccfc_err_set(err, CCFC_EDENIED, "git: ended with %d",
				    child->code);
	if (ccfc_slice_starts(say, "fatal: "))
		say = ccfc_slice(say.ptr + 7, say.len - 7);
	return ccfc_err_set(err, CCFC_EDENIED, "git: %.*s%s", (int)say.len,
			    say.ptr,
			    ccfc_slice_starts(say, "detected dubious ownership")
				    ? " (see safe.directory in git-config(1))"
				    : "");
}

int ccfc_git_run(struct ccfc_buf *out, const struct ccfc_git_place *place,
		 const char *const *args, struct ccfc_err *err)
{
	const char *argv[ALWAYS + ARGS_MAX + 1] = { NULL };
	struct ccfc_buf program = CCFC_BUF_INIT;
	struct ccfc_child child;
	size_t n = 0;
	int code;

	if (!ccfc_child_find(&program, always[0])) {
		ccfc_buf_release(&program);
		return ccfc_err_set(err, CCFC_EIO, "git: not found in PATH");
	}
	for (size_t i = 0; i < ALWAYS; i++)
		argv[n++] = always[i];
	argv[0] = program.ptr;
	while (*args && n < ALWAYS + ARGS_MAX)
		argv[n++] = *args++;
	code = ccfc_child_run(&child, argv, prepare_git_child, place, err);
	if (!code)
		code = check_git_exit(&child, err);
	if (!code && child.out.len > CCFC_REPLY_MAX_BYTES)
		code = ccfc_err_set(err, CCFC_ETOOBIG,
				    "git: the output of "
				    "git is too long");
	if (!code)
		ccfc_buf_slice(out, ccfc_buf_view(&child.out));
	ccfc_child_release(&child);
	ccfc_buf_release(&program);
	return code;
}

bool ccfc_git_next(struct ccfc_slice *word, struct ccfc_slice *rest)
{
	const char *end = rest->len ? memchr(rest->ptr, 0, rest->len) : NULL;

	if (!end)
		return false;
	*word = ccfc_slice(rest->ptr, (size_t)(end - rest->ptr));
	*rest = ccfc_slice(end + 1, rest->len - word->len - 1);
	return true;
}
