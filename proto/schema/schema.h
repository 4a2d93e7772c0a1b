/*
 * The protocol as data: options, methods and the types of replies, each said
 * once, in options.def, methods.def and types.def. The daemon reads and checks
 * options by these tables, libccfc packs them, print.c writes the tables of the
 * documentation, and the functional tests check every reply against the types.
 *
 * All data is constant: any thread may use it.
 */
#ifndef CCFC_SCHEMA_SCHEMA_H
#define CCFC_SCHEMA_SCHEMA_H

#include "base/slice.h"

#include <ccfc/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- options ---- */

/* The upper limit of `maxContent`. */
#define CCFC_MAX_CONTENT_MAX (64 << 20)

enum ccfc_option {
#define OPTION(symbol, ...) CCFC_OPT_##symbol,
#include "schema/options.def"
#undef OPTION
	CCFC_OPTIONS
};

/* Sets of options. */
#define CCFC_OPT_BIT(option) ((uint64_t)1 << (option))
#define CCFC_OPT(symbol)     CCFC_OPT_BIT(CCFC_OPT_##symbol)
_Static_assert(CCFC_OPTIONS <= 64, "a set of options is 64 bits");

enum ccfc_option_kind {
	CCFC_KIND_TEXT,
	CCFC_KIND_FLAG,
	CCFC_KIND_NUMBER,
	CCFC_KIND_LINE,
	CCFC_KIND_LIST,
	CCFC_KIND_ENDINGS,
	CCFC_KIND_STATES,
	CCFC_KIND_PROOFS,
	CCFC_KIND_DATE,
	CCFC_KIND_DAY_END,
	CCFC_KIND_CLOCK,
	CCFC_KIND_NOTIFY,
	CCFC_KINDS
};

struct ccfc_option_row {
	const char *name;
	enum ccfc_option_kind kind;
	int64_t least, most;
	const char *about;
};

extern const struct ccfc_option_row ccfc_option_rows[CCFC_OPTIONS];

/* The option of that name, or -1. */
int ccfc_option_find(struct ccfc_slice name);

/* ---- methods ---- */

enum ccfc_method {
#define METHOD(symbol, ...) CCFC_METHOD_##symbol,
#include "schema/methods.def"
#undef METHOD
	CCFC_METHODS
};

struct ccfc_method_row {
	const char *name;
	uint64_t required, optional; /* sets of options */
	/* Defaults that differ from method to method: */
	int64_t limit;
	uint32_t states; /* bits */
	bool content;
	bool waits;
	const char *reply; /* a type, or "[type]" */
	const char *about;
};

extern const struct ccfc_method_row ccfc_method_rows[CCFC_METHODS];

/* The method of that name, or -1. */
int ccfc_method_find(struct ccfc_slice name);

/* ---- types of replies ---- */

/*
 * The rows of types.def in their order: a type, then its fields up to the next
 * type. See there for the grammar of `type`.
 */
struct ccfc_type_row {
	enum { CCFC_ROW_TYPE, CCFC_ROW_EXTENDS, CCFC_ROW_FIELD } row;
	const char *name;
	const char *type; /* of a field */
	const char *about;
};

extern const struct ccfc_type_row ccfc_type_rows[];
extern const size_t ccfc_type_row_count;

#endif
