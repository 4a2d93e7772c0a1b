/*
 * Replies and their values. A struct ccfc_value is wire's struct ccfc_obj under
 * an installed name: the same pointer, and each function here calls one there.
 */
#include "lib/lib.h"

#include <stdlib.h>

#define SAME(a, b) _Static_assert((int)(a) == (int)(b), "types differ")
SAME(CCFC_VALUE_NONE, CCFC_OBJ_NONE);
SAME(CCFC_VALUE_INT, CCFC_OBJ_INT);
SAME(CCFC_VALUE_STR, CCFC_OBJ_STR);
SAME(CCFC_VALUE_MAP, CCFC_OBJ_MAP);
SAME(CCFC_VALUE_EXT, CCFC_OBJ_EXT);
SAME(CCFC_VALUE_BIN, CCFC_OBJ_BIN);

static struct ccfc_obj obj_of_value(struct ccfc_value v)
{
	return (struct ccfc_obj){ v.opaque };
}

static struct ccfc_value value_of_obj(struct ccfc_obj o)
{
	return (struct ccfc_value){ o.o };
}

void ccfc_reply_free(struct ccfc_reply *reply)
{
	if (!reply)
		return;
	ccfc_doc_free(reply->doc);
	free(reply->bytes);
	free(reply->method);
	free(reply);
}

struct ccfc_value ccfc_reply_value(const struct ccfc_reply *reply)
{
	struct ccfc_obj args = reply->rpc.params;

	if (reply->rpc.type == CCFC_MSG_RESPONSE)
		return value_of_obj(reply->rpc.result);
	return value_of_obj(ccfc_obj_at(args, ccfc_obj_len(args) - 1));
}

const char *ccfc_reply_method(const struct ccfc_reply *reply)
{
	return reply->method;
}

const void *ccfc_reply_bytes(const struct ccfc_reply *reply, size_t *len)
{
	*len = reply->len;
	return reply->bytes;
}

enum ccfc_value_type ccfc_value_type(struct ccfc_value v)
{
	return (enum ccfc_value_type)ccfc_obj_type(obj_of_value(v));
}

bool ccfc_value_bool(struct ccfc_value v, bool otherwise)
{
	return ccfc_obj_bool(obj_of_value(v), otherwise);
}

int64_t ccfc_value_int(struct ccfc_value v, int64_t otherwise)
{
	return ccfc_obj_int(obj_of_value(v), otherwise);
}

double ccfc_value_double(struct ccfc_value v, double otherwise)
{
	return ccfc_obj_double(obj_of_value(v), otherwise);
}

const char *ccfc_value_str(struct ccfc_value v, size_t *len)
{
	struct ccfc_slice s = ccfc_obj_str(obj_of_value(v));

	if (len)
		*len = s.len;
	return s.ptr;
}

uint32_t ccfc_value_len(struct ccfc_value v)
{
	return ccfc_obj_len(obj_of_value(v));
}

struct ccfc_value ccfc_value_at(struct ccfc_value v, uint32_t i)
{
	return value_of_obj(ccfc_obj_at(obj_of_value(v), i));
}

struct ccfc_value ccfc_value_key_at(struct ccfc_value v, uint32_t i)
{
	return value_of_obj(ccfc_obj_key_at(obj_of_value(v), i));
}

struct ccfc_value ccfc_value_value_at(struct ccfc_value v, uint32_t i)
{
	return value_of_obj(ccfc_obj_value_at(obj_of_value(v), i));
}

struct ccfc_value ccfc_value_get(struct ccfc_value v, const char *key)
{
	return value_of_obj(ccfc_obj_get(obj_of_value(v), key));
}
