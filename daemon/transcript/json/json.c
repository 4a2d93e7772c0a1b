/*
 * JSON as an array of tokens. simdjson finds the tokens (json_simd.h). One pass
 * over them then checks the grammar and notes for each opening bracket where it
 * closes. The pass reads one byte of each token and never the inside of
 * strings. In return, a value of any size is skipped in one step, code that
 * reads the object needs no error handling, and a torn or glued record is
 * detected at any depth.
 *
 * The pass keeps no stack: while a bracket is open, its slot in `jump` holds
 * the bracket around it. So depth costs nothing and needs no limit.
 */
#include "transcript/json/json.h"

#include "base/alloc.h"
#include "transcript/json/json_simd.h"

#include <stdlib.h>

#define KEEP_TOKENS (1u << 18)
#define NO_KEY	    0xffu

void ccfc_json_init(struct ccfc_json *json)
{
	memset(json, 0, sizeof(*json));
	json->simd = ccfc_simd_new();
}

void ccfc_json_release(struct ccfc_json *json)
{
	ccfc_simd_free(json->simd);
	free(json->jump);
	memset(json, 0, sizeof(*json));
}

void ccfc_json_trim(struct ccfc_json *json)
{
	ccfc_simd_trim(json->simd);
	if (json->cap > KEEP_TOKENS) {
		free(json->jump);
		json->jump = NULL;
		json->cap = 0;
	}
	json->n = 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p)
{
	while (is_digit(*p))
		p++;
	return p;
}

/* The end of a number, or NULL if it is not a number. */
static const char *skip_number(const char *p)
{
	const char *digits;

	p += *p == '-';
	if (!is_digit(*p))
		return NULL;
	p = *p == '0' ? p + 1 : skip_digits(p);
	if (*p == '.') {
		digits = p + 1;
		p = skip_digits(digits);
		if (p == digits)
			return NULL;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '+' || *p == '-';
		digits = p;
		p = skip_digits(digits);
		if (p == digits)
			return NULL;
	}
	return p;
}

/*
 * The text ends in a brace, so a scan that stops at any unexpected byte stops
 * inside the text.
 */
static bool is_scalar(const char *p)
{
	switch (*p) {
	case 't':
		p = memcmp(p, "true", 4) ? NULL : p + 4;
		break;
	case 'f':
		p = memcmp(p, "false", 5) ? NULL : p + 5;
		break;
	case 'n':
		p = memcmp(p, "null", 4) ? NULL : p + 4;
		break;
	default:
		p = skip_number(p);
	}
	return p &&
	       (ccfc_json_is_space(*p) || *p == ',' || *p == '}' || *p == ']');
}

/* Is the value at p a string or a scalar? */
static bool is_leaf(const char *p)
{
	return *p == '"' || is_scalar(p);
}

/*
 * Checks all tokens and fills in `jump`. Each turn of the loop reads one value
 * (in an object, its key first), then the brackets that close after it. The
 * last token is a brace, at which the loop ends in any case.
 */
static bool check_structure(struct ccfc_json *json)
{
	const char *text = json->text;
	const uint32_t *at = json->at;
	uint32_t *jump = json->jump;
	uint32_t last = json->n - 1;
	uint32_t open = 0; /* the innermost open bracket */
	uint32_t i = 1;
	bool array = false; /* that bracket is a [ */

	jump[0] = last;
	if (text[at[1]] == '}')
		return last == 1;
	while (i < last) {
		if (!array) {
			if (text[at[i]] != '"' || text[at[i + 1]] != ':')
				return false;
			i += 2;
		}
		if (text[at[i]] == '{' || text[at[i]] == '[') {
			array = text[at[i]] == '[';
			jump[i] = open;
			open = i++;
			if (text[at[i]] != (array ? ']' : '}'))
				continue;
		} else if (!is_leaf(text + at[i++])) {
			return false;
		}
		while (text[at[i]] == (array ? ']' : '}')) {
			uint32_t around = jump[open];

			if (!open || i == last)
				return !open && i == last;
			jump[open] = i++;
			open = around;
			array = text[at[open]] == '[';
		}
		if (text[at[i++]] != ',')
			return false;
	}
	return false;
}

static void grow_tables(struct ccfc_json *json)
{
	if (json->cap >= json->n)
		return;
	free(json->jump);
	json->cap = json->n < 1024 ? 1024 : json->n + json->n / 2;
	json->jump = ccfc_malloc((size_t)json->cap * sizeof(*json->jump));
}

bool ccfc_json_parse(struct ccfc_json *json, struct ccfc_slice text)
{
	while (text.len && ccfc_json_is_space(text.ptr[text.len - 1]))
		text.len--;
	json->n = 0;
	if (text.len < 2 || text.ptr[text.len - 1] != '}')
		return false;
	json->text = text.ptr;
	json->n = ccfc_simd_scan(json->simd, &json->at, text.ptr, text.len);
	if (json->n < 2 || json->text[json->at[0]] != '{')
		return false;
	grow_tables(json);
	return check_structure(json);
}

int64_t ccfc_json_int(const struct ccfc_json *json, uint32_t tok)
{
	const char *p = json->text + json->at[tok];
	bool negative = *p == '-';
	int64_t value = 0;

	for (p += negative; is_digit(*p); p++) {
		if (value > (INT64_MAX - 9) / 10)
			return 0;
		value = value * 10 + (*p - '0');
	}
	if (*p == '.' || *p == 'e' || *p == 'E')
		return 0;
	return negative ? -value : value;
}

double ccfc_json_double(const struct ccfc_json *json, uint32_t tok)
{
	const char *p = json->text + json->at[tok];

	/* The byte after a number in the line ends it for strtod too. */
	return *p == '-' || is_digit(*p) ? strtod(p, NULL) : 0;
}

int64_t ccfc_json_count(const struct ccfc_json *json, uint32_t tok)
{
	const char *p = json->text + json->at[tok];
	int64_t value = ccfc_json_int(json, tok);

	if (!is_digit(*p) || value > INT32_MAX)
		return -1;
	/* A real 0, or a value that ccfc_json_int turns into 0? */
	if (!value && (*p != '0' || p[1] == '.' || p[1] == 'e' || p[1] == 'E'))
		return -1;
	return value;
}

void ccfc_json_keys_init(struct ccfc_json_keys *keys, const char *const *names,
			 uint8_t n)
{
	memset(keys, 0, sizeof(*keys));
	memset(keys->head, NO_KEY, sizeof(keys->head));
	keys->n = n;
	for (size_t len = 0; len < CCFC_JSON_KEY_LEN; len++)
		memset(&keys->mask[len], 0xff, len < 8 ? len : 8);
	for (uint8_t i = 0; i < n; i++) {
		size_t len = strlen(names[i]);

		keys->name[i] = names[i];
		memcpy(&keys->start[i], names[i], len < 8 ? len : 8);
		keys->next[i] = keys->head[len];
		keys->head[len] = i;
	}
}

/*
 * Names of the same length are compared by their first eight bytes. These can
 * be read for any length, because a line is padded.
 */
static unsigned find_key(const struct ccfc_json_keys *keys,
			 struct ccfc_slice key)
{
	uint64_t start;
	unsigned i;

	if (key.len >= CCFC_JSON_KEY_LEN)
		return NO_KEY;
	memcpy(&start, key.ptr, sizeof(start));
	start &= keys->mask[key.len];
	for (i = keys->head[key.len]; i != NO_KEY; i = keys->next[i])
		if (keys->start[i] == start &&
		    (key.len <= 8 ||
		     !memcmp(keys->name[i] + 8, key.ptr + 8, key.len - 8)))
			break;
	return i;
}

static void read_fields(const struct ccfc_json *json, uint32_t key,
			const struct ccfc_json_keys *keys, uint32_t *out)
{
	while (key) {
		unsigned i = find_key(keys, ccfc_json_key(json, key));

		if (i != NO_KEY)
			out[i] = key + 2;
		key = ccfc_json_next(json, key + 2);
	}
}

void ccfc_json_fields(const struct ccfc_json *json, uint32_t tok,
		      const struct ccfc_json_keys *keys, uint32_t *out)
{
	memset(out, 0, keys->n * sizeof(*out));
	if (ccfc_json_is_object(json, tok))
		read_fields(json, ccfc_json_child(json, tok), keys, out);
}

void ccfc_json_root_fields(const struct ccfc_json *json,
			   const struct ccfc_json_keys *keys, uint32_t *out)
{
	memset(out, 0, keys->n * sizeof(*out));
	read_fields(json, ccfc_json_child(json, 0), keys, out);
}
