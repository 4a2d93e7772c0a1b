/*
 * JSON-RPC 2.0 with a peer on two descriptors. No input of the peer ends the
 * conversation: an invalid message is answered with an error and dropped. Only
 * the end of the input ends it.
 */
#ifndef CCFC_CLI_JSONRPC_JSONRPC_H
#define CCFC_CLI_JSONRPC_JSONRPC_H

#include "base/buf.h"
#include "wire/obj.h"

/* Codes of errors. */
enum {
	CCFC_JSONRPC_PARSE = -32700,
	CCFC_JSONRPC_REQUEST = -32600,
	CCFC_JSONRPC_METHOD = -32601,
	CCFC_JSONRPC_PARAMS = -32602,
	CCFC_JSONRPC_INTERNAL = -32603,
};

/* Bytes of one message, at most, unless the program allows fewer. */
#define CCFC_JSONRPC_MAX (16u << 20)

struct ccfc_jsonrpc {
	int in, out;	     /* borrowed */
	bool headers;	     /* "Content-Length: N"; else one message a line */
	size_t max;	     /* bytes of a message */
	struct ccfc_buf buf; /* bytes read; from `used` on not yet parsed */
	size_t used, seen;   /* seen: no newline before it */
	size_t skip;	     /* bytes of a message that is too long */
	bool skip_line;	     /* the same for one in a line */
	bool broken;	     /* nobody reads the answers */
};

void ccfc_jsonrpc_init(struct ccfc_jsonrpc *rpc, int in, int out, bool headers,
		       size_t max);
void ccfc_jsonrpc_release(struct ccfc_jsonrpc *rpc);

/*
 * The next message; blank lines are skipped. 1: *text is the message, until the
 * next call. 0: the input has ended, or cannot be read. CCFC_ETOOBIG: a message
 * was too long. CCFC_EINVAL: headers without a length; the rest of the input is
 * lost, so the next call returns 0.
 */
int ccfc_jsonrpc_next(struct ccfc_slice *text, struct ccfc_jsonrpc *rpc,
		      struct ccfc_err *err);

/* Is there more in memory or in the pipe, so that the next call is quick? */
bool ccfc_jsonrpc_pending(const struct ccfc_jsonrpc *rpc);

/* ---- one message ---- */

struct ccfc_jsonrpc_message {
	struct ccfc_buf packed;
	struct ccfc_doc *doc;
	struct ccfc_obj id;	  /* CCFC_OBJ_NONE: a notification */
	struct ccfc_slice method; /* empty: an answer */
	struct ccfc_obj params;	  /* a map, an array, or CCFC_OBJ_NONE */
};

/*
 * 0, or the code of the error to answer, with its text in `err`; `id` is then
 * the id as far as it is known. Release it in either case.
 */
int ccfc_jsonrpc_parse(struct ccfc_jsonrpc_message *m, struct ccfc_slice text,
		       struct ccfc_err *err);
void ccfc_jsonrpc_message_release(struct ccfc_jsonrpc_message *m);

/* ---- answers ---- */

/* `json` is the text of the result. */
void ccfc_jsonrpc_result(struct ccfc_jsonrpc *rpc, struct ccfc_obj id,
			 struct ccfc_slice json);

/* `data` is JSON; empty: there is none. */
void ccfc_jsonrpc_error(struct ccfc_jsonrpc *rpc, struct ccfc_obj id, int code,
			const char *message, struct ccfc_slice data);

/* A notification of ours, or with `id` > 0 a request. */
void ccfc_jsonrpc_notify(struct ccfc_jsonrpc *rpc, const char *method, int id,
			 struct ccfc_slice params);

#endif
