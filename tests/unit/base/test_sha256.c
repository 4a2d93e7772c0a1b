/* SHA-256: the published vectors, the edges of its blocks, any cutting. */
#include "../seed.h"
#include "base/alloc.h"
#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void expect(const char *want, struct ccfc_slice bytes)
{
	char hex[CCFC_SHA256_HEX + 1];

	ccfc_sha256_hex(hex, bytes);
	assert_string_equal(hex, want);
}

/* FIPS 180-4 and the NIST examples. */
static void test_published(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb924"
		      "27ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223"
			 "b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039"
		  "a33ce45964ff2167f6ecedd419db06c1" },
		{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		  "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
		  "cf5b16a778af8380036ce59e7b049237"
		  "0b249b11e8f07a51afac45037afee9d1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect(cases[i].want, ccfc_slice_str(cases[i].text));
	expect(cases[0].want, CCFC_SLICE_NONE);
}

static void test_a_million(void **state)
{
	char *bytes = ccfc_malloc(1000000);

	(void)state;
	memset(bytes, 'a', 1000000);
	expect("cdc76e5c9914fb9281a1c7e284d73e67"
	       "f1809a48a497200e046d39ccc7112cd0",
	       ccfc_slice(bytes, 1000000));
	free(bytes);
}

/* Bytes (7 i + n) mod 251, hashed by another implementation. */
static void test_lengths(void **state)
{
	static const struct {
		size_t n;
		const char *want;
	} cases[] = {
		{ 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7"
		     "852b855" },
		{ 1, "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7"
		     "785459a" },
		{ 54, "de583e181c4237ca50744362694ad929c7ea134a15396e08ec31a452"
		      "66e17d1b" },
		{ 55, "d604dc83c754bb5890ec011f3fa0552324cb1412205b5a5e83fd17cd"
		      "4afe57ed" },
		{ 56, "0371e3fd4911ce4109ac9aaddc0ebdfe28431802ef70a966cb245da5"
		      "85f2a37e" },
		{ 57, "bdce47d7bad9c7849a36531ae5ac19e3c4413c87c20f5d00ccda7dcd"
		      "7c57bdb1" },
		{ 63, "de8f546e5d44d4fb35d25af2748ed9b6644d200d56b6b0b6e71b095b"
		      "44348dc6" },
		{ 64, "35eb8c80b4af970a05040dd151d5edad6172957c1ded27e521fdcf52"
		      "6178feb3" },
		{ 65, "c96988663bcd3779da5b1c0e499742ff48bf6148d5c044326ce3e584"
		      "5a80e6ab" },
		{ 111, "dc842a996e8510ece743d33b46a3201593fe91e90f2140785ca4895"
		       "c440369c1" },
		{ 112, "9f25c2a5d109560e264ac700a9561d55244fc68e70ead8c55ddbde5"
		       "7f167e61e" },
		{ 119, "7fb3869648ad8420f2e1a20812a61ba45c3db01dc7b391d48c2a8c1"
		       "d6f41be35" },
		{ 120, "9db2bb35e3e98f502b654e82f0051eebfa45015e36ed8c3a28d4458"
		       "6eff7372b" },
		{ 127, "f2a5ec436d60185c6d1c274da6d60d8e38d7de6b739c0fbd043d0de"
		       "24db2b7ad" },
		{ 128, "086e64af3be4bef59202dea267776bbbbe6264ad9ff0b46345743ff"
		       "fc446238e" },
		{ 129, "e565f4d90d1ed354380468d6d343eb77934d2362da37e18371bfc63"
		       "1691f5cab" },
		{ 1000, "e66c6563e3797f84573ef7dfe3a460d5d579967297ef20150d89f0"
			"c6e358221e" },
	};
	char bytes[1000];

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		for (size_t i = 0; i < cases[k].n; i++)
			bytes[i] = (char)((i * 7 + cases[k].n) % 251);
		expect(cases[k].want, ccfc_slice(bytes, cases[k].n));
	}
}

static void test_any_cutting(void **state)
{
	unsigned char bytes[400], whole[CCFC_SHA256_BYTES];
	unsigned char cut[CCFC_SHA256_BYTES];
	struct ccfc_sha256 s;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t len = seed_below(sizeof(bytes) + 1), at = 0;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (unsigned char)seed_below(256);
		ccfc_sha256_init(&s);
		ccfc_sha256_add(&s, bytes, len);
		ccfc_sha256_end(&s, whole);
		ccfc_sha256_init(&s);
		while (at < len) {
			size_t n = seed_below(seed_below(2) ? 4 : 150);

			n = n < len - at ? n : len - at;
			ccfc_sha256_add(&s, bytes + at, n);
			at += n;
		}
		ccfc_sha256_end(&s, cut);
		assert_memory_equal(whole, cut, sizeof(cut));
	}
}

/* Long texts go another way than the same text in short pieces. */
static void test_long(void **state)
{
	static unsigned char bytes[(64 << 10) + 200];
	unsigned char whole[CCFC_SHA256_BYTES], cut[CCFC_SHA256_BYTES];
	struct ccfc_sha256 s;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)seed_below(256);
	for (size_t less = 0; less < 300; less++) {
		size_t len = sizeof(bytes) - less;

		ccfc_sha256_init(&s);
		ccfc_sha256_add(&s, bytes + less % 7, len - less % 7);
		ccfc_sha256_end(&s, whole);
		ccfc_sha256_init(&s);
		for (size_t at = less % 7, n; at < len; at += n) {
			n = len - at < 1000 ? len - at : 1000;
			ccfc_sha256_add(&s, bytes + at, n);
		}
		ccfc_sha256_end(&s, cut);
		assert_memory_equal(whole, cut, sizeof(cut));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published),
		cmocka_unit_test(test_a_million),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_any_cutting),
		cmocka_unit_test(test_long),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
