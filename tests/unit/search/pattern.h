/* Patterns made and counted, for the tests of matching. */
#ifndef CCFC_TEST_SEARCH_PATTERN_H
#define CCFC_TEST_SEARCH_PATTERN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../seed.h"
#include "base/buf.h"
#include "search/match.h"
#include "search/needle.h"

static inline struct ccfc_matcher *matcher(const char *pattern, bool regex,
					   bool exact)
{
	const struct ccfc_pattern_want want = { .text = ccfc_slice_str(pattern),
						.regex = regex,
						.case_sensitive = exact };
	struct ccfc_matcher *m;
	struct ccfc_err err;

	if (ccfc_matcher_new(&m, &want, &err))
		fail_msg("%s: %s", pattern, err.what);
	return m;
}

static inline int count(struct ccfc_matcher *m, struct ccfc_slice text,
			bool folds)
{
	const struct ccfc_text t = { text, folds, true };
	struct ccfc_span at = { 0, 0 };
	int n = 0;

	while (ccfc_matcher_find(&at, m, &t, at.end, NULL) == 1)
		n++;
	return n;
}

#endif
