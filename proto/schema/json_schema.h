/*
 * The tables of the protocol as JSON Schema: one schema for a type of
 * types.def, one for the value of an option. Both are appended as JSON.
 */
#ifndef CCFC_SCHEMA_JSON_SCHEMA_H
#define CCFC_SCHEMA_JSON_SCHEMA_H

#include "base/buf.h"
#include "schema/schema.h"

/* A type as in types.def; a type of that file is a $ref into components. */
void ccfc_schema_type_json(struct ccfc_buf *out, struct ccfc_slice type);

/* The value of an option. */
void ccfc_schema_option_json(struct ccfc_buf *out, enum ccfc_option option);

#endif
