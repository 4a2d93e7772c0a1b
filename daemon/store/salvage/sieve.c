/* The items that an import leaves out; see sieve.h. */
#include "store/salvage/sieve.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "index/index_internal.h"

#include <stdlib.h>

/*
 * A client runs before its session's first line and after its last one: disk
 * events of that time belong to the session, too, if to no other.
 */
#define AROUND_MS ((int64_t)60 * 60 * 1000)
/* The same for a session that stays: events that may be its own. */
#define NEAR_MS	  ((int64_t)5 * 60 * 1000)
#define FILES_MAX ((int64_t)1 << 27)

void ccfc_sieve_release(struct ccfc_import_sieve *s)
{
	for (uint32_t i = 0; i < s->paths.n; i++)
		free(s->paths.items[i]);
	free(s->paths.items);
	for (uint32_t i = 0; i < s->spans.n; i++) {
		free(s->spans.items[i].roots.items);
		free(s->spans.items[i].sources.items);
	}
	free(s->spans.items);
	free(s->going.items);
	free(s->shared.items);
	free(s->shared_here.items);
	free(s->touched.items);
	free(s->rest.items);
	free(s->commands.items);
}

/* --- files --- */

void ccfc_sieve_file(struct ccfc_import_sieve *s, int64_t id,
		     struct ccfc_slice path)
{
	if (id < 0 || id > FILES_MAX)
		return;
	while (s->paths.n <= id)
		CCFC_VEC_PUSH(s->paths, NULL);
	free(s->paths.items[id]);
	s->paths.items[id] = ccfc_strndup(path.ptr, path.len);
}

struct ccfc_slice ccfc_sieve_path(const struct ccfc_import_sieve *s, int64_t id)
{
	if (id < 0 || id >= s->paths.n || !s->paths.items[id])
		return CCFC_SLICE_NONE;
	return ccfc_slice_str(s->paths.items[id]);
}

bool ccfc_sieve_touched(const struct ccfc_import_sieve *s,
			struct ccfc_slice path)
{
	if (ccfc_forgotten_file(s->list, path, CCFC_TIME_NONE))
		return true;
	for (uint32_t i = 0; i < s->touched.n; i++)
		if (s->touched.items[i] == 1 &&
		    ccfc_slice_eq(ccfc_sieve_path(s, i), path))
			return true;
	return false;
}

/* --- rows --- */

bool ccfc_sieve_source(const struct ccfc_import_sieve *s,
		       struct ccfc_slice path, struct ccfc_slice session)
{
	return s && (ccfc_forgotten_source(s->list, path) ||
		     ccfc_forgotten_session(s->list, session));
}

static void add_roots(struct ccfc_ids *to, const struct ccfc_session *row)
{
	if (row->project)
		ccfc_ids_push(to, row->project);
	for (uint32_t i = 0; i < row->roots.n; i++)
		ccfc_ids_push(to, row->roots.items[i]);
}

bool ccfc_sieve_session(struct ccfc_import *im, int64_t id,
			struct ccfc_slice uuid, const struct ccfc_session *row)
{
	struct ccfc_import_sieve *s = im->sieve;
	struct ccfc_sieve_span span = { .start = row->start, .end = row->end };

	if (!s)
		return false;
	span.goes = ccfc_forgotten_session(s->list, uuid);
	if (span.goes) {
		ccfc_import_put(&s->going, id, 1);
		for (uint32_t i = 0; i < row->sources.n; i++)
			ccfc_ids_add(&s->shared, row->sources.items[i]);
	}
	if (row->start != CCFC_TIME_NONE && row->end != CCFC_TIME_NONE) {
		add_roots(&span.roots, row);
		for (uint32_t i = 0; i < row->sources.n; i++)
			ccfc_ids_push(&span.sources, row->sources.items[i]);
		CCFC_VEC_PUSH(s->spans, span);
	}
	return span.goes;
}

static bool is_going(const struct ccfc_import_sieve *s, uint32_t session)
{
	return ccfc_import_get(&s->going, session) == 1;
}

bool ccfc_sieve_look(const struct ccfc_import_sieve *s, uint32_t file,
		     int64_t time)
{
	return s &&
	       ccfc_forgotten_file(s->list, ccfc_sieve_path(s, file), time);
}

static uint32_t file_of(const struct ccfc_change *row)
{
	return row->file ? row->file : row->call.file;
}

void ccfc_sieve_see_change(struct ccfc_import_sieve *s,
			   const struct ccfc_change *row)
{
	if (row->command != CCFC_ID_NONE && file_of(row) &&
	    ccfc_sieve_look(s, file_of(row), CCFC_TIME_NONE))
		ccfc_import_put(&s->commands, row->command, 1);
}

/* Marks a transcript with lines about forgotten items. */
static void share_sources(struct ccfc_import_sieve *s,
			  const struct ccfc_change *row)
{
	if (row->call.known)
		ccfc_ids_add(&s->shared, row->call.place.source);
	if (row->result.known)
		ccfc_ids_add(&s->shared, row->result.place.source);
}

bool ccfc_sieve_change(struct ccfc_import *im, int64_t id,
		       const struct ccfc_change *row)
{
	struct ccfc_import_sieve *s = im->sieve;
	uint32_t file = file_of(row);
	bool goes;

	if (!s)
		return false;
	goes = ccfc_import_get(&s->commands, id) == 1;
	if (file) {
		ccfc_import_put(is_going(s, row->session) ? &s->touched
							  : &s->rest,
				file, 1);
		goes |= ccfc_sieve_look(s, file, ccfc_index_time(row));
	}
	if (goes)
		share_sources(s, row);
	return goes;
}

bool ccfc_sieve_backup(const struct ccfc_import *im,
		       const struct ccfc_backup_ref *row)
{
	return im->sieve &&
	       ccfc_forgotten_tracked(
		       im->sieve->list,
		       ccfc_index_session_id(im->index, row->session),
		       ccfc_index_str(im->index, row->key));
}

/* --- disk events --- */

static bool is_near(const struct ccfc_import *im,
		    const struct ccfc_sieve_span *span, struct ccfc_slice path)
{
	for (uint32_t i = 0; i < span->roots.n; i++)
		if (ccfc_path_is_below(
			    path,
			    ccfc_index_str(im->index, span->roots.items[i])))
			return true;
	return false;
}

static bool covers_event(const struct ccfc_import *im,
			 const struct ccfc_sieve_span *span,
			 struct ccfc_slice path, int64_t time)
{
	int64_t around = span->goes ? AROUND_MS : NEAR_MS;

	return time >= span->start - around && time <= span->end + around &&
	       is_near(im, span, path);
}

static bool is_covered(const struct ccfc_import *im, bool goes,
		       struct ccfc_slice path, int64_t time)
{
	const struct ccfc_import_sieve *s = im->sieve;

	for (uint32_t i = 0; i < s->spans.n; i++)
		if (s->spans.items[i].goes == goes &&
		    covers_event(im, &s->spans.items[i], path, time))
			return true;
	return false;
}

static bool is_named(const struct ccfc_import_sieve *s, struct ccfc_slice path,
		     int64_t time)
{
	int64_t before = ccfc_forgotten_before(s->list);

	return ccfc_forgotten_due(s->list) &&
	       (ccfc_forgotten_below(s->list, path) ||
		(before != CCFC_TIME_NONE && time < before));
}

bool ccfc_sieve_event(const struct ccfc_import *im,
		      const struct ccfc_disk_event *event)
{
	const struct ccfc_import_sieve *s = im->sieve;
	struct ccfc_slice path;

	if (!s)
		return false;
	path = ccfc_sieve_path(s, event->file);
	if (ccfc_forgotten_session(s->list,
				   ccfc_index_str(im->index, event->by)) ||
	    ccfc_forgotten_file(s->list, path, event->time) ||
	    is_named(s, path, event->time))
		return true;
	if (!is_covered(im, true, path, event->time))
		return false;
	return !is_covered(im, false, path, event->time) ||
	       (ccfc_import_get(&s->touched, event->file) == 1 &&
		ccfc_import_get(&s->rest, event->file) != 1);
}

/* --- transcripts that may have forgotten items --- */

void ccfc_sieve_share_call(struct ccfc_import *im, uint32_t call)
{
	const struct ccfc_index *index = im->index;
	uint32_t message = index->calls.items[call].message;

	if (message == CCFC_ID_NONE)
		return;
	ccfc_ids_add(
		&im->sieve->shared_here,
		index->session_sources
			.items[index->messages.items[message].session_source]
			.source);
}

void ccfc_sieve_share_near(struct ccfc_import *im)
{
	struct ccfc_import_sieve *s = im->sieve;

	for (uint32_t i = 0; ccfc_forgotten_files(s->list) && i < s->paths.n;
	     i++) {
		struct ccfc_slice path = ccfc_sieve_path(s, i);

		if (!ccfc_forgotten_file(s->list, path, CCFC_TIME_NONE))
			continue;
		for (uint32_t k = 0; k < s->spans.n; k++) {
			const struct ccfc_sieve_span *span = &s->spans.items[k];

			for (uint32_t n = 0;
			     n < span->sources.n && is_near(im, span, path);
			     n++)
				ccfc_ids_add(&s->shared,
					     span->sources.items[n]);
		}
	}
}
