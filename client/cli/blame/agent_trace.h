/*
 * A file's lines as a record of the Agent Trace format (agent-trace.dev,
 * version 0.1): which lines came from which conversation and model, which from
 * people, and which are unknown.
 */
#ifndef CCFC_CLI_BLAME_AGENT_TRACE_H
#define CCFC_CLI_BLAME_AGENT_TRACE_H

#include "cli/blame/blame_line.h"

/*
 * Prints the record of a blame. `path` is the file's absolute name. In a git
 * work tree the record has the path relative to its top, and if `now` (the file
 * as it is on disk) the checked-out revision.
 */
void ccfc_agent_trace(struct ccfc_out *out, const struct ccfc_blame_view *view,
		      const char *path, bool now);

#endif
