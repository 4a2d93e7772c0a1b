/*
 * Writing a batch: one transaction with every row that is dirty, the cursors
 * of its sources among them. Rows are replaced whole.
 */
#include "base/buf.h"
#include "store/db.h"
#include "store/schema.h"
#include "store/store.h"

#define Q5  "?,?,?,?,?"
#define Q15 Q5 "," Q5 "," Q5
#define Q17 Q15 ",?,?"

const char *const ccfc_store_sql[CCFC_STMT_COUNT] = {
	[CCFC_STMT_BEGIN] = "BEGIN IMMEDIATE",
	[CCFC_STMT_COMMIT] = "COMMIT",
	[CCFC_STMT_ROLLBACK] = "ROLLBACK",
	[CCFC_STMT_META] = "REPLACE INTO t_meta VALUES(?,?)",
	[CCFC_STMT_SOURCE] =
		"REPLACE INTO t_source VALUES(" Q17 "," Q5 "," Q5 ",?,?)",
	[CCFC_STMT_SESSION] = "REPLACE INTO t_session VALUES(" Q17 ",?,?,?,?)",
	[CCFC_STMT_FILE] = "REPLACE INTO t_file VALUES(?,?)",
	[CCFC_STMT_CHANGE] =
		"REPLACE INTO t_change VALUES(" Q5 ",?,?,?," Q17 "," Q15 ")",
	[CCFC_STMT_COPY] = "REPLACE INTO t_copy VALUES(?," Q17 ")",
	[CCFC_STMT_ORPHAN] = "REPLACE INTO t_orphan VALUES(?," Q15 ")",
	[CCFC_STMT_ORPHAN_GONE] = "DELETE FROM t_orphan WHERE tool_use_id = ?",
	[CCFC_STMT_PROMPT] = "REPLACE INTO t_prompt VALUES(" Q5 ",?,?,?)",
	[CCFC_STMT_BACKUP] = "REPLACE INTO t_backup VALUES(" Q5 ",?,?)",
	[CCFC_STMT_PART] = "REPLACE INTO t_part VALUES(" Q15 ")",
	[CCFC_STMT_SAY] = "REPLACE INTO t_say VALUES(" Q5 "," Q5 ",?,?)",
	[CCFC_STMT_USE] = "REPLACE INTO t_use VALUES(" Q5 ")",
	[CCFC_STMT_LOOK] = "REPLACE INTO t_look VALUES(?,?,?)",
	[CCFC_STMT_LEAF] = "REPLACE INTO t_leaf VALUES(?,?,?)",
	[CCFC_STMT_SUMMARY] = "REPLACE INTO t_summary VALUES(?,?)",
	[CCFC_STMT_NO_UNKNOWN_TYPES] = "DELETE FROM t_unknown_type",
	[CCFC_STMT_UNKNOWN_TYPE] = "REPLACE INTO t_unknown_type VALUES(?,?)",
};

struct ccfc_row ccfc_batch_row(struct ccfc_batch *b, enum ccfc_stmt which)
{
	sqlite3_stmt **stmt = &b->store->stmts[which];

	if (!*stmt &&
	    sqlite3_prepare_v3(b->store->db, ccfc_store_sql[which], -1,
			       SQLITE_PREPARE_PERSISTENT, stmt,
			       NULL) != SQLITE_OK &&
	    !b->failed)
		b->failed = ccfc_db_error(b->store, "cannot write", b->err);
	return (struct ccfc_row){ *stmt, 1 };
}

void ccfc_batch_end(struct ccfc_batch *b, struct ccfc_row *row)
{
	if (b->failed)
		return;
	if (sqlite3_step(row->stmt) != SQLITE_DONE)
		b->failed = ccfc_db_error(b->store, "cannot write", b->err);
	sqlite3_reset(row->stmt);
}

static void run_save(struct ccfc_batch *b, enum ccfc_stmt which)
{
	struct ccfc_row row = ccfc_batch_row(b, which);

	ccfc_batch_end(b, &row);
}

static void save_source(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_source *s = &b->index->sources.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_SOURCE);

	ccfc_row_put_int(&row, id);
	ccfc_row_put_str(&row, ccfc_index_str(b->index, s->path));
	ccfc_row_put_int(&row, s->session);
	ccfc_row_put_str(&row, ccfc_index_str(b->index, s->agent));
	ccfc_row_put_int(&row, s->is_agent);
	ccfc_row_put_int(&row, s->gone);
	ccfc_row_put_int(&row, s->gen);
	ccfc_row_put_int(&row, (int64_t)s->cursor.dev);
	ccfc_row_put_int(&row, (int64_t)s->cursor.ino);
	ccfc_row_put_int(&row, (int64_t)s->cursor.offset);
	ccfc_row_put_int(&row, (int64_t)s->cursor.marker);
	ccfc_row_put_int(&row, s->cursor.marker_len);
	ccfc_row_put_int(&row, (int64_t)s->turn[0]);
	ccfc_row_put_int(&row, (int64_t)s->turn[1]);
	ccfc_row_put_int(&row, (int64_t)s->message[0]);
	ccfc_row_put_int(&row, (int64_t)s->message[1]);
	for (int k = 0; k < CCFC_RECORD_KINDS; k++)
		ccfc_row_put_int(&row, (int64_t)s->lines[k]);
	ccfc_row_put_int(&row, (int64_t)s->too_long);
	ccfc_row_put_int(&row, s->texts_gen);
	ccfc_row_put_int(&row, (int64_t)s->texts.offset);
	ccfc_row_put_int(&row, (int64_t)s->texts.marker);
	ccfc_row_put_int(&row, s->texts.marker_len);
	ccfc_row_put_int(&row, (int64_t)s->damaged);
	ccfc_batch_end(b, &row);
}

/* Strings one a line: branch and model names hold no newline. */
static void join_strings(struct ccfc_buf *out, const struct ccfc_index *index,
			 const struct ccfc_ids *ids)
{
	ccfc_buf_clear(out);
	for (uint32_t i = 0; i < ids->n; i++) {
		ccfc_buf_slice(out, ccfc_index_str(index, ids->items[i]));
		ccfc_buf_putc(out, '\n');
	}
}

static void join_ids(struct ccfc_buf *out, const struct ccfc_ids *ids)
{
	ccfc_buf_clear(out);
	for (uint32_t i = 0; i < ids->n; i++)
		ccfc_buf_printf(out, "%u ", ids->items[i]);
}

static void save_session(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_index *index = b->index;
	const struct ccfc_session *s = &index->sessions.items[id];
	struct ccfc_buf branches = CCFC_BUF_INIT, models = CCFC_BUF_INIT;
	struct ccfc_buf sources = CCFC_BUF_INIT;
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_SESSION);

	join_strings(&branches, index, &s->branches);
	join_strings(&models, index, &s->models);
	join_ids(&sources, &s->sources);
	ccfc_row_put_int(&row, id);
	ccfc_row_put_str(&row, ccfc_index_session_id(index, id));
	ccfc_row_put_int(&row, s->seen);
	ccfc_row_put_time(&row, s->start);
	ccfc_row_put_time(&row, s->end);
	ccfc_row_put_time(&row, s->born);
	ccfc_row_put_str(&row, ccfc_index_str(index, s->project));
	ccfc_row_put_time(&row, s->project_time);
	ccfc_row_put_int(&row, s->project_from_agent);
	ccfc_row_put_str(&row, ccfc_index_str(index, s->branch));
	ccfc_row_put_time(&row, s->branch_time);
	ccfc_row_put_str(&row, ccfc_buf_view(&branches));
	ccfc_row_put_str(&row, ccfc_index_str(index, s->model));
	ccfc_row_put_time(&row, s->model_time);
	ccfc_row_put_int(&row, s->model_from_agent);
	ccfc_row_put_str(&row, ccfc_buf_view(&models));
	ccfc_row_put_str(&row, ccfc_buf_view(&sources));
	ccfc_row_put_str(&row, ccfc_index_str(index, s->opening));
	ccfc_row_put_time(&row, s->opening_time);
	ccfc_row_put_str(&row, ccfc_index_str(index, s->summary));
	ccfc_row_put_time(&row, s->summary_time);
	ccfc_batch_end(b, &row);
	ccfc_buf_release(&branches);
	ccfc_buf_release(&models);
	ccfc_buf_release(&sources);
}

static void save_change(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_change *c = &b->index->changes.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_CHANGE);

	ccfc_row_put_int(&row, id);
	ccfc_row_put_str(&row, ccfc_slice(c->id, c->id_len));
	ccfc_row_put_int(&row, c->part);
	ccfc_row_put_int(&row, c->several);
	ccfc_row_put_int(&row, (int64_t)c->seq);
	ccfc_row_put_int(&row, c->file);
	ccfc_row_put_int(&row, c->session);
	ccfc_row_put_int(&row, c->state);
	ccfc_row_put_obs(&row, b->index, &c->call);
	ccfc_row_put_outcome(&row, b->index, &c->result);
	ccfc_batch_end(b, &row);
}

static void save_orphan(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_orphan *o = &b->index->orphans.items[id];
	struct ccfc_row row = ccfc_batch_row(b, o->taken ? CCFC_STMT_ORPHAN_GONE
							 : CCFC_STMT_ORPHAN);

	ccfc_row_put_str(&row, ccfc_slice(o->id, o->id_len));
	if (!o->taken)
		ccfc_row_put_outcome(&row, b->index, &o->result);
	ccfc_batch_end(b, &row);
}

static void save_copy(struct ccfc_batch *b, uint32_t id)
{
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_COPY);

	ccfc_row_put_int(&row, id);
	ccfc_row_put_obs(&row, b->index, &b->index->obs.items[id]);
	ccfc_batch_end(b, &row);
}

static void save_prompt(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_prompt *p = &b->index->prompts.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_PROMPT);

	ccfc_row_put_int(&row, p->session);
	ccfc_row_put_int(&row, (int64_t)p->uuid);
	ccfc_row_put_time(&row, p->time);
	ccfc_row_put_int(&row, p->place.source != CCFC_ID_NONE);
	ccfc_row_put_place(&row, &p->place);
	ccfc_batch_end(b, &row);
}

static void save_backup(struct ccfc_batch *b, uint32_t id)
{
	const struct ccfc_backup_ref *r = &b->index->backups.items[id];
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_BACKUP);

	ccfc_row_put_int(&row, r->session);
	ccfc_row_put_str(&row, ccfc_index_str(b->index, r->key));
	ccfc_row_put_int(&row, r->version);
	ccfc_row_put_str(&row, ccfc_index_str(b->index, r->name));
	ccfc_row_put_time(&row, r->made);
	ccfc_row_put_time(&row, r->first);
	ccfc_row_put_time(&row, r->last);
	ccfc_batch_end(b, &row);
}

static void save_files(struct ccfc_batch *b)
{
	for (uint32_t f = b->index->dirty.files_from; f < b->index->files.n;
	     f++) {
		struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_FILE);

		ccfc_row_put_int(&row, f);
		ccfc_row_put_str(&row, ccfc_index_file_path(b->index, f));
		ccfc_batch_end(b, &row);
	}
}

static void save_unknown_types(struct ccfc_batch *b)
{
	if (!b->index->dirty.unknown_types)
		return;
	run_save(b, CCFC_STMT_NO_UNKNOWN_TYPES);
	for (uint32_t i = 0; i < b->index->unknown_types.n; i++) {
		const struct ccfc_unknown_type *t =
			&b->index->unknown_types.items[i];
		struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_UNKNOWN_TYPE);

		ccfc_row_put_str(&row, ccfc_index_str(b->index, t->type));
		ccfc_row_put_int(&row, (int64_t)t->n);
		ccfc_batch_end(b, &row);
	}
}

static void save_meta(struct ccfc_batch *b, const char *key, uint64_t value)
{
	struct ccfc_row row = ccfc_batch_row(b, CCFC_STMT_META);

	ccfc_row_put_str(&row, ccfc_slice_str(key));
	ccfc_row_put_int(&row, (int64_t)value);
	ccfc_batch_end(b, &row);
}

static uint64_t texts_length(const struct ccfc_store *store)
{
	return store->texts ? ccfc_texts_file_length(store->texts) : 0;
}

static void save_texts(struct ccfc_batch *b)
{
	uint64_t length = texts_length(b->store);

	if (length != b->store->texts_length)
		save_meta(b, "textsLength", length);
}

void ccfc_batch_each(struct ccfc_batch *b, const struct ccfc_ids *ids,
		     void (*save)(struct ccfc_batch *, uint32_t))
{
	for (uint32_t i = 0; i < ids->n && !b->failed; i++)
		save(b, ids->items[i]);
}

int ccfc_store_commit(struct ccfc_store *store, const struct ccfc_index *index,
		      struct ccfc_err *err)
{
	struct ccfc_batch b = { store, index, err, 0 };

	/* Before the commit that counts them. */
	if (store->texts)
		b.failed = ccfc_texts_file_flush(store->texts, err);
	if (b.failed)
		return b.failed;
	run_save(&b, CCFC_STMT_BEGIN);
	if (b.failed)
		return b.failed;
	ccfc_batch_each(&b, &index->dirty.sessions, save_session);
	save_files(&b);
	ccfc_batch_each(&b, &index->dirty.changes, save_change);
	ccfc_batch_each(&b, &index->dirty.obs, save_copy);
	ccfc_batch_each(&b, &index->dirty.orphans, save_orphan);
	ccfc_batch_each(&b, &index->dirty.prompts, save_prompt);
	ccfc_batch_each(&b, &index->dirty.backups, save_backup);
	ccfc_batch_said(&b);
	save_unknown_types(&b);
	ccfc_batch_each(&b, &index->dirty.sources, save_source);
	/* The clock's other half is the greatest seq of the changes. */
	if (store->epoch != index->epoch) {
		save_meta(&b, "epoch", index->epoch);
		save_meta(&b, "schema", CCFC_STORE_SCHEMA);
		save_meta(&b, "reader", CCFC_STORE_READER);
	}
	save_texts(&b);
	run_save(&b, CCFC_STMT_COMMIT);
	if (!b.failed) {
		store->epoch = index->epoch;
		store->texts_length = texts_length(store);
	}
	if (b.failed) {
		struct ccfc_batch undo = { store, index, NULL, 0 };

		run_save(&undo, CCFC_STMT_ROLLBACK);
	}
	return b.failed;
}
