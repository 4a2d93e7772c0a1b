/* Changes of single tasks: creating, updating, merging, removing. */
#include "conversation/todo.h"

#include "base/alloc.h"

#define TASKS	4096u
#define BLOCKED 64u

static const char *const names[CCFC_TODO_COUNT] = {
	[CCFC_TODO_TODOS] = "todos",
	[CCFC_TODO_CONTENT] = "content",
	[CCFC_TODO_SUBJECT] = "subject",
	[CCFC_TODO_STATUS] = "status",
	[CCFC_TODO_ACTIVE] = "activeForm",
	[CCFC_TODO_DESCRIPTION] = "description",
	[CCFC_TODO_ID] = "id",
	[CCFC_TODO_TASK_ID] = "taskId",
	[CCFC_TODO_OWNER] = "owner",
	[CCFC_TODO_BLOCKED_BY] = "addBlockedBy",
	[CCFC_TODO_BLOCKS] = "addBlocks",
	[CCFC_TODO_TASK] = "task",
	[CCFC_TODO_SUCCESS] = "success",
};

void ccfc_todo_init(struct ccfc_todo *p,
		    struct ccfc_conversation_reader *reader,
		    const struct ccfc_conversation *conv, size_t max,
		    struct ccfc_arena *arena)
{
	*p = (struct ccfc_todo){
		.reader = reader, .conv = conv, .arena = arena, .max = max
	};
	ccfc_json_keys_init(&p->keys, names, CCFC_TODO_COUNT);
}

struct ccfc_slice ccfc_todo_text(struct ccfc_todo *p, uint32_t tok)
{
	const struct ccfc_json *json = &p->reader->parser->json;

	if (!tok || ccfc_json_first(json, tok) == 'n')
		return CCFC_SLICE_NONE;
	return ccfc_conversation_value(json, tok, p->max, &p->cut, p->arena);
}

/* --- one task --- */

static struct ccfc_slice task_status(struct ccfc_slice s)
{
	return ccfc_slice_is(s, "in_progress") || ccfc_slice_is(s, "completed")
		       ? s
		       : CCFC_SLICE_LIT("pending");
}

static void set_text(struct ccfc_todo *p, struct ccfc_slice *out, uint32_t tok)
{
	struct ccfc_slice s = ccfc_todo_text(p, tok);

	if (s.ptr)
		*out = s;
}

static void fill_task(struct ccfc_todo *p, struct ccfc_conversation_task *task,
		      const uint32_t *f)
{
	set_text(p, &task->content,
		 f[CCFC_TODO_CONTENT] ? f[CCFC_TODO_CONTENT]
				      : f[CCFC_TODO_SUBJECT]);
	set_text(p, &task->active, f[CCFC_TODO_ACTIVE]);
	set_text(p, &task->description, f[CCFC_TODO_DESCRIPTION]);
	set_text(p, &task->owner, f[CCFC_TODO_OWNER]);
	if (f[CCFC_TODO_STATUS] || !task->status.len)
		task->status =
			task_status(ccfc_todo_text(p, f[CCFC_TODO_STATUS]));
}

static void add_task(struct ccfc_todo *p,
		     const struct ccfc_conversation_task *task)
{
	if (p->tasks.n < TASKS)
		CCFC_VEC_PUSH(p->tasks, *task);
	else
		p->cut = true;
}

static struct ccfc_conversation_task *find_task(struct ccfc_todo *p,
						struct ccfc_slice id)
{
	for (uint32_t i = 0; id.len && i < p->tasks.n; i++)
		if (ccfc_slice_eq(p->tasks.items[i].id, id))
			return &p->tasks.items[i];
	return NULL;
}

static void add_blocker(struct ccfc_todo *p,
			struct ccfc_conversation_task *task,
			struct ccfc_slice by)
{
	if (!task || !by.len)
		return;
	for (uint32_t i = 0; i < task->nblocked; i++)
		if (ccfc_slice_eq(task->blocked_by[i], by))
			return;
	if (!task->blocked_by)
		task->blocked_by = ccfc_arena_alloc(
			p->arena, BLOCKED * sizeof(*task->blocked_by));
	if (task->nblocked < BLOCKED)
		task->blocked_by[task->nblocked++] = by;
}

static void link_tasks(struct ccfc_todo *p, struct ccfc_conversation_task *task,
		       const uint32_t *f)
{
	const struct ccfc_json *json = &p->reader->parser->json;
	uint32_t at = 0;

	if (f[CCFC_TODO_BLOCKED_BY] &&
	    ccfc_json_is_array(json, f[CCFC_TODO_BLOCKED_BY]))
		at = ccfc_json_child(json, f[CCFC_TODO_BLOCKED_BY]);
	for (; at; at = ccfc_json_next(json, at))
		add_blocker(p, task, ccfc_todo_text(p, at));
	if (f[CCFC_TODO_BLOCKS] &&
	    ccfc_json_is_array(json, f[CCFC_TODO_BLOCKS]))
		at = ccfc_json_child(json, f[CCFC_TODO_BLOCKS]);
	for (; at; at = ccfc_json_next(json, at))
		add_blocker(p, find_task(p, ccfc_todo_text(p, at)), task->id);
}

static void drop_task(struct ccfc_todo *p,
		      const struct ccfc_conversation_task *task)
{
	uint32_t i = (uint32_t)(task - p->tasks.items);

	memmove(p->tasks.items + i, p->tasks.items + i + 1,
		(p->tasks.n - i - 1) * sizeof(*task));
	p->tasks.n--;
}

/* --- calls --- */

void ccfc_todo_create(struct ccfc_todo *p, const uint32_t *f, uint64_t call)
{
	const struct ccfc_todo_made *o = ccfc_todo_outcome(p, call);
	struct ccfc_conversation_task task = { 0 };

	if (o)
		task.id = o->id;
	fill_task(p, &task, f);
	add_task(p, &task);
}

void ccfc_todo_update(struct ccfc_todo *p, const uint32_t *f, bool gone)
{
	struct ccfc_slice id =
		ccfc_todo_text(p, f[CCFC_TODO_TASK_ID] ? f[CCFC_TODO_TASK_ID]
						       : f[CCFC_TODO_ID]);
	struct ccfc_conversation_task *task = find_task(p, id);

	if (!task)
		return;
	if (gone ||
	    ccfc_slice_is(ccfc_todo_text(p, f[CCFC_TODO_STATUS]), "deleted")) {
		drop_task(p, task);
		return;
	}
	fill_task(p, task, f);
	link_tasks(p, task, f);
}

void ccfc_todo_todos(struct ccfc_todo *p, uint32_t list)
{
	const struct ccfc_json *json = &p->reader->parser->json;
	uint32_t at = 0, f[CCFC_TODO_COUNT];

	p->tasks.n = 0;
	if (list && ccfc_json_is_array(json, list))
		at = ccfc_json_child(json, list);
	for (; at; at = ccfc_json_next(json, at)) {
		struct ccfc_conversation_task task = { 0 };

		ccfc_json_fields(json, at, &p->keys, f);
		set_text(p, &task.id, f[CCFC_TODO_ID]);
		fill_task(p, &task, f);
		add_task(p, &task);
	}
}
