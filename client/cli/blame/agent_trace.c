/*
 * The Agent Trace record; see agent_trace.h. The record is packed like a reply
 * and then converted, so that the JSON is always valid. The same lines give the
 * same record: its id is a hash of its content, and its time is the latest time
 * of a line. A range's hash covers its lines, each with a newline, and not
 * their position.
 */
#include "cli/blame/agent_trace.h"

#include "base/alloc.h"
#include "base/sha256.h"
#include "base/time.h"
#include "cli/blame/git_repo.h"
#include "cli/out/render.h"
#include "wire/pack.h"

#include <stdio.h>
#include <stdlib.h>

#define MODEL_MAX 250 /* bytes, as the format requires */

/* Blocks with the same owner, by their place in `blocks`. */
struct conversation {
	struct ccfc_slice kind, session, agent, model;
	struct {
		uint32_t *items;
		uint32_t n, cap;
	} ranges;
};

struct conversations {
	struct conversation *items;
	uint32_t n, cap;
};

static struct conversation *
find_conversation(struct conversations *conversations, struct ccfc_obj block)
{
	struct conversation t = {
		.kind = ccfc_obj_get_str(block, "kind"),
		.session = ccfc_obj_get_str(block, "sessionId"),
		.agent = ccfc_obj_get_str(block, "agentId"),
		.model = ccfc_obj_get_str(block, "model"),
	};

	for (uint32_t i = 0; i < conversations->n; i++) {
		struct conversation *o = &conversations->items[i];

		if (ccfc_slice_eq(o->kind, t.kind) &&
		    ccfc_slice_eq(o->session, t.session) &&
		    ccfc_slice_eq(o->agent, t.agent) &&
		    ccfc_slice_eq(o->model, t.model))
			return o;
	}
	CCFC_VEC_PUSH(*conversations, t);
	return &conversations->items[conversations->n - 1];
}

static void pack_contributor(struct ccfc_pack *p,
			     const struct conversation *conversation)
{
	static const char *const types[][2] = {
		{ "session", "ai" },
		{ "outside", "human" },
		{ "mixed", "mixed" },
	};
	const char *type = "unknown";
	struct ccfc_buf model = CCFC_BUF_INIT;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (ccfc_slice_is(conversation->kind, types[i][0]))
			type = types[i][1];
	/* "anthropic/claude-opus-4-5", as models.dev names them. */
	if (ccfc_slice_starts(conversation->model, "claude-"))
		ccfc_buf_puts(&model, "anthropic/");
	ccfc_buf_slice(&model, conversation->model);
	ccfc_pack_cstr(p, "contributor");
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "type", type);
	if (model.len && model.len <= MODEL_MAX)
		ccfc_pack_kv_str(p, "model_id", ccfc_buf_view(&model));
	ccfc_pack_end(p);
	ccfc_buf_release(&model);
}

/* Bytes that a URL does not allow become %XX. */
static void put_part(struct ccfc_buf *out, const char *before,
		     struct ccfc_slice s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

	ccfc_buf_puts(out, before);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] && strchr(plain, s.ptr[i]))
			ccfc_buf_putc(out, s.ptr[i]);
		else
			ccfc_buf_printf(out, "%%%02X", (unsigned char)s.ptr[i]);
	}
}

static void pack_urls(struct ccfc_pack *p,
		      const struct conversation *conversation)
{
	struct ccfc_buf url = CCFC_BUF_INIT;

	if (!conversation->session.len)
		return;
	put_part(&url, "ccfc://session/", conversation->session);
	ccfc_pack_kv_str(p, "url", ccfc_buf_view(&url));
	if (conversation->agent.len) {
		put_part(&url, "/agent/", conversation->agent);
		ccfc_pack_cstr(p, "related");
		ccfc_pack_array(p);
		ccfc_pack_map(p);
		ccfc_pack_kv_cstr(p, "type", "agent");
		ccfc_pack_kv_str(p, "url", ccfc_buf_view(&url));
		ccfc_pack_end(p);
		ccfc_pack_end(p);
	}
	ccfc_buf_release(&url);
}

/* "sha256:…" of the lines from `start` to `end`; false if one is missing. */
static bool hash_lines(char *out, size_t size,
		       const struct ccfc_blame_view *view, int64_t start,
		       int64_t end)
{
	int64_t first =
		ccfc_obj_get_int(ccfc_obj_at(view->lines, 0), "line", 1);
	struct ccfc_buf text = CCFC_BUF_INIT;
	char hex[CCFC_SHA256_HEX + 1];
	bool all = start >= first;

	for (int64_t i = start - first; all && i <= end - first; i++) {
		struct ccfc_obj line =
			i < UINT32_MAX ? ccfc_obj_at(view->lines, (uint32_t)i)
				       : (struct ccfc_obj){ 0 };
		struct ccfc_obj content = ccfc_obj_get(line, "content");

		all = ccfc_obj_is_str(content);
		ccfc_buf_slice(&text, ccfc_obj_str(content));
		ccfc_buf_putc(&text, '\n');
	}
	ccfc_sha256_hex(hex, ccfc_buf_view(&text));
	snprintf(out, size, "sha256:%s", hex);
	ccfc_buf_release(&text);
	return all;
}

static void pack_range(struct ccfc_pack *p, const struct ccfc_blame_view *view,
		       struct ccfc_obj block)
{
	int64_t start = ccfc_obj_get_int(block, "start", 1);
	int64_t end = ccfc_obj_get_int(block, "end", start);
	char hash[CCFC_SHA256_HEX + 16];

	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "start_line", start);
	ccfc_pack_kv_int(p, "end_line", end);
	if (hash_lines(hash, sizeof(hash), view, start, end))
		ccfc_pack_kv_cstr(p, "content_hash", hash);
	ccfc_pack_end(p);
}

static void pack_conversation(struct ccfc_pack *p,
			      const struct ccfc_blame_view *view,
			      const struct conversation *conversation)
{
	ccfc_pack_map(p);
	pack_urls(p, conversation);
	pack_contributor(p, conversation);
	ccfc_pack_cstr(p, "ranges");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < conversation->ranges.n; i++)
		pack_range(p, view,
			   ccfc_obj_at(view->blocks,
				       conversation->ranges.items[i]));
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

/* The array `files`: one file, its conversations by their first lines. */
static void pack_files(struct ccfc_buf *out, const struct ccfc_blame_view *view,
		       struct ccfc_slice name)
{
	struct conversations conversations = { 0 };
	struct ccfc_pack p;

	for (uint32_t i = 0; i < ccfc_obj_len(view->blocks); i++) {
		struct conversation *conversation = find_conversation(
			&conversations, ccfc_obj_at(view->blocks, i));

		CCFC_VEC_PUSH(conversation->ranges, i);
	}
	ccfc_pack_init(&p, out);
	ccfc_pack_array(&p);
	ccfc_pack_map(&p);
	ccfc_pack_kv_str(&p, "path", name);
	ccfc_pack_cstr(&p, "conversations");
	ccfc_pack_array(&p);
	for (uint32_t i = 0; i < conversations.n; i++) {
		pack_conversation(&p, view, &conversations.items[i]);
		free(conversations.items[i].ranges.items);
	}
	ccfc_pack_end(&p);
	ccfc_pack_end(&p);
	ccfc_pack_end(&p);
	free(conversations.items);
}

static int64_t latest_time(struct ccfc_obj blocks)
{
	static const char *const keys[] = { "timestamp", "from", "to" };
	int64_t max = CCFC_TIME_NONE;

	for (uint32_t i = 0; i < ccfc_obj_len(blocks); i++)
		for (int k = 0; k < 3; k++) {
			int64_t t = ccfc_time_parse(ccfc_obj_get_str(
				ccfc_obj_at(blocks, i), keys[k]));

			max = t > max ? t : max;
		}
	return max == CCFC_TIME_NONE ? ccfc_time_now() : max;
}

/* A UUID of version 8: 122 bits of a hash. */
static void pack_id(struct ccfc_pack *p, struct ccfc_slice of)
{
	char hex[CCFC_SHA256_HEX + 1], id[37];

	ccfc_sha256_hex(hex, of);
	hex[12] = '8';
	hex[16] = "89ab"[hex[16] % 4];
	snprintf(id, sizeof(id), "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8,
		 hex + 12, hex + 16, hex + 20);
	ccfc_pack_kv_cstr(p, "id", id);
}

/* The repository that a file is in, if any: HEAD, and the path in it. */
struct place {
	struct ccfc_repo repo;
	struct ccfc_slice name;
	struct ccfc_slice head;
};

static void find_repo_place(struct place *place, const char *path,
			    struct ccfc_slice otherwise)
{
	*place = (struct place){ .name = otherwise };
	if (ccfc_repo_find(&place->repo, path, NULL) == 0 &&
	    *place->repo.head) {
		place->name = ccfc_slice_str(place->repo.name);
		place->head = ccfc_slice_str(place->repo.head);
	}
}

static void pack_record(struct ccfc_buf *out, struct ccfc_slice files,
			int64_t time, struct ccfc_slice revision)
{
	struct ccfc_pack p;

	ccfc_pack_init(&p, out);
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "version", "0.1");
	pack_id(&p, files);
	ccfc_pack_kv_time(&p, "timestamp", time);
	if (revision.len) {
		ccfc_pack_cstr(&p, "vcs");
		ccfc_pack_map(&p);
		ccfc_pack_kv_cstr(&p, "type", "git");
		ccfc_pack_kv_str(&p, "revision", revision);
		ccfc_pack_end(&p);
	}
	ccfc_pack_cstr(&p, "tool");
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "name", "ccfc");
	ccfc_pack_kv_cstr(&p, "version", CCFC_VERSION);
	ccfc_pack_end(&p);
	ccfc_pack_cstr(&p, "files");
	ccfc_pack_raw(&p, files);
	ccfc_pack_end(&p);
}

void ccfc_agent_trace(struct ccfc_out *out, const struct ccfc_blame_view *view,
		      const char *path, bool now)
{
	struct ccfc_buf files = CCFC_BUF_INIT, record = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct place place;

	find_repo_place(&place, path, view->name);
	pack_files(&files, view, place.name);
	pack_record(&record, ccfc_buf_view(&files), latest_time(view->blocks),
		    now ? place.head : CCFC_SLICE_NONE);
	if (!ccfc_doc_parse(&doc, ccfc_buf_view(&record), NULL))
		ccfc_render_json(out, ccfc_doc_root(doc), 2);
	ccfc_doc_free(doc);
	ccfc_buf_release(&files);
	ccfc_buf_release(&record);
	ccfc_repo_release(&place.repo);
}
