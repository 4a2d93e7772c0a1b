/* The store is checked as it is on disk; damage is told, and no failure. */
#include "scratch.h"
#include "store/check.h"
#include "store/store_schema.h"
#include "store/texts/texts_write.h"

#include <fcntl.h>

static struct ccfc_check checked;

static int check(const char *dir, const struct ccfc_texts_view *view,
		 bool cancelled, struct ccfc_err *err)
{
	const struct ccfc_texts_view none = { .fd = -1 };
	atomic_bool cancel;

	ccfc_check_release(&checked);
	atomic_init(&cancel, cancelled);
	return ccfc_check_run(&checked, dir, view ? view : &none, true, &cancel,
			      err);
}

/* A store with rows in it, closed again. */
static void make_store(const char *dir)
{
	struct ccfc_index *index = ccfc_index_new("/home/u");
	struct ccfc_store *store;
	struct ccfc_err err = { 0 };
	bool stale;

	assert_int_equal(ccfc_store_new(&store, dir, &err), 0);
	assert_int_equal(ccfc_store_load(store, index, &stale, &err), 0);
	settle_and_store(store, index);
	ccfc_store_free(store);
	ccfc_index_free(index);
}

static void spoil(const char *dir, const char *name, off_t at, size_t len)
{
	char path[600], bytes[1024];
	int fd;

	memset(bytes, 0xff, sizeof(bytes));
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, len, at), len);
	close(fd);
}

static void test_index(void **state)
{
	struct ccfc_err err = { 0 };

	make_store(*state);
	assert_int_equal(check(*state, NULL, false, &err), 0);
	assert_int_equal(checked.problems.n, 0);
	assert_int_equal(checked.schema, CCFC_STORE_SCHEMA);
	assert_int_equal(checked.reader, CCFC_STORE_READER);
	spoil(*state, "index.db", 5 * 1024, 1024);
	assert_int_equal(check(*state, NULL, false, &err), 0);
	assert_in_range(checked.problems.n, 1, CCFC_CHECK_PROBLEMS);
	assert_null(strchr(checked.problems.items[0], '\n'));
	/* Nobody wants to know any more. */
	assert_int_equal(check(*state, NULL, true, &err), 0);
	spoil(*state, "index.db", 0, 100);
	assert_int_equal(check(*state, NULL, false, &err), 0);
	assert_int_equal(checked.problems.n, 1);
	assert_string_equal(checked.problems.items[0],
			    "file is not a database");
}

static void test_no_index(void **state)
{
	struct ccfc_err err = { 0 };

	assert_int_equal(check(*state, NULL, false, &err), CCFC_EIO);
	assert_non_null(strstr(err.what, "index.db: unable to open"));
}

static void test_texts(void **state)
{
	struct ccfc_text_head head = { .time = 1 };
	struct ccfc_texts_file *file;
	enum ccfc_texts_found found;
	struct ccfc_texts_view view;
	struct ccfc_err err = { 0 };

	make_store(*state);
	wipe(*state);
	make_store(*state);
	assert_int_equal(ccfc_texts_file_new(&file, *state, 0, 0, &found, &err),
			 0);
	for (int i = 0; i < 3; i++)
		ccfc_texts_file_add(file, &head, CCFC_SLICE_LIT("a text"),
				    false);
	assert_int_equal(ccfc_texts_file_flush(file, &err), 0);
	ccfc_texts_file_view(file, &view);
	assert_int_equal(check(*state, &view, false, &err), 0);
	assert_int_equal(checked.texts, 3);
	assert_int_equal(checked.damaged_texts, 0);
	spoil(*state, "texts", (off_t)view.start + 73, 1);
	assert_int_equal(check(*state, &view, false, &err), 0);
	assert_int_equal(checked.texts, 2);
	assert_int_equal(checked.damaged_texts, 1);
	assert_int_equal(check(*state, &view, true, &err), 0);
	assert_int_equal(checked.texts, 0);
	ccfc_texts_view_release(&view);
	ccfc_texts_file_free(file);
}

static int end(void **state)
{
	ccfc_check_release(&checked);
	return teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_index, setup, end),
		cmocka_unit_test_setup_teardown(test_no_index, setup, end),
		cmocka_unit_test_setup_teardown(test_texts, setup, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
