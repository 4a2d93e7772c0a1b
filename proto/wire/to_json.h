/*
 * msgpack to JSON: the CLI's --format=json is this transcoding of the very
 * bytes of a reply, so the two cannot disagree.
 */
#ifndef CCFC_WIRE_TO_JSON_H
#define CCFC_WIRE_TO_JSON_H

#include "base/buf.h"
#include "wire/obj.h"

/*
 * Appends `o` as JSON: `indent` 0 is one line, else pretty with that many
 * spaces. Invalid UTF-8 becomes U+FFFD; control characters, and those that turn
 * text around, are escaped; exact otherwise. Keys keep their order. Bytes (bin)
 * that are valid UTF-8 are a string, else {"base64": "…"}, so that nothing of
 * a file's content is lost.
 */
void ccfc_json_write(struct ccfc_buf *out, struct ccfc_obj o, int indent);

/* A string with its quotes. */
void ccfc_json_string(struct ccfc_buf *out, struct ccfc_slice s);

#endif
