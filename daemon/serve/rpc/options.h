/*
 * The options of a request, read and checked by the tables of proto/schema. So
 * every method reports an unknown, mistyped or invalid option in the same
 * words. Nothing here knows the index.
 */
#ifndef CCFC_SERVE_RPC_OPTIONS_H
#define CCFC_SERVE_RPC_OPTIONS_H

#include "base/arena.h"
#include "base/err.h"
#include "schema/schema.h"
#include "wire/obj.h"

#include <stdint.h>

#define CCFC_DEFAULT_CONTEXT 3

struct ccfc_clock {
	uint64_t epoch, seq;
};

struct ccfc_slices {
	struct ccfc_slice *items;
	uint32_t n;
};

struct ccfc_notify {
	struct ccfc_slice method;
	struct ccfc_obj args; /* an array, or NONE */
};

/* The C type of each kind of option. */
typedef struct ccfc_slice ccfc_option_TEXT;
typedef bool ccfc_option_FLAG;
typedef int64_t ccfc_option_NUMBER;
typedef int64_t ccfc_option_LINE;
typedef struct ccfc_slices ccfc_option_LIST;
typedef struct ccfc_slices ccfc_option_ENDINGS;
typedef uint32_t ccfc_option_STATES; /* bits */
typedef uint32_t ccfc_option_PROOFS; /* bits */
typedef int64_t ccfc_option_DATE;
typedef int64_t ccfc_option_DAY_END;
typedef struct ccfc_clock ccfc_option_CLOCK;
typedef struct ccfc_notify ccfc_option_NOTIFY;

/*
 * One field for each option of schema/options.def. Slices borrow from the
 * request, arrays from its arena. The fields stand in the table's order: there
 * is one struct for each request, so padding costs nothing.
 */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct ccfc_options {
	uint64_t given; /* bits of the options that are there and not nil */
#define OPTION(symbol, name, kind, field, ...) ccfc_option_##kind field;
#include "schema/options.def"
#undef OPTION
};

/*
 * Reads the params of `method`, which accepts the options in `allowed` and
 * needs those in `required`. `out` initially has the defaults. CCFC_EINVAL
 * names the method and the option.
 */
int ccfc_options_read(struct ccfc_options *out, const char *method,
		      struct ccfc_obj params, uint64_t allowed,
		      uint64_t required, struct ccfc_arena *arena,
		      struct ccfc_err *err);

/*
 * A copy that lives as long as `arena`. Fields for the core thread only
 * (`notify`) are left out.
 */
void ccfc_options_copy(struct ccfc_options *out,
		       const struct ccfc_options *from,
		       struct ccfc_arena *arena);

#endif
