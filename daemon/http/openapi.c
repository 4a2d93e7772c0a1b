/*
 * The description of the REST API (OpenAPI 3.1), made from the tables of the
 * API itself: the routes, and the options, methods and types of the schema.
 */
#include "http/openapi.h"

#include "http/routes.h"
#include "schema/json_schema.h"
#include "wire/to_json.h"

#include <inttypes.h>

static void put_string(struct ccfc_buf *out, struct ccfc_slice s)
{
	ccfc_json_string(out, s);
}

static void put_pair(struct ccfc_buf *out, const char *key, const char *value)
{
	put_string(out, ccfc_slice_str(key));
	ccfc_buf_putc(out, ':');
	put_string(out, ccfc_slice_str(value));
}

/* Drops a comma after the last element, if there is one. */
static void drop_comma(struct ccfc_buf *out)
{
	if (out->len && out->ptr[out->len - 1] == ',')
		out->ptr[--out->len] = '\0';
}

/* --- types --- */

/* Where the rows of the type at `at` end. */
static size_t rows_end(size_t at)
{
	do {
		at++;
	} while (at < ccfc_type_row_count &&
		 ccfc_type_rows[at].row != CCFC_ROW_TYPE);
	return at;
}

static struct ccfc_slice field_name(const struct ccfc_type_row *row)
{
	struct ccfc_slice name = ccfc_slice_str(row->name);

	if (ccfc_slice_ends(name, "?"))
		name.len--;
	return name;
}

static void put_properties(struct ccfc_buf *out, size_t at, size_t end)
{
	ccfc_buf_puts(out, "\"properties\":{");
	for (size_t i = at; i < end; i++) {
		const struct ccfc_type_row *row = &ccfc_type_rows[i];

		if (row->row != CCFC_ROW_FIELD)
			continue;
		put_string(out, field_name(row));
		ccfc_buf_putc(out, ':');
		ccfc_schema_type_json(out, ccfc_slice_str(row->type));
		ccfc_buf_putc(out, ',');
	}
	drop_comma(out);
	ccfc_buf_puts(out, "},\"required\":[");
	for (size_t i = at; i < end; i++) {
		const struct ccfc_type_row *row = &ccfc_type_rows[i];

		if (row->row != CCFC_ROW_FIELD ||
		    ccfc_slice_ends(ccfc_slice_str(row->name), "?"))
			continue;
		put_string(out, field_name(row));
		ccfc_buf_putc(out, ',');
	}
	drop_comma(out);
	ccfc_buf_putc(out, ']');
}

static void put_schema(struct ccfc_buf *out, size_t at, size_t end)
{
	put_string(out, ccfc_slice_str(ccfc_type_rows[at].name));
	ccfc_buf_puts(out, ":{\"type\":\"object\",");
	if (ccfc_type_rows[at].about[0]) {
		put_pair(out, "description", ccfc_type_rows[at].about);
		ccfc_buf_putc(out, ',');
	}
	put_properties(out, at + 1, end);
	ccfc_buf_puts(out, ",\"allOf\":[");
	for (size_t i = at + 1; i < end; i++) {
		if (ccfc_type_rows[i].row != CCFC_ROW_EXTENDS)
			continue;
		ccfc_schema_type_json(out,
				      ccfc_slice_str(ccfc_type_rows[i].name));
		ccfc_buf_putc(out, ',');
	}
	if (out->ptr[out->len - 1] == '[')
		/* An empty list is not allowed: take it back. */
		out->len -= sizeof(",\"allOf\":[") - 1;
	else
		drop_comma(out), ccfc_buf_putc(out, ']');
	ccfc_buf_putc(out, '}');
}

/* --- parameters --- */

static bool is_in_path(const struct ccfc_route *route, int option)
{
	struct ccfc_buf place = CCFC_BUF_INIT;
	bool found;

	ccfc_buf_printf(&place, "{%s}", ccfc_option_rows[option].name);
	found = strstr(route->path, place.ptr);
	ccfc_buf_release(&place);
	return found;
}

/* Puts the default value into the schema that was just written. */
static void put_default(struct ccfc_buf *out, const struct ccfc_route *route,
			int option)
{
	int64_t value = 0;

	if (option == CCFC_OPT_LIMIT)
		value = ccfc_method_rows[route->method].limit;
	else if (option != CCFC_OPT_OFFSET)
		return;
	if (value == INT64_MAX)
		return;
	out->len--;
	ccfc_buf_printf(out, ",\"default\":%" PRId64 "}", value);
}

static void put_parameter(struct ccfc_buf *out, const struct ccfc_route *route,
			  int option)
{
	const char *alias = ccfc_route_alias(route, option);
	bool in_path = is_in_path(route, option);
	bool required = in_path || (ccfc_method_rows[route->method].required &
				    CCFC_OPT_BIT(option));

	ccfc_buf_putc(out, '{');
	put_pair(out, "name", alias ? alias : ccfc_option_rows[option].name);
	ccfc_buf_printf(out, ",\"in\":\"%s\",\"required\":%s,",
			in_path ? "path" : "query",
			required ? "true" : "false");
	put_pair(out, "description", ccfc_option_rows[option].about);
	if (!in_path)
		/* Lists are separated by commas. */
		ccfc_buf_puts(out, ",\"explode\":false");
	ccfc_buf_puts(out, ",\"schema\":");
	ccfc_schema_option_json(out, option);
	put_default(out, route, option);
	ccfc_buf_puts(out, "},");
}

/* --- routes --- */

static void put_operation_id(struct ccfc_buf *out,
			     const struct ccfc_route *route)
{
	ccfc_buf_puts(out, "\"operationId\":\"");
	for (const char *c = route->path + sizeof("/api/") - 1; *c; c++)
		ccfc_buf_putc(out,
			      *c == '/' || *c == '{' || *c == '}' ? '_' : *c);
	ccfc_buf_puts(out, "\",");
}

static void put_body(struct ccfc_buf *out, const struct ccfc_route *route)
{
	ccfc_buf_puts(out, "\"requestBody\":{\"content\":{\"application/json\":"
			   "{\"schema\":{\"type\":\"object\",\"properties\":{");
	for (int i = 0; i < CCFC_OPTIONS; i++) {
		if (!ccfc_route_takes(route, i))
			continue;
		put_string(out, ccfc_slice_str(ccfc_option_rows[i].name));
		ccfc_buf_putc(out, ':');
		ccfc_schema_option_json(out, i);
		ccfc_buf_putc(out, ',');
	}
	drop_comma(out);
	ccfc_buf_puts(out, "}}}}},");
}

static void put_answer(struct ccfc_buf *out, const struct ccfc_route *route)
{
	const char *reply = ccfc_method_rows[route->method].reply;

	ccfc_buf_puts(out, "\"responses\":{\"200\":{");
	put_pair(out, "description", route->about);
	ccfc_buf_puts(out, ",\"content\":{");
	if (route->method == CCFC_METHOD_EVENTS_SUBSCRIBE) {
		ccfc_buf_puts(out, "\"text/event-stream\":{\"schema\":"
				   "{\"type\":\"string\"}}");
	} else {
		ccfc_buf_puts(out, "\"application/json\":{\"schema\":");
		if (!strcmp(route->path, "/api/files/search"))
			reply = "FileHistory|[FileHistory]";
		ccfc_schema_type_json(out, ccfc_slice_str(reply));
		ccfc_buf_putc(out, '}');
	}
	ccfc_buf_puts(out, "}},\"default\":{\"$ref\":\"#/components/responses/"
			   "Error\"}}");
}

static void put_route(struct ccfc_buf *out, const struct ccfc_route *route)
{
	bool is_post = !strcmp(route->verb, "POST");

	put_string(out, ccfc_slice_str(route->path));
	ccfc_buf_printf(out, ":{\"%s\":{", is_post ? "post" : "get");
	put_operation_id(out, route);
	put_pair(out, "x-method", ccfc_method_rows[route->method].name);
	ccfc_buf_putc(out, ',');
	put_pair(out, "summary", route->about);
	ccfc_buf_putc(out, ',');
	put_pair(out, "description", ccfc_method_rows[route->method].about);
	ccfc_buf_puts(out, ",");
	if (is_post) {
		put_body(out, route);
	} else {
		ccfc_buf_puts(out, "\"parameters\":[");
		for (int i = 0; i < CCFC_OPTIONS; i++)
			if (ccfc_route_takes(route, i))
				put_parameter(out, route, i);
		drop_comma(out);
		ccfc_buf_puts(out, "],");
	}
	put_answer(out, route);
	ccfc_buf_puts(out, "}}");
}

static void put_components(struct ccfc_buf *out)
{
	ccfc_buf_puts(
		out,
		"\"components\":{\"securitySchemes\":{\"token\":{\"type\":"
		"\"http\",\"scheme\":\"bearer\"}},\"responses\":{\"Error\":{"
		"\"description\":\"a code and one sentence\",\"content\":{"
		"\"application/json\":{\"schema\":{\"type\":\"object\","
		"\"required\":[\"error\"],\"properties\":{\"error\":{\"type\":"
		"\"object\",\"required\":[\"code\",\"message\"],\"properties\":"
		"{\"code\":{\"type\":\"string\"},\"message\":{\"type\":"
		"\"string\"},\"hint\":{\"type\":\"string\"}}}}}}}}},"
		"\"schemas\":{");
	for (size_t at = 0, end; at < ccfc_type_row_count; at = end) {
		end = rows_end(at);
		put_schema(out, at, end);
		ccfc_buf_putc(out, ',');
	}
	drop_comma(out);
	ccfc_buf_puts(out, "}}");
}

void ccfc_openapi_write(struct ccfc_buf *out)
{
	ccfc_buf_puts(out, "{\"openapi\":\"3.1.0\",\"info\":{");
	put_pair(out, "title", "ccfc");
	ccfc_buf_putc(out, ',');
	put_pair(out, "version", CCFC_VERSION);
	ccfc_buf_putc(out, ',');
	put_pair(out, "description",
		 "Which Claude Code session changed which file. Every reply is "
		 "the reply of the method of the same kind; see PROTOCOL.md.");
	ccfc_buf_puts(out, "},\"security\":[{\"token\":[]}],\"paths\":{");
	for (size_t i = 0; i < ccfc_route_count; i++) {
		put_route(out, &ccfc_routes[i]);
		ccfc_buf_putc(out, ',');
	}
	drop_comma(out);
	ccfc_buf_puts(out, "},");
	put_components(out);
	ccfc_buf_puts(out, "}\n");
}
