/* Parts of replies; see reply.h. */
#include "serve/rpc/reply.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *ccfc_reply_clock_text(char out[CCFC_CLOCK_TEXT_MAX], uint64_t epoch,
				  uint64_t seq)
{
	snprintf(out, CCFC_CLOCK_TEXT_MAX, "%" PRIu64 ":%" PRIu64, epoch, seq);
	return out;
}

void ccfc_reply_progress(struct ccfc_pack *p,
			 const struct ccfc_scan_progress *at)
{
	ccfc_pack_kv_uint(p, "filesDone", at->files_done);
	ccfc_pack_kv_uint(p, "filesTotal", at->files_total);
	ccfc_pack_kv_uint(p, "bytesDone", at->bytes_done);
	ccfc_pack_kv_uint(p, "bytesTotal", at->bytes_total);
}

static void pack_clock(struct ccfc_pack *p, uint64_t epoch, uint64_t seq,
		       const struct ccfc_scan_progress *at)
{
	char text[CCFC_CLOCK_TEXT_MAX];

	ccfc_pack_kv_cstr(p, "clock", ccfc_reply_clock_text(text, epoch, seq));
	if (!at->running)
		return;
	ccfc_pack_cstr(p, "indexing");
	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "running", true);
	ccfc_reply_progress(p, at);
	ccfc_pack_end(p);
}

void ccfc_reply_clock(struct ccfc_pack *p, struct ccfc_service *service)
{
	struct ccfc_scan_progress at = { 0 };

	service->progress(service->ctx, &at);
	pack_clock(p, service->index->epoch, service->index->seq, &at);
}

void ccfc_reply_scope(struct ccfc_request *rq)
{
	if (rq->opt.given & CCFC_OPT(HERE) && rq->opt.here.len)
		ccfc_reply_str(rq->pack, "scope", rq->opt.here);
}

void ccfc_reply_asked(struct ccfc_request *rq)
{
	ccfc_reply_scope(rq);
	if (rq->clock)
		pack_clock(rq->pack, rq->clock->epoch, rq->clock->seq,
			   rq->progress);
	else if (rq->progress)
		pack_clock(rq->pack, rq->index->epoch, rq->index->seq,
			   rq->progress);
	else
		ccfc_reply_clock(rq->pack, rq->service);
}

void ccfc_reply_str(struct ccfc_pack *p, const char *key, struct ccfc_slice s)
{
	ccfc_pack_cstr(p, key);
	if (s.len)
		ccfc_pack_str(p, s);
	else
		ccfc_pack_nil(p);
}

void ccfc_reply_id(struct ccfc_pack *p, const char *key,
		   const struct ccfc_index *index, uint32_t string)
{
	ccfc_reply_str(p, key, ccfc_index_str(index, string));
}

static int compare_bytes(const void *a, const void *b)
{
	return ccfc_slice_cmp(*(const struct ccfc_slice *)a,
			      *(const struct ccfc_slice *)b);
}

void ccfc_reply_sort(struct ccfc_slice *list, uint32_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), compare_bytes);
}

void ccfc_reply_source(struct ccfc_pack *p, enum ccfc_where where)
{
	static const char *const names[] = {
		[CCFC_WHERE_GONE] = "gone",
		[CCFC_WHERE_ARCHIVED] = "archived",
		[CCFC_WHERE_PRESENT] = "present",
	};

	ccfc_pack_kv_cstr(p, "source", names[where]);
}

void ccfc_reply_ids(struct ccfc_pack *p, const char *key,
		    const struct ccfc_index *index, const struct ccfc_ids *ids,
		    bool sorted)
{
	struct ccfc_slice *list = ccfc_calloc(ids->n + 1u, sizeof(*list));

	for (uint32_t i = 0; i < ids->n; i++)
		list[i] = ccfc_index_str(index, ids->items[i]);
	if (sorted)
		ccfc_reply_sort(list, ids->n);
	ccfc_pack_cstr(p, key);
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < ids->n; i++)
		ccfc_pack_str(p, list[i]);
	ccfc_pack_end(p);
	free(list);
}

/* --- one change --- */

static void add_change_lines(struct ccfc_lines *sum,
			     const struct ccfc_change *c)
{
	int32_t added, removed;

	ccfc_index_lines(c, &added, &removed);
	if (added != CCFC_LINES_UNKNOWN) {
		sum->any_added = true;
		sum->added += added;
	}
	if (removed != CCFC_LINES_UNKNOWN) {
		sum->any_removed = true;
		sum->removed += removed;
	}
}

void ccfc_reply_line_counts(struct ccfc_pack *p, const struct ccfc_change *c)
{
	struct ccfc_lines sum = { 0 };

	add_change_lines(&sum, c);
	ccfc_reply_lines(p, &sum);
}

void ccfc_reply_change_source(struct ccfc_pack *p,
			      const struct ccfc_index *index,
			      const struct ccfc_change *c)
{
	ccfc_reply_source(p, ccfc_index_place_where(
				     index, c->call.known ? &c->call.place
							  : &c->result.place));
}

void ccfc_reply_change_conflict(struct ccfc_pack *p,
				const struct ccfc_change *c)
{
	if (c->conflict >= CCFC_CONFLICT_CONCURRENT)
		ccfc_pack_kv_cstr(p, "conflict",
				  ccfc_conflict_text(c->conflict));
}

void ccfc_reply_change_names(struct ccfc_pack *p,
			     const struct ccfc_index *index,
			     const struct ccfc_change *c)
{
	char uuid[64];

	ccfc_pack_kv_str(p, "changeId", ccfc_slice(c->id, c->id_len));
	ccfc_reply_str(p, "tool", ccfc_index_tool(index, c));
	ccfc_pack_kv_time(p, "timestamp", ccfc_index_time(c));
	ccfc_pack_kv_str(p, "toolUseId", ccfc_index_call_id(c));
	ccfc_reply_str(p, "messageUuid",
		       c->call.known ? ccfc_index_uuid(index, &c->call, uuid)
				     : CCFC_SLICE_NONE);
	ccfc_pack_kv_cstr(p, "state", ccfc_state_text(c->state));
	ccfc_reply_shell(p, index, c);
	ccfc_reply_str(p, "sessionId",
		       ccfc_index_session_id(index, c->session));
	ccfc_reply_id(p, "agentId", index, ccfc_index_agent(c));
	ccfc_pack_kv_bool(p, "isSidechain", c->call.sidechain);
	ccfc_reply_id(p, "model", index, c->call.model);
	ccfc_reply_change_conflict(p, c);
}

void ccfc_reply_change_facts(struct ccfc_pack *p,
			     const struct ccfc_index *index,
			     const struct ccfc_change *c)
{
	ccfc_reply_change_names(p, index, c);
	ccfc_reply_line_counts(p, c);
}

void ccfc_reply_change_fields(struct ccfc_pack *p,
			      const struct ccfc_index *index,
			      const struct ccfc_change *c)
{
	ccfc_reply_change_facts(p, index, c);
	ccfc_reply_change_source(p, index, c);
}

static void pack_change(struct ccfc_request *rq, uint32_t change)
{
	const struct ccfc_change *c = &rq->index->changes.items[change];

	ccfc_pack_map(rq->pack);
	ccfc_reply_change_fields(rq->pack, rq->index, c);
	if (rq->opt.prompts)
		ccfc_reply_prompt(rq, c);
	if (rq->opt.content)
		ccfc_reply_content(rq, c);
	ccfc_pack_end(rq->pack);
}

void ccfc_reply_changes(struct ccfc_request *rq, const uint32_t *changes,
			uint32_t n)
{
	ccfc_pack_array(rq->pack);
	for (uint32_t i = 0; i < n; i++)
		pack_change(rq, changes[i]);
	ccfc_pack_end(rq->pack);
}

/* --- several changes --- */

void ccfc_lines_add(struct ccfc_lines *sum, const struct ccfc_index *index,
		    const struct ccfc_group *group)
{
	for (uint32_t i = 0; i < group->nchanges; i++)
		add_change_lines(sum, &index->changes.items[group->changes[i]]);
}

void ccfc_reply_lines(struct ccfc_pack *p, const struct ccfc_lines *sum)
{
	ccfc_pack_cstr(p, "linesAdded");
	if (sum->any_added)
		ccfc_pack_int(p, sum->added);
	else
		ccfc_pack_nil(p);
	ccfc_pack_cstr(p, "linesRemoved");
	if (sum->any_removed)
		ccfc_pack_int(p, sum->removed);
	else
		ccfc_pack_nil(p);
}

/* Names of tools are interned: equal names have one address. */
static bool is_tool_listed(const struct ccfc_index *index,
			   const struct ccfc_group *group, uint32_t i,
			   struct ccfc_slice tool)
{
	while (i--)
		if (ccfc_index_tool(index,
				    &index->changes.items[group->changes[i]])
			    .ptr == tool.ptr)
			return true;
	return false;
}

static void pack_tools_used(struct ccfc_pack *p, const struct ccfc_index *index,
			    const struct ccfc_group *group)
{
	ccfc_pack_cstr(p, "toolsUsed");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < group->nchanges; i++) {
		struct ccfc_slice tool = ccfc_index_tool(
			index, &index->changes.items[group->changes[i]]);

		if (tool.len && !is_tool_listed(index, group, i, tool))
			ccfc_pack_str(p, tool);
	}
	ccfc_pack_end(p);
}

static void pack_group_counts(struct ccfc_request *rq,
			      const struct ccfc_group *group)
{
	struct ccfc_lines sum = { 0 };

	ccfc_lines_add(&sum, rq->index, group);
	ccfc_pack_kv_uint(rq->pack, "changeCount", group->nchanges);
	pack_tools_used(rq->pack, rq->index, group);
	ccfc_reply_lines(rq->pack, &sum);
}

bool ccfc_reply_group_some(struct ccfc_request *rq,
			   const struct ccfc_group *group, uint32_t *at,
			   uint32_t *left)
{
	if (!*at) {
		pack_group_counts(rq, group);
		if (!rq->opt.changes)
			return false;
		ccfc_pack_cstr(rq->pack, "changes");
		ccfc_pack_array(rq->pack);
	}
	for (; *at < group->nchanges; ++*at) {
		/* At least one, so *at shows that the group was begun. */
		if (!*left && *at)
			return true;
		*left -= *left > 0;
		pack_change(rq, group->changes[*at]);
	}
	ccfc_pack_end(rq->pack);
	return false;
}
