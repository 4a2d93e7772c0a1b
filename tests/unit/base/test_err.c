/* Errors: names and codes agree, texts are cut and never overrun. */
#include "base/err.h"

#include <ccfc/types.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_names(void **state)
{
	(void)state;
#define X(sym, num, name, text)                                                \
	assert_string_equal(ccfc_error_name(sym), name);                       \
	assert_int_equal(ccfc_error_from_name(name), sym);                     \
	assert_true((sym) < 0);
	CCFC_ERROR_LIST(X)
#undef X
	assert_string_equal(ccfc_error_name(0), "unknown");
	assert_string_equal(ccfc_error_name(-1000), "unknown");
	assert_int_equal(ccfc_error_from_name("nonsense"), 0);
}

static void test_states(void **state)
{
	int n = 0;

	(void)state;
#define X(sym, num, text)                                                      \
	assert_string_equal(ccfc_state_text(sym), text);                       \
	assert_int_equal(ccfc_state_from_text(text, strlen(text)), sym);       \
	n++;
	CCFC_STATE_LIST(X)
#undef X
	assert_int_equal(n, CCFC_STATE_COUNT);
#define X(sym, num, text) assert_string_equal(ccfc_op_text(sym), text);
	CCFC_OP_LIST(X)
#undef X
	assert_string_equal(ccfc_state_text(-1), "unknown");
	assert_string_equal(ccfc_state_text(n), "unknown");
	assert_string_equal(ccfc_op_text(99), "unknown");
	assert_int_equal(ccfc_state_from_text("applie", 6), -1);
	assert_int_equal(ccfc_state_from_text("", 0), -1);
}

static void test_set(void **state)
{
	struct ccfc_err err = { .hint = "old" };

	(void)state;
	assert_int_equal(ccfc_err_set(NULL, CCFC_EIO, "x"), CCFC_EIO);
	ccfc_err_hint(NULL, "x");
	assert_int_equal(ccfc_err_set(&err, CCFC_EIO, "%s: %d", "a", 5),
			 CCFC_EIO);
	assert_int_equal(err.code, CCFC_EIO);
	assert_string_equal(err.what, "a: 5");
	assert_string_equal(err.hint, "");
	ccfc_err_hint(&err, "do %s", "this");
	assert_string_equal(err.hint, "do this");
	/* its own text as an argument */
	ccfc_err_set(&err, CCFC_EPROTO, "b: %s", err.what);
	assert_string_equal(err.what, "b: a: 5");
	ccfc_err_set(&err, CCFC_EPROTO, "%0*d", 5000, 1);
	assert_int_equal(strlen(err.what), CCFC_ERR_WHAT_MAX - 1);
	ccfc_err_hint(&err, "%0*d", 5000, 1);
	assert_int_equal(strlen(err.hint), CCFC_ERR_HINT_MAX - 1);
	ccfc_err_errno(&err, ENOENT, "%0*d", 5000, 1);
	assert_int_equal(strlen(err.what), CCFC_ERR_WHAT_MAX - 1);
}

static void test_errno(void **state)
{
	static const struct {
		int errnum, code;
	} table[] = {
		{ ENOENT, CCFC_ENOTFOUND }, { ENOTDIR, CCFC_ENOTFOUND },
		{ EACCES, CCFC_EDENIED },   { EPERM, CCFC_EDENIED },
		{ EAGAIN, CCFC_EAGAIN },    { ENOSPC, CCFC_EIO },
	};
	struct ccfc_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_int_equal(ccfc_err_errno(&err, table[i].errnum, "open"),
				 table[i].code);
		assert_int_equal(err.code, table[i].code);
		assert_memory_equal(err.what, "open: ", 6);
		assert_string_equal(err.what + 6, strerror(table[i].errnum));
		assert_int_equal(ccfc_err_errno(NULL, table[i].errnum, "x"),
				 table[i].code);
	}
}

/* Whatever the system says, nothing that failed is "not found". */
static void test_io(void **state)
{
	static const int errnums[] = { ENOENT, ENOTDIR, EAGAIN, ENOSPC };
	struct ccfc_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(errnums) / sizeof(*errnums); i++) {
		assert_int_equal(ccfc_err_io(&err, errnums[i], "open %d", 1),
				 CCFC_EIO);
		assert_int_equal(err.code, CCFC_EIO);
		assert_memory_equal(err.what, "open 1: ", 8);
		assert_string_equal(err.what + 8, strerror(errnums[i]));
		assert_int_equal(ccfc_err_io(NULL, errnums[i], "x"), CCFC_EIO);
	}
	assert_int_equal(ccfc_err_io(&err, EACCES, "x"), CCFC_EDENIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_states),
		cmocka_unit_test(test_set),   cmocka_unit_test(test_errno),
		cmocka_unit_test(test_io),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
