/*
 * Files that the client showed to a session without a call: files that the user
 * put into a prompt, that a compaction repeated, or that have changed since the
 * session saw them. A set over (session, file, time).
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "index/index_internal.h"

CCFC_TABLE_FIND(find_shown, shown, struct ccfc_shown, struct ccfc_shown,
		r->session == k->session && r->file == k->file &&
			r->time == k->time)

static uint64_t shown_hash(const struct ccfc_shown *shown)
{
	uint64_t all[3] = { shown->session, shown->file,
			    (uint64_t)shown->time };

	return ccfc_hash(all, sizeof(all));
}

uint32_t ccfc_index_find_shown(const struct ccfc_index *index,
			       const struct ccfc_shown *like)
{
	return find_shown(index, shown_hash(like), like);
}

uint32_t ccfc_index_add_shown(struct ccfc_index *index,
			      const struct ccfc_shown *shown)
{
	uint32_t *first = &index->file_shown.items[shown->file];
	struct ccfc_shown fresh = *shown;

	fresh.next = *first;
	*first = index->shown.n;
	CCFC_TABLE_ADD(index->shown, shown_hash(&fresh), fresh);
	return *first;
}

void ccfc_index_merge_shown(const struct ccfc_incoming *line)
{
	struct ccfc_index *index = line->index;
	struct ccfc_shown shown = { .time = line->record->time,
				    .session = line->session };

	if (!shown.session || shown.time == CCFC_TIME_NONE)
		return;
	shown.file = ccfc_index_line_file(line, line->record->shown);
	if (!shown.file)
		return;
	ccfc_contest_see(index, shown.file);
	if (ccfc_index_find_shown(index, &shown) == CCFC_ID_NONE)
		CCFC_TABLE_MARK_LIST(index->shown,
				     ccfc_index_add_shown(index, &shown));
}
