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
	uint64_t call;		/* tool_use id */
	uint64_t agent;		/* 0: this is the call, which does not know */
	uint64_t prompt;	/* of a call; 0: none */
	uint64_t name;		/* that a call gives a teammate; 0: none */
	struct ccfc_slice type; /* in `arena`; empty: not said */
};

/*
 * What `line` says of launches. Returns how many, at most `max`: several where
 * one message has several calls.
 */
uint32_t ccfc_launch_read(struct ccfc_parser *parser, struct ccfc_launch *out,
			  uint32_t max, struct ccfc_slice line,
			  struct ccfc_arena *arena);

/*
 * The prompt of an agent, out of the first user record of its own transcript;
 * 0 where that has not just one text. False: the line is no such record.
 */
bool ccfc_launch_prompt(struct ccfc_parser *parser, uint64_t *prompt,
			struct ccfc_slice line);

#endif
