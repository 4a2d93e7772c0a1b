/*
 * Excerpts; see excerpt.h. Two passes over the changes that are wanted: one
 * marks their sessions and transcripts, which are then numbered in the order
 * that they have at home; the other copies the changes with these numbers.
 */
#include "index/excerpt/excerpt_impl.h"

#include "base/alloc.h"
#include "index/index_internal.h"

#include <stdlib.h>

/* How many files in a row are followed that were moved or copied. */
#define MOVED_DEPTH 3u

void ccfc_excerpt_init(struct ccfc_excerpting *e, const struct ccfc_index *from,
		       uint32_t more)
{
	*e = (struct ccfc_excerpting){ .from = from, .more = more };
}

static void put_row(struct ccfc_excerpting *e, uint32_t change)
{
	uint32_t command = e->from->changes.items[change].command;

	ccfc_ids_push(&e->changes, change);
	if (command != CCFC_ID_NONE)
		ccfc_ids_push(&e->changes, command);
}

/* A shell change comes with its command and its rivals. */
static void put_change(struct ccfc_excerpting *e, uint32_t change)
{
	const struct ccfc_change *c = &e->from->changes.items[change];
	struct ccfc_ids rivals = { 0 };

	put_row(e, change);
	if (!c->shell || ccfc_query_proof(e->from, c) != CCFC_PROOF_AMBIGUOUS)
		return;
	ccfc_query_rivals(&rivals, e->from, c);
	for (uint32_t i = 0; i < rivals.n; i++)
		put_row(e, rivals.items[i]);
	free(rivals.items);
}

void ccfc_excerpt_add_changes(struct ccfc_excerpting *e,
			      const uint32_t *changes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct ccfc_change *c =
			&e->from->changes.items[changes[i]];

		put_change(e, changes[i]);
		/* Of a copy, its name. */
		if (c->other_file)
			ccfc_ids_push(&e->files, c->other_file);
		if (!e->files.n || e->files.items[e->files.n - 1] != c->file)
			ccfc_ids_push(&e->files, c->file);
	}
}

static void add_file(struct ccfc_excerpting *e, uint32_t file, uint32_t depth)
{
	const struct ccfc_ids *ids = &e->from->files.items[file];
	uint32_t others[CCFC_EXCERPT_MOVED], n;

	ccfc_ids_push(&e->files, file);
	for (uint32_t i = 0; i < ids->n; i++)
		put_change(e, ids->items[i]);
	n = depth < MOVED_DEPTH ? ccfc_excerpt_moved(others, e->from, file) : 0;
	for (uint32_t k = 0; k < n; k++)
		add_file(e, others[k], depth + 1);
}

void ccfc_excerpt_add_file(struct ccfc_excerpting *e, uint32_t file)
{
	add_file(e, file, 0);
}

uint32_t ccfc_excerpt_add_path(struct ccfc_excerpting *e,
			       struct ccfc_slice path)
{
	uint32_t file = ccfc_query_file(e->from, path), k = 0;

	if (file) {
		ccfc_excerpt_add_file(e, file);
		return file;
	}
	while (k < e->paths.n && !ccfc_slice_eq(e->paths.items[k], path))
		k++;
	if (k == e->paths.n)
		CCFC_VEC_PUSH(e->paths, path);
	ccfc_ids_push(&e->files, e->from->files.n + k);
	return e->from->files.n + k;
}

void ccfc_excerpt_add_session(struct ccfc_excerpting *e, uint32_t session)
{
	struct ccfc_ids commands = { 0 };

	ccfc_ids_push(&e->sessions, session);
	if (!(e->more & CCFC_EXCERPT_COMMANDS))
		return;
	ccfc_query_unknown_commands(&commands, e->from, session);
	for (uint32_t i = 0; i < commands.n && i < CCFC_COMMANDS_MAX; i++)
		ccfc_ids_push(&e->changes, commands.items[i]);
	free(commands.items);
}

/* --- numbers --- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* In order, each once. */
static void put_in_order(struct ccfc_ids *ids)
{
	uint32_t n = 0;
	bool sorted = true;

	for (uint32_t i = 1; sorted && i < ids->n; i++)
		sorted = ids->items[i - 1] <= ids->items[i];
	if (!sorted)
		qsort(ids->items, ids->n, sizeof(*ids->items), by_number);
	for (uint32_t i = 0; i < ids->n; i++)
		if (!n || ids->items[i] != ids->items[n - 1])
			ids->items[n++] = ids->items[i];
	ids->n = n;
}

static struct ccfc_homes keep_excerpt(const struct ccfc_ids *ids,
				      struct ccfc_arena *arena)
{
	uint32_t *items =
		ccfc_arena_alloc(arena, (ids->n + 1u) * sizeof(*items));

	if (ids->n)
		memcpy(items, ids->items, ids->n * sizeof(*items));
	return (struct ccfc_homes){ items, ids->n };
}

uint32_t ccfc_homes_find(const struct ccfc_homes *homes, uint32_t home)
{
	uint32_t lo = 0, hi = homes->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (homes->items[mid] < home)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < homes->n && homes->items[lo] == home ? lo : CCFC_ID_NONE;
}

static void mark(struct ccfc_excerpt_marks *m, uint32_t home)
{
	if (home < m->n)
		m->own[home] = 1;
}

/* Numbers what is marked; gives the numbers at home. */
static struct ccfc_homes number_marked(struct ccfc_excerpt_marks *m,
				       struct ccfc_arena *arena)
{
	struct ccfc_ids ids = { 0 };
	struct ccfc_homes homes;

	for (uint32_t i = 0; i < m->n; i++) {
		if (!m->own[i])
			continue;
		ccfc_ids_push(&ids, i);
		m->own[i] = ids.n;
	}
	homes = keep_excerpt(&ids, arena);
	free(ids.items);
	return homes;
}

uint32_t ccfc_excerpt_source(const struct ccfc_excerpt_copying *c,
			     uint32_t home)
{
	return home < c->sources.n ? c->sources.own[home] - 1 : CCFC_ID_NONE;
}

/* 0 where it is not wanted. */
static uint32_t session_of(const struct ccfc_excerpt_copying *c, uint32_t home)
{
	return c->sessions.own[home] ? c->sessions.own[home] - 1 : 0;
}

static uint32_t file_of(const struct ccfc_excerpt_copying *c, uint32_t home)
{
	uint32_t own = ccfc_homes_find(&c->ex->files, home);

	return own == CCFC_ID_NONE ? 0 : own;
}

uint32_t ccfc_excerpt_string(struct ccfc_excerpt_copying *c, uint32_t home)
{
	uint32_t at = home % CCFC_EXCERPT_RECENT;

	if (!home || c->recent[at].home == home)
		return home ? c->recent[at].own : 0;
	c->recent[at].home = home;
	c->recent[at].own =
		ccfc_strtab_put(&c->to->strings, ccfc_index_str(c->from, home));
	return c->recent[at].own;
}

/* --- what is wanted --- */

static void mark_change(struct ccfc_excerpt_copying *c,
			const struct ccfc_change *change)
{
	const struct ccfc_observation *obs = &change->call;

	mark(&c->sessions, change->session);
	if (change->result.known) {
		mark(&c->sessions, change->result.session);
		mark(&c->sources, change->result.place.source);
	}
	if (!obs->known)
		return;
	mark(&c->sessions, obs->session);
	mark(&c->sources, obs->place.source);
	for (; obs->next != CCFC_ID_NONE;) {
		obs = &c->from->obs.items[obs->next];
		mark(&c->sources, obs->place.source);
	}
}

/* The sessions that an agent's transcript names: who started it. */
static void mark_starters(struct ccfc_excerpt_copying *c)
{
	for (uint32_t i = 0; i < c->sources.n; i++) {
		const struct ccfc_source *s = &c->from->sources.items[i];

		if (!c->sources.own[i] || !s->is_agent)
			continue;
		mark(&c->sessions, s->session);
		mark(&c->sessions, s->last_session);
	}
}

static void mark_session(struct ccfc_excerpt_copying *c,
			 const struct ccfc_session *s)
{
	uint32_t id = s->prompts;

	if (c->e->more & CCFC_EXCERPT_SOURCES)
		for (uint32_t i = 0; i < s->sources.n; i++)
			mark(&c->sources, s->sources.items[i]);
	if (!(c->e->more & CCFC_EXCERPT_PROMPTS))
		return;
	for (; id != CCFC_ID_NONE; id = c->from->prompts.items[id].next)
		mark(&c->sources, c->from->prompts.items[id].place.source);
}

static void mark_all(struct ccfc_excerpt_copying *c)
{
	const struct ccfc_excerpting *e = c->e;

	for (uint32_t i = 0; i < e->changes.n; i++)
		mark_change(c, &c->from->changes.items[e->changes.items[i]]);
	for (uint32_t i = 0; i < e->sessions.n; i++)
		mark(&c->sessions, e->sessions.items[i]);
	c->sessions.own[0] = 1;
	if (e->more & CCFC_EXCERPT_SOURCES)
		mark_starters(c);
	for (uint32_t i = 1; i < c->sessions.n; i++)
		if (c->sessions.own[i])
			mark_session(c, &c->from->sessions.items[i]);
}

/* --- rows --- */

static void copy_files(struct ccfc_excerpt_copying *c)
{
	const struct ccfc_homes *homes = &c->ex->files;
	uint32_t n = c->from->files.n;

	for (uint32_t i = 1; i < homes->n; i++) {
		uint32_t home = homes->items[i];

		ccfc_index_file(c->to,
				home < n ? ccfc_index_file_path(c->from, home)
					 : c->e->paths.items[home - n]);
	}
}

static void copy_strings(struct ccfc_ids *out, struct ccfc_excerpt_copying *c,
			 const struct ccfc_ids *ids)
{
	for (uint32_t i = 0; i < ids->n; i++)
		ccfc_ids_push(out, ccfc_excerpt_string(c, ids->items[i]));
}

/* Those that are part of the excerpt, for whatever reason. */
static void copy_commands(struct ccfc_ids *out, struct ccfc_excerpt_copying *c,
			  uint32_t session)
{
	struct ccfc_ids ids = { 0 };

	ccfc_query_unknown_commands(&ids, c->from, session);
	for (uint32_t i = 0; i < ids.n; i++) {
		uint32_t own = ccfc_homes_find(&c->ex->changes, ids.items[i]);

		if (own != CCFC_ID_NONE)
			ccfc_ids_push(out, own);
	}
	free(ids.items);
}

static void copy_session(struct ccfc_excerpt_copying *c, uint32_t home)
{
	const struct ccfc_session *s = &c->from->sessions.items[home];
	uint32_t own =
		ccfc_index_session(c->to, ccfc_index_session_id(c->from, home));
	struct ccfc_session *to = &c->to->sessions.items[own];

	to->start = s->start;
	to->end = s->end;
	to->seen = s->seen;
	to->unknown_commands = ccfc_query_unknown(c->from, home);
	if (c->e->more & CCFC_EXCERPT_COMMANDS)
		copy_commands(&to->commands, c, home);
	to->project = ccfc_excerpt_string(c, s->project);
	to->branch = ccfc_excerpt_string(c, s->branch);
	to->model = ccfc_excerpt_string(c, s->model);
	copy_strings(&to->branches, c, &s->branches);
	copy_strings(&to->models, c, &s->models);
	copy_strings(&to->pull_requests, c, &s->pull_requests);
	copy_strings(&to->roots, c, &s->roots);
	for (uint32_t i = 0; i < s->sources.n; i++)
		if (ccfc_excerpt_source(c, s->sources.items[i]) != CCFC_ID_NONE)
			ccfc_ids_push(
				&to->sources,
				ccfc_excerpt_source(c, s->sources.items[i]));
}

static void copy_source(struct ccfc_excerpt_copying *c, uint32_t home)
{
	const struct ccfc_source *s = &c->from->sources.items[home];

	CCFC_VEC_PUSH(c->to->sources,
		      ((struct ccfc_source){
			      .path = ccfc_excerpt_string(c, s->path),
			      .session = session_of(c, s->session),
			      .agent = ccfc_excerpt_string(c, s->agent),
			      .gen = s->gen,
			      .last_session = session_of(c, s->last_session),
			      .cursor = s->cursor,
			      .is_agent = s->is_agent,
			      .gone = s->gone,
		      }));
}

static void copy_uuid(struct ccfc_observation *obs,
		      struct ccfc_excerpt_copying *c)
{
	uint32_t text;

	if (!obs->uuid_is_text)
		return;
	memcpy(&text, obs->uuid.bytes, sizeof(text));
	text = ccfc_excerpt_string(c, text);
	memcpy(obs->uuid.bytes, &text, sizeof(text));
}

/* In place, but for `next`. */
static void renumber_observation(struct ccfc_observation *obs,
				 struct ccfc_excerpt_copying *c)
{
	obs->place.source = ccfc_excerpt_source(c, obs->place.source);
	obs->session = session_of(c, obs->session);
	obs->agent = ccfc_excerpt_string(c, obs->agent);
	obs->model = ccfc_excerpt_string(c, obs->model);
	obs->version = ccfc_excerpt_string(c, obs->version);
	obs->tool = ccfc_excerpt_string(c, obs->tool);
	obs->file = file_of(c, obs->file);
	copy_uuid(obs, c);
}

/* The further observations of a change; gives the first. */
static uint32_t copy_obs(struct ccfc_excerpt_copying *c, uint32_t next)
{
	uint32_t first = next == CCFC_ID_NONE ? next : c->to->obs.n;

	while (next != CCFC_ID_NONE) {
		struct ccfc_observation obs = c->from->obs.items[next];

		next = obs.next;
		renumber_observation(&obs, c);
		obs.next = next == CCFC_ID_NONE ? next : c->to->obs.n + 1;
		CCFC_VEC_PUSH(c->to->obs, obs);
	}
	return first;
}

static void copy_rivals(struct ccfc_excerpt_copying *c, uint32_t home)
{
	struct ccfc_rival pair = { .change = c->to->changes.n };
	struct ccfc_ids rivals = { 0 };

	if (ccfc_query_proof(c->from, &c->from->changes.items[home]) ==
	    CCFC_PROOF_AMBIGUOUS)
		ccfc_query_rivals(&rivals, c->from,
				  &c->from->changes.items[home]);
	for (uint32_t i = 0; i < rivals.n; i++) {
		pair.rival = ccfc_homes_find(&c->ex->changes, rivals.items[i]);
		if (pair.rival != CCFC_ID_NONE)
			CCFC_VEC_PUSH(c->to->rivals, pair);
	}
	free(rivals.items);
}

/*
 * Evidence depends on changes that may not be in the excerpt: it is computed in
 * the whole index.
 */
static void copy_shell(struct ccfc_change *to, struct ccfc_excerpt_copying *c,
		       uint32_t home)
{
	to->text = ccfc_excerpt_string(c, to->text);
	to->other_file = file_of(c, to->other_file);
	to->next_file = CCFC_ID_NONE;
	if (to->command == CCFC_ID_NONE)
		return;
	to->command = ccfc_homes_find(&c->ex->changes, to->command);
	copy_rivals(c, home);
	to->judged =
		(uint8_t)(1 + ccfc_query_proof(c->from,
					       &c->from->changes.items[home]));
	to->alone = !to->result.detail &&
		    ccfc_query_is_alone(c->from, &c->from->changes.items[home]);
}

static void copy_change(struct ccfc_excerpt_copying *c, uint32_t home)
{
	struct ccfc_change to = c->from->changes.items[home];

	to.id = ccfc_arena_copy(&c->to->ids, ccfc_slice(to.id, to.id_len)).ptr;
	if (to.call.known) {
		to.call.next = copy_obs(c, to.call.next);
		renumber_observation(&to.call, c);
	}
	if (to.result.known) {
		to.result.place.source =
			ccfc_excerpt_source(c, to.result.place.source);
		to.result.session = session_of(c, to.result.session);
		to.result.agent = ccfc_excerpt_string(c, to.result.agent);
		to.result.tool = ccfc_excerpt_string(c, to.result.tool);
		to.result.file = file_of(c, to.result.file);
	}
	to.file = file_of(c, to.file);
	to.session = session_of(c, to.session);
	copy_shell(&to, c, home);
	CCFC_VEC_PUSH(c->to->changes, to);
}

static void copy_changes(struct ccfc_excerpt_copying *c)
{
	const struct ccfc_ids *ids = &c->e->changes;

	/* All at once: there may be many. */
	c->to->changes.cap = ids->n + 1;
	if (c->e->has_commands)
		c->to->changes.cap += CCFC_EXCERPT_INFERRED_MAX;
	c->to->changes.items =
		ccfc_calloc(c->to->changes.cap, sizeof(*c->to->changes.items));
	for (uint32_t i = 0; i < ids->n; i++) {
		copy_change(c, ids->items[i]);
		if (ccfc_index_is_command(&c->to->changes.items[i]))
			continue;
		ccfc_ids_push(&c->to->files.items[c->to->changes.items[i].file],
			      i);
	}
}

/* --- all of it --- */

static void copy_rows(struct ccfc_excerpt_copying *c)
{
	const uint32_t more = c->e->more;

	copy_files(c);
	/* Sources name sessions and sessions sources: numbers are known. */
	for (uint32_t i = 1; i < c->ex->sessions.n; i++)
		copy_session(c, c->ex->sessions.items[i]);
	for (uint32_t i = 0; i < c->ex->sources.n; i++)
		copy_source(c, c->ex->sources.items[i]);
	copy_changes(c);
	if (more & CCFC_EXCERPT_PROMPTS)
		ccfc_excerpt_copy_prompts(c);
	if (more & CCFC_EXCERPT_BACKUPS) {
		ccfc_excerpt_copy_backups(c);
		ccfc_excerpt_copy_seen(c);
		ccfc_excerpt_copy_effects(c);
	}
	if (more & CCFC_EXCERPT_LOOKS)
		ccfc_excerpt_copy_looks(c);
}

struct ccfc_excerpt *ccfc_excerpt_finish(struct ccfc_excerpting *e)
{
	struct ccfc_excerpt_copying c = { .e = e, .from = e->from };

	c.ex = ccfc_calloc(1, sizeof(*c.ex));
	c.ex->index = c.to = ccfc_index_new(e->from->home);
	c.to->epoch = e->from->epoch;
	c.to->seq = e->from->seq;
	c.sources.n = e->from->sources.n;
	c.sources.own = ccfc_calloc(c.sources.n + 1u, sizeof(uint32_t));
	c.sessions.n = e->from->sessions.n;
	c.sessions.own = ccfc_calloc(c.sessions.n + 1u, sizeof(uint32_t));
	ccfc_ids_push(&e->files, 0);
	put_in_order(&e->files);
	put_in_order(&e->changes);
	mark_all(&c);
	c.ex->files = keep_excerpt(&e->files, &c.ex->arena);
	c.ex->changes = keep_excerpt(&e->changes, &c.ex->arena);
	c.ex->sources = number_marked(&c.sources, &c.ex->arena);
	c.ex->sessions = number_marked(&c.sessions, &c.ex->arena);
	copy_rows(&c);
	ccfc_excerpt_keep_commands(&c);
	free(c.sources.own);
	free(c.sessions.own);
	free(e->files.items);
	free(e->paths.items);
	free(e->changes.items);
	free(e->sessions.items);
	free(e->commands.items);
	*e = (struct ccfc_excerpting){ 0 };
	return c.ex;
}

void ccfc_excerpt_free(struct ccfc_excerpt *ex)
{
	if (!ex)
		return;
	ccfc_index_free(ex->index);
	ccfc_arena_release(&ex->arena);
	free(ex);
}
