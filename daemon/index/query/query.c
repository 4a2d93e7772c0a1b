/*
 * Questions to the index; see query.h. Filters, and single facts.
 */
#include "index/query/query.h"

#include "base/path.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/glob.h"

#include <stdlib.h>

/* --- filters --- */

static bool has_slice(const struct ccfc_slice *items, uint32_t n,
		      struct ccfc_slice s)
{
	for (uint32_t i = 0; i < n; i++)
		if (ccfc_slice_eq(items[i], s))
			return true;
	return false;
}

static bool is_below_any(const struct ccfc_slice *dirs, uint32_t n,
			 struct ccfc_slice path)
{
	for (uint32_t i = 0; i < n; i++)
		if (ccfc_path_is_below(path, dirs[i]))
			return true;
	return false;
}

bool ccfc_filter_accepts_path(const struct ccfc_filter *f,
			      struct ccfc_slice path)
{
	if (f->nextensions && !has_slice(f->extensions, f->nextensions,
					 ccfc_path_extension(path)))
		return false;
	if (f->ndirectories &&
	    !is_below_any(f->directories, f->ndirectories, path))
		return false;
	return !f->glob || ccfc_glob_match(f->glob, path);
}

bool ccfc_filter_accepts_session(const struct ccfc_index *index,
				 const struct ccfc_filter *f, uint32_t session)
{
	uint32_t project = index->sessions.items[session].project;

	if (f->session && f->session != session)
		return false;
	return !f->project.len ||
	       (project &&
		ccfc_path_is_below(ccfc_index_str(index, project), f->project));
}

bool ccfc_filter_accepts_time(const struct ccfc_filter *f, int64_t time)
{
	if ((f->has_from || f->has_to) && time == CCFC_TIME_NONE)
		return false;
	return (!f->has_from || time >= f->from) &&
	       (!f->has_to || time <= f->to);
}

bool ccfc_filter_accepts_change(const struct ccfc_index *index,
				const struct ccfc_filter *f,
				const struct ccfc_change *c)
{
	int64_t time = ccfc_index_time(c);

	if (!c->settled || (f->states && !(f->states & (1u << c->state))))
		return false;
	if (!ccfc_filter_accepts_time(f, time))
		return false;
	if (f->ntools &&
	    !has_slice(f->tools, f->ntools, ccfc_index_tool(index, c)))
		return false;
	if (!ccfc_filter_accepts_session(index, f, c->session))
		return false;
	return !f->proofs || f->proofs & (1u << ccfc_query_proof(index, c));
}

bool ccfc_filter_accepts(const struct ccfc_index *index,
			 const struct ccfc_filter *filter,
			 const struct ccfc_change *change)
{
	return ccfc_filter_accepts_change(index, filter, change) &&
	       ccfc_filter_accepts_path(
		       filter, ccfc_index_file_path(index, change->file));
}

/* --- files --- */

uint32_t ccfc_query_file(const struct ccfc_index *index, struct ccfc_slice path)
{
	uint32_t file = ccfc_strtab_find(&index->file_paths, path);

	return file == CCFC_ID_NONE ? 0 : file;
}

bool ccfc_query_has(const struct ccfc_index *index, uint32_t file,
		    const struct ccfc_filter *filter)
{
	const struct ccfc_ids *ids = &index->files.items[file];

	for (uint32_t i = 0; i < ids->n; i++)
		if (ccfc_filter_accepts_change(
			    index, filter,
			    &index->changes.items[ids->items[i]]))
			return true;
	return false;
}

bool ccfc_query_is_at_home(const struct ccfc_index *index, uint32_t session,
			   struct ccfc_slice path)
{
	const struct ccfc_session *s = &index->sessions.items[session];

	if (s->project &&
	    ccfc_path_is_below(path, ccfc_index_str(index, s->project)))
		return true;
	for (uint32_t i = 0; i < s->roots.n; i++)
		if (ccfc_path_is_below(
			    path, ccfc_index_str(index, s->roots.items[i])))
			return true;
	return false;
}

/* --- events --- */

uint32_t ccfc_query_log(const struct ccfc_index *index, uint64_t seq)
{
	uint32_t lo = 0, hi = index->log.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (index->log.items[mid].seq > seq)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* --- single facts --- */

enum ccfc_op ccfc_query_group_op(const struct ccfc_index *index,
				 const struct ccfc_group *group)
{
	const struct ccfc_change *first =
		&index->changes.items[group->changes[0]];
	const struct ccfc_change *last =
		&index->changes.items[group->changes[group->nchanges - 1]];

	if (last->result.op == CCFC_OP_DELETED)
		return CCFC_OP_DELETED;
	if (first->result.op == CCFC_OP_CREATED ||
	    ccfc_index_op(first) == CCFC_OP_RENAMED)
		return ccfc_index_op(first);
	return group->nchanges == 1 ? ccfc_index_op(last) : CCFC_OP_MODIFIED;
}

static bool has_applied(const struct ccfc_index *index,
			const struct ccfc_ids *changes)
{
	for (uint32_t i = 0; i < changes->n; i++)
		if (index->changes.items[changes->items[i]].state ==
		    CCFC_STATE_APPLIED)
			return true;
	return false;
}

static void count_shell(struct ccfc_totals *out, const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];

		if (!ccfc_index_is_shells(c) || !c->settled)
			continue;
		if (ccfc_index_is_command(c)) {
			out->commands++;
			out->unknown_commands += ccfc_index_is_unknown(c);
		} else {
			out->shell_changes += c->state == CCFC_STATE_APPLIED;
		}
	}
}

void ccfc_query_totals(struct ccfc_totals *out, const struct ccfc_index *index)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t i = 1; i < index->sessions.n; i++)
		out->sessions += index->sessions.items[i].seen;
	for (uint32_t i = 1; i < index->files.n; i++)
		out->files += has_applied(index, &index->files.items[i]);
	memcpy(out->by_state, index->by_state, sizeof(out->by_state));
	count_shell(out, index);
	for (uint32_t i = 0; i < index->sources.n; i++) {
		const struct ccfc_source *s = &index->sources.items[i];

		out->sources_gone += s->gone;
		out->sources_present += !s->gone;
		out->bytes += s->gone ? 0 : s->cursor.offset;
		for (int k = 0; k < CCFC_RECORD_KINDS; k++)
			out->lines[k] += s->lines[k];
		out->too_long += s->too_long;
		out->damaged += s->damaged;
	}
}
