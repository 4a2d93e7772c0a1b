/* The methods' replies, field by field, over a small story. */
#include "story.h"

static void test_session_files(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o = world_get(w, "session.files", "session=aaaaaaaa");

	CHECK(o, { "sessionId", SESSION_A }, { "projectPath", "/p" },
	      { "gitBranch", "main" }, { "gitBranches", "[1]" },
	      { "gitBranches/0", "main" }, { "model", "opus" },
	      { "models", "[1]" },
	      { "sessionStart", "2025-12-10T10:00:00.000Z" },
	      { "sessionEnd", "2025-12-10T10:00:12.000Z" },
	      { "totalFilesChanged", "4" }, { "totalChanges", "5" },
	      { "source", "present" }, { "files", "[4]" },
	      { "indexing", "(none)" }, { "byExtension/.ts", "1" },
	      { "byExtension/.md", "1" }, { "byExtension", "[4]" });
	CHECK(o, { "files/0/path", "/p/README.md" },
	      { "files/0/operation", "created" },
	      { "files/0/changeCount", "1" },
	      { "files/0/firstModified", "2025-12-10T10:00:01.000Z" },
	      { "files/0/lastModified", "2025-12-10T10:00:01.000Z" },
	      { "files/0/toolsUsed/0", "Write" }, { "files/0/linesAdded", "2" },
	      { "files/0/linesRemoved", "0" }, { "files/0/version", "(none)" },
	      { "files/1/path", "/p/src/a.ts" },
	      { "files/1/operation", "modified" },
	      { "files/1/changeCount", "2" }, { "files/1/toolsUsed", "[2]" },
	      { "files/1/toolsUsed/1", "MultiEdit" },
	      { "files/1/linesAdded", "2" }, { "files/1/linesRemoved", "2" },
	      { "files/3/path", "/elsewhere/long.txt" });
	CHECK(o, { "files/1/changes/0/changeId", "t2" },
	      { "files/1/changes/0/tool", "Edit" },
	      { "files/1/changes/0/timestamp", "2025-12-10T10:00:03.000Z" },
	      { "files/1/changes/0/toolUseId", "t2" },
	      { "files/1/changes/0/messageUuid",
		"00000000-0000-4000-8000-000000000002" },
	      { "files/1/changes/0/state", "applied" },
	      { "files/1/changes/0/operation", "modified" },
	      { "files/1/changes/0/sessionId", SESSION_A },
	      { "files/1/changes/0/agentId", "nil" },
	      { "files/1/changes/0/isSidechain", "false" },
	      { "files/1/changes/0/model", "opus" },
	      { "files/1/changes/0/linesAdded", "1" },
	      { "files/1/changes/0/linesRemoved", "1" },
	      { "files/1/changes/0/source", "present" },
	      { "files/1/changes/0/newContent", "(none)" },
	      { "files/1/changes/0/contentUnavailable", "(none)" });
	assert_int_equal(w->refreshed, 1);
	assert_int_equal(w->finished, 1);
}

static void test_directories(void **state)
{
	struct ccfc_obj o = world_get(*state, "session.files",
				      "session=" SESSION_A ";states[all");

	/* Keys with slashes need a direct look. */
	o = ccfc_obj_get(o, "byDirectory");
	assert_int_equal(ccfc_obj_len(o), 3);
	assert_int_equal(ccfc_obj_get_int(o, "./", 0), 1);
	assert_int_equal(ccfc_obj_get_int(o, "src/", 0), 3);
	assert_int_equal(ccfc_obj_get_int(o, "/elsewhere/", 0), 1);
}

static void test_session_files_filters(void **state)
{
	static const struct {
		const char *options, *files, *total, *first;
	} cases[] = {
		{ "extensions[.ts", "[1]", "1", "/p/src/a.ts" },
		{ "extensions[ts,md", "[2]", "2", "/p/README.md" },
		{ "extensions[", "[4]", "4", "/p/README.md" },
		{ "directories[src", "[2]", "2", "/p/src/a.ts" },
		{ "directories[src/../src/", "[2]", "2", "/p/src/a.ts" },
		{ "directories[/elsewhere", "[1]", "1", "/elsewhere/long.txt" },
		{ "tools[MultiEdit", "[1]", "1", "/p/src/a.ts" },
		{ "tools[Nothing", "[0]", "0", "(none)" },
		{ "states[failed", "[1]", "1", "/p/src/b.ts" },
		{ "states[applied,failed", "[5]", "5", "/p/README.md" },
		{ "states[all", "[5]", "5", "/p/README.md" },
		{ "states[", "[4]", "4", "/p/README.md" },
		{ "limit:1", "[1]", "4", "/p/README.md" },
		{ "limit:2.0;offset:1", "[2]", "4", "/p/src/a.ts" },
		{ "offset:100", "[0]", "4", "(none)" },
		{ "limit:nil", "[4]", "4", "/p/README.md" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char options[200];
		struct ccfc_obj o;

		snprintf(options, sizeof(options), "session=" SESSION_A ";%s",
			 cases[i].options);
		o = world_get(w, "session.files", options);
		CHECK(o, { "files", cases[i].files },
		      { "totalFilesChanged", cases[i].total },
		      { "files/0/path", cases[i].first });
	}
}

static void test_session_names(void **state)
{
	struct world *w = *state;
	char path[200];

	world_call(w, "session.files", "session=aaaa");
	assert_int_equal(w->reply.error.code, CCFC_EAMBIGUOUS);
	assert_non_null(strstr(w->reply.error.hint, SESSION_A));
	assert_non_null(strstr(w->reply.error.hint, SESSION_B));
	world_call(w, "session.files", "session=zzz");
	assert_int_equal(w->reply.error.code, CCFC_ENOTFOUND);
	snprintf(path, sizeof(path), "session=%s/%s.jsonl", w->dir, SESSION_B);
	CHECK(world_get(w, "session.files", path), { "sessionId", SESSION_B });
}

static void test_file_changes(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o = world_get(w, "session.file_changes",
				      "session=aaaaaaaa;path=/p/src/a.ts");

	assert_int_equal(ccfc_obj_type(o), CCFC_OBJ_ARRAY);
	assert_int_equal(ccfc_obj_len(o), 2);
	CHECK(o, { "0/changeId", "t2" }, { "0/oldContent", "x" },
	      { "0/newContent", "y\xc3\xbc" }, { "0/edits", "(none)" },
	      { "0/truncated", "(none)" }, { "1/edits", "[2]" },
	      { "1/oldContent", "(none)" }, { "1/edits/0/oldContent", "1" },
	      { "1/edits/1/newContent", "4" });
	o = world_get(w, "session.file_changes",
		      "session=aaaaaaaa;path=README.md");
	CHECK(o, { "0/newContent", "one\ntwo\n" },
	      { "0/oldContent", "(none)" });
	o = world_get(w, "session.file_changes",
		      "session=aaaaaaaa;path=a.ts;cwd=/p/src;"
		      "includeContent:false");
	CHECK(o, { "0/newContent", "(none)" }, { "1/changeId", "t3" });
	o = world_get(w, "session.file_changes",
		      "session=aaaaaaaa;path=/p/src/bin");
	CHECK(o, { "0/binary", "true" }, { "0/newContent", "(none)" });
	o = world_get(w, "session.file_changes",
		      "session=aaaaaaaa;path=src/b.ts;states[failed");
	CHECK(o, { "0/state", "failed" }, { "0/oldContent", "nope" });
	world_call(w, "session.file_changes", "session=aaaaaaaa;path=/p/none");
	assert_int_equal(w->reply.error.code, CCFC_ENOTFOUND);
}

static void test_content_limits(void **state)
{
	static const struct {
		const char *max, *text, *cut;
	} cases[] = {
		{ "0", "", "true" },
		{ "2", "ab", "true" },
		{ "3", "ab", "true" },
		{ "4", "ab\xc3\xbc", "true" },
		{ "9",
		  "ab\xc3\xbc"
		  "cdefg",
		  "true" },
		{ "10",
		  "ab\xc3\xbc"
		  "cdefgh",
		  "(none)" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char options[200];

		snprintf(options, sizeof(options),
			 "session=aaaaaaaa;path=/elsewhere/long.txt;"
			 "maxContent:%s",
			 cases[i].max);
		CHECK(world_get(w, "session.file_changes", options),
		      { "0/newContent", cases[i].text },
		      { "0/truncated", cases[i].cut });
	}
}

static void test_content_gone(void **state)
{
	struct world *w = *state;
	char path[200];
	struct ccfc_obj o;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.jsonl", w->dir, SESSION_A);
	fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, "@@@@@@@@", 8, 800), 8);
	assert_int_equal(ftruncate(fd, 1200), 0);
	close(fd);
	o = world_get(w, "session.file_changes",
		      "session=aaaaaaaa;path=/p/src/a.ts");
	CHECK(o, { "0/newContent", "(none)" },
	      { "1/contentUnavailable", "the transcript is gone" });
	unlink(path);
	ccfc_index_source_gone(w->service.index, 0, true);
	o = world_get(w, "session.files",
		      "session=aaaaaaaa;includeContent:true");
	CHECK(o, { "source", "gone" }, { "files/0/changes/0/source", "gone" },
	      { "files/0/changes/0/contentUnavailable",
		"the transcript is gone" });
}

static void test_file_sessions(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o = world_get(w, "file.sessions", "path=/p/src/a.ts");

	CHECK(o, { "path", "/p/src/a.ts" }, { "totalSessions", "2" },
	      { "totalChanges", "3" }, { "truncated", "false" },
	      { "firstModified", "2025-12-10T10:00:03.000Z" },
	      { "lastModified", "2025-12-12T10:00:01.000Z" },
	      { "sessions", "[2]" }, { "sessions/0/sessionId", SESSION_B },
	      { "sessions/0/projectPath", "/p" },
	      { "sessions/0/gitBranch", "dev" }, { "sessions/0/model", "opus" },
	      { "sessions/0/changeCount", "1" },
	      { "sessions/0/firstChange", "2025-12-12T10:00:01.000Z" },
	      { "sessions/0/lastChange", "2025-12-12T10:00:01.000Z" },
	      { "sessions/0/toolsUsed/0", "Edit" },
	      { "sessions/0/source", "present" },
	      { "sessions/0/changes/0/changeId", "t7" },
	      { "sessions/1/sessionId", SESSION_A },
	      { "sessions/1/changeCount", "2" },
	      { "sessions/1/linesAdded", "2" });
}

static void test_file_sessions_options(void **state)
{
	static const struct {
		const char *options, *sessions, *total, *truncated;
	} cases[] = {
		{ "path=src/a.ts;cwd=/p", "[2]", "2", "false" },
		{ "path=../p/./src//a.ts;cwd=/p", "[2]", "2", "false" },
		{ "path=src/a.ts;projectPath=/p", "[2]", "2", "false" },
		{ "path=/p/src/a.ts;projectPath=/", "[2]", "2", "false" },
		{ "path=/p/src/a.ts;limit:1", "[1]", "2", "true" },
		{ "path=/p/src/a.ts;limit:1;offset:1", "[1]", "2", "false" },
		{ "path=/p/src/a.ts;fromDate=2025-12-11", "[1]", "1", "false" },
		{ "path=/p/src/a.ts;toDate=2025-12-11", "[1]", "1", "false" },
		{ "path=/p/src/a.ts;toDate=2025-12-10T10:00:03Z", "[1]", "1",
		  "false" },
		{ "path=/no;alternatives[/nope,/p/src/a.ts", "[2]", "2",
		  "false" },
		{ "path=/p/src/b.ts;states[failed", "[1]", "1", "false" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(world_get(w, "file.sessions", cases[i].options),
		      { "sessions", cases[i].sessions },
		      { "totalSessions", cases[i].total },
		      { "truncated", cases[i].truncated });
}

static void test_file_sessions_nobody(void **state)
{
	static const struct {
		const char *options, *hint;
	} cases[] = {
		{ "path=/nowhere/x.ts", "" },
		{ "path=/clone/src/a.ts", "known as /p/src/a.ts" },
		{ "path=/clone/README.md", "" },
		{ "path=README.md;cwd=/clone", "known as /p/README.md" },
		{ "path=../README.md;cwd=/clone/sub", "known as /p/README.md" },
		{ "path=/q/README.md", "known as /p/README.md" },
		{ "path=/p/src/b.ts", "no call took effect (1 failed)" },
		{ "path=/p/src/a.ts;projectPath=/q", "other states" },
		{ "path=/p/src/a.ts;fromDate=2026-01-01", "other states" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		world_call(w, "file.sessions", cases[i].options);
		assert_int_equal(w->reply.error.code, CCFC_ENOTFOUND);
		if (!strstr(w->reply.error.hint, cases[i].hint) ||
		    (!cases[i].hint[0] && w->reply.error.hint[0]))
			fail_msg("%s: hint '%s'", cases[i].options,
				 w->reply.error.hint);
	}
	w->progress = (struct ccfc_scan_progress){ true, 1, 2, 3, 4 };
	world_call(w, "file.sessions", "path=/nowhere/x.ts");
	assert_non_null(strstr(w->reply.error.hint, "still being built"));
}

static void test_file_match(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o = world_get(w, "file.match", "pattern=/p/**/*.ts");

	assert_int_equal(ccfc_obj_type(o), CCFC_OBJ_ARRAY);
	CHECK(o, { "0/path", "/p/src/a.ts" }, { "0/totalSessions", "2" },
	      { "0/sessions", "[2]" }, { "1", "(none)" });
	o = world_get(w, "file.match", "pattern=**");
	CHECK(o, { "0/path", "/q/lib/only.ts" }, { "1/path", "/p/src/a.ts" },
	      { "2/path", "/elsewhere/long.txt" }, { "3/path", "/p/src/bin" },
	      { "4/path", "/p/README.md" }, { "5", "(none)" });
	o = world_get(w, "file.match", "pattern=**;limit:1;offset:1");
	CHECK(o, { "0/path", "/p/src/a.ts" }, { "1", "(none)" });
	o = world_get(w, "file.match", "pattern=*.md;cwd=/p");
	CHECK(o, { "0/path", "/p/README.md" }, { "1", "(none)" });
	o = world_get(w, "file.match", "pattern=**;projectPath=/q");
	CHECK(o, { "0/path", "/q/lib/only.ts" }, { "1", "(none)" });
	world_call(w, "file.match", "pattern=/none/*");
	assert_int_equal(w->reply.error.code, CCFC_ENOTFOUND);
}

static void test_stats(void **state)
{
	struct world *w = *state;
	char text[64];

	w->progress = (struct ccfc_scan_progress){ true, 1, 2, 3, 4 };
	CHECK(world_get(w, "index.stats", NULL), { "totalSessions", "3" },
	      { "totalFiles", "5" }, { "totalChanges", "7" },
	      { "lastIndexed", "1970-01-01T00:00:01.000Z" },
	      { "indexSize", "4096" }, { "changesByState/applied", "7" },
	      { "changesByState/failed", "1" },
	      { "changesByState/pending", "0" }, { "sources/present", "3" },
	      { "sources/gone", "0" }, { "lines/read", "18" },
	      { "lines/malformed", "0" }, { "lines/tooLong", "0" },
	      { "unknownTypes", "[0]" }, { "indexing/running", "true" },
	      { "indexing/filesDone", "1" }, { "indexing/filesTotal", "2" },
	      { "indexing/bytesDone", "3" }, { "indexing/bytesTotal", "4" });
	assert_true(ccfc_obj_get_int(w->reply.result, "memory", 0) > 100000);
	/* Who asks how the daemon is does not wait for a scan. */
	w->finished = 0;
	snprintf(text, sizeof(text), "%d", getpid());
	CHECK(world_get(w, "server.info", ""), { "name", "ccfcd" },
	      { "version", CCFC_VERSION }, { "protocol", "1" }, { "pid", text },
	      { "socket", w->path }, { "stateDir", "/state" },
	      { "roots", "[2]" }, { "roots/0/path", w->dir },
	      { "roots/0/exists", "true" }, { "roots/1/exists", "false" },
	      { "watch/dirs", "3" }, { "watch/polled", "0" },
	      { "clients", "1" }, { "subscribers", "0" },
	      { "totalChanges", "7" });
	assert_int_equal(w->finished, 0);
}

static void test_dump(void **state)
{
	struct world *w = *state;
	struct ccfc_obj o = world_get(w, "index.dump", NULL);
	struct ccfc_buf first = CCFC_BUF_INIT;
	void *other;

	CHECK(o, { "0/kind", "session" }, { "0/sessionId", SESSION_A },
	      { "0/gitBranches/0", "main" }, { "2/sessionId", SESSION_C },
	      { "3/kind", "file" }, { "3/path", "/elsewhere/long.txt" },
	      { "3/changeCount", "1" }, { "5/path", "/p/src/a.ts" },
	      { "5/changeCount", "3" }, { "5/sessionCount", "2" },
	      { "6/path", "/p/src/b.ts" }, { "6/changeCount", "0" },
	      { "6/totalChanges", "1" }, { "9/kind", "change" },
	      { "9/changeId", "t1" }, { "9/path", "/p/README.md" },
	      { "9/version", "2.1.0" }, { "9/state", "applied" },
	      { "9/operation", "created" }, { "9/clock", "(none)" },
	      { "9/source", "(none)" }, { "16/changeId", "t8" },
	      { "17/kind", "message" });

	/* The same story in another order, in a world of its own. */
	ccfc_buf_append(&first, w->got.ptr, w->got.len);
	other = world_new();
	story_tell(other, SESSION_C, story_c);
	story_tell(other, SESSION_B, story_b);
	story_tell(other, SESSION_A, story_a);
	world_get(other, "index.dump", NULL);
	assert_int_equal(((struct world *)other)->got.len, first.len);
	/* Behind the id of the request. */
	assert_memory_equal(((struct world *)other)->got.ptr + 3, first.ptr + 3,
			    first.len - 3);
	world_free(other);
	ccfc_buf_release(&first);
}

static void test_build(void **state)
{
	struct world *w = *state;
	uint32_t id;

	world_ask(w, "index.build", "projectPath=p;cwd=/;progress:true");
	while (!w->done)
		world_run(w, 10);
	assert_string_equal(w->built, "/p");
	w->progress = (struct ccfc_scan_progress){ true, 1, 2, 3, 4 };
	ccfc_methods_progress(w->methods);
	ccfc_methods_progress(w->methods); /* too soon for another one */
	world_next(w);
	assert_int_equal(w->reply.type, CCFC_MSG_NOTIFICATION);
	assert_true(ccfc_slice_is(w->reply.method, "progress"));
	CHECK(w->reply.params, { "0/filesDone", "1" }, { "0/bytesTotal", "4" });
	world_get(w, "index.stats", NULL); /* others are answered meanwhile */
	id = w->reply.id - 1;
	w->done(w->done_arg);
	world_next(w);
	assert_int_equal(w->reply.type, CCFC_MSG_RESPONSE);
	assert_int_equal(w->reply.id, id);
	CHECK(w->reply.result, { "totalSessions", "3" });

	/* Asked for by somebody who leaves; and one that is never done. */
	w->done = NULL;
	world_ask(w, "index.build", NULL);
	while (!w->done)
		world_run(w, 10);
	close(w->fd);
	w->fd = peer_connect(w->path);
	world_get(w, "index.stats", NULL);
	w->done(w->done_arg);
	world_ask(w, "index.build", NULL);
	world_get(w, "server.info", NULL);
}

static void test_stop(void **state)
{
	struct world *w = *state;

	CHECK(world_get(w, "server.stop", NULL), { "stopping", "true" });
	assert_int_equal(w->stopped, 1);
}

static void test_bad_requests(void **state)
{
	static const struct {
		const char *method, *options;
		int code;
		const char *what;
	} cases[] = {
		{ "nope", "", CCFC_EMETHOD, "no method 'nope'" },
		{ "session.files", "", CCFC_EINVAL, "'session' is missing" },
		{ "session.files", "session=a;foo:1", CCFC_EINVAL,
		  "session.files: unknown option 'foo'" },
		{ "session.files", "session=a;path=/x", CCFC_EINVAL,
		  "unknown option 'path'" },
		{ "session.files", "session:1", CCFC_EINVAL,
		  "'session' must be a string" },
		{ "session.files", "session=", CCFC_EINVAL,
		  "'session' must not be empty" },
		{ "session.files", "session:nil", CCFC_EINVAL,
		  "'session' is missing" },
		{ "session.files", "session=a;session=b", CCFC_EINVAL,
		  "'session' is given twice" },
		{ "session.files", "session=a;limit:0", CCFC_EINVAL,
		  "'limit' must be from 1" },
		{ "session.files", "session=a;limit:100001", CCFC_EINVAL,
		  "'limit' must be from 1" },
		{ "session.files", "session=a;limit:1.5", CCFC_EINVAL,
		  "'limit' must be a whole number" },
		{ "session.files", "session=a;limit=1", CCFC_EINVAL,
		  "'limit' must be a whole number" },
		{ "session.files", "session=a;offset:-1", CCFC_EINVAL,
		  "'offset' must not be negative" },
		{ "session.files", "session=a;maxContent:-1", CCFC_EINVAL,
		  "'maxContent' must be" },
		{ "session.files", "session=a;maxContent:67108865", CCFC_EINVAL,
		  "'maxContent' must be" },
		{ "session.files", "session=a;includeContent:1", CCFC_EINVAL,
		  "'includeContent' must be true or false" },
		{ "session.files", "session=a;includePrompt=yes", CCFC_EINVAL,
		  "'includePrompt' must be true or false" },
		{ "session.files", "session=a;states[nope", CCFC_EINVAL,
		  "'states' has a state" },
		{ "session.files", "session=a;states=all", CCFC_EINVAL,
		  "'states' must be a list" },
		{ "session.files", "session=a;tools:1", CCFC_EINVAL,
		  "'tools' must be a list" },
		{ "file.sessions", "path=rel/ative", CCFC_EINVAL,
		  "'path' is a relative path" },
		{ "file.sessions", "path=/x;cwd=rel", CCFC_EINVAL,
		  "'cwd' is a relative path" },
		{ "file.sessions", "path=/x;projectPath=rel", CCFC_EINVAL,
		  "'projectPath' is a relative path" },
		{ "file.sessions", "path=", CCFC_EINVAL,
		  "'path' must not be empty" },
		{ "file.sessions", "path=/x;alternatives[a,b,c,d,e,f,g,h,i",
		  CCFC_EINVAL, "'alternatives' must not have more than 8" },
		{ "file.sessions", "path=/x;alternatives[rel", CCFC_EINVAL,
		  "'alternatives' is a relative path" },
		{ "file.sessions", "path=/x;fromDate=never", CCFC_EINVAL,
		  "'fromDate' must be a date" },
		{ "file.sessions", "path=/x;toDate:5", CCFC_EINVAL,
		  "'toDate' must be a string" },
		{ "file.sessions",
		  "path=/x;fromDate=2025-02-02;toDate=2025-01-01", CCFC_EINVAL,
		  "'fromDate' is later" },
		{ "file.match", "pattern=*.c", CCFC_EINVAL,
		  "'pattern' is a relative path" },
		{ "file.match", "pattern=", CCFC_EINVAL,
		  "'pattern' must not be empty" },
		{ "events.since", "", CCFC_EINVAL, "'clock' is missing" },
		{ "events.since", "clock=12", CCFC_EINVAL, "'clock' must be" },
		{ "events.since", "clock=1:x", CCFC_EINVAL, "'clock' must be" },
		{ "events.since", "clock=1:99999999999999999999", CCFC_EINVAL,
		  "'clock' must be" },
		{ "events.subscribe", "notify:1", CCFC_EINVAL,
		  "'notify' must be" },
		{ "events.subscribe", "session=zzz", CCFC_ENOTFOUND, "zzz" },
		{ "events.subscribe", "path=rel", CCFC_EINVAL,
		  "'path' is a relative path" },
		{ "events.unsubscribe", "subscription:77", CCFC_ENOTFOUND,
		  "no subscription 77" },
		{ "index.stats", "path=/x", CCFC_EINVAL,
		  "unknown option 'path'" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		world_call(w, cases[i].method, cases[i].options);
		if (!w->reply.failed || w->reply.error.code != cases[i].code ||
		    !strstr(w->reply.error.what, cases[i].what))
			fail_msg("%s {%s}: %d '%s'", cases[i].method,
				 cases[i].options, w->reply.error.code,
				 w->reply.error.what);
	}
}

static void test_shapes_of_params(void **state)
{
	/* [0, 1, "server.stop" or "index.stats", params] */
	static const struct {
		const char *params;
		size_t len;
		int code;
	} cases[] = {
		{ "\x90", 1, 0 },
		{ "\x91\x80", 2, 0 },
		{ "\x91\x90", 2, 0 },
		{ "\x91\xc0", 2, 0 },
		{ "\x92\x80\x80", 3, CCFC_EINVAL },
		{ "\x91\x91\x01", 3, CCFC_EINVAL },
		{ "\x91\x05", 2, CCFC_EINVAL },
		{ "\x91\x81\x01\x02", 4, CCFC_EINVAL }, /* a key is no string */
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ccfc_buf b = CCFC_BUF_INIT;

		ccfc_buf_append(&b, "\x94\x00\x07\xabindex.stats", 15);
		ccfc_buf_append(&b, cases[i].params, cases[i].len);
		assert_true(peer_write(w->fd, ccfc_buf_view(&b)));
		world_next(w);
		assert_int_equal(w->reply.id, 7);
		assert_int_equal(w->reply.failed, cases[i].code != 0);
		assert_int_equal(w->reply.error.code, cases[i].code);
		ccfc_buf_release(&b);
	}
	/* A notification or a response is nobody's question. */
	assert_true(peer_write(w->fd, ccfc_slice("\x93\x02\xa1x\x90", 5)));
	assert_true(peer_write(w->fd, ccfc_slice("\x94\x01\x01\xc0\xc0", 5)));
	world_get(w, "index.stats", NULL);
	/* What is no message ends the connection. */
	assert_true(peer_write(w->fd, ccfc_slice("\x91\x09", 2)));
	world_next(w);
	assert_int_equal(w->reply.error.code, CCFC_EPROTO);
	assert_int_equal(w->reply.id, 0);
	assert_true(world_run(w, PEER_TIMEOUT_S * 1000));
	assert_true(peer_is_hung_up(w->fd));
}

#define T(name)                                                                \
	cmocka_unit_test_setup_teardown(name, story_setup, story_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_session_files),
		T(test_directories),
		T(test_session_files_filters),
		T(test_session_names),
		T(test_file_changes),
		T(test_content_limits),
		T(test_content_gone),
		T(test_file_sessions),
		T(test_file_sessions_options),
		T(test_file_sessions_nobody),
		T(test_file_match),
		T(test_stats),
		T(test_dump),
		T(test_build),
		T(test_stop),
		T(test_bad_requests),
		T(test_shapes_of_params),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
