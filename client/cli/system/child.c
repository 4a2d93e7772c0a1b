/*
 * Running another program; see child.h. Both of its outputs are read as they
 * arrive, so that neither pipe can fill up and block it.
 */
#include "cli/system/child.h"

#include "os/pipe.h"

#include <ccfc/protocol.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 4096
#define SAYS_MAX  300

static void exec_child(const char *const *argv, int out, int err,
		       ccfc_child_fn prepare, const void *data)
{
	int null = open("/dev/null", O_RDWR);

	setenv("LC_ALL", "C", 1);
	signal(SIGPIPE, SIG_DFL);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	if (prepare)
		prepare(data);
	execvp(argv[0], (char *const *)argv);
	_exit(CCFC_CHILD_NOT_FOUND);
}

/* False if the other side has closed the pipe. */
static bool read_available(struct ccfc_buf *buf, int fd, size_t max)
{
	char *at = ccfc_buf_reserve(buf, 65536);
	ssize_t n = read(fd, at, 65536);

	if (n < 0)
		return errno == EINTR;
	/* One byte beyond is enough to know that it was too much. */
	if (buf->len <= max)
		buf->len += (size_t)n;
	buf->ptr[buf->len] = '\0';
	return n > 0;
}

static void read_both_streams(struct ccfc_child *child, int from_out,
			      int from_err)
{
	struct pollfd fds[2] = { { from_out, POLLIN, 0 },
				 { from_err, POLLIN, 0 } };

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		if (poll(fds, 2, -1) < 0)
			continue; /* EINTR */
		if (fds[0].fd >= 0 && fds[0].revents &&
		    !read_available(&child->out, from_out,
				    CCFC_REPLY_MAX_BYTES))
			fds[0].fd = -1;
		if (fds[1].fd >= 0 && fds[1].revents &&
		    !read_available(&child->words, from_err, WORDS_MAX))
			fds[1].fd = -1;
	}
}

static void close_pipe(const int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

int ccfc_child_run(struct ccfc_child *child, const char *const *argv,
		   ccfc_child_fn prepare, const void *data,
		   struct ccfc_err *err)
{
	int outs[2] = { -1, -1 }, errs[2] = { -1, -1 }, status = 0;
	pid_t pid = -1;

	*child = (struct ccfc_child){ .code = -1 };
	/* If the parent ignored SIGCHLD, the child's status would be lost. */
	signal(SIGCHLD, SIG_DFL);
	if (!ccfc_pipe(outs) && !ccfc_pipe(errs))
		pid = fork();
	if (pid == 0)
		exec_child(argv, outs[1], errs[1], prepare, data);
	if (pid < 0) {
		int code = ccfc_err_io(err, errno, "%s", argv[0]);

		close_pipe(outs);
		close_pipe(errs);
		return code;
	}
	close(outs[1]);
	close(errs[1]);
	read_both_streams(child, outs[0], errs[0]);
	close(outs[0]);
	close(errs[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		child->code = WEXITSTATUS(status);
	return 0;
}

void ccfc_child_release(struct ccfc_child *child)
{
	ccfc_buf_release(&child->out);
	ccfc_buf_release(&child->words);
}

struct ccfc_slice ccfc_child_says(const struct ccfc_child *child)
{
	struct ccfc_slice s = ccfc_buf_view(&child->words);
	const char *nl = s.len ? memchr(s.ptr, '\n', s.len) : NULL;

	if (nl)
		s.len = (size_t)(nl - s.ptr);
	return ccfc_slice_cut(s, SAYS_MAX);
}

bool ccfc_child_find(struct ccfc_buf *out, const char *name)
{
	const char *path = getenv("PATH");
	size_t start = out->len;
	struct stat st;

	while (path && *path) {
		size_t n = strcspn(path, ":");

		ccfc_buf_append(out, path, n);
		ccfc_buf_printf(out, "/%s", name);
		/*
		 * Relative entries of $PATH depend on the current directory:
		 * they are ignored.
		 */
		if (path[0] == '/' && !access(out->ptr + start, X_OK) &&
		    !stat(out->ptr + start, &st) && S_ISREG(st.st_mode))
			return true;
		out->len = start;
		path += n + (path[n] == ':');
	}
	return false;
}
