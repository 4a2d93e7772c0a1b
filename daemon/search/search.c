/*
 * A search; see search.h. First everything is scanned and each matching text is
 * noted as a few numbers; then the requested page is chosen, and only its texts
 * are read again, for their snippets. So a frequent word costs hardly more than
 * a missing one.
 */
#include "search/search.h"

#include "base/hash.h"
#include "base/time.h"
#include "search/search_internal.h"
#include "search/snippet.h"

#include <stdio.h>

#define LOOK_EVERY 256u /* texts between two checks of the clock */
#define ITEM_BYTES 512u /* of a reply, besides its snippet */
#define UUID_TEXT  37u

bool ccfc_search_run_over(void *ctx)
{
	struct ccfc_search_run *run = ctx;
	const struct ccfc_search *s = run->search;

	if (ccfc_search_run_stopped(run))
		return true;
	if (!atomic_load_explicit(s->cancelled, memory_order_relaxed) &&
	    ccfc_time_monotonic() <= run->deadline &&
	    atomic_load(&run->shared->bytes) <= s->max_bytes)
		return false;
	run->truncated = true;
	atomic_store(&run->shared->over, true);
	return true;
}

void ccfc_search_run_scanned(struct ccfc_search_run *run, uint64_t bytes)
{
	atomic_fetch_add(&run->shared->bytes, bytes);
}

int ccfc_search_run_init(struct ccfc_search_run *run, struct ccfc_err *err)
{
	const struct ccfc_search *s = run->search;
	struct ccfc_pattern_want want = {
		.text = s->pattern,
		.regex = s->regex,
		.case_sensitive = s->case_sensitive,
		.stop = ccfc_search_run_over,
		.ctx = run,
	};
	int r = ccfc_matcher_new(&run->matcher, &want, err);

	for (uint32_t i = 0; !r && i < s->nwords; i++) {
		want.text = s->words[i];
		r = ccfc_matcher_new(&run->words[i], &want, err);
	}
	if (r)
		ccfc_search_run_release(run);
	return r;
}

void ccfc_search_run_release(struct ccfc_search_run *run)
{
	ccfc_matcher_free(run->matcher);
	run->matcher = NULL;
	for (uint32_t i = 0; i < run->search->nwords; i++) {
		ccfc_matcher_free(run->words[i]);
		run->words[i] = NULL;
	}
}

bool ccfc_search_run_wants(const struct ccfc_search_run *run, uint32_t session,
			   int64_t time, enum ccfc_text_role role)
{
	const struct ccfc_search *s = run->search;

	if (session >= s->nsessions || (s->wanted && !s->wanted[session]))
		return false;
	if (!s->any_time &&
	    (time == CCFC_TIME_NONE || time < s->from || time > s->to))
		return false;
	return s->any_role || role == s->role;
}

/*
 * Adds the number of matches to *n. Returns 1 if there is one, 0, or an error.
 */
static int count_matches(uint32_t *n, struct ccfc_matcher *matcher,
			 const struct ccfc_text *text, struct ccfc_err *err)
{
	struct ccfc_span at = { 0, 0 };
	uint32_t before = *n;
	int r;

	while ((r = ccfc_matcher_find(&at, matcher, text, at.end, err)) == 1 &&
	       *n < CCFC_COUNT_MAX)
		(*n)++;
	if (r == CCFC_EAGAIN) /* the search is over */
		return 0;
	return r < 0 ? r : *n > before;
}

int ccfc_search_run_text(struct ccfc_search_run *run,
			 const struct ccfc_text *text, struct ccfc_hit *hit,
			 struct ccfc_err *err)
{
	uint32_t n = 0;
	int r = count_matches(&n, run->matcher, text, err);

	run->scanned_texts++;
	for (uint32_t i = 0; r == 1 && i < run->search->nwords; i++) {
		/*
		 * A text with very many matches of the first words may still
		 * have the last word.
		 */
		uint32_t more = 0;

		r = count_matches(&more, run->words[i], text, err);
		n += more;
	}
	if (r != 1)
		return r;
	hit->count = n < CCFC_COUNT_MAX ? n : CCFC_COUNT_MAX;
	hit->len = (uint32_t)text->bytes.len;
	return 1;
}

void ccfc_search_run_hit(struct ccfc_search_run *run,
			 const struct ccfc_hit *hit)
{
	pthread_mutex_lock(&run->shared->lock);
	ccfc_hits_add(&run->shared->hits, hit);
	pthread_mutex_unlock(&run->shared->lock);
}

/* --- the text store --- */

static uint64_t size_with_head(uint32_t len)
{
	return (sizeof(struct ccfc_text_head) + (uint64_t)len + 7) &
	       ~(uint64_t)7;
}

/* Records without a uuid are distinguished by their text. */
static uint64_t text_key(const struct ccfc_text_head *h, struct ccfc_slice text)
{
	static const unsigned char none[16];
	struct {
		unsigned char uuid[16];
		uint64_t more[3];
	} k = { .more = { (uint64_t)h->block << 8 | h->kind } };

	memcpy(k.uuid, h->uuid, sizeof(k.uuid));
	if (!memcmp(h->uuid, none, sizeof(none))) {
		k.more[1] = ccfc_hash_slice(text);
		k.more[2] = (uint64_t)h->time ^ (uint64_t)h->session << 32;
	}
	return ccfc_hash(&k, sizeof(k));
}

static struct ccfc_text text_to_match(const struct ccfc_text_head *head,
				      struct ccfc_slice bytes, bool valid)
{
	return (struct ccfc_text){ bytes, head->flags & CCFC_TEXT_FOLDS,
				   valid };
}

static bool is_asked(const struct ccfc_search_run *run,
		     const struct ccfc_text_head *head)
{
	/* Kinds and places have the same numbers, as far as both exist. */
	_Static_assert((int)CCFC_IN_TEXT == (int)CCFC_TEXT_TEXT &&
			       (int)CCFC_IN_THINKING == (int)CCFC_TEXT_THINKING,
		       "one number for both");
	return head->kind <= CCFC_TEXT_THINKING &&
	       (run->search->in & CCFC_IN_BIT(head->kind)) &&
	       ccfc_search_run_wants(run, head->session, head->time,
				     head->role);
}

static int scan_texts(struct ccfc_search_run *run,
		      struct ccfc_texts_reader *reader, bool valid,
		      struct ccfc_err *err)
{
	uint64_t start = run->search->texts.start, done = 0;
	struct ccfc_text_head head;
	struct ccfc_slice bytes;
	uint32_t n = 0;
	int r = 0;

	while (r >= 0 && !ccfc_search_run_stopped(run) &&
	       ccfc_texts_next(reader, &head, &bytes)) {
		struct ccfc_text text = text_to_match(&head, bytes, valid);
		uint64_t end = ccfc_texts_scanned(reader);
		struct ccfc_hit hit = { .pos = start + end -
					       size_with_head(head.len),
					.offset = head.offset,
					.line_len = head.line_len,
					.time = head.time,
					.session = head.session,
					.source = head.source,
					.gen = head.gen,
					.block = head.block,
					.in = head.kind,
					.role = head.role };

		ccfc_search_run_scanned(run, end - done);
		done = end;
		if (!(++n % LOOK_EVERY) && ccfc_search_run_over(run))
			break;
		if (!is_asked(run, &head))
			continue;
		r = ccfc_search_run_text(run, &text, &hit, err);
		if (r <= 0)
			continue;
		hit.key = text_key(&head, bytes);
		ccfc_search_run_hit(run, &hit);
	}
	return r < 0 ? r : 0;
}

static int run_texts(struct ccfc_search_run *run, uint64_t *damaged,
		     struct ccfc_err *err)
{
	bool valid = ccfc_matcher_wants_valid(run->matcher);
	struct ccfc_texts_reader *reader;
	int r;

	if (!(run->search->in &
	      (CCFC_IN_BIT(CCFC_IN_TEXT) | CCFC_IN_BIT(CCFC_IN_THINKING))))
		return 0;
	reader = ccfc_texts_reader_new(&run->search->texts, 0);
	/*
	 * Damaged texts are skipped: they may not even be UTF-8, which PCRE2
	 * requires.
	 */
	ccfc_texts_verify(reader, true);
	r = scan_texts(run, reader, valid, err);
	*damaged = ccfc_texts_damaged(reader);
	if (!r && ccfc_texts_error(reader))
		r = ccfc_err_io(err, ccfc_texts_error(reader),
				"text.search: the message texts cannot be "
				"read");
	ccfc_texts_reader_free(reader);
	return r;
}

/* --- what is known of sessions --- */

static struct ccfc_text meta_text_of(const struct ccfc_search *s,
				     uint32_t session)
{
	return (struct ccfc_text){ s->metas[session],
				   ccfc_text_folds(s->metas[session]), false };
}

static int run_metas(struct ccfc_search_run *run, struct ccfc_err *err)
{
	const struct ccfc_search *s = run->search;
	int r = 0;

	if (!(s->in & CCFC_IN_BIT(CCFC_IN_META)) || !s->metas)
		return 0;
	for (uint32_t i = 0; r >= 0 && i < s->nsessions; i++) {
		struct ccfc_text text = meta_text_of(s, i);
		struct ccfc_hit hit = { .key = ccfc_hash(&i, sizeof(i)),
					.time = s->starts[i],
					.session = i,
					.source = UINT32_MAX,
					.in = CCFC_IN_META,
					.role = CCFC_ROLE_USER };

		if (!text.bytes.len ||
		    !ccfc_search_run_wants(run, i, hit.time, s->role))
			continue;
		ccfc_search_run_scanned(run, text.bytes.len);
		r = ccfc_search_run_text(run, &text, &hit, err);
		if (r == 1)
			ccfc_search_run_hit(run, &hit);
	}
	return r < 0 ? r : 0;
}

static bool show_meta(struct ccfc_search_run *run, struct ccfc_found *out,
		      const struct ccfc_hit *hit, struct ccfc_arena *arena)
{
	struct ccfc_text text = meta_text_of(run->search, hit->session);

	return ccfc_snippet(out, run, &text, arena);
}

/* --- the page --- */

static struct ccfc_slice uuid_text(struct ccfc_arena *arena,
				   const unsigned char *u)
{
	char text[UUID_TEXT];
	size_t n = 0;
	unsigned any = 0;

	for (size_t i = 0; i < 16; i++) {
		any |= u[i];
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text[n++] = '-';
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%02x", u[i]);
	}
	return any ? ccfc_arena_copy(arena, ccfc_slice(text, n))
		   : CCFC_SLICE_NONE;
}

/* Reads a text of the store again, to show it. */
static bool show_text(struct ccfc_search_run *run, struct ccfc_found *out,
		      const struct ccfc_hit *hit, struct ccfc_arena *arena)
{
	struct ccfc_texts_view view = { .fd = run->search->texts.fd,
					.start = hit->pos,
					.end = hit->pos +
					       size_with_head(hit->len) };
	struct ccfc_texts_reader *reader = ccfc_texts_reader_new(&view, 4096);
	bool valid = ccfc_matcher_wants_valid(run->matcher);
	struct ccfc_text_head head;
	struct ccfc_slice bytes;
	bool ok;

	ccfc_texts_verify(reader, true);
	ok = ccfc_texts_next(reader, &head, &bytes) == 1;
	if (ok) {
		struct ccfc_text text = text_to_match(&head, bytes, valid);

		ok = ccfc_snippet(out, run, &text, arena);
		out->uuid = uuid_text(arena, head.uuid);
	}
	ccfc_texts_reader_free(reader);
	return ok;
}

static void show_page(struct ccfc_search_run *run,
		      struct ccfc_search_result *out, const uint32_t *page,
		      uint32_t n)
{
	struct ccfc_hit_line *line = ccfc_hit_line_new(run);
	size_t left = run->search->max_reply;

	out->items = ccfc_arena_alloc(&out->arena, n * sizeof(*out->items));
	for (uint32_t i = 0; i < n && left > ITEM_BYTES; i++) {
		const struct ccfc_hit *hit =
			&run->shared->hits.all.items[page[i]];
		struct ccfc_found *f = &out->items[out->n];
		bool ok;

		*f = (struct ccfc_found){ .count = hit->count,
					  .in = hit->in,
					  .role = hit->role,
					  .time = hit->time,
					  .session = hit->session,
					  .source = hit->source,
					  .gen = hit->gen };
		if (hit->in == CCFC_IN_META)
			ok = show_meta(run, f, hit, &out->arena);
		else if (hit->in <= CCFC_IN_THINKING)
			ok = show_text(run, f, hit, &out->arena);
		else
			ok = ccfc_hit_line_show(line, f, hit, &out->arena);
		if (!ok)
			continue;
		out->n++;
		left -= ITEM_BYTES;
		left -= left < f->snippet.len ? left : f->snippet.len;
	}
	run->truncated |= out->n < n;
	ccfc_hit_line_free(line);
}

static int run_search(struct ccfc_search_run *run,
		      struct ccfc_search_result *out, struct ccfc_err *err)
{
	const struct ccfc_search *s = run->search;
	struct ccfc_hits *hits = &run->shared->hits;
	uint32_t *page, n;
	int r = run_texts(run, &out->damaged, err);

	if (!r)
		r = run_metas(run, err);
	if (!r && !ccfc_search_run_over(run))
		r = ccfc_search_run_sources(run, err);
	if (r)
		return r;
	out->total = ccfc_hits_total(hits);
	out->sessions = ccfc_hits_sessions(hits);
	page = ccfc_hits_page(&n, hits, s->offset, s->limit, &out->arena);
	if (n)
		show_page(run, out, page, n);
	out->scanned_bytes = atomic_load(&run->shared->bytes);
	out->scanned_texts = run->scanned_texts;
	out->truncated = run->truncated || hits->dropped;
	return 0;
}

int ccfc_search_run(struct ccfc_search_result *out,
		    const struct ccfc_search *search, struct ccfc_err *err)
{
	struct ccfc_search_run_shared shared = {
		.lock = PTHREAD_MUTEX_INITIALIZER
	};
	struct ccfc_search_run run = { .search = search,
				       .shared = &shared,
				       .deadline = ccfc_time_monotonic() +
						   search->max_ms };
	int r;

	*out = (struct ccfc_search_result){ 0 };
	ccfc_arena_init(&out->arena);
	r = ccfc_search_run_init(&run, err);
	if (r)
		return r;
	ccfc_hits_init(&shared.hits, search->session_ids, search->nsessions,
		       search->by_rank);
	r = run_search(&run, out, err);
	ccfc_hits_release(&shared.hits);
	pthread_mutex_destroy(&shared.lock);
	ccfc_search_run_release(&run);
	return r;
}

void ccfc_search_release(struct ccfc_search_result *out)
{
	ccfc_arena_release(&out->arena);
	*out = (struct ccfc_search_result){ 0 };
}
