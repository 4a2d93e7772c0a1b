/*
 * The texts of a change, read from its transcript when somebody asks. The
 * lines of the call and of its result are read at the places that the index
 * keeps; where the first is gone, other transcripts that hold a copy of the
 * call are tried. Nothing is believed: if the lines are not what they were,
 * the content is not available, and the reply says why.
 *
 * Bounds: maxContent for each text, and totals for the reply, of its content
 * and of what is read for it (thousands of calls may stand in one long line,
 * which is then read for each); beyond them content is left out.
 */
#include "serve/reply.h"

#include "transcript/content.h"

#define FULL "the reply is full; ask for fewer changes"
#define GONE "the transcript is gone"
#define ELSE "the transcript does not have it any more"

/* The line at `place`, empty if it is not there. In the texts' arena. */
static struct ccfc_slice read_line(struct ccfc_request *rq,
				   const struct ccfc_place *place)
{
	const struct ccfc_index *index = rq->index;
	struct ccfc_slice path, line;
	char *copy;

	if (!ccfc_index_place_present(index, place))
		return CCFC_SLICE_NONE;
	path = ccfc_index_str(index, index->sources.items[place->source].path);
	if (ccfc_tail_read_at(rq->service->tail, &line, path.ptr, place->offset,
			      place->len, NULL) < 0)
		return CCFC_SLICE_NONE;
	rq->reading_left -=
		line.len < rq->reading_left ? line.len : rq->reading_left;
	copy = ccfc_arena_alloc(&rq->methods->texts,
				line.len + CCFC_TAIL_PADDING);
	memcpy(copy, line.ptr, line.len);
	memset(copy + line.len, 0, CCFC_TAIL_PADDING);
	return ccfc_slice(copy, line.len);
}

/* The call's line, from the owner's transcript or from a copy. */
static struct ccfc_slice read_call(struct ccfc_request *rq,
				   const struct ccfc_change *change)
{
	const struct ccfc_obs *obs = &change->call;

	if (!obs->known)
		return CCFC_SLICE_NONE;
	for (;;) {
		struct ccfc_slice line = read_line(rq, &obs->place);

		if (line.len || obs->next == CCFC_ID_NONE)
			return line;
		obs = &rq->index->obs.items[obs->next];
	}
}

/* Cuts a text to `max` bytes, not within a character. */
static struct ccfc_slice cut(struct ccfc_slice s, size_t max, bool *truncated)
{
	if (s.len <= max)
		return s;
	*truncated = true;
	while (max && ((unsigned char)s.ptr[max] & 0xc0) == 0x80)
		max--;
	return ccfc_slice(s.ptr, max);
}

static bool has_nul(struct ccfc_slice s)
{
	return s.len && memchr(s.ptr, '\0', s.len);
}

static bool is_binary(const struct ccfc_content *content)
{
	for (uint32_t i = 0; i < content->nedits; i++)
		if (has_nul(content->edits[i].old_text) ||
		    has_nul(content->edits[i].new_text))
			return true;
	return false;
}

static size_t trim(struct ccfc_content *content, size_t max, bool *truncated)
{
	size_t total = 0;

	for (uint32_t i = 0; i < content->nedits; i++) {
		struct ccfc_edit *e = &content->edits[i];

		e->old_text = cut(e->old_text, max, truncated);
		e->new_text = cut(e->new_text, max, truncated);
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

static void pack_edits(struct ccfc_pack *p, const struct ccfc_content *content)
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

/* NULL, or why there is no content. */
static const char *read_content(struct ccfc_content *out,
				struct ccfc_request *rq,
				const struct ccfc_change *change)
{
	struct ccfc_slice call, result = CCFC_SLICE_NONE;

	if (!rq->content_left || !rq->reading_left)
		return FULL;
	call = read_call(rq, change);
	if (change->result.known)
		result = read_line(rq, &change->result.place);
	if (!call.len && !result.len)
		return GONE;
	if (!ccfc_content_read(rq->service->parser, out,
			       ccfc_reply_tool_use_id(change), change->part,
			       call, result, &rq->methods->texts) ||
	    !out->nedits)
		return ELSE;
	return NULL;
}

void ccfc_reply_content(struct ccfc_request *rq,
			const struct ccfc_change *change)
{
	struct ccfc_content content = { 0 };
	const char *why = read_content(&content, rq, change);
	bool truncated = false;
	size_t total = 0;

	if (!why && is_binary(&content)) {
		ccfc_pack_kv_bool(rq->pack, "binary", true);
	} else if (!why) {
		total = trim(&content, (size_t)rq->opt.max_content, &truncated);
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
	ccfc_arena_clear(&rq->methods->texts);
}
