/*
 * The prompt of a change, in replies. The text is read from its transcript, so
 * it is only added on request. Consecutive changes mostly have the same prompt:
 * the request keeps the last one. If the prompts of an agent's session cannot
 * be read any more, the agent's own first prompt is used.
 */
#include "history/blame/prompt.h"

#include "serve/rpc/reply.h"

#include "base/utf8.h"

static struct ccfc_slice read_prompt(struct ccfc_request *rq,
				     const struct ccfc_prompt *prompt,
				     struct ccfc_arena *arena)
{
	if (!prompt || !rq->reading_left)
		return CCFC_SLICE_NONE;
	rq->reading_left -= prompt->place.len < rq->reading_left
				    ? prompt->place.len
				    : rq->reading_left;
	return ccfc_prompt_read(ccfc_history_env(rq->history), prompt, SIZE_MAX,
				arena);
}

struct ccfc_slice ccfc_reply_short(struct ccfc_slice s,
				   struct ccfc_arena *arena)
{
	struct ccfc_buf line = CCFC_BUF_INIT;

	ccfc_utf8_append_line(&line, s, CCFC_PROMPT_SHORT);
	s = ccfc_arena_copy(arena, ccfc_buf_view(&line));
	ccfc_buf_release(&line);
	return s;
}

/* --- agents whose session's own transcript is gone --- */

/*
 * The transcript of the agent that made the change; CCFC_ID_NONE: no agent did.
 */
static uint32_t agent_transcript(const struct ccfc_index *index,
				 const struct ccfc_change *change)
{
	uint32_t source = change->call.place.source;

	if (!ccfc_index_agent(change) || !change->call.known ||
	    source >= index->sources.n ||
	    !index->sources.items[source].is_agent)
		return CCFC_ID_NONE;
	return source;
}

/* The agent's first prompt. */
static struct ccfc_slice read_agent_prompt(struct ccfc_request *rq,
					   const struct ccfc_change *change,
					   struct ccfc_arena *arena)
{
	uint32_t source = agent_transcript(rq->index, change);

	if (source == CCFC_ID_NONE || !rq->reading_left)
		return CCFC_SLICE_NONE;
	rq->reading_left -= CCFC_HEAD_MAX < rq->reading_left ? CCFC_HEAD_MAX
							     : rq->reading_left;
	return ccfc_prompt_read_agent(ccfc_history_env(rq->history), source,
				      SIZE_MAX, arena);
}

static struct ccfc_slice agent_prompt_text(struct ccfc_request *rq,
					   const struct ccfc_change *change)
{
	uint32_t source = agent_transcript(rq->index, change);
	struct ccfc_arena scratch = CCFC_ARENA_INIT;

	if (source == CCFC_ID_NONE)
		return CCFC_SLICE_NONE;
	if (rq->agent != source + 1) {
		rq->agent = source + 1;
		rq->agent_text = ccfc_reply_short(
			read_agent_prompt(rq, change, &scratch), rq->arena);
		ccfc_arena_release(&scratch);
	}
	return rq->agent_text;
}

/* --- any change --- */

struct ccfc_slice ccfc_reply_prompt_text(struct ccfc_request *rq,
					 const struct ccfc_change *change)
{
	const struct ccfc_prompt *prompt = ccfc_query_prompt(rq->index, change);
	struct ccfc_arena scratch = CCFC_ARENA_INIT;

	if (!rq->prompt || rq->prompt != prompt) {
		rq->prompt = prompt;
		rq->prompt_text = ccfc_reply_short(
			read_prompt(rq, prompt, &scratch), rq->arena);
		ccfc_arena_release(&scratch);
	}
	return rq->prompt_text.len ? rq->prompt_text
				   : agent_prompt_text(rq, change);
}

void ccfc_reply_prompt(struct ccfc_request *rq,
		       const struct ccfc_change *change)
{
	ccfc_reply_str(rq->pack, "prompt", ccfc_reply_prompt_text(rq, change));
}

bool ccfc_reply_prompt_full(struct ccfc_request *rq,
			    const struct ccfc_change *change)
{
	struct ccfc_arena scratch = CCFC_ARENA_INIT;
	struct ccfc_slice text =
		read_prompt(rq, ccfc_query_prompt(rq->index, change), &scratch);
	struct ccfc_slice shown;

	if (!text.len)
		text = read_agent_prompt(rq, change, &scratch);
	shown = ccfc_slice_cut(text, CCFC_CONTENT_MAX_BYTES);
	ccfc_reply_str(rq->pack, "promptFull", shown);
	ccfc_arena_release(&scratch);
	return shown.len < text.len;
}
