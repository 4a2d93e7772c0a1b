/*
 * Results of tools, which stay below CCFC_MCP_RESULT_MAX; see mcp.h. A row that
 * would be long has its texts cut, and rows that do not fit are left for the
 * next page.
 */
#include "cli/jsonrpc/json_text.h"
#include "cli/mcp/mcp.h"
#include "wire/to_json.h"

#include <inttypes.h>

#define TEXT_LONG  400 /* bytes of a text in a result … */
#define TEXT_SHORT 24  /* … and of one in a row that is too long */
#define ROW_MAX	   1600

const struct ccfc_mcp_group *ccfc_mcp_group(const struct ccfc_mcp_call *call,
					    const char *name)
{
	const struct ccfc_mcp_group *g = call->tool->groups;

	while (g->type &&
	       (name ? !g->name || strcmp(g->name, name) != 0 : !!g->name))
		g++;
	return g;
}

static void put_cut(struct ccfc_buf *out, const char *key,
		    struct ccfc_slice text, size_t most)
{
	struct ccfc_slice part = ccfc_slice_cut(text, most);
	struct ccfc_buf whole = CCFC_BUF_INIT;

	ccfc_buf_slice(&whole, part);
	if (part.len < text.len)
		ccfc_buf_puts(&whole, "\xe2\x80\xa6");
	ccfc_json_text_str(out, key, ccfc_buf_view(&whole));
	ccfc_buf_release(&whole);
}

/* One field, if the object has it and it is not nil. */
static void put_field(struct ccfc_buf *out, const char *key,
		      struct ccfc_obj value, size_t most)
{
	switch (ccfc_obj_type(value)) {
	case CCFC_OBJ_STR:
	case CCFC_OBJ_BIN:
		put_cut(out, key, ccfc_obj_str(value), most);
		break;
	case CCFC_OBJ_BOOL:
	case CCFC_OBJ_INT:
	case CCFC_OBJ_UINT:
	case CCFC_OBJ_DOUBLE:
		ccfc_json_text_key(out, key);
		ccfc_json_write(out, value, 0);
		break;
	default:
		break;
	}
}

static void put_fields(struct ccfc_buf *out, const struct ccfc_mcp_group *group,
		       struct ccfc_obj o, struct ccfc_slice path, size_t most)
{
	const char *p = group->fields;
	char key[64];

	while (*p) {
		size_t n = strcspn(p, " ");

		memcpy(key, p, n);
		key[n] = '\0';
		p += n + strspn(p + n, " ");
		if (path.len && !strcmp(key, "path"))
			put_cut(out, key, path, most);
		else if (strcmp(key, "diff") != 0) /* has pages of its own */
			put_field(out, key, ccfc_obj_get(o, key), most);
	}
}

/* Puts fields whose texts are short enough for a row. */
static void put_short(struct ccfc_buf *out, const struct ccfc_mcp_group *group,
		      struct ccfc_obj o, struct ccfc_slice path)
{
	size_t start = out->len, most = TEXT_LONG;

	put_fields(out, group, o, path, most);
	while (out->len - start > ROW_MAX && most > TEXT_SHORT) {
		most /= 2;
		out->len = start;
		put_fields(out, group, o, path, most);
	}
}

void ccfc_mcp_put_own(struct ccfc_mcp_call *call, struct ccfc_obj o)
{
	put_short(&call->out, ccfc_mcp_group(call, NULL), o, CCFC_SLICE_NONE);
}

void ccfc_mcp_put_text(struct ccfc_mcp_call *call, const char *key,
		       const char *text)
{
	put_cut(&call->out, key, ccfc_slice_str(text), TEXT_LONG);
}

bool ccfc_mcp_put_row(struct ccfc_mcp_call *call,
		      const struct ccfc_mcp_group *group, struct ccfc_obj o,
		      struct ccfc_slice path)
{
	size_t start = call->out.len;

	ccfc_json_text_next(&call->out);
	ccfc_buf_putc(&call->out, '{');
	put_short(&call->out, group, o, path);
	ccfc_buf_putc(&call->out, '}');
	if (call->out.len <= CCFC_MCP_RESULT_MAX - CCFC_MCP_END)
		return true;
	call->out.len = start;
	call->out.ptr[start] = '\0';
	return false;
}

void ccfc_mcp_put_one(struct ccfc_mcp_call *call, const char *name,
		      struct ccfc_obj o)
{
	ccfc_json_text_open(&call->out, name, '{');
	put_short(&call->out, ccfc_mcp_group(call, name), o, CCFC_SLICE_NONE);
	ccfc_buf_putc(&call->out, '}');
}

uint32_t ccfc_mcp_put_many(struct ccfc_mcp_call *call, const char *name,
			   struct ccfc_obj rows, uint32_t most)
{
	const struct ccfc_mcp_group *group = ccfc_mcp_group(call, name);
	uint32_t shown = 0;

	ccfc_json_text_open(&call->out, name, '[');
	while (shown < most && shown < ccfc_obj_len(rows) &&
	       ccfc_mcp_put_row(call, group, ccfc_obj_at(rows, shown),
				CCFC_SLICE_NONE))
		shown++;
	ccfc_buf_putc(&call->out, ']');
	return shown;
}

void ccfc_mcp_put_next(struct ccfc_mcp_call *call, int64_t shown, int64_t total)
{
	if (call->offset + shown >= total || !shown)
		return;
	ccfc_json_text_key(&call->out, "nextCursor");
	ccfc_buf_printf(&call->out, "\"%" PRId64 "\"", call->offset + shown);
}
