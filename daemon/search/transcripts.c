/*
 * Search in the transcripts: the input of calls, and results. The raw bytes are
 * searched first (raw_lines.h), and only lines that may match are parsed.
 * Threads take one transcript after another.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "search/line_blocks.h"
#include "search/raw_lines.h"
#include "search/search_internal.h"
#include "search/tool_text.h"

#include <stdlib.h>

#define CALLS	    (CCFC_IN_BIT(CCFC_IN_TOOL) | CCFC_IN_BIT(CCFC_IN_RESULT))
#define THREADS_MAX 4u
/* bytes for which another thread is worth starting */
#define THREAD_FROM (4u << 20)

/* What all threads search for, and the next transcript. */
struct task {
	struct ccfc_raw_lines raw;
	struct ccfc_needle block; /* the beginning of its type */
	atomic_uint next;
};

struct calls {
	struct ccfc_search_run *run, own;
	struct task *task;
	struct ccfc_parser *parser;
	struct ccfc_tool_text reader;
	struct ccfc_line_blocks pieces;
	const struct ccfc_search_source *source;
	uint32_t session; /* of the previous line */
	pthread_t thread;
	struct ccfc_err err;
	int r;
};

/*
 * The number of the session that the line names, or of the transcript's
 * session.
 */
static uint32_t find_session(struct calls *c)
{
	const struct ccfc_search *s = c->run->search;
	struct ccfc_slice id = ccfc_tool_text_session(&c->reader);

	if (!id.len)
		return c->source->session;
	if (ccfc_slice_eq(id, s->session_ids[c->session]))
		return c->session;
	for (uint32_t i = 0; i < s->nsessions; i++)
		if (ccfc_slice_eq(id, s->session_ids[i]))
			return i;
	return s->nsessions;
}

static uint64_t hit_key(struct calls *c, const struct ccfc_hit *hit)
{
	struct ccfc_slice uuid = ccfc_tool_text_uuid(&c->reader);
	struct {
		uint64_t uuid, more[2];
	} k = { .more = { (uint64_t)hit->block << 8 | hit->in } };

	if (uuid.len)
		k.uuid = ccfc_hash_slice(uuid);
	else
		k.more[1] = hit->offset ^ (uint64_t)hit->source << 40;
	return ccfc_hash(&k, sizeof(k));
}

struct count_transcripts {
	const struct ccfc_raw_lines *raw; /* NULL: only add up the bytes */
	struct ccfc_hit *hit;
};

static void count_raw_matches(void *ctx, struct ccfc_slice raw)
{
	struct count_transcripts *c = ctx;

	c->hit->len += (uint32_t)raw.len;
	if (c->raw)
		c->hit->count += ccfc_raw_lines_count(
			c->raw, raw, CCFC_COUNT_MAX - c->hit->count);
}

/* Searches the current text: 1 if it matches, 0 or an error. */
static int search_text(struct calls *c, struct ccfc_hit *hit, bool plain)
{
	struct count_transcripts counting = { plain ? &c->task->raw : NULL,
					      hit };

	hit->block = (uint16_t)c->reader.n;
	hit->count = 0;
	if (plain) {
		c->run->scanned_texts++;
	} else {
		int r;

		ccfc_tool_text_text(&c->reader);
		r = ccfc_search_run_text(c->run, &c->reader.text, hit, &c->err);
		if (r <= 0)
			return r;
	}
	/* The length is that of the strings as written in the line. */
	hit->len = 0;
	ccfc_tool_text_each(&c->reader, count_raw_matches, &counting);
	return hit->count > 0;
}

static void search_texts(struct calls *c, struct ccfc_hit *hit, bool plain)
{
	while (c->r >= 0 && ccfc_tool_text_next(&c->reader)) {
		c->r = search_text(c, hit, plain);
		if (c->r <= 0)
			continue;
		hit->key = hit_key(c, hit);
		ccfc_search_run_hit(c->run, hit);
	}
}

static bool begins_with(struct ccfc_slice s, struct ccfc_slice with)
{
	return s.len >= with.len && !memcmp(s.ptr, with.ptr, with.len);
}

/* Can the line have calls, or results? Their keys are in its bytes. */
static bool may_tell(const struct calls *c, struct ccfc_slice line)
{
	static const struct ccfc_slice names[] = {
		CCFC_SLICE_LIT("\"tool_use\""),
		CCFC_SLICE_LIT("\"tool_result\"")
	};
	uint32_t in = c->run->search->in;
	size_t at = 0;

	while ((at = ccfc_needle_find(&c->task->block, line, at)) !=
	       CCFC_NOWHERE) {
		struct ccfc_slice rest =
			ccfc_slice(line.ptr + at, line.len - at);

		if (((in & CCFC_IN_BIT(CCFC_IN_TOOL)) &&
		     begins_with(rest, names[0])) ||
		    ((in & CCFC_IN_BIT(CCFC_IN_RESULT)) &&
		     begins_with(rest, names[1])))
			return true;
		at++;
	}
	return false;
}

/*
 * Searches a record; false if it has none of the wanted kinds, or is malformed.
 */
static bool search_record(struct calls *c, struct ccfc_slice line,
			  uint64_t offset, bool plain)
{
	struct ccfc_hit hit = { .pos = offset,
				.offset = offset,
				.line_len = (uint32_t)line.len,
				.source = c->source->id,
				.gen = c->source->gen };

	if (!ccfc_tool_text_open(&c->reader, c->parser, line,
				 c->run->search->in))
		return false;
	hit.in = (uint8_t)c->reader.in;
	hit.role = c->reader.in == CCFC_IN_TOOL ? CCFC_ROLE_ASSISTANT
						: CCFC_ROLE_USER;
	hit.time = ccfc_tool_text_time(&c->reader);
	hit.session = find_session(c);
	if (!ccfc_search_run_wants(c->run, hit.session, hit.time, hit.role)) {
		ccfc_parser_done(c->parser, line);
		return true;
	}
	c->session = hit.session;
	/* Several words are searched in the joined text. */
	search_texts(c, &hit, plain && !c->run->search->nwords);
	return true;
}

/* Searches a line, which may have several records. */
static void search_line(struct calls *c, struct ccfc_slice line,
			uint64_t offset, bool plain)
{
	size_t n;

	if (!may_tell(c, line) || search_record(c, line, offset, plain))
		return;
	for (n = ccfc_record_split(line); n; n = ccfc_record_end(line)) {
		search_record(c, ccfc_slice(line.ptr, n), offset, plain);
		line = ccfc_slice(line.ptr + n, line.len - n);
		offset += n;
	}
}

static void search_source(struct calls *c)
{
	struct ccfc_raw_lines_walk walk;
	struct ccfc_slice lines, line;
	uint64_t offset;

	while (c->r >= 0 && !ccfc_search_run_over(c->run) &&
	       ccfc_line_blocks_next(&c->pieces, &lines, &offset)) {
		ccfc_search_run_scanned(c->run, lines.len);
		ccfc_raw_lines_begin(&walk, &c->task->raw, lines);
		while (c->r >= 0 && !ccfc_search_run_stopped(c->run) &&
		       ccfc_raw_lines_next(&walk, &line))
			search_line(c, line,
				    offset + (uint64_t)(line.ptr - lines.ptr),
				    walk.plain);
	}
}

/* A thread: one transcript after another. An error ends the search. */
static void *search_sources(void *arg)
{
	struct calls *c = arg;
	const struct ccfc_search *s = c->run->search;
	uint32_t i;

	c->parser = ccfc_parser_new(NULL);
	ccfc_tool_text_init(&c->reader);
	ccfc_line_blocks_init(&c->pieces, s->max_line);
	while (c->r >= 0 && !ccfc_search_run_stopped(c->run) &&
	       (i = atomic_fetch_add(&c->task->next, 1)) < s->nsources) {
		c->source = &s->sources[i];
		if (ccfc_line_blocks_open(&c->pieces, s->attic, c->source->path,
					  c->source->end))
			search_source(c);
		ccfc_line_blocks_close(&c->pieces);
		c->run->truncated |= c->pieces.lost;
	}
	if (c->r < 0)
		atomic_store(&c->run->shared->over, true);
	ccfc_line_blocks_release(&c->pieces);
	ccfc_tool_text_release(&c->reader);
	ccfc_parser_free(c->parser);
	return NULL;
}

static uint32_t count_threads(const struct ccfc_search *s)
{
	uint32_t max = s->threads < THREADS_MAX ? s->threads : THREADS_MAX;
	uint64_t bytes = 0;
	uint32_t n;

	for (uint32_t i = 0; i < s->nsources; i++)
		bytes += s->sources[i].end;
	n = bytes / THREAD_FROM < max ? (uint32_t)(bytes / THREAD_FROM) : max;
	if (n > s->nsources)
		n = s->nsources;
	return n ? n : 1;
}

/* Starts a thread; if that fails, the others do its work. */
static bool begin_thread(struct calls *c, const struct ccfc_search_run *run)
{
	c->run = &c->own;
	c->own = (struct ccfc_search_run){ .search = run->search,
					   .shared = run->shared,
					   .deadline = run->deadline };
	if (ccfc_search_run_init(c->run, NULL))
		return false;
	if (!pthread_create(&c->thread, NULL, search_sources, c))
		return true;
	ccfc_search_run_release(c->run);
	return false;
}

/* Adds the thread's results to the run that started it. */
static void join_thread(struct calls *c, struct ccfc_search_run *run)
{
	pthread_join(c->thread, NULL);
	run->scanned_texts += c->own.scanned_texts;
	run->truncated |= c->own.truncated;
	ccfc_search_run_release(&c->own);
}

int ccfc_search_run_sources(struct ccfc_search_run *run, struct ccfc_err *err)
{
	const struct ccfc_search *s = run->search;
	const struct ccfc_pattern_want want = { .text = s->pattern,
						.regex = s->regex,
						.case_sensitive =
							s->case_sensitive };
	uint32_t n = count_threads(s), begun = 1;
	struct calls *all;
	struct task task;
	int r = 0;

	if (!(s->in & CALLS) || !s->nsessions)
		return 0;
	all = ccfc_calloc(n, sizeof(*all));
	ccfc_raw_lines_init(&task.raw, &want);
	ccfc_needle_init(&task.block, ccfc_slice_str("\"tool_"), false);
	atomic_init(&task.next, 0);
	for (uint32_t i = 0; i < n; i++)
		all[i].task = &task;
	while (begun < n && begin_thread(&all[begun], run))
		begun++;
	/* This thread takes part too. */
	all[0].run = run;
	search_sources(&all[0]);
	for (uint32_t i = 1; i < begun; i++)
		join_thread(&all[i], run);
	for (uint32_t i = 0; i < begun && !r; i++) {
		r = all[i].r < 0 ? all[i].r : 0;
		if (r && err)
			*err = all[i].err;
	}
	free(all);
	return r;
}
