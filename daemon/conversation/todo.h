/* A task list while calls are applied; see tasks.c. */
#ifndef CCFC_CONVERSATION_TODO_H
#define CCFC_CONVERSATION_TODO_H

#include "conversation/conversation_internal.h"

/* Fields of a call's input, of a task, and of a result. */
enum ccfc_todo_field {
	CCFC_TODO_TODOS,
	CCFC_TODO_CONTENT,
	CCFC_TODO_SUBJECT,
	CCFC_TODO_STATUS,
	CCFC_TODO_ACTIVE,
	CCFC_TODO_DESCRIPTION,
	CCFC_TODO_ID,
	CCFC_TODO_TASK_ID,
	CCFC_TODO_OWNER,
	CCFC_TODO_BLOCKED_BY,
	CCFC_TODO_BLOCKS,
	CCFC_TODO_TASK,
	CCFC_TODO_SUCCESS,
	CCFC_TODO_COUNT
};

/* The outcome of a call. */
struct ccfc_todo_made {
	uint64_t call;
	struct ccfc_slice id; /* id of the created task */
	bool failed;
};

struct ccfc_todo {
	struct ccfc_conversation_reader *reader;
	const struct ccfc_conversation *conv;
	struct ccfc_arena *arena;
	struct ccfc_json_keys keys;
	size_t max;
	bool cut;
	struct {
		struct ccfc_conversation_task *items;
		uint32_t n, cap;
	} tasks;
	struct {
		struct ccfc_todo_made *items;
		uint32_t n, cap;
	} outcomes;
};

/* `conv` may be NULL: then only the results of these calls are known. */
void ccfc_todo_init(struct ccfc_todo *p,
		    struct ccfc_conversation_reader *reader,
		    const struct ccfc_conversation *conv, size_t max,
		    struct ccfc_arena *arena);
/* A value of the current line as text; ptr NULL: none. */
struct ccfc_slice ccfc_todo_text(struct ccfc_todo *p, uint32_t tok);
/* tasks.c: the result of a call, or NULL. */
const struct ccfc_todo_made *ccfc_todo_outcome(const struct ccfc_todo *p,
					       uint64_t call);

/* The calls, with the fields of their input. */
void ccfc_todo_todos(struct ccfc_todo *p, uint32_t list);
void ccfc_todo_create(struct ccfc_todo *p, const uint32_t *f, uint64_t call);
void ccfc_todo_update(struct ccfc_todo *p, const uint32_t *f, bool gone);

#endif
