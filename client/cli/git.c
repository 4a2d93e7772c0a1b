/*
 * Asking git; see git.h. Both of its outputs are read, one after the other as
 * they come, so that neither can fill up and block it.
 */
#include "cli/git.h"

#include "base/alloc.h"
#include "base/fd.h"

#include <ccfc/protocol.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX     24
#define WORDS_MAX    4096 /* of its complaints */
#define NOT_FOUND    127
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

static void exec_git(const char *dir, const char *const *args, int out, int err)
{
	const char *argv[ALWAYS + ARGS_MAX + 1] = { NULL };
	int null = open("/dev/null", O_RDWR);
	size_t n = 0;

	for (size_t i = 0; i < ALWAYS; i++)
		argv[n++] = always[i];
	while (*args && n < ALWAYS + ARGS_MAX)
		argv[n++] = *args++;
	for (size_t i = 0; i < sizeof(forget) / sizeof(*forget); i++)
		unsetenv(forget[i]);
	setenv("GIT_OPTIONAL_LOCKS", "0", 1);
	setenv("GIT_NO_LAZY_FETCH", "1", 1);
	setenv("GIT_TERMINAL_PROMPT", "0", 1);
	setenv("LC_ALL", "C", 1);
	signal(SIGPIPE, SIG_DFL);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	if (chdir(dir) < 0)
		_exit(NO_DIRECTORY);
	execvp("git", (char *const *)argv);
	_exit(NOT_FOUND);
}

/* False when the other side has closed it. */
static bool take(struct ccfc_buf *buf, int fd, size_t max)
{
	char *at = ccfc_buf_reserve(buf, 65536);
	ssize_t n = read(fd, at, 65536);

	if (n < 0)
		return errno == EINTR;
	/* One byte beyond is enough to know that it was too much. */
	if (buf->len <= max)
		buf->len += (size_t)n;
	return n > 0;
}

static void drain(struct ccfc_buf *out, struct ccfc_buf *words, int from_out,
		  int from_err)
{
	struct pollfd fds[2] = { { from_out, POLLIN, 0 },
				 { from_err, POLLIN, 0 } };

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		if (poll(fds, 2, -1) < 0)
			continue; /* EINTR */
		if (fds[0].fd >= 0 && fds[0].revents &&
		    !take(out, from_out, CCFC_REPLY_MAX_BYTES))
			fds[0].fd = -1;
		if (fds[1].fd >= 0 && fds[1].revents &&
		    !take(words, from_err, WORDS_MAX))
			fds[1].fd = -1;
	}
}

/* The first line of what it said, without "fatal: ". */
static struct ccfc_slice first_words(const struct ccfc_buf *words)
{
	struct ccfc_slice s = ccfc_buf_view(words);
	const char *nl = s.len ? memchr(s.ptr, '\n', s.len) : NULL;

	if (nl)
		s.len = (size_t)(nl - s.ptr);
	if (ccfc_slice_starts(s, "fatal: "))
		s = ccfc_slice(s.ptr + 7, s.len - 7);
	return s.len > 300 ? ccfc_slice(s.ptr, 300) : s;
}

static int judge(int status, const struct ccfc_buf *words, struct ccfc_err *err)
{
	struct ccfc_slice say = first_words(words);
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (!code)
		return 0;
	if (code == NOT_FOUND && !say.len)
		return ccfc_err_set(err, CCFC_EIO, "git: not found in PATH");
	if (code == NO_DIRECTORY && !say.len)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "git: the directory does not exist");
	if (!say.len)
		return ccfc_err_set(err, CCFC_EIO, "git: ended with %d", code);
	return ccfc_err_set(err, CCFC_ENOTFOUND, "git: %.*s", (int)say.len,
			    say.ptr);
}

static void close_pipe(const int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

int ccfc_git_run(struct ccfc_buf *out, const char *dir, const char *const *args,
		 struct ccfc_err *err)
{
	int outs[2] = { -1, -1 }, errs[2] = { -1, -1 }, status = 0, code;
	struct ccfc_buf words = CCFC_BUF_INIT;
	pid_t pid = -1;

	/* Where a parent has it ignored, a child's status would be lost. */
	signal(SIGCHLD, SIG_DFL);
	if (!ccfc_fd_pipe(outs) && !ccfc_fd_pipe(errs))
		pid = fork();
	if (pid == 0)
		exec_git(dir, args, outs[1], errs[1]);
	if (pid < 0) {
		code = ccfc_err_io(err, errno, "git");
		close_pipe(outs);
		close_pipe(errs);
		return code;
	}
	close(outs[1]);
	close(errs[1]);
	drain(out, &words, outs[0], errs[0]);
	close(outs[0]);
	close(errs[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	code = judge(status, &words, err);
	if (!code && out->len > CCFC_REPLY_MAX_BYTES)
		code = ccfc_err_set(err, CCFC_ETOOBIG, "git: too much to read");
	ccfc_buf_release(&words);
	return code;
}

void ccfc_git_split(char **dir, char **name, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	*name = ccfc_strdup(slash ? slash + 1 : path);
	*dir = n ? ccfc_strndup(path, n) : ccfc_strdup(slash ? "/" : ".");
}
