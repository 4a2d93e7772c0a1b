/*
 * text.search: which texts match a pattern. The core prepares the search: it
 * turns names into numbers, marks the wanted sessions, and lists the
 * transcripts with how far they were read. All of that is copied, except
 * strings of the index, which never move or change and outlive every job. The
 * search itself (search/) runs on a worker.
 */
#include "serve/methods/session_summary.h"
#include "serve/rpc/defer.h"
#include "serve/rpc/reply.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "index/query/totals.h"
#include "search/composed.h"
#include "search/needle.h"
#include "search/search.h"
#include "source/tail.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_BYTES ((uint64_t)64 << 30)
#define MAX_MS	  60000
#define MAX_REPLY ((size_t)64 << 20)
#define CALLS	  (CCFC_IN_BIT(CCFC_IN_TOOL) | CCFC_IN_BIT(CCFC_IN_RESULT))

static const char *const places[] = { "text",	"thinking", "tool",
				      "result", "meta",	    NULL };
static const char *const roles[] = { "user", "assistant", NULL };
static const char *const sorts[] = { "recent", "rank", NULL };

struct text_search {
	struct ccfc_deferred d;
	struct ccfc_search s;
	struct ccfc_search_result result;
};

/* --- asking --- */

static int ask_places(struct ccfc_search *s, struct ccfc_request *rq,
		      struct ccfc_err *err)
{
	const struct ccfc_slices *in = &rq->opt.in;
	int place = 0, r = 0;

	for (uint32_t i = 0; !r && i < in->n; i++) {
		r = ccfc_args_choice(&place, rq, CCFC_OPT_IN, in->items[i],
				     places, err);
		s->in |= CCFC_IN_BIT(place);
	}
	if (!s->in)
		s->in = CCFC_IN_BIT(CCFC_IN_TEXT);
	return r;
}

static bool has_session(const struct ccfc_index *index, uint32_t id,
			const struct ccfc_filter *filter)
{
	const struct ccfc_session *s = &index->sessions.items[id];

	if (filter->session && id != filter->session)
		return false;
	/* A session without a time has no text with a time either. */
	if ((filter->has_from && s->end < filter->from) ||
	    (filter->has_to && s->start > filter->to))
		return false;
	return !filter->project.len ||
	       ccfc_path_is_below(ccfc_index_str(index, s->project),
				  filter->project);
}

static void mark_sessions(struct text_search *t, const struct ccfc_index *index,
			  const struct ccfc_filter *filter)
{
	uint32_t n = index->sessions.n;
	bool *wanted = ccfc_arena_alloc(&t->d.arena, n);
	struct ccfc_slice *ids =
		ccfc_arena_alloc(&t->d.arena, n * sizeof(*ids));

	for (uint32_t i = 0; i < n; i++) {
		ids[i] = ccfc_index_session_id(index, i);
		wanted[i] = has_session(index, i, filter);
	}
	t->s.session_ids = ids;
	t->s.wanted = wanted;
	t->s.nsessions = n;
}

/* Which sources have a line of a session that counts? */
static bool *mark_sources(struct ccfc_request *rq, const bool *wanted)
{
	const struct ccfc_index *index = rq->index;
	bool *marks = ccfc_arena_alloc(rq->arena, index->sources.n + 1u);

	memset(marks, 0, index->sources.n + 1u);
	for (uint32_t i = 0; i < index->sessions.n; i++) {
		const struct ccfc_ids *of = &index->sessions.items[i].sources;

		for (uint32_t k = 0; wanted[i] && k < of->n; k++)
			marks[of->items[k]] = true;
	}
	return marks;
}

static void list_sources(struct text_search *t, struct ccfc_request *rq)
{
	const struct ccfc_index *index = rq->index;
	struct ccfc_search_source *list;
	const bool *marks;

	t->s.attic = rq->service->attic;
	if (!(t->s.in & CALLS))
		return;
	marks = mark_sources(rq, t->s.wanted);
	list = ccfc_arena_alloc(&t->d.arena,
				(index->sources.n + 1u) * sizeof(*list));
	for (uint32_t i = 0; i < index->sources.n; i++) {
		const struct ccfc_source *s = &index->sources.items[i];

		if (!marks[i] || ccfc_source_where(s) == CCFC_WHERE_GONE)
			continue;
		list[t->s.nsources++] = (struct ccfc_search_source){
			.path = ccfc_index_str(index, s->path).ptr,
			.id = i,
			.session = s->session,
			.gen = s->gen,
			.end = s->cursor.offset,
		};
	}
	t->s.sources = list;
}

/* Writes one line for each fact about the session. */
static void put_meta(struct ccfc_buf *text, const struct ccfc_index *index,
		     uint32_t session)
{
	const struct ccfc_session *s = &index->sessions.items[session];
	struct ccfc_slice title = CCFC_SLICE_NONE;

	ccfc_tally_title(&title, index, session);
	ccfc_buf_slice(text, title);
	ccfc_buf_putc(text, '\n');
	ccfc_buf_slice(text, ccfc_index_str(index, s->project));
	for (uint32_t i = 0; i < s->tags.n; i++) {
		ccfc_buf_putc(text, i ? ' ' : '\n');
		ccfc_buf_slice(text, ccfc_index_str(index, s->tags.items[i]));
	}
	for (uint32_t i = 0; i < s->branches.n; i++) {
		ccfc_buf_putc(text, '\n');
		ccfc_buf_slice(text,
			       ccfc_index_str(index, s->branches.items[i]));
	}
}

/*
 * Copies the facts for the worker, with readable bytes after each
 * (search/search.h).
 */
static void list_metas(struct text_search *t, const struct ccfc_index *index)
{
	static const char slack[CCFC_NEEDLE_SLACK];
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_slice *metas;
	int64_t *starts;

	if (!(t->s.in & CCFC_IN_BIT(CCFC_IN_META)))
		return;
	metas = ccfc_arena_alloc(&t->d.arena, t->s.nsessions * sizeof(*metas));
	starts =
		ccfc_arena_alloc(&t->d.arena, t->s.nsessions * sizeof(*starts));
	for (uint32_t i = 0; i < t->s.nsessions; i++) {
		metas[i] = CCFC_SLICE_NONE;
		starts[i] = index->sessions.items[i].start;
		if (!i || !t->s.wanted[i] || !index->sessions.items[i].seen)
			continue;
		ccfc_buf_clear(&text);
		put_meta(&text, index, i);
		ccfc_buf_append(&text, slack, sizeof(slack));
		metas[i] = ccfc_arena_copy(&t->d.arena, ccfc_buf_view(&text));
		metas[i].len -= sizeof(slack);
	}
	ccfc_buf_release(&text);
	t->s.metas = metas;
	t->s.starts = starts;
}

static int read_search_options(struct text_search *t, struct ccfc_request *rq,
			       struct ccfc_err *err)
{
	const struct ccfc_options *o = &rq->opt;
	struct ccfc_filter filter;
	int role = -1, sort = 0;
	int r = ccfc_args_filter(&filter, rq, err);

	if (!r)
		r = ask_places(&t->s, rq, err);
	if (!r)
		r = ccfc_args_choice(&role, rq, CCFC_OPT_ROLE, o->role, roles,
				     err);
	if (!r)
		r = ccfc_args_choice(&sort, rq, CCFC_OPT_SORT, o->sort, sorts,
				     err);
	if (!r && (o->given & CCFC_OPT(SESSION)))
		r = ccfc_query_session(&filter.session, rq->index, o->session,
				       err);
	if (r)
		return r;
	t->s.any_role = role < 0;
	t->s.role = role > 0 ? CCFC_ROLE_ASSISTANT : CCFC_ROLE_USER;
	t->s.by_rank = sort == 1;
	t->s.any_time = !filter.has_from && !filter.has_to;
	t->s.from = filter.has_from ? filter.from : INT64_MIN;
	t->s.to = filter.has_to ? filter.to : INT64_MAX;
	if (o->given & CCFC_OPT(CONTEXT))
		t->s.lines = (uint32_t)o->context;
	mark_sessions(t, rq->index, &filter);
	list_sources(t, rq);
	list_metas(t, rq->index);
	return 0;
}

/* --- on the worker --- */

/*
 * Turns literals that have letters with two spellings into regular expressions
 * of both spellings. Then all other patterns become regular expressions too:
 * all are of one kind.
 */
static void use_both_spellings(struct text_search *t)
{
	struct ccfc_slice all[1 + CCFC_WORDS_MAX] = { t->s.pattern };
	struct ccfc_slice *fresh = ccfc_arena_alloc(&t->d.arena, sizeof(all));
	struct ccfc_buf text = CCFC_BUF_INIT;
	bool several = false, fits = !t->s.regex;

	for (uint32_t i = 0; i < t->s.nwords; i++)
		all[i + 1] = t->s.words[i];
	for (uint32_t i = 0; fits && i <= t->s.nwords; i++) {
		several |= ccfc_composed_pattern(&text, all[i]);
		fits = text.len && text.len <= CCFC_PATTERN_MAX;
		fresh[i] = ccfc_arena_copy(&t->d.arena, ccfc_buf_view(&text));
	}
	ccfc_buf_release(&text);
	if (!fits || !several)
		return;
	t->s.pattern = fresh[0];
	t->s.words = fresh + 1;
	t->s.regex = true;
}

static int run_text_search(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct text_search *t = (struct text_search *)d;
	char what[sizeof(err->what)];
	int r;

	t->s.pattern = d->opt.pattern;
	t->s.words = d->opt.words.items;
	t->s.nwords = d->opt.words.n;
	use_both_spellings(t);
	r = ccfc_search_run(&t->result, &t->s, err);
	if (!r)
		return 0;
	memcpy(what, err->what, sizeof(what));
	snprintf(err->what, sizeof(err->what), "%s: %.400s", d->method, what);
	return r;
}

/* --- the reply --- */

static void pack_spans(struct ccfc_pack *p, const struct ccfc_found *f)
{
	ccfc_pack_cstr(p, "matches");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < f->nspans; i++) {
		ccfc_pack_array(p);
		ccfc_pack_uint(p, f->spans[i].start);
		ccfc_pack_uint(p, f->spans[i].end);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

/* Does the transcript of the text exist, or is the text only in the store? */
static enum ccfc_where where_is(const struct ccfc_index *index,
				const struct ccfc_found *f)
{
	const struct ccfc_place place = { .source = f->source, .gen = f->gen };

	if (f->in == CCFC_IN_META)
		return ccfc_index_session_where(index, f->session);
	if (f->in <= CCFC_IN_THINKING)
		return ccfc_index_text_where(index, f->source, f->gen);
	return ccfc_index_place_where(index, &place);
}

static void pack_names(struct ccfc_pack *p, const struct ccfc_index *index,
		       const struct ccfc_found *f)
{
	uint32_t agent = f->source < index->sources.n
				 ? index->sources.items[f->source].agent
				 : 0;
	struct ccfc_slice title;

	ccfc_pack_kv_str(p, "sessionId",
			 ccfc_index_session_id(index, f->session));
	if (ccfc_tally_title(&title, index, f->session) != CCFC_TITLE_NONE)
		ccfc_reply_title(p, index, f->session);
	ccfc_reply_id(p, "projectPath", index,
		      index->sessions.items[f->session].project);
	if (f->uuid.len)
		ccfc_pack_kv_str(p, "messageUuid", f->uuid);
	if (agent)
		ccfc_reply_id(p, "agentId", index, agent);
	if (f->tool.len)
		ccfc_pack_kv_str(p, "toolName", f->tool);
}

static void pack_found(struct ccfc_pack *p, const struct ccfc_index *index,
		       const struct ccfc_found *f)
{
	ccfc_pack_map(p);
	pack_names(p, index, f);
	if (f->time != CCFC_TIME_NONE)
		ccfc_pack_kv_time(p, "timestamp", f->time);
	ccfc_pack_kv_cstr(p, "role",
			  f->in == CCFC_IN_META ? "session" : roles[f->role]);
	ccfc_pack_kv_cstr(p, "in", places[f->in]);
	ccfc_pack_kv_str(p, "snippet", f->snippet);
	pack_spans(p, f);
	ccfc_pack_kv_uint(p, "count", f->count);
	ccfc_reply_source(p, where_is(index, f));
	ccfc_pack_end(p);
}

static int fail_without_match(const struct ccfc_search_result *found,
			      const struct ccfc_request *rq,
			      struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_ENOTFOUND, "%s: nothing matches '%.*s'",
		     rq->method, (int)ccfc_slice_cut(rq->opt.pattern, 100).len,
		     rq->opt.pattern.ptr);
	if (found->truncated)
		ccfc_err_hint(err, "not everything could be searched; ask "
				   "for fewer sessions or a shorter time");
	else if (found->damaged)
		ccfc_err_hint(err, "damaged texts were left out; ccfc doctor "
				   "says more");
	return CCFC_ENOTFOUND;
}

static int finish_text_search(struct ccfc_deferred *d, struct ccfc_request *rq,
			      struct ccfc_err *err)
{
	const struct ccfc_search_result *found =
		&((struct text_search *)d)->result;
	struct ccfc_service *service = rq->service;
	struct ccfc_pack *p = rq->pack;
	int r;

	if (found->damaged && service->texts_damaged)
		service->texts_damaged(service->ctx);
	if (!found->total)
		return fail_without_match(found, rq, err);
	r = ccfc_args_offset(rq, (uint32_t)found->total, "matches", err);
	if (r)
		return r;
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "matches");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < found->n; i++)
		pack_found(p, rq->index, &found->items[i]);
	ccfc_pack_end(p);
	ccfc_pack_kv_uint(p, "totalMatches", found->total);
	ccfc_pack_kv_uint(p, "totalSessions", found->sessions);
	ccfc_pack_kv_uint(p, "scannedBytes", found->scanned_bytes);
	ccfc_pack_kv_uint(p, "scannedTexts", found->scanned_texts);
	ccfc_pack_kv_bool(p, "truncated", found->truncated);
	if (found->damaged)
		ccfc_pack_kv_uint(p, "damaged", found->damaged);
	ccfc_reply_scope(rq);
	ccfc_reply_clock(p, rq->service);
	ccfc_pack_end(p);
	return 0;
}

static void release_text_search(struct ccfc_deferred *d)
{
	struct text_search *t = (struct text_search *)d;

	ccfc_texts_view_release(&t->s.texts);
	ccfc_search_release(&t->result);
	free(t);
}

static uint32_t count_cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (uint32_t)n : 1;
}

int ccfc_method_text_search(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct text_search *t = ccfc_calloc(1, sizeof(*t));
	int r;

	t->d.work = run_text_search;
	t->d.finish = finish_text_search;
	t->d.release = release_text_search;
	t->d.job.unbounded = rq->opt.regex;
	t->s = (struct ccfc_search){ .regex = rq->opt.regex,
				     .case_sensitive = rq->opt.case_sensitive,
				     .offset = (uint64_t)rq->opt.offset,
				     .limit = (uint64_t)rq->opt.limit,
				     .texts = { .fd = -1 },
				     .cancelled = &t->d.job.cancelled,
				     .max_bytes = MAX_BYTES,
				     .max_ms = ccfc_time_patience(MAX_MS),
				     .max_line = CCFC_TAIL_DEFAULT_MAX_LINE,
				     .max_reply = MAX_REPLY,
				     .threads = count_cores() };
	r = read_search_options(t, rq, err);
	if (r) {
		ccfc_arena_release(&t->d.arena);
		release_text_search(&t->d);
		return r;
	}
	if (rq->service->texts)
		rq->service->texts(rq->service->ctx, &t->s.texts);
	return ccfc_defer(rq, &t->d, err);
}
