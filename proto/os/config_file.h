/*
 * Files of settings: one "key = value" on each line, "#" starts a comment. The
 * caller knows the keys.
 */
#ifndef CCFC_OS_CONFIG_FILE_H
#define CCFC_OS_CONFIG_FILE_H

#include "base/err.h"

#include <stdbool.h>

/*
 * One setting; both texts are only valid during the call, and `value` may be
 * modified. 0; CCFC_ENOTFOUND: unknown key; other errors: bad value.
 */
typedef int (*ccfc_config_file_fn)(void *data, const char *key, char *value);

/*
 * Reads the file, line by line up to the first wrong line, which the error
 * names. A missing file is empty unless `must_exist`.
 */
int ccfc_config_file_read(const char *path, bool must_exist,
			  ccfc_config_file_fn fn, void *data,
			  struct ccfc_err *err);

/* Cuts off blanks at both ends, in place; returns the new beginning. */
char *ccfc_config_trim(char *s);

#endif
