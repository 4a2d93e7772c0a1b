/*
 * A daemon that follows a script, and the command run against it: what it
 * asked, what it printed, how it ended. Both are processes of their own.
 */
#ifndef CCFC_TESTS_FAKE_H
#define CCFC_TESTS_FAKE_H

#include "cli_test.h"

#include "cli/frame/cli.h"
#include "wire/frame.h"
#include "wire/rpc.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * One request that is expected, and what happens then. `check` sees the
 * params; `answer` packs the result (none: an error with `code`); `push` sends
 * notifications of its own, before the answer if `early`.
 */
struct fake_step {
	const char *method;
	bool (*check)(struct ccfc_obj params);
	void (*answer)(struct ccfc_pack *p);
	int code;
	void (*push)(struct ccfc_pack *p);
	bool early;
};

/* What came of a run. */
struct fake_result {
	int status;	     /* exit status, -signal if it was killed */
	struct ccfc_buf out; /* stdout */
	struct ccfc_buf err; /* stderr */
	bool script_done;    /* the daemon saw just what it expected */
};

/* ---- the daemon ---- */

static void send_all(int fd, const struct ccfc_buf *buf)
{
	size_t done = 0;

	while (done < buf->len) {
		ssize_t n = send(fd, buf->ptr + done, buf->len - done,
				 MSG_NOSIGNAL);

		if (n < 0)
			return;
		done += (size_t)n;
	}
}

static bool receive(int fd, struct ccfc_buf *in, size_t *len)
{
	struct ccfc_framer framer;

	ccfc_framer_init(&framer, &ccfc_frame_request);
	for (;;) {
		char bytes[4096];
		ssize_t n;

		if (in->len && ccfc_framer_next(&framer, len, ccfc_buf_view(in),
						NULL) == 1)
			return true;
		n = read(fd, bytes, sizeof(bytes));
		if (n <= 0)
			return false;
		ccfc_buf_append(in, bytes, (size_t)n);
	}
}

static void answer(struct ccfc_pack *p, uint32_t id,
		   const struct fake_step *step)
{
	if (step->early)
		step->push(p);
	if (step->code) {
		struct ccfc_err err;

		ccfc_err_set(&err, step->code, "what: why");
		ccfc_err_hint(&err, "try\033this");
		ccfc_rpc_error(p, id, &err);
	} else {
		ccfc_rpc_response_begin(p, id);
		step->answer(p);
		ccfc_rpc_response_end(p);
	}
	if (step->push && !step->early)
		step->push(p);
}

/* One request that must be the one of `step`. */
static bool serve_step(int fd, struct ccfc_buf *in,
		       const struct fake_step *step)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_pack pack;
	struct ccfc_rpc rpc;
	size_t len;
	bool ok = receive(fd, in, &len) &&
		  !ccfc_doc_parse(&doc, ccfc_slice(in->ptr, len), NULL) &&
		  !ccfc_rpc_parse(&rpc, ccfc_doc_root(doc), NULL) &&
		  ccfc_slice_is(rpc.method, step->method) &&
		  (!step->check || step->check(rpc.params));

	if (ok) {
		ccfc_pack_init(&pack, &out);
		answer(&pack, rpc.id, step);
		send_all(fd, &out);
		ccfc_buf_consume(in, len);
	}
	ccfc_doc_free(doc);
	ccfc_buf_release(&out);
	return ok;
}

static int serve(int listener, const struct fake_step *steps)
{
	struct ccfc_buf in = CCFC_BUF_INIT;
	int fd = accept(listener, NULL, NULL);
	bool ok = fd >= 0;

	for (; ok && steps->method; steps++)
		ok = serve_step(fd, &in, steps);
	ccfc_buf_release(&in);
	close(fd);
	return ok ? 0 : 1;
}

static int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

/* ---- the command ---- */

static int run_client(const char *const *argv, const int *fds)
{
	char *words[16] = { (char *)"ccfc" };
	int argc = 1;

	for (; argc < 15 && argv[argc - 1]; argc++)
		words[argc] = (char *)argv[argc - 1];
	dup2(fds[0], STDOUT_FILENO);
	dup2(fds[1], STDERR_FILENO);
	return ccfc_cli_main(argc, words);
}

static int wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void read_back(struct ccfc_buf *out, int fd)
{
	char bytes[4096];
	ssize_t n;

	ccfc_buf_init(out);
	ccfc_buf_puts(out, "");
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		ccfc_buf_append(out, bytes, (size_t)n);
	close(fd);
}

static int temp_file(void)
{
	char path[] = "/tmp/ccfc-run-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/*
 * Runs `ccfc` with `argv` (without its name, ends with NULL) against a daemon
 * with `steps` (ends with a zeroed one), which hangs up after the last. No
 * daemon at all where `steps` is NULL.
 */
static void fake_run(struct fake_result *result, const char *const *argv,
		     const struct fake_step *steps)
{
	int fds[2] = { temp_file(), temp_file() }, listener = -1;
	char dir[] = "/tmp/ccfc-run-XXXXXX", path[64];
	pid_t server = 0, client;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s", dir);
	setenv("CCFC_SOCKET", path, 1);
	if (steps) {
		listener = listen_at(path);
		server = fork();
		if (!server)
			_exit(serve(listener, steps));
		close(listener);
	}
	client = fork();
	if (!client)
		exit(run_client(argv, fds));
	result->status = wait_for(client);
	/* A daemon that nobody called would wait for ever. */
	if (server && result->status == CCFC_EXIT_UNREACHABLE && !steps->method)
		unlink(path);
	result->script_done = !server || wait_for(server) == 0;
	read_back(&result->out, fds[0]);
	read_back(&result->err, fds[1]);
	unlink(path);
	rmdir(dir);
}

static void fake_release(struct fake_result *result)
{
	ccfc_buf_release(&result->out);
	ccfc_buf_release(&result->err);
}

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Runs the command and compares; `out` and `err` may be NULL. */
static inline void fake_check(const char *const *argv,
			      const struct fake_step *steps, int status,
			      const char *out, const char *err)
{
	struct fake_result r;

	fake_run(&r, argv, steps);
	if (out)
		assert_string_equal(r.out.ptr, out);
	if (err)
		assert_string_equal(r.err.ptr, err);
	assert_int_equal(r.status, status);
	assert_true(r.script_done);
	fake_release(&r);
}

#endif
