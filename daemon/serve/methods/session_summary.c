/*
 * The summary of a session; see session_summary.h. The session's own totals and
 * those of its agents are separate; only tokens are also given as a sum,
 * because that is the session's cost.
 */
#include "serve/methods/session_summary.h"

#include "base/path.h"
#include "base/time.h"
#include "serve/rpc/reply.h"

#include <sys/stat.h>

void ccfc_reply_token_counts(struct ccfc_pack *p, const struct ccfc_tokens *t)
{
	ccfc_pack_kv_uint(p, "input", t->input);
	ccfc_pack_kv_uint(p, "output", t->output);
	ccfc_pack_kv_uint(p, "cacheRead", t->cache_read);
	ccfc_pack_kv_uint(p, "cacheWrite", t->cache_write);
}

void ccfc_reply_tokens(struct ccfc_pack *p, const char *key,
		       const struct ccfc_tokens *t)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_map(p);
	ccfc_reply_token_counts(p, t);
	ccfc_pack_end(p);
}

enum ccfc_title ccfc_reply_title(struct ccfc_pack *p,
				 const struct ccfc_index *index,
				 uint32_t session)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_slice title = CCFC_SLICE_NONE;
	enum ccfc_title from = ccfc_tally_title(&title, index, session);

	ccfc_reply_str(p, "title", ccfc_reply_short(title, &arena));
	ccfc_arena_release(&arena);
	return from;
}

static void pack_names(struct ccfc_pack *p, const struct ccfc_index *index,
		       uint32_t session)
{
	const struct ccfc_session *s = &index->sessions.items[session];
	struct ccfc_slice id = ccfc_index_session_id(index, session);
	struct ccfc_slice project = ccfc_index_str(index, s->project);
	enum ccfc_title from;

	ccfc_pack_kv_str(p, "id", id);
	ccfc_pack_kv_str(p, "sessionId", id);
	from = ccfc_reply_title(p, index, session);
	ccfc_reply_str(p, "titleFrom", ccfc_slice_str(ccfc_title_text(from)));
	ccfc_reply_id(p, "name", index, s->name);
	ccfc_reply_ids(p, "tags", index, &s->tags, false);
	ccfc_reply_str(p, "projectPath", project);
	ccfc_reply_str(p, "projectName", ccfc_path_basename(project));
	ccfc_reply_str(p, "cwd", project);
	ccfc_reply_id(p, "gitBranch", index, s->branch);
	ccfc_reply_ids(p, "gitBranches", index, &s->branches, false);
	ccfc_reply_id(p, "model", index, s->model);
	ccfc_reply_ids(p, "models", index, &s->models, false);
	ccfc_reply_ids(p, "pullRequests", index, &s->pull_requests, false);
}

static void pack_times(struct ccfc_pack *p, const struct ccfc_session *s)
{
	int64_t ms = s->start == CCFC_TIME_NONE ? 0 : s->end - s->start;

	ccfc_pack_kv_time(p, "startTime", s->start);
	ccfc_pack_kv_time(p, "endTime", s->end);
	ccfc_pack_kv_time(p, "createdAt", s->start);
	ccfc_pack_kv_time(p, "updatedAt", s->end);
	ccfc_pack_kv_int(p, "durationSeconds", ms / 1000);
}

static void pack_counts(struct ccfc_pack *p, const struct ccfc_session *s,
			const struct ccfc_tally *t)
{
	struct ccfc_tokens all = t->main.tokens;

	ccfc_tokens_add(&all, &t->agents.tokens);
	ccfc_pack_kv_uint(p, "messageCount", t->main.user + t->main.assistant);
	ccfc_pack_kv_uint(p, "toolCount", t->main.uses);
	ccfc_pack_kv_uint(p, "errorCount", t->main.errors);
	ccfc_pack_kv_uint(p, "filesModifiedCount", t->files_modified);
	ccfc_pack_kv_uint(p, "filesReadCount", t->files_read);
	ccfc_pack_kv_uint(p, "totalChanges", t->changes);
	ccfc_pack_kv_uint(p, "conflictCount", s->conflicts);
	ccfc_pack_kv_uint(p, "shellChanges", t->shell_changes);
	ccfc_pack_kv_uint(p, "unknownCommands", t->unknown_commands);
	ccfc_pack_kv_time(p, "lastChange", t->last_change);
	ccfc_reply_tokens(p, "tokenUsage", &all);
}

static void pack_agents(struct ccfc_pack *p, const struct ccfc_tally *t)
{
	const struct ccfc_tally_part *a = &t->agents;

	ccfc_pack_cstr(p, "agents");
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "count", t->nagents);
	ccfc_pack_kv_uint(p, "messageCount", a->user + a->assistant);
	ccfc_pack_kv_uint(p, "toolCount", a->uses);
	ccfc_pack_kv_uint(p, "errorCount", a->errors);
	ccfc_reply_tokens(p, "tokenUsage", &a->tokens);
	ccfc_pack_kv_uint(p, "bytes", t->agent_bytes);
	ccfc_pack_end(p);
}

/* The transcript's size on disk; if it is gone, the bytes read from it. */
static uint64_t transcript_size(const char *path,
				const struct ccfc_source *source)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return (uint64_t)st.st_size;
	return source->cursor.offset;
}

static void pack_file(struct ccfc_pack *p, const struct ccfc_index *index,
		      uint32_t session, const struct ccfc_tally *t)
{
	uint32_t id = ccfc_tally_source(index, session);
	struct ccfc_slice path = CCFC_SLICE_NONE;
	uint64_t size = 0;

	if (id != CCFC_ID_NONE) {
		path = ccfc_index_str(index, index->sources.items[id].path);
		size = transcript_size(path.ptr, &index->sources.items[id]);
	}
	ccfc_reply_str(p, "filePath", path);
	ccfc_pack_kv_uint(p, "fileSizeBytes", size);
	ccfc_pack_kv_uint(p, "totalBytes", t->bytes + t->agent_bytes);
	ccfc_reply_source(p, ccfc_index_session_where(index, session));
}

void ccfc_reply_session(struct ccfc_pack *p, const struct ccfc_index *index,
			uint32_t session, const struct ccfc_tally *tally,
			int64_t now)
{
	pack_names(p, index, session);
	pack_times(p, &index->sessions.items[session]);
	pack_counts(p, &index->sessions.items[session], tally);
	pack_agents(p, tally);
	pack_file(p, index, session, tally);
	ccfc_pack_kv_cstr(
		p, "status",
		ccfc_status_text(ccfc_tally_status(index, session, now)));
}
