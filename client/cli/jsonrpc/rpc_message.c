/* One message of JSON-RPC; see jsonrpc.h. */
#include "cli/jsonrpc/jsonrpc.h"

#include "base/err.h"
#include "wire/from_json.h"

static int fail_with_code(struct ccfc_err *err, int code, const char *why)
{
	ccfc_err_set(err, CCFC_EINVAL, "%s", why);
	return code;
}

static bool is_id(struct ccfc_obj id)
{
	enum ccfc_obj_type type = ccfc_obj_type(id);

	return type == CCFC_OBJ_STR || type == CCFC_OBJ_INT ||
	       type == CCFC_OBJ_DOUBLE;
}

static bool is_answer(struct ccfc_obj root)
{
	return ccfc_obj_type(ccfc_obj_get(root, "result")) != CCFC_OBJ_NONE ||
	       ccfc_obj_type(ccfc_obj_get(root, "error")) != CCFC_OBJ_NONE;
}

static int read_envelope(struct ccfc_jsonrpc_message *m, struct ccfc_obj root,
			 struct ccfc_err *err)
{
	struct ccfc_obj method = ccfc_obj_get(root, "method");
	struct ccfc_obj id = ccfc_obj_get(root, "id");
	enum ccfc_obj_type params;

	if (ccfc_obj_type(root) == CCFC_OBJ_ARRAY)
		return fail_with_code(err, CCFC_JSONRPC_REQUEST,
				      "batches are not supported");
	if (ccfc_obj_type(root) != CCFC_OBJ_MAP)
		return fail_with_code(err, CCFC_JSONRPC_REQUEST,
				      "a message is an object");
	if (is_id(id))
		m->id = id;
	else if (ccfc_obj_type(id) != CCFC_OBJ_NONE && !is_answer(root))
		return fail_with_code(err, CCFC_JSONRPC_REQUEST,
				      "id: a string or a number");
	if (!ccfc_slice_is(ccfc_obj_get_str(root, "jsonrpc"), "2.0"))
		return fail_with_code(err, CCFC_JSONRPC_REQUEST,
				      "jsonrpc: \"2.0\" was expected");
	if (ccfc_obj_type(method) == CCFC_OBJ_NONE && is_answer(root))
		return 0;
	m->method = ccfc_obj_str(method);
	if (!m->method.len)
		return fail_with_code(err, CCFC_JSONRPC_REQUEST,
				      "method: a string");
	m->params = ccfc_obj_get(root, "params");
	params = ccfc_obj_type(m->params);
	if (params != CCFC_OBJ_NONE && params != CCFC_OBJ_MAP &&
	    params != CCFC_OBJ_ARRAY && params != CCFC_OBJ_NIL)
		return fail_with_code(err, CCFC_JSONRPC_REQUEST,
				      "params: an object or an array");
	return 0;
}

int ccfc_jsonrpc_parse(struct ccfc_jsonrpc_message *m, struct ccfc_slice text,
		       struct ccfc_err *err)
{
	*m = (struct ccfc_jsonrpc_message){ 0 };
	ccfc_buf_init(&m->packed);
	if (ccfc_json_read(&m->packed, text, err) < 0 ||
	    ccfc_doc_parse(&m->doc, ccfc_buf_view(&m->packed), err) < 0)
		return CCFC_JSONRPC_PARSE;
	return read_envelope(m, ccfc_doc_root(m->doc), err);
}

void ccfc_jsonrpc_message_release(struct ccfc_jsonrpc_message *m)
{
	ccfc_doc_free(m->doc);
	ccfc_buf_release(&m->packed);
}
