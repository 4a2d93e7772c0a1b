/*
 * The three messages of msgpack-RPC (see PROTOCOL.md): packing their heads and
 * parsing them.
 */
#ifndef CCFC_WIRE_RPC_H
#define CCFC_WIRE_RPC_H

#include "wire/obj.h"
#include "wire/pack.h"

#include <ccfc/protocol.h>

/*
 * Each opens the message's array; the caller packs the last element (the one
 * params map, the result, the event map) and calls the matching end.
 */
void ccfc_rpc_request_begin(struct ccfc_pack *p, uint32_t id,
			    const char *method);
void ccfc_rpc_request_end(struct ccfc_pack *p);
void ccfc_rpc_response_begin(struct ccfc_pack *p, uint32_t id);
void ccfc_rpc_response_end(struct ccfc_pack *p);
void ccfc_rpc_notify_begin(struct ccfc_pack *p, const char *method);
void ccfc_rpc_notify_end(struct ccfc_pack *p);

/* A whole error response: [1, id, "name: what\nhint", nil]. */
void ccfc_rpc_error(struct ccfc_pack *p, uint32_t id,
		    const struct ccfc_err *error);

struct ccfc_rpc {
	int type;		  /* CCFC_MSG_… */
	uint32_t id;		  /* request, response */
	struct ccfc_slice method; /* request, notification */
	struct ccfc_obj params;	  /* request: the params map, NONE if absent;
				   * notification: its whole params array */
	bool failed;		  /* response: the error is set */
	struct ccfc_err error;
	struct ccfc_obj result;
};

/*
 * Parses a document. CCFC_EPROTO: not an RPC message. CCFC_EINVAL: a request
 * (type, id and method are set) whose params are neither [] nor [map]; it can
 * be answered with that error. Slices and objects borrow from the document.
 */
int ccfc_rpc_parse(struct ccfc_rpc *out, struct ccfc_obj root,
		   struct ccfc_err *err);

#endif
