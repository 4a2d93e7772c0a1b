/* Whether another process is alive; see process_life.h. */
#include "os/process_life.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The field of /proc/PID/stat with the start, counted after the name. */
#define START_FIELD 20

static bool read_stat(char *out, size_t cap, long pid)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, out, cap - 1);
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The name of the process is in parentheses and may hold anything. */
static uint64_t start_ticks(const char *stat)
{
	const char *p = strrchr(stat, ')');

	for (int i = 0; p && i < START_FIELD; i++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p + 1, NULL, 10) : 0;
}

/* A zombie: it stays until its parent has read its status. */
static bool has_ended(const char *stat)
{
	const char *p = strrchr(stat, ')');

	return p && p[1] == ' ' && (p[2] == 'Z' || p[2] == 'X');
}

#ifdef __linux__
static int64_t time_of(uint64_t ticks)
{
	struct timespec up, now;
	long hz = sysconf(_SC_CLK_TCK);

	if (hz <= 0 || !ticks || clock_gettime(CLOCK_BOOTTIME, &up) ||
	    clock_gettime(CLOCK_REALTIME, &now))
		return 0;
	return ((int64_t)now.tv_sec - up.tv_sec) * 1000 +
	       (now.tv_nsec - up.tv_nsec) / 1000000 +
	       (int64_t)(ticks * 1000 / (uint64_t)hz);
}
#else
static int64_t time_of(uint64_t ticks)
{
	(void)ticks;
	return 0;
}
#endif

bool ccfc_process_started(struct ccfc_process_start *out, long pid)
{
	char stat[1024];

	*out = (struct ccfc_process_start){ 0 };
	if (pid <= 0)
		return false;
	if (read_stat(stat, sizeof(stat), pid)) {
		if (has_ended(stat))
			return false;
		out->ticks = start_ticks(stat);
		out->time = time_of(out->ticks);
		return true;
	}
	return !kill((pid_t)pid, 0) || errno == EPERM;
}

int ccfc_process_fd(long pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
#else
	(void)pid;
	return -1;
#endif
}

bool ccfc_process_is_over(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&poll_fd, 1, 0) > 0;
}
