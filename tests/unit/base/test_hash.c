/* Hashes: bytes that come in pieces have the hash of the whole. */
#include "../seed.h"
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_pieces(void **state)
{
	char bytes[3000];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)seed_next();
	for (size_t len = 0; len <= sizeof(bytes); len += 1 + len / 5) {
		struct ccfc_hasher *hasher = ccfc_hasher_new();

		for (size_t at = 0, n; at < len; at += n) {
			n = 1 + seed_next() % 400;
			n = n < len - at ? n : len - at;
			ccfc_hasher_add(hasher, bytes + at, n);
		}
		assert_true(ccfc_hasher_sum(hasher) == ccfc_hash(bytes, len));
		ccfc_hasher_free(hasher);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
