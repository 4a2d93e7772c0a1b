/*
 * One number from a JSON file of Claude Code's settings. The whole text is
 * checked, since a file that is not JSON has no settings.
 */
#ifndef CCFC_CLI_DOCTOR_SETTINGS_H
#define CCFC_CLI_DOCTOR_SETTINGS_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

#define CCFC_SETTINGS_MAX (1u << 20) /* bytes of a file that is read */

enum ccfc_setting_kind {
	CCFC_SETTING_ABSENT,
	CCFC_SETTING_NUMBER,
	CCFC_SETTING_OTHER, /* a text, null, a fraction, something too large */
};

struct ccfc_setting {
	enum ccfc_setting_kind kind;
	int64_t number;
	unsigned line;	    /* of the key, from 1 */
	bool one_line;	    /* the value is on the same line */
	unsigned open_line; /* of the object's brace */
	bool empty;	    /* the object has nothing in it */
};

/*
 * The member `key` of the object `json`; the last one if the key is repeated.
 * CCFC_EINVAL: not a JSON object; `err` has the line.
 */
int ccfc_setting_find(struct ccfc_setting *out, struct ccfc_slice json,
		      const char *key, struct ccfc_err *err);

/*
 * The same for a file. Also CCFC_ENOTFOUND: there is none; CCFC_EDENIED,
 * CCFC_EIO, CCFC_ETOOBIG.
 */
int ccfc_setting_read(struct ccfc_setting *out, const char *path,
		      const char *key, struct ccfc_err *err);

#endif
