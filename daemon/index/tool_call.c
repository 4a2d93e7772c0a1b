/*
 * Calls of tools and the files that they read, each once, however often they
 * were copied.
 *
 * - A call is known by its tool_use id. It belongs to the message whose line
 *   shows the call. If several messages show it, it belongs to the one of the
 *   least id; messages with a message.id come first.
 * - A read is a call and a file, with the least recorded time.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "index/index_internal.h"

/* --- rows --- */

CCFC_TABLE_FIND(find_call, calls, struct ccfc_tool_call, uint64_t, r->id == *k)

uint32_t ccfc_index_find_call(const struct ccfc_index *index, uint64_t id)
{
	return find_call(index, id, &id);
}

uint32_t ccfc_index_add_call(struct ccfc_index *index, uint64_t id)
{
	struct ccfc_tool_call use = { .id = id, .message = CCFC_ID_NONE };

	CCFC_TABLE_ADD(index->calls, id, use);
	return index->calls.n - 1;
}

static uint64_t read_hash(uint32_t use, uint32_t file)
{
	uint32_t both[2] = { use, file };

	return ccfc_hash(both, sizeof(both));
}

CCFC_TABLE_FIND(find_read, reads, struct ccfc_read_ref, struct ccfc_read_ref,
		r->call == k->call && r->file == k->file)

uint32_t ccfc_index_find_read(const struct ccfc_index *index, uint32_t use,
			      uint32_t file)
{
	struct ccfc_read_ref key = { .call = use, .file = file };

	return find_read(index, read_hash(use, file), &key);
}

uint32_t ccfc_index_add_read(struct ccfc_index *index,
			     const struct ccfc_read_ref *look)
{
	uint32_t *first = &index->file_reads.items[look->file];
	struct ccfc_read_ref fresh = *look;

	fresh.next = *first;
	*first = index->reads.n;
	CCFC_TABLE_ADD(index->reads, read_hash(fresh.call, fresh.file), fresh);
	return *first;
}

static void mark_use(struct ccfc_index *index, uint32_t use)
{
	CCFC_TABLE_MARK_FLAG(index->calls, use);
}

/* --- merging --- */

static bool is_better_say(const struct ccfc_index *index, uint32_t fresh,
			  uint32_t old)
{
	if (fresh == CCFC_ID_NONE || fresh == old)
		return false;
	return old == CCFC_ID_NONE ||
	       index->messages.items[fresh].id < index->messages.items[old].id;
}

static void merge_look(const struct ccfc_incoming *line, uint32_t use,
		       struct ccfc_slice path)
{
	struct ccfc_index *index = line->index;
	uint32_t file = ccfc_index_line_file(line, path);
	int64_t time = line->record->time;
	uint32_t id;

	if (!file)
		return;
	ccfc_contest_see(index, file);
	id = ccfc_index_find_read(index, use, file);
	if (id == CCFC_ID_NONE) {
		id = ccfc_index_add_read(
			index, &(struct ccfc_read_ref){ .time = time,
							.call = use,
							.file = file });
	} else {
		struct ccfc_read_ref *look = &index->reads.items[id];

		if (time == CCFC_TIME_NONE ||
		    (look->time != CCFC_TIME_NONE && look->time <= time))
			return;
		look->time = time;
	}
	ccfc_ids_push(&index->reads.dirty, id);
}

static uint32_t find_use(struct ccfc_index *index, struct ccfc_slice id)
{
	uint64_t hash = ccfc_hash_slice(id);
	uint32_t use = ccfc_index_find_call(index, hash);

	return use == CCFC_ID_NONE ? ccfc_index_add_call(index, hash) : use;
}

static bool is_better_tool(const struct ccfc_index *index,
			   struct ccfc_slice tool,
			   const struct ccfc_tool_call *use)
{
	return !use->called ||
	       ccfc_slice_cmp(tool, ccfc_index_str(index, use->tool)) < 0;
}

uint32_t ccfc_index_merge_call(const struct ccfc_incoming *line, uint32_t say,
			       const struct ccfc_call *call, bool kept)
{
	struct ccfc_index *index = line->index;
	uint32_t id = find_use(index, call->id);
	struct ccfc_tool_call *use = &index->calls.items[id];
	struct ccfc_tool_call old = *use;

	if (is_better_tool(index, call->tool, use)) {
		uint32_t tool = ccfc_strtab_put(&index->strings, call->tool);

		use->tool = tool <= CCFC_CALL_TOOL_MAX ? tool : 0;
	}
	if (is_better_say(index, say, use->message))
		use->message = say;
	use->called = true;
	if (kept)
		use->writes = true;
	else
		use->other = true;
	if (memcmp(use, &old, sizeof(old)) != 0)
		mark_use(index, id);
	if (call->reads && call->path.len)
		merge_look(line, id, call->path);
	return id;
}

uint32_t ccfc_index_merge_call_result(const struct ccfc_incoming *line,
				      const struct ccfc_result *result)
{
	uint32_t id = find_use(line->index, result->id);
	struct ccfc_tool_call *use = &line->index->calls.items[id];
	bool is_news = result->error ? !use->error : !use->ok;

	if (result->error)
		use->error = true;
	else
		use->ok = true;
	if (is_news)
		mark_use(line->index, id);
	return id;
}
