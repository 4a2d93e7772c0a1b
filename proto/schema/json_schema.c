/* JSON Schema out of the tables; see json_schema.h. */
#include "schema/json_schema.h"

#include <inttypes.h>
#include <limits.h>

static const struct {
	const char *name, *schema;
} simple_types[] = {
	{ "str", "{\"type\":\"string\"}" },
	{ "int", "{\"type\":\"integer\"}" },
	{ "num", "{\"type\":\"number\"}" },
	{ "bool", "{\"type\":\"boolean\"}" },
	{ "nil", "{\"type\":\"null\"}" },
	{ "map", "{\"type\":\"object\"}" },
	{ "any", "{}" },
	{ "time", "{\"type\":\"string\",\"format\":\"date-time\"}" },
	/* Bytes that are not UTF-8 do not fit into a string. */
	{ "bin", "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"object\","
		 "\"properties\":{\"base64\":{\"type\":\"string\"}},"
		 "\"required\":[\"base64\"]}]}" },
};

static void put_one_type(struct ccfc_buf *out, struct ccfc_slice type);

/* Takes the first alternative of "A|B"; a '|' in brackets does not count. */
static struct ccfc_slice take_alternative(struct ccfc_slice *type)
{
	struct ccfc_slice one = *type;
	int depth = 0;

	for (size_t i = 0; i < type->len; i++) {
		char c = type->ptr[i];

		depth += (c == '[' || c == '{') - (c == ']' || c == '}');
		if (c != '|' || depth)
			continue;
		one.len = i;
		*type = ccfc_slice_from(*type, i + 1);
		return one;
	}
	*type = CCFC_SLICE_NONE;
	return one;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as one type of the schema nests */
void ccfc_schema_type_json(struct ccfc_buf *out, struct ccfc_slice type)
{
	struct ccfc_slice rest = type, one = take_alternative(&rest);

	if (!rest.len) {
		put_one_type(out, one);
		return;
	}
	ccfc_buf_puts(out, "{\"anyOf\":[");
	for (rest = type; rest.len;) {
		put_one_type(out, take_alternative(&rest));
		ccfc_buf_putc(out, ',');
	}
	/* Without the last comma. */
	out->len--;
	ccfc_buf_puts(out, "]}");
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as one type of the schema nests */
static void put_one_type(struct ccfc_buf *out, struct ccfc_slice type)
{
	struct ccfc_slice inner =
		type.len > 2 ? ccfc_slice(type.ptr + 1, type.len - 2) : type;

	for (size_t i = 0; i < sizeof(simple_types) / sizeof(*simple_types);
	     i++)
		if (ccfc_slice_is(type, simple_types[i].name)) {
			ccfc_buf_puts(out, simple_types[i].schema);
			return;
		}
	if (*type.ptr == '[') {
		ccfc_buf_puts(out, "{\"type\":\"array\",\"items\":");
		ccfc_schema_type_json(out, inner);
		ccfc_buf_putc(out, '}');
	} else if (*type.ptr == '{') {
		ccfc_buf_puts(out,
			      "{\"type\":\"object\",\"additionalProperties\":");
		ccfc_schema_type_json(out, inner);
		ccfc_buf_putc(out, '}');
	} else {
		ccfc_buf_puts(out, "{\"$ref\":\"#/components/schemas/");
		ccfc_buf_slice(out, type);
		ccfc_buf_puts(out, "\"}");
	}
}

void ccfc_schema_option_json(struct ccfc_buf *out, enum ccfc_option option)
{
	const struct ccfc_option_row *row = &ccfc_option_rows[option];

	switch (row->kind) {
	case CCFC_KIND_FLAG:
		ccfc_buf_puts(out, "{\"type\":\"boolean\"}");
		break;
	case CCFC_KIND_NUMBER:
	case CCFC_KIND_LINE:
		ccfc_buf_printf(out,
				"{\"type\":\"integer\",\"minimum\":%" PRId64,
				row->least);
		if (row->most < INT32_MAX)
			ccfc_buf_printf(out, ",\"maximum\":%" PRId64,
					row->most);
		ccfc_buf_putc(out, '}');
		break;
	case CCFC_KIND_LIST:
	case CCFC_KIND_ENDINGS:
	case CCFC_KIND_STATES:
	case CCFC_KIND_PROOFS:
		ccfc_buf_puts(out, "{\"type\":\"array\",\"items\":"
				   "{\"type\":\"string\"}}");
		break;
	default:
		ccfc_buf_puts(out, "{\"type\":\"string\"}");
		break;
	}
}
