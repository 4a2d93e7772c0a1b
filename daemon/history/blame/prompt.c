/*
 * The prompt of a change, read again at the place that the index has. The line
 * counts only if it still is that prompt. An agent's own prompt is at the
 * beginning of its transcript.
 */
#include "history/blame/prompt.h"

#include "base/hash.h"
#include "history/chain/lines.h"
#include "source/tail.h"
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

struct ccfc_slice ccfc_history_head(const struct ccfc_history_env *env,
				    const struct ccfc_source *source)
{
	const char *path = ccfc_index_str(env->index, source->path).ptr;
	uint64_t end = source->cursor.offset;
	size_t size = end < CCFC_HEAD_MAX ? (size_t)end : CCFC_HEAD_MAX;
	struct ccfc_slice bytes;
	int r;

	/* The tail may have a smaller limit. */
	do {
		r = ccfc_tail_read_at(env->tail, &bytes, path, 0, size, NULL);
		size /= 2;
	} while (r == CCFC_ETOOBIG && size);
	return r ? CCFC_SLICE_NONE : bytes;
}

/* Cuts the first line off *bytes and returns a padded copy. */
static bool take_first_line(struct ccfc_slice *line, struct ccfc_slice *bytes,
			    struct ccfc_arena *arena)
{
	const char *nl =
		bytes->len ? memchr(bytes->ptr, '\n', bytes->len) : NULL;
	size_t len = nl ? (size_t)(nl - bytes->ptr) : 0;
	char *copy;

	if (!nl)
		return false;
	copy = ccfc_arena_alloc(arena, len + CCFC_TAIL_PADDING);
	memcpy(copy, bytes->ptr, len);
	memset(copy + len, 0, CCFC_TAIL_PADDING);
	*line = ccfc_slice(copy, len);
	*bytes = ccfc_slice(nl + 1, bytes->len - len - 1);
	return true;
}

struct ccfc_slice ccfc_prompt_read_agent(const struct ccfc_history_env *env,
					 uint32_t source, size_t max,
					 struct ccfc_arena *arena)
{
	struct ccfc_arena scratch = CCFC_ARENA_INIT;
	struct ccfc_slice text = CCFC_SLICE_NONE, line, bytes;
	struct ccfc_prompt_text prompt;

	if (ccfc_source_where(&env->index->sources.items[source]) ==
	    CCFC_WHERE_GONE)
		return text;
	bytes = ccfc_history_head(env, &env->index->sources.items[source]);
	while (!text.len && take_first_line(&line, &bytes, &scratch)) {
		if (ccfc_prompt_text_read(env->parser, &prompt, line, &scratch))
			text = ccfc_arena_copy(
				arena, ccfc_slice_cut(prompt.text, max));
		ccfc_arena_clear(&scratch);
	}
	ccfc_arena_release(&scratch);
	return text;
}
