/*
 * Writing a batch: one transaction with every row that is dirty, the cursors
 * of its sources among them. Rows are replaced whole.
 */
#include "base/alloc.h"
#include "base/buf.h"
#include "store/db.h"
#include "store/row_columns.h"
#include "store/row_sum.h"
#include "store/store.h"
#include "store/store_schema.h"

/* A batch on its way out; the first failure sticks. */
struct batch {
	struct ccfc_store *store;
	const struct ccfc_index *index;
	struct ccfc_err *err;
	int failed;
};

static const char *const sql_of[CCFC_STMT_REPLACE] = {
	[CCFC_STMT_BEGIN] = "BEGIN IMMEDIATE",
	[CCFC_STMT_COMMIT] = "COMMIT",
	[CCFC_STMT_ROLLBACK] = "ROLLBACK",
	[CCFC_STMT_ORPHAN_GONE] = "DELETE FROM t_orphan WHERE tool_use_id = ?",
	[CCFC_STMT_MARK_GONE] = "DELETE FROM t_mark WHERE tool_use_id = ?",
	[CCFC_STMT_NO_UNKNOWN_TYPES] = "DELETE FROM t_unknown_type",
	[CCFC_STMT_EVENT_GONE] = ("DELETE FROM t_disk_event"
				  " WHERE (file, time, since) = (?, ?, ?)"),
};

static int prepare_save(sqlite3_stmt **out, sqlite3 *db, int which)
{
	struct ccfc_buf sql = CCFC_BUF_INIT;
	int code;

	if (which < CCFC_STMT_REPLACE)
		ccfc_buf_puts(&sql, sql_of[which]);
	else
		ccfc_schema_put_replace(
			&sql, (enum ccfc_table_id)(which - CCFC_STMT_REPLACE));
	code = sqlite3_prepare_v3(db, sql.ptr, -1, SQLITE_PREPARE_PERSISTENT,
				  out, NULL);
	ccfc_buf_release(&sql);
	return code;
}

/* A statement, prepared, with nothing bound yet. */
static struct ccfc_row begin_stmt(struct batch *b, int which)
{
	sqlite3_stmt **stmt = &b->store->stmts[which];
	struct ccfc_bound **bound = &b->store->bound[which];

	if (!*stmt && prepare_save(stmt, b->store->db, which) != SQLITE_OK &&
	    !b->failed)
		b->failed = ccfc_db_error(b->store, "cannot write", b->err);
	if (!*bound)
		*bound = ccfc_calloc(CCFC_STORE_COLUMNS + 1, sizeof(**bound));
	return (struct ccfc_row){ .stmt = *stmt, .bound = *bound, .at = 1 };
}

static void step_save(struct batch *b, struct ccfc_row *row)
{
	if (b->failed)
		return;
	if (sqlite3_step(row->stmt) != SQLITE_DONE)
		b->failed = ccfc_db_error(b->store, "cannot write", b->err);
	sqlite3_reset(row->stmt);
}

static void run_save(struct batch *b, enum ccfc_stmt which)
{
	struct ccfc_row row = begin_stmt(b, which);

	step_save(b, &row);
}

/* A row of a table, to be bound. */
static struct ccfc_row begin_row(struct batch *b, enum ccfc_table_id table)
{
	struct ccfc_row row = begin_stmt(b, CCFC_STMT_REPLACE + (int)table);

	row.sum = ccfc_sum_begin(ccfc_store_tables[table].name);
	return row;
}

static void end_row(struct batch *b, struct ccfc_row *row)
{
	ccfc_row_put_sum(row);
	step_save(b, row);
}

/* save_<name>: writes one row of the index. */
#define LOOSE_TABLE(ID, name, sql_name, keys, item)
#define TABLE(ID, name, sql_name, keys, item, rows)                            \
	static void save_##name(struct batch *b, uint32_t id)                  \
	{                                                                      \
		struct ccfc_row row = begin_row(b, CCFC_TABLE_##ID);           \
                                                                               \
		ccfc_row_put_##name(&row, b->index, id,                        \
				    &b->index->rows.items[id]);                \
		end_row(b, &row);                                              \
	}
#define COLUMN(sql_name, kind, member, in_schema, old_value)
#define END(name)
#include "store/columns.def"

static void drop_orphan(struct batch *b, const struct ccfc_orphan *o)
{
	struct ccfc_row row = begin_stmt(b, CCFC_STMT_ORPHAN_GONE);

	ccfc_row_put_str(&row, ccfc_slice(o->id, o->id_len));
	step_save(b, &row);
}

static void save_or_drop_orphan(struct batch *b, uint32_t id)
{
	const struct ccfc_orphan *o = &b->index->orphans.items[id];

	if (o->taken)
		drop_orphan(b, o);
	else
		save_orphan(b, id);
}

static void save_or_drop_mark(struct batch *b, uint32_t id)
{
	const struct ccfc_mark *mark = &b->index->marks.items[id];
	struct ccfc_row row;

	if (!mark->taken) {
		save_mark(b, id);
		return;
	}
	row = begin_stmt(b, CCFC_STMT_MARK_GONE);
	ccfc_row_put_str(&row, ccfc_index_str(b->index, mark->call));
	step_save(b, &row);
}

static void save_or_drop_event(struct batch *b, uint32_t id)
{
	const struct ccfc_disk_event *e = &b->index->disk_events.items[id];
	struct ccfc_row row;

	if (!e->gone) {
		save_disk_event(b, id);
		return;
	}
	row = begin_stmt(b, CCFC_STMT_EVENT_GONE);
	ccfc_row_put_int(&row, e->file);
	ccfc_row_put_int(&row, e->time);
	ccfc_row_put_int(&row, e->since);
	step_save(b, &row);
}

static void save_unknown_types(struct batch *b)
{
	if (!b->index->unknown_types_dirty)
		return;
	run_save(b, CCFC_STMT_NO_UNKNOWN_TYPES);
	for (uint32_t i = 0; i < b->index->unknown_types.n; i++)
		save_unknown_type(b, i);
}

static void save_meta(struct batch *b, const char *key, uint64_t value)
{
	const struct ccfc_meta meta = { ccfc_slice_str(key), value };
	struct ccfc_row row = begin_row(b, CCFC_TABLE_META);

	ccfc_row_put_meta(&row, b->index, 0, &meta);
	end_row(b, &row);
}

static uint64_t texts_length(const struct ccfc_store *store)
{
	return store->texts ? ccfc_texts_file_length(store->texts) : 0;
}

static void save_texts(struct batch *b)
{
	uint64_t length = texts_length(b->store);

	if (length == b->store->texts_length)
		return;
	save_meta(b, "textsLength", length);
	if (b->store->texts_dead)
		save_meta(b, "textsDead", b->store->texts_dead);
}

/* The count shows that a row is missing. */
static void save_count(struct batch *b)
{
	uint64_t rows = ccfc_store_rows(b->index);

	if (rows != b->store->rows || b->store->epoch != b->index->epoch)
		save_meta(b, "rows", rows);
}

uint64_t ccfc_store_rows(const struct ccfc_index *index)
{
	uint64_t n = 0;

#define LOOSE_TABLE(ID, name, sql_name, keys, item)
#define TABLE(ID, name, sql_name, keys, item, rows) n += index->rows.n;
#define COLUMN(sql_name, kind, member, in_schema, old_value)
#define END(name)
#include "store/columns.def"
	/* The first session and the first file are none. */
	return n - 2 - index->orphans_taken - index->marks_taken -
	       index->events_gone;
}

static void save_each(struct batch *b, const struct ccfc_ids *ids,
		      void (*save)(struct batch *, uint32_t))
{
	for (uint32_t i = 0; i < ids->n && !b->failed; i++)
		save(b, ids->items[i]);
}

/* Copies the losses that the previous file records to a new file. */
static void save_past(struct batch *b)
{
	const struct ccfc_store_past *past = &b->store->past;

	if (past->damaged_at) {
		save_meta(b, "damagedAt", (uint64_t)past->damaged_at);
		save_meta(b, "lostRows", past->lost_rows);
		save_meta(b, "lostTexts", past->lost_texts);
	}
	if (b->store->texts_damaged)
		save_meta(b, "textsDamaged", 1);
}

/* Single rows may have to go; unknown types are written as a whole. */
static bool is_special(enum ccfc_table_id table)
{
	return table == CCFC_TABLE_ORPHAN || table == CCFC_TABLE_MARK ||
	       table == CCFC_TABLE_DISK_EVENT ||
	       table == CCFC_TABLE_UNKNOWN_TYPE;
}

static void save_rows(struct batch *b)
{
#define LOOSE_TABLE(ID, name, sql_name, keys, item)
#define TABLE(ID, name, sql_name, keys, item, rows)                            \
	if (!is_special(CCFC_TABLE_##ID))                                      \
		save_each(b, &b->index->rows.dirty, save_##name);
#define COLUMN(sql_name, kind, member, in_schema, old_value)
#define END(name)
#include "store/columns.def"
	save_each(b, &b->index->orphans.dirty, save_or_drop_orphan);
	save_each(b, &b->index->marks.dirty, save_or_drop_mark);
	save_each(b, &b->index->disk_events.dirty, save_or_drop_event);
	save_unknown_types(b);
}

static void save_all(struct batch *b)
{
	const struct ccfc_index *index = b->index;

	save_rows(b);
	/* The clock's other half is the greatest seq of the changes. */
	if (b->store->epoch != index->epoch) {
		save_meta(b, "epoch", index->epoch);
		save_meta(b, "schema", CCFC_STORE_SCHEMA);
		save_meta(b, "reader", b->store->reader);
		if (b->store->texts)
			save_meta(b, "texts",
				  ccfc_texts_file_id(b->store->texts));
		save_past(b);
	}
	save_texts(b);
	save_count(b);
}

/* Ends the transaction, one way or the other. */
static int end_save(struct batch *b)
{
	struct batch undo = { b->store, b->index, NULL, 0 };

	run_save(b, CCFC_STMT_COMMIT);
	if (b->failed)
		run_save(&undo, CCFC_STMT_ROLLBACK);
	else
		b->store->is_new = false;
	return b->failed;
}

/* Begins the transaction. */
static int begin_save(struct batch *b)
{
	if (!b->store->db)
		b->failed = ccfc_err_set(b->err, CCFC_EIO,
					 "store %s: it was removed and could "
					 "not be created again",
					 b->store->path);
	else
		run_save(b, CCFC_STMT_BEGIN);
	return b->failed;
}

int ccfc_store_commit(struct ccfc_store *store, const struct ccfc_index *index,
		      struct ccfc_err *err)
{
	struct batch b = { store, index, err, 0 };

	/* The texts are written before the commit that counts them. */
	if (store->texts)
		b.failed = ccfc_texts_file_flush(store->texts, err);
	if (b.failed || begin_save(&b))
		return b.failed;
	save_all(&b);
	if (end_save(&b))
		return b.failed;
	store->epoch = index->epoch;
	store->texts_length = texts_length(store);
	store->rows = ccfc_store_rows(index);
	return 0;
}

int ccfc_store_commit_texts(struct ccfc_store *store,
			    const struct ccfc_index *index,
			    struct ccfc_err *err)
{
	struct batch b = { store, index, err, 0 };

	if (begin_save(&b))
		return b.failed;
	for (uint32_t i = 0; i < index->sources.n && !b.failed; i++)
		save_source(&b, i);
	save_meta(&b, "texts", ccfc_texts_file_id(store->texts));
	save_meta(&b, "textsLength", texts_length(store));
	save_past(&b);
	return end_save(&b);
}

int ccfc_store_commit_compact(struct ccfc_store *store,
			      const struct ccfc_index *index,
			      struct ccfc_err *err)
{
	struct batch b = { store, index, err, 0 };

	if (begin_save(&b))
		return b.failed;
	save_meta(&b, "texts", ccfc_texts_file_id(store->texts));
	save_meta(&b, "textsLength", texts_length(store));
	save_meta(&b, "textsDead", 0);
	if (!end_save(&b))
		store->texts_length = texts_length(store);
	return b.failed;
}

uint64_t ccfc_store_inferred(const struct ccfc_store *store)
{
	return store->inferred;
}

void ccfc_store_set_inferred(struct ccfc_store *store, uint64_t stamp)
{
	if (stamp != store->inferred &&
	    !ccfc_store_note(store, "inferred", stamp, NULL))
		store->inferred = stamp;
}

int ccfc_store_note(struct ccfc_store *store, const char *key, uint64_t value,
		    struct ccfc_err *err)
{
	struct batch b = { store, NULL, err, 0 };

	if (begin_save(&b))
		return b.failed;
	save_meta(&b, key, value);
	return end_save(&b);
}
