/* The pager; see pager.h. */
#include "cli/out/pager.h"

#include "base/buf.h"
#include "os/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *pager_command(void)
{
	const char *text = getenv("CCFC_PAGER");

	if (!text)
		text = getenv("PAGER");
	return text ? text : "less -FRX";
}

/*
 * Is there a program of that name in $PATH? Output for a pager that does not
 * start would be lost, so this is checked first.
 */
static bool in_path(struct ccfc_slice name)
{
	const char *dir = getenv("PATH");
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool found = false;

	while (dir && !found) {
		const char *end = dir + strcspn(dir, ":");

		ccfc_buf_clear(&path);
		ccfc_buf_append(&path, dir, (size_t)(end - dir));
		ccfc_buf_putc(&path, '/');
		ccfc_buf_slice(&path, name);
		found = !access(path.ptr, X_OK);
		dir = *end ? end + 1 : NULL;
	}
	ccfc_buf_release(&path);
	return found;
}

/* A command that starts with a path or with shell syntax is the user's own
 * business. */
static bool can_start(const char *command)
{
	size_t n = strcspn(command, " \t");

	if (!n || !strcmp(command, "cat"))
		return false;
	if (strcspn(command, "/\"'$`(=\\") < n)
		return true;
	return in_path(ccfc_slice(command, n));
}

static void run_pager(const char *command, int fd)
{
	signal(SIGPIPE, SIG_DFL);
	dup2(fd, STDIN_FILENO);
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int ccfc_pager_start(pid_t *pid)
{
	const char *command = pager_command();
	int fds[2];

	*pid = 0;
	if (!can_start(command) || ccfc_pipe(fds) < 0)
		return -1;
	*pid = fork();
	if (*pid < 0) {
		close(fds[0]);
		close(fds[1]);
		*pid = 0;
		return -1;
	}
	if (*pid == 0)
		run_pager(command, fds[0]);
	close(fds[0]);
	/* ^C belongs to the pager; we end when it does. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	return fds[1];
}

void ccfc_pager_wait(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
