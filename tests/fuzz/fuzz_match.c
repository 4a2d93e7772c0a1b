/*
 * Fuzzes patterns and texts: the first byte says how (bit 0: a regular
 * expression, bit 1: case counts), the pattern is the rest of the first line,
 * the text what follows. Whatever they are, a match lies within its text and
 * is not empty, and the search comes to an end.
 */
#include "fuzz.h"
#include "search/match.h"
#include "search/needle.h"

#define INPUT_MAX 4096u

static void find_all(struct ccfc_matcher *m, const struct ccfc_text *text)
{
	struct ccfc_span at = { 0, 0 };
	size_t from = 0;

	while (ccfc_matcher_find(&at, m, text, from, NULL) == 1) {
		FUZZ_REQUIRE(at.start >= from && at.start < at.end);
		FUZZ_REQUIRE(at.end <= text->bytes.len);
		from = at.end;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_pattern_want want = { 0 };
	struct ccfc_slice rest;
	struct ccfc_matcher *m;
	char *copy;

	if (size < 2 || size > INPUT_MAX)
		return 0;
	rest = ccfc_slice((const char *)data + 1, size - 1);
	want.regex = data[0] & 1;
	want.case_sensitive = data[0] & 2;
	want.text = fuzz_line(&rest);
	copy = fuzz_copy(rest.ptr, rest.len, CCFC_NEEDLE_SLACK, 0);
	if (!ccfc_matcher_new(&m, &want, NULL)) {
		/* Not said to be UTF-8: that is found out. */
		find_all(m, &(struct ccfc_text){ ccfc_slice(copy, rest.len),
						 true, false });
		ccfc_matcher_free(m);
	}
	free(copy);
	return 0;
}
