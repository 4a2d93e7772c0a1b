/* The JSON object of a POST as options of a method. */
#ifndef CCFC_HTTP_BODY_H
#define CCFC_HTTP_BODY_H

#include "base/err.h"
#include "wire/pack.h"

/*
 * Packs the map of options. An empty body is an empty object. Values are texts,
 * numbers (0 for a fraction), true or false. CCFC_EINVAL: anything else.
 */
int ccfc_body_pack(struct ccfc_pack *p, struct ccfc_slice body,
		   struct ccfc_err *err);

#endif
