/*
 * The prompts of sessions: one for each (session, uuid), however often it was
 * copied, with the least recorded time and one place where it can be read. The
 * place has to be the same in whatever order transcripts are read. So it is the
 * one with the least path of a transcript; there, of the last reading; and
 * there the first line.
 */
#include "base/hash.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"

static struct ccfc_slice path_of_place(const struct ccfc_index *index,
				       const struct ccfc_place *place)
{
	return ccfc_index_str(index, index->sources.items[place->source].path);
}

static int compare_offsets(const struct ccfc_place *a,
			   const struct ccfc_place *b)
{
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static int compare_paths(const struct ccfc_index *index,
			 const struct ccfc_place *a, const struct ccfc_place *b)
{
	if (a->source == b->source)
		return 0;
	return ccfc_slice_cmp(path_of_place(index, a), path_of_place(index, b));
}

static int compare_places(const struct ccfc_index *index,
			  const struct ccfc_place *a,
			  const struct ccfc_place *b)
{
	int r = compare_paths(index, a, b);

	if (r)
		return r;
	if (a->gen != b->gen)
		return a->gen > b->gen ? -1 : 1;
	return compare_offsets(a, b);
}

static bool take_place(struct ccfc_prompt *prompt,
		       const struct ccfc_incoming *line)
{
	if (!line->record->asked ||
	    (prompt->place.source != CCFC_ID_NONE &&
	     compare_places(line->index, &line->place, &prompt->place) >= 0))
		return false;
	prompt->place = line->place;
	return true;
}

void ccfc_index_merge_prompt(const struct ccfc_incoming *line)
{
	const struct ccfc_record *r = line->record;
	struct ccfc_index *index = line->index;
	struct ccfc_prompt *prompt;
	uint64_t uuid;
	uint32_t id;
	bool news;

	if (!r->prompt || !r->uuid.len || r->time == CCFC_TIME_NONE)
		return;
	uuid = ccfc_hash_slice(r->uuid);
	id = ccfc_index_find_prompt(index, line->session, uuid);
	news = id == CCFC_ID_NONE;
	if (news)
		id = ccfc_index_add_prompt(
			index,
			&(struct ccfc_prompt){ .uuid = uuid,
					       .time = r->time,
					       .place.source = CCFC_ID_NONE,
					       .session = line->session });
	prompt = &index->prompts.items[id];
	if (r->time < prompt->time) {
		prompt->time = r->time;
		news = true;
	}
	if (take_place(prompt, line))
		news = true;
	if (news)
		ccfc_ids_push(&index->prompts.dirty, id);
}

/* Of two in one millisecond, the one further on in the transcript. */
static bool is_prompt_later(const struct ccfc_index *index,
			    const struct ccfc_prompt *a,
			    const struct ccfc_prompt *b)
{
	int r;

	if (a->time != b->time)
		return a->time > b->time;
	r = compare_paths(index, &a->place, &b->place);
	if (!r)
		r = compare_offsets(&a->place, &b->place);
	return r ? r > 0 : a->uuid > b->uuid;
}

const struct ccfc_prompt *ccfc_query_prompt(const struct ccfc_index *index,
					    const struct ccfc_change *change)
{
	const struct ccfc_session *s = &index->sessions.items[change->session];
	const int64_t time = ccfc_index_time(change);
	const struct ccfc_prompt *best = NULL;

	if (time == CCFC_TIME_NONE)
		return NULL;
	for (uint32_t id = s->prompts; id != CCFC_ID_NONE;
	     id = index->prompts.items[id].next) {
		const struct ccfc_prompt *p = &index->prompts.items[id];

		if (p->place.source == CCFC_ID_NONE || p->time > time)
			continue;
		if (!best || is_prompt_later(index, p, best))
			best = p;
	}
	return best;
}
