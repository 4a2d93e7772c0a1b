/*
 * msgpack to JSON. The CLI's --format=json converts the bytes of a reply, so
 * JSON and reply always agree.
 */
#ifndef CCFC_WIRE_TO_JSON_H
#define CCFC_WIRE_TO_JSON_H

#include "base/buf.h"
#include "wire/obj.h"

/*
 * Appends `o` as JSON: `indent` 0 is one line, else pretty with that many
 * spaces. Invalid UTF-8 becomes U+FFFD; control characters and bidirectional
 * overrides are escaped; the rest is exact. Keys keep their order. Bytes (bin)
 * that are valid UTF-8 are a string, else {"base64": "…"}, so that no byte of a
 * file is lost.
 */
void ccfc_json_write(struct ccfc_buf *out, struct ccfc_obj o, int indent);

/* A string with its quotes. */
void ccfc_json_string(struct ccfc_buf *out, struct ccfc_slice s);

#endif
