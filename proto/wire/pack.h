/*
 * Writing msgpack into a buffer. Maps and arrays are opened and closed; their
 * length is counted and patched in, so that optional fields need no second
 * pass. Nothing here fails. In a map, keys and values alternate.
 */
#ifndef CCFC_WIRE_PACK_H
#define CCFC_WIRE_PACK_H

#include "base/buf.h"

#include <stdint.h>

#define CCFC_PACK_DEPTH 32

struct ccfc_pack {
	struct ccfc_buf *buf; /* borrowed */
	int depth;
	struct {
		size_t at;	/* of the header */
		uint32_t items; /* keys and values count one each */
		bool map;
	} open[CCFC_PACK_DEPTH];
};

void ccfc_pack_init(struct ccfc_pack *p, struct ccfc_buf *buf);

void ccfc_pack_map(struct ccfc_pack *p);
void ccfc_pack_array(struct ccfc_pack *p);
/* The head of an array whose `n` items are sent separately after it. */
void ccfc_pack_array_head(struct ccfc_pack *p, uint32_t n);
/* Closes the innermost open map or array. */
void ccfc_pack_end(struct ccfc_pack *p);

void ccfc_pack_nil(struct ccfc_pack *p);
void ccfc_pack_bool(struct ccfc_pack *p, bool v);
void ccfc_pack_int(struct ccfc_pack *p, int64_t v);
void ccfc_pack_uint(struct ccfc_pack *p, uint64_t v);
void ccfc_pack_double(struct ccfc_pack *p, double v);
/*
 * A string. Bytes that are not valid UTF-8 are sent unchanged (paths are
 * bytes); conversion to JSON replaces them.
 */
void ccfc_pack_str(struct ccfc_pack *p, struct ccfc_slice s);
void ccfc_pack_cstr(struct ccfc_pack *p, const char *s);
/* Bytes that need not be text: the content of a file, a diff. */
void ccfc_pack_bin(struct ccfc_pack *p, struct ccfc_slice bytes);
/* RFC 3339 in UTC; nil for CCFC_TIME_NONE. */
void ccfc_pack_time(struct ccfc_pack *p, int64_t ms);
/* One value that is already msgpack. */
void ccfc_pack_raw(struct ccfc_pack *p, struct ccfc_slice packed);
/* The same for `n` values in a row; keys count, too. */
void ccfc_pack_raws(struct ccfc_pack *p, struct ccfc_slice packed, uint32_t n);

/* Key and value in one. */
void ccfc_pack_kv_str(struct ccfc_pack *p, const char *key,
		      struct ccfc_slice s);
void ccfc_pack_kv_cstr(struct ccfc_pack *p, const char *key, const char *s);
void ccfc_pack_kv_bin(struct ccfc_pack *p, const char *key,
		      struct ccfc_slice bytes);
void ccfc_pack_kv_int(struct ccfc_pack *p, const char *key, int64_t v);
void ccfc_pack_kv_uint(struct ccfc_pack *p, const char *key, uint64_t v);
void ccfc_pack_kv_bool(struct ccfc_pack *p, const char *key, bool v);
void ccfc_pack_kv_time(struct ccfc_pack *p, const char *key, int64_t ms);

#endif
