/* Sending messages of JSON-RPC; see jsonrpc.h. */
#include "cli/jsonrpc/json_text.h"
#include "cli/jsonrpc/jsonrpc.h"

#include "wire/to_json.h"

#include <errno.h>
#include <unistd.h>

static void send_all(struct ccfc_jsonrpc *rpc, const char *ptr, size_t len)
{
	while (len && !rpc->broken) {
		ssize_t n = write(rpc->out, ptr, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			rpc->broken = true;
			return;
		}
		ptr += n;
		len -= (size_t)n;
	}
}

/* Ends the message, and sends it with one write where possible. */
static void send_message(struct ccfc_jsonrpc *rpc, struct ccfc_buf *body)
{
	struct ccfc_buf whole = CCFC_BUF_INIT;

	ccfc_buf_putc(body, '}');
	if (rpc->headers)
		ccfc_buf_printf(&whole, "Content-Length: %zu\r\n\r\n",
				body->len);
	ccfc_buf_slice(&whole, ccfc_buf_view(body));
	if (!rpc->headers)
		ccfc_buf_putc(&whole, '\n');
	send_all(rpc, whole.ptr, whole.len);
	ccfc_buf_release(&whole);
	ccfc_buf_release(body);
}

static void begin_answer(struct ccfc_buf *body, struct ccfc_obj id)
{
	ccfc_buf_init(body);
	ccfc_buf_puts(body, "{\"jsonrpc\":\"2.0\",\"id\":");
	if (ccfc_obj_type(id) == CCFC_OBJ_NONE)
		ccfc_buf_puts(body, "null");
	else
		ccfc_json_write(body, id, 0);
}

void ccfc_jsonrpc_result(struct ccfc_jsonrpc *rpc, struct ccfc_obj id,
			 struct ccfc_slice json)
{
	struct ccfc_buf body;

	begin_answer(&body, id);
	ccfc_json_text_key(&body, "result");
	ccfc_buf_slice(&body, json);
	send_message(rpc, &body);
}

void ccfc_jsonrpc_error(struct ccfc_jsonrpc *rpc, struct ccfc_obj id, int code,
			const char *message, struct ccfc_slice data)
{
	struct ccfc_buf body;

	begin_answer(&body, id);
	ccfc_json_text_key(&body, "error");
	ccfc_buf_putc(&body, '{');
	ccfc_json_text_int(&body, "code", code);
	ccfc_json_text_cstr(&body, "message", message);
	if (data.len) {
		ccfc_json_text_key(&body, "data");
		ccfc_buf_slice(&body, data);
	}
	ccfc_buf_putc(&body, '}');
	send_message(rpc, &body);
}

void ccfc_jsonrpc_notify(struct ccfc_jsonrpc *rpc, const char *method, int id,
			 struct ccfc_slice params)
{
	struct ccfc_buf body = CCFC_BUF_INIT;

	ccfc_buf_puts(&body, "{\"jsonrpc\":\"2.0\"");
	if (id > 0)
		ccfc_json_text_int(&body, "id", id);
	ccfc_json_text_cstr(&body, "method", method);
	ccfc_json_text_key(&body, "params");
	ccfc_buf_slice(&body, params);
	send_message(rpc, &body);
}
