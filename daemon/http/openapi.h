/* The description of the REST API, for clients and their generators. */
#ifndef CCFC_HTTP_OPENAPI_H
#define CCFC_HTTP_OPENAPI_H

#include "base/buf.h"

/* Appends the description, as JSON. */
void ccfc_openapi_write(struct ccfc_buf *out);

#endif
