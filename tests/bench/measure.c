/*
 * The stopwatch of the benchmarks. Each mode prints "p50 p99" in
 * microseconds, one line for each thing measured; things that are compared
 * are measured in turn, in one run.
 *
 *   measure exec N CMD… -- CMD… [-- CMD…]   whole processes; "@/FILE" at the
 *                                           end of an argument stands for
 *                                           the next line of /FILE each time
 *   measure inotify N DIR                   write() to inotify wake-up
 *   measure echo N                          round trip to a bare echo process
 *   measure rpc N SOCKET PATH               round trip of file.sessions
 *   measure event N SOCKET TRANSCRIPT       append to pushed event
 */
#include <errno.h>
#include <fcntl.h>
#include <msgpack.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP 20
#define BUFFER	(4u << 20)

static double *samples;
static int runs;
static char buffer[BUFFER];

__attribute__((noreturn)) static void fail(const char *what)
{
	fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void report(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), by_value);
	printf("%.1f %.1f\n", values[n / 2], values[(int)(n * 0.99)]);
}

static double run_once(char **argv)
{
	posix_spawn_file_actions_t actions;
	double began = now_us();
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ))
		fail(argv[0]);
	if (waitpid(pid, &status, 0) < 0)
		fail("waitpid");
	posix_spawn_file_actions_destroy(&actions);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		errno = ECHILD;
		fail(argv[0]);
	}
	return now_us() - began;
}

/* Splits argv at "--" into commands; returns how many. */
static int split(char **argv, char ***commands, int max)
{
	int n = 0;

	commands[n++] = argv;
	for (; *argv; argv++) {
		if (strcmp(*argv, "--") != 0)
			continue;
		*argv = NULL;
		if (n == max)
			break;
		commands[n++] = argv + 1;
	}
	return n;
}

/* An argument whose end changes each time. */
struct varied {
	char **arg;
	char *fixed; /* its beginning, which stays */
	FILE *lines;
	char text[4096];
};

/* Finds the "@/FILE" arguments of all commands; returns how many. */
static int find_varied(char **argv, struct varied *out, int max)
{
	int n = 0;

	for (; *argv && n < max; argv++) {
		char *at = strstr(*argv, "@/");

		if (!at)
			continue;
		out[n] = (struct varied){ .arg = argv, .fixed = *argv };
		out[n].lines = fopen(at + 1, "r");
		if (!out[n].lines)
			fail(at + 1);
		*at = '\0';
		n++;
	}
	return n;
}

static void vary(struct varied *v)
{
	size_t used = strlen(v->fixed);

	memcpy(v->text, v->fixed, used);
	if (!fgets(v->text + used, (int)(sizeof(v->text) - used), v->lines)) {
		rewind(v->lines);
		if (!fgets(v->text + used, (int)(sizeof(v->text) - used),
			   v->lines))
			fail("the file of arguments");
	}
	v->text[strcspn(v->text, "\n")] = '\0';
	*v->arg = v->text;
}

static void mode_exec(char **argv)
{
	static struct varied varied[4];
	int nvaried = find_varied(argv, varied, 4);
	char **commands[4];
	int n = split(argv, commands, 4);
	double *all = calloc((size_t)(n * runs), sizeof(double));

	if (!all)
		fail("memory");
	for (int i = -WARM_UP; i < runs; i++) {
		for (int k = 0; k < nvaried; k++)
			vary(&varied[k]);
		for (int k = 0; k < n; k++) {
			double took = run_once(commands[k]);

			if (i >= 0)
				all[k * runs + i] = took;
		}
	}
	for (int k = 0; k < nvaried; k++)
		fclose(varied[k].lines);
	for (int k = 0; k < n; k++)
		report(all + (size_t)k * (size_t)runs, runs);
	free(all);
}

/*
 * Floors are taken from one CPU to another: on one and the same the scheduler
 * hands over directly, which no daemon with work of its own can count on.
 */
static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* On a single CPU there is nothing to choose. */
	(void)sched_setaffinity(0, sizeof(set), &set);
}

/*
 * The writer is a process of its own that waits for a byte before each
 * append, and sends the time just before its write().
 */
static pid_t start_writer(const char *path, int pair[2])
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	pid_t pid;

	if (fd < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		fail(path);
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		char go;

		pin(1);
		close(pair[0]);
		while (read(pair[1], &go, 1) == 1) {
			double began = now_us();

			if (write(fd, "x\n", 2) != 2 ||
			    write(pair[1], &began, sizeof(began)) < 0)
				_exit(2);
		}
		_exit(0);
	}
	close(fd);
	close(pair[1]);
	return pid;
}

static void mode_inotify(char **argv)
{
	int fd = inotify_init1(IN_CLOEXEC), pair[2];
	char path[4096];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/inotify-probe", argv[0]);
	pid = start_writer(path, pair);
	pin(0);
	if (fd < 0 || inotify_add_watch(fd, argv[0], IN_MODIFY) < 0)
		fail(argv[0]);
	for (int i = -WARM_UP; i < runs; i++) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		double began, woke;

		if (write(pair[0], "g", 1) != 1 || poll(&p, 1, -1) != 1)
			fail("poll");
		woke = now_us();
		if (read(fd, buffer, sizeof(buffer)) < 0 ||
		    read(pair[0], &began, sizeof(began)) != sizeof(began))
			fail("read");
		if (i >= 0)
			samples[i] = woke - began;
	}
	close(pair[0]);
	waitpid(pid, NULL, 0);
	unlink(path);
	report(samples, runs);
}

static void mode_echo(void)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		fail("socketpair");
	pid = fork();
	if (pid == 0) {
		ssize_t n;

		pin(1);
		close(pair[0]);
		while ((n = read(pair[1], buffer, sizeof(buffer))) > 0)
			if (write(pair[1], buffer, (size_t)n) != n)
				_exit(2);
		_exit(0);
	}
	pin(0);
	close(pair[1]);
	for (int i = -WARM_UP; i < runs; i++) {
		double began = now_us();

		if (write(pair[0], buffer, 64) != 64 ||
		    read(pair[0], buffer, sizeof(buffer)) < 1)
			fail("echo");
		if (i >= 0)
			samples[i] = now_us() - began;
	}
	close(pair[0]);
	waitpid(pid, NULL, 0);
	report(samples, runs);
}

static int dial(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		fail(path);
	return fd;
}

/* A request with one text option, or with none. */
static void request(int fd, const char *method, const char *key,
		    const char *value)
{
	msgpack_sbuffer out;
	msgpack_packer pk;

	msgpack_sbuffer_init(&out);
	msgpack_packer_init(&pk, &out, msgpack_sbuffer_write);
	msgpack_pack_array(&pk, 4);
	msgpack_pack_int(&pk, 0);
	msgpack_pack_int(&pk, 1);
	msgpack_pack_str_with_body(&pk, method, strlen(method));
	msgpack_pack_array(&pk, 1);
	msgpack_pack_map(&pk, key ? 1 : 0);
	if (key) {
		msgpack_pack_str_with_body(&pk, key, strlen(key));
		msgpack_pack_str_with_body(&pk, value, strlen(value));
	}
	if (write(fd, out.data, out.size) != (ssize_t)out.size)
		fail("write");
	msgpack_sbuffer_destroy(&out);
}

/* Reads one whole message; its first element. */
static uint64_t message(int fd)
{
	static size_t have;
	msgpack_unpacked one;
	uint64_t kind;

	msgpack_unpacked_init(&one);
	for (;;) {
		size_t off = 0;
		ssize_t n;

		if (have && msgpack_unpack_next(&one, buffer, have, &off) ==
				    MSGPACK_UNPACK_SUCCESS) {
			have -= off;
			memmove(buffer, buffer + off, have);
			break;
		}
		n = read(fd, buffer + have, sizeof(buffer) - have);
		if (n <= 0)
			fail("the daemon's reply");
		have += (size_t)n;
	}
	kind = one.data.via.array.ptr[0].via.u64;
	if (kind == 1 && one.data.via.array.ptr[2].type != MSGPACK_OBJECT_NIL) {
		errno = EPROTO;
		fail("an error reply");
	}
	msgpack_unpacked_destroy(&one);
	return kind;
}

static void mode_rpc(char **argv)
{
	int fd = dial(argv[0]);

	for (int i = -WARM_UP; i < runs; i++) {
		double began = now_us();

		request(fd, "file.sessions", "path", argv[1]);
		message(fd);
		if (i >= 0)
			samples[i] = now_us() - began;
	}
	close(fd);
	report(samples, runs);
}

static size_t change_lines(char *out, size_t cap, int i)
{
	return (size_t)snprintf(
		out, cap,
		"{\"type\":\"assistant\",\"sessionId\":"
		"\"00000000-0000-4000-8000-0000000000be\",\"uuid\":\"c%d\","
		"\"cwd\":\"/home/dev/bench\","
		"\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{"
		"\"role\":\"assistant\",\"model\":\"m\",\"content\":[{"
		"\"type\":\"tool_use\",\"id\":\"toolu_bench%d\",\"name\":"
		"\"Write\",\"input\":{\"file_path\":\"/home/dev/bench/f\","
		"\"content\":\"x\"}}]}}\n"
		"{\"type\":\"user\",\"sessionId\":"
		"\"00000000-0000-4000-8000-0000000000be\",\"uuid\":\"r%d\","
		"\"cwd\":\"/home/dev/bench\","
		"\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{"
		"\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
		"\"tool_use_id\":\"toolu_bench%d\",\"content\":\"ok\"}]},"
		"\"toolUseResult\":{\"type\":\"create\",\"filePath\":"
		"\"/home/dev/bench/f\",\"content\":\"x\","
		"\"structuredPatch\":[]}}\n",
		i, i, i, i);
}

static void mode_event(char **argv)
{
	int out = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
	int fd = dial(argv[0]);
	char lines[2048];

	if (out < 0)
		fail(argv[1]);
	request(fd, "events.subscribe", NULL, NULL);
	while (message(fd) != 1)
		continue;
	for (int i = -WARM_UP; i < runs; i++) {
		size_t n = change_lines(lines, sizeof(lines), i + WARM_UP);
		double began = now_us();

		if (write(out, lines, n) != (ssize_t)n)
			fail(argv[1]);
		while (message(fd) != 2)
			continue;
		if (i >= 0)
			samples[i] = now_us() - began;
	}
	close(out);
	close(fd);
	report(samples, runs);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";

	runs = argc > 2 ? atoi(argv[2]) : 0;
	samples = calloc((size_t)(runs > 0 ? runs : 1), sizeof(*samples));
	if (!samples)
		fail("memory");
	if (runs > 0 && !strcmp(mode, "exec") && argc > 3)
		mode_exec(argv + 3);
	else if (runs > 0 && !strcmp(mode, "inotify") && argc == 4)
		mode_inotify(argv + 3);
	else if (runs > 0 && !strcmp(mode, "echo"))
		mode_echo();
	else if (runs > 0 && !strcmp(mode, "rpc") && argc == 5)
		mode_rpc(argv + 3);
	else if (runs > 0 && !strcmp(mode, "event") && argc == 5)
		mode_event(argv + 3);
	else {
		fprintf(stderr, "measure: see the top of measure.c\n");
		return 2;
	}
	free(samples);
	return 0;
}
