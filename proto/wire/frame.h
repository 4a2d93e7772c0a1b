/*
 * Finds the end of a msgpack value in a stream, and refuses values that are too
 * expensive, before anything is unpacked: msgpack-c trusts declared lengths, so
 * size, depth and item count are limited here, against the bytes that really
 * arrived. Resumable: feeding a value in pieces costs O(bytes) in all.
 */
#ifndef CCFC_WIRE_FRAME_H
#define CCFC_WIRE_FRAME_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

#define CCFC_FRAME_DEPTH_MAX 64

struct ccfc_frame_limits {
	size_t bytes;
	uint32_t depth; /* at most CCFC_FRAME_DEPTH_MAX */
	uint64_t items;
};

/* The limits of a daemon for a request, and of a client for a reply. */
extern const struct ccfc_frame_limits ccfc_frame_request;
extern const struct ccfc_frame_limits ccfc_frame_reply;

struct ccfc_framer {
	struct ccfc_frame_limits limits;
	size_t pos;	/* bytes of the current value walked so far */
	uint64_t items; /* items seen in the current value */
	uint32_t depth;
	/* remaining values, for each level */
	uint64_t left[CCFC_FRAME_DEPTH_MAX];
};

void ccfc_framer_init(struct ccfc_framer *f,
		      const struct ccfc_frame_limits *limits);

/*
 * `bytes` are all received bytes of the current value, from its first byte. 1:
 * one whole value, *len bytes long, and the framer is ready for the next; 0:
 * more bytes are needed; CCFC_EPROTO or CCFC_ETOOBIG: hang up.
 */
int ccfc_framer_next(struct ccfc_framer *f, size_t *len,
		     struct ccfc_slice bytes, struct ccfc_err *err);

#endif
