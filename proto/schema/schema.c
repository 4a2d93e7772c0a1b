/* The tables of the protocol; see schema.h. */
#include "schema/schema.h"

#include <ccfc/protocol.h>

const struct ccfc_option_row ccfc_option_rows[CCFC_OPTIONS] = {
#define OPTION(symbol, name, kind, field, place, least, most, about)           \
	{ name, CCFC_KIND_##kind, least, most, about },
#include "schema/options.def"
#undef OPTION
};

#define STATES_NONE	   0
#define STATES_APPLIED	   (1u << CCFC_STATE_APPLIED)
#define STATES_ALL	   ((1u << CCFC_STATE_COUNT) - 1)
#define STATES_NOT_PENDING (STATES_ALL & ~(1u << CCFC_STATE_PENDING))

const struct ccfc_method_row ccfc_method_rows[CCFC_METHODS] = {
#define METHOD(symbol, function, required, optional, limit, states, content,   \
	       waits, reply, about)                                            \
	{ CCFC_M_##symbol, required, optional, limit, STATES_##states,         \
	  content,	   waits,    reply,    about },
#include "schema/methods.def"
#undef METHOD
};

const struct ccfc_type_row ccfc_type_rows[] = {
#define TYPE(name, about)	 { CCFC_ROW_TYPE, name, NULL, about },
#define EXTENDS(name)		 { CCFC_ROW_EXTENDS, name, NULL, NULL },
#define FIELD(name, type, about) { CCFC_ROW_FIELD, name, type, about },
#include "schema/types.def"
#undef TYPE
#undef EXTENDS
#undef FIELD
};

const size_t ccfc_type_row_count =
	sizeof(ccfc_type_rows) / sizeof(*ccfc_type_rows);

int ccfc_option_find(struct ccfc_slice name)
{
	for (int i = 0; i < CCFC_OPTIONS; i++)
		if (ccfc_slice_is(name, ccfc_option_rows[i].name))
			return i;
	return -1;
}

int ccfc_method_find(struct ccfc_slice name)
{
	for (int i = 0; i < CCFC_METHODS; i++)
		if (ccfc_slice_is(name, ccfc_method_rows[i].name))
			return i;
	return -1;
}
