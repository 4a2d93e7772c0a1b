/*
 * What one transcript has of one session: the number of messages, the last
 * lines, the titles. The lines of a transcript come in the order of the file,
 * so "last" means the same in whatever order transcripts are read.
 *
 * Titles of old clients are summaries. A summary is in another transcript and
 * names a message of the session (the leaf). Either may be read first, and
 * forks have the same message in several sessions. The title of a session is
 * the greatest (time, text) of all pairs of a leaf and its summary. More pairs
 * can only make it greater.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "index/index_internal.h"

/* --- rows --- */

CCFC_TABLE_FIND(find_session_source, session_sources,
		struct ccfc_session_source, uint32_t,
		r->source == k[0] && r->session == k[1] &&
			r->relayed_agent == k[2])

uint32_t ccfc_index_session_source(struct ccfc_index *index, uint32_t source,
				   uint32_t session, uint32_t relayed_agent)
{
	uint32_t key[3] = { source, session, relayed_agent };
	uint64_t hash = ccfc_hash(key, sizeof(key));
	uint32_t id = find_session_source(index, hash, key);
	struct ccfc_session *s = &index->sessions.items[session];

	if (id != CCFC_ID_NONE)
		return id;
	id = index->session_sources.n;
	CCFC_TABLE_ADD(index->session_sources, hash,
		       ((struct ccfc_session_source){
			       .time = CCFC_TIME_NONE,
			       .result_time = CCFC_TIME_NONE,
			       .source = source,
			       .session = session,
			       .relayed_agent = relayed_agent,
			       .next = s->session_sources,
			       .gen = index->sources.items[source].gen }));
	s->session_sources = id;
	return id;
}

CCFC_TABLE_FIND(find_first_leaf, leaves, struct ccfc_leaf, uint64_t,
		r->uuid == *k)

static uint32_t first_leaf(const struct ccfc_index *index, uint64_t uuid)
{
	return find_first_leaf(index, uuid, &uuid);
}

uint32_t ccfc_index_find_leaf(const struct ccfc_index *index, uint64_t uuid,
			      uint32_t session)
{
	uint32_t id = first_leaf(index, uuid);

	while (id != CCFC_ID_NONE && index->leaves.items[id].session != session)
		id = index->leaves.items[id].next;
	return id;
}

bool ccfc_index_has_leaf(const struct ccfc_index *index, uint64_t uuid)
{
	return first_leaf(index, uuid) != CCFC_ID_NONE;
}

uint32_t ccfc_index_add_leaf(struct ccfc_index *index,
			     const struct ccfc_leaf *leaf)
{
	uint32_t first = first_leaf(index, leaf->uuid);
	uint32_t id = index->leaves.n;
	struct ccfc_leaf fresh = *leaf;

	fresh.next = CCFC_ID_NONE;
	if (first != CCFC_ID_NONE) {
		fresh.next = index->leaves.items[first].next;
		index->leaves.items[first].next = id;
	} else {
		ccfc_map_put(&index->leaves.map, fresh.uuid, id);
	}
	CCFC_VEC_PUSH(index->leaves, fresh);
	return id;
}

CCFC_TABLE_FIND(find_summary, summaries, struct ccfc_summary, uint64_t,
		r->leaf == *k)

uint32_t ccfc_index_find_summary(const struct ccfc_index *index, uint64_t leaf)
{
	return find_summary(index, leaf, &leaf);
}

uint32_t ccfc_index_add_summary(struct ccfc_index *index,
				const struct ccfc_summary *summary)
{
	CCFC_TABLE_ADD(index->summaries, summary->leaf, *summary);
	return index->summaries.n - 1;
}

/* --- messages --- */

static struct ccfc_session_source *open_part(const struct ccfc_incoming *line,
					     uint32_t *id)
{
	struct ccfc_index *index = line->index;
	struct ccfc_source *source = &index->sources.items[line->place.source];
	uint32_t relayed_agent = line->record->relayed ? line->agent : 0;
	struct ccfc_session_source *part;

	*id = source->last_session_source;
	if (*id >= index->session_sources.n ||
	    index->session_sources.items[*id].session != line->session ||
	    index->session_sources.items[*id].relayed_agent != relayed_agent ||
	    index->session_sources.items[*id].source != line->place.source)
		*id = ccfc_index_session_source(index, line->place.source,
						line->session, relayed_agent);
	source->last_session_source = *id;
	part = &index->session_sources.items[*id];
	if (part->gen != source->gen) {
		struct ccfc_session_source fresh = {
			.time = CCFC_TIME_NONE,
			.result_time = CCFC_TIME_NONE,
			.source = part->source,
			.session = part->session,
			.relayed_agent = part->relayed_agent,
			.next = part->next,
			.gen = source->gen,
			.custom = part->custom,
			.ai = part->ai,
			.dirty = part->dirty
		};
		*part = fresh;
	}
	if (!part->dirty)
		ccfc_ids_push(&index->session_sources.dirty, *id);
	part->dirty = true;
	return part;
}

/* Clients up to 2.0.0 write summaries. */
static bool may_be_leaf(const struct ccfc_record *r)
{
	if (!r->uuid.len)
		return false;
	return !r->version.len || ccfc_slice_starts(r->version, "2.0.") ||
	       ccfc_slice_starts(r->version, "1.") ||
	       ccfc_slice_starts(r->version, "0.");
}

static void set_summary(struct ccfc_index *index, const struct ccfc_leaf *leaf,
			uint32_t text)
{
	struct ccfc_session *s = &index->sessions.items[leaf->session];

	if (s->summary &&
	    (leaf->time < s->summary_time ||
	     (leaf->time == s->summary_time &&
	      ccfc_slice_cmp(ccfc_index_str(index, text),
			     ccfc_index_str(index, s->summary)) <= 0)))
		return;
	s->summary = text;
	s->summary_time = leaf->time;
	ccfc_index_mark_session(index, leaf->session);
}

static void merge_leaf(const struct ccfc_incoming *line)
{
	struct ccfc_index *index = line->index;
	uint64_t uuid = ccfc_hash_slice(line->record->uuid);
	int64_t time = line->record->time;
	uint32_t id = ccfc_index_find_leaf(index, uuid, line->session);
	uint32_t summary;

	if (id == CCFC_ID_NONE)
		id = ccfc_index_add_leaf(
			index, &(struct ccfc_leaf){ .uuid = uuid,
						    .time = time,
						    .session = line->session });
	else if (time > index->leaves.items[id].time)
		index->leaves.items[id].time = time;
	else
		return;
	ccfc_ids_push(&index->leaves.dirty, id);
	summary = ccfc_index_find_summary(index, uuid);
	if (summary != CCFC_ID_NONE)
		set_summary(index, &index->leaves.items[id],
			    index->summaries.items[summary].text);
}

static bool calls_writer(const struct ccfc_record *r)
{
	for (uint32_t i = 0; i < r->ncalls; i++)
		if (r->calls[i].writes)
			return true;
	return false;
}

/* Text of the model; the client's own messages have no model. */
static bool is_answer(const struct ccfc_record *r)
{
	bool text = false;

	for (uint32_t i = 0; i < r->nspoken; i++)
		text |= r->spoken[i].kind == CCFC_MESSAGE_TEXT_TEXT;
	return r->kind == CCFC_RECORD_ASSISTANT && r->model.len && text &&
	       !r->ncalls;
}

static void note_last(struct ccfc_session_source *part,
		      const struct ccfc_record *r)
{
	const struct ccfc_result *last;

	if (r->time != CCFC_TIME_NONE)
		part->time = r->time;
	/* Records inserted by the client do not answer a question. */
	if (!r->meta)
		part->asks = r->asks;
	if (r->kind == CCFC_RECORD_USER && !r->meta)
		part->edits = false;
	else if (calls_writer(r))
		part->edits = true;
	/* A session that goes on to a final answer has overcome the error. */
	if (is_answer(r))
		part->error = false;
	if (!r->nresults)
		return;
	if (r->time != CCFC_TIME_NONE)
		part->result_time = r->time;
	part->results = true;
	last = &r->results[r->nresults - 1];
	/* A denied call has not failed. */
	part->error = last->error && last->state != CCFC_STATE_DENIED;
}

void ccfc_index_merge_session_source(struct ccfc_incoming *line)
{
	const struct ccfc_record *r = line->record;
	struct ccfc_session_source *part;

	if (!line->session)
		return;
	part = open_part(line, &line->session_source);
	if (r->kind == CCFC_RECORD_USER)
		part->user[line->aside]++;
	else
		part->assistant[line->aside]++;
	if (line->aside) {
		if (r->kind == CCFC_RECORD_USER)
			ccfc_index_merge_answer(line);
		return;
	}
	note_last(part, r);
	if (may_be_leaf(r))
		merge_leaf(line);
}

int64_t ccfc_index_time_before(const struct ccfc_incoming *line)
{
	const struct ccfc_index *index = line->index;
	uint32_t key[3] = { line->place.source, line->session, 0 };
	uint32_t id =
		find_session_source(index, ccfc_hash(key, sizeof(key)), key);

	if (id == CCFC_ID_NONE ||
	    index->session_sources.items[id].gen != line->place.gen)
		return CCFC_TIME_NONE;
	return index->session_sources.items[id].time;
}

/* --- titles --- */

static void merge_summary(const struct ccfc_incoming *line)
{
	struct ccfc_index *index = line->index;
	struct ccfc_slice title = line->record->title;
	uint64_t leaf = ccfc_hash_slice(line->record->leaf);
	uint32_t id = ccfc_index_find_summary(index, leaf);
	struct ccfc_summary *s;

	if (!title.len || !line->record->leaf.len)
		return;
	if (id == CCFC_ID_NONE)
		id = ccfc_index_add_summary(index,
					    &(struct ccfc_summary){ leaf, 0 });
	s = &index->summaries.items[id];
	if (ccfc_slice_cmp(title, ccfc_index_str(index, s->text)) <= 0)
		return;
	s->text = ccfc_strtab_put(&index->strings, title);
	ccfc_ids_push(&index->summaries.dirty, id);
	for (uint32_t i = first_leaf(index, leaf); i != CCFC_ID_NONE;
	     i = index->leaves.items[i].next)
		set_summary(index, &index->leaves.items[i], s->text);
}

void ccfc_index_merge_naming(const struct ccfc_incoming *line)
{
	const struct ccfc_record *r = line->record;
	struct ccfc_session_source *part;
	uint32_t text, id;

	if (r->naming == CCFC_NAMING_SUMMARY) {
		merge_summary(line);
		return;
	}
	if (!line->session)
		return;
	part = open_part(line, &id);
	text = ccfc_strtab_put(&line->index->strings, r->title);
	if (r->naming == CCFC_NAMING_CUSTOM)
		part->custom = text;
	else
		part->ai = text;
}
