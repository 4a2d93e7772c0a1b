/*
 * The life of a skeleton: made from its sources, sorted, kept or freed. Lines
 * are numbered in reading order, source by source; `order` is by time.
 */
#include "conversation/conversation_internal.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

#define AGENTS 4096u /* joined with their calls, at most */

/* --- sources --- */

static uint32_t agent_no(struct ccfc_conversation *conv, struct ccfc_slice id)
{
	uint64_t hash = ccfc_hash_slice(id);
	uint32_t i = 0;

	while (i < conv->agents.n && conv->agents.items[i].hash != hash)
		i++;
	if (i < conv->agents.n)
		return i;
	CCFC_VEC_GROW(conv->agents);
	conv->agents.items[conv->agents.n++] = (struct ccfc_conversation_agent){
		.id = id, .hash = hash, .line = CCFC_CONVERSATION_NONE
	};
	return i;
}

static void copy_sources(struct ccfc_conversation *conv,
			 const struct ccfc_conversation_source *sources,
			 uint32_t n)
{
	struct ccfc_arena *arena = &conv->arena;

	if (n > CCFC_CONVERSATION_SOURCES) {
		n = CCFC_CONVERSATION_SOURCES;
		conv->truncated = true;
	}
	conv->nsources = conv->nthreads = n;
	conv->sources = ccfc_arena_alloc(arena, (n + 1) * sizeof(*sources));
	conv->agent_of = ccfc_arena_alloc(arena, (n + 1) * sizeof(uint32_t));
	conv->threads_cap = n + 1;
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_conversation_source *s = &conv->sources[i];

		*s = sources[i];
		s->path = ccfc_arena_copy(arena, ccfc_slice_str(s->path)).ptr;
		s->agent = ccfc_arena_copy(
			arena,
			s->agent.len ? s->agent : CCFC_SLICE_LIT("agent"));
		conv->agent_of[i] = s->is_agent ? agent_no(conv, s->agent)
						: CCFC_CONVERSATION_NONE;
	}
}

static void grow_threads(struct ccfc_conversation *conv)
{
	struct ccfc_conversation_source *sources = conv->sources;
	uint32_t *agent_of = conv->agent_of;
	uint32_t n = conv->nthreads;

	if (n < conv->threads_cap)
		return;
	conv->threads_cap = 2 * n;
	conv->sources = ccfc_arena_alloc(&conv->arena,
					 2 * (size_t)n * sizeof(*sources));
	conv->agent_of = ccfc_arena_alloc(&conv->arena,
					  2 * (size_t)n * sizeof(*agent_of));
	memcpy(conv->sources, sources, n * sizeof(*sources));
	memcpy(conv->agent_of, agent_of, n * sizeof(*agent_of));
}

uint32_t ccfc_conversation_progress_agent(struct ccfc_conversation *conv,
					  uint32_t source,
					  struct ccfc_slice agent)
{
	uint64_t hash = ccfc_hash_slice(agent);
	uint32_t i = conv->nthreads;

	while (i-- > conv->nsources)
		if (conv->sources[i].path == conv->sources[source].path &&
		    conv->agents.items[conv->agent_of[i]].hash == hash)
			return i;
	if (conv->nthreads >= CCFC_CONVERSATION_TOLD + conv->nsources ||
	    conv->nthreads >= CCFC_CONVERSATION_SOURCES) {
		conv->truncated = true;
		return CCFC_CONVERSATION_NONE;
	}
	grow_threads(conv);
	i = conv->nthreads++;
	conv->sources[i] = conv->sources[source];
	conv->sources[i].is_agent = true;
	conv->sources[i].agent = ccfc_arena_copy(&conv->arena, agent);
	conv->agent_of[i] = agent_no(conv, conv->sources[i].agent);
	return i;
}

bool ccfc_conversation_fits(const struct ccfc_conversation *conv,
			    struct ccfc_slice session,
			    const struct ccfc_conversation_source *sources,
			    uint32_t n)
{
	if (!ccfc_slice_eq(conv->session, session) || conv->nsources != n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct ccfc_conversation_source *s = &conv->sources[i];

		if (s->end != sources[i].end || s->gen != sources[i].gen ||
		    strcmp(s->path, sources[i].path) != 0)
			return false;
	}
	return true;
}

size_t ccfc_conversation_size(const struct ccfc_conversation *conv)
{
	return conv->lines.cap * sizeof(*conv->lines.items) +
	       conv->lines.n * sizeof(*conv->order) +
	       conv->launches.cap * sizeof(*conv->launches.items) +
	       conv->agents.cap * sizeof(*conv->agents.items) +
	       conv->roots.cap * sizeof(*conv->roots.items) +
	       conv->errors.cap * sizeof(*conv->errors.items) +
	       conv->nodes.n * sizeof(*conv->nodes.items) +
	       conv->nsources * (sizeof(*conv->sources) + 256);
}

/* --- copies and order --- */

/* Finds copies of lines, by uuid, and by uuid and thread. */
struct key {
	uint64_t uuid;
	uint32_t thread;
};

static bool same_uuid(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_conversation *conv = ctx;

	return conv->lines.items[id].uuid == ((const struct key *)key)->uuid;
}

static bool same_thread(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_conversation *conv = ctx;
	const struct key *k = key;

	return conv->lines.items[id].uuid == k->uuid &&
	       ccfc_conversation_agent_of(conv, id) == k->thread;
}

/* Where uuids occurred: their first line, and further threads. */
struct seen {
	struct ccfc_map all, more;
};

static void mark_copy(struct ccfc_conversation *conv, struct seen *seen,
		      uint32_t i)
{
	struct ccfc_conversation_line *l = &conv->lines.items[i];
	struct key key = { l->uuid, ccfc_conversation_agent_of(conv, i) };
	uint32_t first;

	if (!l->uuid)
		return;
	first = ccfc_map_get(&seen->all, l->uuid, same_uuid, conv, &key);
	if (first == CCFC_ID_NONE) {
		ccfc_map_put(&seen->all, l->uuid, i);
		return;
	}
	l->repeated = 1;
	l->copy = same_thread(conv, first, &key) ||
		  ccfc_map_get(&seen->more, l->uuid, same_thread, conv, &key) !=
			  CCFC_ID_NONE;
	if (!l->copy)
		ccfc_map_put(&seen->more, l->uuid, i);
}

/*
 * Nearly all uuids occur once. For the others, a second table has the further
 * threads in which they occur. A progress record of an agent is a copy if the
 * agent's own transcript has the record.
 */
void ccfc_conversation_mark_copies(struct ccfc_conversation *conv)
{
	struct seen seen;

	ccfc_map_init(&seen.all);
	ccfc_map_init(&seen.more);
	for (int relayed = 0; relayed < 2; relayed++)
		for (uint32_t i = 0; i < conv->lines.n; i++)
			if (ccfc_conversation_is_progress(
				    conv, &conv->lines.items[i]) == relayed)
				mark_copy(conv, &seen, i);
	ccfc_map_release(&seen.all);
	ccfc_map_release(&seen.more);
}

static int compare_line_times(const void *a, const void *b, void *ctx)
{
	const struct ccfc_conversation_line *lines = ctx;
	const struct ccfc_conversation_line *x = &lines[*(const uint32_t *)a];
	const struct ccfc_conversation_line *y = &lines[*(const uint32_t *)b];

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

void ccfc_conversation_sort(struct ccfc_conversation *conv)
{
	uint32_t n = conv->lines.n;
	bool sorted = true;

	conv->order = ccfc_malloc((n + 1u) * sizeof(*conv->order));
	for (uint32_t i = 0; i < n; i++) {
		conv->order[i] = i;
		sorted &= !i || conv->lines.items[i - 1].time <=
					conv->lines.items[i].time;
	}
	if (!sorted)
		qsort_r(conv->order, n, sizeof(*conv->order),
			compare_line_times, conv->lines.items);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

bool ccfc_conversation_failed(const struct ccfc_conversation *conv,
			      uint64_t call)
{
	return conv->errors.n &&
	       bsearch(&call, conv->errors.items, conv->errors.n, sizeof(call),
		       by_value);
}

/* --- life --- */

/* Sorts the lines, and sets what depends on all of them. */
static void sort_and_link(struct ccfc_conversation *conv,
			  struct ccfc_conversation_reader *reader)
{
	if (conv->errors.n)
		qsort(conv->errors.items, conv->errors.n,
		      sizeof(*conv->errors.items), by_value);
	for (uint32_t i = 0; i < conv->lines.n; i++)
		if (conv->lines.items[i].sidechain) {
			conv->sidechain =
				agent_no(conv, CCFC_SLICE_LIT("sidechain"));
			break;
		}
	ccfc_conversation_mark_copies(conv);
	ccfc_conversation_sort(conv);
	for (uint32_t i = 0; i < conv->lines.n; i++) {
		const struct ccfc_conversation_line *l = &conv->lines.items[i];
		uint32_t agent = ccfc_conversation_agent_of(conv, i);

		conv->compactions += l->boundary && !l->repeated;
		if (agent != CCFC_CONVERSATION_NONE && !l->copy &&
		    (l->kind == CCFC_CONVERSATION_USER ||
		     l->kind == CCFC_CONVERSATION_ASSISTANT))
			conv->agents.items[agent].messages++;
	}
	if (conv->agents.n > AGENTS)
		conv->truncated = true;
	else
		ccfc_conversation_join(conv, reader);
}

int ccfc_conversation_read(struct ccfc_conversation **out,
			   struct ccfc_conversation_reader *reader,
			   struct ccfc_slice session,
			   const struct ccfc_conversation_source *sources,
			   uint32_t n, struct ccfc_slice find,
			   struct ccfc_err *err)
{
	struct ccfc_conversation *conv = ccfc_calloc(1, sizeof(*conv));
	int r;

	ccfc_strtab_init(&conv->names);
	ccfc_strtab_put(&conv->names, CCFC_SLICE_LIT(""));
	conv->session = ccfc_arena_copy(&conv->arena, session);
	conv->sidechain = CCFC_CONVERSATION_NONE;
	copy_sources(conv, sources, n);
	r = ccfc_conversation_scan(conv, reader, find, err);
	if (r) {
		ccfc_conversation_free(conv);
		return r;
	}
	sort_and_link(conv, reader);
	reader->bytes += conv->bytes;
	*out = conv;
	return 0;
}

bool ccfc_conversation_look_up(struct ccfc_conversation *conv,
			       struct ccfc_slice uuid)
{
	uint64_t hash = ccfc_hash_slice(uuid);

	conv->found.n = 0;
	for (uint32_t i = 0;
	     i < conv->lines.n && conv->found.n < CCFC_CONVERSATION_FOUND; i++)
		if (conv->lines.items[i].uuid == hash)
			CCFC_VEC_PUSH(conv->found, i);
	return conv->found.n > 0;
}

void ccfc_conversation_free(struct ccfc_conversation *conv)
{
	if (!conv)
		return;
	free(conv->lines.items);
	free(conv->order);
	free(conv->launches.items);
	free(conv->agents.items);
	free(conv->roots.items);
	free(conv->errors.items);
	free(conv->types.items);
	free(conv->found.items);
	free(conv->nodes.items);
	ccfc_strtab_release(&conv->names);
	ccfc_arena_release(&conv->arena);
	free(conv);
}
