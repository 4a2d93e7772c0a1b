/*
 * The views in the store's file, for other programs. They are made again only
 * if they differ, so that a normal start writes nothing.
 */
#include "base/buf.h"
#include "store/db.h"
#include "store/sql/views.h"

static bool is_view_there(struct ccfc_store *store, const char *name,
			  struct ccfc_slice sql)
{
	sqlite3_stmt *stmt = NULL;
	bool same = false;

	if (sqlite3_prepare_v2(store->db,
			       "SELECT sql = ?2 FROM sqlite_master"
			       " WHERE type = 'view' AND name = ?1",
			       -1, &stmt, NULL) != SQLITE_OK)
		return false;
	sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 2, sql.ptr, (int)sql.len, SQLITE_STATIC);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		same = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	return same;
}

static int make_view(struct ccfc_store *store, const struct ccfc_view *view,
		     struct ccfc_err *err)
{
	struct ccfc_buf create = CCFC_BUF_INIT, sql = CCFC_BUF_INIT;
	int r = 0;

	ccfc_buf_printf(&create, "CREATE VIEW %s AS %s", view->name, view->sql);
	ccfc_buf_printf(&sql, "BEGIN IMMEDIATE; DROP VIEW IF EXISTS %s; ",
			view->name);
	ccfc_buf_slice(&sql, ccfc_buf_view(&create));
	ccfc_buf_puts(&sql, "; COMMIT");
	if (!is_view_there(store, view->name, ccfc_buf_view(&create)))
		r = ccfc_db_exec(store, sql.ptr, err);
	if (r)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	ccfc_buf_release(&create);
	ccfc_buf_release(&sql);
	return r;
}

int ccfc_store_make_views(struct ccfc_store *store, struct ccfc_err *err)
{
	int r = 0;

	for (int i = 0; i < CCFC_VIEWS && !r; i++)
		r = make_view(store, &ccfc_views[i], err);
	return r;
}
