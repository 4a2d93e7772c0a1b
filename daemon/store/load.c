/*
 * Loads the store into an empty index. Ids in rows are array indexes, so every
 * one is checked before use: damage that SQLite did not notice is
 * CCFC_ECORRUPT, never a wild read.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "store/db.h"
#include "store/row_columns.h"
#include "store/row_sum.h"
#include "store/store.h"
#include "store/store_schema.h"

#include <stdlib.h>

static int fail_damaged(const struct ccfc_load *load, const char *what)
{
	return ccfc_err_set(load->err, CCFC_ECORRUPT,
			    "store %s: rows are inconsistent (%s)",
			    load->store->path, what);
}

/* The rows of one table on their way into the index. */
struct walk {
	struct ccfc_load *load;
	enum ccfc_table_id table;
	ccfc_load_fn fn;
	struct ccfc_sum_rows sums;
	bool wrong; /* a row has a wrong sum, or makes no sense */
	uint32_t strings[CCFC_STORE_COLUMNS]; /* see struct ccfc_row */
};

/* As an SQL function: loads the row of its arguments, the sum before it. */
static void load_row(sqlite3_context *ctx, int n, sqlite3_value **sql)
{
	struct walk *walk = sqlite3_user_data(ctx);
	struct ccfc_row_value values[CCFC_STORE_COLUMNS];
	struct ccfc_row row = { .values = values, .strings = walk->strings };

	ccfc_row_values(values, sql + 1, n - 1);
	ccfc_row_values(&values[n - 1], sql, 1);
	if (!ccfc_sum_fits(&walk->sums, values, n) ||
	    !walk->fn(walk->load, &row)) {
		walk->wrong = true;
		sqlite3_result_error(ctx, "wrong row", -1);
	}
	walk->load->rows += walk->table != CCFC_TABLE_META;
}

/*
 * SELECT FROM the table WHERE load_row(sum, all columns), in the order of ids.
 * load_row gets all values of a row at once, because each sqlite3_column_…
 * costs more than the use of its value. The condition is never true, because
 * returning a row costs more than a column. The sum is the table's last column
 * and the first argument: so SQLite reads the row's header in one step.
 */
static int prepare_walk(sqlite3_stmt **out, struct walk *walk)
{
	sqlite3 *db = walk->load->store->db;
	struct ccfc_buf sql = CCFC_BUF_INIT;
	int code = sqlite3_create_function_v2(db, "load_row", -1, SQLITE_UTF8,
					      walk, load_row, NULL, NULL, NULL);

	ccfc_buf_puts(&sql, "SELECT 1 FROM ");
	ccfc_buf_puts(&sql, ccfc_store_tables[walk->table].name);
	ccfc_buf_puts(&sql, " WHERE load_row(sum, ");
	ccfc_schema_put_columns(&sql, walk->table, CCFC_STORE_SCHEMA);
	ccfc_buf_puts(&sql,
		      ccfc_schema_has_id(walk->table) ? ") ORDER BY id" : ")");
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(db, sql.ptr, -1, out, NULL);
	ccfc_buf_release(&sql);
	return code;
}

/*
 * A value that could not be read has no content, so its row is wrong, too: then
 * the connection's error is reported, not damage.
 */
static int end_walk(const struct walk *walk, int step)
{
	const struct ccfc_load *load = walk->load;
	int code = step & 0xff;

	if (step == SQLITE_DONE)
		return 0;
	if (walk->wrong && code != SQLITE_IOERR && code != SQLITE_NOMEM)
		return fail_damaged(load, ccfc_store_tables[walk->table].name);
	return ccfc_db_error(load->store, "cannot read", load->err);
}

int ccfc_load_each(struct ccfc_load *load, enum ccfc_table_id table,
		   ccfc_load_fn fn)
{
	struct walk walk = { .load = load,
			     .table = table,
			     .fn = fn,
			     .sums = ccfc_sum_rows(table, CCFC_STORE_SCHEMA) };
	sqlite3_stmt *stmt = NULL;
	int step = prepare_walk(&stmt, &walk), r;

	if (step == SQLITE_OK)
		step = sqlite3_step(stmt);
	r = end_walk(&walk, step);
	sqlite3_finalize(stmt);
	return r;
}

static bool load_session(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);

	if (ccfc_index_session(index, ccfc_row_str(row)) != id ||
	    !ccfc_row_get_session(row, index, &index->sessions.items[id]))
		return false;
	ccfc_index_note_end(index, &index->sessions.items[id]);
	return true;
}

static bool load_file(struct ccfc_load *load, struct ccfc_row *row)
{
	int64_t id = ccfc_row_int(row);

	return ccfc_index_file(load->index, ccfc_row_str(row)) == id;
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
	return ccfc_row_get_source(row, index, s) &&
	       s->session < index->sessions.n &&
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

/* Shell changes depend on commands, whose rows come first. */
static bool load_shell(struct ccfc_index *index, uint32_t id)
{
	struct ccfc_change *c = &index->changes.items[id];

	c->settled = !(c->shell & CCFC_SHELL_NOBODYS);
	if (c->target_op > CCFC_OP_RENAMED || c->other_file >= index->files.n)
		return false;
	if (!ccfc_index_is_shells(c) || ccfc_index_is_command(c)) {
		if (!c->call.known && !c->result.known)
			c->result.time = c->shell_time;
		return c->command == CCFC_ID_NONE;
	}
	return ccfc_index_attach_change(index, id);
}

static bool load_change(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	struct ccfc_change *c;

	if (ccfc_index_add_change(index, ccfc_row_str(row)) != id)
		return false;
	c = &index->changes.items[id];
	if (!ccfc_row_get_change(row, index, c) || c->file >= index->files.n ||
	    c->session >= index->sessions.n || c->state >= CCFC_STATE_COUNT ||
	    c->seq > INT64_MAX)
		return false;
	if (c->seq > index->seq)
		index->seq = c->seq;
	index->marked += ccfc_index_moments(c);
	if (!load_shell(index, (uint32_t)id))
		return false;
	if (c->settled)
		ccfc_index_link(index, (uint32_t)id);
	return obs_makes_sense(index, &c->call) &&
	       outcome_makes_sense(index, &c->result);
}

static bool load_copy(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	int64_t id = ccfc_row_int(row);
	struct ccfc_observation obs = { 0 };

	if (!ccfc_row_get_observation(row, index, &obs) || id != index->obs.n ||
	    !obs.known || !obs_makes_sense(index, &obs))
		return false;
	CCFC_VEC_PUSH(index->obs, obs);
	return true;
}

static bool load_orphan(struct ccfc_load *load, struct ccfc_row *row)
{
	uint32_t id = ccfc_index_add_orphan(load->index, ccfc_row_str(row));
	struct ccfc_orphan *o = &load->index->orphans.items[id];

	return ccfc_row_get_orphan(row, load->index, o) &&
	       outcome_makes_sense(load->index, &o->result);
}

static bool load_mark(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_mark mark = { 0 };

	return ccfc_row_get_mark(row, load->index, &mark) &&
	       ccfc_index_add_mark(load->index, &mark);
}

static bool load_prompt(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	struct ccfc_prompt prompt = { 0 };

	if (!ccfc_row_get_prompt(row, index, &prompt) || !prompt.session ||
	    prompt.session >= index->sessions.n ||
	    (prompt.place.source != CCFC_ID_NONE &&
	     prompt.place.source >= index->sources.n))
		return false;
	ccfc_index_add_prompt(index, &prompt);
	return true;
}

static bool load_backup(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_index *index = load->index;
	struct ccfc_backup_ref backup = { 0 };

	/* To SQLite a text and a blob are two keys. */
	if (!ccfc_row_get_backup(row, index, &backup) || !backup.session ||
	    backup.session >= index->sessions.n ||
	    ccfc_index_find_backup(index, &backup) != CCFC_ID_NONE)
		return false;
	ccfc_index_add_backup(index, &backup);
	return true;
}

static bool load_unknown_type(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_unknown_type type = { 0 };

	ccfc_row_get_unknown_type(row, load->index, &type);
	CCFC_VEC_PUSH(load->index->unknown_types, type);
	return true;
}

static bool take_meta(struct ccfc_load *load, struct ccfc_row *row)
{
	struct ccfc_meta meta;
	struct ccfc_slice key;
	uint64_t value;

	ccfc_row_get_meta(row, load->index, &meta);
	key = meta.key;
	value = meta.value;
	if (ccfc_slice_is(key, "epoch")) {
		load->index->epoch = value;
		load->has_epoch = true;
	} else if (ccfc_slice_is(key, "rows")) {
		load->wanted = value;
		load->has_rows = true;
	} else if (ccfc_slice_is(key, "reader")) {
		load->reader = value;
	} else if (ccfc_slice_is(key, "texts")) {
		load->texts = value;
	} else if (ccfc_slice_is(key, "textsLength")) {
		load->texts_length = value;
	} else if (ccfc_slice_is(key, "textsDead")) {
		load->store->texts_dead = value;
	} else if (ccfc_slice_is(key, "textsDamaged")) {
		load->texts_damaged = value;
	} else if (ccfc_slice_is(key, "inferred")) {
		load->store->inferred = value;
	} else if (ccfc_slice_is(key, "whole")) {
		load->whole = true;
	} else if (ccfc_slice_is(key, "damagedAt")) {
		load->store->past.damaged_at = (int64_t)value;
	} else if (ccfc_slice_is(key, "lostRows")) {
		load->store->past.lost_rows = value;
	} else if (ccfc_slice_is(key, "lostTexts")) {
		load->store->past.lost_texts = value;
	}
	return true;
}

/* Chains must end: each extra observation follows at most one other. */
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
 * The session of a source's last line: where a source has lines of several
 * sessions, the one that ended last.
 */
static void derive_last_sessions(struct ccfc_index *index)
{
	for (uint32_t s = 1; s < index->sessions.n; s++) {
		const struct ccfc_session *session = &index->sessions.items[s];

		for (uint32_t i = 0; i < session->sources.n; i++) {
			uint32_t *last =
				&index->sources.items[session->sources.items[i]]
					 .last_session;

			if (!*last ||
			    index->sessions.items[*last].end <= session->end)
				*last = s;
		}
	}
}

/*
 * The event log and the open calls follow from the rows; so do the ties, when
 * the changes that were seen more than once are settled again.
 */
static void derive_facts(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->changes.n; i++) {
		struct ccfc_change *c = &index->changes.items[i];
		const struct ccfc_observation *obs = &c->call;

		if (c->seq)
			CCFC_VEC_PUSH(index->log,
				      ((struct ccfc_event){ c->seq, i, 0 }));
		/* A shell change is settled with its command. */
		while (c->command == CCFC_ID_NONE && obs->known &&
		       !c->result.known) {
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
	for (uint32_t i = 0; i < index->conflicts.n; i++)
		if (index->conflicts.items[i].seq)
			CCFC_VEC_PUSH(index->log,
				      ((struct ccfc_event){
					      index->conflicts.items[i].seq, i,
					      CCFC_ID_NONE }));
	ccfc_index_mark_conflicts(index);
	derive_last_sessions(index);
	ccfc_witness_load(index);
	ccfc_doubt_load(index);
	if (index->log.n)
		qsort(index->log.items, index->log.n, sizeof(*index->log.items),
		      by_seq);
}

int ccfc_load_meta(struct ccfc_load *load)
{
	return ccfc_load_each(load, CCFC_TABLE_META, take_meta);
}

static int load_rows(struct ccfc_load *load)
{
	static const struct {
		enum ccfc_table_id table;
		ccfc_load_fn fn;
	} steps[] = {
		{ CCFC_TABLE_SESSION, load_session },
		{ CCFC_TABLE_FILE, load_file },
		{ CCFC_TABLE_SOURCE, load_source },
		{ CCFC_TABLE_CHANGE, load_change },
		{ CCFC_TABLE_COPY, load_copy },
		{ CCFC_TABLE_ORPHAN, load_orphan },
		{ CCFC_TABLE_MARK, load_mark },
		{ CCFC_TABLE_PROMPT, load_prompt },
		{ CCFC_TABLE_BACKUP, load_backup },
		{ CCFC_TABLE_UNKNOWN_TYPE, load_unknown_type },
	};
	int r = ccfc_load_meta(load);

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !r; i++)
		r = ccfc_load_each(load, steps[i].table, steps[i].fn);
	if (!r)
		r = ccfc_load_messages(load);
	if (r)
		return r;
	/* A store that was never written has no counts. */
	if (load->rows != load->wanted || load->has_rows != load->has_epoch)
		return fail_damaged(load, "some are missing");
	/* A check by an earlier daemon found damaged texts. */
	if (load->texts_damaged)
		return ccfc_err_set(load->err, CCFC_ECORRUPT,
				    "%s/texts: has damaged texts",
				    load->store->dir);
	if (!chains_make_sense(load->index) || !sources_make_sense(load->index))
		return fail_damaged(load, "links");
	return 0;
}

int ccfc_store_load(struct ccfc_store *store, struct ccfc_index *index,
		    bool *stale, struct ccfc_err *err)
{
	struct ccfc_load load = { .store = store, .index = index, .err = err };
	bool anew;
	/* A new store has no rows. */
	int r = store->is_new ? 0 : load_rows(&load);

	if (r)
		return r;
	store->rows = load.wanted;
	derive_facts(index);
	ccfc_index_stored(index);
	if (!load.has_epoch)
		ccfc_index_new_epoch(index);
	r = ccfc_store_open_texts(store, index, load.texts, load.texts_length,
				  &anew, err);
	if (r)
		return r;
	*stale = index->sources.n && (anew || load.reader != CCFC_STORE_READER);
	return 0;
}
