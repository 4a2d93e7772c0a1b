/* The record of setup, and the files that service managers read. */
#include "tree.h"

#include "cli/setup/service_manager.h"
#include "cli/setup/setup.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static int begin(void **state)
{
	static const char *const names[] = { "CLAUDE_CONFIG_DIR", "CCFC_SOCKET",
					     "XDG_STATE_HOME",
					     "XDG_CONFIG_HOME" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unsetenv(names[i]);
	if (tree_setup(state) < 0)
		return -1;
	setenv("HOME", tree_top, 1);
	return setenv("CCFC_STATE_DIR", in_tree("state"), 1);
}

static void test_record(void **state)
{
	static const char odd[] = "/a b%\n\xff/c";
	struct ccfc_setup_record r;

	(void)state;
	assert_int_equal(ccfc_setup_record_init(&r, NULL), 0);
	assert_int_equal(r.files.n + r.service, 0);
	ccfc_setup_record_put(&r, "/x", SHA, 1);
	ccfc_setup_record_put(&r, odd, SHA, 2);
	ccfc_setup_record_put(&r, "/x", SHA, 3);
	ccfc_setup_record_put(&r, "/y", SHA, 0);
	r.service = CCFC_SETUP_ENABLED | CCFC_SETUP_LOADED;
	assert_int_equal(ccfc_setup_record_save(&r, NULL), 0);
	ccfc_setup_record_release(&r);

	assert_int_equal(ccfc_setup_record_init(&r, NULL), 0);
	assert_int_equal(r.files.n, 3);
	assert_int_equal(r.service, CCFC_SETUP_ENABLED | CCFC_SETUP_LOADED);
	assert_int_equal(ccfc_setup_record_find(&r, "/x")->dirs, 3);
	assert_int_equal(ccfc_setup_record_find(&r, odd)->dirs, 2);
	ccfc_setup_record_drop(&r, "/x");
	ccfc_setup_record_drop(&r, "/x");
	assert_string_equal(r.files.items[0].path, odd);
	assert_string_equal(r.files.items[1].path, "/y");
	/* With nothing in it there is no record. */
	ccfc_setup_record_drop(&r, odd);
	ccfc_setup_record_drop(&r, "/y");
	assert_int_equal(ccfc_setup_record_save(&r, NULL), 0);
	assert_int_equal(access(r.path, F_OK), 0);
	r.service = 0;
	assert_int_equal(ccfc_setup_record_save(&r, NULL), 0);
	assert_int_equal(access(r.path, F_OK), -1);
	ccfc_setup_record_release(&r);
}

static void expect_line(const struct ccfc_buf *text, const char *line)
{
	if (!ccfc_slice_contains(ccfc_buf_view(text), line))
		fail_msg("no line %s in\n%s", line, text->ptr);
}

static void expect_unit(const char *daemon, const char *line)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	assert_int_equal(
		ccfc_service_write(&out, CCFC_MANAGER_SYSTEMD, daemon, NULL),
		0);
	expect_line(&out, line);
	assert_false(ccfc_slice_contains(ccfc_buf_view(&out), "@CCFC"));
	ccfc_buf_release(&out);
}

static void test_unit(void **state)
{
	static const char *const bad[] = { "/a\nb", "/a\"b", "/a\\b",
					   "/a'b",  "/\xff", "/\x7f" };
	struct ccfc_buf out = CCFC_BUF_INIT;

	(void)state;
	expect_unit("/usr/bin/ccfcd",
		    "\nExecStart=/usr/bin/ccfcd --foreground\n");
	expect_unit("/a b/%/ccfcd",
		    "\nExecStart=\"/a b/%%/ccfcd\" --foreground\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(ccfc_service_write(&out, CCFC_MANAGER_SYSTEMD,
						    bad[i], NULL),
				 CCFC_EINVAL);
	ccfc_buf_release(&out);
}

static void test_drop_in(void **state)
{
	struct ccfc_buf out = CCFC_BUF_INIT, want = CCFC_BUF_INIT;
	char *here = getcwd(NULL, 0);

	(void)state;
	unsetenv("CCFC_STATE_DIR");
	/* What a service would find by itself is not said. */
	setenv("XDG_STATE_HOME", in_tree(".local/state"), 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	setenv("CCFC_SOCKET", "", 1);
	assert_int_equal(ccfc_service_write_drop_in(&out, NULL), 0);
	assert_int_equal(out.len, 0);
	setenv("CLAUDE_CONFIG_DIR", "/a:/b", 1);
	setenv("CCFC_SOCKET", "s\"%", 1);
	assert_int_equal(ccfc_service_write_drop_in(&out, NULL), 0);
	ccfc_buf_printf(&want,
			"\n[Service]\nEnvironment=\"CLAUDE_CONFIG_DIR=/a:/b\"\n"
			"Environment=\"CCFC_SOCKET=%s/s\\\"%%%%\"\n",
			here);
	assert_true(ccfc_slice_ends(ccfc_buf_view(&out), want.ptr));
	free(here);
	ccfc_buf_release(&out);
	ccfc_buf_release(&want);
}

static void test_plist(void **state)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	(void)state;
	setenv("CLAUDE_CONFIG_DIR", "/a&b", 1);
	assert_int_equal(ccfc_service_write(&out, CCFC_MANAGER_LAUNCHD,
					    "/x<y>'\"", NULL),
			 0);
	expect_line(&out, "\t\t<string>/x&lt;y&gt;'\"</string>\n");
	expect_line(&out, "\t\t<key>CLAUDE_CONFIG_DIR</key>\n"
			  "\t\t<string>/a&amp;b</string>\n");
	expect_line(&out, "/state/ccfcd.log</string>\n");
	assert_false(ccfc_slice_contains(ccfc_buf_view(&out), "@CCFC"));
	ccfc_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_record, begin,
						tree_teardown),
		cmocka_unit_test_setup_teardown(test_unit, begin,
						tree_teardown),
		cmocka_unit_test_setup_teardown(test_drop_in, begin,
						tree_teardown),
		cmocka_unit_test_setup_teardown(test_plist, begin,
						tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
