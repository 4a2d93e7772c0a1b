/*
 * Messages of the model, each once, however often it was copied. A message is
 * known by its message.id. It is written as several lines, which all repeat the
 * usage: the usage with the most output tokens counts, in whichever transcript.
 * The first row keeps it, and also the greatest recorded cost, which copies
 * leave out. Each transcript and session that shows the message has one row; a
 * transcript that is read again replaces its own row.
 *
 * The first row is the owner's. Of two rows the owner's is, by the first of
 * these rules that decides:
 *
 * - the row of a transcript itself, not of what an agent's parent repeats;
 * - the earlier row;
 * - the row of the session itself, not of its agents;
 * - by the rule for changes (owner.c);
 * - by the transcript's path.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "index/index_internal.h"

/*
 * At most so many rows of one message are kept: the first ones in their order.
 */
#define VIEWS_MAX 256u

/* Ids that were made up sort after those that are a message.id. */
#define MADE_UP ((uint64_t)1 << 63)

/* --- rows --- */

CCFC_TABLE_FIND(find_message, messages, struct ccfc_model_message, uint64_t,
		r->id == *k)

uint32_t ccfc_index_find_message(const struct ccfc_index *index, uint64_t id)
{
	return find_message(index, id, &id);
}

uint32_t ccfc_index_add_message(struct ccfc_index *index, uint64_t id,
				uint32_t first)
{
	uint32_t row = index->messages.n;
	struct ccfc_model_message say = { .id = id,
					  .time = CCFC_TIME_NONE,
					  .session_source = CCFC_ID_NONE,
					  .copy = first != CCFC_ID_NONE,
					  .next = CCFC_ID_NONE };

	if (first == CCFC_ID_NONE) {
		ccfc_map_put(&index->messages.map, id, row);
	} else {
		if (index->messages.items[first].next == CCFC_ID_NONE)
			ccfc_ids_push(&index->shared, first);
		say.next = index->messages.items[first].next;
		index->messages.items[first].next = row;
	}
	CCFC_VEC_PUSH(index->messages, say);
	return row;
}

static void mark_say(struct ccfc_index *index, uint32_t say)
{
	if (!index->messages.items[say].dirty)
		ccfc_ids_push(&index->messages.dirty, say);
	index->messages.items[say].dirty = true;
}

void ccfc_index_touch_message(struct ccfc_index *index, uint32_t say)
{
	if (index->messages.items[say].touched)
		return;
	index->messages.items[say].touched = true;
	ccfc_ids_push(&index->touched_messages, say);
}

/* --- ownership --- */

static int64_t message_time(const struct ccfc_model_message *say)
{
	return say->time == CCFC_TIME_NONE ? INT64_MAX : say->time;
}

static const struct ccfc_session_source *
session_source_of(const struct ccfc_index *index,
		  const struct ccfc_model_message *say)
{
	return &index->session_sources.items[say->session_source];
}

static bool is_told(const struct ccfc_index *index,
		    const struct ccfc_model_message *say)
{
	return session_source_of(index, say)->relayed_agent;
}

static int compare_paths(const struct ccfc_index *index, uint32_t a, uint32_t b)
{
	const struct ccfc_source *sources = index->sources.items;

	return ccfc_slice_cmp(ccfc_index_str(index, sources[a].path),
			      ccfc_index_str(index, sources[b].path));
}

/* A total order over the rows' own fields. */
static int compare_rows(const struct ccfc_index *index,
			const struct ccfc_model_message *a,
			const struct ccfc_model_message *b)
{
	const struct ccfc_session_source *p = session_source_of(index, a),
					 *q = session_source_of(index, b);
	int r = is_told(index, a) - is_told(index, b);

	if (r)
		return r;
	if (message_time(a) != message_time(b))
		return message_time(a) < message_time(b) ? -1 : 1;
	if (p->session != q->session)
		return ccfc_slice_cmp(ccfc_index_session_id(index, p->session),
				      ccfc_index_session_id(index, q->session));
	r = a->agent - b->agent;
	if (!r)
		r = compare_paths(index, p->source, q->source);
	return r ? r
		 : ccfc_slice_cmp(ccfc_index_str(index, p->relayed_agent),
				  ccfc_index_str(index, q->relayed_agent));
}

/* <0: a owns the message rather than b. */
static int compare_owners(struct ccfc_index *index,
			  const struct ccfc_model_message *a,
			  const struct ccfc_model_message *b)
{
	uint32_t mine = session_source_of(index, a)->session;
	uint32_t theirs = session_source_of(index, b)->session;

	if (is_told(index, a) != is_told(index, b) ||
	    message_time(a) != message_time(b) || mine == theirs)
		return compare_rows(index, a, b);
	return ccfc_index_compare_tied(index, mine, theirs);
}

/* The number of rows that come after `a`. */
static uint32_t count_message_wins(struct ccfc_index *index, uint32_t first,
				   uint32_t a, uint32_t *others)
{
	const struct ccfc_model_message *items = index->messages.items;
	uint32_t n = 0;

	*others = 0;
	for (uint32_t b = first; b != CCFC_ID_NONE; b = items[b].next) {
		if (b == a)
			continue;
		*others += 1;
		n += compare_owners(index, &items[a], &items[b]) < 0;
	}
	return n;
}

/*
 * The rule need not be transitive. Then the row with the most rows after it
 * wins.
 */
static uint32_t most_wins(struct ccfc_index *index, uint32_t first)
{
	const struct ccfc_model_message *items = index->messages.items;
	uint32_t best = first, most = 0, others;

	for (uint32_t a = first; a != CCFC_ID_NONE; a = items[a].next) {
		uint32_t n = count_message_wins(index, first, a, &others);

		if (n > most || (n == most && compare_rows(index, &items[a],
							   &items[best]) < 0)) {
			most = n;
			best = a;
		}
	}
	return best;
}

static uint32_t find_owner(struct ccfc_index *index, uint32_t first)
{
	const struct ccfc_model_message *items = index->messages.items;
	uint32_t best = first, others;

	for (uint32_t a = items[first].next; a != CCFC_ID_NONE;
	     a = items[a].next)
		if (compare_owners(index, &items[a], &items[best]) < 0)
			best = a;
	if (count_message_wins(index, first, best, &others) < others)
		best = most_wins(index, first);
	return best;
}

static void keep_usage(struct ccfc_model_message *to,
		       const struct ccfc_model_message *from)
{
	to->input = from->input;
	to->output = from->output;
	to->cache_write = from->cache_write;
	to->cache_read = from->cache_read;
	to->cost = from->cost;
}

/* Swaps the facts of two rows; chain, marks and usage stay with the rows. */
static void swap_rows(struct ccfc_index *index, uint32_t a, uint32_t b)
{
	struct ccfc_model_message *x = &index->messages.items[a],
				  *y = &index->messages.items[b];
	struct ccfc_model_message old = *x;

	*x = *y;
	keep_usage(x, &old);
	x->next = old.next;
	x->copy = old.copy;
	x->dirty = old.dirty;
	x->touched = old.touched;
	keep_usage(&old, y);
	old.next = y->next;
	old.copy = y->copy;
	old.dirty = y->dirty;
	old.touched = y->touched;
	*y = old;
	mark_say(index, a);
	mark_say(index, b);
}

void ccfc_index_settle_messages(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->touched_messages.n; i++) {
		uint32_t first = index->touched_messages.items[i];
		uint32_t best = find_owner(index, first);

		if (best != first)
			swap_rows(index, first, best);
		index->messages.items[first].touched = false;
	}
	index->touched_messages.n = 0;
}

void ccfc_index_touch_turned_messages(struct ccfc_index *index)
{
	const struct ccfc_model_message *items = index->messages.items;

	for (uint32_t i = 0; i < index->shared.n; i++) {
		uint32_t first = index->shared.items[i];

		for (uint32_t a = first; a != CCFC_ID_NONE; a = items[a].next)
			if (index->sessions
				    .items[session_source_of(index, &items[a])
						   ->session]
				    .turned)
				ccfc_index_touch_message(index, first);
	}
}

/* --- merging --- */

/* Old records have no message.id, and some have no uuid either. */
uint64_t ccfc_index_message_id(const struct ccfc_record *r)
{
	uint64_t made[3] = { (uint64_t)r->time, 0, r->ncalls };

	if (r->message_id.len) {
		made[0] = ccfc_hash_slice(r->message_id);
		made[1] = ccfc_hash_slice(r->apart);
		return (r->apart.len ? ccfc_hash(made, 2 * sizeof(*made))
				     : made[0]) &
		       ~MADE_UP;
	}
	if (r->uuid.len)
		return ccfc_hash_slice(r->uuid) | MADE_UP;
	if (r->ncalls)
		made[1] = ccfc_hash_slice(r->calls[0].id);
	return ccfc_hash(made, sizeof(made)) | MADE_UP;
}

/*
 * The last of a message's rows, if `fresh` comes before it and replaces it;
 * else ID_NONE.
 */
static uint32_t row_to_replace(const struct ccfc_index *index, uint32_t first,
			       const struct ccfc_model_message *fresh)
{
	const struct ccfc_model_message *items = index->messages.items;
	uint32_t last = first;

	for (uint32_t a = items[first].next; a != CCFC_ID_NONE;
	     a = items[a].next)
		if (compare_rows(index, &items[a], &items[last]) > 0)
			last = a;
	return compare_rows(index, fresh, &items[last]) < 0 ? last
							    : CCFC_ID_NONE;
}

/* The row of this transcript and session, added if it is new. */
static uint32_t find_row(const struct ccfc_incoming *line, uint32_t first)
{
	struct ccfc_index *index = line->index;
	const struct ccfc_model_message *items = index->messages.items;
	const struct ccfc_model_message fresh = { .time = line->record->time,
						  .session_source =
							  line->session_source,
						  .agent = line->aside };
	uint32_t n = 0;

	for (uint32_t a = first; a != CCFC_ID_NONE; a = items[a].next, n++)
		if (items[a].session_source == line->session_source)
			return a;
	if (n >= VIEWS_MAX)
		return row_to_replace(index, first, &fresh);
	return ccfc_index_add_message(index, items[first].id, first);
}

static uint32_t saturate_tokens(uint64_t tokens)
{
	return tokens < UINT32_MAX ? (uint32_t)tokens : UINT32_MAX;
}

/*
 * Is `a` more complete than `b`? Decided by the output, then in a fixed order.
 */
static bool has_more_usage(const struct ccfc_model_message *a,
			   const struct ccfc_model_message *b)
{
	if (a->output != b->output)
		return a->output > b->output;
	if (a->input != b->input)
		return a->input > b->input;
	if (a->cache_write != b->cache_write)
		return a->cache_write > b->cache_write;
	return a->cache_read > b->cache_read;
}

void ccfc_index_adopt_usage(struct ccfc_index *index, uint32_t first,
			    const struct ccfc_model_message *row)
{
	struct ccfc_model_message *to = &index->messages.items[first];
	uint32_t cost = row->cost > to->cost ? row->cost : to->cost;

	if (has_more_usage(row, to))
		keep_usage(to, row);
	else if (cost == to->cost)
		return;
	/*
	 * Copies have no cost; the greatest cost is the original's final one.
	 */
	to->cost = cost;
	mark_say(index, first);
}

/* Merges the usage in a line into the first row of its message. */
static void merge_usage(struct ccfc_index *index, uint32_t first,
			const struct ccfc_record *r)
{
	const struct ccfc_model_message fresh = {
		.input = saturate_tokens(r->usage.input),
		.output = saturate_tokens(r->usage.output),
		.cache_write = saturate_tokens(r->usage.cache_write),
		.cache_read = saturate_tokens(r->usage.cache_read),
		.cost = r->cost,
	};

	ccfc_index_adopt_usage(index, first, &fresh);
}

static void add_message_line(const struct ccfc_incoming *line,
			     struct ccfc_model_message *say)
{
	const struct ccfc_record *r = line->record;
	uint16_t gen = (uint16_t)line->place.gen;

	/* The first line of the transcript, or of a new reading of it. */
	if (say->session_source != line->session_source || say->gen != gen) {
		say->session_source = line->session_source;
		say->gen = gen;
		say->time = r->time;
		say->agent = line->aside;
		say->model = 0;
		say->lines = say->answers = 0;
	}
	if (line->aside && say->lines < UINT16_MAX)
		say->lines++;
	if (r->time != CCFC_TIME_NONE && r->time < message_time(say))
		say->time = r->time;
	if (!line->aside)
		say->agent = false;
	if (r->model.len)
		say->model = ccfc_strtab_put(&line->index->strings, r->model);
}

uint32_t ccfc_index_merge_message(const struct ccfc_incoming *line)
{
	struct ccfc_index *index = line->index;
	uint32_t first, row;
	uint64_t id;

	if (line->record->kind != CCFC_RECORD_ASSISTANT ||
	    line->session_source == CCFC_ID_NONE)
		return CCFC_ID_NONE;
	id = ccfc_index_message_id(line->record);
	first = ccfc_index_find_message(index, id);
	if (first == CCFC_ID_NONE)
		first = row = ccfc_index_add_message(index, id, CCFC_ID_NONE);
	else
		row = find_row(line, first);
	if (line->record->has_usage || line->record->cost)
		merge_usage(index, first, line->record);
	if (row == CCFC_ID_NONE)
		return first;
	add_message_line(line, &index->messages.items[row]);
	mark_say(index, row);
	if (index->messages.items[first].next != CCFC_ID_NONE)
		ccfc_index_touch_message(index, first);
	return first;
}

/* The row of the last message in the line's transcript, or CCFC_ID_NONE. */
static uint32_t find_last(const struct ccfc_incoming *line)
{
	struct ccfc_index *index = line->index;
	const struct ccfc_source *source =
		&index->sources.items[line->place.source];
	int thread = line->record->sidechain && !source->is_agent;
	uint32_t a = ccfc_index_find_message(index, source->message[thread]);

	while (a != CCFC_ID_NONE &&
	       (index->messages.items[a].session_source !=
			line->session_source ||
		index->messages.items[a].gen != (uint16_t)line->place.gen))
		a = index->messages.items[a].next;
	return a;
}

void ccfc_index_merge_answer(const struct ccfc_incoming *line)
{
	uint32_t row;

	/* An agent's record in its parent's transcript counts no answers. */
	if (line->record->relayed)
		return;
	row = find_last(line);
	if (row == CCFC_ID_NONE ||
	    line->index->messages.items[row].answers == UINT16_MAX)
		return;
	line->index->messages.items[row].answers++;
	mark_say(line->index, row);
}
