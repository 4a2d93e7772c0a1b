/*
 * The options of a call: its arguments, and the fields that are set in the
 * caller's struct ccfc_query. Unset fields (NULL, 0, false) are left out, so
 * that the daemon's default applies. Names and kinds are those of proto/schema.
 */
#ifndef CCFC_LIB_CALL_OPTIONS_H
#define CCFC_LIB_CALL_OPTIONS_H

#include "lib/lib.h"
#include "schema/schema.h"

/*
 * One argument of a call; the option's kind decides which of the last three
 * fields counts.
 */
struct ccfc_arg {
	enum ccfc_option option;
	const char *text;	 /* NULL: not set */
	const char *const *list; /* ends with NULL; NULL: not set */
	int64_t number;		 /* also for flags; 0: not set */
};

#define CCFC_ARG_TEXT(symbol, value)                                           \
	{                                                                      \
		.option = CCFC_OPT_##symbol, .text = (value)                   \
	}
#define CCFC_ARG_LIST(symbol, value)                                           \
	{                                                                      \
		.option = CCFC_OPT_##symbol, .list = (value)                   \
	}
#define CCFC_ARG_FLAG(symbol, value)                                           \
	{                                                                      \
		.option = CCFC_OPT_##symbol, .number = (value)                 \
	}
#define CCFC_ARG_NUMBER(symbol, value)                                         \
	{                                                                      \
		.option = CCFC_OPT_##symbol, .number = (value)                 \
	}

/*
 * Appends the map of options, packed. `query` may be NULL. CCFC_EINVAL: the
 * query has an unknown version.
 */
int ccfc_query_pack(struct ccfc_buf *out, const struct ccfc_arg *args,
		    size_t nargs, const struct ccfc_query *query,
		    struct ccfc_err *err);

#endif
