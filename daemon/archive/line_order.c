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
#include "source/attic.h"

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
/* Below that a segment is not ordered. A part has about so many bytes. */
#define PART_BYTES ((size_t)16 << 10)

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

/* Lines that are stored side by side: of one file, or of none. */
enum {
	GROUP_PROMPTS,
	GROUP_NO_FILE,
	GROUP_FILES, /* the first file's */
};
#define NO_GROUP UINT32_MAX

/* A line that comes first. */
struct line {
	struct ccfc_slice bytes;
	size_t from; /* where it is stored, behind the table */
	uint32_t group;
};

struct ordering {
	struct hashes changed; /* paths that calls in the segment name */
	struct hashes later;   /* ids of calls whose results come later */
	struct hashes files;   /* paths, by their groups */
	struct hashes calls;   /* ids of calls that come first, … */
	struct {
		uint32_t *items;
		uint32_t n, cap;
	} call_groups; /* … and their groups */
	struct {
		struct line *items;
		uint32_t n, cap;
	} lines;
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

/* The last place of the text's hash, or hashes->n. */
static uint32_t find_hash(const struct hashes *hashes, struct ccfc_slice text)
{
	uint64_t hash = ccfc_hash_slice(text);

	for (uint32_t i = hashes->n; i-- > 0 && hashes->n - i <= SEARCH_MAX;)
		if (hashes->items[i] == hash)
			return i;
	return hashes->n;
}

static bool has_hash(const struct hashes *hashes, struct ccfc_slice text)
{
	return find_hash(hashes, text) < hashes->n;
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

static uint32_t group_of_file(struct ordering *o, struct ccfc_slice path)
{
	uint32_t i;

	if (!path.len)
		return GROUP_NO_FILE;
	i = find_hash(&o->files, path);
	if (i == o->files.n)
		add_hash(&o->files, path);
	return GROUP_FILES + i;
}

static struct ccfc_slice id_of_call(struct ccfc_slice call)
{
	return up_to_quote(after_key(head_of(call, CALL_MAX), "\"id\":\""));
}

/* `call`: what follows the mark of a call in its line. */
static uint32_t group_of_call(struct ordering *o, struct ccfc_slice call)
{
	struct ccfc_slice name = name_of(call), id = id_of_call(call);
	bool first = !IS_AMONG(reading, name);
	uint32_t group;

	if (ccfc_slice_is(name, READS_A_FILE))
		first = has_hash(&o->changed, path_of(call));
	if (!first || IS_AMONG(shells, name))
		add_hash(&o->later, id);
	if (!first)
		return NO_GROUP;
	group = group_of_file(o, path_of(call));
	if (id.len) {
		add_hash(&o->calls, id);
		CCFC_VEC_PUSH(o->call_groups, group);
	}
	return group;
}

/* `result`: what follows the mark of a result in its line. */
static uint32_t group_of_result(const struct ordering *o,
				struct ccfc_slice result)
{
	struct ccfc_slice id =
		up_to_quote(after_key(head_of(result, CALL_MAX), "_id\":\""));
	uint32_t call;

	if (has_hash(&o->later, id) && !after_key(result, CHANGED_LINES).len)
		return NO_GROUP;
	call = find_hash(&o->calls, id);
	return call < o->calls.n ? o->call_groups.items[call] : GROUP_NO_FILE;
}

static uint32_t group_of_line(struct ordering *o, struct ccfc_slice line)
{
	struct ccfc_slice tool = find_tool(line);

	if (tool.len)
		return tool.ptr[0] == '"' ? group_of_call(o, tool)
					  : group_of_result(o, tool);
	return line.len <= PROMPT_MAX && after_key(head_of(line, HEAD_MAX),
						   "\"role\":\"user\"")
						 .len
		       ? GROUP_PROMPTS
		       : NO_GROUP;
}

/* --- the table --- */

static void set_u32(char *to, size_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (char)(v >> (8 * i));
}

static void put_u32(struct ccfc_buf *out, size_t v)
{
	char bytes[4];

	set_u32(bytes, v);
	ccfc_buf_append(out, bytes, sizeof(bytes));
}

static size_t get_u32(const char *from)
{
	const unsigned char *p = (const unsigned char *)from;

	return (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 |
	       (size_t)p[3] << 24;
}

static const char *entry_of(const struct ccfc_ordered *s, uint32_t run)
{
	return s->bytes + (size_t)run * s->run_size;
}

static size_t run_at(const struct ccfc_ordered *s, uint32_t run)
{
	return get_u32(entry_of(s, run));
}

/* The length of the runs up to the end of this one. */
static size_t runs_until(const struct ccfc_ordered *s, uint32_t run)
{
	return get_u32(entry_of(s, run) + 4);
}

static size_t runs_before(const struct ccfc_ordered *s, uint32_t run)
{
	return run ? runs_until(s, run - 1) : 0;
}

static size_t run_len(const struct ccfc_ordered *s, uint32_t run)
{
	return runs_until(s, run) - runs_before(s, run);
}

/* Where a run is among the stored runs. */
static size_t run_from(const struct ccfc_ordered *s, uint32_t run)
{
	return s->run_size == CCFC_LINE_ORDER_RUN
		       ? get_u32(entry_of(s, run) + 8)
		       : runs_before(s, run);
}

/* The length of all runs. */
static size_t runs_len(const struct ccfc_ordered *s)
{
	return s->runs ? runs_until(s, s->runs - 1) : 0;
}

/* --- ordering --- */

static struct ccfc_slice next_line(struct ccfc_slice text)
{
	const char *nl = memchr(text.ptr, '\n', text.len);

	return ccfc_slice(text.ptr,
			  nl ? (size_t)(nl + 1 - text.ptr) : text.len);
}

static void group_lines(struct ordering *o, struct ccfc_slice segment)
{
	struct ccfc_slice left = segment;
	struct line line = { 0 };

	for (; left.len; left = ccfc_slice_from(left, line.bytes.len)) {
		line.bytes = next_line(left);
		note_changed(o, line.bytes);
	}
	for (left = segment; left.len;
	     left = ccfc_slice_from(left, line.bytes.len)) {
		line.bytes = next_line(left);
		line.group = group_of_line(o, line.bytes);
		if (line.group != NO_GROUP)
			CCFC_VEC_PUSH(o->lines, line);
	}
}

/* Sets where the lines are stored; where each group ends there. */
static size_t *place_lines(struct ordering *o)
{
	uint32_t n = GROUP_FILES + o->files.n;
	size_t *places = ccfc_calloc(n + 1, sizeof(*places));

	for (uint32_t i = 0; i < o->lines.n; i++)
		places[o->lines.items[i].group + 1] +=
			o->lines.items[i].bytes.len;
	for (uint32_t i = 0; i < n; i++)
		places[i + 1] += places[i];
	/* A group's place moves from its begin to its end. */
	for (uint32_t i = 0; i < o->lines.n; i++) {
		struct line *line = &o->lines.items[i];

		line->from = places[line->group];
		places[line->group] += line->bytes.len;
	}
	return places;
}

static void end_part(struct ccfc_blob_parts *parts, size_t end)
{
	parts->ends[parts->n++] = (uint32_t)end;
}

/*
 * Groups share a part until it is large enough; a large group has a part of its
 * own. `before`: the table, which is stored in front of the lines. The table
 * has lines behind it in its part: the part is the prefix of the others, and no
 * line is like the table.
 */
static void cut_parts(struct ccfc_blob_parts *parts, const size_t *group_ends,
		      uint32_t groups, size_t before)
{
	size_t part = 0, group = before;

	for (uint32_t i = 0; i < groups; i++) {
		size_t end = before + group_ends[i];

		if (end > before && end - part >= PART_BYTES &&
		    parts->n + 4 <= CCFC_BLOB_PARTS_MAX) {
			if (group > before && group - part >= PART_BYTES / 2)
				end_part(parts, group);
			end_part(parts, end);
			part = end;
		}
		group = end;
	}
	if (group > part)
		end_part(parts, group);
}

/* How many runs there are. */
static uint32_t append_table(struct ccfc_buf *out, const struct ordering *o,
			     const char *segment)
{
	const struct line *last = NULL;
	size_t len = 0;
	uint32_t runs = 0;

	for (uint32_t i = 0; i < o->lines.n; i++) {
		const struct line *line = &o->lines.items[i];

		len += line->bytes.len;
		if (last && last->group == line->group &&
		    last->bytes.ptr + last->bytes.len == line->bytes.ptr) {
			set_u32(out->ptr + out->len - 8, len);
		} else {
			put_u32(out, (size_t)(line->bytes.ptr - segment));
			put_u32(out, len);
			put_u32(out, line->from);
			runs++;
		}
		last = line;
	}
	return runs;
}

/* Appends the lines that come first, then the other bytes. */
static void append_bytes(struct ccfc_buf *out, const struct ordering *o,
			 struct ccfc_slice segment, size_t first)
{
	char *to = ccfc_buf_reserve(out, segment.len + 1);
	const char *at = segment.ptr, *end = segment.ptr + segment.len;
	char *others = to + first;

	for (uint32_t i = 0; i < o->lines.n; i++) {
		const struct line *line = &o->lines.items[i];
		size_t n = (size_t)(line->bytes.ptr - at);

		memcpy(to + line->from, line->bytes.ptr, line->bytes.len);
		memcpy(others, at, n);
		others += n;
		at = line->bytes.ptr + line->bytes.len;
	}
	memcpy(others, at, (size_t)(end - at));
	out->len += segment.len;
	out->ptr[out->len] = '\0';
}

static uint32_t append_in_order(struct ccfc_buf *out,
				struct ccfc_blob_parts *parts,
				struct ordering *o, struct ccfc_slice segment)
{
	uint32_t groups = GROUP_FILES + o->files.n;
	size_t *group_ends = place_lines(o), begin = out->len, table;
	uint32_t runs = append_table(out, o, segment.ptr);

	table = out->len - begin;
	append_bytes(out, o, segment, group_ends[groups - 1]);
	cut_parts(parts, group_ends, groups, table);
	end_part(parts, table + segment.len);
	free(group_ends);
	return runs;
}

uint32_t ccfc_order_lines(struct ccfc_buf *out, struct ccfc_blob_parts *parts,
			  struct ccfc_slice segment)
{
	struct ordering o = { 0 };
	uint32_t runs = 0;

	parts->n = 0;
	if (segment.len >= PART_BYTES)
		group_lines(&o, segment);
	if (o.lines.n) {
		runs = append_in_order(out, parts, &o, segment);
	} else {
		ccfc_buf_slice(out, segment);
		end_part(parts, segment.len);
	}
	free(o.changed.items);
	free(o.later.items);
	free(o.files.items);
	free(o.calls.items);
	free(o.call_groups.items);
	free(o.lines.items);
	return runs;
}

bool ccfc_lines_have_no_note(struct ccfc_slice lines)
{
	return !memmem(lines.ptr ? lines.ptr : "", lines.len, CCFC_ATTIC_NOTE,
		       sizeof(CCFC_ATTIC_NOTE) - 1);
}

/* --- reading --- */

bool ccfc_ordered_measure(struct ccfc_ordered *s, size_t stored_len)
{
	s->run_size = CCFC_LINE_ORDER_RUN;
	if (stored_len == s->len + ccfc_ordered_table(s))
		return true;
	s->run_size = CCFC_LINE_ORDER_OLD_RUN;
	return stored_len == s->len + ccfc_ordered_table(s);
}

bool ccfc_ordered_is_valid(const struct ccfc_ordered *s)
{
	size_t at = 0, before = 0;

	for (uint32_t i = 0; i < s->runs; i++) {
		if (run_at(s, i) < at || runs_until(s, i) <= before)
			return false;
		at = run_at(s, i) + run_len(s, i);
		before = runs_until(s, i);
		if (at > s->len)
			return false;
	}
	for (uint32_t i = 0; i < s->runs; i++)
		if (run_from(s, i) + run_len(s, i) > before)
			return false;
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
	size_t table = ccfc_ordered_table(s);
	size_t next = n < s->runs ? run_at(s, n) : s->len;
	size_t into = n ? at - run_at(s, n - 1) : 0;

	if (n && into < run_len(s, n - 1))
		return (struct ccfc_ordered_piece){ table + run_from(s, n - 1) +
							    into,
						    run_len(s, n - 1) - into };
	return (struct ccfc_ordered_piece){
		table + runs_len(s) + at - runs_before(s, n), next - at
	};
}

void ccfc_ordered_undo(char *to, const struct ccfc_ordered *stored)
{
	struct ccfc_ordered_piece piece;

	for (size_t at = 0; at < stored->len; at += piece.len) {
		piece = ccfc_ordered_find(stored, at);
		memcpy(to + at, stored->bytes + piece.from, piece.len);
	}
}
