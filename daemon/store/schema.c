/*
 * The schema of the store. Tables t_… are the index as it is in memory, row
 * for row (ids are its array indexes), and may change from version to
 * version. The views `sessions`, `files` and `changes` are for users' own
 * SQL: their columns are only ever added to. Times are milliseconds since
 * 1970 in UTC, NULL where not known.
 */
#include "store/schema.h"

/* The columns of one observation of a call, in bind order (rows.c). */
#define CALL_COLUMNS                                                           \
	"c_known INTEGER, c_time INTEGER, c_source INTEGER, c_offset INTEGER," \
	"c_len INTEGER, c_gen INTEGER, c_uuid, c_session INTEGER,"             \
	"c_agent TEXT, c_model TEXT, c_version TEXT, c_tool TEXT,"             \
	"c_file INTEGER, c_added INTEGER, c_removed INTEGER,"                  \
	"c_sidechain INTEGER, c_next INTEGER"

#define RESULT_COLUMNS                                                         \
	"r_known INTEGER, r_time INTEGER, r_source INTEGER, r_offset INTEGER," \
	"r_len INTEGER, r_gen INTEGER, r_session INTEGER, r_agent TEXT,"       \
	"r_tool TEXT, r_file INTEGER, r_added INTEGER, r_removed INTEGER,"     \
	"r_state INTEGER, r_op INTEGER, r_detail INTEGER"

#define BACKUP_COLUMNS                                                         \
	"(session INTEGER, key, version INTEGER, name TEXT, made INTEGER,"     \
	" first INTEGER, last INTEGER,"                                        \
	" PRIMARY KEY(session, key, version, name)) WITHOUT ROWID"

/*
 * Schema 1 had the last backup of each file only, with the snapshot's time,
 * and not where prompts stand. What was said before is read anew where it
 * still stands.
 */
const char ccfc_store_upgrade[] =
	"BEGIN IMMEDIATE;"
	"ALTER TABLE t_backup RENAME TO t_backup_1;"
	"CREATE TABLE t_backup" BACKUP_COLUMNS ";"
	"INSERT INTO t_backup(session, key, version, name, last)"
	" SELECT session, key, version, name, time FROM t_backup_1;"
	"DROP TABLE t_backup_1;"
	"ALTER TABLE t_prompt ADD COLUMN asked INTEGER;"
	"ALTER TABLE t_prompt ADD COLUMN source INTEGER;"
	"ALTER TABLE t_prompt ADD COLUMN offset INTEGER;"
	"ALTER TABLE t_prompt ADD COLUMN len INTEGER;"
	"ALTER TABLE t_prompt ADD COLUMN gen INTEGER;"
	"UPDATE t_meta SET value = 2 WHERE key = 'schema';"
	"COMMIT;";

const char ccfc_store_schema[] =
	"CREATE TABLE IF NOT EXISTS t_meta(key TEXT PRIMARY KEY, value)"
	" WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS t_source(id INTEGER PRIMARY KEY, path,"
	" session INTEGER, agent TEXT, is_agent INTEGER, gone INTEGER,"
	" gen INTEGER, dev INTEGER, ino INTEGER, offset INTEGER,"
	" marker INTEGER, marker_len INTEGER, turn0 INTEGER, turn1 INTEGER,"
	" message0 INTEGER, message1 INTEGER, blank INTEGER,"
	" malformed INTEGER, unknown INTEGER, other INTEGER, user INTEGER,"
	" assistant INTEGER, snapshot INTEGER, too_long INTEGER);"
	"CREATE TABLE IF NOT EXISTS t_session(id INTEGER PRIMARY KEY, uuid,"
	" seen INTEGER, start INTEGER, end INTEGER, born INTEGER,"
	" project, project_time INTEGER, project_from_agent INTEGER,"
	" branch TEXT, branch_time INTEGER, branches TEXT, model TEXT,"
	" model_time INTEGER, model_from_agent INTEGER, models TEXT,"
	" sources TEXT);"
	"CREATE TABLE IF NOT EXISTS t_file(id INTEGER PRIMARY KEY, path);"
	"CREATE TABLE IF NOT EXISTS t_change(id INTEGER PRIMARY KEY,"
	" tool_use_id TEXT, part INTEGER, several INTEGER, seq INTEGER,"
	" file INTEGER, session INTEGER, state INTEGER," CALL_COLUMNS
	"," RESULT_COLUMNS ");"
	"CREATE TABLE IF NOT EXISTS t_copy(id INTEGER PRIMARY KEY," CALL_COLUMNS
	");"
	"CREATE TABLE IF NOT EXISTS t_orphan(tool_use_id TEXT PRIMARY KEY,"
	" " RESULT_COLUMNS ") WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS t_prompt(session INTEGER, uuid INTEGER,"
	" time INTEGER, asked INTEGER, source INTEGER, offset INTEGER,"
	" len INTEGER, gen INTEGER, PRIMARY KEY(session, uuid))"
	" WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS t_backup" BACKUP_COLUMNS ";"
	"CREATE TABLE IF NOT EXISTS t_unknown_type(type PRIMARY KEY,"
	" n INTEGER) WITHOUT ROWID;"

	"CREATE VIEW IF NOT EXISTS sessions AS SELECT id, uuid AS session_id,"
	" project AS project_path, branch AS git_branch, model, start, end,"
	" (SELECT count(*) FROM t_change c WHERE c.session = s.id"
	"  AND c.state = 1) AS changes"
	" FROM t_session s WHERE seen;"
	"CREATE VIEW IF NOT EXISTS files AS SELECT f.id, f.path,"
	" count(*) AS changes, count(DISTINCT c.session) AS sessions,"
	" min(coalesce(c.c_time, c.r_time)) AS first_modified,"
	" max(coalesce(c.c_time, c.r_time)) AS last_modified"
	" FROM t_change c JOIN t_file f ON f.id = c.file"
	" WHERE c.state = 1 GROUP BY f.id;"
	"CREATE VIEW IF NOT EXISTS changes AS SELECT c.id, c.tool_use_id,"
	" f.path, s.uuid AS session_id, s.project AS project_path,"
	" CASE c.c_known WHEN 1 THEN c.c_tool ELSE c.r_tool END AS tool,"
	" CASE c.state WHEN 0 THEN 'pending' WHEN 1 THEN 'applied'"
	"  WHEN 2 THEN 'staged' WHEN 3 THEN 'denied' WHEN 4 THEN 'failed'"
	"  WHEN 5 THEN 'interrupted' END AS state,"
	" CASE c.r_op WHEN 1 THEN 'created' WHEN 2 THEN 'deleted'"
	"  ELSE 'modified' END AS operation,"
	" nullif(CASE c.c_known WHEN 1 THEN c.c_agent ELSE c.r_agent END, '')"
	"  AS agent_id,"
	" nullif(c.c_model, '') AS model,"
	" coalesce(c.c_time, c.r_time) AS time,"
	" CASE c.r_detail WHEN 1 THEN c.r_added ELSE c.c_added END"
	"  AS lines_added,"
	" CASE c.r_detail WHEN 1 THEN c.r_removed ELSE c.c_removed END"
	"  AS lines_removed"
	" FROM t_change c LEFT JOIN t_file f ON f.id = c.file"
	" LEFT JOIN t_session s ON s.id = c.session;";
