/* The body of a POST; see body.h. */
#include "http/body.h"

#include "base/arena.h"
#include "transcript/json/json.h"
#include "transcript/json/unescape.h"

/* Options of one request, at most. */
#define FIELDS_MAX 64
/* Bytes of one name. */
#define NAME_BYTES 64

static int bad_field(struct ccfc_err *err, struct ccfc_slice name)
{
	return ccfc_err_set(
		err, CCFC_EINVAL,
		"the body's field '%.*s' must be a text, a whole "
		"number, true or false",
		(int)(name.len < NAME_BYTES ? name.len : NAME_BYTES), name.ptr);
}

static int pack_field(struct ccfc_pack *p, const struct ccfc_json *json,
		      uint32_t key, struct ccfc_arena *arena,
		      struct ccfc_err *err)
{
	struct ccfc_slice name = ccfc_json_key(json, key);
	uint32_t tok = key + 2;
	char c = ccfc_json_first(json, tok);
	bool bad = false;

	ccfc_pack_str(p, ccfc_unescape(arena, name, &bad));
	if (c == '"')
		ccfc_pack_str(p,
			      ccfc_unescape(arena, ccfc_json_string(json, tok),
					    &bad));
	else if (c == 't' || c == 'f')
		ccfc_pack_bool(p, c == 't');
	else if (c == '-' || (c >= '0' && c <= '9'))
		ccfc_pack_int(p, ccfc_json_int(json, tok));
	else
		bad = true;
	return bad ? bad_field(err, name) : 0;
}

static int pack_object(struct ccfc_pack *p, const struct ccfc_json *json,
		       struct ccfc_err *err)
{
	struct ccfc_arena arena;
	int n = 0, r = 0;

	ccfc_arena_init(&arena);
	ccfc_pack_map(p);
	for (uint32_t key = ccfc_json_child(json, 0); key && !r;
	     key = ccfc_json_next(json, key + 2)) {
		if (n++ == FIELDS_MAX)
			r = ccfc_err_set(err, CCFC_EINVAL,
					 "the body has too many fields");
		else
			r = pack_field(p, json, key, &arena, err);
	}
	if (!r)
		ccfc_pack_end(p);
	ccfc_arena_release(&arena);
	return r;
}

int ccfc_body_pack(struct ccfc_pack *p, struct ccfc_slice body,
		   struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_json json;
	int r;

	if (!body.len)
		body = CCFC_SLICE_LIT("{}");
	ccfc_buf_slice(&text, body);
	memset(ccfc_buf_reserve(&text, CCFC_JSON_PADDING), 0,
	       CCFC_JSON_PADDING);
	ccfc_json_init(&json);
	if (ccfc_json_parse(&json, ccfc_buf_view(&text)))
		r = pack_object(p, &json, err);
	else
		r = ccfc_err_set(err, CCFC_EINVAL,
				 "the body is not a JSON object");
	ccfc_json_release(&json);
	ccfc_buf_release(&text);
	return r;
}
