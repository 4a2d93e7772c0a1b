/*
 * Loads messages, calls and the tables after them: see load.c. The rows of one
 * message are chained in the order of their ids; the first is its owner's.
 */
#include "index/index_internal.h"
#include "store/db.h"
#include "store/row_columns.h"

static bool load_session_source(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	struct ccfc_session_source read = { 0 };

	if (!ccfc_row_get_session_source(row, index, &read) ||
	    read.source >= index->sources.n || !read.session ||
	    read.session >= index->sessions.n ||
	    id != index->session_sources.n ||
	    ccfc_index_session_source(index, read.source, read.session,
				      read.relayed_agent) != id)
		return false;
	read.next = index->session_sources.items[id].next;
	index->session_sources.items[id] = read;
	return true;
}

static bool load_model_message(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	uint64_t hash = (uint64_t)ccfc_row_int(row);
	uint32_t first = ccfc_index_find_message(index, hash);
	struct ccfc_model_message *s;

	if (ccfc_index_add_message(index, hash, first) != id)
		return false;
	s = &index->messages.items[id];
	return ccfc_row_get_model_message(row, index, s) &&
	       s->copy == (first != CCFC_ID_NONE) &&
	       s->session_source < index->session_sources.n;
}

/* Calls belong to the first row of a message. */
static bool message_makes_sense(const struct ccfc_index *index, uint32_t id)
{
	if (id == CCFC_ID_NONE)
		return true;
	return id < index->messages.n && !index->messages.items[id].copy;
}

static bool load_tool_call(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	uint64_t hash = (uint64_t)ccfc_row_int(row);
	struct ccfc_tool_call *u;

	if (ccfc_index_find_call(index, hash) != CCFC_ID_NONE ||
	    ccfc_index_add_call(index, hash) != id)
		return false;
	u = &index->calls.items[id];
	return ccfc_row_get_tool_call(row, index, u) &&
	       message_makes_sense(index, u->message);
}

static bool load_look(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	struct ccfc_read_ref look = { 0 };

	if (!ccfc_row_get_read(row, index, &look) ||
	    look.call >= index->calls.n || !look.file ||
	    look.file >= index->files.n)
		return false;
	ccfc_index_add_read(index, &look);
	return true;
}

static bool load_shown(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	struct ccfc_shown shown = { 0 };

	if (!ccfc_row_get_shown(row, index, &shown) || !shown.session ||
	    shown.session >= index->sessions.n || !shown.file ||
	    shown.file >= index->files.n)
		return false;
	ccfc_index_add_shown(index, &shown);
	return true;
}

static bool load_running_cost(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	struct ccfc_running_cost cost = { 0 };

	if (!ccfc_row_get_running_cost(row, index, &cost) || !cost.session ||
	    cost.session >= index->sessions.n ||
	    ccfc_index_find_running_cost(index, &cost) != CCFC_ID_NONE)
		return false;
	ccfc_index_add_running_cost(index, &cost);
	return true;
}

static bool load_conflict(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	struct ccfc_conflict c = { 0 };
	int64_t id = ccfc_row_int(row);

	if (!ccfc_row_get_conflict(row, index, &c) ||
	    id != index->conflicts.n || c.file >= index->files.n ||
	    c.change >= index->changes.n ||
	    (c.outside ? c.other != CCFC_ID_NONE
		       : c.other >= index->changes.n) ||
	    c.session[0] >= index->sessions.n ||
	    c.session[1] >= index->sessions.n ||
	    c.kind >= CCFC_CONFLICT_COUNT || c.seq > INT64_MAX)
		return false;
	ccfc_index_add_conflict(index, &c);
	return true;
}

static bool load_leaf(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_leaf leaf = { 0 };

	if (!ccfc_row_get_leaf(row, load->index, &leaf) || !leaf.session ||
	    leaf.session >= load->index->sessions.n)
		return false;
	ccfc_index_add_leaf(load->index, &leaf);
	return true;
}

static bool load_summary(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_summary summary = { 0 };

	ccfc_row_get_summary(row, load->index, &summary);
	ccfc_index_add_summary(load->index, &summary);
	return true;
}

static bool load_disk_event(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_disk_event event = { 0 };

	return ccfc_row_get_disk_event(row, load->index, &event) &&
	       event.file && event.file < load->index->files.n &&
	       event.before <= CCFC_DISK_THERE &&
	       event.after <= CCFC_DISK_THERE &&
	       ccfc_index_add_disk_event(load->index, &event);
}

int ccfc_load_messages(struct ccfc_load *load)
{
	static const struct {
		enum ccfc_table_id table;
		ccfc_load_fn fn;
	} steps[] = {
		{ CCFC_TABLE_SESSION_SOURCE, load_session_source },
		{ CCFC_TABLE_MODEL_MESSAGE, load_model_message },
		{ CCFC_TABLE_TOOL_CALL, load_tool_call },
		{ CCFC_TABLE_READ, load_look },
		{ CCFC_TABLE_SHOWN, load_shown },
		{ CCFC_TABLE_RUNNING_COST, load_running_cost },
		{ CCFC_TABLE_CONFLICT, load_conflict },
		{ CCFC_TABLE_LEAF, load_leaf },
		{ CCFC_TABLE_SUMMARY, load_summary },
		{ CCFC_TABLE_DISK_EVENT, load_disk_event },
	};
	struct ccfc_index *index = load->index;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		int r = ccfc_load_each(load, steps[i].table, steps[i].fn);

		if (r)
			return r;
	}
	/* Ownership depends on ties, which are not stored. */
	for (uint32_t i = 0; i < index->shared.n; i++)
		ccfc_index_touch_message(index, index->shared.items[i]);
	return 0;
}
