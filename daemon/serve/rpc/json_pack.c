/* JSON as msgpack; see json_pack.h. */
#include "serve/rpc/json_pack.h"

#include "conversation/conversation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A client unpacks 32 levels, of which the response and its result use two. */
#define DEPTH (CCFC_PACK_DEPTH - 4)

static void pack_text(struct ccfc_json_pack *j, uint32_t tok)
{
	size_t max = j->max < j->left ? j->max : j->left;
	struct ccfc_slice s =
		ccfc_conversation_value(j->json, tok, max, &j->cut, j->arena);

	j->left -= s.len;
	ccfc_pack_str(j->pack, s);
}

/* A number ends at a byte that cannot be part of a number. */
static void pack_number(struct ccfc_json_pack *j, uint32_t tok)
{
	const char *p = j->json->text + j->json->at[tok];
	size_t n = strspn(p, "+-0123456789.eE");
	double d;

	errno = 0;
	if (strcspn(p, ".eE") >= n) {
		int64_t v = strtoll(p, NULL, 10);
		uint64_t u;

		if (!errno) {
			ccfc_pack_int(j->pack, v);
			return;
		}
		errno = 0;
		u = *p == '-' ? 0 : strtoull(p, NULL, 10);
		if (*p != '-' && !errno) {
			ccfc_pack_uint(j->pack, u);
			return;
		}
	}
	d = strtod(p, NULL);
	if (isfinite(d))
		ccfc_pack_double(j->pack, d);
	else
		ccfc_pack_nil(j->pack);
}

static void pack_key(struct ccfc_json_pack *j, uint32_t key)
{
	bool cut = false;
	struct ccfc_slice s =
		ccfc_conversation_value(j->json, key, j->left, &cut, j->arena);

	j->cut |= cut;
	j->left -= s.len;
	ccfc_pack_str(j->pack, s);
}

/* Is there room for one more value? */
static bool has_room(struct ccfc_json_pack *j)
{
	if (j->items < CCFC_JSON_PACK_ITEMS && j->left)
		return true;
	j->cut = true;
	return false;
}

/* Recurses at most DEPTH levels. */
static void pack_container(struct ccfc_json_pack *j, uint32_t tok, bool map)
{
	uint32_t at = ccfc_json_child(j->json, tok);

	if (map)
		ccfc_pack_map(j->pack);
	else
		ccfc_pack_array(j->pack);
	for (; at && has_room(j);
	     at = ccfc_json_next(j->json, at + (map ? 2 : 0))) {
		if (map)
			pack_key(j, at);
		ccfc_json_pack(j, at + (map ? 2 : 0));
	}
	ccfc_pack_end(j->pack);
}

/* NOLINTNEXTLINE(misc-no-recursion): at most DEPTH */
void ccfc_json_pack(struct ccfc_json_pack *j, uint32_t tok)
{
	char c = ccfc_json_first(j->json, tok);

	j->items++;
	switch (c) {
	case '{':
	case '[':
		if (j->pack->depth < DEPTH) {
			pack_container(j, tok, c == '{');
			break;
		}
		j->cut = true;
		pack_text(j, tok);
		break;
	case '"':
		pack_text(j, tok);
		break;
	case 't':
	case 'f':
		ccfc_pack_bool(j->pack, c == 't');
		break;
	case 'n':
		ccfc_pack_nil(j->pack);
		break;
	default:
		pack_number(j, tok);
	}
}
