/*
 * The views in the store's file, for other programs. They are made again only
 * if they differ, so that a normal start writes nothing.
 *
 * CREATE VIEW parses a view twice, and the views are long: in a new store that
 * would be most of the work. So there they are written as rows of SQLite's
 * table of definitions, which is all that CREATE VIEW does with them. This
 * connection then does not know them, and does not need them.
 */
#include "base/buf.h"
#include "store/db.h"
#include "store/sql/views.h"

#define ALL_VIEWS (CCFC_VIEW_PARTS + CCFC_VIEWS)

static const struct ccfc_view *view_at(int i)
{
	return i < CCFC_VIEW_PARTS ? &ccfc_view_parts[i]
				   : &ccfc_views[i - CCFC_VIEW_PARTS];
}

static void put_create(struct ccfc_buf *out, const struct ccfc_view *view)
{
	ccfc_buf_puts(out, "CREATE VIEW ");
	ccfc_buf_puts(out, view->name);
	ccfc_buf_puts(out, " AS ");
	ccfc_buf_puts(out, view->sql);
}

/* Steps a statement with the name of a view as ?1 and its text as ?2. */
static int step_with(sqlite3_stmt *stmt, const struct ccfc_view *view,
		     struct ccfc_slice create)
{
	sqlite3_reset(stmt);
	sqlite3_bind_text(stmt, 1, view->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 2, create.ptr, (int)create.len, SQLITE_STATIC);
	return sqlite3_step(stmt);
}

/* `same`: is the view there with this text? NULL: cannot be prepared. */
static int make_view(struct ccfc_store *store, sqlite3_stmt *same,
		     const struct ccfc_view *view, struct ccfc_err *err)
{
	struct ccfc_buf create = CCFC_BUF_INIT, sql = CCFC_BUF_INIT;
	bool there = false;
	int r = 0;

	put_create(&create, view);
	if (same && step_with(same, view, ccfc_buf_view(&create)) == SQLITE_ROW)
		there = sqlite3_column_int(same, 0);
	if (!there) {
		/* While a statement runs, no view can be dropped. */
		if (same)
			sqlite3_reset(same);
		ccfc_buf_printf(&sql,
				"BEGIN IMMEDIATE; DROP VIEW IF EXISTS %s; ",
				view->name);
		ccfc_buf_slice(&sql, ccfc_buf_view(&create));
		ccfc_buf_puts(&sql, "; COMMIT");
		r = ccfc_db_exec(store, sql.ptr, err);
	}
	if (r)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	ccfc_buf_release(&create);
	ccfc_buf_release(&sql);
	return r;
}

int ccfc_store_make_views(struct ccfc_store *store, struct ccfc_err *err)
{
	sqlite3_stmt *same = NULL;
	int r = 0;

	if (sqlite3_prepare_v2(store->db,
			       "SELECT sql = ?2 FROM sqlite_master"
			       " WHERE type = 'view' AND name = ?1",
			       -1, &same, NULL) != SQLITE_OK)
		same = NULL;
	for (int i = 0; i < ALL_VIEWS && !r; i++)
		r = make_view(store, same, view_at(i), err);
	sqlite3_finalize(same);
	return r;
}

void ccfc_store_insert_views(struct ccfc_store *store)
{
	sqlite3_stmt *stmt = NULL;
	int code = SQLITE_DONE;

	sqlite3_db_config(store->db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
	if (sqlite3_prepare_v2(store->db,
			       "INSERT INTO sqlite_master"
			       "(type, name, tbl_name, rootpage, sql)"
			       " VALUES('view', ?1, ?1, 0, ?2)",
			       -1, &stmt, NULL) != SQLITE_OK)
		code = SQLITE_ERROR;
	for (int i = 0; i < ALL_VIEWS && code == SQLITE_DONE; i++) {
		struct ccfc_buf create = CCFC_BUF_INIT;

		put_create(&create, view_at(i));
		code = step_with(stmt, view_at(i), ccfc_buf_view(&create));
		sqlite3_reset(stmt);
		ccfc_buf_release(&create);
	}
	sqlite3_finalize(stmt);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0, NULL);
}
