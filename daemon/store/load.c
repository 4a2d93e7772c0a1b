/*
 * Reading the store back into an empty index. Ids in rows are array indexes,
 * so every one is checked before it is used: a store that was damaged without
 * SQLite noticing is CCFC_ECORRUPT, never a wild read.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "store/db.h"
#include "store/schema.h"
#include "store/store.h"

#include <stdlib.h>

static int damaged(const struct ccfc_load *load, const char *sql)
{
	return ccfc_err_set(load->err, CCFC_ECORRUPT,
			    "store %s: rows make no sense (%s)",
			    load->store->path, sql);
}

/* Calls `fn` for each row of a query; false from it means nonsense. */
int ccfc_load_each(struct ccfc_load *load, const char *sql, ccfc_load_fn fn)
{
	sqlite3_stmt *stmt;
	int step, r = 0;

	if (sqlite3_prepare_v2(load->store->db, sql, -1, &stmt, NULL) !=
	    SQLITE_OK)
		return ccfc_db_error(load->store, "cannot read", load->err);
	while ((step = sqlite3_step(stmt)) == SQLITE_ROW && !r) {
		struct ccfc_row row = { stmt, 0 };

		if (!fn(load, &row))
			r = damaged(load, sql);
	}
	if (!r && step != SQLITE_DONE)
		r = ccfc_db_error(load->store, "cannot read", load->err);
	sqlite3_finalize(stmt);
	return r;
}

static uint32_t get_string(struct ccfc_load *load, struct ccfc_row *row)
{
	return ccfc_strtab_put(&load->index->strings, ccfc_row_str(row));
}

static void split_strings(struct ccfc_load *load, struct ccfc_ids *out,
			  struct ccfc_slice text)
{
	while (text.len) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl ? (size_t)(nl - text.ptr) : text.len;

		if (n)
			ccfc_ids_push(out,
				      ccfc_strtab_put(&load->index->strings,
						      ccfc_slice(text.ptr, n)));
		n += nl ? 1 : 0;
		text = ccfc_slice(text.ptr + n, text.len - n);
	}
}

static void split_ids(struct ccfc_ids *out, struct ccfc_slice text)
{
	uint32_t v = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] >= '0' && text.ptr[i] <= '9') {
			v = v * 10 + (uint32_t)(text.ptr[i] - '0');
			continue;
		}
		ccfc_ids_push(out, v);
		v = 0;
	}
}

static bool load_session(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	struct ccfc_session *s;

	if (ccfc_index_session(index, ccfc_row_str(row)) != id)
		return false;
	s = &index->sessions.items[id];
	s->seen = ccfc_row_int(row);
	s->start = ccfc_row_time(row);
	s->end = ccfc_row_time(row);
	s->born = ccfc_row_time(row);
	s->project = get_string(load, row);
	s->project_time = ccfc_row_time(row);
	s->project_from_agent = ccfc_row_int(row);
	s->branch = get_string(load, row);
	s->branch_time = ccfc_row_time(row);
	split_strings(load, &s->branches, ccfc_row_str(row));
	s->model = get_string(load, row);
	s->model_time = ccfc_row_time(row);
	s->model_from_agent = ccfc_row_int(row);
	split_strings(load, &s->models, ccfc_row_str(row));
	split_ids(&s->sources, ccfc_row_str(row));
	s->opening = get_string(load, row);
	s->opening_time = ccfc_row_time(row);
	s->summary = get_string(load, row);
	s->summary_time = ccfc_row_time(row);
	return true;
}

static bool load_file(struct ccfc_load *load, struct ccfc_row *row)
{
	int64_t id = ccfc_row_int(row);

	return ccfc_index_file(load->index, ccfc_row_str(row)) == id;
}

static void load_cursor(struct ccfc_row *row, struct ccfc_cursor *cursor)
{
	cursor->dev = (uint64_t)ccfc_row_int(row);
	cursor->ino = (uint64_t)ccfc_row_int(row);
	cursor->offset = (uint64_t)ccfc_row_int(row);
	cursor->marker = (uint64_t)ccfc_row_int(row);
	cursor->marker_len = (uint32_t)ccfc_row_int(row);
}

static bool load_source(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	struct ccfc_name name = { 0 };
	struct ccfc_source *s;

	if (ccfc_index_source(index, ccfc_row_str(row), &name) != id)
		return false;
	s = &index->sources.items[id];
	s->session = (uint32_t)ccfc_row_int(row);
	s->agent = get_string(load, row);
	s->is_agent = ccfc_row_int(row);
	s->gone = ccfc_row_int(row);
	s->gen = (uint32_t)ccfc_row_int(row);
	load_cursor(row, &s->cursor);
	s->turn[0] = (uint64_t)ccfc_row_int(row);
	s->turn[1] = (uint64_t)ccfc_row_int(row);
	s->message[0] = (uint64_t)ccfc_row_int(row);
	s->message[1] = (uint64_t)ccfc_row_int(row);
	for (int k = 0; k < CCFC_RECORD_KINDS; k++)
		s->lines[k] = (uint64_t)ccfc_row_int(row);
	s->too_long = (uint64_t)ccfc_row_int(row);
	s->texts_gen = (uint32_t)ccfc_row_int(row);
	s->texts.offset = (uint64_t)ccfc_row_int(row);
	s->texts.marker = (uint64_t)ccfc_row_int(row);
	s->texts.marker_len = (uint32_t)ccfc_row_int(row);
	s->damaged = (uint64_t)ccfc_row_int(row);
	return s->session < index->sessions.n &&
	       s->cursor.marker_len <= CCFC_TAIL_MARKER_MAX;
}

static bool obs_makes_sense(const struct ccfc_index *index,
			    const struct ccfc_observation *obs)
{
	return obs->session < index->sessions.n && obs->file < index->files.n &&
	       (!obs->known || obs->place.source < index->sources.n);
}

static bool outcome_makes_sense(const struct ccfc_index *index,
				const struct ccfc_outcome *o)
{
	return o->session < index->sessions.n && o->file < index->files.n &&
	       o->state < CCFC_STATE_COUNT &&
	       (!o->known || o->place.source < index->sources.n);
}

static bool load_change(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	struct ccfc_change *c;

	if (ccfc_index_add_change(index, ccfc_row_str(row)) != id)
		return false;
	c = &index->changes.items[id];
	c->part = (uint16_t)ccfc_row_int(row);
	c->several = ccfc_row_int(row);
	c->seq = (uint64_t)ccfc_row_int(row);
	c->file = (uint32_t)ccfc_row_int(row);
	c->session = (uint32_t)ccfc_row_int(row);
	c->state = (uint8_t)ccfc_row_int(row);
	ccfc_row_obs(row, index, &c->call);
	ccfc_row_outcome(row, index, &c->result);
	if (c->file >= index->files.n || c->session >= index->sessions.n ||
	    c->state >= CCFC_STATE_COUNT || c->seq > INT64_MAX)
		return false;
	if (c->seq > index->seq)
		index->seq = c->seq;
	c->settled = true;
	ccfc_index_link(index, (uint32_t)id);
	return obs_makes_sense(index, &c->call) &&
	       outcome_makes_sense(index, &c->result);
}

static bool load_copy(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	struct ccfc_observation obs;

	ccfc_row_obs(row, index, &obs);
	if (id != index->obs.n || !obs.known || !obs_makes_sense(index, &obs))
		return false;
	CCFC_VEC_PUSH(index->obs, obs);
	return true;
}

static bool load_orphan(struct ccfc_load *load, struct ccfc_row *row)
{
	uint32_t id = ccfc_index_add_orphan(load->index, ccfc_row_str(row));
	struct ccfc_outcome *o = &load->index->orphans.items[id].result;

	ccfc_row_outcome(row, load->index, o);
	return outcome_makes_sense(load->index, o);
}

static bool load_prompt(struct ccfc_load *load, struct ccfc_row *row)
{
	int64_t session = ccfc_row_int(row);
	uint64_t uuid = (uint64_t)ccfc_row_int(row);
	struct ccfc_place *place;
	uint32_t id;

	if (session <= 0 || session >= load->index->sessions.n)
		return false;
	id = ccfc_index_add_prompt(load->index, (uint32_t)session, uuid,
				   ccfc_row_time(row));
	if (!ccfc_row_int(row))
		return true;
	place = &load->index->prompts.items[id].place;
	ccfc_row_place(row, place);
	return place->source < load->index->sources.n;
}

static bool load_backup(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t session = ccfc_row_int(row);
	struct ccfc_backup_ref ref = { .key = get_string(load, row) };

	if (session <= 0 || session >= index->sessions.n)
		return false;
	ref.session = (uint32_t)session;
	ref.version = ccfc_row_int(row);
	ref.name = get_string(load, row);
	ref.made = ccfc_row_time(row);
	ref.first = ccfc_row_time(row);
	ref.last = ccfc_row_time(row);
	/* To SQLite a text and a blob are two keys. */
	if (ccfc_index_find_backup(index, &ref) != CCFC_ID_NONE)
		return false;
	ccfc_index_add_backup(index, &ref);
	return true;
}

static bool load_unknown_type(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_unknown_type t = { get_string(load, row), 0 };

	t.n = (uint64_t)ccfc_row_int(row);
	CCFC_VEC_PUSH(load->index->unknown_types, t);
	return true;
}

static bool load_clock(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_slice key = ccfc_row_str(row);
	uint64_t value = (uint64_t)ccfc_row_int(row);

	if (ccfc_slice_is(key, "epoch")) {
		load->index->epoch = value;
		load->has_epoch = true;
	}
	return true;
}

/* Chains must end: each extra observation hangs on exactly one other. */
static bool chains_make_sense(const struct ccfc_index *index)
{
	unsigned char *hung = ccfc_calloc(index->obs.n + 1, 1);
	bool fine = true;

	for (uint32_t i = 0; fine && i < index->changes.n; i++) {
		uint32_t next = index->changes.items[i].call.next;

		while (fine && next != CCFC_ID_NONE) {
			fine = next < index->obs.n && !hung[next];
			if (!fine)
				break;
			hung[next] = 1;
			next = index->obs.items[next].next;
		}
	}
	free(hung);
	return fine;
}

static bool sources_make_sense(const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->sessions.n; i++) {
		const struct ccfc_ids *of = &index->sessions.items[i].sources;

		for (uint32_t k = 0; k < of->n; k++)
			if (of->items[k] >= index->sources.n)
				return false;
	}
	return true;
}

static int by_seq(const void *x, const void *y)
{
	const struct ccfc_event *a = x, *b = y;

	return (a->seq > b->seq) - (a->seq < b->seq);
}

/*
 * The event log and the open calls follow from the rows; so do the ties, when
 * the changes that were seen more than once are settled again.
 */
static void derive(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->changes.n; i++) {
		struct ccfc_change *c = &index->changes.items[i];
		const struct ccfc_observation *obs = &c->call;

		if (c->seq)
			CCFC_VEC_PUSH(index->log,
				      ((struct ccfc_event){ c->seq, i, 0 }));
		while (obs->known && !c->result.known) {
			ccfc_ids_push(
				&index->sources.items[obs->place.source].open,
				i);
			if (obs->next == CCFC_ID_NONE)
				break;
			obs = &index->obs.items[obs->next];
		}
		if (c->call.next != CCFC_ID_NONE)
			ccfc_index_touch_change(index, i);
	}
	if (index->log.n)
		qsort(index->log.items, index->log.n, sizeof(*index->log.items),
		      by_seq);
}

static int64_t meta(struct ccfc_store *store, const char *key)
{
	sqlite3_stmt *stmt;
	int64_t value = 0;

	if (sqlite3_prepare_v2(store->db,
			       "SELECT value FROM t_meta WHERE key = ?", -1,
			       &stmt, NULL) != SQLITE_OK)
		return 0;
	sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

int ccfc_store_load(struct ccfc_store *store, struct ccfc_index *index,
		    bool *stale, struct ccfc_err *err)
{
	static const struct {
		const char *sql;
		ccfc_load_fn fn;
	} steps[] = {
		{ "SELECT key, value FROM t_meta", load_clock },
		{ "SELECT * FROM t_session ORDER BY id", load_session },
		{ "SELECT * FROM t_file ORDER BY id", load_file },
		{ "SELECT * FROM t_source ORDER BY id", load_source },
		{ "SELECT * FROM t_change ORDER BY id", load_change },
		{ "SELECT * FROM t_copy ORDER BY id", load_copy },
		{ "SELECT * FROM t_orphan", load_orphan },
		{ "SELECT * FROM t_prompt", load_prompt },
		{ "SELECT * FROM t_backup", load_backup },
		{ "SELECT * FROM t_unknown_type", load_unknown_type },
	};
	struct ccfc_load load = { store, index, err, false };
	bool anew;
	int r;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		r = ccfc_load_each(&load, steps[i].sql, steps[i].fn);
		if (r)
			return r;
	}
	r = ccfc_load_said(&load);
	if (r)
		return r;
	if (!chains_make_sense(index) || !sources_make_sense(index))
		return damaged(&load, "links");
	derive(index);
	ccfc_index_stored(index);
	if (!load.has_epoch)
		ccfc_index_new_epoch(index);
	r = ccfc_store_open_texts(store, index, (uint64_t)meta(store, "texts"),
				  (uint64_t)meta(store, "textsLength"), &anew,
				  err);
	if (r)
		return r;
	*stale = index->sources.n &&
		 (anew || meta(store, "reader") != CCFC_STORE_READER);
	return 0;
}
