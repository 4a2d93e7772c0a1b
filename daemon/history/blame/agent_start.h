/*
 * The type of an agent, by the session that started it: what the call asked
 * for. Which call it was, the agent's id in its result tells. Where there is no
 * such result, it is the call whose prompt is the agent's first one, if that
 * leaves just one type.
 *
 * The session's transcripts are read when somebody asks, each once and then
 * only what was added, and what they say of launches is kept with the history.
 * One question reads at most CCFC_LAUNCH_READ bytes of them.
 */
#ifndef CCFC_HISTORY_BLAME_AGENT_START_H
#define CCFC_HISTORY_BLAME_AGENT_START_H

#include "history/history.h"

/* A longer transcript is read from its end, up to this many bytes. */
#define CCFC_LAUNCH_READ ((uint64_t)64 << 20)

struct ccfc_launches;

/* May be NULL. */
void ccfc_launches_free(struct ccfc_launches *launches);

/*
 * The type of the agent whose transcript is `source`, in `arena`. Empty: not
 * known.
 */
struct ccfc_slice ccfc_launch_type(struct ccfc_history *history,
				   uint32_t source, struct ccfc_arena *arena);

#endif
