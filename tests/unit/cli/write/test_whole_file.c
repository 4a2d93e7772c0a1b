/* The writer below all others: what a name has before, between and after. */
#include "tree.h"

#include "cli/write/whole_file.h"

#include <errno.h>

static int open_tree(void)
{
	int dir = open(tree_top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(dir >= 0);
	return dir;
}

/* Names are random, and a file is made once. */
static void test_temp(void **state)
{
	char a[CCFC_TEMP_MAX], b[CCFC_TEMP_MAX];
	int dir = open_tree();
	struct stat st;

	(void)state;
	ccfc_temp_name(a);
	ccfc_temp_name(b);
	assert_int_equal(strlen(a), 22);
	assert_int_equal(strncmp(a, ".ccfc-", 6), 0);
	assert_string_not_equal(a, b);
	assert_int_equal(ccfc_temp_write(dir, a, 0600, ccfc_slice_str("old")),
			 0);
	assert_int_equal(fstatat(dir, a, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(ccfc_temp_write(dir, a, 0600, ccfc_slice_str("new")),
			 -1);
	assert_int_equal(errno, EEXIST);
	check_file(a, "old");
	close(dir);
}

static void test_place(void **state)
{
	static const struct {
		enum ccfc_placing how;
		const char *before; /* NULL: there is no file of the name */
		int error;
		const char *after, *temp;
	} rows[] = {
		{ CCFC_PLACE_NEW, NULL, 0, "new", NULL },
		{ CCFC_PLACE_NEW, "old", EEXIST, "old", "new" },
		{ CCFC_PLACE_NEW_SEEN, NULL, 0, "new", NULL },
		{ CCFC_PLACE_NEW_SEEN, "old", EEXIST, "old", "new" },
		{ CCFC_PLACE_OVER, NULL, 0, "new", NULL },
		{ CCFC_PLACE_OVER, "old", 0, "new", NULL },
#ifdef __linux__
		{ CCFC_PLACE_EXCHANGE, "old", 0, "new", "old" },
		{ CCFC_PLACE_EXCHANGE, NULL, ENOENT, NULL, "new" },
#endif
	};
	int dir = open_tree();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char temp[CCFC_TEMP_MAX];
		int r;

		unlinkat(dir, "name", 0);
		if (rows[i].before)
			put_file("name", rows[i].before);
		ccfc_temp_name(temp);
		assert_int_equal(
			ccfc_temp_write(dir, temp, 0644, ccfc_slice_str("new")),
			0);
		r = ccfc_temp_place(dir, temp, "name", rows[i].how);
		assert_int_equal(r, rows[i].error ? -1 : 0);
		if (r < 0)
			assert_int_equal(errno, rows[i].error);
		check_file("name", rows[i].after);
		check_file(temp, rows[i].temp);
		unlinkat(dir, temp, 0);
	}
	close(dir);
}

/* A directory that nothing can be made in: nothing is left behind. */
static void test_failure(void **state)
{
	int dir = open_tree();

	(void)state;
	assert_int_equal(
		ccfc_temp_write(dir, "no/such", 0600, ccfc_slice_str("x")), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(ccfc_temp_close(-1), -1);
	assert_int_equal(errno, EBADF);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_temp, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(test_place, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(test_failure, tree_setup,
						tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
