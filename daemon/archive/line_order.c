/*
 * The order of the lines in a segment; see line_order.h.
 *
 * A line is looked at without parsing it: a wrong guess only costs time. So the
 * search for the tool's name and the call's id ends after the first bytes of a
 * line, where the client writes both.
 */
#include "archive/line_order.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* How far into a line tools and roles are searched for. */
#define HEAD_MAX ((size_t)2 << 10)
/* From the mark of a call to its id and name. */
#define CALL_MAX ((size_t)512)
/* A longer text of a user has pictures or pasted text. */
#define PROMPT_MAX ((size_t)16 << 10)
/* Hashes are searched among so many that came last. */
#define SEARCH_MAX 256u

/* Tools that change no file. Before a change the client reads the file. */
#define READS_A_FILE "Read"
static const char *const reading[] = {
	READS_A_FILE,	   "Grep",	 "Glob",       "LS",
	"WebFetch",	   "WebSearch",	 "Task",       "Agent",
	"TodoWrite",	   "ToolSearch", "BashOutput", "TaskOutput",
	"AskUserQuestion",
};

/* Of a shell the calls come first, and results that name changed lines. */
static const char *const shells[] = { "Bash", "PowerShell" };
#define CHANGED_LINES "\"bashEditDiff\""

struct hashes {
	uint64_t *items;
	uint32_t n, cap;
};

struct ordering {
	struct hashes changed; /* paths that calls in the segment name */
	struct hashes later;   /* ids of calls whose results come later */
	struct ccfc_buf *table;
	size_t moved; /* bytes in the runs */
	size_t end;   /* of the last run in the segment */
	uint32_t runs;
};

static struct ccfc_slice head_of(struct ccfc_slice text, size_t max)
{
	return ccfc_slice(text.ptr, text.len < max ? text.len : max);
}

/* What follows `key` in the text; nothing if the key is not there. */
static struct ccfc_slice after_key(struct ccfc_slice text, const char *key)
{
	size_t len = strlen(key);
	const char *at = memmem(text.ptr, text.len, key, len);

	return at ? ccfc_slice_from(text, (size_t)(at - text.ptr) + len)
		  : CCFC_SLICE_NONE;
}

/* The bytes up to the next quotation mark. */
static struct ccfc_slice up_to_quote(struct ccfc_slice text)
{
	const char *end = memchr(text.ptr ? text.ptr : "", '"', text.len);

	return ccfc_slice(text.ptr, end ? (size_t)(end - text.ptr) : 0);
}

static bool is_among(const char *const *names, size_t n, struct ccfc_slice name)
{
	for (size_t i = 0; i < n; i++)
		if (ccfc_slice_is(name, names[i]))
			return true;
	return false;
}

#define IS_AMONG(names, name)                                                  \
	is_among(names, sizeof(names) / sizeof(*(names)), name)

static void add_hash(struct hashes *hashes, struct ccfc_slice text)
{
	if (text.len)
		CCFC_VEC_PUSH(*hashes, ccfc_hash_slice(text));
}

static bool has_hash(const struct hashes *hashes, struct ccfc_slice text)
{
	uint64_t hash = ccfc_hash_slice(text);

	for (uint32_t i = hashes->n; i-- > 0 && hashes->n - i <= SEARCH_MAX;)
		if (hashes->items[i] == hash)
			return true;
	return false;
}

/* What follows the mark of a call or a result, with its first `"`. */
static struct ccfc_slice find_tool(struct ccfc_slice line)
{
	struct ccfc_slice tool =
		after_key(head_of(line, HEAD_MAX), "\"tool_use");

	if (tool.len)
		tool.len = line.len - (size_t)(tool.ptr - line.ptr);
	return tool;
}

static struct ccfc_slice name_of(struct ccfc_slice call)
{
	return up_to_quote(after_key(head_of(call, CALL_MAX), "\"name\":\""));
}

static struct ccfc_slice path_of(struct ccfc_slice call)
{
	return up_to_quote(
		after_key(head_of(call, HEAD_MAX), "\"file_path\":\""));
}

static void note_changed(struct ordering *o, struct ccfc_slice line)
{
	struct ccfc_slice call = find_tool(line);

	if (call.len && call.ptr[0] == '"' && !IS_AMONG(reading, name_of(call)))
		add_hash(&o->changed, path_of(call));
}

/* `call`: what follows the mark of a call in its line. */
static bool call_comes_first(struct ordering *o, struct ccfc_slice call)
{
	struct ccfc_slice name = name_of(call);
	bool first = !IS_AMONG(reading, name);

	if (ccfc_slice_is(name, READS_A_FILE))
		first = has_hash(&o->changed, path_of(call));
	if (!first || IS_AMONG(shells, name))
		add_hash(&o->later,
			 up_to_quote(after_key(head_of(call, CALL_MAX),
					       "\"id\":\"")));
	return first;
}

/* `result`: what follows the mark of a result in its line. */
static bool result_comes_first(const struct ordering *o,
			       struct ccfc_slice result)
{
	struct ccfc_slice head = head_of(result, CALL_MAX);

	return !has_hash(&o->later, up_to_quote(after_key(head, "_id\":\""))) ||
	       after_key(result, CHANGED_LINES).len;
}

static bool line_comes_first(struct ordering *o, struct ccfc_slice line)
{
	struct ccfc_slice tool = find_tool(line);

	if (!tool.len)
		return line.len <= PROMPT_MAX &&
		       after_key(head_of(line, HEAD_MAX), "\"role\":\"user\"")
			       .len;
	return tool.ptr[0] == '"' ? call_comes_first(o, tool)
				  : result_comes_first(o, tool);
}

static void put_u32(struct ccfc_buf *out, size_t v)
{
	for (int i = 0; i < 4; i++)
		ccfc_buf_putc(out, (char)(v >> (8 * i)));
}

static size_t get_u32(const char *from)
{
	const unsigned char *p = (const unsigned char *)from;

	return (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 |
	       (size_t)p[3] << 24;
}

static size_t run_at(const struct ccfc_ordered *s, uint32_t run)
{
	return get_u32(s->bytes + ccfc_ordered_table(run));
}

/* Where a run ends among the runs. */
static size_t run_end(const struct ccfc_ordered *s, uint32_t run)
{
	return get_u32(s->bytes + ccfc_ordered_table(run) + 4);
}

static size_t run_len(const struct ccfc_ordered *s, uint32_t run)
{
	return run_end(s, run) - (run ? run_end(s, run - 1) : 0);
}

static void add_line(struct ordering *o, size_t at, size_t len)
{
	if (o->runs && at == o->end) {
		o->table->len -= 4;
	} else {
		put_u32(o->table, at);
		o->runs++;
	}
	o->moved += len;
	o->end = at + len;
	put_u32(o->table, o->moved);
}

static struct ccfc_slice next_line(struct ccfc_slice text)
{
	const char *nl = memchr(text.ptr, '\n', text.len);

	return ccfc_slice(text.ptr,
			  nl ? (size_t)(nl + 1 - text.ptr) : text.len);
}

/* Appends the bytes of the runs, then the others. */
static void append_in_order(struct ccfc_buf *out, struct ccfc_slice segment,
			    const struct ccfc_ordered *table)
{
	size_t at = 0;

	for (uint32_t i = 0; i < table->runs; i++)
		ccfc_buf_append(out, segment.ptr + run_at(table, i),
				run_len(table, i));
	for (uint32_t i = 0; i < table->runs; i++) {
		ccfc_buf_append(out, segment.ptr + at, run_at(table, i) - at);
		at = run_at(table, i) + run_len(table, i);
	}
	ccfc_buf_append(out, segment.ptr + at, segment.len - at);
}

uint32_t ccfc_order_lines(struct ccfc_buf *out, size_t *first,
			  struct ccfc_slice segment)
{
	struct ccfc_buf table = CCFC_BUF_INIT;
	struct ordering o = { .table = &table };
	struct ccfc_slice left = segment, line;

	for (; left.len; left = ccfc_slice_from(left, line.len)) {
		line = next_line(left);
		note_changed(&o, line);
	}
	for (left = segment; left.len; left = ccfc_slice_from(left, line.len)) {
		line = next_line(left);
		if (line_comes_first(&o, line))
			add_line(&o, (size_t)(line.ptr - segment.ptr),
				 line.len);
	}
	/* Nothing is gained if all lines come first. */
	if (o.moved == segment.len)
		o.runs = 0;
	*first = o.runs ? table.len + o.moved : 0;
	if (o.runs) {
		ccfc_buf_slice(out, ccfc_buf_view(&table));
		append_in_order(out, segment,
				&(struct ccfc_ordered){ table.ptr, segment.len,
							o.runs });
	} else {
		ccfc_buf_slice(out, segment);
	}
	ccfc_buf_release(&table);
	free(o.changed.items);
	free(o.later.items);
	return o.runs;
}

bool ccfc_ordered_is_valid(const struct ccfc_ordered *stored)
{
	size_t at = 0, moved = 0;

	for (uint32_t i = 0; i < stored->runs; i++) {
		if (run_at(stored, i) < at || run_end(stored, i) <= moved)
			return false;
		at = run_at(stored, i) + run_len(stored, i);
		moved = run_end(stored, i);
		if (at > stored->len)
			return false;
	}
	return true;
}

/* How many runs begin at `at` or before it. */
static uint32_t count_runs_until(const struct ccfc_ordered *s, size_t at)
{
	uint32_t low = 0, high = s->runs;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (run_at(s, mid) <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct ccfc_ordered_piece ccfc_ordered_find(const struct ccfc_ordered *s,
					    size_t at)
{
	uint32_t n = count_runs_until(s, at);
	size_t table = ccfc_ordered_table(s->runs);
	size_t moved = s->runs ? run_end(s, s->runs - 1) : 0;
	size_t end = n < s->runs ? run_at(s, n) : s->len;
	size_t before = n ? run_end(s, n - 1) : 0;
	size_t run_stop = n ? run_at(s, n - 1) + run_len(s, n - 1) : 0;

	if (at < run_stop)
		return (struct ccfc_ordered_piece){
			table + before - (run_stop - at), run_stop - at
		};
	return (struct ccfc_ordered_piece){ table + moved + at - before,
					    end - at };
}

void ccfc_ordered_undo(char *to, const struct ccfc_ordered *stored)
{
	struct ccfc_ordered_piece piece;

	for (size_t at = 0; at < stored->len; at += piece.len) {
		piece = ccfc_ordered_find(stored, at);
		memcpy(to + at, stored->bytes + piece.from, piece.len);
	}
}
