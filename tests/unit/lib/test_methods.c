/* The typed calls: what they send, and a build that tells its progress. */
#include "server.h"

static void on_progress(void *data, const struct ccfc_progress *p)
{
	int *sum = data;

	*sum += (int)(p->files_done * 1000 + p->files_total * 100 +
		      p->bytes_done * 10 + p->bytes_total);
}

static void test_progress(void **state)
{
	static const struct step steps[] = {
		{ READ, NULL, 0 },
		{ SEND, BYTES("\x93\x02\xa8progress\x91\x84\xa9"
			      "filesDone\x01"
			      "\xaa"
			      "filesTotal\x02\xa9"
			      "bytesDone\x03\xaa"
			      "bytesTotal\x04" EVENT(
				      "\x01") "\x93\x02\xa8progress\x91\x81\xa9"
					      "filesDone\x02"
					      "\x94\x01\x01\xc0\x80") },
		{ READ, NULL, 0 },
		{ END, NULL, 0 },
	};
	struct ccfc_reply *reply;
	struct ccfc_client *c;
	struct server s;
	int sum = 0;

	(void)state;
	server_start(&s, steps);
	c = connect_client(0);
	assert_int_equal(
		ccfc_index_build(&reply, c, "/p", on_progress, &sum, NULL), 0);
	assert_int_equal(sum, 3234);
	ccfc_reply_free(reply);
	expect_event(c, 1);
	ccfc_client_free(c);
	server_join(&s);
	assert_string_equal(s.seen.ptr,
			    "[0,1,\"index.build\","
			    "[{\"projectPath\":\"/p\",\"progress\":true}]]\n");
	ccfc_buf_release(&s.seen);
}

/* Every typed call sends what the protocol says. */
static void run_all(struct ccfc_client *c)
{
	static const char *const all[] = { "all", NULL };
	static const char *const ext[] = { ".ts", ".c", NULL };
	static const char *const none[] = { NULL };
	struct ccfc_query q = CCFC_QUERY_INIT;
	struct ccfc_query f = CCFC_QUERY_INIT;
	struct ccfc_reply *r[11] = { NULL };
	int failed = 0;

	q.content = CCFC_CONTENT_YES;
	q.max_content = 9;
	q.limit = 3;
	q.offset = 4;
	q.states = all;
	q.extensions = ext;
	q.directories = none;
	q.cwd = "/c";
	q.project_path = "/p";
	q.from_date = "2025-01-01";
	q.to_date = "2025-01-02";
	failed |= ccfc_session_files(&r[0], c, "ab", &q, NULL);
	q = (struct ccfc_query)CCFC_QUERY_INIT;
	q.content = CCFC_CONTENT_NO;
	q.tools = ext;
	q.alternatives = all;
	q.prompts = true;
	failed |= ccfc_session_file_changes(&r[1], c, "ab", "x", &q, NULL);
	failed |= ccfc_file_sessions(&r[2], c, "x", NULL, NULL);
	failed |= ccfc_file_match(&r[3], c, "*.c", NULL, NULL);
	failed |= ccfc_index_build(&r[4], c, NULL, NULL, NULL, NULL);
	failed |= ccfc_index_stats(&r[5], c, NULL);
	failed |= ccfc_index_dump(&r[6], c, NULL);
	f.path = "/x";
	f.cwd = "/c";
	f.session = "ab";
	f.states = all;
	failed |= ccfc_events_subscribe(&r[7], c, &f, "1:2", NULL);
	f = (struct ccfc_query)CCFC_QUERY_INIT;
	f.limit = 5;
	f.project_path = "/p";
	failed |= ccfc_events_since(&r[8], c, "1:2", &f, NULL);
	failed |= ccfc_events_unsubscribe(c, 6, NULL);
	failed |= ccfc_server_info(&r[9], c, NULL);
	failed |= ccfc_server_roots(&r[10], c, NULL);
	failed |= ccfc_server_stop(c, NULL);
	assert_int_equal(failed, 0);
	for (int i = 0; i < 11; i++)
		ccfc_reply_free(r[i]);
}

/* The calls for history. */
static void run_history(struct ccfc_client *c)
{
	static const char *const two[] = { "a", "b", NULL };
	struct ccfc_query q = CCFC_QUERY_INIT;
	struct ccfc_reply *r[9] = { NULL };
	int failed = 0;

	q.alternatives = two;
	q.cwd = "/c";
	failed |= ccfc_file_at(&r[0], c, "x", "before:ab", &q, NULL);
	failed |= ccfc_file_at(&r[1], c, "x", NULL, NULL, NULL);
	q.limit = 2;
	failed |= ccfc_file_log(&r[2], c, "x", &q, NULL);
	q = (struct ccfc_query)CCFC_QUERY_INIT;
	q.content = CCFC_CONTENT_YES;
	q.context = -1;
	failed |= ccfc_change_get(&r[3], c, "toolu_1", &q, NULL);
	q = (struct ccfc_query)CCFC_QUERY_INIT;
	q.tools = two;
	q.context = 5;
	failed |= ccfc_session_diff(&r[4], c, "ab", two, true, &q, NULL);
	failed |= ccfc_session_diff(&r[5], c, "ab", NULL, false, NULL, NULL);
	q = (struct ccfc_query)CCFC_QUERY_INIT;
	q.cwd = "/c";
	failed |= ccfc_session_revert(&r[6], c, "ab", two, &q, NULL);
	failed |= ccfc_session_recover(&r[7], c, "ab", NULL, NULL, NULL);
	failed |= ccfc_changes_revert(&r[8], c, two, NULL, NULL);
	assert_int_equal(failed, 0);
	for (int i = 0; i < 9; i++)
		ccfc_reply_free(r[i]);
	q = (struct ccfc_query)CCFC_QUERY_INIT;
	q.project_path = "/p";
	assert_int_equal(ccfc_session_recover(&r[0], c, NULL, two, &q, NULL),
			 0);
	ccfc_reply_free(r[0]);
	q.version = CCFC_QUERY_VERSION + 1;
	assert_int_equal(
		ccfc_session_diff(&r[0], c, "a", NULL, false, &q, NULL),
		CCFC_EINVAL);
	assert_null(r[0]);
}

static void run_blame(struct ccfc_client *c)
{
	static const char *const two[] = { "a", "b", NULL };
	struct ccfc_query q = CCFC_QUERY_INIT;
	struct ccfc_reply *r;

	assert_int_equal(ccfc_file_blame(&r, c, "x", NULL, NULL), 0);
	ccfc_reply_free(r);
	q.at = "before:ab";
	q.from_line = 3;
	q.to_line = 5;
	q.ignore_space = true;
	q.content = CCFC_CONTENT_NO;
	q.alternatives = two;
	q.cwd = "/c";
	assert_int_equal(ccfc_file_blame(&r, c, "x", &q, NULL), 0);
	ccfc_reply_free(r);
	q.version = CCFC_QUERY_VERSION + 1;
	assert_int_equal(ccfc_file_blame(&r, c, "x", &q, NULL), CCFC_EINVAL);
	assert_null(r);
}

static const char requests[] =
	"[0,1,\"session.files\",[{\"session\":\"ab\",\"cwd\":\"/c\","
	"\"directories\":[],\"extensions\":[\".ts\",\".c\"],"
	"\"fromDate\":\"2025-01-01\",\"includeContent\":true,\"limit\":3,"
	"\"maxContent\":9,\"offset\":4,\"projectPath\":\"/p\","
	"\"states\":[\"all\"],\"toDate\":\"2025-01-02\"}]]\n"
	"[0,2,\"session.file_changes\",[{\"session\":\"ab\",\"path\":\"x\","
	"\"alternatives\":[\"all\"],\"includeContent\":false,"
	"\"includePrompt\":true,\"tools\":[\".ts\",\".c\"]}]]\n"
	"[0,3,\"file.sessions\",[{\"path\":\"x\"}]]\n"
	"[0,4,\"file.match\",[{\"pattern\":\"*.c\"}]]\n"
	"[0,5,\"index.build\",[{}]]\n"
	"[0,6,\"index.stats\",[]]\n"
	"[0,7,\"index.dump\",[]]\n"
	"[0,8,\"events.subscribe\",[{\"since\":\"1:2\",\"cwd\":\"/c\","
	"\"path\":\"/x\",\"session\":\"ab\",\"states\":[\"all\"]}]]\n"
	"[0,9,\"events.since\",[{\"clock\":\"1:2\",\"limit\":5,"
	"\"projectPath\":\"/p\"}]]\n"
	"[0,10,\"events.unsubscribe\",[{\"subscription\":6}]]\n"
	"[0,11,\"server.info\",[]]\n"
	"[0,12,\"server.roots\",[]]\n"
	"[0,13,\"server.stop\",[]]\n";

static const char history_requests[] =
	"[0,1,\"file.at\",[{\"path\":\"x\",\"at\":\"before:ab\","
	"\"alternatives\":[\"a\",\"b\"],\"cwd\":\"/c\"}]]\n"
	"[0,2,\"file.at\",[{\"path\":\"x\"}]]\n"
	"[0,3,\"file.log\",[{\"path\":\"x\",\"alternatives\":[\"a\",\"b\"],"
	"\"cwd\":\"/c\",\"limit\":2}]]\n"
	"[0,4,\"change.get\",[{\"change\":\"toolu_1\",\"context\":0,"
	"\"includeContent\":true}]]\n"
	"[0,5,\"session.diff\",[{\"session\":\"ab\",\"paths\":[\"a\","
	"\"b\"],\"net\":true,\"context\":5,\"tools\":[\"a\",\"b\"]}]]\n"
	"[0,6,\"session.diff\",[{\"session\":\"ab\"}]]\n"
	"[0,7,\"session.revert\",[{\"session\":\"ab\",\"paths\":[\"a\","
	"\"b\"],\"cwd\":\"/c\"}]]\n"
	"[0,8,\"session.recover\",[{\"session\":\"ab\"}]]\n"
	"[0,9,\"session.revert\",[{\"changes\":[\"a\",\"b\"]}]]\n"
	"[0,10,\"session.recover\",[{\"deleted\":true,\"keywords\":[\"a\","
	"\"b\"],\"projectPath\":\"/p\"}]]\n";

static const char blame_requests[] =
	"[0,1,\"file.blame\",[{\"path\":\"x\"}]]\n"
	"[0,2,\"file.blame\",[{\"path\":\"x\",\"alternatives\":[\"a\","
	"\"b\"],\"at\":\"before:ab\",\"cwd\":\"/c\",\"from\":3,"
	"\"ignoreSpace\":true,\"includeContent\":false,\"to\":5}]]\n";

static void test_methods(void **state)
{
	(void)state;
	check_calls(run_all, 13, requests);
}

static void test_history(void **state)
{
	(void)state;
	check_calls(run_history, 10, history_requests);
}

static void test_blame(void **state)
{
	(void)state;
	check_calls(run_blame, 2, blame_requests);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, scratch_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_progress),
		TEST(test_methods),
		TEST(test_history),
		TEST(test_blame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
