/*
 * Is a change in conflict with the changes before it?
 *
 * C is a change of a file by session S. The changes before it are those that
 * ended before C did, at most CCFC_CONTEST_REACH. They are examined from the
 * last one back, until S certainly knew the file: the change is S's own, or in
 * S's transcripts, or S has seen it. S has seen a change if S read the file, or
 * was shown it, after the change began and before C began. What shell commands
 * read is not known.
 *
 * - `lost_update`: C and a change D of another session were made from the same
 *   content, and C's result is the later one: C overwrote D. Or C replaced the
 *   whole file, and S had not seen D.
 * - `stale`: C edited the file, D had ended before C began, and S knew the file
 *   but had not seen D. Nothing was lost: an edit keeps the rest of a file.
 * - The contact of C is the change just before C, if it is another session's
 *   and ended less than ten minutes before C began. The first contact of two
 *   sessions becomes `concurrent` in conflict.c.
 *
 * Only sessions are in conflict, not the agents of one: they work for their
 * session. A Read of one agent says nothing about what another one knows.
 */
#include "index/conflict/contest.h"

#include "base/time.h"

bool ccfc_contest_replaces(const struct ccfc_index *index, uint32_t change)
{
	const struct ccfc_change *c = &index->changes.items[change];
	struct ccfc_slice tool = ccfc_index_tool(index, c);

	return ccfc_index_op(c) == CCFC_OP_MODIFIED &&
	       (ccfc_slice_is(tool, "Write") ||
		ccfc_slice_ends(tool, "write_file"));
}

/* How the earlier changes relate to a change. */
struct finding {
	uint32_t lost;	 /* made from the same content; the first one */
	uint32_t unseen; /* ended before it began; the last one */
	bool knew;	 /* its session had seen the file before them */
	bool recent;	 /* `unseen` is */
};

static bool is_recent(const struct ccfc_moment *m,
		      const struct ccfc_moment *before)
{
	return m->from <= before->to ||
	       m->from - before->to <= CCFC_CONTEST_RECENT;
}

static void read_earlier_moments(struct finding *out,
				 const struct ccfc_index *index,
				 const struct ccfc_contest *contest,
				 uint32_t at)
{
	const struct ccfc_moment *m = &contest->moments.items[at];
	int64_t seen = ccfc_contest_seen(contest, m->session, m->from);

	out->knew = seen != CCFC_TIME_NONE;
	for (uint32_t i = 1; i <= at && i <= CCFC_CONTEST_REACH; i++) {
		const struct ccfc_moment *e = &contest->moments.items[at - i];
		bool is_seen = seen != CCFC_TIME_NONE && seen >= e->from;
		bool overlaps = e->to >= m->from;

		if (ccfc_index_shows(index, e->change, m->session)) {
			out->knew = true;
			return;
		}
		if (m->original && m->original == e->original &&
		    (overlaps || !is_seen))
			out->lost = e->change;
		if (overlaps)
			continue;
		if (is_seen)
			return;
		if (out->unseen == CCFC_ID_NONE) {
			out->unseen = e->change;
			out->recent = is_recent(m, e);
		}
	}
}

void ccfc_contest_judge(const struct ccfc_index *index,
			struct ccfc_contest *contest, uint32_t at)
{
	struct ccfc_moment *m = &contest->moments.items[at];
	const struct ccfc_moment *before = m - 1;
	struct finding f = { CCFC_ID_NONE, CCFC_ID_NONE, false, false };

	m->kind = CCFC_CONFLICT_NONE;
	m->other = m->contact = CCFC_ID_NONE;
	if (!at || ccfc_index_shows(index, before->change, m->session))
		return;
	if (is_recent(m, before))
		m->contact = before->change;
	read_earlier_moments(&f, index, contest, at);
	m->other = f.lost;
	if (f.lost != CCFC_ID_NONE) {
		m->kind = CCFC_CONFLICT_LOST_UPDATE;
		return;
	}
	if (f.unseen == CCFC_ID_NONE || index->changes.items[m->change].shell)
		return;
	if (ccfc_contest_replaces(index, m->change) && (f.knew || f.recent))
		m->kind = CCFC_CONFLICT_LOST_UPDATE;
	else if (f.knew)
		m->kind = CCFC_CONFLICT_STALE;
	if (m->kind)
		m->other = f.unseen;
}
