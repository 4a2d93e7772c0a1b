/*
 * Files of settings: one "key = value" a line, "#" starts a comment. What the
 * keys mean is the reader's.
 */
#ifndef CCFC_OS_CONFIG_FILE_H
#define CCFC_OS_CONFIG_FILE_H

#include "base/err.h"

#include <stdbool.h>

/*
 * One setting; both texts are gone afterwards, and `value` may be written to.
 * 0; CCFC_ENOTFOUND: there is no such key; other errors: not such a value.
 */
typedef int (*ccfc_config_file_fn)(void *data, const char *key, char *value);

/*
 * Reads the file, line by line up to the first that is wrong: an error that
 * names it. A file that is not there is empty unless `must_exist`.
 */
int ccfc_config_file_read(const char *path, bool must_exist,
			  ccfc_config_file_fn fn, void *data,
			  struct ccfc_err *err);

#endif
