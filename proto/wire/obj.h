/*
 * Reading msgpack. A document is unpacked from bytes that a framer has passed
 * and owns its memory; objects are borrowed from it. Strings borrow from the
 * bytes given to ccfc_doc_parse, which must live as long as the document.
 * Accessors never fail: they return a default for another type.
 */
#ifndef CCFC_WIRE_OBJ_H
#define CCFC_WIRE_OBJ_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

enum ccfc_obj_type {
	CCFC_OBJ_NONE, /* there is no such object */
	CCFC_OBJ_NIL,
	CCFC_OBJ_BOOL,
	CCFC_OBJ_INT,  /* fits int64_t */
	CCFC_OBJ_UINT, /* beyond int64_t */
	CCFC_OBJ_DOUBLE,
	CCFC_OBJ_STR,
	CCFC_OBJ_ARRAY,
	CCFC_OBJ_MAP,
	CCFC_OBJ_EXT,
	CCFC_OBJ_BIN, /* bytes; read like a string */
};

struct ccfc_doc;

/* Borrowed from a document; a zeroed one is CCFC_OBJ_NONE. */
struct ccfc_obj {
	const void *o;
};

int ccfc_doc_parse(struct ccfc_doc **out, struct ccfc_slice bytes,
		   struct ccfc_err *err);
void ccfc_doc_free(struct ccfc_doc *doc);
struct ccfc_obj ccfc_doc_root(const struct ccfc_doc *doc);

enum ccfc_obj_type ccfc_obj_type(struct ccfc_obj o);
bool ccfc_obj_bool(struct ccfc_obj o, bool otherwise);
int64_t ccfc_obj_int(struct ccfc_obj o, int64_t otherwise);
uint64_t ccfc_obj_uint(struct ccfc_obj o, uint64_t otherwise); /* any >= 0 */
double ccfc_obj_double(struct ccfc_obj o, double otherwise);
/* The bytes of a str or a bin; empty otherwise. */
struct ccfc_slice ccfc_obj_str(struct ccfc_obj o);
/* Is it a str or a bin? bin is accepted wherever str is. */
bool ccfc_obj_is_str(struct ccfc_obj o);

/* Elements of an array or pairs of a map; 0 for anything else. */
uint32_t ccfc_obj_len(struct ccfc_obj o);
struct ccfc_obj ccfc_obj_at(struct ccfc_obj o, uint32_t i);
struct ccfc_obj ccfc_obj_key_at(struct ccfc_obj o, uint32_t i);
struct ccfc_obj ccfc_obj_value_at(struct ccfc_obj o, uint32_t i);
struct ccfc_obj ccfc_obj_get(struct ccfc_obj o, const char *key);

/* Shorthands for ccfc_obj_get + accessor. */
struct ccfc_slice ccfc_obj_get_str(struct ccfc_obj o, const char *key);
int64_t ccfc_obj_get_int(struct ccfc_obj o, const char *key, int64_t otherwise);
bool ccfc_obj_get_bool(struct ccfc_obj o, const char *key, bool otherwise);

#endif
