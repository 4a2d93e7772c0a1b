/*
 * Who and where: home directories, the names of users, the name of the
 * machine. A home directory keeps its shape (/home/user), so that paths still
 * look like paths; one of another shape becomes "~".
 */
#include "cli/redact/redact_rules.h"

#include <strings.h>

#define NAME_LEN_MAX 64

static bool is_sep(char c)
{
	return c == '/' || c == '\\';
}

static bool in_user(char c)
{
	return ccfc_redact_alnum(c) || (unsigned char)c >= 0x80 || c == '.' ||
	       c == '_' || c == '-';
}

static bool found_person(struct ccfc_redact_hit *hit,
			 enum ccfc_redact_kind kind, size_t start, size_t end,
			 const char *with)
{
	*hit = (struct ccfc_redact_hit){ start, end, kind, with };
	return true;
}

/*
 * The end of the name that starts at `i`. On Windows it may have blanks, if a
 * separator follows.
 */
static size_t user_end(const struct ccfc_redact_scan *scan, size_t i,
		       bool windows)
{
	size_t end = i, k;

	while (end < scan->n && end - i < NAME_LEN_MAX && in_user(scan->p[end]))
		end++;
	for (k = end; windows && k < scan->n && k - i < 32 &&
		      (in_user(scan->p[k]) || scan->p[k] == ' ');)
		k++;
	if (windows && k > end && k < scan->n && is_sep(scan->p[k]))
		return k;
	while (end > i && scan->p[end - 1] == '.')
		end--;
	return end;
}

/* Placeholder names. */
static bool is_nobody(const struct ccfc_redact_scan *scan, size_t i, size_t end)
{
	static const char *const nobody[] = { "user", "shared", "public",
					      "default", NULL };

	for (int k = 0; nobody[k]; k++)
		if (end - i == strlen(nobody[k]) &&
		    ccfc_redact_has_word(scan, i, nobody[k]))
			return true;
	return end == i;
}

/* Is the separator at `i` the first of a path, or behind a drive? */
static bool starts_path(const struct ccfc_redact_scan *scan, size_t i)
{
	const char *p = scan->p;

	if (i && is_sep(p[i - 1]))
		return false;
	return ccfc_redact_starts(scan, i) ||
	       (i >= 2 && ccfc_redact_alnum(p[i - 1]) && is_sep(p[i - 2]));
}

static size_t skip_seps(const struct ccfc_redact_scan *scan, size_t i)
{
	size_t start = i;

	while (i < scan->n && i - start < 8 && is_sep(scan->p[i]))
		i++;
	return i;
}

/* "/home/NAME", "\Users\NAME", at the first separator. */
static bool find_home(const struct ccfc_redact_scan *scan, size_t i,
		      struct ccfc_redact_hit *hit)
{
	size_t k, name, end;

	if (!starts_path(scan, i))
		return false;
	k = skip_seps(scan, i);
	if (ccfc_redact_has(scan, k, "home"))
		k += 4;
	else if (ccfc_redact_has_word(scan, k, "users"))
		k += 5;
	else
		return false;
	name = skip_seps(scan, k);
	if (name == k)
		return false;
	end = user_end(scan, name, scan->p[k] == '\\');
	return !is_nobody(scan, name, end) &&
	       found_person(hit, CCFC_REDACT_HOME, name, end, "user");
}

/* A home directory of that very name: the user's own, or root's. */
static bool find_own(const struct ccfc_redact_scan *scan, size_t i,
		     const char *home, struct ccfc_redact_hit *hit)
{
	size_t end = i + strlen(home);

	if (home[0] != '/' || !home[1] || !ccfc_redact_has(scan, i, home) ||
	    !ccfc_redact_starts(scan, i) ||
	    (end < scan->n && in_user(scan->p[end]) && scan->p[end] != '.'))
		return false;
	return found_person(hit, CCFC_REDACT_HOME, i, end, "~");
}

/* The length of `name` as Claude Code encodes it, if it is at `i`. */
static size_t encoded_length(const struct ccfc_redact_scan *scan, size_t i,
			     const char *name)
{
	size_t n = strlen(name);

	if (scan->n - i < n)
		return 0;
	for (size_t k = 0; k < n; k++) {
		char c = ccfc_redact_alnum(name[k]) ? name[k] : '-';

		if (scan->p[i + k] != c)
			return 0;
	}
	return i + n < scan->n && ccfc_redact_alnum(scan->p[i + n]) ? 0 : n;
}

/* The name at `i`: a known one, or a word and a dash. */
static size_t encoded_user(const struct ccfc_redact_scan *scan, size_t i)
{
	size_t end = i;

	for (uint32_t k = 0; k < scan->r->names.n; k++) {
		size_t n = encoded_length(scan, i, scan->r->names.items[k]);

		if (n)
			return i + n;
	}
	while (end < scan->n && end - i < NAME_LEN_MAX &&
	       ccfc_redact_alnum(scan->p[end]))
		end++;
	return end < scan->n && scan->p[end] == '-' ? end : i;
}

/* "-home-NAME-", "C--Users-NAME-": directories below projects/. */
static bool find_encoded(const struct ccfc_redact_scan *scan, size_t i,
			 struct ccfc_redact_hit *hit)
{
	const char *own = scan->r->home_encoded;
	bool drive = i && ccfc_redact_has(scan, i, "--") &&
		     ccfc_redact_alnum(scan->p[i - 1]) &&
		     ccfc_redact_starts(scan, i - 1);
	size_t name = i + drive, end;

	if (!drive && i && in_user(scan->p[i - 1]))
		return false;
	if (ccfc_redact_has(scan, name, "-home-"))
		name += 6;
	else if (ccfc_redact_has(scan, name, "-Users-"))
		name += 7;
	else if (own[0] && own[1] && ccfc_redact_has(scan, i, own) &&
		 encoded_length(scan, i, own))
		return found_person(hit, CCFC_REDACT_HOME, i, i + strlen(own),
				    "-home-user");
	else
		return false;
	end = encoded_user(scan, name);
	return !is_nobody(scan, name, end) &&
	       found_person(hit, CCFC_REDACT_HOME, name, end, "user");
}

static bool is_word(const struct ccfc_redact_scan *scan, size_t i,
		    const char *word, size_t *end)
{
	*end = i + strlen(word);
	return ccfc_redact_has_word(scan, i, word) &&
	       (*end >= scan->n || !ccfc_redact_alnum(scan->p[*end]));
}

static bool find_name(const struct ccfc_redact_scan *scan, size_t i,
		      struct ccfc_redact_hit *hit)
{
	size_t end;

	if (!ccfc_redact_starts(scan, i))
		return false;
	for (uint32_t k = 0; k < scan->r->hosts.n; k++)
		if (is_word(scan, i, scan->r->hosts.items[k], &end))
			return found_person(hit, CCFC_REDACT_HOST, i, end,
					    "host");
	for (uint32_t k = 0; k < scan->r->names.n; k++)
		if (is_word(scan, i, scan->r->names.items[k], &end))
			return found_person(hit, CCFC_REDACT_NAME, i, end,
					    "user");
	return false;
}

bool ccfc_redact_person(struct ccfc_redact_scan *scan, size_t i,
			struct ccfc_redact_hit *hit)
{
	char c = scan->p[i];

	if (is_sep(c))
		return find_home(scan, i, hit) ||
		       find_own(scan, i, scan->r->home, hit) ||
		       find_own(scan, i, "/root", hit);
	if (c == '-')
		return find_encoded(scan, i, hit);
	/* A name may start with a letter beyond ASCII. */
	return (ccfc_redact_alnum(c) || (unsigned char)c >= 0x80) &&
	       find_name(scan, i, hit);
}
