/* Patterns with * and ?, and lists of words; see word_pattern.h. */
#include "transcript/word_pattern.h"

bool ccfc_pattern_match(const char *pattern, struct ccfc_slice text)
{
	const char *star = NULL; /* after the last star */
	/* the end of the bytes that the star matches so far */
	size_t retry = 0;
	size_t i = 0;

	while (i < text.len) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = i;
		} else if (*pattern == '?' ||
			   (*pattern && *pattern == text.ptr[i])) {
			pattern++;
			i++;
		} else if (star) {
			pattern = star;
			i = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool ccfc_pattern_lists(const char *list, struct ccfc_slice word)
{
	while (list && *list) {
		size_t len = strcspn(list, "|");

		if (ccfc_slice_eq(ccfc_slice(list, len), word))
			return true;
		list += len + (list[len] == '|');
	}
	return false;
}
