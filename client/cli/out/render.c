/* Pieces of replies as text; see render.h. */
#include "cli/out/render.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "cli/out/prose.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"
#include "wire/to_json.h"

#include <stdlib.h>

#define ID_MIN 8

void ccfc_render_time(struct ccfc_buf *out, struct ccfc_obj time,
		      const char *fmt)
{
	char text[CCFC_TIME_TEXT_MAX];
	int64_t ms = ccfc_time_parse(ccfc_obj_str(time));

	ccfc_time_format_local(text, ms, fmt);
	ccfc_buf_puts(out, *text ? text : "-");
}

void ccfc_render_unread(struct ccfc_buf *out, struct ccfc_obj failure)
{
	ccfc_buf_slice(out, ccfc_obj_get_str(failure, "path"));
	ccfc_buf_puts(out, ": ");
	ccfc_buf_slice(out, ccfc_obj_get_str(failure, "error"));
	ccfc_buf_puts(out, ", since ");
	ccfc_render_time(out, ccfc_obj_get(failure, "since"),
			 CCFC_RENDER_SECOND);
	ccfc_buf_puts(out, "; tried again at ");
	ccfc_render_time(out, ccfc_obj_get(failure, "nextTry"),
			 CCFC_RENDER_SECOND);
	ccfc_buf_puts(out, " and by each question");
}

/* The limits, and what they remove first. */
static void put_limits(struct ccfc_buf *out, struct ccfc_obj archive)
{
	int64_t budget = ccfc_obj_get_int(archive, "budget", 0);
	int64_t age = ccfc_obj_get_int(archive, "age", 0);
	int64_t next = ccfc_obj_get_int(archive, "next", 0);
	bool due = ccfc_obj_get_bool(archive, "due", false);
	struct ccfc_obj leaves = ccfc_obj_get(archive, "leaves");

	if (budget) {
		ccfc_buf_puts(out, " of ");
		ccfc_render_bytes(out, budget);
	}
	if (age) {
		ccfc_buf_puts(out, ", for ");
		ccfc_render_count(out, age, "day");
	}
	if (ccfc_obj_str(leaves).len) {
		ccfc_buf_puts(out, "; the oldest goes on ");
		ccfc_render_time(out, leaves, CCFC_RENDER_MINUTE);
	}
	if (next) {
		ccfc_buf_puts(out, due ? "; full: " : "; when full, ");
		ccfc_render_count(out, next, "transcript");
		ccfc_buf_puts(out, next == 1 ? " goes, written up to "
					     : " go, written up to ");
		ccfc_render_time(out, ccfc_obj_get(archive, "nextUntil"),
				 CCFC_RENDER_MINUTE);
	}
}

void ccfc_render_archive(struct ccfc_buf *out, struct ccfc_obj archive)
{
	struct ccfc_slice mode = ccfc_obj_get_str(archive, "mode");
	int64_t waiting = ccfc_obj_get_int(archive, "waiting", 0);

	if (ccfc_obj_get_bool(archive, "counting", false)) {
		ccfc_buf_puts(out, "being counted");
		return;
	}
	ccfc_render_count(out, ccfc_obj_get_int(archive, "transcripts", 0),
			  "transcript");
	ccfc_buf_puts(out, " (");
	ccfc_render_bytes(out, ccfc_obj_get_int(archive, "lineBytes", 0));
	ccfc_buf_puts(out, ") in ");
	ccfc_render_bytes(out, ccfc_obj_get_int(archive, "bytes", 0));
	put_limits(out, archive);
	if (waiting)
		ccfc_buf_printf(out, "; %lld to be added", (long long)waiting);
	if (ccfc_slice_is(mode, "off"))
		ccfc_buf_puts(out, "; nothing is added (archive = off)");
}

void ccfc_render_count(struct ccfc_buf *out, int64_t n, const char *noun)
{
	ccfc_buf_printf(out, "%lld %s%s", (long long)n, noun,
			n == 1 ? "" : "s");
}

void ccfc_render_bytes(struct ccfc_buf *out, int64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double v = (double)bytes / 1024;
	unsigned u = 0;

	if (bytes < 1024) {
		ccfc_render_count(out, bytes, "byte");
		return;
	}
	/* 1023.95 would be printed as 1024.0 */
	for (; v >= 1023.95 && u < 3; u++)
		v /= 1024;
	ccfc_buf_printf(out, "%.1f %s", v, units[u]);
}

void ccfc_render_join(struct ccfc_buf *out, struct ccfc_obj array)
{
	for (uint32_t i = 0; i < ccfc_obj_len(array); i++) {
		if (i)
			ccfc_buf_puts(out, ", ");
		ccfc_buf_slice(out, ccfc_obj_str(ccfc_obj_at(array, i)));
	}
}

struct tally {
	struct ccfc_slice key;
	int64_t n;
};

static int compare_tally(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return ccfc_slice_cmp(x->key, y->key);
}

void ccfc_render_tally(struct ccfc_buf *out, struct ccfc_obj map,
		       const char *skip)
{
	uint32_t len = ccfc_obj_len(map), n = 0;
	struct tally *all = ccfc_calloc((size_t)len + 1, sizeof(*all));

	for (uint32_t i = 0; i < len; i++) {
		all[n].key = ccfc_obj_str(ccfc_obj_key_at(map, i));
		all[n].n = ccfc_obj_int(ccfc_obj_value_at(map, i), 0);
		n += !skip || !ccfc_slice_is(all[n].key, skip);
	}
	qsort(all, n, sizeof(*all), compare_tally);
	for (uint32_t i = 0; i < n; i++) {
		ccfc_buf_puts(out, i ? ", " : "");
		ccfc_buf_slice(out, all[i].key.len ? all[i].key
						   : CCFC_SLICE_LIT("(none)"));
		ccfc_buf_printf(out, " (%lld)", (long long)all[i].n);
	}
	free(all);
}

void ccfc_render_line(struct ccfc_out *out, const char *label, unsigned at,
		      struct ccfc_slice text)
{
	size_t start = out->buf.len, n;
	struct ccfc_buf safe = CCFC_BUF_INIT;

	if (!text.len)
		return;
	ccfc_buf_printf(&out->buf, "%s: ", label);
	n = out->buf.len - start;
	if (n < at)
		ccfc_buf_printf(&out->buf, "%*s", (int)(at - n), "");
	ccfc_safe_append(&safe, text, false);
	ccfc_prose_wrap(out, ccfc_buf_view(&safe), at);
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_buf_release(&safe);
}

/* Every line of `text` after its sign. A final newline starts no line. */
static void render_text(struct ccfc_out *out, struct ccfc_obj text, char sign)
{
	struct ccfc_slice s = ccfc_obj_str(text);
	const char *on =
		ccfc_out_on(out, sign == '-' ? CCFC_STYLE_OLD : CCFC_STYLE_NEW);

	while (s.len) {
		const char *nl = memchr(s.ptr, '\n', s.len);
		const char *end = nl ? nl : s.ptr + s.len;
		struct ccfc_slice line =
			ccfc_slice(s.ptr, (size_t)(end - s.ptr));

		ccfc_buf_printf(&out->buf, "  %s%c%s", on, sign,
				line.len ? " " : "");
		ccfc_out_content(out, line);
		ccfc_buf_puts(&out->buf, ccfc_out_off(out));
		ccfc_buf_putc(&out->buf, '\n');
		ccfc_out_check(out);
		end += nl != NULL;
		s = ccfc_slice(end, s.len - (size_t)(end - s.ptr));
	}
}

static void render_note(struct ccfc_out *out, const char *what,
			struct ccfc_slice why)
{
	ccfc_buf_printf(&out->buf, "  %s(%s",
			ccfc_out_on(out, CCFC_STYLE_FAINT), what);
	ccfc_out_field(out, why);
	ccfc_buf_printf(&out->buf, ")%s\n", ccfc_out_off(out));
}

static void render_content(struct ccfc_out *out, struct ccfc_obj change)
{
	struct ccfc_obj edits = ccfc_obj_get(change, "edits");
	struct ccfc_obj old = ccfc_obj_get(change, "oldContent");
	struct ccfc_obj new = ccfc_obj_get(change, "newContent");
	struct ccfc_slice why = ccfc_obj_get_str(change, "contentUnavailable");

	if (why.len) {
		render_note(out, "content unavailable: ", why);
		return;
	}
	if (ccfc_obj_get_bool(change, "binary", false)) {
		render_note(out, "binary content, not shown", CCFC_SLICE_NONE);
		return;
	}
	for (uint32_t i = 0; i < ccfc_obj_len(edits); i++) {
		struct ccfc_obj edit = ccfc_obj_at(edits, i);

		render_text(out, ccfc_obj_get(edit, "oldContent"), '-');
		render_text(out, ccfc_obj_get(edit, "newContent"), '+');
	}
	if (!ccfc_obj_len(edits)) {
		render_text(out, old, '-');
		render_text(out, new, '+');
		if (!ccfc_obj_str(old).len && !ccfc_obj_str(new).len)
			render_note(out, "empty", CCFC_SLICE_NONE);
	}
	if (ccfc_obj_get_bool(change, "truncated", false))
		render_note(out, "cut here: the content is longer",
			    CCFC_SLICE_NONE);
}

/* The candidates for an ambiguous change. */
static void render_candidates(struct ccfc_out *out, struct ccfc_obj list)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < ccfc_obj_len(list); i++) {
		struct ccfc_obj c = ccfc_obj_at(list, i);
		struct ccfc_slice what = ccfc_obj_get_str(c, "command");

		if (!what.len)
			what = ccfc_obj_get_str(c, "tool");
		ccfc_buf_clear(&text);
		ccfc_buf_slice(&text, ccfc_obj_get_str(c, "sessionId"));
		if (ccfc_obj_get_str(c, "agentId").len) {
			ccfc_buf_puts(&text, ", agent ");
			ccfc_buf_slice(&text, ccfc_obj_get_str(c, "agentId"));
		}
		ccfc_buf_puts(&text, ": ");
		ccfc_buf_slice(&text, what);
		render_note(out, "or session ", ccfc_buf_view(&text));
	}
	ccfc_buf_release(&text);
}

struct ccfc_slice ccfc_render_tool(struct ccfc_obj change)
{
	struct ccfc_slice tool = ccfc_obj_get_str(change, "tool");

	return tool.len ? tool : CCFC_SLICE_LIT("unknown tool");
}

void ccfc_render_operation(struct ccfc_buf *out, struct ccfc_obj change,
			   struct ccfc_slice base)
{
	struct ccfc_slice op = ccfc_obj_get_str(change, "operation");
	struct ccfc_slice from = ccfc_obj_get_str(change, "renamedFrom");
	struct ccfc_slice to = ccfc_obj_get_str(change, "renamedTo");
	struct ccfc_slice copied = ccfc_obj_get_str(change, "copiedFrom");

	if (copied.len) {
		ccfc_buf_puts(out, "copied from ");
		ccfc_buf_slice(out, ccfc_path_relative(copied, base));
	} else if (from.len || to.len) {
		ccfc_buf_puts(out, from.len ? "renamed from " : "renamed to ");
		ccfc_buf_slice(out,
			       ccfc_path_relative(from.len ? from : to, base));
	} else if (ccfc_slice_is(op, "deleted") ||
		   ccfc_slice_is(op, "renamed")) {
		ccfc_buf_slice(out, op);
	}
}

void ccfc_render_commands(struct ccfc_out *out, struct ccfc_obj commands,
			  int64_t all, uint32_t max)
{
	uint32_t n = ccfc_obj_len(commands);

	n = n < max ? n : max;
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_obj c = ccfc_obj_at(commands, i);

		ccfc_buf_puts(&out->buf, "  ");
		ccfc_render_time(&out->buf, ccfc_obj_get(c, "timestamp"),
				 CCFC_RENDER_SECOND);
		ccfc_buf_puts(&out->buf, "  $ ");
		ccfc_out_field(out, ccfc_obj_get_str(c, "command"));
		ccfc_buf_putc(&out->buf, '\n');
	}
	if (all > n)
		ccfc_buf_printf(&out->buf, "  and %lld more\n",
				(long long)(all - n));
}

bool ccfc_render_unknown(struct ccfc_buf *out, struct ccfc_obj root)
{
	int64_t n = ccfc_obj_get_int(root, "unknownCommands", 0);

	if (n <= 0)
		return false;
	ccfc_buf_puts(out, "the effects of ");
	ccfc_render_count(out, n, "command");
	ccfc_buf_puts(out, " are not known: ccfc show ");
	ccfc_buf_slice(out, ccfc_slice_cut(ccfc_obj_get_str(root, "sessionId"),
					   ID_MIN));
	return true;
}

/* ", recorded, renamed from old": the evidence of a command's change. */
static void render_shell(struct ccfc_out *out, struct ccfc_obj change)
{
	struct ccfc_slice evidence = ccfc_obj_get_str(change, "evidence");
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (ccfc_obj_get_str(change, "command").len ||
	    (evidence.len && !ccfc_slice_is(evidence, "result"))) {
		ccfc_buf_puts(&out->buf, ", ");
		ccfc_out_field(out, evidence);
	}
	ccfc_render_operation(&text, change, CCFC_SLICE_NONE);
	if (text.len) {
		ccfc_buf_puts(&out->buf, ", ");
		ccfc_out_field(out, ccfc_buf_view(&text));
	}
	ccfc_buf_release(&text);
}

/* "[1] 2025-12-10 10:05:23 (Edit, failed, agent a1b2c3d)" */
static void render_change(struct ccfc_out *out, struct ccfc_obj change,
			  uint32_t number)
{
	struct ccfc_slice state = ccfc_obj_get_str(change, "state");
	struct ccfc_slice agent = ccfc_obj_get_str(change, "agentId");
	struct ccfc_slice command = ccfc_obj_get_str(change, "command");
	struct ccfc_buf *buf = &out->buf;

	ccfc_buf_printf(buf, "\n[%u] ", number);
	ccfc_render_time(buf, ccfc_obj_get(change, "timestamp"),
			 CCFC_RENDER_SECOND);
	ccfc_buf_puts(buf, " (");
	ccfc_out_field(out, ccfc_render_tool(change));
	if (state.len && !ccfc_slice_is(state, "applied")) {
		ccfc_buf_printf(buf, ", %s",
				ccfc_out_on(out, CCFC_STYLE_ALERT));
		ccfc_out_field(out, state);
		ccfc_buf_puts(buf, ccfc_out_off(out));
	}
	render_shell(out, change);
	if (agent.len) {
		ccfc_buf_puts(buf, ", agent ");
		ccfc_out_field(out, agent);
	}
	ccfc_buf_puts(buf, ")\n");
	if (command.len)
		render_note(out, "while it ran: ", command);
	render_candidates(out, ccfc_obj_get(change, "candidates"));
	render_content(out, change);
}

void ccfc_render_changes(struct ccfc_out *out, struct ccfc_slice title,
			 struct ccfc_obj changes)
{
	ccfc_buf_printf(&out->buf,
			"\n%s=== ", ccfc_out_on(out, CCFC_STYLE_HEAD));
	ccfc_out_field(out, title);
	ccfc_buf_puts(&out->buf, " (");
	ccfc_render_count(&out->buf, ccfc_obj_len(changes), "change");
	ccfc_buf_printf(&out->buf, ") ===%s\n", ccfc_out_off(out));
	for (uint32_t i = 0; i < ccfc_obj_len(changes); i++)
		render_change(out, ccfc_obj_at(changes, i), i + 1);
}

void ccfc_render_path(struct ccfc_out *out, struct ccfc_slice path, char end)
{
	if (out->tty && end)
		ccfc_out_field(out, path);
	else
		ccfc_buf_slice(&out->buf, path);
	ccfc_buf_putc(&out->buf, end);
	ccfc_out_check(out);
}

void ccfc_render_json(struct ccfc_out *out, struct ccfc_obj value, int indent)
{
	ccfc_json_write(&out->buf, value, indent);
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_out_check(out);
}

void ccfc_render_tsv(struct ccfc_out *out, struct ccfc_slice text, char end)
{
	struct ccfc_buf line = CCFC_BUF_INIT;

	for (size_t i = 0; i < text.len; i++)
		ccfc_buf_putc(&line, strchr("\t\r\n", text.ptr[i])
					     ? ' '
					     : text.ptr[i]);
	ccfc_out_field(out, ccfc_buf_view(&line));
	ccfc_buf_putc(&out->buf, end);
	ccfc_buf_release(&line);
}

void ccfc_render_jsonl(struct ccfc_out *out, struct ccfc_obj array)
{
	for (uint32_t i = 0; i < ccfc_obj_len(array); i++)
		ccfc_render_json(out, ccfc_obj_at(array, i), 0);
}

static size_t common_prefix(struct ccfc_slice a, struct ccfc_slice b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	return n;
}

static int compare_slices(const void *a, const void *b)
{
	return ccfc_slice_cmp(*(const struct ccfc_slice *)a,
			      *(const struct ccfc_slice *)b);
}

size_t ccfc_render_unique_length(struct ccfc_obj array, const char *key,
				 size_t min)
{
	uint32_t n = ccfc_obj_len(array);
	struct ccfc_slice *ids = ccfc_calloc((size_t)n + 1, sizeof(*ids));

	for (uint32_t i = 0; i < n; i++)
		ids[i] = ccfc_obj_get_str(ccfc_obj_at(array, i), key);
	/* In order, the nearest relative of each is its neighbour. */
	qsort(ids, n, sizeof(*ids), compare_slices);
	for (uint32_t i = 1; i < n; i++) {
		size_t same = common_prefix(ids[i - 1], ids[i]);

		if (same >= min && !ccfc_slice_eq(ids[i - 1], ids[i]))
			min = same + 1;
	}
	free(ids);
	return min;
}

size_t ccfc_render_id_length(const struct ccfc_out *out, struct ccfc_obj array)
{
	return out->tty ? ccfc_render_unique_length(array, "sessionId", ID_MIN)
			: SIZE_MAX;
}
