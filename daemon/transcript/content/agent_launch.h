/*
 * How agents were started, as the transcript of the session that did it tells:
 *
 *   the call (Task, later Agent)  its id, the prompt, the type asked for
 *   its result                    the agent's id, in newer clients its type;
 *                                 of an agent in the background too
 *   progress of an agent          the call's id and the agent's
 *
 * Ids and prompts are hashes: they are only ever compared. Pure; `line` is
 * padded as for ccfc_record_parse.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_AGENT_LAUNCH_H
#define CCFC_TRANSCRIPT_CONTENT_AGENT_LAUNCH_H

#include "transcript/record.h"

struct ccfc_launch {
	uint64_t call; /* tool_use id */
	/* 0: the line is the call, which does not have it */
	uint64_t agent;
	uint64_t prompt; /* in a call; 0: none */
	/* name that a call gives to a teammate; 0: none */
	uint64_t name;
	struct ccfc_slice type; /* in `arena`; empty: not recorded */
};

/*
 * Reads the launches in `line`. Returns their number, at most `max`: a message
 * may have several calls.
 */
uint32_t ccfc_launch_read(struct ccfc_parser *parser, struct ccfc_launch *out,
			  uint32_t max, struct ccfc_slice line,
			  struct ccfc_arena *arena);

/*
 * The prompt of an agent, from the first user record of its own transcript; 0
 * if that record does not have exactly one text. False: the line is not such a
 * record.
 */
bool ccfc_launch_prompt(struct ccfc_parser *parser, uint64_t *prompt,
			struct ccfc_slice line);

#endif
