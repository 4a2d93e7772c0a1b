/*
 * JSON as text, piece by piece. Commas are added automatically: after
 * everything except '{', '[' and ':'. So braces and brackets are plain appends.
 */
#ifndef CCFC_CLI_JSONRPC_JSON_TEXT_H
#define CCFC_CLI_JSONRPC_JSON_TEXT_H

#include "base/buf.h"

#include <stdint.h>

/* The comma in front of an element, if one is missing. */
void ccfc_json_text_next(struct ccfc_buf *out);

/* A key with its colon. */
void ccfc_json_text_key(struct ccfc_buf *out, const char *key);

/* Key and value. */
void ccfc_json_text_str(struct ccfc_buf *out, const char *key,
			struct ccfc_slice value);
void ccfc_json_text_cstr(struct ccfc_buf *out, const char *key,
			 const char *value);
void ccfc_json_text_int(struct ccfc_buf *out, const char *key, int64_t value);
void ccfc_json_text_bool(struct ccfc_buf *out, const char *key, bool value);

/* Key and a '{' or '['; the caller closes it. */
void ccfc_json_text_open(struct ccfc_buf *out, const char *key, char bracket);

#endif
