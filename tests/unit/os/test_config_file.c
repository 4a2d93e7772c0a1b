/* Files of settings, Claude Code's directories, and the program's own path. */
#include "os/claude_dir.h"
#include "os/config_file.h"
#include "os/own_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char top[] = "/tmp/ccfc-conf-XXXXXX";
static char config[64];

static int make_top(void **state)
{
	char dir[64];

	(void)state;
	if (!mkdtemp(top))
		return -1;
	snprintf(dir, sizeof(dir), "%s/ccfc", top);
	snprintf(config, sizeof(config), "%s/ccfc/config", top);
	setenv("XDG_CONFIG_HOME", top, 1);
	return mkdir(dir, 0700);
}

static int drop_top(void **state)
{
	char dir[64];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/ccfc", top);
	unlink(config);
	rmdir(dir);
	return rmdir(top);
}

static void put(const char *text)
{
	FILE *f = fopen(config, "w");

	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	fclose(f);
}

static int note(void *data, const char *key, char *value)
{
	if (!strcmp(key, "bad"))
		return CCFC_EINVAL;
	if (!strcmp(key, "unknown"))
		return CCFC_ENOTFOUND;
	ccfc_buf_printf(data, "%s:%s|", key, value);
	return 0;
}

static void expect(const char *text, int code, const char *seen,
		   const char *what)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_err err = { 0 };
	char want[CCFC_ERR_WHAT_MAX] = "";

	ccfc_buf_puts(&out, "");
	put(text);
	assert_int_equal(ccfc_config_file_read(config, true, note, &out, &err),
			 code);
	assert_string_equal(out.ptr, seen);
	if (what)
		snprintf(want, sizeof(want), "config %s:%s", config, what);
	assert_string_equal(err.what, want);
	ccfc_buf_release(&out);
}

static void test_lines(void **state)
{
	(void)state;
	expect("", 0, "", NULL);
	expect("a=1\n\n# none\n b = x = y # why\r\nc=", 0, "a:1|b:x = y|c:|",
	       NULL);
	expect("a=1\n\nb\nc=2\n", CCFC_EINVAL, "a:1|", "3: has no '='");
	expect("unknown = 1\n", CCFC_EINVAL, "", "1: unknown key 'unknown'");
	expect("#\nbad = 1\n", CCFC_EINVAL, "", "2: bad value for 'bad'");
	unlink(config);
	assert_int_equal(ccfc_config_file_read(config, false, note, NULL, NULL),
			 0);
	assert_true(ccfc_config_file_read(config, true, note, NULL, NULL) < 0);
}

static void expect_roots(const char *claude, const char *home, const char *all)
{
	struct ccfc_claude_roots roots = { 0 };
	struct ccfc_buf out = CCFC_BUF_INIT;

	setenv("CLAUDE_CONFIG_DIR", claude, 1);
	setenv("HOME", home, 1);
	ccfc_buf_puts(&out, "");
	ccfc_claude_roots_add_all(&roots);
	for (uint32_t i = 0; i < roots.n; i++)
		ccfc_buf_printf(&out, "%s|", roots.items[i]);
	assert_string_equal(out.ptr, all);
	ccfc_claude_roots_release(&roots);
	ccfc_buf_release(&out);
}

static void test_roots(void **state)
{
	char odd[64], want[80];

	(void)state;
	unlink(config);
	expect_roots("", "/h", "/h/.claude|");
	expect_roots("", "", "");
	expect_roots("/a//b/", "/h", "/a/b|");
	expect_roots("/a:/b:/a", "/h", "/a|/b|");
	put("max-line = 1M\nroot = /c # more\nroot = /a\n");
	expect_roots("/a", "/h", "/a|/c|");
	/* Up to the line that is wrong. */
	put("root = /c\nroot\nroot = /d\n");
	expect_roots("/a", "/h", "/a|/c|");
	put("root = /c\nroot =\nroot = /d\n");
	expect_roots("/a", "/h", "/a|/c|");
	/* The home is the user's, wherever the daemon was started. */
	put("root = ~/x\nroot = ~\n");
	expect_roots("/a", "/h", "/a|/h/x|/h|");
	put("root = /c\n");
	/* A directory that is there is one, whatever its name. */
	snprintf(odd, sizeof(odd), "%s/x:y", top);
	snprintf(want, sizeof(want), "%s|/c|", odd);
	assert_int_equal(mkdir(odd, 0700), 0);
	expect_roots(odd, "/h", want);
	rmdir(odd);
}

static void test_self(void **state)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	(void)state;
	assert_true(ccfc_own_path(&path));
	assert_true(ccfc_slice_ends(ccfc_buf_view(&path), "/unit_os"));
	assert_int_equal(access(path.ptr, X_OK), 0);
	ccfc_buf_release(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_self),
	};

	return cmocka_run_group_tests(tests, make_top, drop_top);
}
