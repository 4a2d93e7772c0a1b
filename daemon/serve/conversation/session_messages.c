/*
 * session.get, session.messages, session.timeline, session.tree.
 *
 * The core looks up the session and passes the worker its data by value: the
 * transcripts and how far the index has read them, so that an answer never has
 * more than other answers. The worker reads and packs; the core adds the fields
 * from the index. The last skeleton is kept for the next page of the same
 * session: it goes with the job to the worker and comes back. A large skeleton
 * is kept only while its client asks for more pages.
 */
#include "serve/conversation/session_messages.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "serve/rpc/reply.h"

#include <errno.h>
#include <stdlib.h>

#define KEEP_MAX    ((size_t)8 << 20)	/* also when its client is gone */
#define LARGE_MAX   ((size_t)256 << 20) /* 500,000 lines take 36 MiB */
#define PREFIX_MIN  6u
#define UUID_LEN    36u
#define SHORT_EVENT 400
#define SHORT_NODE  120
#define SHOWN	    8u /* candidates of an ambiguous prefix */

/* --- packing, on the worker --- */

struct ccfc_pack *ccfc_conversation_key(struct ccfc_conversation_job *job,
					const char *key)
{
	job->nkeys += 2;
	ccfc_pack_cstr(&job->pack, key);
	return &job->pack;
}

size_t ccfc_conversation_room(const struct ccfc_conversation_job *job)
{
	size_t max = (size_t)job->d.opt.max_content;

	return max < job->left ? max : job->left;
}

void ccfc_conversation_put(struct ccfc_conversation_job *job, const char *key,
			   struct ccfc_slice text)
{
	job->left -= text.len < job->left ? text.len : job->left;
	job->truncated |= !job->left;
	ccfc_pack_kv_str(&job->pack, key, text);
}

void ccfc_conversation_put_name(struct ccfc_conversation_job *job,
				const char *key, struct ccfc_slice name)
{
	if (name.len)
		ccfc_pack_kv_str(&job->pack, key, name);
}

void ccfc_conversation_put_time(struct ccfc_conversation_job *job, int64_t time)
{
	if (time != CCFC_TIME_NONE)
		ccfc_pack_kv_time(&job->pack, "timestamp", time);
}

/* --- messages --- */

static struct ccfc_slice read_line_uuid(struct ccfc_conversation_job *job,
					uint32_t line)
{
	struct ccfc_conversation_record r;

	if (!ccfc_conversation_open(&job->reader, &r, job->conv, line))
		return CCFC_SLICE_NONE;
	return ccfc_arena_copy(
		&job->d.arena,
		ccfc_conversation_name(&job->reader,
				       r.fields[CCFC_FIELD_UUID]));
}

/* The line that `message` means, and its agent. */
static int find_message(struct ccfc_conversation_job *job, uint32_t *line,
			uint32_t *agent, struct ccfc_err *err)
{
	const struct ccfc_conversation *conv = job->conv;
	struct ccfc_slice ref = job->d.opt.message;
	int len = ref.len > 64 ? 64 : (int)ref.len;
	struct ccfc_buf hint = CCFC_BUF_INIT;
	uint32_t n = 0;

	for (uint32_t i = 0; i < conv->found.n; i++) {
		if (conv->lines.items[conv->found.items[i]].repeated)
			continue;
		if (!n)
			*line = conv->found.items[i];
		if (n++ < SHOWN)
			ccfc_buf_printf(
				&hint, "%s%s", hint.len ? ", " : "",
				read_line_uuid(job, conv->found.items[i]).ptr);
	}
	if (n == 1) {
		*agent = ccfc_conversation_agent_of(conv, *line);
	} else if (n) {
		ccfc_err_set(err, CCFC_EAMBIGUOUS,
			     "several messages begin with '%.*s'", len,
			     ref.ptr);
		ccfc_err_hint(err, "%s", hint.ptr);
	} else {
		ccfc_err_set(err, CCFC_ENOTFOUND,
			     "the session has no message '%.*s'", len, ref.ptr);
	}
	ccfc_buf_release(&hint);
	return n == 1 ? 0 : n ? CCFC_EAMBIGUOUS : CCFC_ENOTFOUND;
}

int ccfc_conversation_pack_messages(struct ccfc_conversation_job *job,
				    uint32_t agent, uint32_t around,
				    struct ccfc_err *err)
{
	struct ccfc_conversation_page page;
	int r = ccfc_conversation_page(
		&page, job->conv, job->role, agent, (uint64_t)job->d.opt.offset,
		(uint64_t)job->d.opt.limit, around, &job->d.arena, err);

	if (r)
		return r;
	ccfc_pack_uint(ccfc_conversation_key(job, "totalMessages"), page.total);
	ccfc_pack_uint(ccfc_conversation_key(job, "offset"), page.offset);
	if (job->summary && !job->d.opt.content)
		page.n = 0;
	ccfc_pack_array(ccfc_conversation_key(job, "messages"));
	for (uint32_t i = 0; i < page.n; i++)
		ccfc_conversation_message(job, page.lines[i]);
	ccfc_pack_end(&job->pack);
	return 0;
}

static int answer_messages(struct ccfc_conversation_job *job,
			   struct ccfc_err *err)
{
	uint32_t agent = CCFC_CONVERSATION_NONE,
		 around = CCFC_CONVERSATION_NONE;
	int r = 0;

	if (job->d.opt.message.len)
		r = find_message(job, &around, &agent, err);
	else if (job->d.opt.agent.len)
		r = ccfc_conversation_find_agent(&agent, job->conv,
						 job->d.opt.agent, err);
	if (r)
		return r;
	if (agent != CCFC_CONVERSATION_NONE)
		ccfc_pack_str(ccfc_conversation_key(job, "agentId"),
			      job->conv->agents.items[agent].id);
	return ccfc_conversation_pack_messages(job, agent, around, err);
}

/* --- the job --- */

static bool is_cancelled(void *ctx)
{
	return ccfc_job_cancelled(ctx);
}

/*
 * A skeleton that is kept knows whole uuids. If it is of no use it goes before
 * the next one is read: two take twice the memory.
 */
static void drop_skeleton_without_message(struct ccfc_conversation_job *job)
{
	struct ccfc_slice message = job->d.opt.message;

	if (!job->conv || !message.len ||
	    (message.len >= UUID_LEN &&
	     ccfc_conversation_look_up(job->conv, message)))
		return;
	ccfc_conversation_free(job->conv);
	job->conv = NULL;
}

static int run_conversation_job(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct ccfc_conversation_job *job = (struct ccfc_conversation_job *)d;
	int r = 0;

	ccfc_conversation_reader_init(&job->reader, d->reading_left);
	ccfc_tail_use(job->reader.tail, job->attic);
	ccfc_tail_until(job->reader.tail, is_cancelled, &d->job);
	job->left = d->content_left;
	ccfc_conversation_sort_states(job);
	ccfc_pack_init(&job->pack, &d->result);
	drop_skeleton_without_message(job);
	if (job->texts.end)
		r = ccfc_conversation_answer_gone(job, err);
	else if (!job->conv)
		r = ccfc_conversation_read(&job->conv, &job->reader, job->id,
					   job->sources, job->nsources,
					   d->opt.message, err);
	if (!r && job->conv) {
		r = job->answer(job, err);
		job->truncated |= job->conv->truncated;
	}
	if (!r && ccfc_tail_is_starved(job->reader.tail))
		r = ccfc_err_set(err, CCFC_EIO,
				 "the transcripts cannot be read: %s",
				 strerror(EMFILE));
	if (!r) {
		ccfc_pack_bool(ccfc_conversation_key(job, "truncated"),
			       job->truncated);
		ccfc_pack_uint(ccfc_conversation_key(job, "scannedBytes"),
			       job->reader.bytes);
	}
	ccfc_conversation_reader_release(&job->reader);
	ccfc_arena_release(&job->scratch);
	return r;
}

void ccfc_conversation_forget(struct ccfc_methods *methods)
{
	ccfc_conversation_free(methods->conv);
	methods->conv = NULL;
}

static bool is_large(const struct ccfc_conversation *conv)
{
	return conv && ccfc_conversation_size(conv) > KEEP_MAX;
}

bool ccfc_conversation_is_page(ccfc_method_fn method)
{
	return method == ccfc_method_session_get ||
	       method == ccfc_method_session_messages ||
	       method == ccfc_method_session_timeline ||
	       method == ccfc_method_session_tree;
}

void ccfc_conversation_drop_large(struct ccfc_methods *methods, uint64_t conn)
{
	if (!is_large(methods->conv) || methods->conv_conn != conn)
		return;
	ccfc_conversation_forget(methods);
	ccfc_alloc_give_back();
}

/* Keeps a skeleton that has everything. */
static void keep_skeleton(struct ccfc_conversation_job *job)
{
	struct ccfc_methods *m = job->d.methods;

	if (!job->conv || job->conv->truncated ||
	    ccfc_conversation_size(job->conv) > LARGE_MAX)
		return;
	ccfc_conversation_forget(m);
	m->conv_conn = job->d.job.conn;
	m->conv = job->conv;
	m->conv->found.n = 0;
	job->conv = NULL;
}

static void release_conversation_job(struct ccfc_deferred *d)
{
	struct ccfc_conversation_job *job = (struct ccfc_conversation_job *)d;
	bool big = is_large(job->conv);

	ccfc_conversation_free(job->conv);
	ccfc_texts_view_release(&job->texts);
	free(job);
	if (big)
		ccfc_alloc_give_back();
}

/* --- back on the core --- */

static int finish_conversation_job(struct ccfc_deferred *d,
				   struct ccfc_request *rq,
				   struct ccfc_err *err)
{
	struct ccfc_conversation_job *job = (struct ccfc_conversation_job *)d;

	(void)err;
	keep_skeleton(job);
	if (job->summary)
		return ccfc_conversation_sum_up(job, rq);
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_str(rq->pack, "sessionId", job->id);
	ccfc_methods_packed(rq, &d->result, job->nkeys);
	ccfc_reply_clock(rq->pack, rq->service);
	ccfc_pack_end(rq->pack);
	return 0;
}

/* --- the request --- */

static void copy_sources(struct ccfc_conversation_job *job,
			 struct ccfc_request *rq)
{
	const struct ccfc_index *index = rq->index;
	const struct ccfc_ids *ids =
		&index->sessions.items[job->session].sources;
	struct ccfc_arena *arena = &job->d.arena;

	job->attic = rq->service->attic;
	job->sources =
		ccfc_arena_alloc(arena, (ids->n + 1) * sizeof(*job->sources));
	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_source *s =
			&index->sources.items[ids->items[i]];

		if (ccfc_source_where(s) == CCFC_WHERE_GONE)
			continue;
		job->sources[job->nsources++] =
			(struct ccfc_conversation_source){
				.path = ccfc_arena_copy(
						arena,
						ccfc_index_str(index, s->path))
						.ptr,
				.agent = ccfc_arena_copy(
					arena, ccfc_index_str(index, s->agent)),
				.end = s->cursor.offset,
				.gen = s->gen,
				.is_agent = s->is_agent,
				.own = s->session == job->session,
				.unnamed = !s->session,
			};
	}
}

static void copy_change_states(struct ccfc_conversation_job *job,
			       struct ccfc_request *rq)
{
	const struct ccfc_ids *ids =
		&rq->index->sessions.items[job->session].changes;

	job->states = ccfc_arena_alloc(&job->d.arena,
				       (ids->n + 1) * sizeof(*job->states));
	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&rq->index->changes.items[ids->items[i]];

		job->states[job->nstates++] = (struct ccfc_conversation_state){
			ccfc_hash_slice(ccfc_index_call_id(c)), c->state
		};
	}
}

/* The skeleton that is kept, if it is this one. */
static void take_kept_skeleton(struct ccfc_conversation_job *job,
			       struct ccfc_request *rq)
{
	struct ccfc_methods *m = rq->methods;

	if (!m->conv || !ccfc_conversation_fits(m->conv, job->id, job->sources,
						job->nsources))
		return;
	job->conv = m->conv;
	m->conv = NULL;
}

static int start_conversation_job(struct ccfc_request *rq,
				  enum ccfc_conversation_role role,
				  int (*answer)(struct ccfc_conversation_job *,
						struct ccfc_err *),
				  struct ccfc_err *err)
{
	struct ccfc_conversation_job *job;
	uint32_t session;
	int r = ccfc_query_session(&session, rq->index, rq->opt.session, err);

	if (r)
		return r;
	job = ccfc_calloc(1, sizeof(*job));
	job->d.work = run_conversation_job;
	job->d.finish = finish_conversation_job;
	job->d.release = release_conversation_job;
	job->answer = answer;
	job->session = session;
	job->role = role;
	job->summary = answer == ccfc_conversation_answer_get;
	job->timeline = answer == ccfc_conversation_answer_timeline;
	job->tree = answer == ccfc_conversation_answer_tree;
	job->texts.fd = -1;
	job->id = ccfc_arena_copy(&job->d.arena,
				  ccfc_index_session_id(rq->index, session));
	copy_sources(job, rq);
	if (!job->nsources && rq->service->texts)
		rq->service->texts(rq->service->ctx, &job->texts);
	copy_change_states(job, rq);
	take_kept_skeleton(job, rq);
	return ccfc_defer(rq, &job->d, err);
}

int ccfc_method_session_get(struct ccfc_request *rq, struct ccfc_err *err)
{
	return start_conversation_job(rq, CCFC_CONVERSATION_SAID,
				      ccfc_conversation_answer_get, err);
}

int ccfc_method_session_messages(struct ccfc_request *rq, struct ccfc_err *err)
{
	static const char *const roles[] = { "any",    "user", "assistant",
					     "system", "tool", NULL };
	int role = CCFC_CONVERSATION_SAID;
	int r = ccfc_args_choice(&role, rq, CCFC_OPT_ROLE, rq->opt.role, roles,
				 err);

	if (r)
		return r;
	if (rq->opt.message.len && rq->opt.message.len < PREFIX_MIN)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: option 'message' must have at least "
				    "6 characters",
				    rq->method);
	return start_conversation_job(rq, (enum ccfc_conversation_role)role,
				      answer_messages, err);
}

int ccfc_method_session_timeline(struct ccfc_request *rq, struct ccfc_err *err)
{
	if (!(rq->opt.given & CCFC_OPT(MAX_CONTENT)))
		rq->opt.max_content = SHORT_EVENT;
	return start_conversation_job(rq, CCFC_CONVERSATION_SAID,
				      ccfc_conversation_answer_timeline, err);
}

int ccfc_method_session_tree(struct ccfc_request *rq, struct ccfc_err *err)
{
	if (!(rq->opt.given & CCFC_OPT(MAX_CONTENT)))
		rq->opt.max_content = SHORT_NODE;
	return start_conversation_job(rq, CCFC_CONVERSATION_SAID,
				      ccfc_conversation_answer_tree, err);
}
