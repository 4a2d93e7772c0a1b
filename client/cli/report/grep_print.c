/*
 * The matches of `ccfc grep`; see grep_print.h. The snippet is text from a
 * transcript and shown like content; invalid match positions are ignored.
 */
#include "cli/report/grep_print.h"

#include "base/alloc.h"
#include "base/strtab.h"
#include "base/time.h"
#include "cli/frame/answer.h"
#include "cli/out/human.h"
#include "cli/out/render.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"

#include <stdlib.h>

/* On a terminal. */
#define UUID_LENGTH 8
#define TITLE_LEAST 8

/* The next range that starts at `from` or later; false: none. */
static bool next_range(size_t *start, size_t *end, struct ccfc_obj ranges,
		       uint32_t *i, size_t from, size_t len)
{
	while (*i < ccfc_obj_len(ranges)) {
		struct ccfc_obj r = ccfc_obj_at(ranges, (*i)++);
		int64_t a = ccfc_obj_int(ccfc_obj_at(r, 0), -1);
		int64_t b = ccfc_obj_int(ccfc_obj_at(r, 1), -1);

		if (a >= (int64_t)from && b > a && (uint64_t)b <= len) {
			*start = (size_t)a;
			*end = (size_t)b;
			return true;
		}
	}
	return false;
}

#define INDENT "    "

struct snippet {
	struct ccfc_out *out;
	bool fresh;   /* the line has nothing on it yet */
	size_t width; /* of the current line, on a terminal */
};

/* On a terminal lines are broken between words. */
static void put_words(struct snippet *s, struct ccfc_slice text)
{
	struct ccfc_out *out = s->out;

	while (out->width && text.len) {
		const char *blank =
			text.len > 1 ? memchr(text.ptr + 1, ' ', text.len - 1)
				     : NULL;
		size_t n = blank ? (size_t)(blank - text.ptr) : text.len;
		struct ccfc_slice word = ccfc_slice(text.ptr, n);
		size_t width = ccfc_width(word);

		text = ccfc_slice(text.ptr + n, text.len - n);
		if (*word.ptr == ' ' && s->width + width > out->width) {
			ccfc_buf_puts(&out->buf, "\n" INDENT);
			word = ccfc_slice(word.ptr + 1, n - 1);
			width--;
			s->width = sizeof(INDENT) - 1;
		}
		ccfc_out_content(out, word);
		s->width += width;
	}
	if (!out->width)
		ccfc_out_content(out, text);
}

/* A part of the snippet in one style; lines are indented. */
static void put_piece(struct snippet *s, struct ccfc_slice text, bool match)
{
	struct ccfc_out *out = s->out;

	while (text.len) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl ? (size_t)(nl - text.ptr) : text.len;

		if (n && s->fresh) {
			ccfc_buf_puts(&out->buf, INDENT);
			s->width = sizeof(INDENT) - 1;
		}
		if (n && match)
			ccfc_buf_puts(&out->buf,
				      ccfc_out_on(out, CCFC_STYLE_MATCH));
		put_words(s, ccfc_slice(text.ptr, n));
		if (n && match)
			ccfc_buf_puts(&out->buf, ccfc_out_off(out));
		s->fresh = s->fresh && !n;
		/* Empty lines are skipped. */
		if (nl && !s->fresh)
			ccfc_buf_putc(&out->buf, '\n');
		s->fresh = s->fresh || nl;
		n += nl != NULL;
		text = ccfc_slice(text.ptr + n, text.len - n);
	}
}

/* The part of the snippet from `at` to `to`. */
static void put_part(struct snippet *s, struct ccfc_slice text,
		     struct ccfc_obj ranges, size_t at, size_t to)
{
	size_t start, end;
	uint32_t i = 0;

	while (next_range(&start, &end, ranges, &i, at, to)) {
		put_piece(s, ccfc_slice(text.ptr + at, start - at), false);
		put_piece(s, ccfc_slice(text.ptr + start, end - start), true);
		at = end;
	}
	if (to > at)
		put_piece(s, ccfc_slice(text.ptr + at, to - at), false);
}

/*
 * A session's title, project, tags and branches are one line each; lines
 * without a match are left out.
 */
static void put_matching_lines(struct snippet *s, struct ccfc_slice text,
			       struct ccfc_obj ranges)
{
	for (size_t at = 0; at < text.len;) {
		const char *nl = memchr(text.ptr + at, '\n', text.len - at);
		size_t to = nl ? (size_t)(nl - text.ptr) + 1 : text.len;
		size_t start, end;
		uint32_t i = 0;

		if (next_range(&start, &end, ranges, &i, at, to))
			put_part(s, text, ranges, at, to);
		at = to;
	}
}

static void print_snippet(struct ccfc_out *out, struct ccfc_obj match)
{
	struct ccfc_slice text = ccfc_obj_get_str(match, "snippet");
	struct ccfc_obj ranges = ccfc_obj_get(match, "matches");
	struct snippet s = { .out = out, .fresh = true };

	if (ccfc_slice_is(ccfc_obj_get_str(match, "in"), "meta"))
		put_matching_lines(&s, text, ranges);
	else
		put_part(&s, text, ranges, 0, text.len);
	if (!s.fresh)
		ccfc_buf_putc(&out->buf, '\n');
}

/* "user", "assistant, thinking", "assistant, tool Bash, agent a1b2c3d". */
static void put_who(struct ccfc_buf *text, struct ccfc_obj match)
{
	struct ccfc_slice in = ccfc_obj_get_str(match, "in");
	struct ccfc_slice tool = ccfc_obj_get_str(match, "toolName");
	struct ccfc_slice agent = ccfc_obj_get_str(match, "agentId");
	int64_t count = ccfc_obj_get_int(match, "count", 1);

	ccfc_safe_append(text, ccfc_obj_get_str(match, "role"), false);
	if (in.len && !ccfc_slice_is(in, "text")) {
		ccfc_buf_puts(text, ", ");
		ccfc_safe_append(text, in, false);
	}
	if (tool.len) {
		ccfc_buf_puts(text, in.len ? " " : ", ");
		ccfc_safe_append(text, tool, false);
	}
	if (agent.len) {
		ccfc_buf_puts(text, ", agent ");
		ccfc_safe_append(text, agent, false);
	}
	if (count > 1)
		ccfc_buf_printf(text, ", %lld times", (long long)count);
	if (ccfc_slice_is(ccfc_obj_get_str(match, "source"), "gone"))
		ccfc_buf_puts(text, " (the transcript is gone)");
}

/* The title, cut at the end of the line, if there is room for a word. */
static void put_title(struct ccfc_buf *text, const struct ccfc_out *out,
		      struct ccfc_slice title, size_t used)
{
	struct ccfc_buf safe = CCFC_BUF_INIT;
	size_t room = SIZE_MAX;

	if (out->width)
		room = out->width > used + 2 ? out->width - used - 2 : 0;
	ccfc_safe_append(&safe, ccfc_human_title(title), false);
	if (room >= TITLE_LEAST) {
		ccfc_buf_puts(text, "  ");
		ccfc_width_cut(text, ccfc_buf_view(&safe), room);
	}
	ccfc_buf_release(&safe);
}

/* "3f2a91c4  2025-12-10 10:05  user  Fix the login" */
static void print_match_head(struct ccfc_out *out, struct ccfc_obj match,
			     struct ccfc_slice id, bool first)
{
	struct ccfc_slice title =
		first ? ccfc_obj_get_str(match, "title") : CCFC_SLICE_NONE;
	struct ccfc_buf text = CCFC_BUF_INIT;
	size_t id_width;

	ccfc_safe_append(&text, id, false);
	id_width = ccfc_width(ccfc_buf_view(&text));
	ccfc_buf_printf(&out->buf, "%s%s%s", ccfc_out_on(out, CCFC_STYLE_HEAD),
			text.len ? text.ptr : "", ccfc_out_off(out));
	ccfc_buf_clear(&text);
	ccfc_buf_puts(&text, "  ");
	if (out->tty)
		ccfc_human_when(&text, out, ccfc_obj_get(match, "timestamp"),
				ccfc_time_now());
	else
		ccfc_render_time(&text, ccfc_obj_get(match, "timestamp"),
				 CCFC_RENDER_MINUTE);
	ccfc_buf_puts(&text, "  ");
	put_who(&text, match);
	if (title.len)
		put_title(&text, out, title,
			  id_width + ccfc_width(ccfc_buf_view(&text)));
	ccfc_buf_slice(&out->buf, ccfc_buf_view(&text));
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_buf_release(&text);
}

static void print_match(struct ccfc_out *out, struct ccfc_obj match,
			size_t id_length, size_t uuid_length, bool first)
{
	struct ccfc_slice id =
		ccfc_slice_cut(ccfc_obj_get_str(match, "sessionId"), id_length);
	struct ccfc_slice uuid = ccfc_slice_cut(
		ccfc_obj_get_str(match, "messageUuid"), uuid_length);
	struct ccfc_slice agent = ccfc_obj_get_str(match, "agentId");

	print_match_head(out, match, id, first);
	print_snippet(out, match);
	ccfc_buf_printf(&out->buf, "  %sopen: ccfc show ",
			ccfc_out_on(out, CCFC_STYLE_FAINT));
	ccfc_out_field(out, id);
	if (agent.len) {
		ccfc_buf_puts(&out->buf, " --agent=");
		ccfc_out_field(out, agent);
	}
	if (uuid.len) {
		ccfc_buf_puts(&out->buf, " --message=");
		ccfc_out_field(out, uuid);
	}
	ccfc_buf_printf(&out->buf, "%s\n\n", ccfc_out_off(out));
	ccfc_out_check(out);
}

static void print_match_total(struct ccfc_out *out, struct ccfc_obj root)
{
	int64_t total = ccfc_obj_get_int(root, "totalMatches", 0);
	struct ccfc_buf *buf = &out->buf;

	ccfc_buf_printf(buf, "Total: %lld match%s in ", (long long)total,
			total == 1 ? "" : "es");
	ccfc_render_count(buf, ccfc_obj_get_int(root, "totalSessions", 0),
			  "session");
	ccfc_buf_puts(buf, ", ");
	ccfc_render_bytes(buf, ccfc_obj_get_int(root, "scannedBytes", 0));
	ccfc_buf_puts(buf, " searched\n");
}

/* Notes what the answer lacks. */
static void print_lacks(struct ccfc_out *out, struct ccfc_obj root)
{
	int64_t damaged = ccfc_obj_get_int(root, "damaged", 0);

	if (ccfc_obj_get_bool(root, "truncated", false))
		ccfc_buf_printf(&out->buf,
				"%sincomplete: the search ended early, or "
				"transcripts could not be read%s\n",
				ccfc_out_on(out, CCFC_STYLE_ALERT),
				ccfc_out_off(out));
	if (damaged)
		ccfc_buf_printf(&out->buf, "%sdamaged texts left out: %lld%s\n",
				ccfc_out_on(out, CCFC_STYLE_ALERT),
				(long long)damaged, ccfc_out_off(out));
}

/* ---- matches of one session together ---- */

#define NO_MATCH UINT32_MAX

/* Sessions in the order of their first match; their matches are chained. */
struct group {
	struct ccfc_strtab ids;
	uint32_t *first, *last, *count; /* by session */
	uint32_t *next;			/* by match */
	uint32_t n;
};

static void group_init(struct group *g, struct ccfc_obj matches)
{
	size_t size = ccfc_obj_len(matches) + 1u;

	*g = (struct group){ .first = ccfc_calloc(size, sizeof(uint32_t)),
			     .last = ccfc_calloc(size, sizeof(uint32_t)),
			     .count = ccfc_calloc(size, sizeof(uint32_t)),
			     .next = ccfc_calloc(size, sizeof(uint32_t)) };
	ccfc_strtab_init(&g->ids);
	for (uint32_t i = 0; i + 1u < size; i++) {
		struct ccfc_slice id =
			ccfc_obj_get_str(ccfc_obj_at(matches, i), "sessionId");
		uint32_t s = id.len ? ccfc_strtab_put(&g->ids, id) - 1 : 0;

		g->next[i] = NO_MATCH;
		if (s >= g->n) {
			s = g->n++;
			g->first[s] = i;
		} else {
			g->next[g->last[s]] = i;
		}
		g->last[s] = i;
		g->count[s]++;
	}
}

static void group_release(struct group *g)
{
	ccfc_strtab_release(&g->ids);
	free(g->first);
	free(g->last);
	free(g->count);
	free(g->next);
}

static void print_session(struct ccfc_out *out, struct ccfc_obj match,
			  enum ccfc_grep_form form, uint32_t count,
			  size_t id_length)
{
	struct ccfc_slice id =
		ccfc_slice_cut(ccfc_obj_get_str(match, "sessionId"), id_length);
	struct ccfc_buf text = CCFC_BUF_INIT;
	size_t used = id.len;

	if (form == CCFC_GREP_COUNTS) {
		ccfc_buf_printf(&out->buf, "%6u  ", count);
		used += 8;
	}
	ccfc_buf_puts(&out->buf, ccfc_out_on(out, CCFC_STYLE_HEAD));
	ccfc_out_field(out, id);
	ccfc_buf_puts(&out->buf, ccfc_out_off(out));
	put_title(&text, out, ccfc_obj_get_str(match, "title"), used);
	ccfc_buf_slice(&out->buf, ccfc_buf_view(&text));
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_buf_release(&text);
}

void ccfc_grep_sessions(struct ccfc_out *out, struct ccfc_obj root,
			enum ccfc_grep_form form, char end)
{
	struct ccfc_obj matches = ccfc_obj_get(root, "matches");
	size_t id_length = ccfc_render_id_length(out, matches);
	struct group g;

	group_init(&g, matches);
	for (uint32_t s = 0; s < g.n; s++) {
		struct ccfc_obj match = ccfc_obj_at(matches, g.first[s]);

		if (form == CCFC_GREP_IDS)
			ccfc_render_path(
				out, ccfc_obj_get_str(match, "sessionId"), end);
		else
			print_session(out, match, form, g.count[s], id_length);
		ccfc_out_check(out);
	}
	group_release(&g);
}

void ccfc_grep_print(struct ccfc_out *out, struct ccfc_obj root, int64_t offset)
{
	struct ccfc_obj matches = ccfc_obj_get(root, "matches");
	uint32_t n = ccfc_obj_len(matches);
	size_t id_length = ccfc_render_id_length(out, matches);
	size_t uuid_length = SIZE_MAX;
	struct group g;

	if (out->tty)
		uuid_length = ccfc_render_unique_length(matches, "messageUuid",
							UUID_LENGTH);
	group_init(&g, matches);
	for (uint32_t s = 0; s < g.n; s++)
		for (uint32_t i = g.first[s]; i != NO_MATCH; i = g.next[i])
			print_match(out, ccfc_obj_at(matches, i), id_length,
				    uuid_length, i == g.first[s]);
	group_release(&g);
	print_match_total(out, root);
	print_lacks(out, root);
	ccfc_answer_more(out, offset, n,
			 ccfc_obj_get_int(root, "totalMatches", 0));
}
