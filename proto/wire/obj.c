/*
 * Reading msgpack; see obj.h. Unpacking is msgpack-c's: a document is its
 * zone and root object, and a struct ccfc_obj points to one of its objects.
 */
#include "wire/obj.h"

#include "base/alloc.h"

#include <msgpack.h>
#include <stdlib.h>

struct ccfc_doc {
	msgpack_unpacked unpacked;
};

static const msgpack_object *msgpack_of(struct ccfc_obj o)
{
	return o.o;
}

int ccfc_doc_parse(struct ccfc_doc **out, struct ccfc_slice bytes,
		   struct ccfc_err *err)
{
	struct ccfc_doc *doc = ccfc_calloc(1, sizeof(*doc));
	size_t off = 0;
	msgpack_unpack_return r;

	*out = NULL;
	msgpack_unpacked_init(&doc->unpacked);
	r = msgpack_unpack_next(&doc->unpacked, bytes.ptr, bytes.len, &off);
	if (r == MSGPACK_UNPACK_SUCCESS && off == bytes.len) {
		*out = doc;
		return 0;
	}
	ccfc_doc_free(doc);
	if (r == MSGPACK_UNPACK_NOMEM_ERROR)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "message is too deep or too large");
	return ccfc_err_set(err, CCFC_EPROTO,
			    "message is not one msgpack value");
}

void ccfc_doc_free(struct ccfc_doc *doc)
{
	if (!doc)
		return;
	msgpack_unpacked_destroy(&doc->unpacked);
	free(doc);
}

struct ccfc_obj ccfc_doc_root(const struct ccfc_doc *doc)
{
	return (struct ccfc_obj){ doc ? &doc->unpacked.data : NULL };
}

enum ccfc_obj_type ccfc_obj_type(struct ccfc_obj o)
{
	const msgpack_object *m = msgpack_of(o);

	if (!m)
		return CCFC_OBJ_NONE;
	switch (m->type) {
	case MSGPACK_OBJECT_NIL:
		return CCFC_OBJ_NIL;
	case MSGPACK_OBJECT_BOOLEAN:
		return CCFC_OBJ_BOOL;
	case MSGPACK_OBJECT_POSITIVE_INTEGER:
		return m->via.u64 > INT64_MAX ? CCFC_OBJ_UINT : CCFC_OBJ_INT;
	case MSGPACK_OBJECT_NEGATIVE_INTEGER:
		return CCFC_OBJ_INT;
	case MSGPACK_OBJECT_FLOAT32:
	case MSGPACK_OBJECT_FLOAT64:
		return CCFC_OBJ_DOUBLE;
	case MSGPACK_OBJECT_STR:
		return CCFC_OBJ_STR;
	case MSGPACK_OBJECT_BIN:
		return CCFC_OBJ_BIN;
	case MSGPACK_OBJECT_ARRAY:
		return CCFC_OBJ_ARRAY;
	case MSGPACK_OBJECT_MAP:
		return CCFC_OBJ_MAP;
	case MSGPACK_OBJECT_EXT:
		return CCFC_OBJ_EXT;
	}
	return CCFC_OBJ_NONE;
}

bool ccfc_obj_bool(struct ccfc_obj o, bool otherwise)
{
	if (ccfc_obj_type(o) != CCFC_OBJ_BOOL)
		return otherwise;
	return msgpack_of(o)->via.boolean;
}

int64_t ccfc_obj_int(struct ccfc_obj o, int64_t otherwise)
{
	if (ccfc_obj_type(o) != CCFC_OBJ_INT)
		return otherwise;
	return msgpack_of(o)->via.i64;
}

uint64_t ccfc_obj_uint(struct ccfc_obj o, uint64_t otherwise)
{
	const msgpack_object *m = msgpack_of(o);

	if (!m || m->type != MSGPACK_OBJECT_POSITIVE_INTEGER)
		return otherwise;
	return m->via.u64;
}

double ccfc_obj_double(struct ccfc_obj o, double otherwise)
{
	if (ccfc_obj_type(o) != CCFC_OBJ_DOUBLE)
		return otherwise;
	return msgpack_of(o)->via.f64;
}

struct ccfc_slice ccfc_obj_str(struct ccfc_obj o)
{
	const msgpack_object *m = msgpack_of(o);

	if (m && m->type == MSGPACK_OBJECT_STR)
		return ccfc_slice(m->via.str.ptr, m->via.str.size);
	if (m && m->type == MSGPACK_OBJECT_BIN)
		return ccfc_slice(m->via.bin.ptr, m->via.bin.size);
	return CCFC_SLICE_NONE;
}

bool ccfc_obj_is_str(struct ccfc_obj o)
{
	enum ccfc_obj_type type = ccfc_obj_type(o);

	return type == CCFC_OBJ_STR || type == CCFC_OBJ_BIN;
}

uint32_t ccfc_obj_len(struct ccfc_obj o)
{
	const msgpack_object *m = msgpack_of(o);

	if (m && m->type == MSGPACK_OBJECT_ARRAY)
		return m->via.array.size;
	if (m && m->type == MSGPACK_OBJECT_MAP)
		return m->via.map.size;
	return 0;
}

struct ccfc_obj ccfc_obj_at(struct ccfc_obj o, uint32_t i)
{
	const msgpack_object *m = msgpack_of(o);

	if (!m || m->type != MSGPACK_OBJECT_ARRAY || i >= m->via.array.size)
		return (struct ccfc_obj){ NULL };
	return (struct ccfc_obj){ &m->via.array.ptr[i] };
}

static const msgpack_object_kv *map_pair(struct ccfc_obj o, uint32_t i)
{
	const msgpack_object *m = msgpack_of(o);

	if (!m || m->type != MSGPACK_OBJECT_MAP || i >= m->via.map.size)
		return NULL;
	return &m->via.map.ptr[i];
}

struct ccfc_obj ccfc_obj_key_at(struct ccfc_obj o, uint32_t i)
{
	const msgpack_object_kv *kv = map_pair(o, i);

	return (struct ccfc_obj){ kv ? &kv->key : NULL };
}

struct ccfc_obj ccfc_obj_value_at(struct ccfc_obj o, uint32_t i)
{
	const msgpack_object_kv *kv = map_pair(o, i);

	return (struct ccfc_obj){ kv ? &kv->val : NULL };
}

struct ccfc_obj ccfc_obj_get(struct ccfc_obj o, const char *key)
{
	const msgpack_object_kv *kv;

	for (uint32_t i = 0; (kv = map_pair(o, i)); i++) {
		struct ccfc_obj k = { &kv->key };

		if (ccfc_obj_is_str(k) && ccfc_slice_is(ccfc_obj_str(k), key))
			return (struct ccfc_obj){ &kv->val };
	}
	return (struct ccfc_obj){ NULL };
}

struct ccfc_slice ccfc_obj_get_str(struct ccfc_obj o, const char *key)
{
	return ccfc_obj_str(ccfc_obj_get(o, key));
}

int64_t ccfc_obj_get_int(struct ccfc_obj o, const char *key, int64_t otherwise)
{
	return ccfc_obj_int(ccfc_obj_get(o, key), otherwise);
}

bool ccfc_obj_get_bool(struct ccfc_obj o, const char *key, bool otherwise)
{
	return ccfc_obj_bool(ccfc_obj_get(o, key), otherwise);
}
