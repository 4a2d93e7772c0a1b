/*
 * source.list: the known transcripts and how far each was read, so that a
 * client can compare them with the files.
 */
#include "serve/rpc/reply.h"

#include "base/alloc.h"

#include <stdlib.h>

/* The other names of the transcript, in their order. */
static void pack_names(struct ccfc_pack *p, const struct ccfc_index *index,
		       uint32_t source)
{
	uint32_t n = 0, at = 0, most = index->sources.items[source].aliases;
	struct ccfc_slice *list;
	const struct ccfc_alias *alias;

	if (!most)
		return;
	list = ccfc_calloc(most, sizeof(*list));
	while (n < most && (alias = ccfc_index_alias_next(index, source, &at)))
		list[n++] = ccfc_index_str(index, alias->path);
	ccfc_reply_sort(list, n);
	ccfc_pack_cstr(p, "names");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < n; i++)
		ccfc_pack_str(p, list[i]);
	ccfc_pack_end(p);
	free(list);
}

static void pack_source(struct ccfc_pack *p, const struct ccfc_index *index,
			uint32_t source)
{
	const struct ccfc_source *s = &index->sources.items[source];

	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path", ccfc_index_str(index, s->path));
	ccfc_reply_str(p, "sessionId",
		       s->session ? ccfc_index_session_id(index, s->session)
				  : CCFC_SLICE_NONE);
	ccfc_reply_id(p, "agentId", index, s->agent);
	ccfc_reply_source(p, ccfc_source_where(s));
	ccfc_pack_kv_uint(p, "bytes", s->cursor.offset);
	ccfc_pack_kv_uint(p, "kept",
			  s->kept_since == s->texts_gen ? s->kept_end : 0);
	ccfc_pack_kv_uint(p, "malformed", s->lines[CCFC_RECORD_MALFORMED]);
	ccfc_pack_kv_uint(p, "tooLong", s->too_long);
	pack_names(p, index, source);
	ccfc_pack_end(p);
}

int ccfc_method_source_list(struct ccfc_request *rq, struct ccfc_err *err)
{
	const struct ccfc_index *index = rq->index;
	uint64_t i = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;
	struct ccfc_pack *p = rq->pack;

	(void)err;
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "sources");
	ccfc_pack_array(p);
	for (; n && i < index->sources.n; i++, n--)
		pack_source(p, index, (uint32_t)i);
	ccfc_pack_end(p);
	ccfc_pack_kv_uint(p, "totalSources", index->sources.n);
	ccfc_reply_clock(p, rq->service);
	ccfc_pack_end(p);
	return 0;
}
