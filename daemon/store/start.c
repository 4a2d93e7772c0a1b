/*
 * Opens the store at the start: see ccfc_store_start.
 *
 * A failed system call says nothing about the file, although SQLite may report
 * a page that could not be read as a malformed database. So every failure is
 * followed by a fresh try, and a store is damaged if two tries in a row say so.
 */
#include "os/log.h"
#include "store/db.h"
#include "store/salvage/salvage.h"
#include "store/store.h"

#include <limits.h>
#include <string.h>
#include <time.h>

/* Pauses of 10 ms, then twice as long each time: 2.5 seconds in all. */
#define TRIES	 9
#define FIRST_MS 10

struct start {
	const char *dir, *home;
	struct ccfc_store *store;
	struct ccfc_index *index;
	bool stale;
};

static void forget_start(struct start *s)
{
	ccfc_store_free(s->store);
	ccfc_index_free(s->index);
	s->store = NULL;
	s->index = NULL;
}

/*
 * More steps than the check of pages takes: newer versions of SQLite count one
 * for each page, and for each page of the list of free ones.
 */
static int steps_of_pages(sqlite3 *db)
{
	const int64_t least = 1000, most = INT_MAX;
	sqlite3_stmt *stmt = NULL;
	int64_t steps = most;

	if (sqlite3_prepare_v2(db, "PRAGMA main.page_count", -1, &stmt, NULL) ==
		    SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		steps = 2 * sqlite3_column_int64(stmt, 0) + least;
	sqlite3_finalize(stmt);
	return (int)(steps < most ? steps : most);
}

/* Ends the running statement. */
static int end_statement(void *data)
{
	(void)data;
	return 1;
}

/*
 * A load does not read pages without rows, but the next batch may write to
 * them: SQLite's own records of pages must be right before that.
 *
 * quick_check goes through all pages in its first steps, and then, with far
 * more work, through all rows, for the types of their values. The load finds
 * wrong values by the rows' sums, so the check is ended before the rows.
 */
static int run_check(struct start *s, const char *sql, struct ccfc_err *err)
{
	sqlite3 *db = s->store->db;
	sqlite3_stmt *stmt = NULL;
	const char *said = NULL;
	int r = 0, code;

	code = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
	sqlite3_progress_handler(db, steps_of_pages(db), end_statement, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	if (code == SQLITE_ROW)
		said = (const char *)sqlite3_column_text(stmt, 0);
	if (code != SQLITE_ROW && code != SQLITE_INTERRUPT)
		r = ccfc_db_error(s->store, "cannot read", err);
	else if (code == SQLITE_ROW && (!said || strcmp(said, "ok") != 0))
		r = ccfc_err_set(err, CCFC_ECORRUPT, "store %s/index.db: %s",
				 s->dir, said ? said : "cannot be checked");
	sqlite3_finalize(stmt);
	return r;
}

/*
 * The list of free pages is checked with the table of definitions: SQLite takes
 * a view, which has no page, for a table by itself, and leaves the list out.
 */
static int check_pages(struct start *s, struct ccfc_err *err)
{
	int r = run_check(s, "PRAGMA main.quick_check('sqlite_master')", err);

	return r ? r : run_check(s, "PRAGMA main.quick_check(1)", err);
}

static int try_once(struct start *s, struct ccfc_err *err)
{
	bool some = false;
	int r = ccfc_salvage_finish(s->dir, err);

	s->index = ccfc_index_new(s->home);
	if (!r)
		r = ccfc_store_new(&s->store, s->dir, err);
	if (!r && !s->store->is_new)
		r = check_pages(s, err);
	if (!r)
		r = ccfc_store_load(s->store, s->index, &s->stale, err);
	if (!r)
		r = ccfc_salvage_old(s->store, s->index, &some, err);
	if (r)
		forget_start(s);
	return r;
}

static void pause_for(int ms)
{
	struct timespec rest = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&rest, &rest))
		;
}

int ccfc_store_start(struct ccfc_store **out, struct ccfc_index **index,
		     const char *dir, const char *home, bool *stale,
		     struct ccfc_err *err)
{
	struct start s = { .dir = dir, .home = home };
	int r = CCFC_EIO, before = 0, ms = FIRST_MS;

	for (int i = 0; i < TRIES; i++, ms *= 2) {
		r = try_once(&s, err);
		/* Waiting does not help with other errors. */
		if (!r || (r != CCFC_EIO && r != CCFC_ECORRUPT))
			break;
		ccfc_log(CCFC_LOG_ERROR, "%s", err->what);
		if (r == CCFC_ECORRUPT && before == CCFC_ECORRUPT) {
			r = ccfc_salvage(dir, home, err);
			if (r)
				ccfc_log(CCFC_LOG_ERROR, "%s", err->what);
			before = 0;
			continue;
		}
		before = r;
		if (i + 1 < TRIES)
			pause_for(ms);
	}
	if (r == CCFC_EIO)
		ccfc_err_hint(err, "nothing was changed; check the disk, "
				   "then start the daemon again");
	*out = s.store;
	*index = s.index;
	*stale = s.stale;
	return r;
}

void ccfc_store_texts_damaged(struct ccfc_store *store)
{
	struct ccfc_err err = { 0 };

	if (store->texts_damaged)
		return;
	store->texts_damaged = true;
	if (ccfc_store_note(store, "textsDamaged", 1, &err))
		ccfc_log(CCFC_LOG_WARN, "%s", err.what);
}

void ccfc_store_past(const struct ccfc_store *store,
		     struct ccfc_store_past *out)
{
	*out = store->past;
}
