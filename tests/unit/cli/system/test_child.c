/* Running other programs, and looking for them. */
#include "tree.h"

#include "cli/system/child.h"

static void in_child(const void *data)
{
	setenv("GIVEN", data, 1);
}

static void expect(const char *script, int code, const char *out,
		   const char *says)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	struct ccfc_child child;

	assert_int_equal(ccfc_child_run(&child, argv, in_child, "me", NULL), 0);
	assert_int_equal(child.code, code);
	assert_true(ccfc_slice_is(ccfc_buf_view(&child.out), out));
	assert_true(ccfc_slice_is(ccfc_child_says(&child), says));
	ccfc_child_release(&child);
}

static void test_run(void **state)
{
	(void)state;
	expect("echo $GIVEN $LC_ALL", 0, "me C\n", "");
	expect("echo a; echo b >&2; echo c >&2; exit 3", 3, "a\n", "b");
	expect("kill -9 $$", -1, "", "");
	expect("cat; exit 1", 1, "", "");
	/* It has nothing to read, and may have seen a closed pipe. */
	expect("yes | head -n 1; exit 0", 0, "y\n", "");
}

/* More than a pipe holds, on both sides. */
static void test_much(void **state)
{
	static const char *const argv[] = { "sh", "-c",
					    "head -c 300000 /dev/zero >&2; "
					    "head -c 300000 /dev/zero",
					    NULL };
	struct ccfc_child child;

	(void)state;
	assert_int_equal(ccfc_child_run(&child, argv, NULL, NULL, NULL), 0);
	assert_int_equal(child.out.len, 300000);
	assert_true(child.words.len >= 4096 && child.words.len < 300000);
	assert_int_equal(ccfc_child_says(&child).len, 300);
	ccfc_child_release(&child);
}

static void test_not_found(void **state)
{
	static const char *const argv[] = { "no-such-program", NULL };
	struct ccfc_child child;

	(void)state;
	assert_int_equal(ccfc_child_run(&child, argv, NULL, NULL, NULL), 0);
	assert_int_equal(child.code, CCFC_CHILD_NOT_FOUND);
	assert_int_equal(child.words.len, 0);
	ccfc_child_release(&child);
}

static void test_find(void **state)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	char *was = strdup(getenv("PATH"));
	char path[256];

	(void)state;
	mkdir(in_tree("a"), 0755);
	mkdir(in_tree("b"), 0755);
	put_file("a/plain", "");
	put_file("b/plain", "");
	chmod(in_tree("b/plain"), 0755);
	mkdir(in_tree("a/dir"), 0755);
	snprintf(path, sizeof(path), ".::%s:%s", in_tree("a"), in_tree("b"));
	setenv("PATH", path, 1);
	ccfc_buf_puts(&out, "=");
	assert_true(ccfc_child_find(&out, "plain"));
	assert_string_equal(out.ptr + 1, in_tree("b/plain"));
	out.len = 1;
	assert_false(ccfc_child_find(&out, "dir"));
	assert_false(ccfc_child_find(&out, "none"));
	assert_int_equal(out.len, 1);
	unsetenv("PATH");
	assert_false(ccfc_child_find(&out, "plain"));
	setenv("PATH", was, 1);
	free(was);
	ccfc_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_not_found),
		cmocka_unit_test_setup_teardown(test_find, tree_setup,
						tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
