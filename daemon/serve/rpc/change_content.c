/*
 * The texts of a change, read from its transcript on request
 * (history/chain/lines.h). If the lines have changed, there is no content, and
 * the reply says why. A change of a shell command has the lines that the client
 * recorded, or what the command's text writes, or the part of the file that was
 * seen to differ. A change that was only seen on disk has the whole file.
 *
 * Bounds: maxContent for each text, and for the reply the content and the bytes
 * read for it (one long line may have thousands of calls, and is read for each
 * of them). Beyond the bounds content is left out.
 */
#include "serve/rpc/reply.h"

#include "history/chain/lines.h"
#include "history/chain/seen_evidence.h"
#include "transcript/content/change_text.h"

#define FULL	 "the reply is full; ask for fewer changes"
#define GONE	 "the transcript is gone"
#define ELSE	 "the transcript does not have it any more"
#define RAN	 "what the command made of it is not recorded"
#define NOT_KEPT "what was seen on disk is not kept"
#define TOLD	 "no line has it; the diff of the change shows it"

/* Reads the lines of the call and of the result; false when both are gone. */
static bool read_change_lines(struct ccfc_slice *call,
			      struct ccfc_slice *result,
			      struct ccfc_request *rq,
			      const struct ccfc_change *change)
{
	bool any = ccfc_history_lines(
		call, result, ccfc_history_env(rq->history), change, rq->texts);
	size_t n = call->len + result->len;

	rq->reading_left -= n < rq->reading_left ? n : rq->reading_left;
	return any;
}

/* Cuts a text to `max` bytes, at the end of a character. */
static struct ccfc_slice cut_to_bytes(struct ccfc_slice s, size_t max,
				      bool *truncated)
{
	*truncated |= s.len > max;
	return ccfc_slice_cut(s, max);
}

static bool has_nul(struct ccfc_slice s)
{
	return s.len && memchr(s.ptr, '\0', s.len);
}

static bool is_binary(const struct ccfc_change_text *content)
{
	for (uint32_t i = 0; i < content->nedits; i++)
		if (has_nul(content->edits[i].old_text) ||
		    has_nul(content->edits[i].new_text))
			return true;
	return false;
}

static size_t trim_edits(struct ccfc_change_text *content, size_t max,
			 bool *truncated)
{
	size_t total = 0;

	for (uint32_t i = 0; i < content->nedits; i++) {
		struct ccfc_edit *e = &content->edits[i];

		e->old_text = cut_to_bytes(e->old_text, max, truncated);
		e->new_text = cut_to_bytes(e->new_text, max, truncated);
		total += e->old_text.len + e->new_text.len;
	}
	return total;
}

static void pack_edit(struct ccfc_pack *p, const struct ccfc_edit *e)
{
	if (e->old_text.ptr)
		ccfc_pack_kv_str(p, "oldContent", e->old_text);
	if (e->new_text.ptr)
		ccfc_pack_kv_str(p, "newContent", e->new_text);
}

static void pack_edits(struct ccfc_pack *p,
		       const struct ccfc_change_text *content)
{
	if (content->nedits == 1) {
		pack_edit(p, &content->edits[0]);
		return;
	}
	ccfc_pack_cstr(p, "edits");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < content->nedits; i++) {
		ccfc_pack_map(p);
		pack_edit(p, &content->edits[i]);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

/* --- changes by commands --- */

/* The lines of a hunk with this sign, joined. */
static struct ccfc_slice join_lines_with_sign(const struct ccfc_hunk *hunk,
					      char sign,
					      struct ccfc_arena *arena)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_slice copy = CCFC_SLICE_NONE;

	for (uint32_t i = 0; i < hunk->nlines; i++) {
		struct ccfc_slice line = hunk->lines[i];

		if (!line.len || line.ptr[0] != sign)
			continue;
		ccfc_buf_append(&text, line.ptr + 1, line.len - 1);
		ccfc_buf_putc(&text, '\n');
	}
	if (text.len)
		copy = ccfc_arena_copy(arena, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
	return copy;
}

static void add_hunk_edits(struct ccfc_change_text *out,
			   const struct ccfc_evidence *ev,
			   struct ccfc_arena *arena)
{
	out->edits = ccfc_arena_alloc(arena, ev->nhunks * sizeof(*out->edits));
	out->nedits = ev->nhunks;
	for (uint32_t i = 0; i < ev->nhunks; i++)
		out->edits[i] = (struct ccfc_edit){
			.old_text =
				join_lines_with_sign(&ev->hunks[i], '-', arena),
			.new_text =
				join_lines_with_sign(&ev->hunks[i], '+', arena),
		};
}

/* Takes the complete texts before and after, as far as they are known. */
static void add_whole_texts(struct ccfc_change_text *out,
			    const struct ccfc_evidence *ev,
			    struct ccfc_arena *arena)
{
	struct ccfc_edit edit = { 0 };

	if (ev->before == CCFC_BEFORE_TEXT)
		edit.old_text = ev->original;
	if (ev->has_after)
		edit.new_text = ev->after;
	else if (ev->has_added)
		edit.new_text = ev->added;
	if (!edit.old_text.ptr && !edit.new_text.ptr)
		return;
	out->edits = ccfc_arena_alloc(arena, sizeof(*out->edits));
	out->edits[0] = edit;
	out->nedits = 1;
}

static const char *read_seen_content(struct ccfc_change_text *out,
				     struct ccfc_request *rq,
				     const struct ccfc_change *change)
{
	uint32_t id = (uint32_t)(change - rq->index->changes.items);
	struct ccfc_evidence ev;
	size_t n;

	if (!ccfc_history_seen(&ev, ccfc_history_env(rq->history), id,
			       rq->texts))
		return NOT_KEPT;
	n = ev.original.len + ev.after.len;
	rq->reading_left -= n < rq->reading_left ? n : rq->reading_left;
	add_whole_texts(out, &ev, rq->texts);
	return out->nedits ? NULL : NOT_KEPT;
}

/* The number of equal bytes at the start, in whole lines. */
static size_t common_head(struct ccfc_slice a, struct ccfc_slice b)
{
	size_t lines = 0;

	for (size_t i = 0; i < a.len && i < b.len && a.ptr[i] == b.ptr[i]; i++)
		if (a.ptr[i] == '\n')
			lines = i + 1;
	return lines;
}

/* The number of equal bytes at the end, in whole lines. */
static size_t common_tail(struct ccfc_slice a, struct ccfc_slice b)
{
	size_t lines = 0, n = 0;

	while (n < a.len && n < b.len &&
	       a.ptr[a.len - 1 - n] == b.ptr[b.len - 1 - n]) {
		if (n && a.ptr[a.len - 1 - n] == '\n')
			lines = n;
		n++;
	}
	/* One text may be the end of the other, after a newline. */
	if ((n == a.len && (n == b.len || b.ptr[b.len - 1 - n] == '\n')) ||
	    (n == b.len && n < a.len && a.ptr[a.len - 1 - n] == '\n'))
		lines = n;
	return lines;
}

/* Reduces two whole files to the part that differs. */
static void cut_common_lines(struct ccfc_edit *e)
{
	size_t n;

	if (!e->old_text.ptr || !e->new_text.ptr)
		return;
	n = common_head(e->old_text, e->new_text);
	e->old_text = ccfc_slice_from(e->old_text, n);
	e->new_text = ccfc_slice_from(e->new_text, n);
	n = common_tail(e->old_text, e->new_text);
	e->old_text.len -= n;
	e->new_text.len -= n;
}

static const char *read_shell_content(struct ccfc_change_text *out,
				      struct ccfc_request *rq,
				      const struct ccfc_change *change)
{
	struct ccfc_evidence ev;
	bool known;

	if (ccfc_index_is_inferred(change))
		return TOLD;
	known = ccfc_history_evidence(&ev, ccfc_history_env(rq->history),
				      change, rq->texts) &&
		!ev.went_on;
	if (known && ev.has_patch)
		add_hunk_edits(out, &ev, rq->texts);
	else if (known)
		add_whole_texts(out, &ev, rq->texts);
	if (!out->nedits && !read_seen_content(out, rq, change))
		cut_common_lines(&out->edits[0]);
	return out->nedits ? NULL : RAN;
}

/* --- any change --- */

/* Reads the texts. Returns NULL, or why there are none. */
static const char *read_change_texts(struct ccfc_change_text *out,
				     struct ccfc_request *rq,
				     const struct ccfc_change *change)
{
	struct ccfc_slice call, result;

	if (!rq->content_left || !rq->reading_left)
		return FULL;
	if (ccfc_index_is_witnessed(change))
		return read_seen_content(out, rq, change);
	if (!read_change_lines(&call, &result, rq, change))
		return GONE;
	if (change->shell)
		return read_shell_content(out, rq, change);
	if (!ccfc_content_read(ccfc_history_env(rq->history)->parser, out,
			       ccfc_index_call_id(change), change->part, call,
			       result, rq->texts) ||
	    !out->nedits)
		return ELSE;
	return NULL;
}

void ccfc_reply_content(struct ccfc_request *rq,
			const struct ccfc_change *change)
{
	struct ccfc_change_text content = { 0 };
	const char *why = read_change_texts(&content, rq, change);
	bool truncated = false;
	size_t total = 0;

	if (!why && is_binary(&content)) {
		ccfc_pack_kv_bool(rq->pack, "binary", true);
	} else if (!why) {
		total = trim_edits(&content, (size_t)rq->opt.max_content,
				   &truncated);
		if (total > rq->content_left) {
			rq->content_left = total = 0;
			why = FULL;
		} else {
			pack_edits(rq->pack, &content);
		}
	}
	if (truncated && !why)
		ccfc_pack_kv_bool(rq->pack, "truncated", true);
	if (why)
		ccfc_pack_kv_cstr(rq->pack, "contentUnavailable", why);
	rq->content_left -= total;
	ccfc_arena_clear(rq->texts);
}
