/*
 * Secrets recognised by their shape: keys and tokens with a known prefix, JSON
 * web tokens, private keys, bearer tokens, logins in URLs; and e-mail
 * addresses. See redact_rules.h.
 */
#include "cli/redact/redact_rules.h"

#include <strings.h>

#define LOOK_MAX   200	 /* bytes of a token that decide about it */
#define LOCAL_MAX  64	 /* of an address, before the @ */
#define DOMAIN_MAX 253	 /* and after it */
#define LOGIN_MAX  512	 /* of a URL */
#define PEM_MAX	   65536 /* of a private key */

/* The characters of a token after its prefix. */
enum tail {
	ALNUM,
	UPPER,	/* capital letters and digits, just that many */
	DASHES, /* also - and _ */
	PATH,	/* and / */
	MIXED,	/* the same, with a long part that has a digit */
};

static const struct shape {
	const char *prefix;
	size_t least;
	enum tail tail;
	bool anywhere; /* also within a word */
} shapes[] = {
	{ "sk-ant-", 10, DASHES, true },
	{ "sk-", 20, MIXED, false },
	{ "sk_live_", 16, ALNUM, false },
	{ "sk_test_", 16, ALNUM, false },
	{ "rk_live_", 16, ALNUM, false },
	{ "ghp_", 20, ALNUM, true },
	{ "gho_", 20, ALNUM, true },
	{ "ghs_", 20, ALNUM, true },
	{ "ghu_", 20, ALNUM, true },
	{ "ghr_", 20, ALNUM, true },
	{ "github_pat_", 20, DASHES, true },
	{ "glpat-", 16, DASHES, true },
	{ "xoxa-", 10, DASHES, true },
	{ "xoxb-", 10, DASHES, true },
	{ "xoxp-", 10, DASHES, true },
	{ "xoxr-", 10, DASHES, true },
	{ "xoxs-", 10, DASHES, true },
	{ "xapp-", 10, DASHES, false },
	{ "AKIA", 16, UPPER, false },
	{ "ASIA", 16, UPPER, false },
	{ "AIza", 30, DASHES, false },
	{ "npm_", 30, ALNUM, false },
	{ "pypi-", 32, MIXED, false },
	{ "hf_", 30, ALNUM, false },
	{ "dop_v1_", 40, ALNUM, false },
	{ "shpat_", 24, ALNUM, false },
	{ "whsec_", 24, ALNUM, false },
	{ "hooks.slack.com/services/", 20, PATH, true },
};

bool ccfc_redact_starts(const struct ccfc_redact_scan *scan, size_t i)
{
	const char *p = scan->p;
	size_t k;

	if (!i || !ccfc_redact_alnum(p[i - 1]))
		return true;
	if (i >= 2 && p[i - 2] == '\\' && strchr("nrtbf", p[i - 1]))
		return true;
	/* ESC [ 1 ; 31 m, the first written as such or as an escape. */
	for (k = i - 1; k && i - k < 12; k--)
		if (p[k - 1] != ';' && !ccfc_redact_digit(p[k - 1]))
			break;
	return p[i - 1] == 'm' && k >= 2 && p[k - 1] == '[' &&
	       (p[k - 2] == '\033' || p[k - 2] == 'b' || p[k - 2] == '3');
}

bool ccfc_redact_has_word(const struct ccfc_redact_scan *scan, size_t i,
			  const char *word)
{
	size_t n = strlen(word);

	return i <= scan->n && scan->n - i >= n &&
	       !strncasecmp(scan->p + i, word, n);
}

static bool in_tail(char c, enum tail tail)
{
	if (tail == UPPER)
		return ccfc_redact_digit(c) || (c >= 'A' && c <= 'Z');
	return ccfc_redact_alnum(c) ||
	       (tail != ALNUM && (c == '-' || c == '_')) ||
	       (tail == PATH && c == '/');
}

/* Does it have a part of 16 letters and digits, at least one of each? */
static bool is_mixed(struct ccfc_slice s)
{
	size_t run = 0, digits = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (!ccfc_redact_alnum(s.ptr[i])) {
			run = digits = 0;
			continue;
		}
		digits += ccfc_redact_digit(s.ptr[i]);
		if (++run >= 16 && digits)
			return true;
	}
	return false;
}

static bool fits_shape(const struct ccfc_redact_scan *scan,
		       const struct shape *shape, size_t i, size_t *end)
{
	size_t start = i + strlen(shape->prefix), k = start;

	while (k < scan->n && k - start < LOOK_MAX &&
	       in_tail(scan->p[k], shape->tail))
		k++;
	if (k - start < shape->least ||
	    (shape->tail == MIXED &&
	     !is_mixed(ccfc_slice(scan->p + start, k - start))))
		return false;
	if (shape->tail == UPPER &&
	    (k - start != shape->least ||
	     (k < scan->n && ccfc_redact_alnum(scan->p[k]))))
		return false;
	while (k < scan->n && in_tail(scan->p[k], shape->tail))
		k++;
	*end = k;
	return true;
}

static bool found_secret(struct ccfc_redact_hit *hit,
			 enum ccfc_redact_kind kind, size_t start, size_t end)
{
	hit->kind = kind;
	hit->start = start;
	hit->end = end;
	hit->with = kind == CCFC_REDACT_EMAIL ? "[email]" : CCFC_REDACTED;
	return true;
}

static bool find_token(const struct ccfc_redact_scan *scan, size_t i,
		       struct ccfc_redact_hit *hit)
{
	for (size_t k = 0; k < sizeof(shapes) / sizeof(*shapes); k++) {
		const struct shape *shape = &shapes[k];
		size_t end;

		if (scan->p[i] == shape->prefix[0] &&
		    ccfc_redact_has(scan, i, shape->prefix) &&
		    (shape->anywhere || ccfc_redact_starts(scan, i)) &&
		    fits_shape(scan, shape, i, &end))
			return found_secret(hit, CCFC_REDACT_KEY, i, end);
	}
	return false;
}

/* ---- JSON web tokens: eyJ….….… ---- */

static size_t skip_base64url(const struct ccfc_redact_scan *scan, size_t k)
{
	while (k < scan->n && in_tail(scan->p[k], DASHES))
		k++;
	return k;
}

static bool find_jwt(const struct ccfc_redact_scan *scan, size_t i,
		     struct ccfc_redact_hit *hit)
{
	size_t k, second;

	/* A part is looked at from its start only: each one three times. */
	if (!ccfc_redact_has(scan, i, "eyJ") ||
	    (!ccfc_redact_starts(scan, i) ||
	     (i && (scan->p[i - 1] == '-' || scan->p[i - 1] == '_'))))
		return false;
	k = skip_base64url(scan, i);
	if (k - i < 10 || k >= scan->n || scan->p[k] != '.')
		return false;
	second = k + 1;
	k = skip_base64url(scan, second);
	if (k - second < 4)
		return false;
	if (k < scan->n && scan->p[k] == '.')
		k = skip_base64url(scan, k + 1);
	return found_secret(hit, CCFC_REDACT_KEY, i, k);
}

/* ---- private keys ---- */

/* The end of the line "-----END … PRIVATE KEY-----" after `i`, or 0. */
static size_t pem_end(struct ccfc_redact_scan *scan, size_t i)
{
	static const char mark[] = "-----END ";
	const char *at;
	size_t k;

	if (!scan->pem_known || (scan->pem_end && scan->pem_end <= i)) {
		at = memmem(scan->p + i, scan->n - i, mark, sizeof(mark) - 1);
		scan->pem_end = at ? (size_t)(at - scan->p) : 0;
		scan->pem_known = true;
	}
	if (!scan->pem_end || scan->pem_end - i > PEM_MAX)
		return 0;
	k = scan->pem_end + sizeof(mark) - 1;
	while (k < scan->n && k - scan->pem_end < 64 && scan->p[k] != '-')
		k++;
	while (k < scan->n && k - scan->pem_end < 80 && scan->p[k] == '-')
		k++;
	return k;
}

/* A block that was cut has no end: what looks like the inside of one. */
static bool is_inside(char c)
{
	return ccfc_redact_alnum(c) || (unsigned char)c >= 0x80 ||
	       (c && strchr("+/= \t\r\n\\:,-", c));
}

static bool find_pem(struct ccfc_redact_scan *scan, size_t i,
		     struct ccfc_redact_hit *hit)
{
	static const char mark[] = "-----BEGIN ", what[] = "PRIVATE KEY";
	size_t k = i + sizeof(mark) - 1, rest;

	if (!ccfc_redact_has(scan, i, mark))
		return false;
	rest = scan->n - k < 48 ? scan->n - k : 48;
	if (!memmem(scan->p + k, rest, what, sizeof(what) - 1))
		return false;
	rest = pem_end(scan, i);
	while (!rest && k < scan->n && is_inside(scan->p[k]))
		k++;
	return found_secret(hit, CCFC_REDACT_PEM, i, rest ? rest : k);
}

/* ---- Bearer, URLs, addresses ---- */

static bool find_bearer(const struct ccfc_redact_scan *scan, size_t i,
			struct ccfc_redact_hit *hit)
{
	size_t start = i + 7, k = start, digits = 0;

	if (!ccfc_redact_has_word(scan, i, "bearer ") ||
	    !ccfc_redact_starts(scan, i))
		return false;
	for (;
	     k < scan->n && (ccfc_redact_alnum(scan->p[k]) ||
			     strchr("-._~+/=", scan->p[k] ? scan->p[k] : ' '));
	     k++)
		digits += ccfc_redact_digit(scan->p[k]);
	return k - start >= 16 && digits &&
	       found_secret(hit, CCFC_REDACT_HEADER, start, k);
}

/* At the ':' of "://user:password@host". */
static bool find_login(const struct ccfc_redact_scan *scan, size_t i,
		       struct ccfc_redact_hit *hit)
{
	size_t start = i + 3, at = 0, colon = 0;

	if (!ccfc_redact_has(scan, i, "://") || !i ||
	    !ccfc_redact_alnum(scan->p[i - 1]))
		return false;
	for (size_t k = start; k < scan->n && k - start < LOGIN_MAX; k++) {
		char c = scan->p[k];

		if ((unsigned char)c <= ' ' || strchr("/?#\"'<>`\\", c))
			break;
		if (c == ':' && !colon)
			colon = k;
		if (c == '@')
			at = k;
	}
	if (!at || !colon || colon > at)
		return false;
	found_secret(hit, CCFC_REDACT_URL, start, at + 1);
	hit->with = CCFC_REDACTED "@"; /* which starts no address then */
	return true;
}

static bool in_local(char c)
{
	return ccfc_redact_alnum(c) || (c && strchr("._%+-", c));
}

/* The end of a domain with a dot and a last part of letters, or 0. */
static size_t domain_end(const struct ccfc_redact_scan *scan, size_t i)
{
	size_t k = i, dot = 0, end = 0;

	for (; k < scan->n && k - i < DOMAIN_MAX; k++) {
		char c = scan->p[k];

		if (c == '.' && k > i && scan->p[k - 1] != '.')
			dot = k;
		else if (!ccfc_redact_alnum(c) && c != '-')
			break;
		else if (dot && ccfc_redact_digit(c))
			end = 0;
		else if (dot && k - dot >= 2)
			end = k + 1;
	}
	return end;
}

/* At the '@'. */
static bool find_email(const struct ccfc_redact_scan *scan, size_t i,
		       struct ccfc_redact_hit *hit)
{
	size_t start = i, end;

	while (start && i - start < LOCAL_MAX && in_local(scan->p[start - 1]))
		start--;
	/* A literal escape in the text is not part of the address. */
	if (start && start < i && scan->p[start - 1] == '\\' &&
	    strchr("nrtbf", scan->p[start]))
		start++;
	if (start == i ||
	    (i - start == 3 && ccfc_redact_has(scan, start, "git")))
		return false;
	end = domain_end(scan, i + 1);
	return end && found_secret(hit, CCFC_REDACT_EMAIL, start, end);
}

bool ccfc_redact_secret(struct ccfc_redact_scan *scan, size_t i,
			struct ccfc_redact_hit *hit)
{
	switch (scan->p[i]) {
	case '-':
		return find_pem(scan, i, hit) || ccfc_redact_flag(scan, i, hit);
	case ':':
		return find_login(scan, i, hit) ||
		       ccfc_redact_assign(scan, i, hit);
	case '=':
		return ccfc_redact_assign(scan, i, hit);
	case '@':
		return find_email(scan, i, hit);
	case 'e':
		return find_jwt(scan, i, hit);
	case 'b':
	case 'B':
		return find_bearer(scan, i, hit);
	case 'A':
	case 'd':
	case 'g':
	case 'h':
	case 'n':
	case 'p':
	case 'r':
	case 's':
	case 'w':
	case 'x':
		return find_token(scan, i, hit);
	default:
		return false;
	}
}
