/*
 * Matches a pattern in a text: literally or as a PCRE2 regular expression, with
 * or without case. Without case, letters are equal exactly if PCRE2 (in UTF
 * mode) says so. Texts are valid UTF-8 and have CCFC_NEEDLE_SLACK readable
 * bytes behind them. An empty match does not count.
 *
 * A regular expression is limited: in steps at each place of a text (an error),
 * and in time by `stop`, which is called now and then.
 *
 * One thread at a time.
 */
#ifndef CCFC_SEARCH_MATCH_H
#define CCFC_SEARCH_MATCH_H

#include "base/err.h"
#include "base/slice.h"

#define CCFC_PATTERN_MAX 4096u

struct ccfc_pattern_want {
	struct ccfc_slice text;
	bool regex;
	bool case_sensitive;
	bool (*stop)(void *ctx); /* NULL: never */
	void *ctx;
};

/* A text to be searched. */
struct ccfc_text {
	struct ccfc_slice bytes;
	bool folds; /* it may contain U+017F or U+212A */
	bool valid; /* it is verified UTF-8 */
};

struct ccfc_span {
	size_t start, end;
};

struct ccfc_matcher;

/* CCFC_EINVAL: the pattern is wrong; the error has the place. */
int ccfc_matcher_new(struct ccfc_matcher **out,
		     const struct ccfc_pattern_want *want,
		     struct ccfc_err *err);
void ccfc_matcher_free(struct ccfc_matcher *matcher);

/* Must texts be verified UTF-8? See `valid`. */
bool ccfc_matcher_wants_valid(const struct ccfc_matcher *matcher);

/*
 * The first match from `from` on (the end of the previous match): 1, or 0.
 * CCFC_ETOOBIG: the pattern needs too many steps. CCFC_EAGAIN: stopped.
 */
int ccfc_matcher_find(struct ccfc_span *out, struct ccfc_matcher *matcher,
		      const struct ccfc_text *text, size_t from,
		      struct ccfc_err *err);

/* Does it contain U+017F or U+212A? */
bool ccfc_text_folds(struct ccfc_slice text);

#endif
