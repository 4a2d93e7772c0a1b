BEGIN TRANSACTION;
CREATE TABLE t_backup(session INTEGER, key, version INTEGER, name TEXT, made INTEGER, first INTEGER, last INTEGER, sum INTEGER, PRIMARY KEY(session, key, version, name)) WITHOUT ROWID;
CREATE TABLE t_change(id INTEGER PRIMARY KEY, tool_use_id TEXT, part INTEGER, several INTEGER, seq INTEGER, file INTEGER, session INTEGER, state INTEGER, c_known INTEGER, c_time INTEGER, c_source INTEGER, c_offset INTEGER, c_len INTEGER, c_gen INTEGER, c_uuid, c_session INTEGER, c_agent TEXT, c_model TEXT, c_version TEXT, c_tool TEXT, c_file INTEGER, c_added INTEGER, c_removed INTEGER, c_sidechain INTEGER, c_next INTEGER, c_told INTEGER, c_swallowed INTEGER, r_known INTEGER, r_time INTEGER, r_source INTEGER, r_offset INTEGER, r_len INTEGER, r_gen INTEGER, r_session INTEGER, r_agent TEXT, r_tool TEXT, r_file INTEGER, r_added INTEGER, r_removed INTEGER, r_state INTEGER, r_op INTEGER, r_detail INTEGER, r_by INTEGER, r_original INTEGER, r_run INTEGER, shell INTEGER, target_op INTEGER, command TEXT, command_id INTEGER, other_file INTEGER, shell_time INTEGER, seen INTEGER, rivals TEXT, began INTEGER, ended INTEGER, sum INTEGER);
INSERT INTO "t_change" VALUES(0,'toolu_01XpUWhQrD6X1yuQTepq0kUH',0,0,1,1,1,1,1,1765360802000,0,317,636,0,X'7EED8D14F06D4FEFB01966A0C381E88F',1,'','claude-opus-4-5-20251101','2.1.50','Write',1,1,-1,0,4294967295,0,0,1,1765360803000,0,954,531,0,1,'','Write',1,1,0,1,1,1,0,0,0,0,0,'',4294967295,0,NULL,0,'',NULL,NULL,9601335533476);
INSERT INTO "t_change" VALUES(1,'toolu_01jEpVJ1Suzbh6BgnwJ7oMyn',0,0,2,1,1,1,1,1765360804000,0,1486,651,0,X'AA2CA1AF6A104B75A77F6CBDCC22AF58',1,'','claude-opus-4-5-20251101','2.1.50','Edit',1,1,1,0,4294967295,0,0,1,1765360805000,0,2138,663,0,1,'','Edit',1,1,1,1,0,1,0,0,0,0,0,'',4294967295,0,NULL,0,'',NULL,NULL,47238466431670);
CREATE TABLE t_conflict(id INTEGER PRIMARY KEY, file INTEGER, change INTEGER, other INTEGER, session INTEGER, other_session INTEGER, kind INTEGER, pair INTEGER, outside INTEGER, seq INTEGER, sum INTEGER);
CREATE TABLE t_copy(id INTEGER PRIMARY KEY, c_known INTEGER, c_time INTEGER, c_source INTEGER, c_offset INTEGER, c_len INTEGER, c_gen INTEGER, c_uuid, c_session INTEGER, c_agent TEXT, c_model TEXT, c_version TEXT, c_tool TEXT, c_file INTEGER, c_added INTEGER, c_removed INTEGER, c_sidechain INTEGER, c_next INTEGER, c_told INTEGER, c_swallowed INTEGER, sum INTEGER);
CREATE TABLE t_disk_event(file INTEGER, time INTEGER, since INTEGER, client INTEGER, before INTEGER, before_size INTEGER, before_mtime INTEGER, before_key TEXT, after INTEGER, after_size INTEGER, after_mtime INTEGER, after_key TEXT, session TEXT, held INTEGER, ended INTEGER, own_time INTEGER, sum INTEGER, PRIMARY KEY(file, time, since)) WITHOUT ROWID;
INSERT INTO "t_disk_event" VALUES(1,1765360900000,1765360899990,0,2,4,1765360800000,'',2,5,1765360900000,'','',1765360899990,0,0,55037453901911);
CREATE TABLE t_file(id INTEGER PRIMARY KEY, path, sum INTEGER);
INSERT INTO "t_file" VALUES(1,'/home/dev/p/a.py',124085672546454);
CREATE TABLE t_leaf(session INTEGER, uuid INTEGER, time INTEGER, sum INTEGER, PRIMARY KEY(session, uuid)) WITHOUT ROWID;
CREATE TABLE t_look(use INTEGER, file INTEGER, time INTEGER, sum INTEGER, PRIMARY KEY(use, file)) WITHOUT ROWID;
CREATE TABLE t_mark(tool_use_id TEXT PRIMARY KEY, session TEXT, began INTEGER, ended INTEGER, sum INTEGER) WITHOUT ROWID;
CREATE TABLE t_meta(key TEXT PRIMARY KEY, value, sum INTEGER) WITHOUT ROWID;
INSERT INTO "t_meta" VALUES('damagedAt',1794991183972,89291134536135);
INSERT INTO "t_meta" VALUES('epoch',1794991183975,87210335648086);
INSERT INTO "t_meta" VALUES('inferred',8786861416781252803,105607745306970);
INSERT INTO "t_meta" VALUES('lostRows',0,103246941112663);
INSERT INTO "t_meta" VALUES('lostTexts',3,86092446170105);
INSERT INTO "t_meta" VALUES('reader',9,69290335893797);
INSERT INTO "t_meta" VALUES('rows',12,99814519275545);
INSERT INTO "t_meta" VALUES('schema',9,6860075068159);
INSERT INTO "t_meta" VALUES('texts',365110747831895475,41800914632250);
INSERT INTO "t_meta" VALUES('textsLength',32,91971227022516);
CREATE TABLE t_orphan(tool_use_id TEXT PRIMARY KEY, r_known INTEGER, r_time INTEGER, r_source INTEGER, r_offset INTEGER, r_len INTEGER, r_gen INTEGER, r_session INTEGER, r_agent TEXT, r_tool TEXT, r_file INTEGER, r_added INTEGER, r_removed INTEGER, r_state INTEGER, r_op INTEGER, r_detail INTEGER, r_by INTEGER, r_original INTEGER, r_run INTEGER, sum INTEGER) WITHOUT ROWID;
CREATE TABLE t_part(id INTEGER PRIMARY KEY, source INTEGER, session INTEGER, gen INTEGER, user INTEGER, assistant INTEGER, agent_user INTEGER, agent_assistant INTEGER, time INTEGER, asks INTEGER, result_time INTEGER, results INTEGER, error INTEGER, custom TEXT, ai TEXT, told TEXT, edits INTEGER, sum INTEGER);
INSERT INTO "t_part" VALUES(0,0,1,0,3,2,0,0,1765360805000,0,1765360805000,1,0,'','',NULL,0,10121218605632);
CREATE TABLE t_prompt(session INTEGER, uuid INTEGER, time INTEGER, asked INTEGER, source INTEGER, offset INTEGER, len INTEGER, gen INTEGER, sum INTEGER, PRIMARY KEY(session, uuid)) WITHOUT ROWID;
INSERT INTO "t_prompt" VALUES(1,3491177794219682946,1765360801000,1,0,0,316,0,82775570083757);
CREATE TABLE t_running_cost(session INTEGER, since INTEGER, time INTEGER, model TEXT, cost INTEGER, tokens INTEGER, unsure INTEGER, sum INTEGER, PRIMARY KEY(session, since, time, model)) WITHOUT ROWID;
CREATE TABLE t_say(id INTEGER PRIMARY KEY, hash INTEGER, copy INTEGER, part INTEGER, gen INTEGER, time INTEGER, agent INTEGER, model TEXT, input INTEGER, output INTEGER, cache_write INTEGER, cache_read INTEGER, lines INTEGER, answers INTEGER, cost INTEGER, sum INTEGER);
INSERT INTO "t_say" VALUES(0,6876655408761267970,0,0,0,1765360802000,0,'claude-opus-4-5-20251101',1,1,0,0,0,0,0,73765966023370);
INSERT INTO "t_say" VALUES(1,3399734110480639868,0,0,0,1765360804000,0,'claude-opus-4-5-20251101',1,1,0,0,0,0,0,136569600126916);
CREATE TABLE t_session(id INTEGER PRIMARY KEY, uuid, seen INTEGER, start INTEGER, end INTEGER, born INTEGER, project, project_time INTEGER, project_from_agent INTEGER, branch TEXT, branch_time INTEGER, branches TEXT, model TEXT, model_time INTEGER, model_from_agent INTEGER, models TEXT, sources TEXT, opening TEXT, opening_time INTEGER, summary TEXT, summary_time INTEGER, roots, pull_requests TEXT, name TEXT, tags TEXT, sum INTEGER);
INSERT INTO "t_session" VALUES(1,'cd613e30-d8f1-4adf-91b7-584a2265b1f5',1,1765360801000,1765360805000,NULL,'/home/dev/p',1765360801000,0,'main',1765360805000,'main
','claude-opus-4-5-20251101',1765360804000,0,'claude-opus-4-5-20251101
','0 ','Write it',1765360801000,'',NULL,'/home/dev/p
/home/dev/q
',NULL,NULL,NULL,114842757953004);
CREATE TABLE t_shown(session INTEGER, file INTEGER, time INTEGER, sum INTEGER, PRIMARY KEY(session, file, time)) WITHOUT ROWID;
CREATE TABLE t_source(id INTEGER PRIMARY KEY, path, session INTEGER, agent TEXT, is_agent INTEGER, gone INTEGER, gen INTEGER, dev INTEGER, ino INTEGER, offset INTEGER, marker INTEGER, marker_len INTEGER, turn0 INTEGER, turn1 INTEGER, message0 INTEGER, message1 INTEGER, blank INTEGER, malformed INTEGER, unknown INTEGER, other INTEGER, user INTEGER, assistant INTEGER, snapshot INTEGER, too_long INTEGER,text_gen INTEGER, text_offset INTEGER, text_marker INTEGER,text_marker_len INTEGER, damaged INTEGER, sum INTEGER);
INSERT INTO "t_source" VALUES(0,'/home/dev/.claude/projects/-home-dev-p/cd613e30-d8f1-4adf-91b7-584a2265b1f5.jsonl',1,'',0,1,0,65024,10981841,2802,-7086057334015519514,256,1487,0,3399734110480639868,0,0,0,0,0,3,2,0,0,0,0,0,0,0,40414368371882);
CREATE TABLE t_summary(leaf INTEGER PRIMARY KEY, text TEXT, sum INTEGER);
CREATE TABLE t_unknown_type(type PRIMARY KEY, n INTEGER, sum INTEGER) WITHOUT ROWID;
CREATE TABLE t_use(id INTEGER PRIMARY KEY, hash INTEGER, say INTEGER, tool TEXT, flags INTEGER, sum INTEGER);
INSERT INTO "t_use" VALUES(0,3252159464345266927,0,'Write',11,44214912297389);
INSERT INTO "t_use" VALUES(1,3916060075035223555,1,'Edit',11,91031765888513);
COMMIT;
