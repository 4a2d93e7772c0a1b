/*
 * Copies a store; see import.h. Rows are read first, those of a damaged store
 * from a copy of its file (import_copy.c), then the texts.
 */
#include "store/salvage/import.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "index/index_internal.h"
#include "store/row_sum.h"
#include "store/salvage/sieve.h"
#include "store/texts/texts_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ids tried one by one behind a row that cannot be read; then in leaps. */
#define TRIES  64
#define ID_MAX ((int64_t)1 << 27)

uint32_t ccfc_import_get(const struct ccfc_ids *map, int64_t id)
{
	return id >= 0 && id < map->n ? map->items[id] : CCFC_ID_NONE;
}

uint32_t ccfc_import_file(struct ccfc_import *im, int64_t id)
{
	uint32_t file = ccfc_import_get(&im->files, id);
	struct ccfc_slice path;

	if (file != CCFC_ID_NONE || !im->sieve)
		return file;
	path = ccfc_sieve_path(im->sieve, id);
	if (!path.len)
		return CCFC_ID_NONE;
	file = ccfc_index_file(im->index, path);
	ccfc_import_put(&im->files, id, file);
	return file;
}

void ccfc_import_put(struct ccfc_ids *map, int64_t id, uint32_t to)
{
	if (id < 0 || id > ID_MAX)
		return;
	while (map->n <= id)
		CCFC_VEC_PUSH(*map, CCFC_ID_NONE);
	map->items[id] = to;
}

/* --- rows --- */

struct reading {
	struct ccfc_import *im;
	enum ccfc_table_id table;
	ccfc_import_fn fn;
	int64_t last; /* id that was read */
};

static void take_row(struct reading *r, sqlite3_stmt *stmt)
{
	const int schema = r->im->schema;
	const struct ccfc_sum_rows rows = ccfc_sum_rows(r->table, schema);
	struct ccfc_row_value values[CCFC_STORE_COLUMNS];
	struct ccfc_row row = ccfc_row_of(stmt, values);
	int n = sqlite3_column_count(stmt);

	r->last = sqlite3_column_int64(stmt, 0);
	r->im->seen += r->table != CCFC_TABLE_META;
	if ((schema < CCFC_STORE_SUMS || ccfc_sum_fits(&rows, values, n)) &&
	    r->fn(r->im, &row))
		r->im->rows++;
	else
		r->im->lost++;
}

/* Rows as they would be now, of whatever schema they are; SQLite's code. */
static int select_rows(sqlite3_stmt **out, const struct reading *r,
		       const char *tail)
{
	struct ccfc_buf sql = CCFC_BUF_INIT;
	int code;

	ccfc_schema_put_select(&sql, r->table, r->im->schema);
	ccfc_buf_puts(&sql, tail);
	code = sqlite3_prepare_v2(r->im->db, sql.ptr, -1, out, NULL);
	ccfc_import_note(r->im, r->im->db, code);
	ccfc_buf_release(&sql);
	return code;
}

/* Reads on from an id, up to the first error; true at the end. */
static bool read_from(struct reading *r, int64_t id)
{
	sqlite3_stmt *stmt = NULL;
	int code;

	if (select_rows(&stmt, r, " WHERE id >= ? ORDER BY id") != SQLITE_OK)
		return true;
	sqlite3_bind_int64(stmt, 1, id);
	while ((code = sqlite3_step(stmt)) == SQLITE_ROW)
		take_row(r, stmt);
	ccfc_import_note(r->im, r->im->db, code);
	sqlite3_finalize(stmt);
	return code == SQLITE_DONE;
}

/* Reads on after unreadable rows, in growing leaps, until ID_MAX. */
static void read_by_id(struct reading *r)
{
	int64_t at = INT64_MIN, leap = 1;
	int tries = 0;

	r->last = -1;
	while (!read_from(r, at) && !r->im->failed) {
		if (r->last >= at) {
			tries = 0;
			leap = 1;
			at = r->last;
		}
		if (at < 0)
			at = -1;
		if (++tries > TRIES)
			leap *= 2;
		at += leap;
		if (at > ID_MAX)
			return;
	}
}

/* From both ends. Rows that are read twice are merged into themselves. */
static void read_both_ways(struct reading *r)
{
	static const char *const order[] = { " ORDER BY 1 ASC",
					     " ORDER BY 1 DESC" };

	for (int i = 0; i < 2; i++) {
		sqlite3_stmt *stmt = NULL;
		int code;

		if (select_rows(&stmt, r, order[i]) != SQLITE_OK)
			return;
		while ((code = sqlite3_step(stmt)) == SQLITE_ROW)
			take_row(r, stmt);
		ccfc_import_note(r->im, r->im->db, code);
		sqlite3_finalize(stmt);
		if (code == SQLITE_DONE)
			return;
	}
}

void ccfc_import_each(struct ccfc_import *im, enum ccfc_table_id table,
		      ccfc_import_fn fn)
{
	struct reading r = { .im = im, .table = table, .fn = fn };

	if (im->failed)
		return;
	if (ccfc_schema_has_id(table))
		read_by_id(&r);
	else
		read_both_ways(&r);
}

/* --- texts --- */

static int take_texts(struct ccfc_import *im,
		      const struct ccfc_texts_view *view,
		      struct ccfc_texts_file *to, struct ccfc_err *err)
{
	struct ccfc_texts_reader *reader = ccfc_texts_reader_new(view, 0);
	struct ccfc_text_head head;
	struct ccfc_slice text;
	int r = 0;

	ccfc_texts_verify(reader, true);
	while (!r && ccfc_texts_next(reader, &head, &text)) {
		uint32_t source = ccfc_import_get(&im->sources, head.source);
		uint32_t session = ccfc_import_get(&im->sessions, head.session);

		if (ccfc_import_get(&im->skipped, head.source) == 1)
			continue;
		/* A line of another session that is to be forgotten. */
		if (im->sieve && session == CCFC_ID_NONE)
			continue;
		if (source == CCFC_ID_NONE) {
			im->lost_texts++;
			continue;
		}
		head.session =
			session != CCFC_ID_NONE
				? session
				: im->index->sources.items[source].session;
		head.source = source;
		im->texts++;
		if (!ccfc_texts_file_add(to, &head, text, false))
			r = ccfc_err_set(err, CCFC_EIO,
					 "texts: cannot write the readable "
					 "texts");
	}
	if (!r && ccfc_texts_error(reader))
		r = ccfc_err_io(err, ccfc_texts_error(reader),
				"texts: cannot read those that can be saved");
	im->lost_texts += ccfc_texts_damaged(reader);
	ccfc_texts_reader_free(reader);
	return r;
}

/* The texts with the store's own id, or any if the id is not known. */
int ccfc_import_texts(struct ccfc_import *im, const char *path,
		      struct ccfc_texts_file *to, struct ccfc_err *err)
{
	struct ccfc_texts_view view = { .start = CCFC_TEXTS_START };
	struct ccfc_texts_begin begin;
	struct stat st;
	int r = 0;

	view.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (view.fd < 0 && errno != ENOENT)
		return ccfc_err_io(err, errno, "texts %s: cannot open", path);
	if (view.fd < 0) {
		im->lost_texts += im->texts_end > CCFC_TEXTS_START;
		return 0;
	}
	if (fstat(view.fd, &st) < 0 ||
	    pread(view.fd, &begin, sizeof(begin), 0) < 0)
		r = ccfc_err_io(err, errno, "texts %s: cannot read", path);
	else if (S_ISREG(st.st_mode) &&
		 (!im->texts_id || ccfc_texts_is_of(&begin, im->texts_id) !=
					   CCFC_TEXTS_OTHERS)) {
		view.end = (uint64_t)st.st_size;
		/* Counts all texts that are missing at the end as one. */
		im->lost_texts += im->texts_end > view.end;
		if (im->texts_end && im->texts_end < view.end)
			view.end = im->texts_end;
		r = take_texts(im, &view, to, err);
	}
	close(view.fd);
	return r;
}

/* --- all of it --- */

/* Reads all tables of im->db, and closes it. */
static int take_all(struct ccfc_import *im, const char *db,
		    struct ccfc_err *err)
{
	if (im->db) {
		ccfc_import_rows(im);
		ccfc_import_messages(im);
	}
	sqlite3_close(im->db);
	im->db = NULL;
	if (im->wanted > im->seen)
		im->lost += im->wanted - im->seen;
	if (!im->failed)
		return 0;
	return ccfc_err_set(err, CCFC_EIO,
			    "store %s: cannot read the remaining rows", db);
}

int ccfc_import_db(struct ccfc_import *im, const char *db, struct ccfc_err *err)
{
	struct ccfc_buf copy = CCFC_BUF_INIT;
	int r;

	ccfc_buf_printf(&copy, "%s.try", db);
	r = ccfc_import_copy(im, copy.ptr, db, err);
	if (!r)
		r = take_all(im, db, err);
	ccfc_import_remove(copy.ptr);
	ccfc_buf_release(&copy);
	return r;
}

int ccfc_import_live(struct ccfc_import *im, const char *db,
		     struct ccfc_err *err)
{
	int r = ccfc_import_open(im, db, err);

	return r ? r : take_all(im, db, err);
}

void ccfc_import_release(struct ccfc_import *im)
{
	free(im->sessions.items);
	free(im->files.items);
	free(im->sources.items);
	free(im->session_sources.items);
	free(im->messages.items);
	free(im->calls.items);
	free(im->skipped.items);
	free(im->copies.items);
}
