/* Types of agents; see agent_type.h. */
#include "history/blame/agent_type.h"

#include "history/blame/agent_start.h"
#include "history/file/read_file.h"
#include "transcript/json/json.h"
#include "transcript/json/unescape.h"

#define NOTE_MAX ((size_t)256 << 10)
#define TYPE_MAX 200
#define TAIL	 ".jsonl"

static struct ccfc_slice read_type(struct ccfc_slice note,
				   struct ccfc_arena *arena)
{
	static const char *const names[] = { "agentType" };
	struct ccfc_slice type = CCFC_SLICE_NONE;
	struct ccfc_json_keys keys;
	struct ccfc_json json;
	uint32_t tok = 0;

	ccfc_json_init(&json);
	ccfc_json_keys_init(&keys, names, 1);
	if (ccfc_json_parse(&json, note)) {
		ccfc_json_root_fields(&json, &keys, &tok);
		if (tok)
			type = ccfc_unescape_name(
				arena, ccfc_json_string(&json, tok), TYPE_MAX);
	}
	if (type.len)
		type = ccfc_arena_copy(arena, type);
	ccfc_json_release(&json);
	return type;
}

/* The type in the note beside the transcript (agent-<id>.meta.json). */
static struct ccfc_slice read_noted_type(struct ccfc_slice path,
					 const struct ccfc_attic *attic,
					 struct ccfc_arena *arena)
{
	struct ccfc_buf name = CCFC_BUF_INIT, note = CCFC_BUF_INIT;
	struct ccfc_slice type = CCFC_SLICE_NONE;
	struct ccfc_file_info info;

	ccfc_buf_append(&name, path.ptr, path.len - (sizeof(TAIL) - 1));
	ccfc_buf_puts(&name, ".meta.json");
	if (!ccfc_file_read_kept(&note, &info, attic, name.ptr, NOTE_MAX) &&
	    info.regular) {
		size_t len = note.len;

		/* The parser reads beyond the end. */
		memset(ccfc_buf_reserve(&note, CCFC_TAIL_PADDING), 0,
		       CCFC_TAIL_PADDING);
		type = read_type(ccfc_slice(note.ptr, len), arena);
	}
	ccfc_buf_release(&name);
	ccfc_buf_release(&note);
	return type;
}

struct ccfc_slice ccfc_agent_type(struct ccfc_history *history, uint32_t source,
				  struct ccfc_arena *arena)
{
	const struct ccfc_index *index = ccfc_history_env(history)->index;
	const struct ccfc_source *s = &index->sources.items[source];
	struct ccfc_slice path = ccfc_index_str(index, s->path);
	struct ccfc_slice type = CCFC_SLICE_NONE;

	if (!s->is_agent)
		return type;
	if (ccfc_slice_ends(path, TAIL))
		type = read_noted_type(
			path, ccfc_tail_attic(ccfc_history_env(history)->tail),
			arena);
	return type.len ? type : ccfc_launch_type(history, source, arena);
}
