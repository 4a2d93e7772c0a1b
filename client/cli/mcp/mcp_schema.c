/* The list of tools, with their JSON Schemas; see mcp.h and mcp_tables.h. */
#include "cli/jsonrpc/json_text.h"
#include "cli/mcp/mcp.h"

static void put_property(struct ccfc_buf *out, const char *name,
			 const char *type, const char *about)
{
	ccfc_json_text_open(out, name, '{');
	ccfc_json_text_cstr(out, "type", type);
	ccfc_buf_putc(out, '}');
	ccfc_mcp_describe(out, about);
}

static void put_field(struct ccfc_buf *out, const char *type,
		      struct ccfc_slice name)
{
	struct ccfc_buf key = CCFC_BUF_INIT;

	ccfc_buf_slice(&key, name);
	ccfc_json_text_key(out, key.ptr);
	ccfc_mcp_put_field(out, type, name);
	ccfc_buf_release(&key);
}

static void put_fields(struct ccfc_buf *out, const struct ccfc_mcp_group *group)
{
	const char *p = group->fields;

	while (*p) {
		size_t n = strcspn(p, " ");

		put_field(out, group->type, ccfc_slice(p, n));
		p += n + strspn(p + n, " ");
	}
}

static void put_group(struct ccfc_buf *out, const struct ccfc_mcp_group *group)
{
	if (!group->name) {
		put_fields(out, group);
		return;
	}
	ccfc_json_text_open(out, group->name, '{');
	if (group->many) {
		ccfc_json_text_cstr(out, "type", "array");
		ccfc_json_text_open(out, "items", '{');
	}
	ccfc_json_text_cstr(out, "type", "object");
	ccfc_json_text_open(out, "properties", '{');
	put_fields(out, group);
	ccfc_buf_puts(out, group->many ? "}}}" : "}}");
}

static void put_output(struct ccfc_buf *out, const struct ccfc_mcp_tool *tool)
{
	ccfc_json_text_open(out, "outputSchema", '{');
	ccfc_json_text_cstr(out, "type", "object");
	ccfc_json_text_open(out, "properties", '{');
	put_property(out, "note", "string", "");
	for (const struct ccfc_mcp_group *g = tool->groups; g->type; g++)
		put_group(out, g);
	if (tool->warns)
		ccfc_buf_puts(out, ",\"warnings\":{\"type\":\"array\","
				   "\"items\":{\"type\":\"string\"}}");
	if (tool->paged)
		put_property(out, "nextCursor", "string",
			     "there is more: call again with this cursor");
	ccfc_buf_puts(out, "},\"required\":[\"note\"");
	for (const struct ccfc_mcp_group *g = tool->groups; g->type; g++)
		if (g->always)
			ccfc_buf_printf(out, ",\"%s\"", g->name);
	ccfc_buf_puts(out, "]}");
}

static void put_input(struct ccfc_buf *out, const struct ccfc_mcp_tool *tool)
{
	bool first = true;

	ccfc_json_text_open(out, "inputSchema", '{');
	ccfc_json_text_cstr(out, "type", "object");
	ccfc_json_text_open(out, "properties", '{');
	for (int i = 0; tool->args[i].name; i++) {
		ccfc_json_text_key(out, tool->args[i].name);
		ccfc_mcp_put_option(out, tool->args[i].name);
	}
	if (tool->scoped)
		put_property(out, "allProjects", "boolean",
			     "everywhere; default false: the project here");
	if (tool->paged)
		put_property(out, "cursor", "string",
			     "the nextCursor of an earlier result");
	ccfc_buf_puts(out, "},\"required\":[");
	for (int i = 0; tool->args[i].name; i++) {
		if (!tool->args[i].required)
			continue;
		ccfc_buf_printf(out, "%s\"%s\"", first ? "" : ",",
				tool->args[i].name);
		first = false;
	}
	ccfc_buf_puts(out, "],\"additionalProperties\":false}");
}

void ccfc_mcp_list(struct ccfc_buf *out)
{
	ccfc_buf_putc(out, '[');
	for (unsigned i = 0; i < ccfc_mcp_tool_count; i++) {
		const struct ccfc_mcp_tool *tool = &ccfc_mcp_tools[i];

		ccfc_json_text_next(out);
		ccfc_buf_putc(out, '{');
		ccfc_json_text_cstr(out, "name", tool->name);
		ccfc_json_text_cstr(out, "title", tool->title);
		ccfc_json_text_cstr(out, "description", tool->about);
		put_input(out, tool);
		put_output(out, tool);
		ccfc_buf_puts(out, ",\"annotations\":{\"readOnlyHint\":true,"
				   "\"destructiveHint\":false,"
				   "\"idempotentHint\":true,"
				   "\"openWorldHint\":false}}");
	}
	ccfc_buf_putc(out, ']');
}
