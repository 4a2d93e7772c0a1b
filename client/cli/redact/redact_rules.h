/*
 * Shared by the files of redact only: one place in a text, and a finding there.
 */
#ifndef CCFC_CLI_REDACT_REDACT_RULES_H
#define CCFC_CLI_REDACT_REDACT_RULES_H

#include "cli/redact/redact.h"

/* A text that is scanned from left to right. */
struct ccfc_redact_scan {
	const struct ccfc_redact *r;
	const char *p;
	size_t n;
	/* The next end of a PEM block, so that each is searched once. */
	size_t pem_end;
	bool pem_known;
};

/* [start, end) is replaced by `with`; `end` is after the place of detection. */
struct ccfc_redact_hit {
	size_t start, end;
	enum ccfc_redact_kind kind;
	const char *with;
};

/*
 * Is there something to replace at `i`? It may have started before `i`. Reads a
 * bounded number of bytes unless it finds something.
 */
typedef bool (*ccfc_redact_fn)(struct ccfc_redact_scan *scan, size_t i,
			       struct ccfc_redact_hit *hit);

/* Keys, tokens, logins, addresses. */
bool ccfc_redact_secret(struct ccfc_redact_scan *scan, size_t i,
			struct ccfc_redact_hit *hit);
/* name=value, name: "value", Authorization: …; at the '=' or ':'. */
bool ccfc_redact_assign(const struct ccfc_redact_scan *scan, size_t i,
			struct ccfc_redact_hit *hit);
/* --name value; at the first '-'. */
bool ccfc_redact_flag(const struct ccfc_redact_scan *scan, size_t i,
		      struct ccfc_redact_hit *hit);
/* Homes, names, hosts. */
bool ccfc_redact_person(struct ccfc_redact_scan *scan, size_t i,
			struct ccfc_redact_hit *hit);

#define CCFC_REDACT_NAME_MAX 64 /* bytes of a name that count */

/* How certain a name's value is a secret. */
enum ccfc_redact_name {
	CCFC_NAME_PLAIN,
	CCFC_NAME_KEY,	    /* key, auth: if the value looks like one */
	CCFC_NAME_SECRET,   /* token, secret, api_key */
	CCFC_NAME_PASSWORD, /* the value may have any form */
};
enum ccfc_redact_name ccfc_redact_classify(struct ccfc_slice name);

/* Is the value after a name of that kind to be replaced? */
bool ccfc_redact_accept(enum ccfc_redact_name name, struct ccfc_slice value);

/*
 * Does a value without quotes start like code: name(…, process.env.NAME, or a
 * variable, $NAME?
 */
bool ccfc_redact_is_code(struct ccfc_slice value);

static inline bool ccfc_redact_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static inline bool ccfc_redact_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Can a word start at `i`? Also after an escape that is spelled out (backslash
 * and n), a colour code, and any non-ASCII character, for instance a quote.
 */
bool ccfc_redact_starts(const struct ccfc_redact_scan *scan, size_t i);

/* Does the text have `word` at `i`? */
static inline bool ccfc_redact_has(const struct ccfc_redact_scan *scan,
				   size_t i, const char *word)
{
	size_t n = strlen(word);

	return i <= scan->n && scan->n - i >= n &&
	       !memcmp(scan->p + i, word, n);
}

/* The same whatever the case of letters. */
bool ccfc_redact_has_word(const struct ccfc_redact_scan *scan, size_t i,
			  const char *word);

#endif
