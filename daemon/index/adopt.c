/*
 * Merges the rows of another store, by the rules for lines (merge.c): minima,
 * maxima and unions, so that neither their order nor facts already known
 * matter.
 */
#include "base/time.h"
#include "index/index_internal.h"

/* Is text a earlier than text b by their times? */
static bool is_before(const struct ccfc_index *index, int64_t time_a,
		      uint32_t a, int64_t time_b, uint32_t b)
{
	if (time_a != time_b)
		return time_a < time_b;
	return ccfc_slice_cmp(ccfc_index_str(index, a),
			      ccfc_index_str(index, b)) < 0;
}

static void adopt_project(const struct ccfc_index *index,
			  struct ccfc_session *s,
			  const struct ccfc_session *row)
{
	bool better =
		row->project_from_agent != s->project_from_agent
			? s->project_from_agent
			: is_before(index, row->project_time, row->project,
				    s->project_time, s->project);

	if (!row->project || (s->project && !better))
		return;
	s->project = row->project;
	s->project_time = row->project_time;
	s->project_from_agent = row->project_from_agent;
}

static void adopt_model(const struct ccfc_index *index, struct ccfc_session *s,
			const struct ccfc_session *row)
{
	bool better = row->model_from_agent != s->model_from_agent
			      ? s->model_from_agent
			      : is_before(index, s->model_time, s->model,
					  row->model_time, row->model);

	if (!row->model || (s->model && !better))
		return;
	s->model = row->model;
	s->model_time = row->model_time;
	s->model_from_agent = row->model_from_agent;
}

static void adopt_texts(const struct ccfc_index *index, struct ccfc_session *s,
			const struct ccfc_session *row)
{
	if (row->branch &&
	    (!s->branch || is_before(index, s->branch_time, s->branch,
				     row->branch_time, row->branch))) {
		s->branch = row->branch;
		s->branch_time = row->branch_time;
	}
	if (row->opening &&
	    (!s->opening || is_before(index, row->opening_time, row->opening,
				      s->opening_time, s->opening))) {
		s->opening = row->opening;
		s->opening_time = row->opening_time;
	}
	if (row->summary &&
	    (!s->summary || is_before(index, s->summary_time, s->summary,
				      row->summary_time, row->summary))) {
		s->summary = row->summary;
		s->summary_time = row->summary_time;
	}
}

void ccfc_index_adopt_session(struct ccfc_index *index, uint32_t session,
			      const struct ccfc_session *row)
{
	struct ccfc_session *s = &index->sessions.items[session];

	s->seen |= row->seen;
	ccfc_index_take_time(&s->start, row->start, true);
	ccfc_index_take_time(&s->end, row->end, false);
	ccfc_index_note_end(index, s);
	s->news |= ccfc_index_take_time(&s->born, row->born, true);
	adopt_project(index, s, row);
	adopt_model(index, s, row);
	adopt_texts(index, s, row);
}

void ccfc_index_adopt_command(struct ccfc_index *index, uint32_t command,
			      const struct ccfc_change *row)
{
	struct ccfc_change *c;

	ccfc_index_make_command(index, command);
	c = &index->changes.items[command];
	if (!c->text ||
	    (row->text && ccfc_slice_cmp(ccfc_index_str(index, row->text),
					 ccfc_index_str(index, c->text)) < 0))
		c->text = row->text;
	c->shell |= row->shell &
		    (CCFC_SHELL_UNSURE | CCFC_SHELL_CUT | CCFC_SHELL_TELLS);
	ccfc_index_take_time(&c->shell_time, row->shell_time, true);
	ccfc_index_adopt_times(index, c,
			       &(struct ccfc_mark){ .began = row->began,
						    .ended = row->ended });
}

void ccfc_index_adopt_file(struct ccfc_index *index, uint32_t command,
			   uint32_t file, const struct ccfc_change *row,
			   bool has_result)
{
	uint32_t id = ccfc_index_shell_change(index, command, file);
	struct ccfc_change *c;

	if (id == CCFC_ID_NONE)
		return;
	if (row->shell & CCFC_SHELL_PARSED)
		ccfc_index_merge_target(index, id, row->target_op,
					row->other_file, row->shell_time);
	c = &index->changes.items[id];
	if ((row->shell & CCFC_SHELL_RECORDED) && has_result)
		ccfc_index_merge_recorded(index, id, &row->result);
	if (row->shell & CCFC_SHELL_OBSERVED) {
		c->shell |= CCFC_SHELL_OBSERVED;
		if (!(c->shell & CCFC_SHELL_PARSED))
			c->target_op = row->target_op;
	}
	if (ccfc_index_is_inferred(row) && !c->shell) {
		c->shell = CCFC_SHELL_INFERRED;
		c->target_op = row->target_op;
		c->call.added = row->call.added;
		c->call.removed = row->call.removed;
	}
	if (!c->shell)
		c->shell = CCFC_SHELL_NOBODYS;
	ccfc_index_touch_change(index, command);
}

void ccfc_index_adopt_call(struct ccfc_index *index,
			   const struct ccfc_tool_call *row)
{
	uint32_t id = ccfc_index_find_call(index, row->id);
	struct ccfc_tool_call *use;

	if (id == CCFC_ID_NONE)
		id = ccfc_index_add_call(index, row->id);
	use = &index->calls.items[id];
	if (row->called &&
	    (!use->called ||
	     ccfc_slice_cmp(ccfc_index_str(index, row->tool),
			    ccfc_index_str(index, use->tool)) < 0))
		use->tool = row->tool;
	if (row->message != CCFC_ID_NONE &&
	    (use->message == CCFC_ID_NONE ||
	     index->messages.items[row->message].id <
		     index->messages.items[use->message].id))
		use->message = row->message;
	use->called |= row->called;
	use->writes |= row->writes;
	use->other |= row->other;
	use->ok |= row->ok;
	use->error |= row->error;
}
