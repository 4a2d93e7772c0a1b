/*
 * Single rows of an excerpt: copies with the numbers that their files,
 * sessions, transcripts and strings have in the excerpt; see excerpt.h.
 */
#include "index/excerpt/excerpt_impl.h"

#include "index/index_internal.h"

#include <stdlib.h>

uint32_t ccfc_excerpt_source(const struct ccfc_excerpt_copying *c,
			     uint32_t home)
{
	return home < c->sources.n ? c->sources.own[home] - 1 : CCFC_ID_NONE;
}

/* 0 if it is not part of the excerpt. */
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

void ccfc_excerpt_copy_file(struct ccfc_excerpt_copying *c, uint32_t home)
{
	uint32_t n = c->from->files.n;

	ccfc_index_file(c->to, home < n ? ccfc_index_file_path(c->from, home)
					: c->wanted.paths.items[home - n]);
}

static void copy_strings(struct ccfc_ids *out, struct ccfc_excerpt_copying *c,
			 const struct ccfc_ids *ids)
{
	for (uint32_t i = 0; i < ids->n; i++)
		ccfc_ids_push(out, ccfc_excerpt_string(c, ids->items[i]));
}

/* Copies the session's commands that are part of the excerpt. */
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

void ccfc_excerpt_copy_session(struct ccfc_excerpt_copying *c, uint32_t home)
{
	const struct ccfc_session *s = &c->from->sessions.items[home];
	uint32_t own =
		ccfc_index_session(c->to, ccfc_index_session_id(c->from, home));
	struct ccfc_session *to = &c->to->sessions.items[own];

	to->start = s->start;
	to->end = s->end;
	to->seen = s->seen;
	to->unknown_commands = ccfc_query_unknown(c->from, home);
	if (c->wanted.more & CCFC_EXCERPT_COMMANDS)
		copy_commands(&to->commands, c, home);
	to->project = ccfc_excerpt_string(c, s->project);
	to->branch = ccfc_excerpt_string(c, s->branch);
	to->model = ccfc_excerpt_string(c, s->model);
	to->name = ccfc_excerpt_string(c, s->name);
	copy_strings(&to->branches, c, &s->branches);
	copy_strings(&to->models, c, &s->models);
	copy_strings(&to->pull_requests, c, &s->pull_requests);
	copy_strings(&to->tags, c, &s->tags);
	copy_strings(&to->roots, c, &s->roots);
	for (uint32_t i = 0; i < s->sources.n; i++)
		if (ccfc_excerpt_source(c, s->sources.items[i]) != CCFC_ID_NONE)
			ccfc_ids_push(
				&to->sources,
				ccfc_excerpt_source(c, s->sources.items[i]));
}

void ccfc_excerpt_copy_source(struct ccfc_excerpt_copying *c, uint32_t home)
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
			      .texts_gen = s->texts_gen,
			      .kept_first = s->kept_first,
			      .kept_since = s->kept_since,
			      .kept_end = s->kept_end,
			      .kept_owner = s->kept_owner,
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

/* Copies the further observations of a change; returns the first. */
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

void ccfc_excerpt_copy_change(struct ccfc_excerpt_copying *c, uint32_t home)
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
	if (!ccfc_index_is_command(&to))
		ccfc_ids_push(&c->to->files.items[to.file],
			      c->to->changes.n - 1);
}
