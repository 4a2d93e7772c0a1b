/*
 * Launches of agents in the session's transcripts; see agent_start.h.
 *
 * A type in the result counts most. Next is the call that a result or a
 * progress record links with the agent; then, without a link, the calls with
 * the same prompt that are not known to have started another agent. At each
 * step all findings must agree. The last step relies on missing records, so it
 * is only taken if all transcripts were read.
 */
#include "history/blame/agent_start.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "history/blame/prompt.h"
#include "history/chain/chain.h"
#include "history/file/lines_back.h"
#include "history/kept.h"
#include "transcript/content/agent_launch.h"

#include <stdlib.h>

/*
 * PER_LINE: launches of one line; LAUNCHES: of one transcript; TRANSCRIPTS: of
 * one session.
 */
#define PER_LINE    64u
#define LAUNCHES    8192u
#define TRANSCRIPTS 64u
/* Agents that may run at the same time. */
#define REPEATS 64u

/* If there are more, all are freed. */
#define LOGS_MAX   512u
#define AGENTS_MAX 4096u

struct item {
	uint64_t call, agent, prompt; /* as in struct ccfc_launch */
	uint32_t type;		      /* index in `types`; 0: not named */
};

/* The launches in one transcript. */
struct launch_log {
	uint32_t source; /* as in the whole index */
	uint32_t gen;
	uint64_t end; /* the end of the part that was read */
	bool partial; /* some lines of that part were skipped */
	struct {
		struct item *items;
		uint32_t n, cap;
	} items;
};

struct agent_prompt {
	uint32_t source; /* as in the whole index */
	uint32_t gen;
	uint64_t end;	 /* length of its transcript when the prompt was read */
	uint64_t prompt; /* 0: no prompt so far */
};

struct ccfc_launches {
	struct {
		struct launch_log *items;
		uint32_t n, cap;
	} logs;
	struct {
		struct agent_prompt *items;
		uint32_t n, cap;
	} agents;
	struct ccfc_strtab types;
};

/* The search for one agent's type. */
struct search {
	struct ccfc_launches *l;
	const struct ccfc_history_env *env;
	const struct ccfc_homes *homes; /* of sources */
	uint32_t logs[TRANSCRIPTS];	/* of the agent's session */
	uint32_t nlogs;
	uint64_t left; /* bytes that may be read */
	bool partial;  /* some transcripts were not read completely */
	uint64_t agent;
	uint32_t type; /* the type found; 0: none */
	bool many;     /* the types differ, or a call names none */
};

/* --- what is kept --- */

static void forget_launches(struct ccfc_launches *l)
{
	for (uint32_t i = 0; i < l->logs.n; i++)
		free(l->logs.items[i].items.items);
	l->logs.n = 0;
	ccfc_strtab_release(&l->types);
	ccfc_strtab_init(&l->types);
	ccfc_strtab_put(&l->types, CCFC_SLICE_LIT(""));
}

static struct ccfc_launches *launches_of(struct ccfc_history *history)
{
	if (!history->launches)
		history->launches = ccfc_kept_take_launches(history->env.kept);
	if (!history->launches) {
		history->launches = ccfc_calloc(1, sizeof(*history->launches));
		ccfc_strtab_init(&history->launches->types);
		forget_launches(history->launches);
	}
	if (history->launches->logs.n >= LOGS_MAX)
		forget_launches(history->launches);
	return history->launches;
}

void ccfc_launches_free(struct ccfc_launches *launches)
{
	if (!launches)
		return;
	forget_launches(launches);
	ccfc_strtab_release(&launches->types);
	free(launches->logs.items);
	free(launches->agents.items);
	free(launches);
}

static uint32_t log_index_of(struct ccfc_launches *l, uint32_t source)
{
	uint32_t i = 0;

	while (i < l->logs.n && l->logs.items[i].source != source)
		i++;
	if (i == l->logs.n) {
		CCFC_VEC_GROW(l->logs);
		l->logs.items[l->logs.n++] =
			(struct launch_log){ .source = source };
	}
	return i;
}

/* --- the session's transcripts --- */

/* Few lines contain these words; only such lines are parsed. */
static bool may_have_launch(struct ccfc_slice line)
{
	return ccfc_slice_contains(line, "\"agentId\"") ||
	       (ccfc_slice_contains(line, "\"tool_use\"") &&
		(ccfc_slice_contains(line, "\"Task\"") ||
		 ccfc_slice_contains(line, "\"Agent\"")));
}

static bool equal_items(const struct item *a, const struct item *b)
{
	return a->call == b->call && a->agent == b->agent &&
	       a->prompt == b->prompt && a->type == b->type;
}

static void keep_item(struct launch_log *log, const struct item *item)
{
	/* Progress records of agents repeat the same fact. */
	for (uint32_t i = log->items.n, left = REPEATS; i > 0 && left; left--)
		if (equal_items(&log->items.items[--i], item))
			return;
	if (log->items.n < LAUNCHES)
		CCFC_VEC_PUSH(log->items, *item);
	else
		log->partial = true;
}

static void read_launch_line(struct search *s, struct launch_log *log,
			     struct ccfc_slice line, struct ccfc_arena *arena)
{
	struct ccfc_launch found[PER_LINE];
	uint32_t n;

	ccfc_arena_clear(arena);
	n = ccfc_launch_read(s->env->parser, found, PER_LINE, line, arena);
	log->partial |= n == PER_LINE;
	for (uint32_t i = 0; i < n; i++) {
		struct item item = { found[i].call, found[i].agent,
				     found[i].prompt, 0 };

		if (found[i].type.len)
			item.type =
				ccfc_strtab_put(&s->l->types, found[i].type);
		keep_item(log, &item);
	}
}

/* Reads [floor, end). False if not all of it was read. */
static bool read_log_part(struct search *s, struct launch_log *log,
			  const struct ccfc_source *source, uint64_t floor,
			  bool cut)
{
	uint64_t end = source->cursor.offset;
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_slice line;
	struct ccfc_lines_back back;
	uint64_t at = end;

	ccfc_lines_back_init(&back, s->env->tail,
			     ccfc_index_str(s->env->index, source->path).ptr,
			     end, floor, cut);
	while (ccfc_lines_back_next(&back, &line, &at))
		if (may_have_launch(line))
			read_launch_line(s, log, line, &arena);
	/*
	 * The rest of a cut line is in the window, and everything before it was
	 * read.
	 */
	if (cut && back.read && back.start == floor)
		at = floor;
	ccfc_lines_back_release(&back);
	ccfc_arena_release(&arena);
	return at == floor;
}

/* Reads the lines added to a transcript since the last reading. */
static void read_new_lines(struct search *s, struct launch_log *log,
			   const struct ccfc_source *source)
{
	uint64_t end = source->cursor.offset, floor;
	bool cut;

	if (log->gen != source->gen || end < log->end ||
	    end - log->end > CCFC_LAUNCH_READ) {
		log->items.n = 0;
		log->end = 0;
		log->partial = false;
	}
	log->gen = source->gen;
	cut = end - log->end > CCFC_LAUNCH_READ;
	floor = cut ? end - CCFC_LAUNCH_READ : log->end;
	if (end - floor > s->left) {
		/* The budget is used up; a later question reads the rest. */
		s->partial = true;
		return;
	}
	s->left -= end - floor;
	log->partial |= cut;
	if (end == floor || read_log_part(s, log, source, floor, cut)) {
		log->end = end;
	} else {
		log->items.n = 0;
		log->end = 0;
		log->partial = false;
		s->partial = true;
	}
	s->partial |= log->partial;
}

static void add_session(struct search *s, uint32_t session)
{
	const struct ccfc_index *index = s->env->index;
	const struct ccfc_ids *sources;

	if (!session)
		return;
	sources = &index->sessions.items[session].sources;
	for (uint32_t i = 0; i < sources->n; i++) {
		const struct ccfc_source *source =
			&index->sources.items[sources->items[i]];
		uint32_t log;

		if (source->is_agent ||
		    ccfc_source_where(source) == CCFC_WHERE_GONE)
			continue;
		if (s->nlogs == TRANSCRIPTS) {
			s->partial = true;
			break;
		}
		log = log_index_of(s->l,
				   ccfc_home_of(s->homes, sources->items[i]));
		read_new_lines(s, &s->l->logs.items[log], source);
		s->logs[s->nlogs++] = log;
	}
}

/* --- the agent's prompt --- */

static uint64_t read_agent_prompt(struct search *s,
				  const struct ccfc_source *source)
{
	struct ccfc_slice bytes = ccfc_history_head(s->env, source), line;
	uint64_t prompt = 0;
	const char *nl;

	while (bytes.len && (nl = memchr(bytes.ptr, '\n', bytes.len))) {
		line = ccfc_slice(bytes.ptr, (size_t)(nl - bytes.ptr));
		if (ccfc_launch_prompt(s->env->parser, &prompt, line))
			break;
		bytes = ccfc_slice(nl + 1, bytes.len - line.len - 1);
	}
	return prompt;
}

static struct agent_prompt *agent_of(struct ccfc_launches *l, uint32_t source)
{
	for (uint32_t i = 0; i < l->agents.n; i++)
		if (l->agents.items[i].source == source)
			return &l->agents.items[i];
	if (l->agents.n == AGENTS_MAX)
		l->agents.n = 0;
	CCFC_VEC_GROW(l->agents);
	l->agents.items[l->agents.n] =
		(struct agent_prompt){ .source = source };
	return &l->agents.items[l->agents.n++];
}

static uint64_t prompt_of(struct search *s, uint32_t id)
{
	const struct ccfc_source *source = &s->env->index->sources.items[id];
	struct agent_prompt *agent = agent_of(s->l, ccfc_home_of(s->homes, id));
	uint64_t end = source->cursor.offset;

	if (agent->gen != source->gen || (!agent->prompt && agent->end != end))
		agent->prompt = read_agent_prompt(s, source);
	agent->gen = source->gen;
	agent->end = end;
	return agent->prompt;
}

/* --- the type --- */

/* Iterates over the items of all transcripts of the session. */
struct each {
	uint32_t log, at;
};

static const struct item *next_item(const struct search *s, struct each *e)
{
	for (; e->log < s->nlogs; e->log++, e->at = 0) {
		const struct launch_log *log =
			&s->l->logs.items[s->logs[e->log]];

		if (e->at < log->items.n)
			return &log->items.items[e->at++];
	}
	return NULL;
}

static void add_type(struct search *s, uint32_t type)
{
	s->many |= !type || (s->type && s->type != type);
	s->type = type;
}

/* Takes the types from results that name the agent. False: there are none. */
static bool take_types_from_results(struct search *s)
{
	const struct item *item;
	struct each e = { 0 };
	bool any = false;

	while ((item = next_item(s, &e))) {
		if (item->agent != s->agent)
			continue;
		any = true;
		if (item->type)
			add_type(s, item->type);
	}
	return any;
}

/*
 * Takes the types from calls that a result or a progress record links with the
 * agent.
 */
static void take_types_from_linked_calls(struct search *s)
{
	const struct item *link, *call;
	struct each e = { 0 };

	while ((link = next_item(s, &e))) {
		struct each f = { 0 };

		if (link->agent != s->agent)
			continue;
		while ((call = next_item(s, &f)))
			if (!call->agent && call->call == link->call)
				add_type(s, call->type);
	}
}

static bool is_call_of_other_agent(const struct search *s, uint64_t call)
{
	const struct item *item;
	struct each e = { 0 };

	while ((item = next_item(s, &e)))
		if (item->call == call && item->agent)
			return true;
	return false;
}

/* Takes the types from calls with that prompt. */
static void take_types_by_prompt(struct search *s, uint64_t prompt)
{
	const struct item *item;
	struct each e = { 0 };

	while ((item = next_item(s, &e)))
		if (!item->agent && item->prompt == prompt &&
		    !is_call_of_other_agent(s, item->call))
			add_type(s, item->type);
}

static void find_type(struct search *s, uint32_t source)
{
	uint64_t prompt;

	if (take_types_from_results(s)) {
		if (!s->type)
			take_types_from_linked_calls(s);
		return;
	}
	prompt = s->partial ? 0 : prompt_of(s, source);
	if (prompt)
		take_types_by_prompt(s, prompt);
}

struct ccfc_slice ccfc_launch_type(struct ccfc_history *history,
				   uint32_t source, struct ccfc_arena *arena)
{
	const struct ccfc_index *index = history->env.index;
	const struct ccfc_source *agent = &index->sources.items[source];
	struct search s = {
		.l = launches_of(history),
		.env = &history->env,
		.homes = CCFC_HOMES(history, sources),
		.left = CCFC_LAUNCH_READ,
		.agent = ccfc_hash_slice(ccfc_index_str(index, agent->agent)),
	};

	add_session(&s, agent->session);
	if (agent->last_session != agent->session)
		add_session(&s, agent->last_session);
	if (agent->agent)
		find_type(&s, source);
	if (!s.type || s.many)
		return CCFC_SLICE_NONE;
	return ccfc_arena_copy(arena, ccfc_strtab_get(&s.l->types, s.type));
}
