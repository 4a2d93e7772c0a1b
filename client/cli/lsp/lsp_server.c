/* The life of a language server, and who answers what; see lsp.h. */
#include "cli/jsonrpc/json_text.h"
#include "cli/lsp/lsp.h"
#include "wire/to_json.h"

#define NOT_INITIALIZED (-32002)
#define METHOD_SHOWN	64
#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static const struct {
	const char *name;
	ccfc_lsp_fn run;
} requests[] = {
	{ "textDocument/hover", ccfc_lsp_hover },
	{ "textDocument/codeLens", ccfc_lsp_code_lens },
	{ "textDocument/codeAction", ccfc_lsp_code_action },
	{ "textDocument/inlayHint", ccfc_lsp_inlay_hint },
	{ "workspace/executeCommand", ccfc_lsp_execute },
};

static const struct {
	const char *name;
	void (*run)(struct ccfc_lsp *lsp, struct ccfc_obj params);
} notifications[] = {
	{ "textDocument/didOpen", ccfc_lsp_did_open },
	{ "textDocument/didChange", ccfc_lsp_did_change },
	{ "textDocument/didClose", ccfc_lsp_did_close },
};

/* Whole texts are synchronised: 1. */
static const char capabilities[] =
	"{\"textDocumentSync\":{\"openClose\":true,\"change\":1},"
	"\"hoverProvider\":true,"
	"\"codeLensProvider\":{\"resolveProvider\":false},"
	"\"codeActionProvider\":{\"codeActionKinds\":[\"source\"]},"
	"\"inlayHintProvider\":true,"
	"\"executeCommandProvider\":{\"commands\":[\"" CCFC_LSP_DIFF
	"\",\"" CCFC_LSP_RESTORE "\",\"" CCFC_LSP_LOG "\"]}}";

static void answer_initialize(struct ccfc_buf *out, struct ccfc_lsp *lsp,
			      struct ccfc_obj params)
{
	struct ccfc_obj workspace =
		ccfc_obj_get(ccfc_obj_get(params, "capabilities"), "workspace");

	lsp->refreshes = ccfc_obj_get_bool(ccfc_obj_get(workspace, "inlayHint"),
					   "refreshSupport", false);
	lsp->state = CCFC_LSP_RUNNING;
	ccfc_buf_putc(out, '{');
	ccfc_json_text_key(out, "capabilities");
	ccfc_buf_puts(out, capabilities);
	ccfc_json_text_open(out, "serverInfo", '{');
	ccfc_json_text_cstr(out, "name", "ccfc");
	ccfc_json_text_cstr(out, "version", CCFC_VERSION);
	ccfc_buf_puts(out, "}}");
}

/* False: there is no such method. */
static bool run_request(struct ccfc_buf *out, struct ccfc_lsp *lsp,
			const struct ccfc_jsonrpc_message *m)
{
	if (ccfc_slice_is(m->method, "initialize")) {
		answer_initialize(out, lsp, m->params);
		return true;
	}
	if (ccfc_slice_is(m->method, "shutdown")) {
		lsp->state = CCFC_LSP_ENDING;
		ccfc_buf_puts(out, "null");
		return true;
	}
	for (size_t i = 0; i < COUNT(requests); i++)
		if (ccfc_slice_is(m->method, requests[i].name)) {
			requests[i].run(out, lsp, m->params);
			return true;
		}
	return false;
}

static void on_request(struct ccfc_lsp *lsp,
		       const struct ccfc_jsonrpc_message *m)
{
	bool first = ccfc_slice_is(m->method, "initialize");
	struct ccfc_slice name = ccfc_slice_cut(m->method, METHOD_SHOWN);
	struct ccfc_buf out = CCFC_BUF_INIT;

	if (lsp->state == CCFC_LSP_NEW && !first) {
		ccfc_jsonrpc_error(&lsp->rpc, m->id, NOT_INITIALIZED,
				   "initialize comes first", CCFC_SLICE_NONE);
	} else if (lsp->state == CCFC_LSP_ENDING ||
		   (first && lsp->state != CCFC_LSP_NEW)) {
		ccfc_jsonrpc_error(&lsp->rpc, m->id, CCFC_JSONRPC_REQUEST,
				   first ? "initialize comes once"
					 : "nothing but exit after shutdown",
				   CCFC_SLICE_NONE);
	} else if (run_request(&out, lsp, m)) {
		ccfc_jsonrpc_result(&lsp->rpc, m->id, ccfc_buf_view(&out));
	} else {
		ccfc_buf_printf(&out, "unknown method: %.*s", (int)name.len,
				name.ptr);
		ccfc_jsonrpc_error(&lsp->rpc, m->id, CCFC_JSONRPC_METHOD,
				   out.ptr, CCFC_SLICE_NONE);
	}
	ccfc_buf_release(&out);
}

/* False: the editor wants the server to end. */
static bool on_message(struct ccfc_lsp *lsp, struct ccfc_slice text)
{
	struct ccfc_jsonrpc_message m;
	struct ccfc_err err;
	int code = ccfc_jsonrpc_parse(&m, text, &err);
	bool ends = !code && ccfc_slice_is(m.method, "exit");

	if (code)
		ccfc_jsonrpc_error(&lsp->rpc, m.id, code, err.what,
				   CCFC_SLICE_NONE);
	else if (m.method.len && ccfc_obj_type(m.id) != CCFC_OBJ_NONE)
		on_request(lsp, &m);
	else if (m.method.len && lsp->state == CCFC_LSP_RUNNING)
		for (size_t i = 0; i < COUNT(notifications); i++)
			if (ccfc_slice_is(m.method, notifications[i].name))
				notifications[i].run(lsp, m.params);
	ccfc_jsonrpc_message_release(&m);
	return !ends;
}

int ccfc_lsp_serve(struct ccfc_cli *cli, int in, int out)
{
	struct ccfc_lsp lsp = { .cli = cli };
	const struct ccfc_obj nobody = { 0 };
	struct ccfc_slice text;
	struct ccfc_err err;
	bool goes_on = true;
	int code = 0;

	ccfc_jsonrpc_init(&lsp.rpc, in, out, true, CCFC_JSONRPC_MAX);
	while (goes_on &&
	       (code = ccfc_jsonrpc_next(&text, &lsp.rpc, &err)) != 0) {
		if (code > 0)
			goes_on = on_message(&lsp, text);
		else if (code == CCFC_ETOOBIG)
			ccfc_jsonrpc_error(&lsp.rpc, nobody,
					   CCFC_JSONRPC_REQUEST, err.what,
					   CCFC_SLICE_NONE);
	}
	ccfc_lsp_release_docs(&lsp);
	ccfc_jsonrpc_release(&lsp.rpc);
	/* "exit" without "shutdown" is an error, by the protocol. */
	return goes_on || lsp.state == CCFC_LSP_ENDING ? CCFC_EXIT_FOUND
						       : CCFC_EXIT_NOTHING;
}
