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

static uint32_t agent_no(struct ccfc_talk *talk, struct ccfc_slice id)
{
	uint64_t hash = ccfc_hash_slice(id);
	uint32_t i = 0;

	while (i < talk->agents.n && talk->agents.items[i].hash != hash)
		i++;
	if (i < talk->agents.n)
		return i;
	CCFC_VEC_GROW(talk->agents);
	talk->agents.items[talk->agents.n++] = (struct ccfc_talk_agent){
		.id = id, .hash = hash, .line = CCFC_TALK_NONE
	};
	return i;
}

static void copy_sources(struct ccfc_talk *talk,
			 const struct ccfc_talk_source *sources, uint32_t n)
{
	struct ccfc_arena *arena = &talk->arena;

	if (n > CCFC_TALK_SOURCES) {
		n = CCFC_TALK_SOURCES;
		talk->truncated = true;
	}
	talk->nsources = n;
	talk->sources = ccfc_arena_alloc(arena, (n + 1) * sizeof(*sources));
	talk->agent_of = ccfc_arena_alloc(arena, (n + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_talk_source *s = &talk->sources[i];

		*s = sources[i];
		s->path = ccfc_arena_copy(arena, ccfc_slice_str(s->path)).ptr;
		s->agent = ccfc_arena_copy(
			arena,
			s->agent.len ? s->agent : CCFC_SLICE_LIT("agent"));
		talk->agent_of[i] =
			s->is_agent ? agent_no(talk, s->agent) : CCFC_TALK_NONE;
	}
}

bool ccfc_talk_fits(const struct ccfc_talk *talk, struct ccfc_slice session,
		    const struct ccfc_talk_source *sources, uint32_t n)
{
	if (!ccfc_slice_eq(talk->session, session) || talk->nsources != n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct ccfc_talk_source *s = &talk->sources[i];

		if (s->end != sources[i].end || s->gen != sources[i].gen ||
		    strcmp(s->path, sources[i].path) != 0)
			return false;
	}
	return true;
}

size_t ccfc_talk_size(const struct ccfc_talk *talk)
{
	return talk->lines.cap * sizeof(*talk->lines.items) +
	       talk->lines.n * sizeof(*talk->order) +
	       talk->launches.cap * sizeof(*talk->launches.items) +
	       talk->agents.cap * sizeof(*talk->agents.items) +
	       talk->roots.cap * sizeof(*talk->roots.items) +
	       talk->errors.cap * sizeof(*talk->errors.items) +
	       talk->nsources * (sizeof(*talk->sources) + 256);
}

/* --- copies and order --- */

/* Which lines are one: by uuid, and within a thread by that, too. */
struct key {
	uint64_t uuid;
	uint32_t thread;
};

static bool same_uuid(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_talk *talk = ctx;

	return talk->lines.items[id].uuid == ((const struct key *)key)->uuid;
}

static bool same_thread(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_talk *talk = ctx;
	const struct key *k = key;

	return talk->lines.items[id].uuid == k->uuid &&
	       ccfc_talk_agent_of(talk, id) == k->thread;
}

/*
 * Nearly all uuids are there once. For those that are not, a second table has
 * which threads they were seen in besides that of the first line.
 */
void ccfc_talk_mark_copies(struct ccfc_talk *talk)
{
	struct ccfc_map all, more;

	ccfc_map_init(&all);
	ccfc_map_init(&more);
	for (uint32_t i = 0; i < talk->lines.n; i++) {
		struct ccfc_talk_line *l = &talk->lines.items[i];
		struct key key = { l->uuid, ccfc_talk_agent_of(talk, i) };
		uint32_t first;

		if (!l->uuid)
			continue;
		first = ccfc_map_get(&all, l->uuid, same_uuid, talk, &key);
		if (first == CCFC_ID_NONE) {
			ccfc_map_put(&all, l->uuid, i);
			continue;
		}
		l->again = 1;
		l->copy = same_thread(talk, first, &key) ||
			  ccfc_map_get(&more, l->uuid, same_thread, talk,
				       &key) != CCFC_ID_NONE;
		if (!l->copy)
			ccfc_map_put(&more, l->uuid, i);
	}
	ccfc_map_release(&all);
	ccfc_map_release(&more);
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct ccfc_talk_line *lines = ctx;
	const struct ccfc_talk_line *x = &lines[*(const uint32_t *)a];
	const struct ccfc_talk_line *y = &lines[*(const uint32_t *)b];

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

void ccfc_talk_sort(struct ccfc_talk *talk)
{
	uint32_t n = talk->lines.n;
	bool sorted = true;

	talk->order = ccfc_malloc((n + 1u) * sizeof(*talk->order));
	for (uint32_t i = 0; i < n; i++) {
		talk->order[i] = i;
		sorted &= !i || talk->lines.items[i - 1].time <=
					talk->lines.items[i].time;
	}
	if (!sorted)
		qsort_r(talk->order, n, sizeof(*talk->order), by_time,
			talk->lines.items);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

bool ccfc_talk_failed(const struct ccfc_talk *talk, uint64_t call)
{
	return talk->errors.n &&
	       bsearch(&call, talk->errors.items, talk->errors.n, sizeof(call),
		       by_value);
}

/* --- life --- */

/* What follows from the lines. */
static void finish(struct ccfc_talk *talk, struct ccfc_talk_reader *reader)
{
	if (talk->errors.n)
		qsort(talk->errors.items, talk->errors.n,
		      sizeof(*talk->errors.items), by_value);
	for (uint32_t i = 0; i < talk->lines.n; i++)
		if (talk->lines.items[i].sidechain) {
			talk->sidechain =
				agent_no(talk, CCFC_SLICE_LIT("sidechain"));
			break;
		}
	ccfc_talk_mark_copies(talk);
	ccfc_talk_sort(talk);
	for (uint32_t i = 0; i < talk->lines.n; i++) {
		const struct ccfc_talk_line *l = &talk->lines.items[i];
		uint32_t agent = ccfc_talk_agent_of(talk, i);

		talk->compactions += l->boundary && !l->again;
		if (agent != CCFC_TALK_NONE && !l->copy &&
		    (l->kind == CCFC_TALK_USER ||
		     l->kind == CCFC_TALK_ASSISTANT))
			talk->agents.items[agent].messages++;
	}
	if (talk->agents.n > AGENTS)
		talk->truncated = true;
	else
		ccfc_talk_join(talk, reader);
}

int ccfc_talk_read(struct ccfc_talk **out, struct ccfc_talk_reader *reader,
		   struct ccfc_slice session,
		   const struct ccfc_talk_source *sources, uint32_t n,
		   struct ccfc_slice find, struct ccfc_err *err)
{
	struct ccfc_talk *talk = ccfc_calloc(1, sizeof(*talk));
	int r;

	ccfc_strtab_init(&talk->names);
	ccfc_strtab_put(&talk->names, CCFC_SLICE_LIT(""));
	talk->session = ccfc_arena_copy(&talk->arena, session);
	talk->sidechain = CCFC_TALK_NONE;
	copy_sources(talk, sources, n);
	r = ccfc_talk_scan(talk, reader, find, err);
	if (r) {
		ccfc_talk_free(talk);
		return r;
	}
	finish(talk, reader);
	reader->bytes += talk->bytes;
	*out = talk;
	return 0;
}

void ccfc_talk_free(struct ccfc_talk *talk)
{
	if (!talk)
		return;
	free(talk->lines.items);
	free(talk->order);
	free(talk->launches.items);
	free(talk->agents.items);
	free(talk->roots.items);
	free(talk->errors.items);
	free(talk->types.items);
	free(talk->found.items);
	ccfc_strtab_release(&talk->names);
	ccfc_arena_release(&talk->arena);
	free(talk);
}
