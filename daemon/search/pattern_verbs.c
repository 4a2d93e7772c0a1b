/* Finding verbs and \G; see pattern_verbs.h. */
#include "search/pattern_verbs.h"

static bool stands_at(struct ccfc_slice s, size_t at, const char *what)
{
	size_t n = strlen(what);

	return s.len - at >= n && !memcmp(s.ptr + at, what, n);
}

/* Skips to after the next `what` from `at` on, or to the end. */
static size_t skip_past(struct ccfc_slice s, size_t at, const char *what)
{
	while (at < s.len && !stands_at(s, at, what))
		at++;
	return at < s.len ? at + strlen(what) : at;
}

/* Skips the escape at `at` with everything that it quotes. */
static size_t skip_escape(struct ccfc_slice s, size_t at)
{
	return stands_at(s, at, "\\Q") ? skip_past(s, at + 2, "\\E") : at + 2;
}

/* Skips the class whose bracket is at `at`. */
static size_t skip_class(struct ccfc_slice s, size_t at)
{
	at += stands_at(s, at, "[^") ? 2 : 1;
	at += at < s.len && s.ptr[at] == ']';
	while (at < s.len && s.ptr[at] != ']') {
		if (s.ptr[at] == '\\')
			at = skip_escape(s, at);
		else if (stands_at(s, at, "[:"))
			at = skip_past(s, at, ":]");
		else
			at++;
	}
	return at + 1;
}

static bool is_verb(struct ccfc_slice s, size_t at)
{
	char c;

	if (!stands_at(s, at, "(*") || s.len - at < 3)
		return false;
	c = s.ptr[at + 2];
	return c == ':' || (c >= 'A' && c <= 'Z');
}

int ccfc_pattern_verbs_refuse(struct ccfc_slice s, struct ccfc_err *err)
{
	for (size_t at = 0; at < s.len;) {
		if (stands_at(s, at, "\\G") || is_verb(s, at))
			return ccfc_err_set(
				err, CCFC_EINVAL,
				"bad pattern at byte %zu: %s cannot be used in "
				"a search",
				at + 1,
				s.ptr[at] == '(' ? "verbs as in (*SKIP)"
						 : "\\G");
		if (s.ptr[at] == '\\')
			at = skip_escape(s, at);
		else if (s.ptr[at] == '[')
			at = skip_class(s, at);
		else
			at++;
	}
	return 0;
}
