/*
 * The skeleton: one pass over the transcripts of a session. Each line that a
 * page or the tree can show takes 40 bytes; the others are only counted by
 * type. No text is kept. The links between agents and calls are rare and kept
 * separately.
 */
#include "conversation/conversation_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "transcript/content/agent_launch.h"

#include <stdlib.h>

#define TYPES	 256u
#define TYPE_LEN 64u
#define LAUNCHES 16384u
#define PER_LINE 64u
#define REPEATS	 64u
#define ERRORS	 (1u << 20)
#define EVENTS	 8191u
#define THOUGHTS 511u

#define MALFORMED CCFC_SLICE_LIT("(malformed)")
#define TOO_LONG  CCFC_SLICE_LIT("(too long)")
#define NO_TYPE	  CCFC_SLICE_LIT("(none)")
#define OTHERS	  CCFC_SLICE_LIT("(other)")

/* One transcript while it is read. */
struct scan {
	struct ccfc_conversation *conv;
	struct ccfc_conversation_reader *reader;
	struct ccfc_conversation_record record;
	struct ccfc_slice find;
	struct ccfc_arena scratch;
	uint32_t source;
	int64_t time;  /* of the previous line */
	bool ours;     /* the session named last is this one */
	bool prompted; /* the agent's first prompt was seen */
};

static const struct ccfc_conversation_source *
current_source(const struct scan *s)
{
	return &s->conv->sources[s->source];
}

/* --- lines by type --- */

static void count_type(struct ccfc_conversation *conv, struct ccfc_slice type)
{
	uint32_t name, i = 0;

	if (type.len > TYPE_LEN)
		type = OTHERS;
	name = ccfc_strtab_find(&conv->names, type);
	if (name == CCFC_ID_NONE && conv->types.n >= TYPES)
		type = OTHERS;
	name = ccfc_strtab_put(&conv->names, type);
	while (i < conv->types.n && conv->types.items[i].name != name)
		i++;
	if (i == conv->types.n)
		CCFC_VEC_PUSH(conv->types,
			      ((struct ccfc_conversation_type){ name, 0 }));
	conv->types.items[i].n++;
}

/*
 * Lines without a session id belong to the file's session, or to that of the
 * line before.
 */
static bool is_record_of_session(struct scan *s)
{
	const uint32_t *f = s->record.fields;
	struct ccfc_slice id;

	id = ccfc_conversation_name(
		s->reader, f[CCFC_FIELD_SESSION] ? f[CCFC_FIELD_SESSION]
						 : f[CCFC_FIELD_SESSION_ALIAS]);
	if (id.len)
		return s->ours = ccfc_slice_eq(id, s->conv->session);
	return current_source(s)->own ||
	       (current_source(s)->unnamed && s->ours);
}

/* --- agents --- */

static bool same_launch(const struct ccfc_conversation_launch *a,
			const struct ccfc_launch *b)
{
	return a->call == b->call && a->agent == b->agent &&
	       a->prompt == b->prompt;
}

static void add_launch(struct scan *s, const struct ccfc_launch *found,
		       uint32_t line)
{
	struct ccfc_conversation *conv = s->conv;
	uint32_t left = REPEATS;

	/* Progress records repeat the same launch. */
	for (uint32_t i = conv->launches.n; i > 0 && left; left--)
		if (same_launch(&conv->launches.items[--i], found))
			return;
	if (conv->launches.n == LAUNCHES) {
		conv->truncated = true;
		return;
	}
	CCFC_VEC_GROW(conv->launches);
	conv->launches.items[conv->launches.n++] =
		(struct ccfc_conversation_launch){
			.call = found->call,
			.agent = found->agent,
			.prompt = found->prompt,
			.name = found->name,
			.type = found->type.len ? ccfc_strtab_put(&conv->names,
								  found->type)
						: 0,
			.line = line,
		};
}

/* May the record link an agent with its call? */
static bool may_launch(struct scan *s)
{
	struct ccfc_parser *parser = s->reader->parser;
	const struct ccfc_conversation_record *r = &s->record;
	uint32_t f[CCFC_LAUNCH_COUNT], b[CCFC_BLOCK_COUNT], at = r->first;

	if (r->kind == CCFC_CONVERSATION_ASSISTANT) {
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
			 r->kind == CCFC_CONVERSATION_USER
				 ? r->fields[CCFC_FIELD_RESULT]
				 : r->more[CCFC_CONVERSATION_DATA],
			 &parser->launch_keys, f);
	return f[CCFC_LAUNCH_AGENT];
}

/* Reads the launches of the line. Ends the parse of the line. */
static void read_launches(struct scan *s, uint32_t line)
{
	struct ccfc_launch found[PER_LINE];
	uint32_t n = ccfc_launch_read(s->reader->parser, found, PER_LINE,
				      s->record.line, &s->scratch);

	for (uint32_t i = 0; i < n; i++)
		add_launch(s, &found[i], line);
	ccfc_arena_clear(&s->scratch);
}

/* The first prompt of an agent; ends the parse. */
static void read_prompt(struct scan *s, const struct ccfc_conversation_line *l,
			uint32_t line)
{
	struct ccfc_conversation *conv = s->conv;
	uint32_t agent = conv->agent_of[s->source];
	uint64_t prompt = 0;

	if (l->kind != CCFC_CONVERSATION_USER)
		return;
	if (agent != CCFC_CONVERSATION_NONE) {
		if (s->prompted)
			return;
		s->prompted = true;
		ccfc_launch_prompt(s->reader->parser, &prompt, s->record.line);
		if (!conv->agents.items[agent].prompt)
			conv->agents.items[agent].prompt = prompt;
	} else if (l->sidechain && !l->parent && conv->roots.n < LAUNCHES) {
		ccfc_launch_prompt(s->reader->parser, &prompt, s->record.line);
		CCFC_VEC_PUSH(conv->roots,
			      ((struct ccfc_conversation_root){
				      .line = line,
				      .caller = CCFC_CONVERSATION_NONE,
				      .prompt = prompt }));
	}
}

/* Newer clients write the agent's type on each of its lines. */
static void read_agent(struct scan *s)
{
	struct ccfc_conversation *conv = s->conv;
	uint32_t no = conv->agent_of[s->source];
	struct ccfc_conversation_agent *a;
	const uint32_t *more = s->record.more;

	if (no == CCFC_CONVERSATION_NONE)
		return;
	a = &conv->agents.items[no];
	if (!a->name)
		a->name = ccfc_conversation_hash(
			s->reader, more[CCFC_CONVERSATION_AGENT_NAME]);
	if (!a->said.len && more[CCFC_CONVERSATION_AGENT_TYPE])
		a->said = ccfc_arena_copy(
			&conv->arena,
			ccfc_conversation_name(
				s->reader, more[CCFC_CONVERSATION_AGENT_TYPE]));
}

/* --- one line --- */

/* Notes whether the record has results, and which calls failed. */
static void note_results(struct scan *s, struct ccfc_conversation_line *l)
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
		id = ccfc_conversation_hash(s->reader, b[CCFC_BLOCK_CALL_ID]);
		if (s->conv->errors.n < ERRORS)
			CCFC_VEC_PUSH(s->conv->errors, id);
	}
}

static void count_events(struct scan *s, struct ccfc_conversation_line *l)
{
	struct ccfc_conversation_events e = { .record = &s->record,
					      .counting = true };

	while (ccfc_conversation_events_next(s->reader, &e)) {
		if (e.type == CCFC_CONVERSATION_THINKING) {
			if (l->thoughts < THOUGHTS)
				l->thoughts++;
		} else if (l->events < EVENTS) {
			l->events++;
		}
	}
}

static void note_if_searched_line(struct scan *s, uint32_t line)
{
	struct ccfc_slice id = ccfc_conversation_name(
		s->reader, s->record.fields[CCFC_FIELD_UUID]);

	if (s->find.len && id.len >= s->find.len &&
	    !memcmp(id.ptr, s->find.ptr, s->find.len) &&
	    s->conv->found.n < CCFC_CONVERSATION_FOUND)
		CCFC_VEC_PUSH(s->conv->found, line);
}

/*
 * Begins the agent's record in a progress record; its time is not before the
 * previous one's.
 */
static bool begin_relayed(struct scan *s, struct ccfc_conversation_line *l)
{
	struct ccfc_conversation *conv = s->conv;
	uint32_t relayed = ccfc_conversation_progress_agent(
		conv, s->source,
		ccfc_conversation_name(s->reader,
				       s->record.fields[CCFC_FIELD_AGENT]));

	if (relayed == CCFC_CONVERSATION_NONE)
		return false;
	l->at = (uint64_t)relayed << 48 | ccfc_conversation_offset(l);
	s->source = relayed;
	return true;
}

static void fill_line(struct scan *s, struct ccfc_conversation_line *l)
{
	struct ccfc_conversation_reader *reader = s->reader;
	const struct ccfc_conversation_record *r = &s->record;
	const struct ccfc_json *json = &reader->parser->json;

	l->kind = r->kind;
	l->sidechain = !current_source(s)->is_agent &&
		       ccfc_json_is_true(json, r->fields[CCFC_FIELD_SIDECHAIN]);
	l->boundary =
		r->kind == CCFC_CONVERSATION_SYSTEM &&
		ccfc_slice_is(ccfc_json_string(
				      json, r->more[CCFC_CONVERSATION_SUBTYPE]),
			      "compact_boundary");
	l->parent = ccfc_conversation_hash(reader,
					   r->more[CCFC_CONVERSATION_LOGICAL]);
	if (!l->boundary || !l->parent)
		l->parent = ccfc_conversation_hash(
			reader, r->more[CCFC_CONVERSATION_PARENT]);
	if (s->source >= s->conv->nsources) {
		struct ccfc_conversation_agent *a =
			&s->conv->agents.items[s->conv->agent_of[s->source]];

		l->parent = a->last_relayed;
		a->last_relayed = l->uuid;
	}
	if (r->kind == CCFC_CONVERSATION_USER)
		note_results(s, l);
	l->tasks = ccfc_conversation_plans(reader, r) & 3u;
	count_events(s, l);
}

/*
 * Adds a record of the session to the skeleton, unless no request can show it.
 */
static void add_record_line(struct scan *s, const struct ccfc_line *line,
			    bool relayed)
{
	struct ccfc_conversation *conv = s->conv;
	struct ccfc_conversation_line l = {
		.at = (uint64_t)s->source << 48 | line->offset,
		.time = s->time,
		.len = (uint32_t)line->len,
		.uuid = ccfc_conversation_hash(
			s->reader, s->record.fields[CCFC_FIELD_UUID]),
	};
	uint32_t no = conv->lines.n, source = s->source;

	if (!l.uuid && s->record.kind == CCFC_CONVERSATION_OTHER) {
		if (may_launch(s))
			read_launches(s, CCFC_CONVERSATION_NONE);
		return;
	}
	if (no == CCFC_CONVERSATION_LINES) {
		conv->truncated = true;
		return;
	}
	if (relayed && !begin_relayed(s, &l))
		return;
	fill_line(s, &l);
	read_agent(s);
	note_if_searched_line(s, no);
	CCFC_VEC_PUSH(conv->lines, l);
	if (!relayed && may_launch(s))
		read_launches(s, no);
	if (!relayed)
		read_prompt(s, &l, no);
	s->source = source;
}

static void add_agent_record(struct scan *s, const struct ccfc_line *line)
{
	int64_t before = s->time;
	int64_t time = ccfc_parser_time(s->reader->parser,
					s->record.fields[CCFC_FIELD_TIME]);

	if (time != CCFC_TIME_NONE)
		s->time = time;
	add_record_line(s, line, true);
	s->time = before;
}

static bool is_blank(struct ccfc_slice line)
{
	size_t i = 0;

	while (i < line.len && ccfc_json_is_space(line.ptr[i]))
		i++;
	return i == line.len;
}

static bool is_near(const struct scan *s)
{
	return current_source(s)->own ||
	       (current_source(s)->unnamed && s->ours);
}

/*
 * Adds one record of the file; false if it is malformed, which counts only for
 * the `last` record of a line.
 */
static bool add_record_bytes(struct scan *s, const struct ccfc_line *line,
			     bool last)
{
	struct ccfc_slice bytes = ccfc_slice(line->ptr, line->len), type;
	bool whole =
		ccfc_conversation_parse(s->reader, &s->record, bytes, false);
	int64_t time;

	if (!whole) {
		if (last && is_near(s))
			count_type(s->conv, MALFORMED);
	} else if (is_record_of_session(s)) {
		type = ccfc_conversation_name(
			s->reader, s->record.fields[CCFC_FIELD_TYPE]);
		count_type(s->conv, type.len ? type : NO_TYPE);
		time = ccfc_parser_time(s->reader->parser,
					s->record.fields[CCFC_FIELD_TIME]);
		if (time != CCFC_TIME_NONE)
			s->time = time;
		add_record_line(s, line, false);
		/* A progress line is a line of the session and of the agent. */
		if (s->record.relays &&
		    ccfc_conversation_parse(s->reader, &s->record, bytes, true))
			add_agent_record(s, line);
	}
	ccfc_parser_done(s->reader->parser, bytes);
	return whole;
}

/* Adds the whole records at the start of a line, then the rest of it. */
static void add_transcript_line(struct scan *s, const struct ccfc_line *line)
{
	struct ccfc_line left = *line, piece = *line;

	if (line->too_long || line->len > UINT32_MAX) {
		if (is_near(s))
			count_type(s->conv, TOO_LONG);
		return;
	}
	if (is_blank(ccfc_slice(line->ptr, line->len)) ||
	    add_record_bytes(s, line, false))
		return;
	while ((piece.len =
			ccfc_record_split(ccfc_slice(left.ptr, left.len))) &&
	       add_record_bytes(s, &piece, false)) {
		left.ptr += piece.len;
		left.offset += piece.len;
		left.len -= piece.len;
		piece = left;
	}
	add_record_bytes(s, &left, true);
}

/* --- a transcript --- */

/* The index may have read only the beginning of the last line. */
static void add_line_up_to(struct scan *s, struct ccfc_line *line, uint64_t end)
{
	if (!line->too_long && line->len > end - line->offset)
		line->len = (size_t)(end - line->offset);
	s->conv->bytes += line->len + 1;
	add_transcript_line(s, line);
}

static int read_transcript_lines(struct scan *s, struct ccfc_cursor *cursor,
				 struct ccfc_err *err)
{
	struct ccfc_conversation_reader *reader = s->reader;
	uint64_t end = current_source(s)->end;
	struct ccfc_line line;
	int r;

	for (;;) {
		r = ccfc_tail_next(reader->tail, cursor, &line, err);
		if (r == CCFC_EAGAIN)
			return r;
		/*
		 * An unreadable line is skipped; the others can still be shown.
		 */
		if (r < 0)
			s->conv->truncated = true;
		/*
		 * A last line that the index read before its newline was
		 * written.
		 */
		if (!r && cursor->offset < end)
			r = ccfc_tail_rest(reader->tail, cursor, &line,
					   SIZE_MAX, err);
		if (r <= 0 || line.offset >= end)
			return r == CCFC_EAGAIN ? r : 0;
		add_line_up_to(s, &line, end);
		if (cursor->offset <= line.offset)
			return 0;
	}
}

static int scan_source(struct ccfc_conversation *conv,
		       struct ccfc_conversation_reader *reader, uint32_t source,
		       struct ccfc_slice find, struct ccfc_err *err)
{
	struct scan s = { .conv = conv,
			  .reader = reader,
			  .find = find,
			  .scratch = CCFC_ARENA_INIT,
			  .source = source,
			  .time = CCFC_TIME_NONE };
	struct ccfc_cursor cursor = { 0 };
	int r;

	if (ccfc_tail_open(reader->tail, conv->sources[source].path, &cursor,
			   NULL) != CCFC_TAIL_OPEN) {
		conv->truncated = true;
		return 0;
	}
	r = read_transcript_lines(&s, &cursor, err);
	ccfc_tail_close(reader->tail, &cursor);
	ccfc_arena_release(&s.scratch);
	return r;
}

int ccfc_conversation_scan(struct ccfc_conversation *conv,
			   struct ccfc_conversation_reader *reader,
			   struct ccfc_slice find, struct ccfc_err *err)
{
	int r = 0;

	for (uint32_t i = 0; i < conv->nsources && !r; i++)
		r = scan_source(conv, reader, i, find, err);
	return r;
}
