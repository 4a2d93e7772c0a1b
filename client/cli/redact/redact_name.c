/*
 * Does a name mean a secret, and is the value after it one?
 *
 * A name is split into words (DB_PASSWORD, dbPassword, db-password), so that
 * `token` is one and `tokenizer` and `max_tokens` are not. What is obviously no
 * secret stays, so that code can still be read: a type, null, a call, a
 * variable of the environment.
 */
#include "cli/redact/redact_rules.h"

#include <strings.h>

#define WORDS_MAX 12

/* ---- names ---- */

struct words {
	char text[CCFC_REDACT_NAME_MAX * 2];
	const char *at[WORDS_MAX];
	size_t n;
};

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Lower-case words of a name, without digits. */
static void split_words(struct words *w, struct ccfc_slice name)
{
	size_t len = 0;
	bool open = false;

	w->n = 0;
	for (size_t i = 0; i < name.len && i < CCFC_REDACT_NAME_MAX; i++) {
		char c = name.ptr[i];
		bool next_lower = i + 1 < name.len && is_lower(name.ptr[i + 1]);

		if (open && is_upper(c) &&
		    (is_lower(name.ptr[i - 1]) || next_lower))
			open = false;
		if (!is_upper(c) && !is_lower(c)) {
			open = false;
			continue;
		}
		if (!open && w->n == WORDS_MAX)
			break;
		if (!open) {
			w->text[len++] = '\0';
			w->at[w->n++] = w->text + len;
		}
		open = true;
		w->text[len++] = (char)(c | 0x20);
	}
	w->text[len] = '\0';
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static bool has_one_of(const struct words *w, const char *const *list)
{
	for (size_t i = 0; i < w->n; i++)
		if (is_one_of(w->at[i], list))
			return true;
	return false;
}

static const char *const passwords[] = { "password", "passwd", "passphrase",
					 "passcode", "pwd",    NULL };

/* PGPASSWORD has one; OLDPWD has not. */
static bool has_password(const struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (const char *const *p = passwords; *p; p++)
			if (strlen(*p) > 3
				    ? ccfc_slice_ends(ccfc_slice_str(w->at[i]),
						      *p)
				    : !strcmp(w->at[i], *p))
				return true;
	return false;
}

static const char *const secrets[] = { "secret", NULL };
/* A name is a secret if its last word is one of these. */
static const char *const tokens[] = { "token",	     "apikey",	  "credential",
				      "credentials", "accesskey", "secretkey",
				      "authtoken",   NULL };
static const char *const keys[] = { "key", "auth",    "signature", "sig",
				    "jwt", "session", "cookie",	   "sid",
				    "pat", "bearer",  "salt",	   NULL };
/* Words before "key" that make it a secret. */
static const char *const secret_keys[] = { "api",     "access",	    "private",
					   "signing", "encryption", "account",
					   "master",  "service",    "deploy",
					   "license", "client",	    NULL };
/* A last word that is about a secret, but not the secret. */
static const char *const about[] = {
	"file",	   "path",     "dir",	   "name",    "length", "len",
	"field",   "policy",   "url",	   "uri",     "input",	"label",
	"type",	   "count",    "min",	   "max",     "hint",	"prompt",
	"form",	   "manager",  "store",	   "error",   "rules",	"strength",
	"expires", "required", "enabled",  "stdin",   "ref",	"arn",
	"version", "changed",  "rotation", "scanner", NULL
};

enum ccfc_redact_name ccfc_redact_classify(struct ccfc_slice name)
{
	static const char *const public_keys[] = { "public", NULL };
	struct words w;
	const char *last;

	split_words(&w, name);
	if (!w.n)
		return CCFC_NAME_PLAIN;
	last = w.at[w.n - 1];
	if (is_one_of(last, about) || has_one_of(&w, public_keys))
		return CCFC_NAME_PLAIN;
	if (has_password(&w) || (w.n > 1 && !strcmp(last, "pass")))
		return CCFC_NAME_PASSWORD;
	if (has_one_of(&w, secrets) || is_one_of(last, tokens))
		return CCFC_NAME_SECRET;
	if (!strcmp(last, "key") && w.n > 1 &&
	    is_one_of(w.at[w.n - 2], secret_keys))
		return CCFC_NAME_SECRET;
	return is_one_of(last, keys) ? CCFC_NAME_KEY : CCFC_NAME_PLAIN;
}

/* ---- values ---- */

/* Different bytes among the first 256: few in words, many in noise. */
static size_t count_distinct_bytes(struct ccfc_slice s)
{
	bool seen[256] = { false };
	size_t n = 0;

	for (size_t i = 0; i < s.len && i < 256; i++) {
		n += !seen[(unsigned char)s.ptr[i]];
		seen[(unsigned char)s.ptr[i]] = true;
	}
	return n;
}

/* Long hex or base64; no hash of git and no UUID. */
static bool is_random(struct ccfc_slice s)
{
	size_t digits = 0, hex = 0, dashes = 0;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		digits += ccfc_redact_digit(c);
		hex += ccfc_redact_digit(c) || (c && strchr("abcdefABCDEF", c));
		dashes += c == '-';
		if (!ccfc_redact_alnum(c) && !(c && strchr("+/=_-", c)))
			return false;
	}
	if (s.len < 32 || !digits || (s.len == 40 && hex == s.len) ||
	    (s.len == 36 && dashes == 4 && hex == 32))
		return false;
	return count_distinct_bytes(s) >= (hex == s.len ? 8 : 14);
}

static bool is_all(struct ccfc_slice s, const char *set)
{
	for (size_t i = 0; i < s.len; i++)
		if (!s.ptr[i] || !strchr(set, s.ptr[i]))
			return false;
	return true;
}

static bool is_literal(struct ccfc_slice s)
{
	static const char *const words[] = {
		"null",	     "nil",	 "none",     "true",   "false",
		"undefined", "string",	 "str",	     "bytes",  "number",
		"int",	     "integer",	 "boolean",  "bool",   "any",
		"unknown",   "void",	 "optional", "object", "never",
		"required",  "await",	 "new",	     "typeof", "return",
		"lambda",    "function", "async",    "String", NULL
	};

	for (int i = 0; words[i]; i++)
		if (s.len == strlen(words[i]) &&
		    !strncasecmp(s.ptr, words[i], s.len))
			return true;
	return false;
}

bool ccfc_redact_is_code(struct ccfc_slice s)
{
	static const char *const roots[] = {
		"process.", "os.",	"env.",	     "self.",
		"this.",    "config.",	"args.",     "req.",
		"props.",   "request.", "options.",  "params.",
		"import.",  "opts.",	"settings.", NULL
	};
	size_t n = 0;

	if (s.len && strchr("$<%{", s.ptr[0] ? s.ptr[0] : ' '))
		return true;
	while (n < s.len && (ccfc_redact_alnum(s.ptr[n]) || s.ptr[n] == '_' ||
			     s.ptr[n] == '.'))
		n++;
	if (n && n < s.len && s.ptr[n] == '(')
		return true;
	for (int i = 0; roots[i]; i++)
		if (ccfc_slice_starts(s, roots[i]))
			return true;
	return false;
}

bool ccfc_redact_accept(enum ccfc_redact_name name, struct ccfc_slice value)
{
	if (name == CCFC_NAME_PLAIN || !value.len)
		return false;
	if (name == CCFC_NAME_KEY)
		return is_random(value);
	if (ccfc_slice_starts(value, "${") || ccfc_slice_starts(value, "{{") ||
	    ccfc_slice_starts(value, "[redacted") || is_literal(value) ||
	    is_all(value, "*.xX-_ "))
		return false;
	/* A number of tokens. */
	return name == CCFC_NAME_PASSWORD || value.len > 7 ||
	       !is_all(value, "0123456789.,");
}
