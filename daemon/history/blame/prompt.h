/*
 * Why: the user's prompt that a change served. The index keeps where prompts
 * stand; their text is read when asked for.
 */
#ifndef CCFC_HISTORY_BLAME_PROMPT_H
#define CCFC_HISTORY_BLAME_PROMPT_H

#include "history/history.h"

/*
 * The text of a prompt (ccfc_query_prompt finds that of a change), unescaped,
 * in `arena`, cut to `max` bytes at a character's end. ptr NULL: its transcript
 * is gone, or the line is not that prompt any more.
 */
struct ccfc_slice ccfc_prompt_read(const struct ccfc_history_env *env,
				   const struct ccfc_prompt *prompt, size_t max,
				   struct ccfc_arena *arena);

#endif
