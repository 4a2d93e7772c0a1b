/*
 * URLs as text: segments of a path, parameters of a query, percent-decoding.
 * Everything is decoded exactly once, after it has been split.
 */
#ifndef CCFC_HTTP_URL_H
#define CCFC_HTTP_URL_H

#include "base/buf.h"

/* Splits "path?query"; a fragment is dropped. */
void ccfc_url_split(struct ccfc_slice url, struct ccfc_slice *path,
		    struct ccfc_slice *query);

/*
 * Takes the next segment of a path that begins with a slash, without decoding.
 * False: there is none.
 */
bool ccfc_url_segment(struct ccfc_slice *path, struct ccfc_slice *segment);

/* Takes the next "name=value" of a query, without decoding. */
bool ccfc_url_parameter(struct ccfc_slice *query, struct ccfc_slice *name,
			struct ccfc_slice *value);

/*
 * Appends the decoded text. `plus`: '+' is a space (a query). False: a percent
 * sign without two hex digits, or a NUL byte.
 */
bool ccfc_url_decode(struct ccfc_buf *out, struct ccfc_slice text, bool plus);

/* Is ".." one of the segments of the path? */
bool ccfc_url_climbs(struct ccfc_slice path);

#endif
