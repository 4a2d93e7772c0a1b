/*
 * session.label: a name and tags for a session. The user chose them and they
 * are in no transcript: the index and the store keep them, also when all
 * transcripts are read again.
 */
#include "serve/rpc/reply.h"

#include "index/query/totals.h"
#include "serve/methods/session_summary.h"

#define NAME_MAX_LEN 200u
#define TAG_MAX_LEN  64u
#define TAGS_MAX     64u

/* Control characters are refused; a tag is one word. */
static bool is_valid_label(struct ccfc_slice text, size_t max, bool word)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < (word ? 0x21 : 0x20) ||
		    text.ptr[i] == 0x7f)
			return false;
	return text.len && text.len <= max;
}

static struct ccfc_slice split_tag(struct ccfc_slice word, bool *removes)
{
	*removes = word.len && word.ptr[0] == '-';
	return *removes ? ccfc_slice(word.ptr + 1, word.len - 1) : word;
}

static int check_labels(const struct ccfc_request *rq, struct ccfc_err *err)
{
	const struct ccfc_options *o = &rq->opt;
	bool removes;

	if ((o->given & CCFC_OPT(LABEL)) &&
	    !is_valid_label(o->label, NAME_MAX_LEN, false))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "a name is one line of at most %u bytes",
				    NAME_MAX_LEN);
	for (uint32_t i = 0; i < o->tags.n; i++)
		if (!is_valid_label(split_tag(o->tags.items[i], &removes),
				    TAG_MAX_LEN, true))
			return ccfc_err_set(err, CCFC_EINVAL,
					    "a tag is one word of at most %u "
					    "bytes",
					    TAG_MAX_LEN);
	return 0;
}

static int apply_labels(struct ccfc_index *index, uint32_t session,
			const struct ccfc_options *o, struct ccfc_err *err)
{
	const struct ccfc_ids *tags = &index->sessions.items[session].tags;

	if (o->given & CCFC_OPT(LABEL))
		ccfc_index_name_session(index, session,
					ccfc_slice_is(o->label, "-")
						? CCFC_SLICE_NONE
						: o->label);
	for (uint32_t i = 0; i < o->tags.n; i++) {
		bool removes;
		struct ccfc_slice tag = split_tag(o->tags.items[i], &removes);

		if (!removes && tags->n >= TAGS_MAX)
			return ccfc_err_set(err, CCFC_ETOOBIG,
					    "a session has at most %u tags",
					    TAGS_MAX);
		ccfc_index_tag_session(index, session, tag, !removes);
	}
	return 0;
}

int ccfc_method_session_label(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_index *index = rq->service->index;
	struct ccfc_pack *p = rq->pack;
	const struct ccfc_session *s;
	uint32_t session;
	int r = check_labels(rq, err);

	if (!r)
		r = ccfc_query_session(&session, index, rq->opt.session, err);
	if (!r && (rq->opt.given & (CCFC_OPT(LABEL) | CCFC_OPT(TAGS)))) {
		r = apply_labels(index, session, &rq->opt, err);
		if (rq->service->save)
			rq->service->save(rq->service->ctx);
	}
	if (r)
		return r;
	s = &index->sessions.items[session];
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "sessionId", ccfc_index_session_id(index, session));
	ccfc_reply_title(p, index, session);
	ccfc_reply_id(p, "name", index, s->name);
	ccfc_reply_ids(p, "tags", index, &s->tags, false);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
	return 0;
}
