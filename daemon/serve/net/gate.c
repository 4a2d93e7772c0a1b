/*
 * The listening socket; see gate.h. When accepting fails (no descriptors left)
 * the listener pauses for a while instead of spinning.
 */
#include "serve/net/gate.h"

#include "base/alloc.h"
#include "serve/net/socket.h"

#include <stdlib.h>
#include <unistd.h>

#define REST_MS 100

struct ccfc_gate {
	struct ccfc_socket socket;
	nng_aio *aio;
	bool resting; /* the operation is a pause; used by its own thread */
	ccfc_gate_fn admit;
	void *ctx;
};

static bool peer_is_us(nng_stream *stream)
{
	uint64_t uid;

	return nng_stream_get_uint64(stream, NNG_OPT_IPC_PEER_UID, &uid) == 0 &&
	       uid == getuid();
}

static void on_accepted(void *arg)
{
	struct ccfc_gate *gate = arg;
	int rv = nng_aio_result(gate->aio);

	if (rv == NNG_ECLOSED || rv == NNG_ECANCELED)
		return;
	if (rv) {
		gate->resting = true;
		nng_sleep_aio(REST_MS, gate->aio);
		return;
	}
	if (gate->resting) {
		gate->resting = false;
	} else {
		nng_stream *stream = nng_aio_get_output(gate->aio, 0);

		if (peer_is_us(stream))
			gate->admit(gate->ctx, stream);
		else
			nng_stream_free(stream);
	}
	nng_stream_listener_accept(gate->socket.listener, gate->aio);
}

int ccfc_gate_new(struct ccfc_gate **out, const char *path, ccfc_gate_fn admit,
		  void *ctx, struct ccfc_err *err)
{
	struct ccfc_gate *gate = ccfc_calloc(1, sizeof(*gate));
	int r = 0;

	gate->admit = admit;
	gate->ctx = ctx;
	if (nng_aio_alloc(&gate->aio, on_accepted, gate) != 0)
		r = ccfc_err_set(err, CCFC_EIO, "nng does not start");
	if (!r)
		r = ccfc_socket_listen(&gate->socket, path, err);
	if (r) {
		ccfc_gate_free(gate);
		return r;
	}
	nng_stream_listener_accept(gate->socket.listener, gate->aio);
	*out = gate;
	return 0;
}

void ccfc_gate_free(struct ccfc_gate *gate)
{
	if (!gate)
		return;
	ccfc_socket_close(&gate->socket);
	if (gate->aio)
		nng_aio_stop(gate->aio);
	nng_aio_free(gate->aio);
	ccfc_socket_release(&gate->socket);
	free(gate);
}

bool ccfc_gate_is_there(const struct ccfc_gate *gate)
{
	return ccfc_socket_is_there(&gate->socket);
}
