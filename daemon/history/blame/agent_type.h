/* The name of an agent's type. */
#ifndef CCFC_HISTORY_BLAME_AGENT_TYPE_H
#define CCFC_HISTORY_BLAME_AGENT_TYPE_H

#include "history/history.h"

/*
 * The type of the agent with this transcript, in `arena`: from the note beside
 * it (agent-<id>.meta.json), else from the session that started it
 * (agent_start.h). Empty: not an agent, or not known.
 */
struct ccfc_slice ccfc_agent_type(struct ccfc_history *history, uint32_t source,
				  struct ccfc_arena *arena);

#endif
