/*
 * The views; see views.h. Times are milliseconds since 1970 in UTC, NULL where
 * not known; columns that end in _utc say the same as RFC 3339 text. An agent
 * that has no name of its own is 'sidechain'.
 */
#include "store/sql/views.h"

#include "store/row_columns.h"
#include "store/sql/views_doubt.h"

/*
 * The numbers of the index as SQL has them. Other programs read the store's
 * file without our functions, so rules of the index in C must be repeated here:
 * which lines count (ccfc_index_lines), whose title a session has
 * (ccfc_tally_title). tests/func/daemon/sql.py compares both.
 */
#define PRINT(x) #x
#define SQL(x)	 PRINT(x)

/* Enumerators cannot be printed; that these are the same is checked. */
#define APPLIED 1
#define STAGED	2
#define DENIED	3
#define FAILED	4
#define CREATED 1
#define DELETED 2
#define RENAMED 3
_Static_assert(CCFC_STATE_APPLIED == APPLIED, "its number");
_Static_assert(CCFC_STATE_STAGED == STAGED, "its number");
_Static_assert(CCFC_STATE_DENIED == DENIED, "its number");
_Static_assert(CCFC_STATE_FAILED == FAILED, "its number");
_Static_assert(CCFC_OP_CREATED == CREATED, "its number");
_Static_assert(CCFC_OP_DELETED == DELETED, "its number");
_Static_assert(CCFC_OP_RENAMED == RENAMED, "its number");

/* Bits of a shell's rows, and of what a command's result said. */
#define CONCURRENT 2
#define COMMAND	   1
#define PARSED	   2
#define RECORDED   4
#define UNSURE	   8
#define NOBODYS	   32
#define OBSERVED   128
#define NO_COMMAND 4294967295
/* Of what was seen on disk. */
#define SEEN_SURE     1
#define SEEN_IN_DOUBT 2
#define DIFF	      1
#define SHARED	      2
#define PARTIAL	      4
_Static_assert(CCFC_CONFLICT_CONCURRENT == CONCURRENT, "its number");
_Static_assert(CCFC_SHELL_IS_COMMAND == COMMAND, "its number");
_Static_assert(CCFC_SHELL_PARSED == PARSED, "its number");
_Static_assert(CCFC_SHELL_RECORDED == RECORDED, "its number");
_Static_assert(CCFC_SHELL_UNSURE == UNSURE, "its number");
_Static_assert(CCFC_SHELL_NOBODYS == NOBODYS, "its number");
_Static_assert(CCFC_SHELL_OBSERVED == OBSERVED, "its number");
_Static_assert(CCFC_ID_NONE == NO_COMMAND, "its number");
_Static_assert((int)CCFC_SEEN_SURE == SEEN_SURE, "its number");
_Static_assert((int)CCFC_SEEN_IN_DOUBT == SEEN_IN_DOUBT, "its number");
_Static_assert(CCFC_RUN_DIFF == DIFF, "its number");
_Static_assert(CCFC_RUN_PARTIAL == PARTIAL, "its number");
/* Those that views_doubt.h has as text. */
_Static_assert((CCFC_SHELL_IS_COMMAND | CCFC_SHELL_NOBODYS) == 33, "DOUBT_…");
_Static_assert(CCFC_SHELL_CUT == 16, "DOUBT_CUT");
_Static_assert((CCFC_SHELL_IS_COMMAND | CCFC_SHELL_PARSED |
		CCFC_SHELL_RECORDED | CCFC_SHELL_OBSERVED |
		CCFC_SHELL_INFERRED) == 199,
	       "DOUBT_KINDS");
_Static_assert(CCFC_SHELL_INFERRED == 64, "DOUBT_INFERRED");
_Static_assert(CCFC_RUN_SHARED == SHARED, "its number; DOUBT_SHARED");
_Static_assert(CCFC_RUN_BACKGROUND == 8, "DOUBT_BACKGROUND");
_Static_assert(CCFC_SHELL_UNSURE == 8, "DOUBT_UNSURE");
_Static_assert((CCFC_RUN_DIFF | CCFC_RUN_PARTIAL) == 5, "DOUBT_NOTED");
_Static_assert(CCFC_ID_NONE == 4294967295u, "DOUBT_CALL");

/* The name of each number of a list of ccfc/types.h. */
#define WHEN(symbol, number, text) " WHEN " #number " THEN '" text "'"

/* Of a tool call: it was seen; it failed, and was not repeated with success. */
#define CALLED "(u.flags & " SQL(CCFC_CALL_CALLED) ")"
#define CALL_FAILED                                                            \
	"(u.flags & (" SQL(CCFC_CALL_OK) " | " SQL(                            \
		CCFC_CALL_ERROR) ")) = " SQL(CCFC_CALL_ERROR)
/* NULL where lines are not known. */
#define LINES(column) "nullif(" column ", " SQL(CCFC_LINES_UNKNOWN) ")"

/* UTC and TEXT around a time make it text. */
#define UTC  " strftime('%Y-%m-%dT%H:%M:%fZ', ("
#define TEXT ") / 1000.0, 'unixepoch')"

/* Of a model message's row y: its session s, its source r, its agent. */
#define OF_MESSAGE                                                             \
	" JOIN t_part p ON p.id = y.part"                                      \
	" JOIN t_session s ON s.id = p.session"                                \
	" JOIN t_source r ON r.id = p.source"
#define AGENT                                                                  \
	" CASE y.agent WHEN 1 THEN"                                            \
	" coalesce(nullif(p.told, ''), nullif(r.agent, ''), "                  \
	"'" CCFC_INDEX_SIDECHAIN "') END"
#define CHANGE_TIME                                                            \
	"CASE WHEN c.c_known THEN c.c_time WHEN c.r_known THEN c.r_time"       \
	" ELSE c.shell_time END"
#define FIRST "min(" CHANGE_TIME ")"
#define LAST  "max(" CHANGE_TIME ")"
/* Lines as ccfc_index_lines has them. */
#define TOOK_EFFECT "c.state IN (" SQL(APPLIED) ", " SQL(STAGED) ")"
#define BY_RESULT                                                              \
	" CASE WHEN " TOOK_EFFECT " AND c.r_detail AND NOT c.several THEN "
#define BY_CALL " WHEN " TOOK_EFFECT " THEN "
#define BY_NONE                                                                \
	" WHEN c.state = " SQL(DENIED) " OR (c.state = " SQL(                  \
		FAILED) " AND NOT c.shell) THEN 0 END"
#define ADDED BY_RESULT LINES("c.r_added") BY_CALL LINES("c.c_added") BY_NONE
/* A file that was made had no lines to lose. */
#define REMOVED                                                                \
	BY_RESULT LINES("c.r_removed") BY_CALL "CASE c.r_op WHEN " SQL(        \
		CREATED) " THEN 0 ELSE " LINES("c.c_removed") " END" BY_NONE

/* Of t_change: neither a command nor what only a copy of one would mean. */
#define IS_CHANGE " NOT (c.shell & (" SQL(COMMAND) " | " SQL(NOBODYS) "))"
#define IS(bit)	  "c.shell & " SQL(bit) " <> 0"
/* As ccfc_index_is_witnessed has it. */
#define IS_WITNESSED                                                           \
	"c.shell = " SQL(OBSERVED) " AND c.command_id = " SQL(NO_COMMAND)
#define STATE_TEXT " CASE c.state" CCFC_STATE_LIST(WHEN) " END"
/* As ccfc_index_op has it. */
#define IS_RENAMED                                                             \
	IS(PARSED)                                                             \
	" AND c.target_op = " SQL(RENAMED) " AND c.r_op <> " SQL(DELETED)
#define OP	"CASE WHEN " IS_RENAMED " THEN " SQL(RENAMED) " ELSE c.r_op END"
#define OP_TEXT " CASE " OP CCFC_OP_LIST(WHEN) " END"
/* Has the client looked at all that the command changed? */
#define ALL_NOTED   "c.r_run & (" SQL(DIFF) " | " SQL(PARTIAL) ") = " SQL(DIFF)
#define CHANGE_TOOL " CASE c.c_known WHEN 1 THEN c.c_tool ELSE c.r_tool END"
#define CHANGE_AGENT                                                           \
	" nullif(CASE c.c_known WHEN 1 THEN c.c_agent ELSE c.r_agent END, '')"

#define SESSION_ID                                                             \
	{                                                                      \
		"session_id", "TEXT", "the session's id"                       \
	}
#define PROJECT                                                                \
	{                                                                      \
		"project_path", "TEXT", "the directory it was started in"      \
	}
#define MODEL                                                                  \
	{                                                                      \
		"model", "TEXT", "the model's name"                            \
	}
#define TIME                                                                   \
	{                                                                      \
		"time", "INTEGER", "when"                                      \
	}
#define TIME_UTC                                                               \
	{                                                                      \
		"time_utc", "TEXT", "when, as text"                            \
	}
#define AGENT_ID                                                               \
	{                                                                      \
		"agent_id", "TEXT", "the subagent; NULL: the session itself"   \
	}
#define ERROR                                                                  \
	{                                                                      \
		"error", "INTEGER", "1: the tool said that it failed"          \
	}
#define TOKENS                                                                 \
	{ "input_tokens", "INTEGER", "tokens sent, without the cache" },       \
		{ "output_tokens", "INTEGER", "tokens received" },             \
		{ "cache_creation_input_tokens", "INTEGER",                    \
		  "tokens written to the cache" },                             \
	{                                                                      \
		"cache_read_input_tokens", "INTEGER",                          \
			"tokens read from the cache"                           \
	}

static const struct ccfc_view_column sessions[] = {
	{ "id", "INTEGER", "a number within this store" },
	SESSION_ID,
	PROJECT,
	{ "git_branch", "TEXT", "the branch it was last on" },
	{ "model", "TEXT", "the model it last used" },
	{ "start", "INTEGER", "its first line" },
	{ "end", "INTEGER", "its last line" },
	{ "changes", "INTEGER", "changes to files that took effect" },
	{ "title", "TEXT", "its title, summary or first prompt" },
	{ "messages", "INTEGER", "messages of the user and the model" },
	{ "agent_messages", "INTEGER", "the same of its subagents" },
	TOKENS,
	{ "start_utc", "TEXT", "its first line, as text" },
	{ "end_utc", "TEXT", "its last line, as text" },
};

/*
 * If several transcripts name a session: its own transcript wins, then the one
 * written last, then the greater title. This expression puts them in that
 * order, with the title after the first 17 characters. As in ccfc_tally_title.
 */
#define NAMED " (NOT r.is_agent AND r.session = p.session)"
#define WHOSE                                                                  \
	NAMED " ||"                                                            \
	      " substr('0000000000000000' || coalesce(p.time, 0), -16)"

/* An agent's lines in another transcript count if the agent has none. */
#define COUNTS                                                                 \
	"(p.gen = r.gen AND (coalesce(p.told, '') = '' OR NOT EXISTS (SELECT " \
	"1"                                                                    \
	" FROM t_source a JOIN t_part b ON b.source = a.id"                    \
	" WHERE a.is_agent AND a.agent = p.told AND b.session = p.session)))"
/* Lines of each part that are copies of another one's of the session. */
#define COPIES                                                                 \
	"SELECT y.part AS part, sum(y.lines + y.answers) AS n"                 \
	" FROM t_say y JOIN t_part p ON p.id = y.part"                         \
	" JOIN t_say f ON f.hash = y.hash AND NOT f.copy"                      \
	" JOIN t_part q ON q.id = f.part"                                      \
	" WHERE y.copy AND y.agent AND q.session = p.session"                  \
	" AND y.gen = p.gen & 65535 GROUP BY y.part"

static const char sessions_sql[] =
	"SELECT s.id, s.uuid AS session_id,"
	" s.project AS project_path, s.branch AS git_branch, s.model,"
	" s.start, s.end,"
	" coalesce(c.changes, 0) AS changes,"
	" coalesce(nullif(s.name, ''), nullif(p.custom, ''),"
	"  nullif(p.ai, ''),"
	"  nullif(s.summary, ''), nullif(s.opening, '')) AS title,"
	" coalesce(p.messages, 0) AS messages,"
	" coalesce(p.agent_messages, 0) AS agent_messages,"
	" coalesce(u.input, 0) AS input_tokens,"
	" coalesce(u.output, 0) AS output_tokens,"
	" coalesce(u.cache_write, 0) AS cache_creation_input_tokens,"
	" coalesce(u.cache_read, 0) AS cache_read_input_tokens," UTC
	"s.start" TEXT " AS start_utc," UTC "s.end" TEXT " AS end_utc"
	" FROM t_session s"
	" LEFT JOIN (SELECT c.session AS session, count(*) AS changes"
	"  FROM t_change c WHERE c.state = " SQL(
		APPLIED) " AND" IS_CHANGE
			 "  GROUP BY c.session) c ON c.session = s.id"
			 " LEFT JOIN (SELECT p.session AS session,"
			 "  substr(max(CASE WHEN p.custom <> '' THEN" WHOSE
			 "   || p.custom END), 18) AS custom,"
			 "  substr(max(CASE WHEN p.ai <> '' THEN" WHOSE
			 "   || p.ai END), 18) AS ai,"
			 "  coalesce(max(CASE WHEN" NAMED
			 "    AND p.gen = r.gen AND p.user + p.assistant > 0"
			 "    THEN p.user + p.assistant END),"
			 "   max((p.user + p.assistant) * (p.gen = r.gen)))"
			 "   AS messages,"
			 "  sum((p.agent_user + p.agent_assistant - "
			 "coalesce(y.n, 0))"
			 "   * " COUNTS ") AS agent_messages"
			 "  FROM t_part p JOIN t_source r ON r.id = p.source"
			 "  LEFT JOIN (" COPIES ") y ON y.part = p.id"
			 "  GROUP BY p.session) p ON p.session = s.id"
			 " LEFT JOIN (SELECT p.session AS session, "
			 "sum(y.input) AS input,"
			 "  sum(y.output) AS output, sum(y.cache_write) AS "
			 "cache_write,"
			 "  sum(y.cache_read) AS cache_read"
			 "  FROM t_say y JOIN t_part p ON p.id = y.part WHERE "
			 "NOT y.copy"
			 "  GROUP BY p.session) u ON u.session = s.id"
			 " WHERE s.seen";

static const struct ccfc_view_column files[] = {
	{ "id", "INTEGER", "a number within this store" },
	{ "path", "TEXT", "its absolute path" },
	{ "changes", "INTEGER", "changes that took effect" },
	{ "sessions", "INTEGER", "sessions that made them" },
	{ "first_modified", "INTEGER", "the first change" },
	{ "last_modified", "INTEGER", "the last change" },
	{ "first_modified_utc", "TEXT", "the first change, as text" },
	{ "last_modified_utc", "TEXT", "the last change, as text" },
};

static const char files_sql[] =
	"SELECT f.id, f.path,"
	" count(*) AS changes, count(DISTINCT c.session) AS sessions,"
	" " FIRST " AS first_modified, " LAST
	" AS last_modified," UTC FIRST TEXT
	" AS first_modified_utc," UTC LAST TEXT " AS last_modified_utc"
	" FROM t_change c JOIN t_file f ON f.id = c.file"
	" WHERE c.state = " SQL(APPLIED) " AND" IS_CHANGE " GROUP BY f.id";

static const struct ccfc_view_column changes[] = {
	{ "id", "INTEGER", "a number within this store" },
	{ "tool_use_id", "TEXT", "the id of the tool's call" },
	{ "path", "TEXT", "the file's absolute path" },
	SESSION_ID,
	PROJECT,
	{ "tool", "TEXT", "the tool: Edit, Write, Bash" },
	{ "state", "TEXT",
	  "applied, pending, staged, denied, failed, interrupted" },
	{ "operation", "TEXT", "created, modified, deleted, renamed" },
	AGENT_ID,
	MODEL,
	TIME,
	{ "lines_added", "INTEGER", "lines that it added" },
	{ "lines_removed", "INTEGER", "lines that it took away" },
	TIME_UTC,
	{ "evidence", "TEXT",
	  "result; of a command recorded, observed, parsed, inferred or "
	  "ambiguous (see candidates)" },
	{ "command", "TEXT", "the shell's command; NULL: another tool" },
	{ "other_path", "TEXT",
	  "the file it was renamed from or to, or copied from" },
};

/* clang-format takes the macros for functions. */
/* clang-format off */
static const char changes_sql[] =
	"SELECT c.id, c.tool_use_id,"
	" f.path, s.uuid AS session_id, s.project AS project_path, nullif("
	CHANGE_TOOL ", '') AS tool," STATE_TEXT " AS state," OP_TEXT
	" AS operation," CHANGE_AGENT " AS agent_id,"
	" nullif(c.c_model, '') AS model,"
	" " CHANGE_TIME " AS time," ADDED " AS lines_added," REMOVED
	" AS lines_removed," UTC CHANGE_TIME TEXT " AS time_utc,"
	" CASE WHEN NOT c.shell THEN 'result'"
	"  WHEN " IS_WITNESSED " THEN 'observed'"
	"  WHEN " IS(RECORDED) " AND c.id NOT IN (" CCFC_SQL_DOUBTFUL ")"
	"  THEN 'recorded'"
	"  WHEN c.seen = " SQL(SEEN_SURE) " THEN 'observed'"
	"  WHEN " IS(PARSED) " THEN 'parsed'"
	"  WHEN c.shell & (" SQL(RECORDED) " | " SQL(OBSERVED) ")"
	"  THEN 'ambiguous' ELSE 'inferred' END AS evidence,"
	" nullif(o.command, '') AS command, g.path AS other_path"
	" FROM t_change c LEFT JOIN t_file f ON f.id = c.file"
	" LEFT JOIN t_session s ON s.id = c.session"
	" LEFT JOIN t_change o ON o.id = c.command_id"
	" LEFT JOIN t_file g ON g.id = nullif(c.other_file, 0)"
	" WHERE" IS_CHANGE;

static const struct ccfc_view_column candidates[] = {
	{ "change_id", "INTEGER", "the id of the change in changes" },
	{ "tool_use_id", "TEXT", "the id of the call that it is listed with" },
	{ "path", "TEXT", "the file's absolute path" },
	{ "session_id", "TEXT", "the session that it is listed with" },
	{ "other_tool_use_id", "TEXT",
	  "the id of the call that may have made it as well" },
	{ "other_session_id", "TEXT", "that call's session" },
	{ "other_agent_id", "TEXT", "its subagent; NULL: the session itself" },
	{ "other_tool", "TEXT", "its tool: Bash, Edit, Write" },
	{ "other_command", "TEXT", "its command; NULL: not a shell's" },
	{ "other_time", "INTEGER", "when it was made" },
	{ "other_time_utc", "TEXT", "when it was made, as text" },
};

/* The rivals of what was seen on disk: t_change.rivals, taken apart. */
#define SEEN_RIVALS                                                            \
	"WITH RECURSIVE w_seen(change, rival, rest) AS (SELECT id, NULL,"      \
	" rivals FROM t_change WHERE seen = " SQL(SEEN_IN_DOUBT)               \
	" UNION ALL SELECT change, CAST(rest AS INTEGER),"                     \
	" substr(rest, instr(rest, ',') + 1) FROM w_seen WHERE rest <> '')"    \
	" SELECT change, rival FROM w_seen WHERE rival IS NOT NULL"

/* A change that its command's own text proves is not ambiguous. */
static const char candidates_sql[] =
	"SELECT n.id AS change_id, n.tool_use_id, f.path,"
	" s.uuid AS session_id, c.tool_use_id AS other_tool_use_id,"
	" t.uuid AS other_session_id," CHANGE_AGENT
	" AS other_agent_id," CHANGE_TOOL
	" AS other_tool, nullif(coalesce(o.command, c.command), '')"
	" AS other_command, " CHANGE_TIME " AS other_time," UTC CHANGE_TIME TEXT
	" AS other_time_utc"
	" FROM (WITH w_noted AS (SELECT change, rival, min(own) OVER w AS own,"
	"   max(other) OVER w AS other FROM w_rivals WINDOW w AS"
	"   (PARTITION BY change)),"
	"  w_doubted AS (SELECT change, rival FROM w_noted"
	"   WHERE own <> 2 OR other <> 0)"
	"  SELECT w.change, w.rival FROM w_doubted w"
	"  JOIN t_change c ON c.id = w.change WHERE NOT " IS(OBSERVED)
	"  UNION ALL SELECT w.change, w.rival FROM (" SEEN_RIVALS ") w"
	"  JOIN t_change c ON c.id = w.change WHERE NOT " IS(RECORDED)
	"  OR c.id IN (SELECT change FROM w_doubted)"
	"  OR c.r_run & " SQL(SHARED)
	"   AND c.id NOT IN (SELECT change FROM w_noted)) p"
	" JOIN t_change n ON n.id = p.change JOIN t_change c ON c.id = p.rival"
	" LEFT JOIN t_change o ON o.id = c.command_id"
	" LEFT JOIN t_file f ON f.id = n.file"
	" LEFT JOIN t_session s ON s.id = n.session"
	" LEFT JOIN t_session t ON t.id = c.session"
	" WHERE NOT n.shell & (" SQL(PARSED) " | " SQL(NOBODYS) ")";

static const struct ccfc_view_column commands[] = {
	{ "id", "INTEGER", "a number within this store" },
	{ "tool_use_id", "TEXT", "the id of the shell's call" },
	SESSION_ID,
	PROJECT,
	{ "tool", "TEXT", "the tool: Bash" },
	{ "command", "TEXT", "how it begins, in one line" },
	{ "state", "TEXT",
	  "applied (it ended well), pending, denied, failed, interrupted" },
	{ "files", "INTEGER", "files that it is known to change" },
	{ "unknown", "INTEGER", "1: it may have changed others as well" },
	AGENT_ID,
	MODEL,
	TIME,
	TIME_UTC,
};

/* Unknown as ccfc_index_is_unknown has it. */
static const char commands_sql[] =
	"SELECT c.id, c.tool_use_id,"
	" s.uuid AS session_id, s.project AS project_path," CHANGE_TOOL
	" AS tool, nullif(c.command, '') AS command," STATE_TEXT " AS state,"
	" coalesce(k.files, 0) AS files,"
	" CASE WHEN c.state = " SQL(APPLIED) " THEN " IS(UNSURE)
	"  AND NOT (" ALL_NOTED ") WHEN c.state > " SQL(DENIED) " THEN "
	IS(UNSURE) " OR k.files IS NOT NULL ELSE 0 END AS unknown," CHANGE_AGENT
	" AS agent_id, nullif(c.c_model, '') AS model,"
	" " CHANGE_TIME " AS time," UTC CHANGE_TIME TEXT " AS time_utc"
	" FROM t_change c LEFT JOIN t_session s ON s.id = c.session"
	" LEFT JOIN (SELECT c.command_id AS of, count(*) AS files"
	"  FROM t_change c WHERE " IS(PARSED) " OR " IS(RECORDED)
	"  GROUP BY c.command_id) k ON k.of = c.id"
	" WHERE " IS(COMMAND);

/* clang-format on */
static const struct ccfc_view_column usage[] = {
	{ "id", "INTEGER", "a number within this store" },
	SESSION_ID,
	PROJECT,
	MODEL,
	TIME,
	AGENT_ID,
	TOKENS,
	TIME_UTC,
	{ "cost_usd", "REAL", "as its line records; NULL: it does not" },
};

static const char usage_sql[] =
	"SELECT y.id,"
	" s.uuid AS session_id, s.project AS project_path,"
	" nullif(y.model, '') AS model, y.time," AGENT " AS agent_id,"
	" y.input AS input_tokens, y.output AS output_tokens,"
	" y.cache_write AS cache_creation_input_tokens,"
	" y.cache_read AS cache_read_input_tokens," UTC "y.time" TEXT
	" AS time_utc, nullif(y.cost, 0) / 1e8 AS cost_usd"
	" FROM t_say y" OF_MESSAGE " WHERE NOT y.copy";

static const struct ccfc_view_column costs[] = {
	SESSION_ID,
	PROJECT,
	MODEL,
	TIME,
	{ "since", "INTEGER",
	  "when the client began to count; milliseconds since 1970" },
	{ "cost_usd", "REAL", "since then, as the client recorded" },
	{ "tokens", "INTEGER", "since then, of all kinds" },
	{ "unsure", "INTEGER", "1: the client did not know a price" },
	TIME_UTC,
};

static const char costs_sql[] =
	"SELECT s.uuid AS session_id, s.project AS project_path,"
	" nullif(k.model, '') AS model, k.time, nullif(k.since, 0) AS since,"
	" k.cost / 1e8 AS cost_usd, k.tokens, k.unsure," UTC "k.time" TEXT
	" AS time_utc"
	" FROM t_running_cost k JOIN t_session s ON s.id = k.session";

static const struct ccfc_view_column tools[] = {
	{ "id", "INTEGER", "a number within this store" },
	SESSION_ID,
	PROJECT,
	{ "tool", "TEXT", "the tool: Bash, Edit, Read" },
	MODEL,
	TIME,
	AGENT_ID,
	ERROR,
	TIME_UTC,
};

static const char tools_sql[] =
	"SELECT u.id,"
	" s.uuid AS session_id, s.project AS project_path, u.tool,"
	" nullif(y.model, '') AS model, y.time," AGENT " AS agent_id,"
	" " CALL_FAILED " AS error," UTC "y.time" TEXT " AS time_utc"
	" FROM t_use u JOIN t_say y ON y.id = u.say" OF_MESSAGE
	" WHERE " CALLED;

static const struct ccfc_view_column reads[] = {
	{ "path", "TEXT", "the file's absolute path" },
	SESSION_ID,
	PROJECT,
	{ "tool", "TEXT", "the tool: Read, NotebookRead" },
	TIME,
	AGENT_ID,
	ERROR,
	TIME_UTC,
};

static const char reads_sql[] =
	"SELECT f.path,"
	" s.uuid AS session_id, s.project AS project_path, u.tool, l.time,"
	" " AGENT " AS agent_id, " CALL_FAILED " AS error," UTC "l.time" TEXT
	" AS time_utc"
	" FROM t_look l JOIN t_file f ON f.id = l.file"
	" JOIN t_use u ON u.id = l.use JOIN t_say y ON y.id = u.say" OF_MESSAGE
	" WHERE " CALLED;

static const struct ccfc_view_column conflicts[] = {
	{ "id", "INTEGER", "a number within this store" },
	{ "kind", "TEXT", "concurrent, stale, lost_update" },
	{ "path", "TEXT", "the file's absolute path" },
	SESSION_ID,
	PROJECT,
	{ "tool_use_id", "TEXT", "the id of the change" },
	TIME,
	{ "other_session_id", "TEXT",
	  "the other session's id; NULL: somebody outside" },
	{ "other_tool_use_id", "TEXT",
	  "the id of the other session's earlier change" },
	{ "outside_time", "INTEGER",
	  "when somebody outside changed the file; milliseconds since 1970" },
	TIME_UTC,
};

static const char conflicts_sql[] =
	"SELECT n.id, CASE n.kind" CCFC_CONFLICT_LIST(
		WHEN) " END AS kind,"
		      " f.path, s.uuid AS session_id, s.project AS "
		      "project_path,"
		      " c.tool_use_id, " CHANGE_TIME
		      " AS time, t.uuid AS other_session_id,"
		      " o.tool_use_id AS other_tool_use_id,"
		      " NULLIF(n.outside, 0) AS outside_time," UTC CHANGE_TIME
			      TEXT " AS time_utc"
		      " FROM t_conflict n JOIN t_file f ON f.id = n.file"
		      " JOIN t_change c ON c.id = n.change LEFT JOIN t_change "
		      "o ON o.id = n.other"
		      " JOIN t_session s ON s.id = n.session"
		      " LEFT JOIN t_session t ON t.id = n.other_session"
		      " WHERE n.kind >= " SQL(CONCURRENT);

const struct ccfc_view ccfc_view_parts[CCFC_VIEW_PARTS] = {
	{ "w_rivals", "", CCFC_SQL_RIVALS, NULL, 0 },
};

#define VIEW(name, about)                                                      \
	{                                                                      \
#name, about, name##_sql, name, sizeof(name) / sizeof(*name)   \
	}

const struct ccfc_view ccfc_views[CCFC_VIEWS] = {
	VIEW(sessions, "a row for each session"),
	VIEW(files, "a row for each file that a session changed"),
	VIEW(changes, "a row for each change to a file, in whatever state"),
	VIEW(candidates, "a row for each other call that may have made an "
			 "ambiguous change"),
	VIEW(commands,
	     "a row for each command of a shell, but those that surely "
	     "change no file"),
	VIEW(usage, "a row for each message of a model, and its tokens"),
	VIEW(costs,
	     "a row for each model in a running total of a session's cost; "
	     "a total goes on when its session is resumed or forked"),
	VIEW(tools, "a row for each call of a tool"),
	VIEW(reads, "a row for each file that a call looked at"),
	VIEW(conflicts, "a row for each conflict, of two sessions or with "
			"somebody outside"),
};
