/*
 * A skeleton's life: made of its sources, put in order, kept or not. Lines
 * are numbered as they were read, source by source; `order` is by time.
 */
#include "conversation/conversation_internal.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

#define AGENTS 4096u /* that are joined with their calls */

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
	conv->nsources = n;
	conv->sources = ccfc_arena_alloc(arena, (n + 1) * sizeof(*sources));
	conv->agent_of = ccfc_arena_alloc(arena, (n + 1) * sizeof(uint32_t));
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
	       conv->nsources * (sizeof(*conv->sources) + 256);
}

/* --- copies and order --- */

/* Which lines are one: by uuid, and within a thread by that, too. */
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

/*
 * Nearly all uuids are there once. For those that are not, a second table has
 * which threads they were seen in besides that of the first line.
 */
void ccfc_conversation_mark_copies(struct ccfc_conversation *conv)
{
	struct ccfc_map all, more;

	ccfc_map_init(&all);
	ccfc_map_init(&more);
	for (uint32_t i = 0; i < conv->lines.n; i++) {
		struct ccfc_conversation_line *l = &conv->lines.items[i];
		struct key key = { l->uuid,
				   ccfc_conversation_agent_of(conv, i) };
		uint32_t first;

		if (!l->uuid)
			continue;
		first = ccfc_map_get(&all, l->uuid, same_uuid, conv, &key);
		if (first == CCFC_ID_NONE) {
			ccfc_map_put(&all, l->uuid, i);
			continue;
		}
		l->again = 1;
		l->copy = same_thread(conv, first, &key) ||
			  ccfc_map_get(&more, l->uuid, same_thread, conv,
				       &key) != CCFC_ID_NONE;
		if (!l->copy)
			ccfc_map_put(&more, l->uuid, i);
	}
	ccfc_map_release(&all);
	ccfc_map_release(&more);
}

static int by_time_conversation(const void *a, const void *b, void *ctx)
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
			by_time_conversation, conv->lines.items);
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

/* What follows from the lines. */
static void finish_conversation(struct ccfc_conversation *conv,
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

		conv->compactions += l->boundary && !l->again;
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
	finish_conversation(conv, reader);
	reader->bytes += conv->bytes;
	*out = conv;
	return 0;
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
	ccfc_strtab_release(&conv->names);
	ccfc_arena_release(&conv->arena);
	free(conv);
}
