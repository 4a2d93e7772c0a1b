/*
 * Starting the daemon. The daemon here is this very program: called with
 * --ready-fd it serves server.info and server.stop, or misbehaves as the
 * variable FAKE says. Each start leaves a line in a file.
 */
#include "wire/frame.h"
#include "wire/rpc.h"

#include "scratch.h"

#include <ccfc/client.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

/* ---- the fake daemon ---- */

static void note_start(void)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/starts", getenv("CCFC_STATE_DIR"));
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (write(fd, "x", 1) != 1)
		_exit(9);
	close(fd);
}

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n - 3; /* ".", ".." and its own */
}

static void answer(int fd, const struct ccfc_rpc *rpc, int fds)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_pack p;

	ccfc_pack_init(&p, &out);
	ccfc_rpc_response_begin(&p, rpc->id);
	ccfc_pack_map(&p);
	ccfc_pack_kv_int(&p, "pid", getpid());
	ccfc_pack_kv_int(&p, "ppid", getppid());
	ccfc_pack_kv_int(&p, "sid", getsid(0));
	ccfc_pack_kv_int(&p, "fds", fds);
	ccfc_pack_end(&p);
	ccfc_rpc_response_end(&p);
	if (send(fd, out.ptr, out.len, MSG_NOSIGNAL) < 0)
		_exit(8);
	ccfc_buf_release(&out);
}

/* One request of a connection; false: it asked us to stop. */
static bool serve_one(int fd, int fds)
{
	struct ccfc_doc *doc;
	struct ccfc_rpc rpc;
	char bytes[256];
	ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
	bool stop = false;

	if (n > 0 &&
	    !ccfc_doc_parse(&doc, ccfc_slice(bytes, (size_t)n), NULL)) {
		if (!ccfc_rpc_parse(&rpc, ccfc_doc_root(doc), NULL)) {
			answer(fd, &rpc, fds);
			stop = ccfc_slice_is(rpc.method, "server.stop");
		}
		ccfc_doc_free(doc);
	}
	close(fd);
	return !stop;
}

static int fake_daemon(int ready)
{
	const char *fake = getenv("FAKE");
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fds = count_fds();
	int fd;

	alarm(600); /* whatever the test does */
	note_start();
	if (!strcmp(fake, "elsewhere")) {
		fprintf(stderr, "ccfcd: already running (pid 7)\n");
		return 0;
	}
	if (!strcmp(fake, "die")) {
		fprintf(stderr, "12:00 ccfcd warn  so\nccfcd: I die\nhint\n");
		return 1;
	}
	strcpy(addr.sun_path, getenv("CCFC_SOCKET"));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	unlink(addr.sun_path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(fd, 64) < 0)
		return 2;
	if (write(ready, "1", 1) != 1)
		return 3;
	close(ready);
	while (serve_one(accept(fd, NULL, NULL), fds))
		;
	return 0;
}

/* ---- the tests ---- */

static char self[256];

static int setup(void **state)
{
	scratch_make(state);
	setenv("CCFC_DAEMON", self, 1);
	setenv("FAKE", "serve", 1);
	return 0;
}

static long file_size(const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", scratch_dir, name);
	return stat(path, &st) < 0 ? 0 : (long)st.st_size;
}

static int64_t info(struct ccfc_client *c, const char *key)
{
	struct ccfc_reply *reply;
	int64_t v;

	assert_int_equal(ccfc_server_info(&reply, c, NULL), 0);
	v = ccfc_value_int(ccfc_value_get(ccfc_reply_value(reply), key), -1);
	ccfc_reply_free(reply);
	return v;
}

static int64_t ask(const char *key)
{
	struct ccfc_client *c;
	int64_t v;

	assert_int_equal(ccfc_client_new(&c, NULL, NULL), 0);
	v = info(c, key);
	ccfc_client_free(c);
	return v;
}

static void stop(void)
{
	struct ccfc_client *c;

	assert_int_equal(ccfc_client_new(&c, NULL, NULL), 0);
	assert_int_equal(ccfc_server_stop(c, NULL), 0);
	ccfc_client_free(c);
}

static void test_start(void **state)
{
	char path[128];
	struct stat st;
	int leak[2], status;
	int64_t pid;

	(void)state;
	/* Descriptors of the caller that it forgot to mark. */
	assert_int_equal(pipe(leak), 0);
	pid = ask("pid");
	assert_true(pid > 0 && pid != getpid());
	assert_int_equal(ask("pid"), pid); /* the same one */
	assert_int_equal(file_size("starts"), 1);
	/* 0, 1, 2 and the ready pipe; a session of its own; not our child */
	assert_int_equal(ask("fds"), 4);
	assert_int_not_equal(ask("sid"), getsid(0));
	assert_int_not_equal(ask("ppid"), getpid());
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	stop();
	close(leak[0]);
	close(leak[1]);
	snprintf(path, sizeof(path), "%s/run", scratch_dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	snprintf(path, sizeof(path), "%s/ccfcd.log", scratch_dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* A caller without stdin, stdout and stderr. */
static void test_no_stdio(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		struct ccfc_client *c;

		close(0);
		close(1);
		close(2);
		_exit(ccfc_client_new(&c, NULL, NULL) < 0 ||
		      info(c, "fds") != 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	stop();
}

#define CROWD 30

static void test_crowd(void **state)
{
	pid_t pids[CROWD];
	int go[2];

	(void)state;
	assert_int_equal(pipe(go), 0);
	for (int i = 0; i < CROWD; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct ccfc_client *c;
			char byte;

			close(go[1]);
			if (read(go[0], &byte, 1) != 0) /* all start at once */
				_exit(2);
			_exit(ccfc_client_new(&c, NULL, NULL) < 0 ||
			      info(c, "pid") <= 0);
		}
	}
	close(go[0]);
	close(go[1]);
	for (int i = 0; i < CROWD; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(file_size("starts"), 1);
	stop();
}

static void test_failures(void **state)
{
	struct ccfc_client *c;
	struct ccfc_err err;

	(void)state;
	setenv("FAKE", "die", 1);
	assert_int_equal(ccfc_client_new(&c, NULL, &err), CCFC_EUNREACHABLE);
	assert_int_equal(err.code, CCFC_EUNREACHABLE);
	assert_string_equal(err.what, "the daemon was started and ended at "
				      "once: I die");
	assert_non_null(strstr(err.hint, "/ccfcd.log"));
	assert_int_equal(file_size("starts"), 2); /* one retry */
	assert_int_equal(file_size("ccfcd.log"), 2 * 39);

	/* One runs that listens at another socket: trying again is no use. */
	setenv("FAKE", "elsewhere", 1);
	assert_int_equal(ccfc_client_new(&c, NULL, &err), CCFC_EUNREACHABLE);
	assert_non_null(strstr(err.what, "already running (pid 7), but not "
					 "at "));
	assert_non_null(strstr(err.hint, "CCFC_SOCKET"));
	assert_int_equal(file_size("starts"), 3);

	setenv("CCFC_DAEMON", "/nonexistent/ccfcd", 1);
	assert_int_equal(ccfc_client_new(&c, NULL, &err), CCFC_EUNREACHABLE);
	assert_non_null(strstr(err.what, "/nonexistent/ccfcd"));
	assert_non_null(strstr(err.what, strerror(ENOENT)));

	setenv("CCFC_NO_SPAWN", "1", 1);
	assert_int_equal(ccfc_client_new(&c, NULL, &err), CCFC_EUNREACHABLE);
	assert_non_null(strstr(err.what, "no daemon"));

	setenv("CCFC_SOCKET", "/proc/none/ccfc.sock", 1);
	setenv("CCFC_NO_SPAWN", "0", 1);
	assert_true(ccfc_client_new(&c, NULL, &err) < 0);
	assert_non_null(strstr(err.what, "/proc/none"));
}

static bool is_reachable(void)
{
	struct ccfc_client_options o = CCFC_CLIENT_OPTIONS_INIT;
	struct ccfc_client *c;

	o.spawn = CCFC_SPAWN_NEVER;
	if (ccfc_client_new(&c, &o, NULL) < 0)
		return false;
	ccfc_client_free(c);
	return true;
}

/* A daemon that was killed leaves its socket: the next client starts anew. */
static void test_stale(void **state)
{
	int64_t pid = ask("pid");

	(void)state;
	assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
	while (is_reachable())
		poll(NULL, 0, 1);
	assert_int_equal(access(scratch_socket, F_OK), 0);
	assert_int_not_equal(ask("pid"), pid);
	assert_int_equal(file_size("starts"), 2);
	stop();
}

/* Who follows events starts a daemon that crashed, and none that was stopped.
 */
static void test_follower(void **state)
{
	struct ccfc_client *c;
	int64_t pid;

	(void)state;
	pid = ask("pid");
	setenv("CCFC_NO_SPAWN", "stopped", 1);
	assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
	while (is_reachable())
		poll(NULL, 0, 1);
	assert_int_not_equal(ask("pid"), pid);
	stop();
	assert_int_equal(unlink(scratch_socket), 0);
	assert_int_equal(ccfc_client_new(&c, NULL, NULL), CCFC_EUNREACHABLE);
	assert_int_equal(file_size("starts"), 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, scratch_drop)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_start),    TEST(test_no_stdio), TEST(test_crowd),
		TEST(test_failures), TEST(test_stale),	  TEST(test_follower),
	};
	int ready;

	if (argc == 2 && sscanf(argv[1], "--ready-fd=%d", &ready) == 1)
		return fake_daemon(ready);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
