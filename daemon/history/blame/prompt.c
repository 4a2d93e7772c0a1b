/*
 * The prompt of a change, read again at the place that the index keeps. It is
 * only believed if the line is still that prompt.
 */
#include "history/blame/prompt.h"

#include "base/hash.h"
#include "history/chain/lines.h"
#include "transcript/content/prompt_text.h"

struct ccfc_slice ccfc_prompt_read(const struct ccfc_history_env *env,
				   const struct ccfc_prompt *prompt, size_t max,
				   struct ccfc_arena *arena)
{
	struct ccfc_arena scratch = CCFC_ARENA_INIT;
	struct ccfc_slice line =
		ccfc_history_line(env, &prompt->place, &scratch);
	struct ccfc_slice text = CCFC_SLICE_NONE;
	struct ccfc_prompt_text asked;

	if (line.len &&
	    ccfc_prompt_text_read(env->parser, &asked, line, &scratch) &&
	    ccfc_hash_slice(asked.uuid) == prompt->uuid)
		text = ccfc_arena_copy(arena, ccfc_slice_cut(asked.text, max));
	ccfc_arena_release(&scratch);
	return text;
}
