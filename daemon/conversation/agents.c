/*
 * Which call started which agent. The note beside an agent's transcript says
 * it (meta.json, newer clients), or the result of the call or the progress of
 * the agent does; else it is the first call that was given the agent's prompt
 * and is nobody's yet. So it is with inline sidechains, of which there is
 * nothing but the prompt.
 */
#include "conversation/conversation_internal.h"

#include "base/hash.h"
#include "transcript/json/unescape.h"

#include <sys/stat.h>

#define NOTE_MAX (256 << 10)
#define TAIL	 ".jsonl"
#define NOTE	 ".meta.json"

uint32_t ccfc_talk_agent_of(const struct ccfc_talk *talk, uint32_t line)
{
	const struct ccfc_talk_line *l = &talk->lines.items[line];

	return l->sidechain ? talk->sidechain
			    : talk->agent_of[ccfc_talk_source_no(l)];
}

int ccfc_talk_find_agent(uint32_t *out, const struct ccfc_talk *talk,
			 struct ccfc_slice id, struct ccfc_err *err)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < talk->agents.n; i++) {
		struct ccfc_slice a = talk->agents.items[i].id;

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

uint32_t ccfc_talk_started(const struct ccfc_talk *talk, uint64_t call)
{
	if (!call)
		return CCFC_TALK_NONE;
	for (uint32_t i = 0; i < talk->agents.n; i++)
		if (talk->agents.items[i].call == call)
			return i;
	for (uint32_t i = 0; i < talk->roots.n; i++)
		if (talk->roots.items[i].call == call)
			return talk->sidechain;
	return CCFC_TALK_NONE;
}

/* --- notes --- */

static bool read_note(struct ccfc_slice *out, struct ccfc_talk_reader *reader,
		      const char *path, struct ccfc_arena *scratch)
{
	struct ccfc_slice base = ccfc_slice_str(path);
	struct stat st;
	char *name;

	if (!ccfc_slice_ends(base, TAIL))
		return false;
	base.len -= sizeof(TAIL) - 1;
	name = ccfc_arena_alloc(scratch, base.len + sizeof(NOTE));
	memcpy(name, base.ptr, base.len);
	memcpy(name + base.len, NOTE, sizeof(NOTE));
	return !lstat(name, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
	       st.st_size <= NOTE_MAX &&
	       !ccfc_tail_read_at(reader->tail, out, name, 0,
				  (size_t)st.st_size, NULL);
}

static struct ccfc_slice take(struct ccfc_talk *talk,
			      struct ccfc_talk_reader *reader, uint32_t tok)
{
	struct ccfc_slice s = ccfc_talk_name(reader, tok);

	return s.len ? ccfc_arena_copy(&talk->arena, s) : CCFC_SLICE_NONE;
}

static void take_note(struct ccfc_talk *talk, struct ccfc_talk_reader *reader,
		      uint32_t source, struct ccfc_arena *scratch)
{
	static const char *const names[] = { "toolUseId", "agentType",
					     "description" };
	struct ccfc_talk_agent *a = &talk->agents.items[talk->agent_of[source]];
	struct ccfc_json_keys keys;
	uint32_t f[3], fields[CCFC_FIELD_COUNT];
	struct ccfc_slice note;

	if (!read_note(&note, reader, talk->sources[source].path, scratch) ||
	    !ccfc_parser_open(reader->parser, note, fields))
		return;
	ccfc_json_keys_init(&keys, names, 3);
	ccfc_json_root_fields(&reader->parser->json, &keys, f);
	a->call = ccfc_talk_hash(reader, f[0]);
	a->type = take(talk, reader, f[1]);
	a->description = take(talk, reader, f[2]);
}

/* --- calls --- */

static struct ccfc_talk_launch *find_call(const struct ccfc_talk *talk,
					  uint64_t call)
{
	for (uint32_t i = 0; call && i < talk->launches.n; i++) {
		struct ccfc_talk_launch *l = &talk->launches.items[i];

		if (!l->agent && l->call == call)
			return l;
	}
	return NULL;
}

static struct ccfc_talk_launch *find_prompt(const struct ccfc_talk *talk,
					    uint64_t prompt)
{
	for (uint32_t i = 0; prompt && i < talk->launches.n; i++) {
		struct ccfc_talk_launch *l = &talk->launches.items[i];

		if (!l->agent && !l->claimed && l->prompt == prompt)
			return l;
	}
	return NULL;
}

/* What results and progress say of the agent. */
static void take_links(struct ccfc_talk *talk, struct ccfc_talk_agent *a)
{
	for (uint32_t i = 0; i < talk->launches.n; i++) {
		const struct ccfc_talk_launch *l = &talk->launches.items[i];

		if (l->agent != a->hash)
			continue;
		/* Other tools' results name agents, too. */
		if (!a->call && find_call(talk, l->call))
			a->call = l->call;
		if (!a->type.len && l->type && l->call == a->call)
			a->type = ccfc_strtab_get(&talk->names, l->type);
	}
}

static void settle(struct ccfc_talk *talk, struct ccfc_talk_agent *a,
		   struct ccfc_talk_launch *l)
{
	if (!l)
		return;
	l->claimed = true;
	a->call = l->call;
	a->line = l->line;
	if (!a->type.len && l->type)
		a->type = ccfc_strtab_get(&talk->names, l->type);
}

void ccfc_talk_join(struct ccfc_talk *talk, struct ccfc_talk_reader *reader)
{
	struct ccfc_arena scratch = CCFC_ARENA_INIT;

	for (uint32_t i = 0; i < talk->nsources; i++)
		if (talk->agent_of[i] != CCFC_TALK_NONE)
			take_note(talk, reader, i, &scratch);
	ccfc_arena_release(&scratch);
	for (uint32_t i = 0; i < talk->agents.n; i++) {
		struct ccfc_talk_agent *a = &talk->agents.items[i];

		take_links(talk, a);
		settle(talk, a, find_call(talk, a->call));
	}
	for (uint32_t i = 0; i < talk->agents.n; i++) {
		struct ccfc_talk_agent *a = &talk->agents.items[i];

		if (!a->call)
			settle(talk, a, find_prompt(talk, a->prompt));
	}
	for (uint32_t i = 0; i < talk->roots.n; i++) {
		struct ccfc_talk_root *root = &talk->roots.items[i];
		struct ccfc_talk_launch *l = find_prompt(talk, root->prompt);

		if (!l)
			continue;
		l->claimed = true;
		root->call = l->call;
		root->caller = l->line;
	}
}
