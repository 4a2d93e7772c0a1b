/*
 * Which changes are ambiguous, and which other calls may have made them, as
 * SQL: the rules of index/query/proof.c once more, for programs that read the
 * store's file without our functions. tests/func/daemon/sql.py compares both.
 *
 * CCFC_SQL_RIVALS selects a row for each change that a client noted and each
 * other call that may have made it: `change`, `rival` (ids of t_change), and
 * whether their commands name the file: `own`, `other` (0: no, 1: maybe, 2).
 * It is a view of its own, w_rivals, which others read. Names of such views and
 * of common table expressions begin with w_, for sql_guard.c.
 */
#ifndef CCFC_STORE_SQL_VIEWS_DOUBT_H
#define CCFC_STORE_SQL_VIEWS_DOUBT_H

/* clang-format takes the macros for functions. */
/* clang-format off */

/* As in index/query/proof.c: milliseconds, and a time that never comes. */
#define DOUBT_LATE  "100"
#define DOUBT_RUN   "600000"
#define DOUBT_NEVER "9223372036854775807"

/* Bits and states, as in views.c. */
#define DOUBT_NOT_A_CHANGE "33" /* a command, or nobody's */
#define DOUBT_KINDS	   "199" /* how a row came; INFERRED: nothing else */
#define DOUBT_INFERRED	   "64"
#define DOUBT_RECORDED	   "4"
#define DOUBT_WITNESSED	   "128" /* of a row that is a call's own */
#define DOUBT_PARSED	   "2"
#define DOUBT_COMMAND	   "1"
#define DOUBT_CUT	   "16"
#define DOUBT_SHARED	   "2"
#define DOUBT_BACKGROUND   "8"
#define DOUBT_UNSURE	   "8"
#define DOUBT_DIFF	   "1" /* what the client noted is all */
#define DOUBT_NOTED	   "5" /* that bit, and the one of noting a part */

/* The row that has the call's times: a shell change's are its command's. */
#define DOUBT_CALL(c)                                                          \
	"coalesce(nullif(" c ".command_id, 4294967295), " c ".id)"
#define DOUBT_TIME(k)                                                          \
	"CASE WHEN " k ".c_known THEN " k ".c_time WHEN " k ".r_known THEN "   \
	k ".r_time ELSE " k ".shell_time END"
#define DOUBT_AGENT(c)                                                         \
	"CASE " c ".c_known WHEN 1 THEN " c ".c_agent ELSE " c ".r_agent END"

/* window_of_lines */
#define DOUBT_BEGINS(k) "coalesce(" DOUBT_TIME(k) ", -" DOUBT_NEVER ")"
#define DOUBT_ENDED(k)                                                         \
	"CASE WHEN NOT " k ".r_known AND " k ".shell = " DOUBT_WITNESSED       \
	" THEN " k ".shell_time + " DOUBT_LATE                                 \
	" WHEN NOT " k ".r_known THEN " DOUBT_TIME(k) " + " DOUBT_RUN          \
	" WHEN " k ".r_run & " DOUBT_BACKGROUND " THEN coalesce("              \
	k ".shell_time + " DOUBT_LATE ", " DOUBT_NEVER ") ELSE coalesce("      \
	k ".r_time + " DOUBT_LATE ", " DOUBT_NEVER ") END"
#define DOUBT_ENDS(k)                                                          \
	"CASE WHEN (" DOUBT_TIME(k) ") IS NULL THEN " DOUBT_NEVER              \
	" WHEN (" DOUBT_ENDED(k) ") < (" DOUBT_TIME(k) ") THEN ("              \
	DOUBT_TIME(k) ") + " DOUBT_LATE " ELSE " DOUBT_ENDED(k) " END"

/* narrow_by_marks: where the marks lie within the lines' window. */
#define DOUBT_FROM "coalesce(max(began, begins), begins)"
#define DOUBT_TO   "coalesce(min(ended, ends), ends)"
#define DOUBT_MARKED                                                           \
	"begins > -" DOUBT_NEVER " AND " DOUBT_FROM " <= " DOUBT_TO

/* has_name; `w_at` has where in the text the name stands. */
#define DOUBT_AT(k, at) "substr(" k ".command, " at ", 1)"
#define DOUBT_WORD(k, at)                                                      \
	"(" DOUBT_AT(k, at) " GLOB '[0-9A-Za-z_-]' OR coalesce(unicode("       \
	DOUBT_AT(k, at) ") >= 128, 0))"
#define DOUBT_HAS_NAME(k)                                                      \
	"(WITH RECURSIVE w_at(i, s) AS (SELECT instr(" k ".command, f.name),"     \
	" f.name UNION ALL SELECT i + nullif(instr(substr(" k ".command,"      \
	" i + 1), s), 0), s FROM w_at WHERE i)"                                   \
	" SELECT count(*) FROM w_at WHERE i > 0 AND s <> ''"                      \
	" AND NOT (i > 1 AND (" DOUBT_WORD(k, "i - 1") " OR "                  \
	DOUBT_AT(k, "i - 1") " = '.')) AND NOT "                               \
	DOUBT_WORD(k, "i + length(s)") " AND NOT ("                            \
	DOUBT_AT(k, "i + length(s)") " = '.' AND "                             \
	DOUBT_WORD(k, "i + length(s) + 1") "))"
/* named_by */
#define DOUBT_NAMED(c, k)                                                      \
	"CASE WHEN " k ".shell IN (0, " DOUBT_WITNESSED ") OR " c ".shell & " DOUBT_PARSED " THEN 2"   \
	" WHEN " DOUBT_HAS_NAME(k) " THEN 2 WHEN " k ".command = '' OR "       \
	k ".shell & " DOUBT_CUT " THEN 1 ELSE 0 END"

/* The file's name, without directories. */
#define DOUBT_NAME                                                             \
	"(WITH RECURSIVE w_end(s) AS (SELECT t.path UNION ALL"                     \
	" SELECT substr(s, instr(s, '/') + 1) FROM w_end WHERE instr(s, '/'))"     \
	" SELECT s FROM w_end WHERE NOT instr(s, '/'))"

/*
 * All that may count, narrow, so that pairs of them cost little: LIMIT keeps
 * SQLite from looking into the wide rows for each pair.
 */
#define DOUBT_CALLS                                                            \
	"w_call(id, file, session, agent, shell, ran, run, call, begins, ends)"\
	" AS (SELECT id, file, session, agent, shell, ran, run, call,"         \
	" CASE WHEN " DOUBT_MARKED " THEN " DOUBT_FROM " ELSE begins END,"     \
	" CASE WHEN " DOUBT_MARKED " THEN " DOUBT_TO " ELSE ends END"          \
	" FROM (SELECT c.id AS id, c.file AS file, c.session AS session, "     \
	DOUBT_AGENT("c") " AS agent, c.shell AS shell,"                        \
	" CASE c.shell WHEN 0 THEN c.state = 1"                                \
	" ELSE c.state NOT IN (2, 3) END AS ran, c.r_run AS run, k.id AS call, "\
	DOUBT_BEGINS("k") " AS begins, " DOUBT_ENDS("k") " AS ends,"           \
	" k.began AS began, CASE WHEN NOT k.r_run & " DOUBT_BACKGROUND         \
	" THEN k.ended END AS ended"                                           \
	" FROM t_change c JOIN t_change k ON k.id = " DOUBT_CALL("c")          \
	" LIMIT -1) LIMIT -1)"

/*
 * Commands with unknown effects (ccfc_index_is_unknown), with the project of
 * their session and the time of that session. SQLite finds equal numbers
 * quickly, and overlapping times only by trying each pair: so a command of at
 * most DOUBT_RUN has the slot of time that it begins in.
 */
#define DOUBT_SLOT(time) "(" time ") / " DOUBT_RUN
#define DOUBT_UNKNOWN                                                          \
	"w_unknown(id, session, project, start, over, slot) AS (SELECT r.id,"  \
	" r.session, CASE s.project WHEN '/' THEN '' ELSE s.project END,"      \
	" s.start, s.end + " DOUBT_RUN                                         \
	", CASE WHEN r.ends - r.begins <= " DOUBT_RUN " THEN "                 \
	DOUBT_SLOT("r.begins") " END"                                          \
	" FROM w_call r JOIN t_change c ON c.id = r.id"                        \
	" JOIN t_session s ON s.id = r.session"                                \
	" LEFT JOIN (SELECT DISTINCT command_id FROM t_change"                 \
	"  WHERE shell & (" DOUBT_PARSED " | " DOUBT_RECORDED ")) k"           \
	" ON k.command_id = r.id"                                              \
	" WHERE r.shell & " DOUBT_COMMAND " AND s.project <> ''"               \
	" AND CASE WHEN c.state = 1 THEN c.shell & " DOUBT_UNSURE              \
	"  AND c.r_run & " DOUBT_NOTED " <> " DOUBT_DIFF                       \
	" WHEN c.state > 3 THEN c.shell & " DOUBT_UNSURE                       \
	"  OR k.command_id IS NOT NULL END LIMIT -1)"

/* What clients noted, once for each slot that a rival may begin in. */
#define DOUBT_IS_NOTED                                                         \
	"shell & " DOUBT_RECORDED " AND NOT shell & " DOUBT_NOT_A_CHANGE
#define DOUBT_IS_LONG(n) n "ends - " n "begins > 10 * " DOUBT_RUN
#define DOUBT_SLOTS                                                            \
	"w_slot(id, slot, last) AS (SELECT id, " DOUBT_SLOT("begins") " - 1, " \
	DOUBT_SLOT("ends") " FROM w_call WHERE " DOUBT_IS_NOTED " AND NOT ("   \
	DOUBT_IS_LONG("") ") UNION ALL SELECT id, slot + 1, last FROM w_slot"       \
	" WHERE slot < last)"

/* Pairs that may overlap: by slot, and all with what has none. */
#define DOUBT_BESIDE                                                           \
	"w_beside(change, rival) AS (SELECT n.id, r.id FROM w_slot n"          \
	" JOIN w_unknown r ON r.slot = n.slot"                                 \
	" UNION ALL SELECT n.id, r.id FROM w_call n JOIN w_unknown r"          \
	" ON r.slot IS NULL OR " DOUBT_IS_LONG("n.")                           \
	" WHERE n.shell & " DOUBT_RECORDED                                     \
	" AND NOT n.shell & " DOUBT_NOT_A_CHANGE ")"

/* weigh_change; `n` is noted, `r` may have made it as well. */
#define DOUBT_PAIRS(of, also)                                                  \
	" SELECT n.id, r.id FROM " of                                          \
	" AND r.begins <= n.ends AND r.ends >= n.begins AND r.id <> n.id"      \
	" AND r.ran"                                                           \
	" AND NOT (r.session = n.session AND r.agent = n.agent)" also          \
	" AND n.shell & " DOUBT_RECORDED                                       \
	" AND NOT n.shell & " DOUBT_NOT_A_CHANGE
/* has_change: that change is weighed for the command. */
#define DOUBT_HAS_CHANGE                                                       \
	" LEFT JOIN t_change h ON h.command_id = r.id AND h.file = n.file"     \
	" AND NOT h.shell & " DOUBT_NOT_A_CHANGE                               \
	" AND h.shell & " DOUBT_KINDS " <> " DOUBT_INFERRED

/* weigh_unknown: commands of another session in a project with the file. */
#define DOUBT_OF_OTHERS                                                        \
	DOUBT_PAIRS("w_beside b JOIN w_unknown u ON u.id = b.rival"            \
		    " JOIN w_call n ON n.id = b.change"                        \
		    " JOIN w_call r ON r.id = b.rival"                         \
		    " AND r.session <> n.session"                              \
		    " AND coalesce(u.start <= n.ends, 1)"                      \
		    " AND coalesce(u.over >= n.begins, 1)",                    \
		    " JOIN t_change q ON q.id = r.id"                          \
		    " JOIN t_file f ON f.id = n.file"                          \
		    DOUBT_HAS_CHANGE                                           \
		    " WHERE h.id IS NULL AND (f.path = u.project"              \
		    " OR substr(f.path, 1, length(u.project) + 1) ="           \
		    " u.project || '/') AND NOT (q.r_run & " DOUBT_BACKGROUND  \
		    " AND q.shell_time IS NULL AND r.begins + " DOUBT_RUN      \
		    " < n.begins)")

/*
 * weigh_all_changes: changes of the file; commands of others with unknown
 * effects; commands that the client saw beside. LIMIT keeps SQLite from writing
 * out the search for names once for each of the three.
 */
#define DOUBT_ALL                                                              \
	"w_pair(change, rival) AS ("                                           \
	DOUBT_PAIRS("w_call n JOIN w_call r ON r.file = n.file",               \
		    " WHERE NOT r.shell & " DOUBT_NOT_A_CHANGE                 \
		    " AND r.shell & " DOUBT_KINDS " <> " DOUBT_INFERRED)       \
	" UNION ALL"                                                           \
	DOUBT_OF_OTHERS                                                        \
	" UNION ALL"                                                           \
	DOUBT_PAIRS("w_call n JOIN w_call r ON r.session = n.session",         \
		    DOUBT_HAS_CHANGE                                           \
		    " WHERE r.shell & " DOUBT_COMMAND                          \
		    " AND n.run & " DOUBT_SHARED " AND h.id IS NULL")          \
	" LIMIT -1)"

#define CCFC_SQL_RIVALS                                                        \
	"WITH RECURSIVE " DOUBT_CALLS ", " DOUBT_UNKNOWN ", " DOUBT_SLOTS ", " \
	DOUBT_BESIDE ", " DOUBT_ALL                                            \
	" SELECT n.id AS change, r.id AS rival, " DOUBT_NAMED("n", "k")        \
	" AS own, " DOUBT_NAMED("r", "q") " AS other FROM w_pair p"            \
	" JOIN t_change n ON n.id = p.change"                                  \
	" JOIN t_change r ON r.id = p.rival"                                   \
	" JOIN t_change k ON k.id = " DOUBT_CALL("n")                          \
	" JOIN t_change q ON q.id = " DOUBT_CALL("r")                          \
	" JOIN (SELECT t.id, " DOUBT_NAME " AS name FROM t_file t) f"          \
	" ON f.id = n.file"

/* The ids of changes that are in doubt (is_doubtful). */
#define CCFC_SQL_DOUBTFUL                                                      \
	"SELECT n.id FROM t_change n LEFT JOIN w_rivals p"                     \
	" ON p.change = n.id WHERE n.shell & " DOUBT_RECORDED                  \
	" AND NOT n.shell & " DOUBT_NOT_A_CHANGE                               \
	" GROUP BY n.id HAVING CASE count(p.rival)"                            \
	" WHEN 0 THEN max(n.r_run & " DOUBT_SHARED ")"                         \
	" ELSE min(p.own) <> 2 OR max(p.other) <> 0 END"

/* clang-format on */

#endif
