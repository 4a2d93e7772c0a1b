/* The three messages of msgpack-RPC; see rpc.h and PROTOCOL.md. */
#include "wire/rpc.h"

#include <stdio.h>

/* Longer than any error's name. */
#define ERROR_NAME_MAX 32

void ccfc_rpc_request_begin(struct ccfc_pack *p, uint32_t id,
			    const char *method)
{
	ccfc_pack_array(p);
	ccfc_pack_int(p, CCFC_MSG_REQUEST);
	ccfc_pack_uint(p, id);
	ccfc_pack_cstr(p, method);
	ccfc_pack_array(p);
}

void ccfc_rpc_request_end(struct ccfc_pack *p)
{
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

void ccfc_rpc_response_begin(struct ccfc_pack *p, uint32_t id)
{
	ccfc_pack_array(p);
	ccfc_pack_int(p, CCFC_MSG_RESPONSE);
	ccfc_pack_uint(p, id);
	ccfc_pack_nil(p);
}

void ccfc_rpc_response_end(struct ccfc_pack *p)
{
	ccfc_pack_end(p);
}

void ccfc_rpc_notify_begin(struct ccfc_pack *p, const char *method)
{
	ccfc_pack_array(p);
	ccfc_pack_int(p, CCFC_MSG_NOTIFICATION);
	ccfc_pack_cstr(p, method);
	ccfc_pack_array(p);
}

void ccfc_rpc_notify_end(struct ccfc_pack *p)
{
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

/*
 * "name: what" or "name: what\nhint": a string, because that is what stock
 * Neovim shows its user. A newline in `what` (say, from a path) would be taken
 * for the hint's, so it becomes a space.
 */
static void pack_error_text(struct ccfc_pack *p, const struct ccfc_err *error)
{
	char text[ERROR_NAME_MAX + CCFC_ERR_WHAT_MAX + CCFC_ERR_HINT_MAX];
	int n = snprintf(text, sizeof(text), "%s: %s",
			 ccfc_error_name(error->code), error->what);

	for (int i = 0; i < n; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	if (error->hint[0])
		snprintf(text + n, sizeof(text) - (size_t)n, "\n%s",
			 error->hint);
	ccfc_pack_cstr(p, text);
}

void ccfc_rpc_error(struct ccfc_pack *p, uint32_t id,
		    const struct ccfc_err *error)
{
	ccfc_pack_array(p);
	ccfc_pack_int(p, CCFC_MSG_RESPONSE);
	ccfc_pack_uint(p, id);
	pack_error_text(p, error);
	ccfc_pack_nil(p);
	ccfc_pack_end(p);
}

/* Cuts the error's name off the text; CCFC_EPROTO if it is not known. */
static int parse_name(struct ccfc_slice *text)
{
	const char *colon = memchr(text->ptr, ':', text->len);
	size_t n = colon ? (size_t)(colon - text->ptr) : ERROR_NAME_MAX;
	char name[ERROR_NAME_MAX];
	int code;

	if (n + 2 > text->len || n >= sizeof(name) || colon[1] != ' ')
		return CCFC_EPROTO;
	memcpy(name, text->ptr, n);
	name[n] = '\0';
	*text = ccfc_slice(colon + 2, text->len - n - 2);
	code = ccfc_error_from_name(name);
	return code ? code : CCFC_EPROTO;
}

static void parse_error(struct ccfc_err *out, struct ccfc_obj o)
{
	struct ccfc_slice text = ccfc_obj_str(o);
	const char *nl;
	int code;

	if (!text.len) {
		ccfc_err_set(out, CCFC_EPROTO,
			     "the daemon sent an error in an unknown form");
		return;
	}
	code = parse_name(&text);
	nl = memchr(text.ptr, '\n', text.len);
	ccfc_err_set(out, code, "%.*s",
		     (int)(nl ? nl - text.ptr : (ptrdiff_t)text.len), text.ptr);
	if (nl)
		ccfc_err_hint(out, "%.*s", (int)(text.ptr + text.len - nl - 1),
			      nl + 1);
}

static bool parse_id(uint32_t *out, struct ccfc_obj o)
{
	int64_t id = ccfc_obj_int(o, -1);

	*out = (uint32_t)id;
	return id >= 0 && id <= UINT32_MAX;
}

/* [], [map], or [[]]: that is how Lua sends an empty table. */
static int parse_params(struct ccfc_rpc *out, struct ccfc_obj params,
			struct ccfc_err *err)
{
	struct ccfc_obj first = ccfc_obj_at(params, 0);
	enum ccfc_obj_type type = ccfc_obj_type(first);

	if (ccfc_obj_len(params) > 1 ||
	    (type != CCFC_OBJ_NONE && type != CCFC_OBJ_MAP &&
	     (type != CCFC_OBJ_ARRAY || ccfc_obj_len(first))))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%.*s: params must be one map of options",
				    (int)out->method.len, out->method.ptr);
	if (type == CCFC_OBJ_MAP)
		out->params = first;
	return 0;
}

static int no_message(struct ccfc_err *err, const char *why)
{
	return ccfc_err_set(err, CCFC_EPROTO, "not an RPC message: %s", why);
}

static int parse_call(struct ccfc_rpc *out, struct ccfc_obj root, uint32_t at,
		      struct ccfc_err *err)
{
	struct ccfc_obj method = ccfc_obj_at(root, at);
	struct ccfc_obj params = ccfc_obj_at(root, at + 1);

	if (ccfc_obj_len(root) != at + 2)
		return no_message(err, "wrong number of elements");
	if (!ccfc_obj_is_str(method))
		return no_message(err, "the method is no string");
	if (ccfc_obj_type(params) != CCFC_OBJ_ARRAY)
		return no_message(err, "params are no array");
	out->method = ccfc_obj_str(method);
	if (out->type == CCFC_MSG_REQUEST)
		return parse_params(out, params, err);
	out->params = params;
	return 0;
}

static int parse_response(struct ccfc_rpc *out, struct ccfc_obj root,
			  struct ccfc_err *err)
{
	struct ccfc_obj error = ccfc_obj_at(root, 2);

	if (ccfc_obj_len(root) != 4)
		return no_message(err, "wrong number of elements");
	out->failed = ccfc_obj_type(error) != CCFC_OBJ_NIL;
	if (out->failed)
		parse_error(&out->error, error);
	else
		out->result = ccfc_obj_at(root, 3);
	return 0;
}

int ccfc_rpc_parse(struct ccfc_rpc *out, struct ccfc_obj root,
		   struct ccfc_err *err)
{
	memset(out, 0, sizeof(*out));
	out->type = (int)ccfc_obj_int(ccfc_obj_at(root, 0), -1);
	switch (ccfc_obj_int(ccfc_obj_at(root, 0), -1)) {
	case CCFC_MSG_REQUEST:
		if (!parse_id(&out->id, ccfc_obj_at(root, 1)))
			return no_message(err, "the id is no 32-bit number");
		return parse_call(out, root, 2, err);
	case CCFC_MSG_RESPONSE:
		if (!parse_id(&out->id, ccfc_obj_at(root, 1)))
			return no_message(err, "the id is no 32-bit number");
		return parse_response(out, root, err);
	case CCFC_MSG_NOTIFICATION:
		return parse_call(out, root, 1, err);
	default:
		return no_message(err, "unknown type");
	}
}
