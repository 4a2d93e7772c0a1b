/*
 * The lines of ccfc's own small records: "key value", in a fixed order. A text
 * is printable ASCII; other bytes and '%' are %XX. Files are checked like
 * untrusted input.
 */
#ifndef CCFC_CLI_WRITE_KVFILE_H
#define CCFC_CLI_WRITE_KVFILE_H

#include "base/buf.h"
#include "base/sha256.h"
#include "cli/write/replace.h"

/* Appends a line. */
void ccfc_kvfile_put(struct ccfc_buf *out, const char *key, const char *text);

/* The value of the next line if its key is `key`; advances the text. */
bool ccfc_kvfile_take(struct ccfc_slice *value, struct ccfc_slice *text,
		      const char *key);

/* The text given to ccfc_kvfile_put; NULL: malformed. */
char *ccfc_kvfile_decode(struct ccfc_slice value);

/* "-", or the 64 digits at the start of the value; moves *value behind them. */
bool ccfc_kvfile_take_hash(char out[CCFC_SHA256_HEX + 1],
			   struct ccfc_slice *value);

/* A number after an optional blank, at most 32 bits. */
bool ccfc_kvfile_take_number(unsigned long *out, struct ccfc_slice *value,
			     int base);

/*
 * The name of a temporary file (replace.h), and nothing else, since it will be
 * deleted.
 */
bool ccfc_kvfile_read_temp(char out[CCFC_TEMP_MAX], struct ccfc_slice value);

/* Lower-case hex digits only? */
bool ccfc_kvfile_is_hex(struct ccfc_slice s);

#endif
