/* The names of a path, in a real directory with a symbolic link in it. */
#include "cli_test.h"

#include "base/alloc.h"
#include "cli/frame/cwd.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char *old;  /* where the test was started */
	char *real; /* DIR/real, the directory that exists */
	char *link; /* DIR/link, a symbolic link to it */
	char dir[64];
};

static char *join(const char *a, const char *b)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;

	ccfc_buf_printf(&buf, "%s/%s", a, b);
	return ccfc_buf_detach(&buf, NULL);
}

static int setup(void **state)
{
	struct place *p = ccfc_calloc(1, sizeof(*p));
	char *tmp;

	p->old = getcwd(NULL, 0);
	strcpy(p->dir, "/tmp/ccfc-where-XXXXXX");
	if (!mkdtemp(p->dir))
		return -1;
	tmp = realpath(p->dir, NULL);
	p->real = join(tmp, "real");
	p->link = join(tmp, "link");
	free(tmp);
	*state = p;
	return mkdir(p->real, 0700) || symlink("real", p->link) ||
	       chdir(p->real);
}

static int teardown(void **state)
{
	struct place *p = *state;
	int failed = chdir(p->old);

	failed |= unlink(p->link) || rmdir(p->real) || rmdir(p->dir);
	free(p->old);
	free(p->real);
	free(p->link);
	free(p);
	return failed;
}

static void check_names(const char *cwd, const char *given, const char *main,
			const char *other)
{
	struct ccfc_cwd where;
	const char *const *names;
	struct ccfc_err err;
	char *path;

	setenv("PWD", cwd, 1);
	assert_int_equal(ccfc_cwd_init(&where, &err), 0);
	path = ccfc_cwd_absolute(&where, given);
	names = ccfc_cwd_names(&where, path, given);
	assert_string_equal(path, main);
	if (other) {
		assert_non_null(names[0]);
		assert_string_equal(names[0], other);
		assert_null(names[1]);
	} else {
		assert_null(names[0]);
	}
	free(path);
	ccfc_cwd_release(&where);
}

static void test_names(void **state)
{
	const struct place *p = *state;
	char *real = join(p->real, "gone/a.c"),
	     *link = join(p->link, "gone/a.c");

	check_names(p->real, "gone/a.c", real, NULL);
	check_names(p->real, "./x/../gone//a.c", real, NULL);
	/* the shell came through the link */
	check_names(p->link, "gone/a.c", link, real);
	/* a stale $PWD is not believed, nor one that is relative */
	check_names("/", "gone/a.c", real, NULL);
	check_names("real", "gone/a.c", real, NULL);
	/* an absolute name through the link */
	check_names(p->real, link, link, real);
	check_names(p->real, "/", "/", NULL);
	check_names(p->real, "/no/such/file", "/no/such/file", NULL);
	free(real);
	free(link);
}

static void test_short(void **state)
{
	const struct place *p = *state;
	char *a = join(p->real, "a.c"), *b = join(p->link, "a.c");
	struct ccfc_cwd where;
	struct ccfc_err err;

	setenv("PWD", p->link, 1);
	assert_int_equal(ccfc_cwd_init(&where, &err), 0);
	assert_true(ccfc_slice_is(ccfc_cwd_short(&where, ccfc_slice_str(a)),
				  "a.c"));
	assert_true(ccfc_slice_is(ccfc_cwd_short(&where, ccfc_slice_str(b)),
				  "a.c"));
	assert_true(ccfc_slice_is(
		ccfc_cwd_short(&where, ccfc_slice_str("/etc/x")), "/etc/x"));
	ccfc_cwd_release(&where);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_short),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
