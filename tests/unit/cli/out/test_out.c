/* Standard output: failing writes, the pager, colour; the progress bar. */
#include "cli_test.h"

#include "cli/out/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void test_full_disk(void **state)
{
	struct ccfc_out out = { .fd = open("/dev/full", O_WRONLY) };
	struct ccfc_err err;

	(void)state;
	if (out.fd < 0)
		skip();
	ccfc_buf_puts(&out.buf, "text");
	assert_int_equal(ccfc_out_finish(&out, &err), CCFC_EIO);
	assert_string_equal(err.what,
			    "writing the output: No space left on device");
	close(out.fd);
}

static void test_closed(void **state)
{
	struct ccfc_err err;
	struct ccfc_out out;

	(void)state;
	ccfc_out_init(&out, -1);
	ccfc_buf_puts(&out.buf, "text");
	assert_int_equal(ccfc_out_finish(&out, &err), CCFC_EIO);
}

static void test_reader_gone(void **state)
{
	struct ccfc_err err;
	struct ccfc_out out;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	ccfc_out_init(&out, fds[1]);
	assert_false(out.tty);
	ccfc_buf_puts(&out.buf, "text");
	assert_false(ccfc_out_flush(&out));
	assert_int_equal(out.error, EPIPE);
	assert_int_equal(ccfc_out_finish(&out, &err), 0);
	close(fds[1]);
}

/* Little is kept back, much is written at once. */
static void test_check(void **state)
{
	static char much[100000];
	struct ccfc_err err;
	struct ccfc_out out = { .fd = open("/dev/null", O_WRONLY) };

	(void)state;
	ccfc_buf_puts(&out.buf, "text");
	ccfc_out_check(&out);
	assert_int_equal(out.buf.len, 4);
	ccfc_buf_append(&out.buf, much, sizeof(much));
	ccfc_out_check(&out);
	assert_int_equal(out.buf.len, 0);
	assert_int_equal(ccfc_out_finish(&out, &err), 0);
	close(out.fd);
}

/* `lines` lines on a terminal with 5 rows: through the pager or not? */
static void check_pager(const char *pager, int lines, bool paged)
{
	char path[] = "/tmp/ccfc-out-XXXXXX", command[128], bytes[128];
	int file = mkstemp(path), null = open("/dev/null", O_WRONLY);
	struct ccfc_out out = {
		.fd = null, .tty = true, .paged = true, .width = 20, .rows = 5
	};
	struct ccfc_err err;

	assert_true(file >= 0);
	snprintf(command, sizeof(command), "%s > %s", pager, path);
	setenv("CCFC_PAGER", *pager ? command : "", 1);
	for (int i = 0; i < lines; i++)
		ccfc_buf_puts(&out.buf, "line\n");
	assert_int_equal(ccfc_out_finish(&out, &err), 0);
	assert_int_equal(read(file, bytes, sizeof(bytes)),
			 paged ? lines * 5 : 0);
	close(null);
	close(file);
	unlink(path);
}

static void test_pager(void **state)
{
	(void)state;
	check_pager("cat -", 4, false);
	check_pager("cat -", 5, true);
	check_pager("cat -", 20, true);
	check_pager("no-such-pager -x", 20, false);
	check_pager("", 20, false);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
}

static void test_color(void **state)
{
	static const struct {
		bool tty;
		const char *no_color, *term;
		enum ccfc_color color;
		bool on;
	} rows[] = {
		{ true, NULL, "xterm", CCFC_COLOR_AUTO, true },
		{ true, "", "xterm", CCFC_COLOR_AUTO, true },
		{ true, "1", "xterm", CCFC_COLOR_AUTO, false },
		{ true, "1", "xterm", CCFC_COLOR_ALWAYS, true },
		{ true, NULL, "xterm", CCFC_COLOR_NEVER, false },
		{ true, NULL, "dumb", CCFC_COLOR_AUTO, false },
		{ true, NULL, NULL, CCFC_COLOR_AUTO, false },
		{ false, NULL, "xterm", CCFC_COLOR_AUTO, false },
		{ false, NULL, NULL, CCFC_COLOR_ALWAYS, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out out = { .tty = rows[i].tty };

		unsetenv("NO_COLOR");
		unsetenv("TERM");
		if (rows[i].no_color)
			setenv("NO_COLOR", rows[i].no_color, 1);
		if (rows[i].term)
			setenv("TERM", rows[i].term, 1);
		ccfc_out_set_color(&out, rows[i].color);
		assert_int_equal(out.color, rows[i].on);
		assert_string_equal(ccfc_out_on(&out, CCFC_STYLE_OLD),
				    rows[i].on ? "\033[31m" : "");
	}
}

static void test_progress(void **state)
{
	static const struct {
		unsigned width;
		struct ccfc_progress progress;
		const char *text;
	} rows[] = {
		{ 80,
		  { 0, 0, 0, 0 },
		  "[........................................]   0%  0 of 0 "
		  "transcripts, 0 bytes" },
		{ 60,
		  { 5, 10, 500, 2000 },
		  "[#####...............]  25%  5 of 10 transcripts, "
		  "500 bytes" },
		{ 10,
		  { 10, 10, 2048, 2000 },
		  "[##########] 100%  10 of 10 transcripts, 2.0 KiB" },
		{ 10,
		  { 1, 2, 0, 0 },
		  "[#####.....]  50%  1 of 2 transcripts, 0 bytes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_progress_text(&out, rows[i].width, &rows[i].progress);
		assert_string_equal(out.ptr, rows[i].text);
		ccfc_buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_reader_gone),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_pager),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_progress),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
