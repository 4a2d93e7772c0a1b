/* Copies messages, calls and the tables after them; see import.h. */
#include "index/index_internal.h"
#include "store/row_columns.h"
#include "store/salvage/import.h"
#include "store/salvage/sieve.h"

static bool take_session_source(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	int64_t id = ccfc_row_int(row);
	struct ccfc_session_source read = { 0 }, *part;
	uint32_t source, session, before = index->session_sources.n, to;

	if (!ccfc_row_get_session_source(row, index, &read))
		return false;
	source = ccfc_import_get(&im->sources, read.source);
	session = ccfc_import_get(&im->sessions, read.session);
	if (ccfc_import_get(&im->skipped, read.source) == 1)
		return true;
	if (source == CCFC_ID_NONE || session == CCFC_ID_NONE || !session)
		return false;
	to = ccfc_index_session_source(index, source, session,
				       read.relayed_agent);
	/* Was there one of the same source and session already? */
	if (index->session_sources.n == before)
		return false;
	part = &index->session_sources.items[to];
	read.source = source;
	read.session = session;
	read.next = part->next;
	*part = read;
	ccfc_import_put(&im->session_sources, id, to);
	return true;
}

static bool take_model_message(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	int64_t id = ccfc_row_int(row);
	struct ccfc_model_message read = { 0 }, *s;
	uint32_t first, to;

	if (!ccfc_row_get_model_message(row, index, &read))
		return false;
	read.session_source =
		ccfc_import_get(&im->session_sources, read.session_source);
	/* It may have been in a source that is not wanted. */
	if (read.session_source == CCFC_ID_NONE)
		return im->only_gone;
	first = ccfc_index_find_message(index, read.id);
	to = ccfc_index_add_message(index, read.id, first);
	s = &index->messages.items[to];
	/* The other rows of the message decide if this one is a copy. */
	read.next = s->next;
	read.copy = s->copy;
	*s = read;
	if (first != CCFC_ID_NONE)
		ccfc_index_adopt_usage(index, first, &read);
	/* Calls belong to the first row of a message. */
	ccfc_import_put(&im->messages, id, first == CCFC_ID_NONE ? to : first);
	ccfc_index_touch_message(index, first == CCFC_ID_NONE ? to : first);
	return true;
}

static bool take_tool_call(struct ccfc_import *im, struct ccfc_row *row)
{
	int64_t id = ccfc_row_int(row);
	struct ccfc_tool_call use = { 0 };
	bool lost;

	if (!ccfc_row_get_tool_call(row, im->index, &use))
		return false;
	lost = use.message != CCFC_ID_NONE;
	use.message = ccfc_import_get(&im->messages, use.message);
	lost = lost && use.message == CCFC_ID_NONE;
	if ((im->only_gone && use.message == CCFC_ID_NONE) ||
	    (im->sieve && lost))
		return true;
	ccfc_index_adopt_call(im->index, &use);
	ccfc_import_put(&im->calls, id,
			ccfc_index_find_call(im->index, use.id));
	return !lost;
}

static bool take_look(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_read_ref look = { 0 };
	uint32_t id;

	if (!ccfc_row_get_read(row, index, &look))
		return false;
	look.call = ccfc_import_get(&im->calls, look.call);
	if (look.call == CCFC_ID_NONE)
		return im->only_gone;
	if (ccfc_sieve_look(im->sieve, look.file, look.time)) {
		ccfc_sieve_share_call(im, look.call);
		return true;
	}
	look.file = ccfc_import_file(im, look.file);
	if (look.file == CCFC_ID_NONE || !look.file)
		return im->only_gone;
	id = ccfc_index_find_read(index, look.call, look.file);
	if (id == CCFC_ID_NONE)
		ccfc_index_add_read(index, &look);
	else
		ccfc_index_take_time(&index->reads.items[id].time, look.time,
				     true);
	return true;
}

static bool take_shown(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_shown shown = { 0 };

	if (!ccfc_row_get_shown(row, index, &shown))
		return false;
	shown.session = ccfc_import_get(&im->sessions, shown.session);
	if (shown.session == CCFC_ID_NONE || !shown.session ||
	    ccfc_sieve_look(im->sieve, shown.file, shown.time))
		return im->only_gone;
	shown.file = ccfc_import_file(im, shown.file);
	if (shown.file == CCFC_ID_NONE || !shown.file)
		return im->only_gone;
	if (ccfc_index_find_shown(index, &shown) == CCFC_ID_NONE)
		ccfc_index_add_shown(index, &shown);
	return true;
}

static bool take_running_cost(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_running_cost cost = { 0 };

	if (!ccfc_row_get_running_cost(row, im->index, &cost))
		return false;
	cost.session = ccfc_import_get(&im->sessions, cost.session);
	if (cost.session == CCFC_ID_NONE || !cost.session)
		return im->only_gone;
	ccfc_index_add_running_cost(im->index, &cost);
	return true;
}

static bool take_leaf(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_leaf leaf = { 0 };
	uint32_t id;

	if (!ccfc_row_get_leaf(row, index, &leaf))
		return false;
	leaf.session = ccfc_import_get(&im->sessions, leaf.session);
	if (leaf.session == CCFC_ID_NONE || !leaf.session)
		return im->only_gone;
	id = ccfc_index_find_leaf(index, leaf.uuid, leaf.session);
	if (id == CCFC_ID_NONE)
		ccfc_index_add_leaf(index, &leaf);
	else
		ccfc_index_take_time(&index->leaves.items[id].time, leaf.time,
				     false);
	return true;
}

/* Rows of sessions have their summaries already. */
static bool take_summary(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_index *index = im->index;
	struct ccfc_summary summary = { 0 }, *s;
	uint32_t id;

	ccfc_row_get_summary(row, index, &summary);
	/* If its session stays, the summary is read from a transcript. */
	if (im->sieve && !ccfc_index_has_leaf(index, summary.leaf))
		return true;
	id = ccfc_index_find_summary(index, summary.leaf);
	if (id == CCFC_ID_NONE) {
		ccfc_index_add_summary(index, &summary);
		return true;
	}
	s = &index->summaries.items[id];
	if (ccfc_slice_cmp(ccfc_index_str(index, summary.text),
			   ccfc_index_str(index, s->text)) > 0)
		s->text = summary.text;
	return true;
}

/* Only stores have disk events: they are copied from any store. */
static bool take_disk_event(struct ccfc_import *im, struct ccfc_row *row)
{
	struct ccfc_disk_event event = { 0 };

	if (!ccfc_row_get_disk_event(row, im->index, &event) ||
	    event.before > CCFC_DISK_THERE || event.after > CCFC_DISK_THERE)
		return false;
	if (ccfc_sieve_event(im, &event))
		return true;
	event.file = ccfc_import_file(im, event.file);
	if (event.file == CCFC_ID_NONE || !event.file)
		return im->only_gone;
	ccfc_index_add_disk_event(im->index, &event);
	ccfc_witness_touch(im->index, event.file);
	return true;
}

void ccfc_import_messages(struct ccfc_import *im)
{
	ccfc_import_each(im, CCFC_TABLE_SESSION_SOURCE, take_session_source);
	ccfc_import_each(im, CCFC_TABLE_MODEL_MESSAGE, take_model_message);
	ccfc_import_each(im, CCFC_TABLE_TOOL_CALL, take_tool_call);
	ccfc_import_each(im, CCFC_TABLE_READ, take_look);
	ccfc_import_each(im, CCFC_TABLE_SHOWN, take_shown);
	ccfc_import_each(im, CCFC_TABLE_RUNNING_COST, take_running_cost);
	ccfc_import_each(im, CCFC_TABLE_LEAF, take_leaf);
	ccfc_import_each(im, CCFC_TABLE_SUMMARY, take_summary);
	ccfc_import_each(im, CCFC_TABLE_DISK_EVENT, take_disk_event);
	ccfc_import_each(im, CCFC_TABLE_CONFLICT, ccfc_import_nothing);
}
