/*
 * archive.seen: facts that are in no transcript, for a client that copies the
 * archive (archive_move.c). A page continues where the previous one ended; a
 * place is the kind of rows and a number in their table. New rows are added at
 * the end of their table, so no other row is missed.
 */
#include "serve/rpc/reply.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "index/disk/seen_line.h"
#include "index/disk/witness.h"
#include "index/index_internal.h"

#include <stdlib.h>

#define KIND_SHIFT 40
/* Rows that one page reads at most: most commands have no marks. */
#define LOOKS_MAX 50000u

enum kind { EVENTS, COMMANDS, WAITING, KINDS };

struct page {
	const struct ccfc_index *index;
	struct ccfc_slice project;
	uint64_t limit;
	struct ccfc_ids events;	  /* of this page */
	struct ccfc_ids sessions; /* that were live around them */
	struct ccfc_buf line;
	struct ccfc_pack *p; /* lines */
};

/* --- which --- */

static bool wants_event(const struct page *page,
			const struct ccfc_disk_event *e)
{
	struct ccfc_slice path = ccfc_index_file_path(page->index, e->file);

	if (e->gone)
		return false;
	return !page->project.len || ccfc_path_is_below(path, page->project) ||
	       ccfc_seen_in_project(page->index,
				    ccfc_trace_session(page->index, e),
				    page->project);
}

static void find_sessions(struct page *page)
{
	const struct ccfc_index *index = page->index;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (uint32_t i = 0; i < page->events.n; i++) {
		int64_t t =
			index->disk_events.items[page->events.items[i]].time;

		first = t < first ? t : first;
		last = t > last ? t : last;
	}
	for (uint32_t i = 1; page->events.n && i < index->sessions.n; i++) {
		const struct ccfc_session *s = &index->sessions.items[i];

		if (s->start != CCFC_TIME_NONE && s->end != CCFC_TIME_NONE &&
		    s->start <= last + CCFC_SEEN_AROUND_MS &&
		    s->end >= first - CCFC_SEEN_AROUND_MS)
			ccfc_ids_push(&page->sessions, i);
	}
}

/* --- lines --- */

static void pack_line(struct page *page)
{
	ccfc_pack_str(page->p, ccfc_buf_view(&page->line));
	ccfc_buf_clear(&page->line);
	page->limit--;
}

static void pack_events(struct page *page)
{
	const struct ccfc_seen_near near = { &page->sessions, page->project };

	find_sessions(page);
	for (uint32_t i = 0; i < page->events.n; i++) {
		uint32_t id = page->events.items[i];

		ccfc_seen_put_event(&page->line, page->index,
				    &page->index->disk_events.items[id], &near);
		pack_line(page);
	}
}

static void pack_command(struct page *page, uint32_t id)
{
	const struct ccfc_index *index = page->index;
	const struct ccfc_change *c = &index->changes.items[id];

	if ((c->began == CCFC_TIME_NONE && c->ended == CCFC_TIME_NONE) ||
	    !ccfc_index_is_command(c) ||
	    !ccfc_seen_in_project(index, c->session, page->project))
		return;
	ccfc_seen_put_mark(&page->line, ccfc_slice(c->id, c->id_len),
			   ccfc_index_session_id(index, c->session), c->began,
			   c->ended);
	pack_line(page);
}

/* Commands whose project is not known yet. */
static void pack_waiting(struct page *page, uint32_t id)
{
	const struct ccfc_index *index = page->index;
	const struct ccfc_mark *m = &index->marks.items[id];

	if (m->taken || page->project.len)
		return;
	ccfc_seen_put_mark(&page->line, ccfc_index_str(index, m->call),
			   ccfc_index_str(index, m->session), m->began,
			   m->ended);
	pack_line(page);
}

/* Reads a row; the events of a page are packed together. */
static void pack_row(struct page *page, enum kind kind, uint32_t id)
{
	if (kind == COMMANDS)
		pack_command(page, id);
	else if (kind == WAITING)
		pack_waiting(page, id);
	else if (wants_event(page, &page->index->disk_events.items[id]))
		ccfc_ids_push(&page->events, id);
}

/* Packs lines from `at` on, and returns the start of the next page; 0: none. */
static uint64_t pack_lines(struct page *page, uint64_t at)
{
	const uint32_t rows[KINDS] = { page->index->disk_events.n,
				       page->index->changes.n,
				       page->index->marks.n };
	uint64_t kind = at >> KIND_SHIFT;
	uint64_t i = at & (((uint64_t)1 << KIND_SHIFT) - 1);
	uint32_t looks = 0;

	for (; kind < KINDS; kind++, i = 0) {
		while (i < rows[kind] && looks < LOOKS_MAX &&
		       page->events.n < page->limit) {
			pack_row(page, (enum kind)kind, (uint32_t)i++);
			looks++;
		}
		if (i < rows[kind])
			break;
	}
	pack_events(page);
	return kind < KINDS ? kind << KIND_SHIFT | i : 0;
}

static void pack_contents(struct ccfc_pack *p, const struct page *page)
{
	const struct ccfc_index *index = page->index;

	ccfc_pack_cstr(p, "contents");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < page->events.n; i++) {
		const struct ccfc_disk_event *e =
			&index->disk_events.items[page->events.items[i]];

		if (e->before_key)
			ccfc_pack_str(p, ccfc_index_str(index, e->before_key));
		if (e->after_key)
			ccfc_pack_str(p, ccfc_index_str(index, e->after_key));
	}
	ccfc_pack_end(p);
}

int ccfc_method_archive_seen(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_pack *p = rq->pack;
	struct page page = { .index = rq->index,
			     .limit = (uint64_t)rq->opt.limit,
			     .p = p };
	struct ccfc_filter filter;
	uint64_t next;
	int r = ccfc_args_filter(&filter, rq, err);

	if (r)
		return r;
	page.project = filter.project;
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "lines");
	ccfc_pack_array(p);
	next = page.limit ? pack_lines(&page, (uint64_t)rq->opt.offset) : 0;
	ccfc_pack_end(p);
	pack_contents(p, &page);
	if (next)
		ccfc_pack_kv_uint(p, "next", next);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
	free(page.events.items);
	free(page.sessions.items);
	ccfc_buf_release(&page.line);
	return 0;
}
