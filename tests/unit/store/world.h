/*
 * A random world of transcripts, as facts: sessions, forks and agents that
 * share prompts and calls, results before calls, results alone, calls on
 * several files, commands of shells whose texts and results name files, lines
 * without a time or with an invalid uuid, and transcripts that are rewritten
 * with lines dropped. Times collide often: ties are where an order of reading
 * could show.
 */
#ifndef TESTS_STORE_WORLD_H
#define TESTS_STORE_WORLD_H

#include "base/time.h"
#include "index/index.h"

#include <stdio.h>
#include <string.h>

#define SOURCES	    7
#define MAIN	    4 /* the first ones are sessions, the others agents */
#define LINES	    40
#define PARTS	    3
#define LINE_BYTES  100u
#define FILES	    3
#define IDS	    48u
#define LONE_RESULT 40u /* ids from here on have results only */

/* A line that owns its texts. */
struct line {
	struct ccfc_record record;
	struct ccfc_call calls[PARTS];
	struct ccfc_result result;
	struct ccfc_run_file files[FILES];
	struct ccfc_backup backup;
	struct ccfc_model_cost cost;
	char session[8], uuid[40], agent[8], id[24], paths[PARTS][16];
	char cwd[8], branch[8], model[8], message[16], version[8];
	char typed[8], title[8], leaf[40];
};

struct world {
	struct line lines[SOURCES][LINES];
	uint32_t n[SOURCES];
	/* Lines read before the source is rewritten; 0: it never is. */
	uint32_t rewritten[SOURCES];
	bool dropped[SOURCES][LINES];
	char paths[SOURCES][40];
	struct ccfc_name names[SOURCES];
	unsigned seed;
};

static inline unsigned pick(struct world *w, unsigned n)
{
	w->seed = w->seed * 1664525u + 1013904223u;
	return (w->seed >> 8) % n;
}

#define TEXT(field, ...)                                                       \
	(snprintf(field, sizeof(field), __VA_ARGS__), ccfc_slice_str(field))

/* The texts of some commands; lines have their directories. */
static const char *const commands[] = {
	"rm f0.c", "echo a > f1.c && rm /r/f1.c", "make", "mv f2.c f3.c",
	"ls",	   "cat f1.c > f2.c; x",
};

static inline bool is_command_id(unsigned id)
{
	return id % 8 == 4;
}

static inline void make_call(struct world *w, struct line *l, unsigned id)
{
	/* One id is one tool everywhere, but copies may lose edits. */
	bool writes = id % 4 != 0;
	uint32_t parts = id % 5 == 1 ? 1 + pick(w, PARTS) : 1;

	l->record.kind = CCFC_RECORD_ASSISTANT;
	l->record.model = TEXT(l->model, "m%u", pick(w, 3));
	l->record.version = TEXT(l->version, "2.%u", pick(w, 3));
	if (pick(w, 8))
		l->record.message_id = TEXT(l->message, "msg%u", id / 3);
	l->record.has_usage = pick(w, 4);
	l->record.usage.input = pick(w, 3);
	l->record.usage.output = pick(w, 100);
	l->record.usage.cache_write = pick(w, 2);
	l->record.usage.cache_read = pick(w, 2) ? UINT64_MAX : 7;
	l->record.cost = pick(w, 3) ? 0 : pick(w, 9);
	l->record.asks = !pick(w, 3);
	snprintf(l->id, sizeof(l->id), "toolu_%u", id);
	for (uint32_t i = 0; i < parts; i++) {
		struct ccfc_call *call = &l->calls[i];

		call->id = ccfc_slice_str(l->id);
		call->writes = writes;
		call->reads = id % 8 == 0;
		call->tool = writes	   ? CCFC_SLICE_LIT("Edit")
			     : call->reads ? CCFC_SLICE_LIT("Read")
					   : CCFC_SLICE_LIT("Bash");
		call->path = TEXT(l->paths[i], "f%u.c", (id + i) % 7);
		call->part = i;
		call->nparts = parts;
		call->added = (int)pick(w, 3);
		call->removed = 1;
		call->shell = is_command_id(id);
		if (call->shell)
			call->command =
				ccfc_slice_str(commands[id / 8 %
							(sizeof(commands) /
							 sizeof(*commands))]);
	}
	l->record.calls = l->calls;
	l->record.ncalls = parts;
}

/* What the client saw change while a command ran. */
static inline void make_run(struct world *w, struct line *l)
{
	l->result.run = (uint8_t)pick(w, 32);
	l->result.files = l->files;
	l->result.nfiles = pick(w, 2) ? pick(w, FILES + 1) : 0;
	for (uint32_t i = 0; i < l->result.nfiles; i++) {
		struct ccfc_run_file *f = &l->files[i];

		f->path = TEXT(l->paths[i], "/%s/f%u.c",
			       pick(w, 2) ? "r" : "p0", pick(w, 3) * FILES + i);
		f->op = (enum ccfc_op)pick(w, 3);
		f->hunks = pick(w, 2);
		f->added = f->hunks ? (int)pick(w, 2) : CCFC_LINES_UNKNOWN;
		f->removed = f->hunks ? 1 : CCFC_LINES_UNKNOWN;
	}
}

static inline void make_result(struct world *w, struct line *l, unsigned id)
{
	static const enum ccfc_state states[] = {
		CCFC_STATE_APPLIED, CCFC_STATE_APPLIED, CCFC_STATE_FAILED,
		CCFC_STATE_DENIED,  CCFC_STATE_STAGED,	CCFC_STATE_INTERRUPTED
	};

	l->record.kind = CCFC_RECORD_USER;
	l->result.id = TEXT(l->id, "toolu_%u", id);
	l->result.state = states[pick(w, 6)];
	l->result.error = l->result.state != CCFC_STATE_APPLIED &&
			  l->result.state != CCFC_STATE_STAGED;
	l->result.op = pick(w, 2) ? CCFC_OP_CREATED : CCFC_OP_MODIFIED;
	l->result.detail = id % 4 && (id >= LONE_RESULT || pick(w, 2));
	if (l->result.detail) {
		l->result.tool = pick(w, 2) ? CCFC_SLICE_LIT("Edit")
					    : CCFC_SLICE_LIT("Write");
		l->result.path = TEXT(l->paths[0], "/r/f%u.c", pick(w, 3));
		l->result.added = (int)pick(w, 3);
		l->result.original = pick(w, 3);
	}
	if (is_command_id(id))
		make_run(w, l);
	l->record.results = &l->result;
	l->record.nresults = 1;
}

static inline void make_note(struct world *w, struct line *l)
{
	l->record.kind = CCFC_RECORD_OTHER;
	l->record.ended = TEXT(l->id, "toolu_%u", 4 + 8 * pick(w, IDS / 8));
}

/* A file that the client showed to the session. */
static inline void make_shown(struct world *w, struct line *l)
{
	l->record.kind = CCFC_RECORD_OTHER;
	l->record.shown = TEXT(l->paths[0], "/r/f%u.c", pick(w, 3));
}

/* What the session has cost by then. */
static inline void make_costs(struct world *w, struct line *l)
{
	l->record.kind = CCFC_RECORD_OTHER;
	l->record.counted_since =
		pick(w, 4) ? 900 + (int64_t)pick(w, 2) : CCFC_TIME_NONE;
	l->record.costs_unsure = !pick(w, 4);
	l->cost = (struct ccfc_model_cost){ .cost = 1 + pick(w, 9),
					    .tokens = pick(w, 9) };
	if (pick(w, 3))
		l->cost.model = TEXT(l->model, "m%u", pick(w, 3));
	l->record.costs = &l->cost;
	l->record.ncosts = 1;
}

static inline void make_backup(struct world *w, struct line *l)
{
	static const char *const spelt[] = { "f%u.c", "./f%u.c", "/p0/f%u.c" };
	const char *how = spelt[pick(w, 3)];

	l->record.kind = CCFC_RECORD_SNAPSHOT;
	snprintf(l->paths[0], sizeof(l->paths[0]), how, pick(w, 4));
	l->backup.path = ccfc_slice_str(l->paths[0]);
	l->backup.version = pick(w, 3);
	if (pick(w, 3))
		l->backup.name = TEXT(l->id, "hash@v%u", pick(w, 2));
	l->backup.time = l->record.time;
	l->backup.made =
		pick(w, 3) ? 900 + (int64_t)pick(w, 6) : CCFC_TIME_NONE;
	l->record.backups = &l->backup;
	l->record.nbackups = 1;
}

static inline void make_naming(struct world *w, struct line *l)
{
	l->record.kind = CCFC_RECORD_OTHER;
	l->record.naming = (enum ccfc_naming)(1 + pick(w, 3));
	if (pick(w, 6))
		l->record.title = TEXT(l->title, "t%u", pick(w, 9));
	l->record.leaf =
		TEXT(l->leaf, "00000000-0000-4000-8000-%012x", pick(w, 20));
}

static inline void make_common(struct world *w, struct line *l, unsigned source)
{
	struct ccfc_record *r = &l->record;

	r->time = pick(w, 8) ? 1000 + (int64_t)pick(w, 6) : CCFC_TIME_NONE;
	r->kind = CCFC_RECORD_OTHER;
	r->type = CCFC_SLICE_LIT("system");
	if (pick(w, 8))
		r->session = TEXT(l->session, "s%u",
				  pick(w, 4) ? source % MAIN : pick(w, MAIN));
	r->cwd = TEXT(l->cwd, "/p%u", pick(w, 3));
	r->branch = TEXT(l->branch, "b%u", pick(w, 4));
	switch (pick(w, 6)) {
	case 0:
		break;
	case 1:
		r->uuid = TEXT(l->uuid, "text-%u", pick(w, 20));
		break;
	default:
		r->uuid = TEXT(l->uuid, "00000000-0000-4000-8000-%012x",
			       pick(w, 20));
	}
	r->version = TEXT(l->version, "2.%u.1", pick(w, 2));
	r->sidechain = source >= MAIN || !pick(w, 6);
	if (source >= MAIN)
		r->agent = TEXT(l->agent, "a%u", source - pick(w, 2));
}

/* What a session tells of an agent, which may have a source of its own. */
static inline void make_told(struct world *w, struct line *l)
{
	l->record.relayed = l->record.sidechain = true;
	l->record.prompt = l->record.asked = false;
	l->record.agent = TEXT(l->agent, "a%u", MAIN + pick(w, 4));
}

/* A hook that ran after a call. */
static inline void make_hook(struct line *l)
{
	l->record.kind = CCFC_RECORD_OTHER;
	l->result.state = CCFC_STATE_APPLIED;
	l->result.hook = true;
	l->result.detail = l->result.error = false;
}

static inline void make_line(struct world *w, unsigned source, unsigned at)
{
	struct line *l = &w->lines[source][at];

	memset(l, 0, sizeof(*l));
	make_common(w, l, source);
	switch (pick(w, 8)) {
	case 7:
		if (pick(w, 3))
			make_naming(w, l);
		else if (pick(w, 2))
			make_costs(w, l);
		else if (pick(w, 2))
			make_note(w, l);
		else if (pick(w, 2))
			make_shown(w, l);
		else
			l->record.boundary = true;
		break;
	case 0:
	case 1:
		l->record.kind = CCFC_RECORD_USER;
		l->record.prompt = true;
		/* A copy may not be known for what it is. */
		l->record.asked = at % 3 != 0;
		if (l->record.asked)
			l->record.typed = TEXT(l->typed, "p%u", pick(w, 5));
		break;
	case 2:
		make_backup(w, l);
		break;
	case 3:
	case 4:
		make_call(w, l, pick(w, LONE_RESULT));
		break;
	default:
		make_result(w, l, pick(w, IDS));
		if (!pick(w, 6))
			make_hook(l);
	}
	if (source < MAIN && !pick(w, 6) &&
	    (l->record.kind == CCFC_RECORD_USER ||
	     l->record.kind == CCFC_RECORD_ASSISTANT))
		make_told(w, l);
}

/*
 * A call that was written twice is dropped twice: else one that is only still
 * to be read again could pass for one that was taken back.
 */
static inline bool is_dropped(struct world *w, unsigned source, unsigned at)
{
	const struct line *l = &w->lines[source][at];

	if (l->record.ncalls)
		return (unsigned char)l->id[strlen(l->id) - 1] % 4 ==
		       source % 4;
	return !pick(w, 4);
}

static inline void make_world(struct world *w, unsigned seed)
{
	memset(w, 0, sizeof(*w));
	w->seed = seed * 2654435761u;
	for (unsigned s = 0; s < SOURCES; s++) {
		snprintf(w->paths[s], sizeof(w->paths[s]), "/t/s%u.jsonl", s);
		w->names[s].kind =
			s < MAIN ? CCFC_NAME_SESSION : CCFC_NAME_AGENT;
		if (s < MAIN)
			w->names[s].session = ccfc_slice(w->paths[s] + 3, 2);
		w->n[s] = 1 + pick(w, LINES);
		w->rewritten[s] = pick(w, 3) ? 0 : 1 + pick(w, w->n[s]);
		for (unsigned i = 0; i < w->n[s]; i++) {
			make_line(w, s, i);
			w->dropped[s][i] = is_dropped(w, s, i);
		}
	}
}

/* --- a source as a stream: its lines, and again those that were kept --- */

/* Lines of the source's first (0) or rewritten (1) state. */
static inline uint32_t stream(const struct world *w, unsigned s, bool again,
			      const struct line **out)
{
	uint32_t last = w->rewritten[s] && !again ? w->rewritten[s] : w->n[s];
	uint32_t n = 0;

	for (uint32_t i = 0; i < last; i++)
		if (!again || !w->dropped[s][i])
			out[n++] = &w->lines[s][i];
	return n;
}

/* How far the index has read the source: false when that was all. */
static inline bool where(const struct ccfc_index *index, const struct world *w,
			 unsigned s, bool *again, uint32_t *at, uint32_t *n)
{
	const struct line *lines[LINES];
	uint32_t id =
		ccfc_index_source_find(index, ccfc_slice_str(w->paths[s]));

	*again = false;
	*at = 0;
	if (id != CCFC_ID_NONE) {
		*again = index->sources.items[id].gen > 0;
		*at = (uint32_t)(index->sources.items[id].cursor.offset /
				 LINE_BYTES);
	}
	*n = stream(w, s, *again, lines);
	return *at < *n || (w->rewritten[s] && !*again);
}

static inline void feed(struct ccfc_index *index, const struct world *w,
			unsigned s, bool again, uint32_t from, uint32_t to)
{
	const struct line *lines[LINES];
	uint32_t id = ccfc_index_source(index, ccfc_slice_str(w->paths[s]),
					&w->names[s]);

	stream(w, s, again, lines);
	for (uint32_t i = from; i < to; i++) {
		index->sources.items[id].cursor.offset =
			(i + 1) * (uint64_t)LINE_BYTES;
		ccfc_index_apply(index, id, &lines[i]->record,
				 i * (uint64_t)LINE_BYTES,
				 (size_t)(lines[i] - w->lines[s]) + 1);
	}
}

static inline void rewrite(struct ccfc_index *index, const struct world *w,
			   unsigned s)
{
	ccfc_index_source_reset(
		index,
		ccfc_index_source_find(index, ccfc_slice_str(w->paths[s])));
}

#endif
