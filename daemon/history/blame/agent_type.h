/* What kind of agent it is: the name of its type, as its maker chose it. */
#ifndef CCFC_HISTORY_BLAME_AGENT_TYPE_H
#define CCFC_HISTORY_BLAME_AGENT_TYPE_H

#include "history/history.h"

/*
 * The type of the agent whose transcript the source is, in `arena`: as the
 * note beside it says (agent-<id>.meta.json), else as the session that started
 * it does (agent_start.h). Empty: no agent's, or not known.
 */
struct ccfc_slice ccfc_agent_type(struct ccfc_history *history, uint32_t source,
				  struct ccfc_arena *arena);

#endif
