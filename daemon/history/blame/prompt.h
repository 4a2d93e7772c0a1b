/*
 * The user's prompt before a change. The index has the places of prompts; their
 * text is read on request.
 */
#ifndef CCFC_HISTORY_BLAME_PROMPT_H
#define CCFC_HISTORY_BLAME_PROMPT_H

#include "history/history.h"

/*
 * The text of a prompt (ccfc_query_prompt finds the prompt of a change),
 * unescaped, in `arena`, cut to `max` bytes at the end of a character. ptr
 * NULL: its transcript is gone, or the line is not that prompt any more.
 */
struct ccfc_slice ccfc_prompt_read(const struct ccfc_history_env *env,
				   const struct ccfc_prompt *prompt, size_t max,
				   struct ccfc_arena *arena);

/*
 * The first prompt in `source`, the transcript of an agent, as above. For
 * changes of agents whose session's transcript is gone.
 */
struct ccfc_slice ccfc_prompt_read_agent(const struct ccfc_history_env *env,
					 uint32_t source, size_t max,
					 struct ccfc_arena *arena);

/*
 * The beginning of a transcript, at most CCFC_HEAD_MAX bytes, valid until the
 * tail reads something else; empty when it cannot be read.
 */
#define CCFC_HEAD_MAX ((size_t)1 << 20)
struct ccfc_slice ccfc_history_head(const struct ccfc_history_env *env,
				    const struct ccfc_source *source);

#endif
