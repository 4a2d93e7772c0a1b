/*
 * The plan of a session. There are two kinds of planning tools, and the one
 * that was used last has the plan: TodoWrite gives all of it in each call, so
 * the last call counts; TaskCreate and TaskUpdate change one task at a time, so
 * all calls are applied in order. A task's id is in the result of its
 * TaskCreate. Failed calls do not count.
 */
#include "conversation/todo.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

#define RESULTS	  65536u
#define CREATED	  "Task #"
#define NOT_FOUND "Task not found"

/* --- which lines --- */

static unsigned plans_by_name(struct ccfc_slice name)
{
	if (ccfc_slice_is(name, "TodoWrite"))
		return CCFC_CONVERSATION_TODO;
	return ccfc_slice_is(name, "TaskCreate") ||
			       ccfc_slice_is(name, "TaskUpdate") ||
			       ccfc_slice_is(name, "TaskDelete")
		       ? CCFC_CONVERSATION_TASK
		       : 0;
}

/* The text of a result: the string, or the text of its first block. */
static struct ccfc_slice result_text(struct ccfc_parser *parser,
				     const uint32_t *block)
{
	uint32_t content = block[CCFC_BLOCK_CONTENT];
	uint32_t inner[CCFC_BLOCK_COUNT];

	if (!content || !ccfc_json_is_array(&parser->json, content))
		return ccfc_json_string(&parser->json, content);
	ccfc_json_fields(&parser->json, ccfc_json_child(&parser->json, content),
			 &parser->block_keys, inner);
	return ccfc_json_string(&parser->json, inner[CCFC_BLOCK_TEXT]);
}

/* "1" of "Task #1 created successfully: …" */
static struct ccfc_slice created_id(struct ccfc_slice text)
{
	size_t n = sizeof(CREATED) - 1;

	if (!ccfc_slice_starts(text, CREATED))
		return CCFC_SLICE_NONE;
	while (n < text.len && text.ptr[n] >= '0' && text.ptr[n] <= '9')
		n++;
	return ccfc_slice(text.ptr + sizeof(CREATED) - 1,
			  n - (sizeof(CREATED) - 1));
}

/* Does the result have a task's id, or an error? */
static bool has_task_result(struct ccfc_conversation_reader *reader,
			    const struct ccfc_conversation_record *record)
{
	const struct ccfc_json *json = &reader->parser->json;
	uint32_t f[2];

	ccfc_json_fields(json, record->fields[CCFC_FIELD_RESULT],
			 &reader->task_keys, f);
	return f[0] || (f[1] && ccfc_json_first(json, f[1]) == 'f');
}

unsigned ccfc_conversation_plans(struct ccfc_conversation_reader *reader,
				 const struct ccfc_conversation_record *record)
{
	struct ccfc_parser *parser = reader->parser;
	uint32_t b[CCFC_BLOCK_COUNT], at = record->first;
	unsigned bits = 0;

	if (record->kind == CCFC_CONVERSATION_USER && at &&
	    has_task_result(reader, record))
		bits = CCFC_CONVERSATION_TASK;
	for (; at; at = ccfc_parser_next_block(parser, at)) {
		struct ccfc_slice text;

		ccfc_parser_block(parser, at, b);
		if (record->kind == CCFC_CONVERSATION_ASSISTANT) {
			bits |= plans_by_name(ccfc_json_string(
				&parser->json, b[CCFC_BLOCK_NAME]));
			continue;
		}
		text = result_text(parser, b);
		if (ccfc_slice_starts(text, CREATED) ||
		    ccfc_slice_starts(text, NOT_FOUND))
			bits |= CCFC_CONVERSATION_TASK;
	}
	return bits;
}

/* --- results --- */

static void note_task_result(struct ccfc_todo *p,
			     const struct ccfc_conversation_record *r,
			     const uint32_t *block, bool only)
{
	struct ccfc_parser *parser = p->reader->parser;
	const struct ccfc_json *json = &parser->json;
	struct ccfc_todo_made o = { 0 };
	uint32_t detail[CCFC_TODO_COUNT] = { 0 }, task[CCFC_TODO_COUNT] = { 0 };

	o.call = ccfc_conversation_hash(p->reader, block[CCFC_BLOCK_CALL_ID]);
	if (only)
		ccfc_json_fields(json, r->fields[CCFC_FIELD_RESULT], &p->keys,
				 detail);
	ccfc_json_fields(json, detail[CCFC_TODO_TASK], &p->keys, task);
	o.id = ccfc_todo_text(p, task[CCFC_TODO_ID]);
	if (!o.id.len)
		o.id = ccfc_arena_copy(p->arena,
				       created_id(result_text(parser, block)));
	o.failed =
		(detail[CCFC_TODO_SUCCESS] &&
		 ccfc_json_first(json, detail[CCFC_TODO_SUCCESS]) == 'f') ||
		ccfc_slice_starts(result_text(parser, block), "Task not found");
	if (p->outcomes.n < RESULTS)
		CCFC_VEC_PUSH(p->outcomes, o);
}

static void note_task_results(struct ccfc_todo *p,
			      const struct ccfc_conversation_record *r)
{
	struct ccfc_parser *parser = p->reader->parser;
	bool only = r->first && !ccfc_parser_next_block(parser, r->first);
	uint32_t b[CCFC_BLOCK_COUNT], at = r->first;

	for (; at; at = ccfc_parser_next_block(parser, at)) {
		ccfc_parser_block(parser, at, b);
		if (ccfc_slice_is(
			    ccfc_json_string(&parser->json, b[CCFC_BLOCK_TYPE]),
			    "tool_result"))
			note_task_result(p, r, b, only);
	}
}

static int by_call(const void *a, const void *b)
{
	uint64_t x = ((const struct ccfc_todo_made *)a)->call;
	uint64_t y = ((const struct ccfc_todo_made *)b)->call;

	return (x > y) - (x < y);
}

const struct ccfc_todo_made *ccfc_todo_outcome(const struct ccfc_todo *p,
					       uint64_t call)
{
	struct ccfc_todo_made key = { .call = call };

	return p->outcomes.n ? bsearch(&key, p->outcomes.items, p->outcomes.n,
				       sizeof(key), by_call)
			     : NULL;
}

static bool did_call_fail(const struct ccfc_todo *p, uint64_t call)
{
	const struct ccfc_todo_made *o = ccfc_todo_outcome(p, call);

	return (p->conv && ccfc_conversation_failed(p->conv, call)) ||
	       (o && o->failed);
}

/* The planning calls of a record of `kind`; true when any counted. */
static bool apply_calls(struct ccfc_todo *p,
			const struct ccfc_conversation_record *r, unsigned kind)
{
	struct ccfc_parser *parser = p->reader->parser;
	uint32_t b[CCFC_BLOCK_COUNT], f[CCFC_TODO_COUNT], at = r->first;
	bool any = false;

	for (; at; at = ccfc_parser_next_block(parser, at)) {
		struct ccfc_slice name;
		uint64_t call;

		ccfc_parser_block(parser, at, b);
		name = ccfc_json_string(&parser->json, b[CCFC_BLOCK_NAME]);
		call = ccfc_conversation_hash(p->reader, b[CCFC_BLOCK_ID]);
		if (plans_by_name(name) != kind || did_call_fail(p, call))
			continue;
		any = true;
		ccfc_json_fields(&parser->json, b[CCFC_BLOCK_INPUT], &p->keys,
				 f);
		if (kind == CCFC_CONVERSATION_TODO)
			ccfc_todo_todos(p, f[CCFC_TODO_TODOS]);
		else if (ccfc_slice_is(name, "TaskCreate"))
			ccfc_todo_create(p, f, call);
		else
			ccfc_todo_update(p, f,
					 ccfc_slice_is(name, "TaskDelete"));
	}
	return any;
}

/* --- the two kinds of plan --- */

static bool is_mine(const struct ccfc_todo *p, uint32_t at, unsigned kind)
{
	uint32_t line = p->conv->order[at];
	const struct ccfc_conversation_line *l = &p->conv->lines.items[line];

	return (l->tasks & kind) && !l->copy &&
	       ccfc_conversation_agent_of(p->conv, line) ==
		       CCFC_CONVERSATION_NONE;
}

/* Opens a line of the session's thread that may have planning calls. */
static bool open_plan(struct ccfc_todo *p, struct ccfc_conversation_record *r,
		      uint32_t at, unsigned kind)
{
	if (!is_mine(p, at, kind))
		return false;
	if (ccfc_conversation_open(p->reader, r, p->conv, p->conv->order[at]))
		return true;
	p->cut = true;
	return false;
}

/* Finds the last todo list; returns its place, from 1, or 0. */
static uint32_t last_todo(struct ccfc_todo *p)
{
	struct ccfc_conversation_record r;
	uint32_t i = p->conv->lines.n;

	while (i-- > 0)
		if (open_plan(p, &r, i, CCFC_CONVERSATION_TODO) &&
		    apply_calls(p, &r, CCFC_CONVERSATION_TODO))
			return i + 1;
	return 0;
}

static void sort_outcomes(struct ccfc_todo *p)
{
	if (p->outcomes.n)
		qsort(p->outcomes.items, p->outcomes.n,
		      sizeof(*p->outcomes.items), by_call);
}

/* Applies all calls; returns the place of the last, from 1, or 0. */
static uint32_t apply_all_calls(struct ccfc_todo *p)
{
	struct ccfc_conversation_record r;
	uint32_t last = 0;

	for (uint32_t i = 0; i < p->conv->lines.n; i++)
		if (open_plan(p, &r, i, CCFC_CONVERSATION_TASK) &&
		    r.kind == CCFC_CONVERSATION_USER)
			note_task_results(p, &r);
	sort_outcomes(p);
	for (uint32_t i = 0; i < p->conv->lines.n; i++)
		if (open_plan(p, &r, i, CCFC_CONVERSATION_TASK) &&
		    r.kind == CCFC_CONVERSATION_ASSISTANT &&
		    apply_calls(p, &r, CCFC_CONVERSATION_TASK))
			last = i + 1;
	return last;
}

/* Returns the task list that was used last. */
static void put_task_list(struct ccfc_conversation_tasks *out,
			  struct ccfc_todo *tasks, struct ccfc_todo *todos,
			  bool todo)
{
	const struct ccfc_todo *p = todo ? todos : tasks;

	*out = (struct ccfc_conversation_tasks){
		.n = p->tasks.n, .truncated = tasks->cut || todos->cut
	};
	out->items =
		ccfc_arena_alloc(p->arena, (out->n + 1) * sizeof(*out->items));
	if (out->n)
		memcpy(out->items, p->tasks.items,
		       out->n * sizeof(*out->items));
	free(tasks->tasks.items);
	free(tasks->outcomes.items);
	free(todos->tasks.items);
}

void ccfc_conversation_tasks(struct ccfc_conversation_tasks *out,
			     struct ccfc_conversation_reader *reader,
			     const struct ccfc_conversation *conv, size_t max,
			     struct ccfc_arena *arena)
{
	struct ccfc_todo tasks, todos;
	uint32_t task;

	ccfc_todo_init(&tasks, reader, conv, max, arena);
	ccfc_todo_init(&todos, reader, conv, max, arena);
	task = apply_all_calls(&tasks);
	put_task_list(out, &tasks, &todos, last_todo(&todos) > task);
}

void ccfc_conversation_tasks_left(struct ccfc_conversation_tasks *out,
				  struct ccfc_conversation_reader *reader,
				  const struct ccfc_slice *blocks, uint32_t n,
				  size_t max, struct ccfc_arena *arena)
{
	struct ccfc_todo tasks, todos;
	struct ccfc_conversation_record r;
	bool todo = false;

	ccfc_todo_init(&tasks, reader, NULL, max, arena);
	ccfc_todo_init(&todos, reader, NULL, max, arena);
	for (uint32_t i = 0; i < n; i++)
		if (ccfc_conversation_parse(reader, &r, blocks[i], false) &&
		    r.kind == CCFC_CONVERSATION_USER)
			note_task_results(&tasks, &r);
	sort_outcomes(&tasks);
	for (uint32_t i = 0; i < n; i++) {
		if (!ccfc_conversation_parse(reader, &r, blocks[i], false) ||
		    r.kind != CCFC_CONVERSATION_ASSISTANT)
			continue;
		if (apply_calls(&tasks, &r, CCFC_CONVERSATION_TASK))
			todo = false;
		if (apply_calls(&todos, &r, CCFC_CONVERSATION_TODO))
			todo = true;
	}
	put_task_list(out, &tasks, &todos, todo);
}
