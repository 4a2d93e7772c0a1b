/*
 * Fuzzes patterns and texts: the first byte says how, the second how long the
 * pattern is. Whatever they are, a match lies within its text and is not
 * empty, and the search comes to an end.
 */
#include "base/alloc.h"
#include "search/match.h"
#include "search/needle.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find_all(struct ccfc_matcher *m, const struct ccfc_text *text)
{
	struct ccfc_span at = { 0, 0 };
	size_t from = 0;

	while (ccfc_matcher_find(&at, m, text, from, NULL) == 1) {
		if (at.start >= at.end || at.start < from ||
		    at.end > text->bytes.len)
			abort();
		from = at.end;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ccfc_pattern_want want = { 0 };
	struct ccfc_matcher *m;
	size_t len;
	char *copy;

	if (size < 2 || size > 4096 || data[1] > size - 2)
		return 0;
	want.regex = data[0] & 1;
	want.case_sensitive = data[0] & 2;
	want.text = ccfc_slice((const char *)data + 2, data[1]);
	len = size - 2 - data[1];
	copy = ccfc_calloc(1, len + CCFC_NEEDLE_SLACK);
	if (len)
		memcpy(copy, data + size - len, len);
	if (!ccfc_matcher_new(&m, &want, NULL)) {
		/* Not said to be UTF-8: that is found out. */
		find_all(m, &(struct ccfc_text){ ccfc_slice(copy, len), true,
						 false });
		ccfc_matcher_free(m);
	}
	free(copy);
	return 0;
}
