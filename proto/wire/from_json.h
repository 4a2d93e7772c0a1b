/*
 * JSON to msgpack, the way back of to_json.h: a message that came as JSON is
 * read like any other wire object.
 */
#ifndef CCFC_WIRE_FROM_JSON_H
#define CCFC_WIRE_FROM_JSON_H

#include "base/buf.h"
#include "base/err.h"

/* How deep arrays and maps may nest. */
#define CCFC_FROM_JSON_DEPTH 24

/*
 * Appends the one value of `text` as msgpack. Only what RFC 8259 allows is
 * read: UTF-8 without a byte order mark, no comments, nothing behind the value.
 * Whole numbers that fit are integers, all others doubles. A surrogate without
 * its other half becomes U+FFFD. If a key appears twice, both are kept, and
 * ccfc_obj_get finds the first. CCFC_EINVAL names the byte; `out` is then of no
 * use. The caller limits the length of the text.
 */
int ccfc_json_read(struct ccfc_buf *out, struct ccfc_slice text,
		   struct ccfc_err *err);

#endif
