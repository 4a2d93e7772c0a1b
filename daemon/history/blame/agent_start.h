/*
 * The type of an agent, from the call in the session that started it. The
 * agent's id in the result identifies the call. Without such a result, it is
 * the call whose prompt is the agent's first one, if that leaves just one type.
 *
 * The session's transcripts are read on request, each once and then only new
 * lines; the launches found are kept with the history. One question reads at
 * most CCFC_LAUNCH_READ bytes of them.
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
