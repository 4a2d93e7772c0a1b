/*
 * Sums over what was said and spent; see totals.h. All of it is one pass over
 * flat arrays: a message and a call know their session by one step each, and
 * "how many files" is counted by stamps, not by sets.
 */
#include "index/totals.h"

#include "base/alloc.h"
#include "base/time.h"

#include <stdlib.h>

/* --- facts one by one --- */

static void said_of(struct ccfc_said *out, const struct ccfc_index *index,
		    const struct ccfc_model_message *say)
{
	*out = (struct ccfc_said){
		.time = say->time,
		.session = index->parts.items[say->part].session,
		.model = say->model,
		.agent = say->agent,
		.tokens = { say->input, say->output, say->cache_write,
			    say->cache_read },
	};
}

void ccfc_tally_said(const struct ccfc_index *index, ccfc_said_fn fn, void *ctx)
{
	struct ccfc_said said;

	for (uint32_t i = 0; i < index->says.n; i++) {
		if (index->says.items[i].copy)
			continue;
		said_of(&said, index, &index->says.items[i]);
		fn(ctx, &said);
	}
}

static bool is_error(const struct ccfc_tool_call *use)
{
	return use->error && !use->ok;
}

void ccfc_tally_used(const struct ccfc_index *index, ccfc_used_fn fn, void *ctx)
{
	for (uint32_t i = 0; i < index->uses.n; i++) {
		const struct ccfc_tool_call *use = &index->uses.items[i];
		struct ccfc_said said;
		struct ccfc_used used;

		if (!use->called || use->say == CCFC_ID_NONE)
			continue;
		said_of(&said, index, &index->says.items[use->say]);
		used = (struct ccfc_used){ .time = said.time,
					   .session = said.session,
					   .model = said.model,
					   .tool = use->tool,
					   .agent = said.agent,
					   .error = is_error(use) };
		fn(ctx, &used);
	}
}

static uint32_t agent_of(const struct ccfc_index *index,
			 const struct ccfc_model_message *say)
{
	const struct ccfc_session_source *part = &index->parts.items[say->part];
	uint32_t agent = index->sources.items[part->source].agent;

	if (!say->agent)
		return 0;
	return agent ? agent : index->sidechain;
}

/* False when its message is not known. */
static bool look_of(struct ccfc_look *out, const struct ccfc_index *index,
		    const struct ccfc_read_ref *look)
{
	const struct ccfc_tool_call *use = &index->uses.items[look->use];
	const struct ccfc_model_message *say;

	if (!use->called || use->say == CCFC_ID_NONE)
		return false;
	say = &index->says.items[use->say];
	*out = (struct ccfc_look){
		.time = look->time,
		.session = index->parts.items[say->part].session,
		.file = look->file,
		.agent = agent_of(index, say),
		.error = is_error(use),
	};
	return true;
}

static void file_reads(const struct ccfc_index *index, uint32_t file,
		       uint32_t session, ccfc_look_fn fn, void *ctx)
{
	struct ccfc_look look;

	for (uint32_t i = index->file_reads.items[file]; i != CCFC_ID_NONE;
	     i = index->looks.items[i].next)
		if (look_of(&look, index, &index->looks.items[i]) &&
		    (!session || look.session == session))
			fn(ctx, &look);
}

void ccfc_tally_looks(const struct ccfc_index *index, uint32_t file,
		      uint32_t session, ccfc_look_fn fn, void *ctx)
{
	struct ccfc_look look;

	if (file) {
		if (file < index->file_reads.n)
			file_reads(index, file, session, fn, ctx);
		return;
	}
	for (uint32_t i = 0; i < index->looks.n; i++)
		if (look_of(&look, index, &index->looks.items[i]) &&
		    (!session || look.session == session))
			fn(ctx, &look);
}

/* --- sums --- */

/* Sums of all sessions, or of one: then `out` is that one's alone. */
struct summing {
	const struct ccfc_index *index;
	struct ccfc_tally *out;
	uint32_t only;	 /* 0: all */
	uint32_t *stamp; /* by file: the last session that has it; or by
			  * session: the last file */
};

static struct ccfc_tally *tally_of(const struct summing *s, uint32_t session)
{
	if (!s->only)
		return &s->out[session];
	return session == s->only ? s->out : NULL;
}

static void add_said(void *ctx, const struct ccfc_said *said)
{
	struct ccfc_tally *t = tally_of(ctx, said->session);

	if (t)
		ccfc_tokens_add(said->agent ? &t->agents.tokens
					    : &t->main.tokens,
				&said->tokens);
}

static void add_used(void *ctx, const struct ccfc_used *used)
{
	struct ccfc_tally *t = tally_of(ctx, used->session);
	struct ccfc_tally_part *part;

	if (!t)
		return;
	part = used->agent ? &t->agents : &t->main;
	part->uses++;
	part->errors += used->error;
}

/* Looks come file by file. */
static void add_look(void *ctx, const struct ccfc_look *look)
{
	struct summing *s = ctx;
	struct ccfc_tally *t = tally_of(s, look->session);

	if (!t || look->error || s->stamp[look->session] == look->file)
		return;
	s->stamp[look->session] = look->file;
	t->files_read++;
}

static void add_parts(const struct summing *s)
{
	const struct ccfc_index *index = s->index;

	for (uint32_t i = 0; i < index->parts.n; i++) {
		const struct ccfc_session_source *p = &index->parts.items[i];
		struct ccfc_tally *t = tally_of(s, p->session);

		if (!t || p->gen != index->sources.items[p->source].gen)
			continue;
		t->main.user += p->user[0];
		t->main.assistant += p->assistant[0];
		t->agents.user += p->user[1];
		t->agents.assistant += p->assistant[1];
	}
}

static void add_changes(const struct summing *s, uint32_t session,
			struct ccfc_tally *t)
{
	const struct ccfc_index *index = s->index;
	const struct ccfc_ids *ids = &index->sessions.items[session].changes;

	t->last_change = CCFC_TIME_NONE;
	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (c->state != CCFC_STATE_APPLIED)
			continue;
		t->changes++;
		if (ccfc_index_time(c) > t->last_change)
			t->last_change = ccfc_index_time(c);
		if (s->stamp[c->file] != session)
			t->files_modified++;
		s->stamp[c->file] = session;
	}
}

/* Is it the session's own by its name, or has it none such? */
static void add_sources(const struct summing *s, uint32_t session,
			struct ccfc_tally *t)
{
	const struct ccfc_index *index = s->index;
	const struct ccfc_ids *ids = &index->sessions.items[session].sources;
	uint64_t named = 0, any = 0;
	bool has_named = false;

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_source *source =
			&index->sources.items[ids->items[i]];

		if (source->is_agent) {
			t->nagents++;
			t->agent_bytes += source->cursor.offset;
		} else if (source->session == session) {
			has_named = true;
			named += source->cursor.offset;
		} else {
			any += source->cursor.offset;
		}
	}
	t->bytes = has_named ? named : any;
}

static void sum(struct summing *s)
{
	const struct ccfc_index *index = s->index;
	uint32_t most = index->files.n > index->sessions.n ? index->files.n
							   : index->sessions.n;

	s->stamp = ccfc_calloc(most, sizeof(*s->stamp));
	add_parts(s);
	ccfc_tally_said(index, add_said, s);
	ccfc_tally_used(index, add_used, s);
	for (uint32_t f = 1; f < index->file_reads.n; f++)
		file_reads(index, f, s->only, add_look, s);
	memset(s->stamp, 0, most * sizeof(*s->stamp));
	for (uint32_t i = 1; i < index->sessions.n; i++) {
		struct ccfc_tally *t = tally_of(s, i);

		if (!t)
			continue;
		add_changes(s, i, t);
		add_sources(s, i, t);
	}
	free(s->stamp);
}

struct ccfc_tally *ccfc_tally_all(const struct ccfc_index *index,
				  struct ccfc_arena *arena)
{
	size_t size = index->sessions.n * sizeof(struct ccfc_tally);
	struct summing s = { .index = index,
			     .out = ccfc_arena_alloc(arena, size) };

	memset(s.out, 0, size);
	s.out[0].last_change = CCFC_TIME_NONE;
	sum(&s);
	return s.out;
}

void ccfc_tally_session(struct ccfc_tally *out, const struct ccfc_index *index,
			uint32_t session)
{
	struct summing s = { .index = index, .out = out, .only = session };

	*out = (struct ccfc_tally){ .last_change = CCFC_TIME_NONE };
	if (session)
		sum(&s);
}
