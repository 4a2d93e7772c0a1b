/*
 * The views; see views.h. Times are milliseconds since 1970 in UTC, NULL where
 * not known; columns that end in _utc say the same as RFC 3339 text. An agent
 * that has no name of its own is 'sidechain'.
 */
#include "store/sql/views.h"

/* UTC and TEXT around a time make it text. */
#define UTC  " strftime('%Y-%m-%dT%H:%M:%fZ', ("
#define TEXT ") / 1000.0, 'unixepoch')"

/* Of a say's row y: its session s, and who of it said so. */
#define OF_MESSAGE                                                             \
	" JOIN t_part p ON p.id = y.part"                                      \
	" JOIN t_session s ON s.id = p.session"                                \
	" JOIN t_source r ON r.id = p.source"
#define AGENT                                                                  \
	" CASE y.agent WHEN 1 THEN"                                            \
	" coalesce(nullif(r.agent, ''), 'sidechain') END"
#define CHANGE_TIME "CASE c.c_known WHEN 1 THEN c.c_time ELSE c.r_time END"
#define FIRST	    "min(" CHANGE_TIME ")"
#define LAST	    "max(" CHANGE_TIME ")"
/* Lines as ccfc_index_lines has them. */
#define BY_RESULT                                                              \
	" CASE WHEN c.state IN (1, 2) AND c.r_detail AND NOT c.several THEN "
#define BY_CALL " WHEN c.state IN (1, 2) THEN "
#define BY_NONE " WHEN c.state IN (3, 4) THEN 0 END"
#define ADDED                                                                  \
	BY_RESULT "nullif(c.r_added, -1)" BY_CALL                              \
		  "nullif(c.c_added, -1)" BY_NONE
/* A file that was made had no lines to lose. */
#define REMOVED                                                                \
	BY_RESULT "nullif(c.r_removed, -1)" BY_CALL                            \
		  "CASE c.r_op WHEN 1 THEN 0"                                  \
		  " ELSE nullif(c.c_removed, -1) END" BY_NONE

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
 * Of several transcripts that name a session its own counts, then the one
 * that was written last, as in index/title.c: the greatest of this and the
 * title behind it.
 */
#define WHOSE                                                                  \
	" (NOT r.is_agent AND r.session = p.session) ||"                       \
	" substr('0000000000000000' || coalesce(p.time, 0), -16)"

static const char sessions_sql[] =
	"SELECT s.id, s.uuid AS session_id,"
	" s.project AS project_path, s.branch AS git_branch, s.model,"
	" s.start, s.end,"
	" coalesce(c.changes, 0) AS changes,"
	" coalesce(nullif(p.custom, ''), nullif(p.ai, ''),"
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
	"  FROM t_change c WHERE c.state = 1"
	"  GROUP BY c.session) c ON c.session = s.id"
	" LEFT JOIN (SELECT p.session AS session,"
	"  substr(max(CASE WHEN p.custom <> '' THEN" WHOSE
	"   || p.custom END), 18) AS custom,"
	"  substr(max(CASE WHEN p.ai <> '' THEN" WHOSE
	"   || p.ai END), 18) AS ai,"
	"  sum((p.user + p.assistant) * (p.gen = r.gen)) AS messages,"
	"  sum((p.agent_user + p.agent_assistant) * (p.gen = r.gen))"
	"   AS agent_messages"
	"  FROM t_part p JOIN t_source r ON r.id = p.source"
	"  GROUP BY p.session) p ON p.session = s.id"
	" LEFT JOIN (SELECT p.session AS session, sum(y.input) AS input,"
	"  sum(y.output) AS output, sum(y.cache_write) AS cache_write,"
	"  sum(y.cache_read) AS cache_read"
	"  FROM t_say y JOIN t_part p ON p.id = y.part WHERE NOT y.copy"
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
	" WHERE c.state = 1 GROUP BY f.id";

static const struct ccfc_view_column changes[] = {
	{ "id", "INTEGER", "a number within this store" },
	{ "tool_use_id", "TEXT", "the id of the tool's call" },
	{ "path", "TEXT", "the file's absolute path" },
	SESSION_ID,
	PROJECT,
	{ "tool", "TEXT", "the tool: Edit, Write" },
	{ "state", "TEXT",
	  "applied, pending, staged, denied, failed, interrupted" },
	{ "operation", "TEXT", "created, modified, deleted" },
	AGENT_ID,
	MODEL,
	TIME,
	{ "lines_added", "INTEGER", "lines that it added" },
	{ "lines_removed", "INTEGER", "lines that it took away" },
	TIME_UTC,
};

static const char changes_sql[] =
	"SELECT c.id, c.tool_use_id,"
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
	" " CHANGE_TIME " AS time," ADDED " AS lines_added," REMOVED
	" AS lines_removed," UTC CHANGE_TIME TEXT " AS time_utc"
	" FROM t_change c LEFT JOIN t_file f ON f.id = c.file"
	" LEFT JOIN t_session s ON s.id = c.session";

static const struct ccfc_view_column usage[] = {
	{ "id", "INTEGER", "a number within this store" },
	SESSION_ID,
	PROJECT,
	MODEL,
	TIME,
	AGENT_ID,
	TOKENS,
	TIME_UTC,
};

static const char usage_sql[] =
	"SELECT y.id,"
	" s.uuid AS session_id, s.project AS project_path,"
	" nullif(y.model, '') AS model, y.time," AGENT " AS agent_id,"
	" y.input AS input_tokens, y.output AS output_tokens,"
	" y.cache_write AS cache_creation_input_tokens,"
	" y.cache_read AS cache_read_input_tokens," UTC "y.time" TEXT
	" AS time_utc"
	" FROM t_say y" OF_MESSAGE " WHERE NOT y.copy";

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
	" (u.flags & 24) = 16 AS error," UTC "y.time" TEXT " AS time_utc"
	" FROM t_use u JOIN t_say y ON y.id = u.say" OF_MESSAGE
	" WHERE u.flags & 1";

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
	" " AGENT " AS agent_id, (u.flags & 24) = 16 AS error," UTC
	"l.time" TEXT " AS time_utc"
	" FROM t_look l JOIN t_file f ON f.id = l.file"
	" JOIN t_use u ON u.id = l.use JOIN t_say y ON y.id = u.say" OF_MESSAGE
	" WHERE u.flags & 1";

#define VIEW(name, about)                                                      \
	{                                                                      \
#name, about, name##_sql, name, sizeof(name) / sizeof(*name)   \
	}

const struct ccfc_view ccfc_views[CCFC_VIEWS] = {
	VIEW(sessions, "a row for each session"),
	VIEW(files, "a row for each file that a session changed"),
	VIEW(changes, "a row for each change to a file, in whatever state"),
	VIEW(usage, "a row for each message of a model, and its tokens"),
	VIEW(tools, "a row for each call of a tool"),
	VIEW(reads, "a row for each file that a call looked at"),
};
