/*
 * JSON from a transcript as msgpack, for the input of a tool's call. Whole
 * numbers become ints, others doubles; strings are unescaped. A value too deep
 * for a reply is packed as JSON text.
 */
#ifndef CCFC_SERVE_RPC_JSON_PACK_H
#define CCFC_SERVE_RPC_JSON_PACK_H

#include "base/arena.h"
#include "transcript/json/json.h"
#include "wire/pack.h"

/* Values of one call's input; further ones are left out. */
#define CCFC_JSON_PACK_ITEMS 65536u

struct ccfc_json_pack {
	struct ccfc_pack *pack;
	const struct ccfc_json *json;
	struct ccfc_arena *arena; /* for temporary values */
	/* bytes of one text; cut at the end of a character */
	size_t max;
	size_t left;	/* bytes left for all texts */
	uint32_t items; /* values packed */
	bool cut;	/* something was cut or left out */
};

/* Packs the value `tok`. */
void ccfc_json_pack(struct ccfc_json_pack *j, uint32_t tok);

#endif
