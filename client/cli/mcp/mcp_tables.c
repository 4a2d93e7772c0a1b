/* The tables of the protocol, by name; see mcp_tables.h. */
#include "cli/mcp/mcp_tables.h"

#include "cli/jsonrpc/json_text.h"
#include "schema/json_schema.h"

#include <stdlib.h>

#define NESTED 8 /* types that extend each other, at most */

/* A name that the table of tools has, and the protocol has not, is a bug. */
static int find_option(const char *name)
{
	int option = ccfc_option_find(ccfc_slice_str(name));

	if (option < 0)
		abort();
	return option;
}

struct ccfc_mcp_option ccfc_mcp_option(const char *name)
{
	static const enum ccfc_mcp_kind kinds[CCFC_KINDS] = {
		[CCFC_KIND_FLAG] = CCFC_MCP_FLAG,
		[CCFC_KIND_NUMBER] = CCFC_MCP_NUMBER,
		[CCFC_KIND_LINE] = CCFC_MCP_NUMBER,
		[CCFC_KIND_LIST] = CCFC_MCP_LIST,
		[CCFC_KIND_ENDINGS] = CCFC_MCP_LIST,
		[CCFC_KIND_STATES] = CCFC_MCP_LIST,
		[CCFC_KIND_PROOFS] = CCFC_MCP_LIST,
		[CCFC_KIND_DATE] = CCFC_MCP_FROM,
		[CCFC_KIND_DAY_END] = CCFC_MCP_TO,
	};
	const struct ccfc_option_row *row =
		&ccfc_option_rows[find_option(name)];

	return (struct ccfc_mcp_option){ row->name, kinds[row->kind],
					 row->least, row->most };
}

bool ccfc_mcp_takes(const char *method, const char *option)
{
	int found = ccfc_method_find(ccfc_slice_str(method));

	if (found < 0)
		abort();
	return (ccfc_method_rows[found].required |
		ccfc_method_rows[found].optional) &
	       CCFC_OPT_BIT(find_option(option));
}

void ccfc_mcp_describe(struct ccfc_buf *out, const char *about)
{
	if (!*about)
		return;
	out->ptr[--out->len] = '\0';
	ccfc_json_text_cstr(out, "description", about);
	ccfc_buf_putc(out, '}');
}

void ccfc_mcp_put_option(struct ccfc_buf *out, const char *name)
{
	int option = find_option(name);

	ccfc_schema_option_json(out, (enum ccfc_option)option);
	ccfc_mcp_describe(out, ccfc_option_rows[option].about);
}

/* The row of a field, also of the types that a type extends. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as types extend each other */
static const struct ccfc_type_row *find_field(const char *type,
					      struct ccfc_slice name, int depth)
{
	const struct ccfc_type_row *row = ccfc_type_rows, *found = NULL;
	const struct ccfc_type_row *end = row + ccfc_type_row_count;

	while (row < end &&
	       (row->row != CCFC_ROW_TYPE || strcmp(row->name, type) != 0))
		row++;
	while (!found && ++row < end && row->row != CCFC_ROW_TYPE) {
		struct ccfc_slice own = ccfc_slice_str(row->name);

		if (ccfc_slice_ends(own, "?"))
			own.len--;
		if (row->row == CCFC_ROW_FIELD && ccfc_slice_eq(own, name))
			found = row;
		else if (row->row == CCFC_ROW_EXTENDS && depth < NESTED)
			found = find_field(row->name, name, depth + 1);
	}
	return found;
}

void ccfc_mcp_put_field(struct ccfc_buf *out, const char *type,
			struct ccfc_slice field)
{
	const struct ccfc_type_row *row = find_field(type, field, 0);
	struct ccfc_slice one;
	const char *bar;

	if (!row)
		abort();
	bar = strchr(row->type, '|');
	one = bar ? ccfc_slice(row->type, (size_t)(bar - row->type))
		  : ccfc_slice_str(row->type);
	if (ccfc_slice_is(one, "bin"))
		one = CCFC_SLICE_LIT("str");
	ccfc_schema_type_json(out, one);
	ccfc_mcp_describe(out, row->about);
}
