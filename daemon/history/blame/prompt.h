/*
 * Why: the user's prompt that a change served. The index keeps where prompts
 * stand; their text is read when asked for.
 */
#ifndef CCFC_HISTORY_BLAME_PROMPT_H
#define CCFC_HISTORY_BLAME_PROMPT_H

#include "history/history.h"

/*
 * The text of the prompt that was the session's last one when the call was
 * made (for a subagent's change: the parent session's), unescaped, in `arena`,
 * cut to `max` bytes at a character's end. ptr NULL: not known, or its
 * transcript is gone.
 */
struct ccfc_slice ccfc_prompt_of(const struct ccfc_history_env *env,
				 uint32_t change, size_t max,
				 struct ccfc_arena *arena);

/* The same of a prompt, for who has found it (ccfc_query_prompt). */
struct ccfc_slice ccfc_prompt_read(const struct ccfc_history_env *env,
				   const struct ccfc_prompt *prompt, size_t max,
				   struct ccfc_arena *arena);

#endif
