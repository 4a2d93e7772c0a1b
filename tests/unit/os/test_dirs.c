/* Where things are, for every way of setting the environment. */
#include "os/dirs.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const names[] = {
	"HOME",		  "CCFC_STATE_DIR",  "CCFC_SOCKET",
	"XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME",
};

#define NAMES (sizeof(names) / sizeof(*names))

static const struct {
	const char *env[NAMES]; /* in the order of names */
	const char *state, *socket, *config;
} table[] = {
	{ { "/h" },
	  "/h/.local/state/ccfc",
	  "/h/.local/state/ccfc/ccfc.sock",
	  "/h/.config/ccfc/config" },
	{ { "/h", "", "", "", "", "" }, /* empty is unset */
	  "/h/.local/state/ccfc",
	  "/h/.local/state/ccfc/ccfc.sock",
	  "/h/.config/ccfc/config" },
	{ { "/h", NULL, NULL, "/s", "/r", "/c" },
	  "/s/ccfc",
	  "/r/ccfc/ccfc.sock",
	  "/c/ccfc/config" },
	{ { "/h", NULL, NULL, "s", "r", "c" }, /* relative XDG: ignored */
	  "/h/.local/state/ccfc",
	  "/h/.local/state/ccfc/ccfc.sock",
	  "/h/.config/ccfc/config" },
	{ { "/h", "/st", NULL, "/s", "/r" }, /* isolated */
	  "/st",
	  "/st/ccfc.sock",
	  "/h/.config/ccfc/config" },
	{ { "/h", "/st/../x/", "/so//ck", "/s", "/r" },
	  "/x",
	  "/so/ck",
	  "/h/.config/ccfc/config" },
	{ { "/h", "st", "sock" },
	  "CWD/st",
	  "CWD/sock",
	  "/h/.config/ccfc/config" },
};

static void expect(int (*fn)(struct ccfc_buf *, struct ccfc_err *),
		   const char *expected)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	char cwd[PATH_MAX] = "";

	if (!strncmp(expected, "CWD", 3)) {
		assert_non_null(getcwd(cwd, sizeof(cwd)));
		expected += 3;
	}
	assert_int_equal(fn(&out, NULL), 0);
	assert_memory_equal(out.ptr, cwd, strlen(cwd));
	assert_string_equal(out.ptr + strlen(cwd), expected);
	ccfc_buf_release(&out);
}

static void test_environment(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		for (size_t k = 0; k < NAMES; k++)
			if (table[i].env[k])
				setenv(names[k], table[i].env[k], 1);
			else
				unsetenv(names[k]);
		expect(ccfc_dirs_state, table[i].state);
		expect(ccfc_dirs_socket, table[i].socket);
		expect(ccfc_dirs_config, table[i].config);
	}
}

static void test_no_home(void **state)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_err err;

	(void)state;
	for (size_t k = 0; k < NAMES; k++)
		unsetenv(names[k]);
	assert_int_equal(ccfc_dirs_state(&out, &err), CCFC_ENOTFOUND);
	setenv("HOME", "relative", 1);
	assert_int_equal(ccfc_dirs_socket(&out, &err), CCFC_ENOTFOUND);
	assert_non_null(strstr(err.what, "HOME"));
	assert_int_equal(out.len, 0);
	setenv("CCFC_STATE_DIR", "/st", 1);
	assert_int_equal(ccfc_dirs_socket(&out, &err), 0);
	ccfc_buf_release(&out);
}

static void test_long_socket(void **state)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_err err;
	char path[200] = "/";

	(void)state;
	memset(path + 1, 'x', 107);
	setenv("CCFC_SOCKET", path, 1);
	assert_int_equal(ccfc_dirs_socket(&out, &err), CCFC_EINVAL);
	assert_non_null(strstr(err.what, "108"));
	assert_non_null(strstr(err.hint, "CCFC_SOCKET"));
	path[107] = '\0';
	setenv("CCFC_SOCKET", path, 1);
	ccfc_buf_clear(&out);
	assert_int_equal(ccfc_dirs_socket(&out, &err), 0);
	assert_int_equal(out.len, 107);
	unsetenv("CCFC_SOCKET");
	ccfc_buf_release(&out);
}

static void test_make(void **state)
{
	char top[] = "/tmp/ccfc-dirs-XXXXXX";
	char path[64];
	struct ccfc_err err;
	struct stat st;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/a/b/f", top);
	assert_int_equal(ccfc_dirs_make_parent(path, &err), 0);
	assert_int_equal(ccfc_dirs_make_parent(path, &err), 0);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof(path), "%s/a/b", top);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	/* one that is there is left as it is */
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(ccfc_dirs_make(path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	/* a file in the way */
	assert_int_equal(rmdir(path), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_true(ccfc_dirs_make(path, &err) < 0);
	assert_non_null(strstr(err.what, path));
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/a", top);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(top), 0);
	assert_int_equal(ccfc_dirs_make("/", &err), 0);
	assert_int_equal(ccfc_dirs_make_parent("/x", &err), 0);
	assert_int_equal(ccfc_dirs_make_parent("x", &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_no_home),
		cmocka_unit_test(test_long_socket),
		cmocka_unit_test(test_make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
