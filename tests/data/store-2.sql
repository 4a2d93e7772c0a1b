BEGIN TRANSACTION;
CREATE TABLE t_backup(session INTEGER, key, version INTEGER, name TEXT, made INTEGER, first INTEGER, last INTEGER, PRIMARY KEY(session, key, version, name)) WITHOUT ROWID;
CREATE TABLE t_change(id INTEGER PRIMARY KEY, tool_use_id TEXT, part INTEGER, several INTEGER, seq INTEGER, file INTEGER, session INTEGER, state INTEGER,c_known INTEGER, c_time INTEGER, c_source INTEGER, c_offset INTEGER,c_len INTEGER, c_gen INTEGER, c_uuid, c_session INTEGER,c_agent TEXT, c_model TEXT, c_version TEXT, c_tool TEXT,c_file INTEGER, c_added INTEGER, c_removed INTEGER,c_sidechain INTEGER, c_next INTEGER,r_known INTEGER, r_time INTEGER, r_source INTEGER, r_offset INTEGER,r_len INTEGER, r_gen INTEGER, r_session INTEGER, r_agent TEXT,r_tool TEXT, r_file INTEGER, r_added INTEGER, r_removed INTEGER,r_state INTEGER, r_op INTEGER, r_detail INTEGER);
INSERT INTO "t_change" VALUES(0,'toolu_01XpUWhQrD6X1yuQTepq0kUH',0,0,1,1,1,1,1,1765360802000,0,316,636,0,X'7EED8D14F06D4FEFB01966A0C381E88F',1,'','claude-opus-4-5-20251101','2.1.50','Write',1,1,-1,0,4294967295,1,1765360803000,0,953,531,0,1,'','Write',1,1,0,1,1,1);
INSERT INTO "t_change" VALUES(1,'toolu_01jEpVJ1Suzbh6BgnwJ7oMyn',0,0,2,1,1,1,1,1765360804000,0,1485,655,0,X'AA2CA1AF6A104B75A77F6CBDCC22AF58',1,'','claude-opus-4-5-20251101','2.1.50','Edit',1,1,1,0,4294967295,1,1765360805000,0,2141,673,0,1,'','Edit',1,1,1,1,0,1);
CREATE TABLE t_copy(id INTEGER PRIMARY KEY,c_known INTEGER, c_time INTEGER, c_source INTEGER, c_offset INTEGER,c_len INTEGER, c_gen INTEGER, c_uuid, c_session INTEGER,c_agent TEXT, c_model TEXT, c_version TEXT, c_tool TEXT,c_file INTEGER, c_added INTEGER, c_removed INTEGER,c_sidechain INTEGER, c_next INTEGER);
CREATE TABLE t_file(id INTEGER PRIMARY KEY, path);
INSERT INTO "t_file" VALUES(1,'/home/dev/p/a.py');
CREATE TABLE t_meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO "t_meta" VALUES('epoch',1794826518506);
INSERT INTO "t_meta" VALUES('reader',2);
INSERT INTO "t_meta" VALUES('schema',2);
CREATE TABLE t_orphan(tool_use_id TEXT PRIMARY KEY, r_known INTEGER, r_time INTEGER, r_source INTEGER, r_offset INTEGER,r_len INTEGER, r_gen INTEGER, r_session INTEGER, r_agent TEXT,r_tool TEXT, r_file INTEGER, r_added INTEGER, r_removed INTEGER,r_state INTEGER, r_op INTEGER, r_detail INTEGER) WITHOUT ROWID;
CREATE TABLE t_prompt(session INTEGER, uuid INTEGER, time INTEGER, asked INTEGER, source INTEGER, offset INTEGER, len INTEGER, gen INTEGER, PRIMARY KEY(session, uuid)) WITHOUT ROWID;
INSERT INTO "t_prompt" VALUES(1,3491177794219682946,1765360801000,1,0,0,315,0);
CREATE TABLE t_session(id INTEGER PRIMARY KEY, uuid, seen INTEGER, start INTEGER, end INTEGER, born INTEGER, project, project_time INTEGER, project_from_agent INTEGER, branch TEXT, branch_time INTEGER, branches TEXT, model TEXT, model_time INTEGER, model_from_agent INTEGER, models TEXT, sources TEXT);
INSERT INTO "t_session" VALUES(1,'cd613e30-d8f1-4adf-91b7-584a2265b1f5',1,1765360801000,1765360805000,NULL,'/home/dev/p',1765360801000,0,'main',1765360805000,'main
','claude-opus-4-5-20251101',1765360804000,0,'claude-opus-4-5-20251101
','0 ');
CREATE TABLE t_source(id INTEGER PRIMARY KEY, path, session INTEGER, agent TEXT, is_agent INTEGER, gone INTEGER, gen INTEGER, dev INTEGER, ino INTEGER, offset INTEGER, marker INTEGER, marker_len INTEGER, turn0 INTEGER, turn1 INTEGER, message0 INTEGER, message1 INTEGER, blank INTEGER, malformed INTEGER, unknown INTEGER, other INTEGER, user INTEGER, assistant INTEGER, snapshot INTEGER, too_long INTEGER);
INSERT INTO "t_source" VALUES(0,'@TOP@/claude/projects/-home-dev-p/cd613e30-d8f1-4adf-91b7-584a2265b1f5.jsonl',1,'',0,0,0,65024,11617302,2815,1875839892196020238,256,1486,0,3399734110480639868,0,0,0,0,0,3,2,0,0);
CREATE TABLE t_unknown_type(type PRIMARY KEY, n INTEGER) WITHOUT ROWID;
CREATE VIEW sessions AS SELECT id, uuid AS session_id, project AS project_path, branch AS git_branch, model, start, end, (SELECT count(*) FROM t_change c WHERE c.session = s.id  AND c.state = 1) AS changes FROM t_session s WHERE seen;
CREATE VIEW files AS SELECT f.id, f.path, count(*) AS changes, count(DISTINCT c.session) AS sessions, min(coalesce(c.c_time, c.r_time)) AS first_modified, max(coalesce(c.c_time, c.r_time)) AS last_modified FROM t_change c JOIN t_file f ON f.id = c.file WHERE c.state = 1 GROUP BY f.id;
CREATE VIEW changes AS SELECT c.id, c.tool_use_id, f.path, s.uuid AS session_id, s.project AS project_path, CASE c.c_known WHEN 1 THEN c.c_tool ELSE c.r_tool END AS tool, CASE c.state WHEN 0 THEN 'pending' WHEN 1 THEN 'applied'  WHEN 2 THEN 'staged' WHEN 3 THEN 'denied' WHEN 4 THEN 'failed'  WHEN 5 THEN 'interrupted' END AS state, CASE c.r_op WHEN 1 THEN 'created' WHEN 2 THEN 'deleted'  ELSE 'modified' END AS operation, nullif(CASE c.c_known WHEN 1 THEN c.c_agent ELSE c.r_agent END, '')  AS agent_id, nullif(c.c_model, '') AS model, coalesce(c.c_time, c.r_time) AS time, CASE c.r_detail WHEN 1 THEN c.r_added ELSE c.c_added END  AS lines_added, CASE c.r_detail WHEN 1 THEN c.r_removed ELSE c.c_removed END  AS lines_removed FROM t_change c LEFT JOIN t_file f ON f.id = c.file LEFT JOIN t_session s ON s.id = c.session;
COMMIT;
