/*
 * The skeleton: one pass over the transcripts of a session. Of each line that
 * a page or the tree can show there are 40 bytes, of the others only their
 * number by type; nothing of what they say is kept. What joins agents with
 * calls is rare and kept beside.
 */
#include "conversation/conversation_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "transcript/content/agent_launch.h"

#include <stdlib.h>

#define ASK_EVERY 256u /* lines: whether it is still wanted */
#define TYPES	  256u
#define TYPE_LEN  64u
#define FOUND	  64u
#define LAUNCHES  16384u
#define PER_LINE  64u
#define REPEATS	  64u
#define ERRORS	  (1u << 20)
#define EVENTS	  8191u
#define THOUGHTS  511u

#define MALFORMED CCFC_SLICE_LIT("(malformed)")
#define TOO_LONG  CCFC_SLICE_LIT("(too long)")
#define NO_TYPE	  CCFC_SLICE_LIT("(none)")
#define OTHERS	  CCFC_SLICE_LIT("(other)")

/* One transcript while it is read. */
struct scan {
	struct ccfc_talk *talk;
	struct ccfc_talk_reader *reader;
	struct ccfc_talk_record record;
	struct ccfc_slice find;
	struct ccfc_arena scratch;
	uint32_t source;
	int64_t time;  /* of the line before */
	bool ours;     /* the last line that named a session named this one */
	bool prompted; /* the agent's first prompt was seen */
};

static const struct ccfc_talk_source *source_of(const struct scan *s)
{
	return &s->talk->sources[s->source];
}

/* --- lines by type --- */

static void count_type(struct ccfc_talk *talk, struct ccfc_slice type)
{
	uint32_t name, i = 0;

	if (type.len > TYPE_LEN)
		type = OTHERS;
	name = ccfc_strtab_find(&talk->names, type);
	if (name == CCFC_ID_NONE && talk->types.n >= TYPES)
		type = OTHERS;
	name = ccfc_strtab_put(&talk->names, type);
	while (i < talk->types.n && talk->types.items[i].name != name)
		i++;
	if (i == talk->types.n)
		CCFC_VEC_PUSH(talk->types,
			      ((struct ccfc_talk_type){ name, 0 }));
	talk->types.items[i].n++;
}

/* Lines that name no session are the file's, or go with the line before. */
static bool is_ours(struct scan *s)
{
	const uint32_t *f = s->record.fields;
	struct ccfc_slice id;

	id = ccfc_talk_name(s->reader, f[CCFC_FIELD_SESSION]
					       ? f[CCFC_FIELD_SESSION]
					       : f[CCFC_FIELD_SESSION_ALIAS]);
	if (id.len)
		return s->ours = ccfc_slice_eq(id, s->talk->session);
	return source_of(s)->own || (source_of(s)->unnamed && s->ours);
}

/* --- agents --- */

static bool same_launch(const struct ccfc_talk_launch *a,
			const struct ccfc_launch *b)
{
	return a->call == b->call && a->agent == b->agent &&
	       a->prompt == b->prompt;
}

static void keep_launch(struct scan *s, const struct ccfc_launch *found,
			uint32_t line)
{
	struct ccfc_talk *talk = s->talk;
	uint32_t left = REPEATS;

	/* The progress of agents says the same again and again. */
	for (uint32_t i = talk->launches.n; i > 0 && left; left--)
		if (same_launch(&talk->launches.items[--i], found))
			return;
	if (talk->launches.n == LAUNCHES) {
		talk->truncated = true;
		return;
	}
	CCFC_VEC_GROW(talk->launches);
	talk->launches.items[talk->launches.n++] = (struct ccfc_talk_launch){
		.call = found->call,
		.agent = found->agent,
		.prompt = found->prompt,
		.type = found->type.len
				? ccfc_strtab_put(&talk->names, found->type)
				: 0,
		.line = line,
	};
}

/* May the record tell of an agent's start? */
static bool may_launch(struct scan *s)
{
	struct ccfc_parser *parser = s->reader->parser;
	const struct ccfc_talk_record *r = &s->record;
	uint32_t f[CCFC_LAUNCH_COUNT], b[CCFC_BLOCK_COUNT], at = r->first;

	if (r->kind == CCFC_TALK_ASSISTANT) {
		for (; at; at = ccfc_parser_next_block(parser, at)) {
			struct ccfc_slice name;

			ccfc_parser_block(parser, at, b);
			name = ccfc_json_string(&parser->json,
						b[CCFC_BLOCK_NAME]);
			if (ccfc_slice_is(name, "Task") ||
			    ccfc_slice_is(name, "Agent"))
				return true;
		}
		return false;
	}
	ccfc_json_fields(&parser->json,
			 r->kind == CCFC_TALK_USER
				 ? r->fields[CCFC_FIELD_RESULT]
				 : r->more[CCFC_TALK_DATA],
			 &parser->launch_keys, f);
	return f[CCFC_LAUNCH_AGENT];
}

/* Ends the parse of the line. */
static void read_launches(struct scan *s, uint32_t line)
{
	struct ccfc_launch found[PER_LINE];
	uint32_t n = ccfc_launch_read(s->reader->parser, found, PER_LINE,
				      s->record.line, &s->scratch);

	for (uint32_t i = 0; i < n; i++)
		keep_launch(s, &found[i], line);
	ccfc_arena_clear(&s->scratch);
}

/* The first prompt of an agent; ends the parse. */
static void read_prompt(struct scan *s, const struct ccfc_talk_line *l,
			uint32_t line)
{
	struct ccfc_talk *talk = s->talk;
	uint32_t agent = talk->agent_of[s->source];
	uint64_t prompt = 0;

	if (l->kind != CCFC_TALK_USER)
		return;
	if (agent != CCFC_TALK_NONE) {
		if (s->prompted)
			return;
		s->prompted = true;
		ccfc_launch_prompt(s->reader->parser, &prompt, s->record.line);
		if (!talk->agents.items[agent].prompt)
			talk->agents.items[agent].prompt = prompt;
	} else if (l->sidechain && !l->parent && talk->roots.n < LAUNCHES) {
		ccfc_launch_prompt(s->reader->parser, &prompt, s->record.line);
		CCFC_VEC_PUSH(talk->roots, ((struct ccfc_talk_root){
						   .line = line,
						   .caller = CCFC_TALK_NONE,
						   .prompt = prompt }));
	}
}

/* --- one line --- */

/* Results: whether there are any, and which calls failed. */
static void take_results(struct scan *s, struct ccfc_talk_line *l)
{
	struct ccfc_parser *parser = s->reader->parser;
	uint32_t b[CCFC_BLOCK_COUNT], at = s->record.first;

	for (; at; at = ccfc_parser_next_block(parser, at)) {
		uint64_t id;

		ccfc_parser_block(parser, at, b);
		if (!ccfc_slice_is(
			    ccfc_json_string(&parser->json, b[CCFC_BLOCK_TYPE]),
			    "tool_result"))
			continue;
		l->results = 1;
		if (!ccfc_json_is_true(&parser->json, b[CCFC_BLOCK_IS_ERROR]))
			continue;
		id = ccfc_talk_hash(s->reader, b[CCFC_BLOCK_CALL_ID]);
		if (s->talk->errors.n < ERRORS)
			CCFC_VEC_PUSH(s->talk->errors, id);
	}
}

static void count_events(struct scan *s, struct ccfc_talk_line *l)
{
	struct ccfc_talk_events e = { .record = &s->record, .counting = true };

	while (ccfc_talk_events_next(s->reader, &e)) {
		if (e.type == CCFC_TALK_THINKING) {
			if (l->thoughts < THOUGHTS)
				l->thoughts++;
		} else if (l->events < EVENTS) {
			l->events++;
		}
	}
}

static void look_for(struct scan *s, uint32_t line)
{
	struct ccfc_slice id =
		ccfc_talk_name(s->reader, s->record.fields[CCFC_FIELD_UUID]);

	if (s->find.len && id.len >= s->find.len &&
	    !memcmp(id.ptr, s->find.ptr, s->find.len) &&
	    s->talk->found.n < FOUND)
		CCFC_VEC_PUSH(s->talk->found, line);
}

static void fill(struct scan *s, struct ccfc_talk_line *l)
{
	struct ccfc_talk_reader *reader = s->reader;
	const struct ccfc_talk_record *r = &s->record;
	const struct ccfc_json *json = &reader->parser->json;

	l->kind = r->kind;
	l->sidechain = !source_of(s)->is_agent &&
		       ccfc_json_is_true(json, r->fields[CCFC_FIELD_SIDECHAIN]);
	l->boundary = r->kind == CCFC_TALK_SYSTEM &&
		      ccfc_slice_is(ccfc_json_string(
					    json, r->more[CCFC_TALK_SUBTYPE]),
				    "compact_boundary");
	l->parent = ccfc_talk_hash(reader, r->more[CCFC_TALK_LOGICAL]);
	if (!l->boundary || !l->parent)
		l->parent = ccfc_talk_hash(reader, r->more[CCFC_TALK_PARENT]);
	if (r->kind == CCFC_TALK_USER)
		take_results(s, l);
	l->tasks = ccfc_talk_plans(reader, r) & 3u;
	count_events(s, l);
}

/* A record that is ours: into the skeleton, unless nothing ever shows it. */
static void take_record(struct scan *s, const struct ccfc_line *line)
{
	struct ccfc_talk *talk = s->talk;
	struct ccfc_talk_line l = {
		.at = (uint64_t)s->source << 48 | line->offset,
		.time = s->time,
		.len = (uint32_t)line->len,
		.uuid = ccfc_talk_hash(s->reader,
				       s->record.fields[CCFC_FIELD_UUID]),
	};
	uint32_t no = talk->lines.n;

	if (!l.uuid && s->record.kind == CCFC_TALK_OTHER) {
		if (may_launch(s))
			read_launches(s, CCFC_TALK_NONE);
		return;
	}
	if (no == CCFC_TALK_LINES) {
		talk->truncated = true;
		return;
	}
	fill(s, &l);
	look_for(s, no);
	CCFC_VEC_PUSH(talk->lines, l);
	if (may_launch(s))
		read_launches(s, no);
	read_prompt(s, &l, no);
}

static bool is_blank(struct ccfc_slice line)
{
	size_t i = 0;

	while (i < line.len && ccfc_json_is_space(line.ptr[i]))
		i++;
	return i == line.len;
}

static void take_line(struct scan *s, const struct ccfc_line *line)
{
	struct ccfc_slice bytes = ccfc_slice(line->ptr, line->len), type;
	bool near = source_of(s)->own || (source_of(s)->unnamed && s->ours);
	int64_t time;

	if (line->too_long || line->len > UINT32_MAX) {
		if (near)
			count_type(s->talk, TOO_LONG);
		return;
	}
	if (is_blank(bytes))
		return;
	if (!ccfc_talk_parse(s->reader, &s->record, bytes)) {
		if (near)
			count_type(s->talk, MALFORMED);
	} else if (is_ours(s)) {
		type = ccfc_talk_name(s->reader,
				      s->record.fields[CCFC_FIELD_TYPE]);
		count_type(s->talk, type.len ? type : NO_TYPE);
		time = ccfc_parser_time(s->reader->parser,
					s->record.fields[CCFC_FIELD_TIME]);
		if (time != CCFC_TIME_NONE)
			s->time = time;
		take_record(s, line);
	}
	ccfc_parser_done(s->reader->parser, bytes);
}

/* --- a transcript --- */

static int cancelled(struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_EAGAIN, "no longer wanted");
}

static int read_lines(struct scan *s, struct ccfc_cursor *cursor,
		      struct ccfc_err *err)
{
	struct ccfc_talk_reader *reader = s->reader;
	uint64_t end = source_of(s)->end;
	struct ccfc_line line;
	int r;

	for (uint32_t n = 1;; n++) {
		if (n % ASK_EVERY == 0 && reader->cancelled &&
		    reader->cancelled(reader->ctx))
			return cancelled(err);
		r = ccfc_tail_next(reader->tail, cursor, &line, NULL);
		/* Not one line is worth failing for: the others are there. */
		if (r < 0)
			s->talk->truncated = true;
		if (r <= 0 || cursor->offset > end)
			return 0;
		s->talk->bytes += line.len + 1;
		take_line(s, &line);
	}
}

static int read_source(struct ccfc_talk *talk, struct ccfc_talk_reader *reader,
		       uint32_t source, struct ccfc_slice find,
		       struct ccfc_err *err)
{
	struct scan s = { .talk = talk,
			  .reader = reader,
			  .find = find,
			  .scratch = CCFC_ARENA_INIT,
			  .source = source,
			  .time = CCFC_TIME_NONE };
	struct ccfc_cursor cursor = { 0 };
	int r;

	if (ccfc_tail_open(reader->tail, talk->sources[source].path, &cursor,
			   NULL) != CCFC_TAIL_OPEN) {
		talk->truncated = true;
		return 0;
	}
	r = read_lines(&s, &cursor, err);
	ccfc_tail_close(reader->tail, &cursor);
	ccfc_arena_release(&s.scratch);
	return r;
}

int ccfc_talk_scan(struct ccfc_talk *talk, struct ccfc_talk_reader *reader,
		   struct ccfc_slice find, struct ccfc_err *err)
{
	int r = 0;

	for (uint32_t i = 0; i < talk->nsources && !r; i++)
		r = read_source(talk, reader, i, find, err);
	return r;
}
