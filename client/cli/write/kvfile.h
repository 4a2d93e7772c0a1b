/*
 * The lines of ccfc's own small records: "key value", in a fixed order. A text
 * has no bytes but printable ASCII; others and '%' are %XX. What is read is
 * checked as if it came from outside.
 */
#ifndef CCFC_CLI_WRITE_KVFILE_H
#define CCFC_CLI_WRITE_KVFILE_H

#include "base/buf.h"
#include "base/sha256.h"
#include "cli/write/replace.h"

/* Appends a line. */
void ccfc_kvfile_put(struct ccfc_buf *out, const char *key, const char *text);

/* The value of the next line if that has `key`, and the text moved on. */
bool ccfc_kvfile_take(struct ccfc_slice *value, struct ccfc_slice *text,
		      const char *key);

/* What ccfc_kvfile_put was given; NULL if it makes no sense. */
char *ccfc_kvfile_decode(struct ccfc_slice value);

/* "-", or the 64 digits that the value starts with; the rest is left. */
bool ccfc_kvfile_take_hash(char out[CCFC_SHA256_HEX + 1],
			   struct ccfc_slice *value);

/* A number behind an optional blank, at most 32 bits of it. */
bool ccfc_kvfile_take_number(unsigned long *out, struct ccfc_slice *value,
			     int base);

/* The name of a temporary file (replace.h), and nothing else: it is deleted. */
bool ccfc_kvfile_read_temp(char out[CCFC_TEMP_MAX], struct ccfc_slice value);

/* Lower-case hex digits only? */
bool ccfc_kvfile_is_hex(struct ccfc_slice s);

#endif
