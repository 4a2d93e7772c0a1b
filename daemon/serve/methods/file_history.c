/* A FileHistory of a reply; see file_history.h. */
#include "serve/methods/file_history.h"

static void pack_session_head(struct ccfc_request *rq,
			      const struct ccfc_group *group)
{
	const struct ccfc_index *index = rq->index;
	const struct ccfc_session *s = &index->sessions.items[group->key];
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "sessionId",
			 ccfc_index_session_id(index, group->key));
	ccfc_reply_id(p, "projectPath", index, s->project);
	ccfc_reply_id(p, "gitBranch", index, s->branch);
	ccfc_reply_id(p, "model", index, s->model);
	ccfc_pack_kv_time(p, "firstChange", group->first);
	ccfc_pack_kv_time(p, "lastChange", group->last);
}

/* Packs some changes of a session; true: there are more. */
static bool pack_some_of_session(struct ccfc_request *rq,
				 struct ccfc_file_history *h, uint32_t *left)
{
	const struct ccfc_group *group = &h->groups->items[h->session];

	if (!h->change)
		pack_session_head(rq, group);
	if (ccfc_reply_group_some(rq, group, &h->change, left))
		return true;
	ccfc_reply_source(rq->pack,
			  ccfc_index_session_where(rq->index, group->key));
	ccfc_pack_end(rq->pack);
	h->change = 0;
	return false;
}

/* The totals cover all sessions, not only the page. */
static void begin_file_history(struct ccfc_request *rq,
			       struct ccfc_file_history *h)
{
	const struct ccfc_groups *groups = h->groups;
	int64_t first = groups->items[0].first, last = groups->items[0].last;
	struct ccfc_pack *p = rq->pack;
	struct ccfc_lines sum = { 0 };

	for (uint32_t i = 0; i < groups->n; i++) {
		const struct ccfc_group *g = &groups->items[i];

		ccfc_lines_add(&sum, rq->index, g);
		first = g->first < first ? g->first : first;
		last = g->last > last ? g->last : last;
	}
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path", h->path);
	ccfc_pack_kv_uint(p, "totalSessions", groups->n);
	ccfc_pack_kv_uint(p, "totalChanges", groups->nchanges);
	ccfc_reply_lines(p, &sum);
	ccfc_pack_kv_time(p, "firstModified", first);
	ccfc_pack_kv_time(p, "lastModified", last);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	h->session = h->offset;
	h->is_open = true;
}

bool ccfc_file_history_some(struct ccfc_request *rq,
			    struct ccfc_file_history *h, uint32_t left)
{
	const uint32_t n = h->groups->n;

	if (!h->is_open)
		begin_file_history(rq, h);
	for (; h->session < n && h->session - h->offset < h->limit;
	     h->session++) {
		if (!left || pack_some_of_session(rq, h, &left))
			return true;
		left -= left > 0;
	}
	ccfc_pack_end(rq->pack);
	ccfc_pack_kv_bool(rq->pack, "truncated", h->session < n);
	ccfc_reply_asked(rq);
	ccfc_pack_end(rq->pack);
	h->is_open = false;
	return false;
}

void ccfc_file_history_pack(struct ccfc_request *rq, struct ccfc_slice path,
			    const struct ccfc_groups *sessions, uint64_t offset,
			    uint64_t limit)
{
	struct ccfc_file_history h = { .path = path,
				       .groups = sessions,
				       .offset = offset,
				       .limit = limit };

	while (ccfc_file_history_some(rq, &h, UINT32_MAX))
		;
}
