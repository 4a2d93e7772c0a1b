/*
 * One number out of a JSON file of settings: enough for what Claude Code is
 * told by its user, and no more. The whole text is checked, since a file that
 * is not JSON says nothing at all.
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
	bool one_line;	    /* the value stands there too */
	unsigned open_line; /* of the object's brace */
	bool empty;	    /* the object has nothing in it */
};

/*
 * The member `key` of the object that `json` is; the last one where it is
 * there more than once. CCFC_EINVAL: it is no JSON object; `err` has the line.
 */
int ccfc_setting_find(struct ccfc_setting *out, struct ccfc_slice json,
		      const char *key, struct ccfc_err *err);

/*
 * The same of a file. CCFC_ENOTFOUND: there is none; CCFC_EDENIED, CCFC_EIO,
 * CCFC_ETOOBIG.
 */
int ccfc_setting_read(struct ccfc_setting *out, const char *path,
		      const char *key, struct ccfc_err *err);

#endif
