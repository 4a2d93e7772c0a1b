/* The calls about sessions send what the protocol says. */
#include "server.h"

static void run_lists(struct ccfc_client *c)
{
	struct ccfc_query q = CCFC_QUERY_INIT;
	struct ccfc_query s = CCFC_QUERY_INIT;
	struct ccfc_reply *r[4] = { NULL };
	int failed = 0;

	failed |= ccfc_session_list(&r[0], c, NULL, NULL);
	q.project_path = "/p";
	q.cwd = "/c";
	q.from_date = "2025-01-01";
	q.to_date = "2025-01-02";
	q.branch = "main";
	q.model = "opus";
	q.status = "failed";
	q.touched = "*.c";
	q.sort = "tokens";
	q.limit = 3;
	q.offset = 4;
	failed |= ccfc_session_list(&r[1], c, &q, NULL);
	failed |= ccfc_stats_get(&r[2], c, NULL, NULL);
	s.session = "ab";
	s.project_path = "/p";
	s.cwd = "/c";
	s.from_date = "2025-01-01";
	s.to_date = "2025-01-02";
	s.by = "model";
	s.limit = 5;
	s.offset = 6;
	failed |= ccfc_stats_get(&r[3], c, &s, NULL);
	assert_int_equal(failed, 0);
	for (int i = 0; i < 4; i++)
		ccfc_reply_free(r[i]);
}

static const char list_requests[] =
	"[0,1,\"session.list\",[{}]]\n"
	"[0,2,\"session.list\",[{\"branch\":\"main\",\"cwd\":\"/c\","
	"\"fromDate\":\"2025-01-01\",\"limit\":3,\"model\":\"opus\","
	"\"offset\":4,\"projectPath\":\"/p\",\"sort\":\"tokens\","
	"\"status\":\"failed\",\"toDate\":\"2025-01-02\","
	"\"touched\":\"*.c\"}]]\n"
	"[0,3,\"stats.get\",[{}]]\n"
	"[0,4,\"stats.get\",[{\"by\":\"model\",\"cwd\":\"/c\","
	"\"fromDate\":\"2025-01-01\",\"limit\":5,\"offset\":6,"
	"\"projectPath\":\"/p\",\"session\":\"ab\","
	"\"toDate\":\"2025-01-02\"}]]\n";

static void test_lists(void **state)
{
	(void)state;
	check_calls(run_lists, 4, list_requests);
}

static void run_talk(struct ccfc_client *c)
{
	struct ccfc_query q = CCFC_QUERY_INIT;
	struct ccfc_reply *r[5] = { NULL };
	int failed = 0;

	failed |= ccfc_session_get(&r[0], c, "ab", NULL, NULL);
	q.content = CCFC_CONTENT_NO;
	failed |= ccfc_session_get(&r[1], c, "ab", &q, NULL);
	q.content = CCFC_CONTENT_DEFAULT;
	q.role = "user";
	q.agent = "a1";
	q.message = "0123456";
	failed |= ccfc_session_messages(&r[2], c, "ab", &q, NULL);
	q = (struct ccfc_query)CCFC_QUERY_INIT;
	q.thinking = true;
	q.max_content = 9;
	q.limit = 3;
	q.offset = 4;
	failed |= ccfc_session_timeline(&r[3], c, "ab", &q, NULL);
	failed |= ccfc_session_tree(&r[4], c, "ab", NULL, NULL);
	assert_int_equal(failed, 0);
	for (int i = 0; i < 5; i++)
		ccfc_reply_free(r[i]);
}

static const char talk_requests[] =
	"[0,1,\"session.get\",[{\"session\":\"ab\"}]]\n"
	"[0,2,\"session.get\",[{\"session\":\"ab\","
	"\"includeContent\":false}]]\n"
	"[0,3,\"session.messages\",[{\"session\":\"ab\",\"agentId\":\"a1\","
	"\"message\":\"0123456\",\"role\":\"user\"}]]\n"
	"[0,4,\"session.timeline\",[{\"session\":\"ab\","
	"\"includeThinking\":true,\"limit\":3,\"maxContent\":9,"
	"\"offset\":4}]]\n"
	"[0,5,\"session.tree\",[{\"session\":\"ab\"}]]\n";

static void test_talk(void **state)
{
	(void)state;
	check_calls(run_talk, 5, talk_requests);
}

static void run_finds(struct ccfc_client *c)
{
	static const char *const two[] = { "text", "tool", NULL };
	struct ccfc_query t = CCFC_QUERY_INIT;
	struct ccfc_query q = CCFC_QUERY_INIT;
	struct ccfc_reply *r[4] = { NULL };
	int failed = 0;

	q.limit = 3;
	failed |= ccfc_session_reads(&r[0], c, "ab", &q, NULL);
	q.alternatives = two;
	failed |= ccfc_file_readers(&r[1], c, "x", &q, NULL);
	failed |= ccfc_text_search(&r[2], c, "x", NULL, NULL);
	t.regex = true;
	t.case_sensitive = true;
	t.role = "user";
	t.session = "ab";
	t.project_path = "/p";
	t.cwd = "/c";
	t.from_date = "2025-01-01";
	t.to_date = "2025-01-02";
	t.in = two;
	t.sort = "rank";
	t.limit = 1;
	t.offset = 2;
	failed |= ccfc_text_search(&r[3], c, "x.*", &t, NULL);
	assert_int_equal(failed, 0);
	for (int i = 0; i < 4; i++)
		ccfc_reply_free(r[i]);
}

static const char find_requests[] =
	"[0,1,\"session.reads\",[{\"session\":\"ab\",\"limit\":3}]]\n"
	"[0,2,\"file.readers\",[{\"path\":\"x\",\"alternatives\":[\"text\","
	"\"tool\"],\"limit\":3}]]\n"
	"[0,3,\"text.search\",[{\"pattern\":\"x\"}]]\n"
	"[0,4,\"text.search\",[{\"pattern\":\"x.*\",\"caseSensitive\":true,"
	"\"cwd\":\"/c\",\"fromDate\":\"2025-01-01\",\"in\":[\"text\","
	"\"tool\"],\"limit\":1,\"offset\":2,\"projectPath\":\"/p\","
	"\"regex\":true,\"role\":\"user\",\"session\":\"ab\","
	"\"sort\":\"rank\",\"toDate\":\"2025-01-02\"}]]\n";

static void test_finds(void **state)
{
	(void)state;
	check_calls(run_finds, 4, find_requests);
}

/* A struct of another time is refused before anything is sent. */
static void run_versions(struct ccfc_client *c)
{
	struct ccfc_query l = { 0 };
	struct ccfc_query k = { .version = CCFC_QUERY_VERSION + 1 };
	struct ccfc_query s = { 0 };
	struct ccfc_query t = { .version = CCFC_QUERY_VERSION + 1 };
	struct ccfc_reply *r = (struct ccfc_reply *)&l;

	assert_int_equal(ccfc_session_list(&r, c, &l, NULL), CCFC_EINVAL);
	assert_null(r);
	assert_int_equal(ccfc_session_tree(&r, c, "a", &k, NULL), CCFC_EINVAL);
	assert_int_equal(ccfc_stats_get(&r, c, &s, NULL), CCFC_EINVAL);
	assert_int_equal(ccfc_text_search(&r, c, "x", &t, NULL), CCFC_EINVAL);
	assert_int_equal(ccfc_session_list(&r, c, NULL, NULL), 0);
	ccfc_reply_free(r);
}

static void test_versions(void **state)
{
	(void)state;
	check_calls(run_versions, 1, "[0,1,\"session.list\",[{}]]\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, scratch_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lists),
		TEST(test_talk),
		TEST(test_finds),
		TEST(test_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
