/*
 * The tables of proto/schema as the tools need them, by name. Only
 * mcp_tables.c sees the tables themselves: their options and the options of the
 * command line have C names in common.
 */
#ifndef CCFC_CLI_MCP_MCP_TABLES_H
#define CCFC_CLI_MCP_MCP_TABLES_H

#include "base/buf.h"

#include <stdint.h>

enum ccfc_mcp_kind {
	CCFC_MCP_TEXT,
	CCFC_MCP_FLAG,
	CCFC_MCP_NUMBER,
	CCFC_MCP_LIST,
	CCFC_MCP_FROM, /* a date: its first moment */
	CCFC_MCP_TO,   /* a date: its last moment */
};

struct ccfc_mcp_option {
	const char *name;
	enum ccfc_mcp_kind kind;
	int64_t least, most;
};

/* The option of that name, which must be one. */
struct ccfc_mcp_option ccfc_mcp_option(const char *name);

/* Does the method (CCFC_M_…) take the option? */
bool ccfc_mcp_takes(const char *method, const char *option);

/* The JSON Schema of an option's value, with its description. */
void ccfc_mcp_put_option(struct ccfc_buf *out, const char *name);

/*
 * The JSON Schema of a field of a type, with its description. What may be nil
 * is left out of results, so there is no null; bytes are a string.
 */
void ccfc_mcp_put_field(struct ccfc_buf *out, const char *type,
			struct ccfc_slice field);

/* Makes the object that was just closed one with a description. */
void ccfc_mcp_describe(struct ccfc_buf *out, const char *about);

#endif
