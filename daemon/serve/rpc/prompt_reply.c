/*
 * Why a change was made, in replies. The text is read from its transcript, so
 * it is only given where it was asked for. Changes that follow one another
 * mostly serve the same prompt: the last one read is kept for the request.
 */
#include "history/blame/prompt.h"

#include "serve/rpc/reply.h"

#define ELLIPSIS "\xe2\x80\xa6"

static struct ccfc_slice read_prompt(struct ccfc_request *rq,
				     const struct ccfc_prompt *prompt,
				     struct ccfc_arena *arena)
{
	if (!prompt || !rq->reading_left)
		return CCFC_SLICE_NONE;
	rq->reading_left -= prompt->place.len < rq->reading_left
				    ? prompt->place.len
				    : rq->reading_left;
	return ccfc_prompt_read(ccfc_history_env(rq->service->history), prompt,
				SIZE_MAX, arena);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct ccfc_slice ccfc_reply_short(struct ccfc_slice s,
				   struct ccfc_arena *arena)
{
	char *out = ccfc_arena_alloc(arena,
				     4 * CCFC_PROMPT_SHORT + sizeof(ELLIPSIS));
	size_t n = 0, chars = 0, last = 0;

	for (size_t i = 0; i < s.len; i++) {
		bool space = is_space(s.ptr[i]);

		if (space && i + 1 < s.len && is_space(s.ptr[i + 1]))
			continue;
		if (((unsigned char)s.ptr[i] & 0xc0) != 0x80)
			chars++;
		if (chars > CCFC_PROMPT_SHORT || n == 4 * CCFC_PROMPT_SHORT) {
			memcpy(out + last, ELLIPSIS, sizeof(ELLIPSIS) - 1);
			return ccfc_slice(out, last + sizeof(ELLIPSIS) - 1);
		}
		if (chars < CCFC_PROMPT_SHORT)
			last = n + 1;
		out[n++] = space ? ' ' : s.ptr[i];
	}
	return ccfc_slice(out, n);
}

void ccfc_reply_prompt(struct ccfc_request *rq,
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
	ccfc_reply_str(rq->pack, "prompt", rq->prompt_text);
}

bool ccfc_reply_prompt_full(struct ccfc_request *rq,
			    const struct ccfc_change *change)
{
	struct ccfc_arena scratch = CCFC_ARENA_INIT;
	struct ccfc_slice text =
		read_prompt(rq, ccfc_query_prompt(rq->index, change), &scratch);
	struct ccfc_slice shown = ccfc_slice_cut(text, CCFC_CONTENT_MAX_BYTES);

	ccfc_reply_str(rq->pack, "promptFull", shown);
	ccfc_arena_release(&scratch);
	return shown.len < text.len;
}
