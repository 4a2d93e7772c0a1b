/*
 * Reading back what was said and spent: see load.c. The rows of one message
 * are chained in the order of their ids, the first of which is its owner's.
 */
#include "index/index_internal.h"
#include "store/db.h"

static uint32_t get_string(struct ccfc_load *load, struct ccfc_row *row)
{
	return ccfc_strtab_put(&load->index->strings, ccfc_row_str(row));
}

static bool load_session_source(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	int64_t source = ccfc_row_int(row);
	int64_t session = ccfc_row_int(row);
	struct ccfc_session_source *p;

	if (source < 0 || source >= index->sources.n || session <= 0 ||
	    session >= index->sessions.n || id != index->parts.n ||
	    ccfc_index_session_source(index, (uint32_t)source,
				      (uint32_t)session) != id)
		return false;
	p = &index->parts.items[id];
	p->gen = (uint32_t)ccfc_row_int(row);
	for (int k = 0; k < 2; k++) {
		p->user[k] = (uint32_t)ccfc_row_int(row);
		p->assistant[k] = (uint32_t)ccfc_row_int(row);
	}
	p->time = ccfc_row_time(row);
	p->asks = ccfc_row_int(row);
	p->result_time = ccfc_row_time(row);
	p->results = ccfc_row_int(row);
	p->error = ccfc_row_int(row);
	p->custom = get_string(load, row);
	p->ai = get_string(load, row);
	return true;
}

static bool load_model_message(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	uint64_t hash = (uint64_t)ccfc_row_int(row);
	uint32_t first = ccfc_index_find_message(index, hash);
	struct ccfc_model_message *s;

	if (ccfc_index_add_message(index, hash, first) != id ||
	    ccfc_row_int(row) != (first != CCFC_ID_NONE))
		return false;
	s = &index->says.items[id];
	s->part = (uint32_t)ccfc_row_int(row);
	s->gen = (uint16_t)ccfc_row_int(row);
	s->time = ccfc_row_time(row);
	s->agent = ccfc_row_int(row);
	s->model = get_string(load, row);
	s->input = (uint32_t)ccfc_row_int(row);
	s->output = (uint32_t)ccfc_row_int(row);
	s->cache_write = (uint32_t)ccfc_row_int(row);
	s->cache_read = (uint32_t)ccfc_row_int(row);
	return s->part < index->parts.n;
}

/* Calls hang on the first row of a message. */
static bool say_makes_sense(const struct ccfc_index *index, uint32_t say)
{
	if (say == CCFC_ID_NONE)
		return true;
	return say < index->says.n && !index->says.items[say].copy;
}

static bool load_tool_call(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	uint64_t hash = (uint64_t)ccfc_row_int(row);
	struct ccfc_tool_call *u;
	uint32_t tool, flags;

	if (ccfc_index_find_call(index, hash) != CCFC_ID_NONE ||
	    ccfc_index_add_call(index, hash) != id)
		return false;
	u = &index->uses.items[id];
	u->say = (uint32_t)ccfc_row_int(row);
	tool = get_string(load, row);
	u->tool = tool <= CCFC_CALL_TOOL_MAX ? tool : 0;
	flags = (uint32_t)ccfc_row_int(row);
	u->called = flags & 1;
	u->writes = flags >> 1 & 1;
	u->other = flags >> 2 & 1;
	u->ok = flags >> 3 & 1;
	u->error = flags >> 4 & 1;
	return say_makes_sense(index, u->say);
}

static bool load_look(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t use = ccfc_row_int(row);
	int64_t file = ccfc_row_int(row);

	if (use < 0 || use >= index->uses.n || file <= 0 ||
	    file >= index->files.n)
		return false;
	ccfc_index_add_read(index, (uint32_t)use, (uint32_t)file,
			    ccfc_row_time(row));
	return true;
}

static bool load_leaf(struct ccfc_load *load, struct ccfc_row *row)
{
	int64_t session = ccfc_row_int(row);
	uint64_t uuid = (uint64_t)ccfc_row_int(row);

	if (session <= 0 || session >= load->index->sessions.n)
		return false;
	ccfc_index_add_leaf(load->index, uuid, (uint32_t)session,
			    ccfc_row_time(row));
	return true;
}

static bool load_summary(struct ccfc_load *load, struct ccfc_row *row)
{
	uint64_t leaf = (uint64_t)ccfc_row_int(row);

	ccfc_index_add_summary(load->index, leaf, get_string(load, row));
	return true;
}

int ccfc_load_said(struct ccfc_load *load)
{
	static const struct {
		const char *sql;
		ccfc_load_fn fn;
	} steps[] = {
		{ "SELECT * FROM t_part ORDER BY id", load_session_source },
		{ "SELECT * FROM t_say ORDER BY id", load_model_message },
		{ "SELECT * FROM t_use ORDER BY id", load_tool_call },
		{ "SELECT * FROM t_look", load_look },
		{ "SELECT * FROM t_leaf", load_leaf },
		{ "SELECT * FROM t_summary", load_summary },
	};
	struct ccfc_index *index = load->index;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		int r = ccfc_load_each(load, steps[i].sql, steps[i].fn);

		if (r)
			return r;
	}
	/* Whose they are hangs on ties, which are not stored. */
	for (uint32_t i = 0; i < index->shared.n; i++)
		ccfc_index_touch_message(index, index->shared.items[i]);
	return 0;
}
