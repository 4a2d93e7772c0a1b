/*
 * Replaces a damaged store; see salvage.h.
 *
 * The new store is index.db.new and texts.new. When they are complete, the
 * files are exchanged: the old ones get names with the present time, the new
 * ones their names, index.db last. So index.db.new means that an exchange is
 * under way, and its row "whole" that it must be completed.
 */
#include "store/salvage/salvage.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "os/log.h"
#include "store/db.h"
#include "store/salvage/import.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NEW	".new"
#define DAMAGED "index.db.damaged-"

static void join_salvage(struct ccfc_buf *out, const char *dir,
			 const char *name, const char *tail)
{
	ccfc_buf_clear(out);
	ccfc_buf_printf(out, "%s/%s%s", dir, name, tail);
}

/* --- the new store --- */

static void remove_new(const char *dir)
{
	static const char *const names[] = { "index.db" NEW,
					     "index.db" NEW "-wal",
					     "index.db" NEW "-shm",
					     "texts" NEW };
	struct ccfc_buf path = CCFC_BUF_INIT;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		join_salvage(&path, dir, names[i], "");
		unlink(path.ptr);
	}
	ccfc_buf_release(&path);
}

static int note_all(struct ccfc_store *store, const struct ccfc_import *im,
		    struct ccfc_err *err)
{
	int r = ccfc_store_note(store, "damagedAt", (uint64_t)ccfc_time_now(),
				err);

	if (!r)
		r = ccfc_store_note(store, "lostRows", im->lost, err);
	if (!r)
		r = ccfc_store_note(store, "lostTexts", im->lost_texts, err);
	return r ? r : ccfc_store_note(store, "whole", 1, err);
}

/* Which texts are lost is not known: all possible texts are added again. */
static void mark_texts_missing(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->sources.n; i++) {
		struct ccfc_source *s = &index->sources.items[i];

		if (s->gone)
			continue;
		s->texts = (struct ccfc_cursor){ 0 };
		s->texts_gen = s->gen;
	}
}

/* All rows that were read go into the new store; sources will be read again. */
static int fill_salvage(struct ccfc_store *store, struct ccfc_import *im,
			const char *dir, struct ccfc_err *err)
{
	struct ccfc_buf db = CCFC_BUF_INIT, texts = CCFC_BUF_INIT;
	enum ccfc_texts_found found;
	int r = ccfc_texts_file_new_at(&store->texts, dir, NEW, 0, 0, &found,
				       err);

	join_salvage(&db, dir, "index.db", "");
	join_salvage(&texts, dir, "texts", "");
	if (!r)
		r = ccfc_import_db(im, db.ptr, err);
	if (!r)
		r = ccfc_import_texts(im, texts.ptr, store->texts, err);
	if (!r) {
		if (im->lost_texts)
			mark_texts_missing(im->index);
		ccfc_index_settle(im->index);
		ccfc_index_mark_all(im->index);
		ccfc_index_new_epoch(im->index);
		store->reader = 0;
		r = ccfc_store_commit(store, im->index, err);
	}
	if (!r)
		r = ccfc_store_commit_texts(store, im->index, err);
	if (!r)
		r = ccfc_texts_file_sync(store->texts, err);
	ccfc_buf_release(&db);
	ccfc_buf_release(&texts);
	return r ? r : note_all(store, im, err);
}

/* --- changing places --- */

/* Moves a file; a missing file is fine. */
static int move_file(const char *dir, const char *name, const char *from_tail,
		     const char *to_tail, struct ccfc_err *err)
{
	struct ccfc_buf from = CCFC_BUF_INIT, to = CCFC_BUF_INIT;
	int r = 0;

	join_salvage(&from, dir, name, from_tail);
	join_salvage(&to, dir, name, to_tail);
	if (rename(from.ptr, to.ptr) && errno != ENOENT)
		r = ccfc_err_io(err, errno, "store %s: cannot move", from.ptr);
	ccfc_buf_release(&from);
	ccfc_buf_release(&to);
	return r;
}

static bool file_exists(const char *dir, const char *name, const char *tail)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool there;

	join_salvage(&path, dir, name, tail);
	there = !access(path.ptr, F_OK) || errno != ENOENT;
	ccfc_buf_release(&path);
	return there;
}

/* Continues an interrupted exchange: steps that are done are not repeated. */
static int change_places(const char *dir, int64_t when, struct ccfc_err *err)
{
	char aside[64], wal[70], shm[70];
	int r = 0;

	snprintf(aside, sizeof(aside), ".damaged-%lld", (long long)when);
	snprintf(wal, sizeof(wal), "%s-wal", aside);
	snprintf(shm, sizeof(shm), "%s-shm", aside);
	if (file_exists(dir, "texts", NEW)) {
		r = move_file(dir, "texts", "", aside, err);
		if (!r)
			r = move_file(dir, "texts", NEW, "", err);
	}
	if (!r)
		r = move_file(dir, "index.db", "", aside, err);
	if (!r)
		r = move_file(dir, "index.db", "-wal", wal, err);
	if (!r)
		r = move_file(dir, "index.db", "-shm", shm, err);
	return r ? r : move_file(dir, "index.db", NEW, "", err);
}

int ccfc_salvage_finish(const char *dir, struct ccfc_err *err)
{
	struct ccfc_index *index;
	struct ccfc_store *store = NULL;
	struct ccfc_load load = { 0 };
	int64_t when = 0;
	int r;

	if (!file_exists(dir, "index.db", NEW)) {
		remove_new(dir);
		return 0;
	}
	r = ccfc_store_new_at(&store, dir, NEW, err);
	if (!r) {
		index = ccfc_index_new(NULL);
		load = (struct ccfc_load){ .store = store,
					   .index = index,
					   .err = err };
		r = ccfc_load_meta(&load);
		when = load.whole ? store->past.damaged_at : 0;
		ccfc_index_free(index);
	}
	ccfc_store_free(store);
	if (r && r != CCFC_ECORRUPT)
		return r;
	/*
	 * Interrupted before it was complete: the old store is still in its
	 * place.
	 */
	if (!when) {
		remove_new(dir);
		return 0;
	}
	return change_places(dir, when, err);
}

int ccfc_salvage(const char *dir, const char *home, struct ccfc_err *err)
{
	struct ccfc_import im = { .index = ccfc_index_new(home) };
	struct ccfc_store *store = NULL;
	int r;

	remove_new(dir);
	r = ccfc_store_new_at(&store, dir, NEW, err);
	if (!r)
		r = fill_salvage(store, &im, dir, err);
	ccfc_store_free(store);
	if (!r)
		r = ccfc_salvage_finish(dir, err);
	if (!r)
		ccfc_log(CCFC_LOG_ERROR,
			 "the store was damaged and moved aside; %llu rows "
			 "and %llu texts were copied, %llu rows and %llu "
			 "texts are lost unless a transcript has them",
			 (unsigned long long)im.rows,
			 (unsigned long long)im.texts,
			 (unsigned long long)im.lost,
			 (unsigned long long)im.lost_texts);
	ccfc_index_free(im.index);
	ccfc_import_release(&im);
	return r;
}

/* --- stores that were moved aside --- */

/* The time in the name of a store that was moved aside; 0: not such a name. */
static int64_t aside_time(const char *name)
{
	const size_t n = sizeof(DAMAGED) - 1;
	char *end;
	long long when;

	if (strncmp(name, DAMAGED, n) != 0)
		return 0;
	when = strtoll(name + n, &end, 10);
	return *end || when <= 0 ? 0 : when;
}

static int read_note(int64_t *out, struct ccfc_store *store, const char *key,
		     struct ccfc_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(store->db,
				      "SELECT value FROM t_meta"
				      " WHERE key = ?",
				      -1, &stmt, NULL);

	*out = 0;
	if (code == SQLITE_OK) {
		sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
		code = sqlite3_step(stmt);
		if (code == SQLITE_ROW)
			*out = sqlite3_column_int64(stmt, 0);
	}
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		code = ccfc_db_error(store, "cannot read", err);
	else
		code = 0;
	sqlite3_finalize(stmt);
	return code;
}

/* Copies the store's rows, and its texts from the file with its id. */
static int take_old(struct ccfc_store *store, struct ccfc_import *im,
		    const char *name, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct dirent *entry;
	DIR *dir;
	int r;

	join_salvage(&path, store->dir, name, "");
	r = ccfc_import_db(im, path.ptr, err);
	dir = r || !im->texts_id ? NULL : opendir(store->dir);
	while (dir && !r && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "texts.damaged-", 14) != 0)
			continue;
		join_salvage(&path, store->dir, entry->d_name, "");
		r = ccfc_import_texts(im, path.ptr, store->texts, err);
	}
	if (dir)
		closedir(dir);
	ccfc_buf_release(&path);
	return r;
}

static int save_old(struct ccfc_store *store, struct ccfc_index *index,
		    const char *name, bool *some, struct ccfc_err *err)
{
	struct ccfc_import im = { .index = index, .only_gone = true };
	uint32_t before = index->sources.n;
	int r = take_old(store, &im, name, err);
	uint32_t more = index->sources.n - before;

	*some |= more > 0;
	if (more)
		ccfc_log(CCFC_LOG_WARN,
			 "%s/%s knows %u transcripts that no other store "
			 "knows; they are copied",
			 store->dir, name, more);
	ccfc_import_release(&im);
	return r;
}

/* The names of all stores that were moved aside and not copied yet. */
static int find_old(struct ccfc_buf *names, struct ccfc_store *store,
		    struct ccfc_err *err)
{
	DIR *dir = opendir(store->dir);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return ccfc_err_io(err, errno, "state directory %s",
				   store->dir);
	while (!r && (entry = readdir(dir))) {
		int64_t when = aside_time(entry->d_name), saved = 0;
		char key[64];

		if (!when || when == store->past.damaged_at)
			continue;
		snprintf(key, sizeof(key), "saved-%lld", (long long)when);
		r = read_note(&saved, store, key, err);
		if (!r && !saved) {
			ccfc_buf_puts(names, entry->d_name);
			ccfc_buf_putc(names, '\0');
		}
	}
	closedir(dir);
	return r;
}

int ccfc_salvage_old(struct ccfc_store *store, struct ccfc_index *index,
		     bool *some, struct ccfc_err *err)
{
	struct ccfc_buf names = CCFC_BUF_INIT;
	int r = find_old(&names, store, err);

	*some = false;
	for (size_t at = 0; at < names.len && !r;
	     at += strlen(names.ptr + at) + 1)
		r = save_old(store, index, names.ptr + at, some, err);
	if (!r && *some) {
		ccfc_index_settle(index);
		ccfc_index_mark_all(index);
		r = ccfc_store_commit(store, index, err);
		if (!r)
			ccfc_index_stored(index);
		ccfc_index_published(index);
	}
	for (size_t at = 0; at < names.len && !r;
	     at += strlen(names.ptr + at) + 1) {
		char key[64];

		snprintf(key, sizeof(key), "saved-%lld",
			 (long long)aside_time(names.ptr + at));
		r = ccfc_store_note(store, key, 1, err);
	}
	ccfc_buf_release(&names);
	return r;
}
