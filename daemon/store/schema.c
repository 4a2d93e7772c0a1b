/*
 * The schema of the store. Tables t_… are the index as it is in memory, row
 * for row (ids are its array indexes), and may change from version to
 * version. What users may ask are the views (views.c). Times are milliseconds
 * since 1970 in UTC, NULL where not known.
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

/* How far a source's texts were kept (texts.h). */
#define TEXT_COLUMNS                                                           \
	"text_gen INTEGER, text_offset INTEGER, text_marker INTEGER,"          \
	"text_marker_len INTEGER"

/*
 * Schema 1 had the last backup of each file only, with the snapshot's time,
 * and not where prompts stand. What was said before is read anew where it
 * still stands.
 */
static const char from_1[] =
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

/* Schema 2 had no texts, nor what was said and spent. */
static const char from_2[] =
	"BEGIN IMMEDIATE;"
	"ALTER TABLE t_source ADD COLUMN text_gen INTEGER;"
	"ALTER TABLE t_source ADD COLUMN text_offset INTEGER;"
	"ALTER TABLE t_source ADD COLUMN text_marker INTEGER;"
	"ALTER TABLE t_source ADD COLUMN text_marker_len INTEGER;"
	"ALTER TABLE t_source ADD COLUMN damaged INTEGER;"
	"DROP VIEW IF EXISTS sessions;"
	"ALTER TABLE t_session ADD COLUMN opening TEXT;"
	"ALTER TABLE t_session ADD COLUMN opening_time INTEGER;"
	"ALTER TABLE t_session ADD COLUMN summary TEXT;"
	"ALTER TABLE t_session ADD COLUMN summary_time INTEGER;"
	"UPDATE t_meta SET value = 3 WHERE key = 'schema';"
	"COMMIT;";

const char *const ccfc_store_upgrades[CCFC_STORE_SCHEMA] = {
	"",
	from_1,
	from_2,
};

const char ccfc_store_schema[] =
	"CREATE TABLE IF NOT EXISTS t_meta(key TEXT PRIMARY KEY, value)"
	" WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS t_source(id INTEGER PRIMARY KEY, path,"
	" session INTEGER, agent TEXT, is_agent INTEGER, gone INTEGER,"
	" gen INTEGER, dev INTEGER, ino INTEGER, offset INTEGER,"
	" marker INTEGER, marker_len INTEGER, turn0 INTEGER, turn1 INTEGER,"
	" message0 INTEGER, message1 INTEGER, blank INTEGER,"
	" malformed INTEGER, unknown INTEGER, other INTEGER, user INTEGER,"
	" assistant INTEGER, snapshot INTEGER, too_long INTEGER," TEXT_COLUMNS
	", damaged INTEGER);"
	"CREATE TABLE IF NOT EXISTS t_session(id INTEGER PRIMARY KEY, uuid,"
	" seen INTEGER, start INTEGER, end INTEGER, born INTEGER,"
	" project, project_time INTEGER, project_from_agent INTEGER,"
	" branch TEXT, branch_time INTEGER, branches TEXT, model TEXT,"
	" model_time INTEGER, model_from_agent INTEGER, models TEXT,"
	" sources TEXT, opening TEXT, opening_time INTEGER, summary TEXT,"
	" summary_time INTEGER);"
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
	"CREATE TABLE IF NOT EXISTS t_part(id INTEGER PRIMARY KEY,"
	" source INTEGER, session INTEGER, gen INTEGER, user INTEGER,"
	" assistant INTEGER, agent_user INTEGER, agent_assistant INTEGER,"
	" time INTEGER, asks INTEGER, result_time INTEGER, results INTEGER,"
	" error INTEGER, custom TEXT, ai TEXT);"
	"CREATE TABLE IF NOT EXISTS t_say(id INTEGER PRIMARY KEY,"
	" hash INTEGER, copy INTEGER, part INTEGER, gen INTEGER, time INTEGER,"
	" agent INTEGER, model TEXT, input INTEGER, output INTEGER,"
	" cache_write INTEGER, cache_read INTEGER);"
	/* called 1, writes 2, other 4, ok 8, error 16 */
	"CREATE TABLE IF NOT EXISTS t_use(id INTEGER PRIMARY KEY,"
	" hash INTEGER, say INTEGER, tool TEXT, flags INTEGER);"
	"CREATE TABLE IF NOT EXISTS t_look(use INTEGER, file INTEGER,"
	" time INTEGER, PRIMARY KEY(use, file)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS t_leaf(session INTEGER, uuid INTEGER,"
	" time INTEGER, PRIMARY KEY(session, uuid)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS t_summary(leaf INTEGER PRIMARY KEY,"
	" text TEXT);"
	"CREATE TABLE IF NOT EXISTS t_unknown_type(type PRIMARY KEY,"
	" n INTEGER) WITHOUT ROWID;";
