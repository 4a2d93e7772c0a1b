/*
 * Removes private data from texts: names of people and machines, and secrets.
 * The rules match shapes and are listed in README.md; they cannot find
 * everything. The time is always linear in the text.
 *
 * A redactor belongs to one export: it knows the names to look for, and counts
 * what it replaced.
 */
#ifndef CCFC_CLI_REDACT_REDACT_H
#define CCFC_CLI_REDACT_REDACT_H

#include "base/buf.h"
#include "wire/obj.h"
#include "wire/pack.h"

#include <stdint.h>

/* X(symbol, name in JSON, singular and plural for a sentence) */
#define CCFC_REDACT_LIST(X)                                                    \
	X(CCFC_REDACT_HOME, "homes", "home directory", "home directories")     \
	X(CCFC_REDACT_NAME, "names", "user name", "user names")                \
	X(CCFC_REDACT_HOST, "hosts", "host name", "host names")                \
	X(CCFC_REDACT_EMAIL, "emails", "e-mail address", "e-mail addresses")   \
	X(CCFC_REDACT_KEY, "keys", "key or token", "keys and tokens")          \
	X(CCFC_REDACT_PEM, "privateKeys", "private key", "private keys")       \
	X(CCFC_REDACT_HEADER, "headers", "authorization", "authorizations")    \
	X(CCFC_REDACT_URL, "urls", "login in a URL", "logins in URLs")         \
	X(CCFC_REDACT_VALUE, "values", "value of a secret", "values of secrets")

enum ccfc_redact_kind {
#define X(sym, name, one, many) sym,
	CCFC_REDACT_LIST(X)
#undef X
		CCFC_REDACT_KINDS
};

#define CCFC_REDACTED "[redacted]"

/* The warning for readers of the document. */
#define CCFC_REDACT_CAVEAT                                                     \
	"Rules go by shape and cannot promise to find everything: "            \
	"read it before you pass it on."

struct ccfc_redact {
	char *home; /* the user's own; "" if it is not known */
	char *home_encoded;
	struct {
		char **items;
		uint32_t n, cap;
	} names; /* of users */
	struct {
		char **items;
		uint32_t n, cap;
	} hosts;
	uint64_t counts[CCFC_REDACT_KINDS];
};

/* `home` and `host` may be NULL; both are copied. */
void ccfc_redact_init(struct ccfc_redact *r, const char *home,
		      const char *host);
void ccfc_redact_release(struct ccfc_redact *r);

/* Takes the user's name from a path below a home directory. */
void ccfc_redact_learn(struct ccfc_redact *r, struct ccfc_slice path);

/* Appends `s` with all findings replaced. */
void ccfc_redact_text(struct ccfc_buf *out, struct ccfc_redact *r,
		      struct ccfc_slice s);

/*
 * Packs a redacted copy of `o`: the rules are applied to every string. Below a
 * field "input" they are also applied to keys, and a string under the name of a
 * secret is replaced. Fields with fixed words of the protocol (role, type …)
 * keep their value even if it is a user's name. `skip` is a field of `o` to
 * leave out, or NULL.
 */
void ccfc_redact_pack(struct ccfc_pack *p, struct ccfc_redact *r,
		      struct ccfc_obj o, const char *skip);

/* A map of the counts by kind, of those that are not 0. */
void ccfc_redact_pack_counts(struct ccfc_pack *p, const struct ccfc_redact *r);

/* "2 home directories, 1 key or token"; "nothing". */
void ccfc_redact_describe(struct ccfc_buf *out, const struct ccfc_redact *r);

#endif
