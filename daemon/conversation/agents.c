/*
 * Which call started which agent. The note beside an agent's transcript says so
 * (meta.json, newer clients), or the result of the call, or the progress of the
 * agent. Otherwise it is the first call without an agent that has the agent's
 * teammate name or prompt. For inline sidechains only the prompt is known.
 */
#include "conversation/conversation_internal.h"

#include "base/hash.h"
#include "transcript/json/unescape.h"

#include <sys/stat.h>

#define NOTE_MAX (256 << 10)
#define TAIL	 ".jsonl"
#define NOTE	 ".meta.json"

uint32_t ccfc_conversation_agent_of(const struct ccfc_conversation *conv,
				    uint32_t line)
{
	const struct ccfc_conversation_line *l = &conv->lines.items[line];

	return l->sidechain ? conv->sidechain
			    : conv->agent_of[ccfc_conversation_source_no(l)];
}

int ccfc_conversation_find_agent(uint32_t *out,
				 const struct ccfc_conversation *conv,
				 struct ccfc_slice id, struct ccfc_err *err)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < conv->agents.n; i++) {
		struct ccfc_slice a = conv->agents.items[i].id;

		if (a.len < id.len || memcmp(a.ptr, id.ptr, id.len) != 0)
			continue;
		*out = i;
		if (a.len == id.len)
			return 0;
		n++;
	}
	if (n == 1)
		return 0;
	return ccfc_err_set(err, n ? CCFC_EAMBIGUOUS : CCFC_ENOTFOUND,
			    n ? "several agents begin with '%.*s'"
			      : "the session has no agent '%.*s'",
			    id.len > 64 ? 64 : (int)id.len, id.ptr);
}

uint32_t ccfc_conversation_started(const struct ccfc_conversation *conv,
				   uint64_t call)
{
	if (!call)
		return CCFC_CONVERSATION_NONE;
	for (uint32_t i = 0; i < conv->agents.n; i++)
		if (conv->agents.items[i].call == call)
			return i;
	for (uint32_t i = 0; i < conv->roots.n; i++)
		if (conv->roots.items[i].call == call)
			return conv->sidechain;
	return CCFC_CONVERSATION_NONE;
}

/* --- notes --- */

static bool read_note(struct ccfc_slice *out,
		      struct ccfc_conversation_reader *reader, const char *path,
		      struct ccfc_arena *scratch, struct ccfc_buf *kept)
{
	struct ccfc_slice base = ccfc_slice_str(path);
	const struct ccfc_attic *attic = ccfc_tail_attic(reader->tail);
	struct ccfc_attic_info info;
	struct stat st;
	char *name;

	if (!ccfc_slice_ends(base, TAIL))
		return false;
	base.len -= sizeof(TAIL) - 1;
	name = ccfc_arena_alloc(scratch, base.len + sizeof(NOTE));
	memcpy(name, base.ptr, base.len);
	memcpy(name + base.len, NOTE, sizeof(NOTE));
	if (!lstat(name, &st))
		return S_ISREG(st.st_mode) && st.st_size > 0 &&
		       st.st_size <= NOTE_MAX &&
		       !ccfc_tail_read_at(reader->tail, out, name, 0,
					  (size_t)st.st_size, NULL);
	if (!attic || attic->get(attic->ctx, kept, &info, name, NOTE_MAX) ||
	    !kept->len)
		return false;
	memset(ccfc_buf_reserve(kept, CCFC_TAIL_PADDING), 0, CCFC_TAIL_PADDING);
	*out = ccfc_buf_view(kept);
	return true;
}

static struct ccfc_slice copy_name(struct ccfc_conversation *conv,
				   struct ccfc_conversation_reader *reader,
				   uint32_t tok)
{
	struct ccfc_slice s = ccfc_conversation_name(reader, tok);

	return s.len ? ccfc_arena_copy(&conv->arena, s) : CCFC_SLICE_NONE;
}

static void read_agent_note(struct ccfc_conversation *conv,
			    struct ccfc_conversation_reader *reader,
			    uint32_t source, struct ccfc_arena *scratch)
{
	static const char *const names[] = { "toolUseId", "agentType",
					     "description" };
	struct ccfc_conversation_agent *a =
		&conv->agents.items[conv->agent_of[source]];
	struct ccfc_json_keys keys;
	uint32_t f[3], fields[CCFC_FIELD_COUNT];
	struct ccfc_buf kept = CCFC_BUF_INIT;
	struct ccfc_slice note;

	if (read_note(&note, reader, conv->sources[source].path, scratch,
		      &kept) &&
	    ccfc_parser_open(reader->parser, note, fields)) {
		ccfc_json_keys_init(&keys, names, 3);
		ccfc_json_root_fields(&reader->parser->json, &keys, f);
		a->call = ccfc_conversation_hash(reader, f[0]);
		a->type = copy_name(conv, reader, f[1]);
		a->description = copy_name(conv, reader, f[2]);
	}
	ccfc_buf_release(&kept);
}

/* --- calls --- */

static struct ccfc_conversation_launch *
find_call(const struct ccfc_conversation *conv, uint64_t call)
{
	for (uint32_t i = 0; call && i < conv->launches.n; i++) {
		struct ccfc_conversation_launch *l = &conv->launches.items[i];

		if (!l->agent && l->call == call)
			return l;
	}
	return NULL;
}

static struct ccfc_conversation_launch *
find_prompt(const struct ccfc_conversation *conv, uint64_t prompt)
{
	for (uint32_t i = 0; prompt && i < conv->launches.n; i++) {
		struct ccfc_conversation_launch *l = &conv->launches.items[i];

		if (!l->agent && !l->claimed && l->prompt == prompt)
			return l;
	}
	return NULL;
}

/*
 * Finds the call that started a teammate, by the name that the call gave. The
 * teammate's lines have that name; for clients that do not write it there, the
 * note has it as the type.
 */
static struct ccfc_conversation_launch *
find_name(const struct ccfc_conversation *conv,
	  const struct ccfc_conversation_agent *a)
{
	uint64_t name = a->name;

	if (!name && a->type.len)
		name = ccfc_hash_slice(a->type);
	for (uint32_t i = 0; name && i < conv->launches.n; i++) {
		struct ccfc_conversation_launch *l = &conv->launches.items[i];

		if (!l->agent && !l->claimed && l->name == name)
			return l;
	}
	return NULL;
}

/* Applies what results and progress records say about the agent. */
static void apply_launches(struct ccfc_conversation *conv,
			   struct ccfc_conversation_agent *a)
{
	for (uint32_t i = 0; i < conv->launches.n; i++) {
		const struct ccfc_conversation_launch *l =
			&conv->launches.items[i];

		if (l->agent != a->hash)
			continue;
		/* Results of other tools name agents too. */
		if (!a->call && find_call(conv, l->call))
			a->call = l->call;
		if (!a->type.len && l->type && l->call == a->call)
			a->type = ccfc_strtab_get(&conv->names, l->type);
	}
}

static void set_launch(struct ccfc_conversation *conv,
		       struct ccfc_conversation_agent *a,
		       struct ccfc_conversation_launch *l)
{
	if (!l)
		return;
	l->claimed = true;
	a->call = l->call;
	a->line = l->line;
	if (!a->type.len && l->type)
		a->type = ccfc_strtab_get(&conv->names, l->type);
}

void ccfc_conversation_join(struct ccfc_conversation *conv,
			    struct ccfc_conversation_reader *reader)
{
	struct ccfc_arena scratch = CCFC_ARENA_INIT;

	for (uint32_t i = 0; i < conv->nsources; i++)
		if (conv->agent_of[i] != CCFC_CONVERSATION_NONE)
			read_agent_note(conv, reader, i, &scratch);
	ccfc_arena_release(&scratch);
	for (uint32_t i = 0; i < conv->agents.n; i++) {
		struct ccfc_conversation_agent *a = &conv->agents.items[i];

		apply_launches(conv, a);
		set_launch(conv, a, find_call(conv, a->call));
	}
	for (uint32_t i = 0; i < conv->agents.n; i++) {
		struct ccfc_conversation_agent *a = &conv->agents.items[i];

		if (!a->call)
			set_launch(conv, a, find_name(conv, a));
		if (!a->call)
			set_launch(conv, a, find_prompt(conv, a->prompt));
		if (!a->type.len)
			a->type = a->said;
	}
	for (uint32_t i = 0; i < conv->roots.n; i++) {
		struct ccfc_conversation_root *root = &conv->roots.items[i];
		struct ccfc_conversation_launch *l =
			find_prompt(conv, root->prompt);

		if (!l)
			continue;
		l->claimed = true;
		root->call = l->call;
		root->caller = l->line;
	}
}
