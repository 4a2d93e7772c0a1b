/*
 * A JSON object as an array of tokens. After a successful parse the text is one
 * well-formed object, so reading it cannot fail. A value is the number of its
 * first token. Every getter accepts any such number and returns "none" if the
 * value is of another kind. Token 0 is the object itself; as the value of a
 * field it means that there is none. Slices are raw: they point into the text,
 * and escapes stay as written (unescape.h).
 */
#ifndef CCFC_TRANSCRIPT_JSON_JSON_H
#define CCFC_TRANSCRIPT_JSON_JSON_H

#include "base/slice.h"

#include <stdint.h>

struct ccfc_simd;

struct ccfc_json {
	const char *text;
	const uint32_t *at; /* offset of each token */
	uint32_t *jump;	    /* for an opening bracket: its closing one */
	uint32_t n;
	uint32_t cap; /* capacity of `jump` */
	struct ccfc_simd *simd;
};

void ccfc_json_init(struct ccfc_json *json);
void ccfc_json_release(struct ccfc_json *json);

/* Readable bytes required after a text. */
#define CCFC_JSON_PADDING 64u

/*
 * Reads `text`, which is borrowed until the next parse. False unless it is one
 * JSON object with optional white space around it.
 */
bool ccfc_json_parse(struct ccfc_json *json, struct ccfc_slice text);

/* Frees the memory that a huge text needed; ends the parse. */
void ccfc_json_trim(struct ccfc_json *json);

static inline bool ccfc_json_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The first byte of a value: { [ " t f n - or a digit. */
static inline char ccfc_json_first(const struct ccfc_json *json, uint32_t tok)
{
	return json->text[json->at[tok]];
}

static inline bool ccfc_json_is_object(const struct ccfc_json *json,
				       uint32_t tok)
{
	return tok && ccfc_json_first(json, tok) == '{';
}

static inline bool ccfc_json_is_array(const struct ccfc_json *json,
				      uint32_t tok)
{
	return ccfc_json_first(json, tok) == '[';
}

static inline bool ccfc_json_is_string(const struct ccfc_json *json,
				       uint32_t tok)
{
	return ccfc_json_first(json, tok) == '"';
}

static inline bool ccfc_json_is_true(const struct ccfc_json *json, uint32_t tok)
{
	return ccfc_json_first(json, tok) == 't';
}

/*
 * The first element of an array or the first key of an object (any other
 * value: 0), and the one that follows the value `tok` in the same brackets; 0
 * at the end. The value of the key k is k + 2.
 */
static inline uint32_t ccfc_json_child(const struct ccfc_json *json,
				       uint32_t tok)
{
	char c = ccfc_json_first(json, tok);

	if ((c != '{' && c != '[') || json->jump[tok] == tok + 1)
		return 0;
	return tok + 1;
}

static inline uint32_t ccfc_json_next(const struct ccfc_json *json,
				      uint32_t tok)
{
	char c = ccfc_json_first(json, tok);
	uint32_t end = (c == '{' || c == '[') ? json->jump[tok] : tok;

	return ccfc_json_first(json, end + 1) == ',' ? end + 2 : 0;
}

/* The bytes between the quotes of a key. */
static inline struct ccfc_slice ccfc_json_key(const struct ccfc_json *json,
					      uint32_t key)
{
	const char *start = json->text + json->at[key] + 1;
	const char *end = json->text + json->at[key + 1] - 1;

	while (ccfc_json_is_space(*end))
		end--;
	return ccfc_slice(start, (size_t)(end - start));
}

/* The same for any value; ptr NULL if it is not a string. */
static inline struct ccfc_slice ccfc_json_string(const struct ccfc_json *json,
						 uint32_t tok)
{
	if (!ccfc_json_is_string(json, tok))
		return CCFC_SLICE_NONE;
	return ccfc_json_key(json, tok);
}

/* An object or array as written; ptr NULL for other values. */
static inline struct ccfc_slice ccfc_json_raw(const struct ccfc_json *json,
					      uint32_t tok)
{
	char c = ccfc_json_first(json, tok);
	uint32_t start = json->at[tok];

	if (c != '{' && c != '[')
		return CCFC_SLICE_NONE;
	return ccfc_slice(json->text + start,
			  json->at[json->jump[tok]] + 1 - start);
}

/* A whole number of 64 bits; 0 for everything else. */
int64_t ccfc_json_int(const struct ccfc_json *json, uint32_t tok);

/* Any number; 0 for everything else. */
double ccfc_json_double(const struct ccfc_json *json, uint32_t tok);

/* A whole number from 0 to 2^31 - 1; -1 for everything else. */
int64_t ccfc_json_count(const struct ccfc_json *json, uint32_t tok);

/* The names of the fields to read from an object. */
#define CCFC_JSON_KEYS_MAX 24
#define CCFC_JSON_KEY_LEN  32

struct ccfc_json_keys {
	const char *name[CCFC_JSON_KEYS_MAX];
	/* the first eight bytes of each name */
	uint64_t start[CCFC_JSON_KEYS_MAX];
	uint8_t head[CCFC_JSON_KEY_LEN]; /* by length: the chain of names */
	uint8_t next[CCFC_JSON_KEYS_MAX];
	/* by length: which of eight bytes count */
	uint64_t mask[CCFC_JSON_KEY_LEN];
	uint8_t n;
};

/* `names` are literals: at most CCFC_JSON_KEYS_MAX, each below KEY_LEN. */
void ccfc_json_keys_init(struct ccfc_json_keys *keys, const char *const *names,
			 uint8_t n);

/*
 * One pass over the object `tok` (0: none). out[i] is the value of names[i] or
 * 0; of a repeated key, the last value.
 */
void ccfc_json_fields(const struct ccfc_json *json, uint32_t tok,
		      const struct ccfc_json_keys *keys, uint32_t *out);

/* The same for the outermost object. */
void ccfc_json_root_fields(const struct ccfc_json *json,
			   const struct ccfc_json_keys *keys, uint32_t *out);

#endif
