/*
 * session.list, session.reads, file.readers and stats.get over the story and
 * a fourth session, D: a message in two lines, an agent's, reads, an error.
 */
#include "story.h"

#define SESSION_D "dddddddd-0000-4000-8000-000000000004"

/* A line of D on a day of December; `more` begins with its type. */
#define D(day, time, more)                                                     \
	HEAD(SESSION_D, "/p/sub", "topic", "2025-12-" day "T" time ".000Z")    \
	more "\n"

#define SAYS(uuid, id, model, out, block)                                      \
	"`type`:`assistant`,`uuid`:`" uuid "`,`message`:{`id`:`" id            \
	"`,`role`:`assistant`,`model`:`" model                                 \
	"`,`usage`:{`input_tokens`:10,`output_tokens`:" out                    \
	",`cache_creation_input_tokens`:3,`cache_read_input_tokens`:4},"       \
	"`content`:[" block "]}}"

#define USE(id, tool, input)                                                   \
	"{`type`:`tool_use`,`id`:`" id "`,`name`:`" tool "`,`input`:" input "}"

#define SAID(uuid, id, error)                                                  \
	"`type`:`user`,`uuid`:`" uuid "`,`message`:{`role`:`user`,"            \
	"`content`:[{`type`:`tool_result`,`tool_use_id`:`" id                  \
	"`,`content`:`x`,`is_error`:" error "}]}}"

static const char story_d[] = D(
	"14", "23:59:00",
	"`type`:`user`,`uuid`:`d1`,`message`:{`role`:`user`,"
	"`content`:`look around`}}") D("14", "23:59:30",
				       SAYS("d2", "md1", "sonnet", "1",
					    "{`type`:`text`,`text`:`hm`}"))
	D("14", "23:59:40",
	  SAYS("d3", "md1", "sonnet", "20",
	       USE("r1", "Read", "{`file_path`:`/p/src/a.ts`}")))
		D("14", "23:59:41", SAID("d4", "r1", "false")) D(
			"15", "00:00:10",
			SAYS("d5", "md2", "sonnet", "30",
			     USE("r2", "Read", "{`file_path`:`/p/none`}")))
			D("15", "00:00:11", SAID("d6", "r2", "true"))
				D("15", "00:00:20",
				  "`isSidechain`:true," SAYS(
					  "d7", "md3", "haiku", "100",
					  USE("r3", "Read",
					      "{`file_path`:`/p/src/a.ts`}")))
					D("15", "00:00:21",
					  "`isSidechain`:true," SAID("d8", "r3",
								     "false"));

static int setup(void **state)
{
	story_setup(state);
	story_tell(*state, SESSION_D, story_d);
	return 0;
}

static void expect_error(struct world *w, const char *method,
			 const char *options, int code, const char *what)
{
	world_call(w, method, options);
	assert_true(w->reply.failed);
	assert_int_equal(w->reply.error.code, code);
	assert_string_equal(w->reply.error.what, what);
}

/* --- session.list --- */

/* The first characters of the ids that a list has, in its order. */
static void expect_ids(struct world *w, const char *options, const char *want)
{
	struct ccfc_obj o = world_get(w, "session.list", options);
	struct ccfc_obj list = ccfc_obj_get(o, "sessions");
	char got[16] = "";
	uint32_t n = ccfc_obj_len(list);

	for (uint32_t i = 0; i < n && i < 15; i++)
		got[i] = ccfc_obj_str(ccfc_obj_get(ccfc_obj_at(list, i), "id"))
				 .ptr[4];
	assert_string_equal(got, want);
}

static void test_summary(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o = world_get(w, "session.list", "branch=topic");
	char path[200], size[32];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s.jsonl", w->dir, SESSION_D);
	assert_int_equal(stat(path, &st), 0);
	snprintf(size, sizeof(size), "%lld", (long long)st.st_size);
	CHECK(o, { "totalSessions", "1" }, { "sessions", "[1]" },
	      { "clock", "1:8" });
	o = at(o, "sessions/0");
	CHECK(o, { "id", SESSION_D }, { "sessionId", SESSION_D },
	      { "title", "look around" }, { "titleFrom", "prompt" },
	      { "projectPath", "/p/sub" }, { "projectName", "sub" },
	      { "cwd", "/p/sub" }, { "gitBranch", "topic" },
	      { "gitBranches", "[1]" }, { "model", "sonnet" },
	      { "models", "[2]" }, { "startTime", "2025-12-14T23:59:00.000Z" },
	      { "endTime", "2025-12-15T00:00:21.000Z" },
	      { "createdAt", "2025-12-14T23:59:00.000Z" },
	      { "updatedAt", "2025-12-15T00:00:21.000Z" },
	      { "durationSeconds", "81" }, { "filePath", path },
	      { "fileSizeBytes", size }, { "totalBytes", size },
	      { "source", "present" }, { "status", "failed" });
	CHECK(o, { "messageCount", "6" }, { "toolCount", "2" },
	      { "errorCount", "1" }, { "filesModifiedCount", "0" },
	      { "filesReadCount", "1" }, { "totalChanges", "0" },
	      { "lastChange", "nil" }, { "tokenUsage/input", "30" },
	      { "tokenUsage/output", "150" }, { "tokenUsage/cacheRead", "12" },
	      { "tokenUsage/cacheWrite", "9" }, { "agents/count", "0" },
	      { "agents/messageCount", "2" }, { "agents/toolCount", "1" },
	      { "agents/errorCount", "0" },
	      { "agents/tokenUsage/output", "100" });
}

/* A transcript that is gone: what was last known of it. */
static void test_gone(void **state)
{
	struct world *w = *state;
	struct ccfc_index *index = w->service.index;
	char path[200];
	struct ccfc_obj o;

	snprintf(path, sizeof(path), "%s/%s.jsonl", w->dir, SESSION_C);
	assert_int_equal(unlink(path), 0);
	ccfc_index_source_gone(
		index, ccfc_index_source_find(index, ccfc_slice_str(path)),
		true);
	o = world_get(w, "session.list", "projectPath=/q");
	CHECK(o, { "sessions/0/id", SESSION_C },
	      { "sessions/0/filePath", path }, { "sessions/0/source", "gone" },
	      { "sessions/0/totalChanges", "1" },
	      { "sessions/0/lastChange", "2025-12-13T10:00:01.000Z" });
	assert_true(ccfc_obj_get_int(at(o, "sessions/0"), "fileSizeBytes", 0) >
		    0);
}

/* a: SESSION_A, b: B, c: C, d: D, by the fifth character of their ids. */
static void test_filters(void **state)
{
	struct world *w = *state;

	expect_ids(w, NULL, "dcba");
	expect_ids(w, "projectPath=/p", "dba");
	expect_ids(w, "projectPath=sub;cwd=/p", "d");
	expect_ids(w, "branch=dev", "cb");
	expect_ids(w, "model=opus", "cba");
	expect_ids(w, "model=onne", "d");
	expect_ids(w, "status=completed", "cba");
	expect_ids(w, "status=failed;model=haiku", "d");
	expect_ids(w, "fromDate=2025-12-13T10:00:02Z", "dc");
	expect_ids(w, "toDate=2025-12-12T10:00:00Z", "ba");
	expect_ids(w, "fromDate=2025-12-15T00:00:00Z", "d");
	expect_ids(w, "touched=/p/src/a.ts", "ba");
	expect_ids(w, "touched=src;cwd=/p", "ba");
	expect_ids(w, "touched=**/*.ts", "cba");
	expect_ids(w, "touched=*/bin;cwd=/p", "a");
}

static void test_orders(void **state)
{
	struct world *w = *state;

	expect_ids(w, "sort=recent", "dcba");
	expect_ids(w, "sort=changes", "acbd");
	expect_ids(w, "sort=tokens", "dcba");
	expect_ids(w, "sort=duration", "dabc");
	expect_ids(w, "sort=changes;limit:2", "ac");
	expect_ids(w, "sort=changes;limit:2;offset:1", "cb");
	expect_ids(w, "offset:3", "a");
	CHECK(world_get(w, "session.list", "limit:1"), { "totalSessions", "4" },
	      { "sessions", "[1]" });
}

static void test_refusals(void **state)
{
	struct world *w = *state;

	expect_error(w, "session.list", "sort=size", CCFC_EINVAL,
		     "session.list: option 'sort' must be one of 'recent', "
		     "'changes', 'tokens', 'duration'");
	expect_error(w, "session.list", "status=done", CCFC_EINVAL,
		     "session.list: option 'status' must be one of 'waiting', "
		     "'active', 'failed', 'completed'");
	expect_error(w, "session.list", "touched=a.c", CCFC_EINVAL,
		     "session.list: option 'touched' is a relative path");
	expect_error(w, "session.list", "touched=*.c", CCFC_EINVAL,
		     "session.list: option 'touched' is a relative path");
	expect_error(w, "session.list", "branch=none", CCFC_ENOTFOUND,
		     "none of the 4 sessions matches");
	expect_error(w, "session.list", "touched=/p/src/b.ts", CCFC_ENOTFOUND,
		     "none of the 4 sessions matches");
	expect_error(w, "session.list", "offset:4", CCFC_ENOTFOUND,
		     "session.list: offset 4: there are only 4 sessions");
	expect_error(w, "stats.get", "by=year", CCFC_EINVAL,
		     "stats.get: option 'by' must be one of 'day', 'week', "
		     "'month', 'hour', 'block', 'session', 'agent', 'project', "
		     "'model', 'tool', 'file', 'ext'");
	expect_error(w, "stats.get", "projectPath=/none", CCFC_ENOTFOUND,
		     "no session was active in that period");
	expect_error(w, "stats.get", "by=model;offset:9", CCFC_ENOTFOUND,
		     "stats.get: offset 9: there are only 3 rows");
	expect_error(w, "file.readers", "path=/p/none", CCFC_ENOTFOUND,
		     "/p/none: no session read it");
}

static void test_nothing(void **state)
{
	struct world *w = world_new();

	(void)state;
	expect_error(w, "session.list", NULL, CCFC_ENOTFOUND,
		     "no sessions are known");
	expect_error(w, "stats.get", NULL, CCFC_ENOTFOUND,
		     "no session was active in that period");
	world_free(w);
}

/* --- reads --- */

static void test_reads(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o = world_get(w, "session.reads", "session=dddd");

	CHECK(o, { "sessionId", SESSION_D }, { "totalFiles", "1" },
	      { "totalReads", "2" }, { "files", "[1]" },
	      { "files/0/path", "/p/src/a.ts" }, { "files/0/readCount", "2" },
	      { "files/0/firstRead", "2025-12-14T23:59:40.000Z" },
	      { "files/0/lastRead", "2025-12-15T00:00:20.000Z" },
	      { "files/0/modified", "false" });
	CHECK(world_get(w, "session.reads", "session=dddd;offset:1"),
	      { "totalFiles", "1" }, { "files", "[0]" });
	CHECK(world_get(w, "session.reads", "session=cccc"),
	      { "totalFiles", "0" }, { "totalReads", "0" });
	story_tell(w, SESSION_A,
		   A("20") SAYS("a9", "ma9", "opus", "1",
				USE("r9", "Read",
				    "{`file_path`:`src/a.ts`}")) "\n" A("21")
			   SAID("a10", "r9", "false") "\n");
	CHECK(world_get(w, "session.reads", "session=aaaaaaaa"),
	      { "files/0/path", "/p/src/a.ts" },
	      { "files/0/modified", "true" });
}

static void test_readers(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o;

	story_tell(w, SESSION_A,
		   A("20") SAYS("a9", "ma9", "opus", "1",
				USE("r9", "Read",
				    "{`file_path`:`src/a.ts`}")) "\n" A("21")
			   SAID("a10", "r9", "false") "\n");
	o = world_get(w, "file.readers", "path=src/a.ts;cwd=/p");
	CHECK(o, { "path", "/p/src/a.ts" }, { "totalSessions", "2" },
	      { "totalReads", "3" }, { "sessions", "[2]" },
	      { "truncated", "false" }, { "sessions/0/sessionId", SESSION_D },
	      { "sessions/0/projectPath", "/p/sub" },
	      { "sessions/0/gitBranch", "topic" },
	      { "sessions/0/title", "look around" },
	      { "sessions/0/readCount", "2" },
	      { "sessions/0/firstRead", "2025-12-14T23:59:40.000Z" },
	      { "sessions/0/lastRead", "2025-12-15T00:00:20.000Z" },
	      { "sessions/0/changeCount", "0" },
	      { "sessions/1/sessionId", SESSION_A },
	      { "sessions/1/readCount", "1" },
	      { "sessions/1/changeCount", "2" });
	o = world_get(w, "file.readers",
		      "path=/x;alternatives[/y,/p/src/a.ts;limit:1;"
		      "fromDate=2025-12-15T00:00:00Z");
	CHECK(o, { "path", "/p/src/a.ts" }, { "totalSessions", "1" },
	      { "totalReads", "1" }, { "sessions/0/readCount", "1" });
	o = world_get(w, "file.readers",
		      "path=/p/src/a.ts;limit:1;offset:1;projectPath=/p");
	CHECK(o, { "totalSessions", "2" }, { "sessions", "[1]" },
	      { "sessions/0/sessionId", SESSION_A }, { "truncated", "false" });
}

/* --- stats.get --- */

static void test_totals(void **state)
{
	struct ccfc_obj o = world_get(*state, "stats.get", NULL);

	CHECK(o, { "period/from", "2025-12-10T10:00:00.000Z" },
	      { "period/to", "2025-12-15T00:00:21.000Z" },
	      { "totals/sessions", "4" }, { "totals/messages", "11" },
	      { "totals/changes", "7" }, { "totals/filesChanged", "5" },
	      { "totals/toolCalls", "11" }, { "totals/errors", "2" },
	      { "totals/tokenUsage/output", "150" },
	      { "totals/agents/tokenUsage/output", "100" },
	      { "totals/agents/toolCalls", "1" }, { "by", "day" },
	      { "totalRows", "5" }, { "rows", "[5]" }, { "days", "[5]" });
	CHECK(o, { "rows/0/key", "2025-12-10" }, { "rows/0/sessions", "1" },
	      { "rows/0/messages", "6" }, { "rows/0/changes", "5" },
	      { "rows/0/filesChanged", "4" }, { "rows/0/toolCalls", "6" },
	      { "rows/0/errors", "1" }, { "rows/3/key", "2025-12-14" },
	      { "rows/3/messages", "1" }, { "rows/3/tokenUsage/output", "20" },
	      { "rows/4/key", "2025-12-15" },
	      { "rows/4/tokenUsage/output", "130" },
	      { "rows/4/tokenUsage/input", "20" }, { "rows/4/errors", "1" },
	      { "rows/4/linesAdded", "nil" });
	CHECK(o, { "tools/0/name", "Edit" }, { "tools/0/count", "4" },
	      { "tools/0/errors", "1" }, { "tools/1/name", "Read" },
	      { "tools/1/count", "3" }, { "tools/1/errors", "1" },
	      { "tools", "[4]" }, { "files", "[5]" },
	      { "files/0/path", "/p/src/a.ts" }, { "files/0/changes", "3" },
	      { "files/0/sessions", "2" }, { "days/3/day", "2025-12-14" },
	      { "days/3/changes", "0" }, { "days/3/tokens", "37" },
	      { "days/0/changes", "5" });
}

static void test_rows(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o = world_get(w, "stats.get", "by=model");

	CHECK(o, { "by", "model" }, { "rows", "[3]" },
	      { "rows/0/key", "haiku" }, { "rows/0/messages", "1" },
	      { "rows/0/tokenUsage/output", "100" }, { "rows/1/key", "sonnet" },
	      { "rows/1/messages", "2" }, { "rows/1/tokenUsage/output", "50" },
	      { "rows/2/key", "opus" }, { "rows/2/sessions", "3" },
	      { "rows/2/changes", "7" });
	o = world_get(w, "stats.get", "by=project");
	CHECK(o, { "rows", "[3]" }, { "rows/0/key", "/p" },
	      { "rows/0/sessions", "2" }, { "rows/0/changes", "6" },
	      { "rows/0/filesChanged", "4" }, { "rows/1/key", "/q" },
	      { "rows/2/key", "/p/sub" }, { "rows/2/messages", "3" });
	o = world_get(w, "stats.get", "by=tool");
	CHECK(o, { "rows/0/key", "Edit" }, { "rows/0/toolCalls", "4" },
	      { "rows/0/changes", "3" }, { "rows/0/sessions", "3" },
	      { "rows/0/messages", "(none)" },
	      { "rows/0/tokenUsage", "(none)" }, { "rows/1/key", "Read" },
	      { "rows/1/changes", "0" }, { "rows/1/errors", "1" });
	o = world_get(w, "stats.get", "by=file;limit:1;offset:1");
	CHECK(o, { "totalRows", "5" }, { "rows", "[1]" },
	      { "rows/0/key", "/elsewhere/long.txt" },
	      { "rows/0/sessions", "1" }, { "rows/0/linesAdded", "1" },
	      { "rows/0/filesChanged", "(none)" },
	      { "rows/0/toolCalls", "(none)" }, { "rows/0/errors", "(none)" });
	o = world_get(w, "stats.get", "by=ext");
	CHECK(o, { "rows", "[4]" }, { "rows/0/key", ".ts" },
	      { "rows/0/changes", "4" }, { "rows/0/filesChanged", "2" },
	      { "rows/0/sessions", "3" }, { "rows/1/key", "" });
}

/* What is counted of a period, a session, a project. */
static void test_period(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o = world_get(w, "stats.get",
				      "fromDate=2025-12-10T10:00:04Z;"
				      "toDate=2025-12-15T00:00:00Z");

	CHECK(o, { "period/from", "2025-12-10T10:00:04.000Z" },
	      { "period/to", "2025-12-15T00:00:00.000Z" },
	      { "totals/sessions", "4" }, { "totals/messages", "7" },
	      { "totals/changes", "5" }, { "totals/toolCalls", "7" },
	      { "totals/tokenUsage/output", "20" },
	      { "totals/agents/toolCalls", "0" });
	o = world_get(w, "stats.get", "session=aaaab;by=file");
	CHECK(o, { "totals/sessions", "1" }, { "totals/changes", "1" },
	      { "rows", "[1]" }, { "rows/0/key", "/p/src/a.ts" });
	o = world_get(w, "stats.get", "projectPath=/p/sub");
	CHECK(o, { "totals/sessions", "1" }, { "totals/changes", "0" },
	      { "totals/linesAdded", "nil" }, { "totals/messages", "3" },
	      { "files", "[0]" }, { "tools", "[1]" });
	/* Nothing of A but its end. */
	o = world_get(w, "stats.get",
		      "fromDate=2025-12-10T10:00:12Z;"
		      "toDate=2025-12-10T11:00:00Z");
	CHECK(o, { "totals/sessions", "1" }, { "totals/messages", "0" },
	      { "rows/0/key", "2025-12-10" }, { "rows/0/sessions", "1" });
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, story_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_summary),
		TEST(test_gone),
		TEST(test_filters),
		TEST(test_orders),
		TEST(test_refusals),
		TEST(test_reads),
		TEST(test_readers),
		TEST(test_totals),
		TEST(test_rows),
		TEST(test_period),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
