/*
 * Secrets recognised by the name in front of them: PASSWORD=…, "api_key": "…",
 * --token …, Authorization: Basic …. The name and the quotes stay.
 * redact_name.c decides which names and values count.
 */
#include "cli/redact/redact_rules.h"

#include <strings.h>

#define BLANKS_MAX  4
#define VALUE_MAX   4096
#define SLASHES_MAX 7

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool in_name(char c)
{
	return ccfc_redact_alnum(c) || c == '_' || c == '-' || c == '.';
}

/* The name before `i`, skipping blanks, a bracket and quotes. */
static struct ccfc_slice name_before(const struct ccfc_redact_scan *scan,
				     size_t i)
{
	const char *p = scan->p;
	size_t end = i, start;

	while (end && i - end < BLANKS_MAX && is_blank(p[end - 1]))
		end--;
	if (end && p[end - 1] == ']')
		end--;
	if (end && strchr("\"'`", p[end - 1] ? p[end - 1] : ' ')) {
		end--;
		for (int n = 0; n < SLASHES_MAX && end && p[end - 1] == '\\';
		     n++)
			end--;
	}
	for (start = end; start && end - start < CCFC_REDACT_NAME_MAX &&
			  in_name(p[start - 1]);)
		start--;
	/*
	 * A literal
	 * in the text is not part of the name.
	 */
	if (start && start < end && p[start - 1] == '\\' &&
	    strchr("nrt", p[start]))
		start++;
	return ccfc_slice(p + start, end - start);
}

/* The quote at *k with `slashes` before it; 0: none. */
static char quote_at(const struct ccfc_redact_scan *scan, size_t *k,
		     size_t *slashes)
{
	size_t at = *k;

	if (at + 1 < scan->n && strchr("brfu", scan->p[at]) && scan->p[at] &&
	    (scan->p[at + 1] == '"' || scan->p[at + 1] == '\''))
		at++;
	for (*slashes = 0;
	     at < scan->n && scan->p[at] == '\\' && *slashes < SLASHES_MAX;
	     ++*slashes)
		at++;
	if (at >= scan->n || !strchr("\"'`", scan->p[at] ? scan->p[at] : ' '))
		return 0;
	*k = at + 1;
	return scan->p[at];
}

/* The end of the quoted text from `start` on, or 0. */
static size_t quoted_end(const struct ccfc_redact_scan *scan, size_t start,
			 char quote, size_t slashes)
{
	size_t run = 0;

	for (size_t k = start; k < scan->n && k - start < VALUE_MAX; k++) {
		char c = scan->p[k];

		if (c == '\n')
			return 0;
		if (c == quote && run == slashes)
			return k - slashes;
		run = c == '\\' ? run + 1 : 0;
	}
	return 0;
}

static size_t bare_end(const struct ccfc_redact_scan *scan, size_t start)
{
	size_t k = start;

	for (; k < scan->n && (unsigned char)scan->p[k] > ' '; k++)
		if (strchr("\"'`,;&<>|)}]", scan->p[k]) ||
		    (scan->p[k] == '\\' && k + 1 < scan->n &&
		     strchr("nrt\"'\\", scan->p[k + 1])))
			break;
	return k;
}

/* The same if only random-looking text counts. */
static size_t random_end(const struct ccfc_redact_scan *scan, size_t start)
{
	size_t k = start, end;

	while (k < scan->n && (ccfc_redact_alnum(scan->p[k]) ||
			       strchr("+/_-", scan->p[k] ? scan->p[k] : ' ')))
		k++;
	for (end = k; end < scan->n && end - k < 2 && scan->p[end] == '=';)
		end++;
	return end;
}

/*
 * Takes the value that starts at `k`, quoted or not. A refused value was not
 * read beyond the next '=', so that no text is scanned twice.
 */
static bool take_value(const struct ccfc_redact_scan *scan, size_t k,
		       enum ccfc_redact_name name, bool prose,
		       struct ccfc_redact_hit *hit)
{
	size_t slashes, start = k, end = 0, some;
	char quote = quote_at(scan, &start, &slashes);

	some = scan->n - start < 64 ? scan->n - start : 64;
	if (!quote && ccfc_redact_is_code(ccfc_slice(scan->p + start, some)))
		return false;
	if (quote)
		end = quoted_end(scan, start, quote, slashes);
	if (!end)
		end = name == CCFC_NAME_KEY ? random_end(scan, start)
					    : bare_end(scan, start);
	if (!ccfc_redact_accept(name,
				ccfc_slice(scan->p + start, end - start)) ||
	    /* "The token: it is …" */
	    (prose && !quote && name == CCFC_NAME_SECRET && end - start < 6))
		return false;
	*hit = (struct ccfc_redact_hit){ start, end, CCFC_REDACT_VALUE,
					 CCFC_REDACTED };
	return true;
}

static size_t skip_blanks(const struct ccfc_redact_scan *scan, size_t k)
{
	size_t start = k;

	while (k < scan->n && k - start < BLANKS_MAX && is_blank(scan->p[k]))
		k++;
	return k;
}

/* "Authorization: Basic …": a scheme, and what follows it. */
static bool take_header(const struct ccfc_redact_scan *scan, size_t k,
			struct ccfc_redact_hit *hit)
{
	static const char *const schemes[] = { "bearer ", "basic ",  "token ",
					       "apikey ", "digest ", NULL };
	size_t slashes;

	quote_at(scan, &k, &slashes);
	for (int i = 0; schemes[i]; i++)
		if (ccfc_redact_has_word(scan, k, schemes[i])) {
			k = skip_blanks(scan, k + strlen(schemes[i]));
			break;
		}
	if (!take_value(scan, k, CCFC_NAME_SECRET, true, hit))
		return false;
	hit->kind = CCFC_REDACT_HEADER;
	return true;
}

bool ccfc_redact_assign(const struct ccfc_redact_scan *scan, size_t i,
			struct ccfc_redact_hit *hit)
{
	struct ccfc_slice name = name_before(scan, i);
	enum ccfc_redact_name kind;
	size_t k = i + 1;
	bool prose;

	if (!name.len || k >= scan->n)
		return false;
	/* Not a comparison, nor a name space; but := and =>. */
	if (scan->p[k] == scan->p[i] || scan->p[k] == '~')
		return false;
	if (scan->p[k] == '=' || scan->p[k] == '>')
		k++;
	prose = scan->p[i] == ':' && k < scan->n && is_blank(scan->p[k]);
	k = skip_blanks(scan, k);
	if (k >= scan->n)
		return false;
	if (name.len >= 13 &&
	    !strncasecmp(name.ptr + name.len - 13, "authorization", 13))
		return take_header(scan, k, hit);
	kind = ccfc_redact_classify(name);
	return kind != CCFC_NAME_PLAIN && take_value(scan, k, kind, prose, hit);
}

bool ccfc_redact_flag(const struct ccfc_redact_scan *scan, size_t i,
		      struct ccfc_redact_hit *hit)
{
	size_t start = i + 2, end = start;
	enum ccfc_redact_name kind;

	if (!ccfc_redact_has(scan, i, "--") || (i && scan->p[i - 1] == '-'))
		return false;
	while (end < scan->n && end - start < CCFC_REDACT_NAME_MAX &&
	       (ccfc_redact_alnum(scan->p[end]) || scan->p[end] == '-'))
		end++;
	if (end + 1 >= scan->n || scan->p[end] != ' ' ||
	    scan->p[end + 1] == '-')
		return false;
	kind = ccfc_redact_classify(ccfc_slice(scan->p + start, end - start));
	return kind > CCFC_NAME_KEY &&
	       take_value(scan, end + 1, kind, false, hit);
}
