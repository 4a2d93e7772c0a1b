/* Asking git; see git.h. */
#include "cli/blame/git.h"

#include "base/alloc.h"
#include "cli/frame/child.h"

#include <ccfc/protocol.h>
#include <stdlib.h>
#include <unistd.h>

#define ARGS_MAX     24
#define NO_DIRECTORY 126

/* In front of all that it is asked. */
static const char *const always[] = {
	"git", "--no-pager",
	"-c",  "core.fsmonitor=false",
	"-c",  "core.hooksPath=/dev/null",
};
#define ALWAYS (sizeof(always) / sizeof(*always))

/* What a hook, or a shell in another repository, may have left. */
static const char *const forget[] = {
	"GIT_DIR",
	"GIT_WORK_TREE",
	"GIT_INDEX_FILE",
	"GIT_PREFIX",
	"GIT_COMMON_DIR",
	"GIT_NAMESPACE",
	"GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_CONFIG",
	"GIT_CONFIG_PARAMETERS",
	"GIT_CONFIG_COUNT",
	"GIT_SHALLOW_FILE",
	"GIT_GRAFT_FILE",
	"GIT_EXTERNAL_DIFF",
	"GIT_LITERAL_PATHSPECS",
};

static void prepare(const void *dir)
{
	for (size_t i = 0; i < sizeof(forget) / sizeof(*forget); i++)
		unsetenv(forget[i]);
	setenv("GIT_OPTIONAL_LOCKS", "0", 1);
	setenv("GIT_NO_LAZY_FETCH", "1", 1);
	setenv("GIT_TERMINAL_PROMPT", "0", 1);
	if (chdir(dir) < 0)
		_exit(NO_DIRECTORY);
}

static int judge(const struct ccfc_child *child, struct ccfc_err *err)
{
	struct ccfc_slice say = ccfc_child_says(child);

	if (!child->code)
		return 0;
	if (child->code == CCFC_CHILD_NOT_FOUND && !say.len)
		return ccfc_err_set(err, CCFC_EIO, "git: not found in PATH");
	if (child->code == NO_DIRECTORY && !say.len)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "git: the directory does not exist");
	if (!say.len)
		return ccfc_err_set(err, CCFC_EIO, "git: ended with %d",
				    child->code);
	if (ccfc_slice_starts(say, "fatal: "))
		say = ccfc_slice(say.ptr + 7, say.len - 7);
	return ccfc_err_set(err, CCFC_ENOTFOUND, "git: %.*s", (int)say.len,
			    say.ptr);
}

int ccfc_git_run(struct ccfc_buf *out, const char *dir, const char *const *args,
		 struct ccfc_err *err)
{
	const char *argv[ALWAYS + ARGS_MAX + 1] = { NULL };
	struct ccfc_child child;
	size_t n = 0;
	int code;

	for (size_t i = 0; i < ALWAYS; i++)
		argv[n++] = always[i];
	while (*args && n < ALWAYS + ARGS_MAX)
		argv[n++] = *args++;
	code = ccfc_child_run(&child, argv, prepare, dir, err);
	if (!code)
		code = judge(&child, err);
	if (!code && child.out.len > CCFC_REPLY_MAX_BYTES)
		code = ccfc_err_set(err, CCFC_ETOOBIG, "git: too much to read");
	if (!code)
		ccfc_buf_slice(out, ccfc_buf_view(&child.out));
	ccfc_child_release(&child);
	return code;
}

void ccfc_git_split(char **dir, char **name, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	*name = ccfc_strdup(slash ? slash + 1 : path);
	*dir = n ? ccfc_strndup(path, n) : ccfc_strdup(slash ? "/" : ".");
}
