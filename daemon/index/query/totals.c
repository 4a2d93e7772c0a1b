/*
 * Totals of messages, calls and tokens; see totals.h. All of it is one pass
 * over flat arrays: a message and a call know their session by one step each,
 * and "how many files" is counted by stamps, not by sets.
 */
#include "index/query/totals.h"

#include "base/time.h"

/* --- facts one by one --- */

static uint32_t agent_of_message(const struct ccfc_index *index,
				 const struct ccfc_model_message *say)
{
	const struct ccfc_session_source *part =
		&index->session_sources.items[say->session_source];
	uint32_t agent = index->sources.items[part->source].agent;

	if (!say->agent)
		return 0;
	if (part->relayed_agent)
		return part->relayed_agent;
	return agent ? agent : index->sidechain;
}

static void fill_message_fact(struct ccfc_message_fact *out,
			      const struct ccfc_index *index,
			      const struct ccfc_model_message *say)
{
	*out = (struct ccfc_message_fact){
		.time = say->time,
		.session = index->session_sources.items[say->session_source]
				   .session,
		.model = say->model,
		.name = say->agent ? agent_of_message(index, say) : 0,
		.agent = say->agent,
		.cost = say->cost,
		.tokens = { say->input, say->output, say->cache_write,
			    say->cache_read },
	};
}

bool ccfc_tally_message_at(struct ccfc_message_fact *out,
			   const struct ccfc_index *index, uint32_t message)
{
	if (index->messages.items[message].copy)
		return false;
	fill_message_fact(out, index, &index->messages.items[message]);
	return true;
}

static bool is_error(const struct ccfc_tool_call *use)
{
	return use->error && !use->ok;
}

bool ccfc_tally_call_at(struct ccfc_call_fact *out,
			const struct ccfc_index *index, uint32_t call)
{
	const struct ccfc_tool_call *use = &index->calls.items[call];
	struct ccfc_message_fact said;

	if (!use->called || use->message == CCFC_ID_NONE)
		return false;
	fill_message_fact(&said, index, &index->messages.items[use->message]);
	*out = (struct ccfc_call_fact){ .time = said.time,
					.session = said.session,
					.model = said.model,
					.tool = use->tool,
					.name = said.name,
					.agent = said.agent,
					.error = is_error(use) };
	return true;
}

bool ccfc_tally_read_at(struct ccfc_read_fact *out,
			const struct ccfc_index *index, uint32_t read)
{
	const struct ccfc_read_ref *look = &index->reads.items[read];
	const struct ccfc_tool_call *use = &index->calls.items[look->call];
	const struct ccfc_model_message *say;

	if (!use->called || use->message == CCFC_ID_NONE)
		return false;
	say = &index->messages.items[use->message];
	*out = (struct ccfc_read_fact){
		.time = look->time,
		.session = index->session_sources.items[say->session_source]
				   .session,
		.file = look->file,
		.agent = agent_of_message(index, say),
		.error = is_error(use),
	};
	return true;
}

/* --- sums --- */

static struct ccfc_tally *tally_of(const struct ccfc_tallying *s,
				   uint32_t session)
{
	if (s->only)
		return session == s->only ? s->out : NULL;
	return session < s->nsessions ? &s->out[session] : NULL;
}

static void add_said(struct ccfc_tallying *s, uint32_t message)
{
	struct ccfc_tally *t;
	struct ccfc_message_fact said;

	if (!ccfc_tally_message_at(&said, s->index, message))
		return;
	t = tally_of(s, said.session);
	if (t)
		ccfc_tokens_add(said.agent ? &t->agents.tokens
					   : &t->main.tokens,
				&said.tokens);
}

static void add_used(struct ccfc_tallying *s, uint32_t call)
{
	struct ccfc_tally_part *part;
	struct ccfc_tally *t;
	struct ccfc_call_fact used;

	if (!ccfc_tally_call_at(&used, s->index, call))
		return;
	t = tally_of(s, used.session);
	if (!t)
		return;
	part = used.agent ? &t->agents : &t->main;
	part->uses++;
	part->errors += used.error;
}

static void add_read(struct ccfc_tallying *s, const struct ccfc_read_fact *look)
{
	struct ccfc_tally *t = tally_of(s, look->session);

	if (!t || look->error || s->last_file[look->session] == look->file)
		return;
	s->last_file[look->session] = look->file;
	t->files_read++;
}

/* File by file, so that the last one of each session is enough to know. */
static void add_looks(struct ccfc_tallying *s, uint32_t file)
{
	const struct ccfc_index *index = s->index;
	struct ccfc_read_fact look;

	for (uint32_t i = index->file_reads.items[file]; i != CCFC_ID_NONE;
	     i = index->reads.items[i].next)
		if (ccfc_tally_read_at(&look, index, i))
			add_read(s, &look);
}

/*
 * A part of the present reading counts. But progress records of an agent only
 * count if the session has no transcript of that agent.
 */
static bool does_count(const struct ccfc_index *index,
		       const struct ccfc_session_source *p)
{
	const struct ccfc_ids *ids = &index->sessions.items[p->session].sources;

	if (p->gen != index->sources.items[p->source].gen)
		return false;
	for (uint32_t i = 0; p->relayed_agent && i < ids->n; i++) {
		const struct ccfc_source *s =
			&index->sources.items[ids->items[i]];

		if (s->is_agent && s->agent == p->relayed_agent)
			return false;
	}
	return true;
}

/* Several transcripts may have progress records of one agent. */
static bool is_first_relayed(const struct ccfc_index *index,
			     const struct ccfc_session_source *p)
{
	const struct ccfc_session_source *items = index->session_sources.items;
	uint32_t i = p->next;

	if (!p->relayed_agent)
		return false;
	while (i != CCFC_ID_NONE &&
	       (items[i].relayed_agent != p->relayed_agent ||
		!does_count(index, &items[i])))
		i = items[i].next;
	return i == CCFC_ID_NONE;
}

/* Lines that were read after the sum was made are not in it: never below 0. */
static void subtract_late(uint64_t *sum, uint64_t n)
{
	*sum -= n < *sum ? n : *sum;
}

/* Transcripts of agents may begin as copies of others of the session. */
static void drop_copies(struct ccfc_tallying *s, uint32_t shared)
{
	const struct ccfc_index *index = s->index;
	const struct ccfc_model_message *m =
		&index->messages.items[index->shared.items[shared]];
	uint32_t session =
		index->session_sources.items[m->session_source].session;
	struct ccfc_tally *t = tally_of(s, session);

	while (t && m->next != CCFC_ID_NONE) {
		const struct ccfc_session_source *p;

		m = &index->messages.items[m->next];
		p = &index->session_sources.items[m->session_source];
		if (!m->agent || p->session != session ||
		    m->gen != (uint16_t)p->gen || !does_count(index, p))
			continue;
		subtract_late(&t->agents.user, m->answers);
		subtract_late(&t->agents.assistant, m->lines);
	}
}

/*
 * A fork or a copied project shows the messages of a session once more. So one
 * transcript counts: of those named after the session, or else of all, the one
 * with the most. The view `sessions` (store/sql/views.c) has the same rule.
 */
static void set_main_if_larger(struct ccfc_tally *t,
			       const struct ccfc_index *index,
			       const struct ccfc_session_source *p)
{
	const struct ccfc_source *source = &index->sources.items[p->source];
	bool named = !source->is_agent && source->session == p->session;
	uint64_t n = (uint64_t)p->user[0] + p->assistant[0];
	uint64_t most = t->main.user + t->main.assistant;

	if (!n || named < t->named)
		return;
	if (named == t->named &&
	    (n < most || (n == most && p->user[0] <= t->main.user)))
		return;
	t->named = named;
	t->main.user = p->user[0];
	t->main.assistant = p->assistant[0];
}

static void add_session_source(struct ccfc_tallying *s, uint32_t part)
{
	const struct ccfc_index *index = s->index;
	const struct ccfc_session_source *p =
		&index->session_sources.items[part];
	struct ccfc_tally *t = tally_of(s, p->session);

	if (!t || !does_count(index, p))
		return;
	t->nagents += is_first_relayed(index, p);
	set_main_if_larger(t, index, p);
	t->agents.user += p->user[1];
	t->agents.assistant += p->assistant[1];
}

static void add_changes(const struct ccfc_tallying *s, uint32_t session,
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
		t->shell_changes += ccfc_index_is_shells(c);
		if (ccfc_index_time(c) > t->last_change)
			t->last_change = ccfc_index_time(c);
		if (c->file >= s->nfiles)
			continue;
		if (s->last_session[c->file] != session)
			t->files_modified++;
		s->last_session[c->file] = session;
	}
	t->unknown_commands = ccfc_query_unknown(index, session);
}

/* Is it the session's own by its name, or has it none such? */
static void add_sources(const struct ccfc_tallying *s, uint32_t session,
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

static void add_session(struct ccfc_tallying *s, uint32_t session)
{
	struct ccfc_tally *t = tally_of(s, session);

	if (!t)
		return;
	add_changes(s, session, t);
	add_sources(s, session, t);
}

/* The tables that are summed up, one after the other, from their first row. */
static bool table_of(const struct ccfc_tallying *s, uint32_t *first,
		     uint32_t *end,
		     void (**add)(struct ccfc_tallying *s, uint32_t row))
{
	static void (*const adds[])(struct ccfc_tallying *, uint32_t) = {
		add_session_source, drop_copies, add_said,
		add_used,	    add_looks,	 add_session
	};
	const struct ccfc_index *index = s->index;
	const uint32_t ends[] = { index->session_sources.n, index->shared.n,
				  index->messages.n,	    index->calls.n,
				  index->file_reads.n,	    index->sessions.n };

	if (s->table == sizeof(ends) / sizeof(*ends))
		return false;
	*add = adds[s->table];
	*first = *add == add_looks || *add == add_session;
	*end = ends[s->table];
	return true;
}

bool ccfc_tally_some(struct ccfc_tallying *s, uint32_t rows)
{
	void (*add)(struct ccfc_tallying * s, uint32_t row);
	uint32_t first, end;

	while (table_of(s, &first, &end, &add)) {
		if (s->row < first)
			s->row = first;
		for (; s->row < end; s->row++) {
			if (!rows--)
				return true;
			add(s, s->row);
		}
		s->row = 0;
		s->table++;
	}
	return false;
}

/* Zeroed. */
static uint32_t *new_stamps(uint32_t n, struct ccfc_arena *arena)
{
	uint32_t *list = ccfc_arena_alloc(arena, n * sizeof(*list));

	memset(list, 0, n * sizeof(*list));
	return list;
}

static void begin_tallying(struct ccfc_tallying *s,
			   const struct ccfc_index *index,
			   struct ccfc_arena *arena)
{
	*s = (struct ccfc_tallying){
		.nsessions = index->sessions.n,
		.index = index,
		.nfiles = index->files.n,
		.last_file = new_stamps(index->sessions.n, arena),
		.last_session = new_stamps(index->files.n, arena),
	};
}

void ccfc_tally_begin(struct ccfc_tallying *s, const struct ccfc_index *index,
		      struct ccfc_arena *arena)
{
	size_t size = index->sessions.n * sizeof(struct ccfc_tally);

	begin_tallying(s, index, arena);
	s->out = ccfc_arena_alloc(arena, size);
	memset(s->out, 0, size);
	s->out[0].last_change = CCFC_TIME_NONE;
}

void ccfc_tally_begin_session(struct ccfc_tallying *s, struct ccfc_tally *out,
			      const struct ccfc_index *index, uint32_t session,
			      struct ccfc_arena *arena)
{
	*out = (struct ccfc_tally){ .last_change = CCFC_TIME_NONE };
	begin_tallying(s, index, arena);
	s->only = session;
	s->out = out;
}
