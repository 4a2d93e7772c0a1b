/*
 * JSON.parse followed by JSON.stringify; see js_json.h. The tokens of the text
 * (transcript/json/json.h) serve as the tree. Only the members of objects are
 * kept separately: some have to be dropped, and the others sorted.
 */
#include "history/step/js_json.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "history/step/js_json_print.h"
#include "source/tail.h"
#include "transcript/json/json_simd.h"
#include "transcript/json/unescape.h"

#include <stdlib.h>

/* Up to this number of members, comparing all is faster than hashing. */
#define FEW 16u

void ccfc_js_doc_init(struct ccfc_js_doc *doc)
{
	ccfc_json_init(&doc->json);
	ccfc_arena_init(&doc->arena);
	ccfc_arena_init(&doc->scratch);
}

void ccfc_js_doc_release(struct ccfc_js_doc *doc)
{
	ccfc_json_release(&doc->json);
	ccfc_arena_release(&doc->arena);
	ccfc_arena_release(&doc->scratch);
}

/* The parser does not check strings; JSON.parse fails on a bad escape. */
static bool escapes_are_good(struct ccfc_js_doc *doc)
{
	const struct ccfc_json *json = &doc->json;
	bool bad = false;

	for (uint32_t tok = 0; tok < json->n && !bad; tok++) {
		struct ccfc_slice raw = ccfc_json_string(json, tok);

		if (!raw.len || !memchr(raw.ptr, '\\', raw.len))
			continue;
		ccfc_arena_clear(&doc->scratch);
		ccfc_unescape(&doc->scratch, raw, &bad);
	}
	return !bad;
}

bool ccfc_js_doc_read(struct ccfc_js_doc *doc, struct ccfc_slice text)
{
	char *copy;

	if (!text.len || text.len > CCFC_SIMD_MAX)
		return false;
	copy = ccfc_arena_alloc(&doc->arena, text.len + CCFC_TAIL_PADDING);
	memcpy(copy, text.ptr, text.len);
	memset(copy + text.len, 0, CCFC_TAIL_PADDING);
	return ccfc_json_parse(&doc->json, ccfc_slice(copy, text.len)) &&
	       escapes_are_good(doc);
}

void ccfc_js_members_release(struct ccfc_js_members *members)
{
	free(members->items);
	memset(members, 0, sizeof(*members));
}

/* The key at `tok` as JSON.stringify prints it. False on a bad escape. */
static bool read_printed_key(struct ccfc_slice *out, struct ccfc_js_doc *doc,
			     uint32_t tok)
{
	struct ccfc_slice raw = ccfc_json_key(&doc->json, tok);
	struct ccfc_buf buf = CCFC_BUF_INIT;
	bool ok;

	if (!memchr(raw.ptr, '\\', raw.len)) {
		*out = ccfc_slice(raw.ptr - 1, raw.len + 2);
		return true;
	}
	ok = ccfc_js_string(&buf, raw, &doc->scratch);
	if (ok)
		*out = ccfc_arena_copy(&doc->arena, ccfc_buf_view(&buf));
	ccfc_buf_release(&buf);
	return ok;
}

static bool is_member_key(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_js_members *members = ctx;

	return ccfc_slice_eq(members->items[id].key,
			     *(const struct ccfc_slice *)key);
}

static uint32_t find_member(const struct ccfc_js_members *members,
			    const struct ccfc_map *map, struct ccfc_slice key)
{
	if (members->n > FEW)
		return ccfc_map_get(map, ccfc_hash_slice(key), is_member_key,
				    members, &key);
	for (uint32_t i = 0; i < members->n; i++)
		if (ccfc_slice_eq(members->items[i].key, key))
			return i;
	return CCFC_ID_NONE;
}

/* Appends a member; `map` is filled when there are more than FEW. */
static void append_member(struct ccfc_js_members *members, struct ccfc_map *map,
			  struct ccfc_js_member member)
{
	uint32_t from = members->n == FEW ? 0 : members->n;

	CCFC_VEC_PUSH(*members, member);
	if (members->n <= FEW)
		return;
	for (uint32_t i = from; i < members->n; i++)
		ccfc_map_put(map, ccfc_hash_slice(members->items[i].key), i);
}

/* The array index that the key is, or -1. */
static int64_t array_index(struct ccfc_slice key)
{
	const char *p = key.ptr + 1, *end = key.ptr + key.len - 1;
	int64_t value = 0;

	if (p == end || end - p > 10 || (*p == '0' && end - p > 1))
		return -1;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9')
			return -1;
		value = value * 10 + (*p - '0');
	}
	return value < UINT32_MAX ? value : -1;
}

static int compare_array_indexes(const void *a, const void *b)
{
	int64_t x = array_index(((const struct ccfc_js_member *)a)->key);
	int64_t y = array_index(((const struct ccfc_js_member *)b)->key);

	return (x > y) - (x < y);
}

static void sort_array_indexes(struct ccfc_js_members *members)
{
	struct ccfc_js_member *sorted;
	uint32_t n = 0, at;

	for (uint32_t i = 0; i < members->n; i++)
		n += array_index(members->items[i].key) >= 0;
	if (!n)
		return;
	sorted = ccfc_malloc(members->n * sizeof(*sorted));
	at = n;
	n = 0;
	for (uint32_t i = 0; i < members->n; i++) {
		bool index = array_index(members->items[i].key) >= 0;

		sorted[index ? n++ : at++] = members->items[i];
	}
	qsort(sorted, n, sizeof(*sorted), compare_array_indexes);
	free(members->items);
	members->items = sorted;
	members->cap = members->n;
}

bool ccfc_js_members_read(struct ccfc_js_members *out, struct ccfc_js_doc *doc,
			  uint32_t tok)
{
	struct ccfc_js_member member = { .text = CCFC_SLICE_NONE };
	struct ccfc_map map;
	uint32_t key, twin;
	bool ok = ccfc_json_first(&doc->json, tok) == '{';

	out->n = 0;
	ccfc_map_init(&map);
	key = ok ? ccfc_json_child(&doc->json, tok) : 0;
	while (key && ok) {
		ok = read_printed_key(&member.key, doc, key);
		if (!ok)
			break;
		member.value = key + 2;
		twin = find_member(out, &map, member.key);
		if (twin < out->n)
			out->items[twin].value = member.value;
		else
			append_member(out, &map, member);
		key = ccfc_json_next(&doc->json, member.value);
	}
	ccfc_map_release(&map);
	if (ok)
		sort_array_indexes(out);
	return ok;
}

struct ccfc_js_member *ccfc_js_find(const struct ccfc_js_members *members,
				    const char *key)
{
	for (uint32_t i = 0; i < members->n; i++)
		if (ccfc_slice_is(members->items[i].key, key))
			return &members->items[i];
	return NULL;
}

void ccfc_js_set(struct ccfc_js_members *members, const char *key,
		 struct ccfc_slice text)
{
	struct ccfc_js_member *member = ccfc_js_find(members, key);
	struct ccfc_js_member fresh = { ccfc_slice_str(key), 0, text };

	if (member)
		member->text = text;
	else
		CCFC_VEC_PUSH(*members, fresh);
}

void ccfc_js_drop(struct ccfc_js_members *members, const char *key)
{
	struct ccfc_js_member *member = ccfc_js_find(members, key);

	if (!member)
		return;
	members->n--;
	memmove(member, member + 1,
		(size_t)(members->items + members->n - member) *
			sizeof(*member));
}

void ccfc_js_newline(struct ccfc_buf *out, unsigned depth)
{
	ccfc_buf_putc(out, '\n');
	memset(ccfc_buf_reserve(out, depth), ' ', depth);
	out->len += depth;
	out->ptr[out->len] = '\0';
}

bool ccfc_js_put_members(struct ccfc_buf *out, struct ccfc_js_doc *doc,
			 const struct ccfc_js_members *members, unsigned depth)
{
	if (!members->n) {
		ccfc_buf_puts(out, "{}");
		return true;
	}
	for (uint32_t i = 0; i < members->n; i++) {
		const struct ccfc_js_member *member = &members->items[i];

		ccfc_buf_putc(out, i ? ',' : '{');
		ccfc_js_newline(out, depth + 1);
		ccfc_buf_slice(out, member->key);
		ccfc_buf_puts(out, ": ");
		if (member->text.ptr)
			ccfc_buf_slice(out, member->text);
		else if (!ccfc_js_put(out, doc, member->value, depth + 1))
			return false;
	}
	ccfc_js_newline(out, depth);
	ccfc_buf_putc(out, '}');
	return true;
}

static bool print_object(struct ccfc_buf *out, struct ccfc_js_doc *doc,
			 uint32_t tok, unsigned depth)
{
	struct ccfc_js_members members = { NULL, 0, 0 };
	bool ok = ccfc_js_members_read(&members, doc, tok) &&
		  ccfc_js_put_members(out, doc, &members, depth);

	ccfc_js_members_release(&members);
	return ok;
}

static bool print_array(struct ccfc_buf *out, struct ccfc_js_doc *doc,
			uint32_t tok, unsigned depth)
{
	uint32_t item = ccfc_json_child(&doc->json, tok);

	if (!item) {
		ccfc_buf_puts(out, "[]");
		return true;
	}
	ccfc_buf_putc(out, '[');
	while (item) {
		ccfc_js_newline(out, depth + 1);
		if (!ccfc_js_put(out, doc, item, depth + 1))
			return false;
		item = ccfc_json_next(&doc->json, item);
		if (item)
			ccfc_buf_putc(out, ',');
	}
	ccfc_js_newline(out, depth);
	ccfc_buf_putc(out, ']');
	return true;
}

static bool print_number(struct ccfc_buf *out, const char *p)
{
	return ccfc_js_number(out, ccfc_slice(p, strspn(p, "+-.0123456789eE")));
}

bool ccfc_js_put(struct ccfc_buf *out, struct ccfc_js_doc *doc, uint32_t tok,
		 unsigned depth)
{
	const struct ccfc_json *json = &doc->json;

	/*
	 * A short value deep in a notebook may be printed a hundred times as
	 * long.
	 */
	if (depth > CCFC_JS_DEPTH || out->len > CCFC_SIMD_MAX)
		return false;
	switch (ccfc_json_first(json, tok)) {
	case '{':
		return print_object(out, doc, tok, depth);
	case '[':
		return print_array(out, doc, tok, depth);
	case '"':
		return ccfc_js_string(out, ccfc_json_key(json, tok),
				      &doc->scratch);
	case 't':
		ccfc_buf_puts(out, "true");
		return true;
	case 'f':
		ccfc_buf_puts(out, "false");
		return true;
	case 'n':
		ccfc_buf_puts(out, "null");
		return true;
	default:
		return print_number(out, json->text + json->at[tok]);
	}
}
