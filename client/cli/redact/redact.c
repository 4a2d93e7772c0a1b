/*
 * Going through texts and replies; see redact.h.
 *
 * A text is scanned twice: for secrets and addresses, then in the result for
 * names of people and machines, since a user's name may be a part of an
 * address. The rules are applied at every byte; each rule reads a bounded
 * number of bytes, so the time is linear.
 */
#include "cli/redact/redact.h"

#include "base/alloc.h"
#include "cli/redact/redact_rules.h"
#include "wire/to_json.h"

#include <stdlib.h>
#include <strings.h>

/* A value may lie this deep in a reply; below it is redacted as JSON text. */
#define DEPTH_MAX (CCFC_PACK_DEPTH - 8)

static const char *const kind_names[] = {
#define X(sym, name, one, many) name,
	CCFC_REDACT_LIST(X)
#undef X
};

static const char *const kind_words[][2] = {
#define X(sym, name, one, many) { one, many },
	CCFC_REDACT_LIST(X)
#undef X
};

/* Names that identify no person. */
static bool is_common(struct ccfc_slice name)
{
	static const char *const common[] = {
		"user",	   "users", "home",	 "root", "shared", "public",
		"default", "tmp",   "localhost", "var",	 "nobody",
	};

	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (name.len == strlen(common[i]) &&
		    !strncasecmp(name.ptr, common[i], name.len))
			return true;
	return name.len < 2;
}

static void learn_name(struct ccfc_redact *r, struct ccfc_slice name)
{
	if (is_common(name))
		return;
	for (uint32_t i = 0; i < r->names.n; i++)
		if (ccfc_slice_is(name, r->names.items[i]))
			return;
	CCFC_VEC_PUSH(r->names, ccfc_strndup(name.ptr, name.len));
}

/* The machine's name, with and without its domain. */
static void learn_host(struct ccfc_redact *r, const char *host)
{
	size_t len = strlen(host), first = strcspn(host, ".");

	if (is_common(ccfc_slice(host, first)))
		return;
	if (first < len)
		CCFC_VEC_PUSH(r->hosts, ccfc_strdup(host));
	CCFC_VEC_PUSH(r->hosts, ccfc_strndup(host, first));
}

/* As Claude Code names a project's directory. */
static char *encode_project_path(const char *path)
{
	char *out = ccfc_strdup(path);

	for (char *p = out; *p; p++)
		if (!ccfc_redact_alnum(*p))
			*p = '-';
	return out;
}

void ccfc_redact_init(struct ccfc_redact *r, const char *home, const char *host)
{
	struct ccfc_slice path = ccfc_slice_str(home);
	size_t at;

	*r = (struct ccfc_redact){ 0 };
	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	r->home = ccfc_strndup(path.len ? path.ptr : "", path.len);
	r->home_encoded = encode_project_path(r->home);
	for (at = path.len; at && path.ptr[at - 1] != '/'; at--)
		;
	if (path.len)
		learn_name(r, ccfc_slice(path.ptr + at, path.len - at));
	if (host && *host)
		learn_host(r, host);
}

void ccfc_redact_release(struct ccfc_redact *r)
{
	for (uint32_t i = 0; i < r->names.n; i++)
		free(r->names.items[i]);
	for (uint32_t i = 0; i < r->hosts.n; i++)
		free(r->hosts.items[i]);
	free(r->names.items);
	free(r->hosts.items);
	free(r->home);
	free(r->home_encoded);
}

void ccfc_redact_learn(struct ccfc_redact *r, struct ccfc_slice path)
{
	struct ccfc_redact_scan scan = { .r = r, .p = path.ptr, .n = path.len };
	struct ccfc_redact_hit hit;

	/* A home is at the start of the path, or after a drive. */
	for (size_t i = 0; i < 3 && i < path.len; i++)
		if ((path.ptr[i] == '/' || path.ptr[i] == '\\') &&
		    ccfc_redact_person(&scan, i, &hit) &&
		    hit.kind == CCFC_REDACT_HOME && *hit.with != '~') {
			learn_name(r, ccfc_slice(path.ptr + hit.start,
						 hit.end - hit.start));
			return;
		}
}

static void redact_pass(struct ccfc_buf *out, struct ccfc_redact *r,
			struct ccfc_slice s, ccfc_redact_fn find)
{
	struct ccfc_redact_scan scan = { .r = r, .p = s.ptr, .n = s.len };
	size_t copied = 0, i = 0;

	while (i < s.len) {
		struct ccfc_redact_hit hit;

		if (!find(&scan, i, &hit)) {
			i++;
			continue;
		}
		if (hit.start > copied)
			ccfc_buf_append(out, s.ptr + copied,
					hit.start - copied);
		ccfc_buf_puts(out, hit.with);
		r->counts[hit.kind]++;
		copied = i = hit.end;
	}
	if (copied < s.len)
		ccfc_buf_append(out, s.ptr + copied, s.len - copied);
}

void ccfc_redact_text(struct ccfc_buf *out, struct ccfc_redact *r,
		      struct ccfc_slice s)
{
	struct ccfc_buf first = CCFC_BUF_INIT;

	redact_pass(&first, r, s, ccfc_redact_secret);
	redact_pass(out, r, ccfc_buf_view(&first), ccfc_redact_person);
	ccfc_buf_release(&first);
}

/* ---- replies ---- */

/* The place of a value. */
struct place {
	struct ccfc_slice key;
	bool input; /* somewhere below the input of a tool */
	int depth;
};

/* Fields with fixed words of the protocol. */
static bool is_fixed(struct ccfc_slice key)
{
	static const char *const fixed[] = {
		"role",	      "type",	   "subtype",	"status",
		"state",      "name",	   "id",	"sessionId",
		"agentId",    "messageId", "model",	"models",
		"parentUuid", "toolUseId", "titleFrom", "timestamp",
		"startTime",  "endTime",   "createdAt", "updatedAt",
		"lastChange", "toolName",  "access",	"parent",
		"agentType",
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (ccfc_slice_is(key, fixed[i]))
			return true;
	return false;
}

static void pack_redacted_text(struct ccfc_pack *p, struct ccfc_redact *r,
			       struct ccfc_slice s, const struct place *at)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (at->input && ccfc_redact_accept(ccfc_redact_classify(at->key), s)) {
		r->counts[CCFC_REDACT_VALUE]++;
		ccfc_pack_cstr(p, CCFC_REDACTED);
		return;
	}
	if (!at->input && is_fixed(at->key))
		redact_pass(&text, r, s, ccfc_redact_secret);
	else
		ccfc_redact_text(&text, r, s);
	ccfc_pack_str(p, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void pack_deep(struct ccfc_pack *p, struct ccfc_redact *r,
		      struct ccfc_obj o, const struct place *at)
{
	struct ccfc_buf json = CCFC_BUF_INIT;

	ccfc_json_write(&json, o, 0);
	pack_redacted_text(p, r, ccfc_buf_view(&json), at);
	ccfc_buf_release(&json);
}

static void pack_value(struct ccfc_pack *p, struct ccfc_redact *r,
		       struct ccfc_obj o, const struct place *at,
		       const char *skip);

static void pack_map(struct ccfc_pack *p, struct ccfc_redact *r,
		     struct ccfc_obj o, const struct place *at,
		     const char *skip)
{
	ccfc_pack_map(p);
	for (uint32_t i = 0; i < ccfc_obj_len(o); i++) {
		struct ccfc_slice key = ccfc_obj_str(ccfc_obj_key_at(o, i));
		struct place below = { key, at->input, at->depth + 1 };
		/* Our own field names are only checked for secrets. */
		const struct place name = {
			.key = at->input ? CCFC_SLICE_NONE
					 : CCFC_SLICE_LIT("name"),
			.input = at->input,
		};

		if (skip && ccfc_slice_is(key, skip))
			continue;
		pack_redacted_text(p, r, key, &name);
		below.input = at->input || ccfc_slice_is(key, "input");
		pack_value(p, r, ccfc_obj_value_at(o, i), &below, NULL);
	}
	ccfc_pack_end(p);
}

static void pack_value(struct ccfc_pack *p, struct ccfc_redact *r,
		       struct ccfc_obj o, const struct place *at,
		       const char *skip)
{
	struct place below = { at->key, at->input, at->depth + 1 };

	switch (ccfc_obj_type(o)) {
	case CCFC_OBJ_BOOL:
		ccfc_pack_bool(p, ccfc_obj_bool(o, false));
		return;
	case CCFC_OBJ_INT:
		ccfc_pack_int(p, ccfc_obj_int(o, 0));
		return;
	case CCFC_OBJ_UINT:
		ccfc_pack_uint(p, ccfc_obj_uint(o, 0));
		return;
	case CCFC_OBJ_DOUBLE:
		ccfc_pack_double(p, ccfc_obj_double(o, 0));
		return;
	case CCFC_OBJ_STR:
	case CCFC_OBJ_BIN:
		pack_redacted_text(p, r, ccfc_obj_str(o), at);
		return;
	case CCFC_OBJ_ARRAY:
	case CCFC_OBJ_MAP:
		break;
	default:
		ccfc_pack_nil(p);
		return;
	}
	if (at->depth >= DEPTH_MAX) {
		pack_deep(p, r, o, at);
	} else if (ccfc_obj_type(o) == CCFC_OBJ_MAP) {
		pack_map(p, r, o, at, skip);
	} else {
		ccfc_pack_array(p);
		for (uint32_t i = 0; i < ccfc_obj_len(o); i++)
			pack_value(p, r, ccfc_obj_at(o, i), &below, NULL);
		ccfc_pack_end(p);
	}
}

void ccfc_redact_pack(struct ccfc_pack *p, struct ccfc_redact *r,
		      struct ccfc_obj o, const char *skip)
{
	const struct place top = { 0 };

	pack_value(p, r, o, &top, skip);
}

void ccfc_redact_pack_counts(struct ccfc_pack *p, const struct ccfc_redact *r)
{
	ccfc_pack_map(p);
	for (int i = 0; i < CCFC_REDACT_KINDS; i++)
		if (r->counts[i])
			ccfc_pack_kv_uint(p, kind_names[i], r->counts[i]);
	ccfc_pack_end(p);
}

void ccfc_redact_describe(struct ccfc_buf *out, const struct ccfc_redact *r)
{
	size_t start = out->len;

	for (int i = 0; i < CCFC_REDACT_KINDS; i++)
		if (r->counts[i])
			ccfc_buf_printf(out, "%s%llu %s",
					out->len > start ? ", " : "",
					(unsigned long long)r->counts[i],
					kind_words[i][r->counts[i] != 1]);
	if (out->len == start)
		ccfc_buf_puts(out, "nothing");
}
