/* The buffer: appending, formatting, consuming, handing over. */
#include "base/alloc.h"
#include "base/buf.h"

#include "../seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void test_append(void **state)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;

	(void)state;
	ccfc_buf_append(&buf, NULL, 0);
	assert_string_equal(buf.ptr, "");
	ccfc_buf_puts(&buf, "abc");
	ccfc_buf_putc(&buf, 'd');
	ccfc_buf_putc(&buf, '\0');
	ccfc_buf_slice(&buf, CCFC_SLICE_LIT("e\0f"));
	ccfc_buf_slice(&buf, CCFC_SLICE_NONE);
	assert_int_equal(buf.len, 8);
	assert_memory_equal(buf.ptr, "abcd\0e\0f", 9);
	ccfc_buf_clear(&buf);
	assert_int_equal(buf.len, 0);
	assert_string_equal(buf.ptr, "");
	ccfc_buf_release(&buf);
	assert_null(buf.ptr);
	ccfc_buf_clear(&buf);
	ccfc_buf_release(&buf);
}

static void test_printf(void **state)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;

	(void)state;
	ccfc_buf_printf(&buf, "%s", "");
	assert_string_equal(buf.ptr, "");
	ccfc_buf_printf(&buf, "%d-%s", 42, "x");
	ccfc_buf_printf(&buf, "%0*d", 5000, 7);
	assert_int_equal(buf.len, 5004);
	assert_memory_equal(buf.ptr, "42-x000", 7);
	assert_int_equal(buf.ptr[5003], '7');
	assert_int_equal(buf.ptr[5004], '\0');
	ccfc_buf_release(&buf);
}

static void test_consume(void **state)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;

	(void)state;
	ccfc_buf_consume(&buf, 1);
	ccfc_buf_puts(&buf, "abcdef");
	ccfc_buf_consume(&buf, 0);
	assert_string_equal(buf.ptr, "abcdef");
	ccfc_buf_consume(&buf, 2);
	assert_string_equal(buf.ptr, "cdef");
	assert_int_equal(buf.len, 4);
	ccfc_buf_consume(&buf, 100);
	assert_string_equal(buf.ptr, "");
	ccfc_buf_release(&buf);
}

static void test_detach(void **state)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	size_t len = 9;
	char *s = ccfc_buf_detach(&buf, &len);

	(void)state;
	assert_string_equal(s, "");
	assert_int_equal(len, 0);
	free(s);
	ccfc_buf_puts(&buf, "x");
	s = ccfc_buf_detach(&buf, NULL);
	assert_string_equal(s, "x");
	assert_null(buf.ptr);
	assert_int_equal(buf.cap, 0);
	free(s);
}

/* Appends and consumes at random; a plain array is the model. */
static void test_random(void **state)
{
	static char model[1 << 16];
	struct ccfc_buf buf = CCFC_BUF_INIT;
	size_t len = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t n = seed_below(seed_below(50) ? 20 : 3000);
		char c = (char)seed_next();

		if (seed_below(3) && len + n < sizeof(model)) {
			memset(model + len, c, n);
			memset(ccfc_buf_reserve(&buf, n), c, n);
			buf.len += n;
			len += n;
		} else {
			n = n < len ? n : len;
			memmove(model, model + n, len - n);
			ccfc_buf_consume(&buf, n);
			len -= n;
		}
		assert_int_equal(buf.len, len);
		if (len)
			assert_memory_equal(buf.ptr, model, len);
	}
	ccfc_buf_release(&buf);
}

static void test_vector(void **state)
{
	struct {
		uint32_t *items;
		uint32_t n, cap;
	} vec = { NULL, 0, 0 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		CCFC_VEC_PUSH(vec, i * 3);
	assert_int_equal(vec.n, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(vec.items[i], i * 3);
	free(vec.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_append),	cmocka_unit_test(test_printf),
		cmocka_unit_test(test_consume), cmocka_unit_test(test_detach),
		cmocka_unit_test(test_random),	cmocka_unit_test(test_vector),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
