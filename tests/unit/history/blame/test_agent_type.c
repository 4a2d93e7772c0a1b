/* Types of agents: by the note beside them, by the session's launches. */
#include "../source/tmp.h"
#include "base/buf.h"
#include "history/blame/agent_type.h"
#include "transcript/record.h"

#define CALL(id, prompt, type)                                                 \
	"{\"type\":\"assistant\",\"sessionId\":\"s\",\"message\":{"            \
	"\"content\":"                                                         \
	"[{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"Task\","         \
	"\"input\":{\"prompt\":\"" prompt "\"" type "}}]}}\n"
#define TYPE(type) ",\"subagent_type\":\"" type "\""
#define DONE(id, more)                                                         \
	"{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"content\":"     \
	"[{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\"}]},"            \
	"\"toolUseResult\":{\"agentId\":\"a1\"" more "}}\n"
#define OTHER(id)                                                              \
	"{\"type\":\"progress\",\"sessionId\":\"s\",\"parentToolUseID\":\"" id \
	"\",\"data\":{\"type\":\"agent_progress\",\"agentId\":\"a2\"}}\n"
#define FIRST                                                                  \
	"{\"type\":\"user\",\"sessionId\":\"s\",\"agentId\":\"a1\","           \
	"\"message\":{\"content\":\"do it\"}}\n"

static struct ccfc_history_env env;
static struct ccfc_history *history;
static struct ccfc_index *index_;
static struct ccfc_arena arena;
static uint32_t agent; /* its source */

/* The file's text from `from` on is new. */
static uint32_t take_in(const char *rel, const struct ccfc_name *name,
			const char *text, size_t from)
{
	uint32_t id;

	tmp_write(rel, text);
	id = ccfc_index_source(index_, ccfc_slice_str(tmp_path(rel)), name);
	for (const char *at = text + from, *end; (end = strchr(at, '\n'));
	     at = end + 1) {
		size_t len = (size_t)(end - at);
		char *line = calloc(1, len + CCFC_TAIL_PADDING);
		struct ccfc_record record;

		memcpy(line, at, len);
		ccfc_record_parse(env.parser, &record, ccfc_slice(line, len));
		ccfc_index_apply(index_, id, &record, (uint64_t)(at - text),
				 len);
		free(line);
	}
	index_->sources.items[id].cursor.offset = strlen(text);
	ccfc_index_settle(index_);
	return id;
}

static uint32_t take_session(const char *rel, const char *text, size_t from)
{
	const struct ccfc_name name = { .kind = CCFC_NAME_SESSION,
					.session = CCFC_SLICE_LIT("s") };

	return take_in(rel, &name, text, from);
}

static void take_agent(const char *text)
{
	const struct ccfc_name name = { .kind = CCFC_NAME_AGENT,
					.agent = CCFC_SLICE_LIT("a1") };

	agent = take_in("agent-a1.jsonl", &name, text, 0);
}

/* "": it is not known. */
static const char *type(void)
{
	struct ccfc_slice found = ccfc_agent_type(history, agent, &arena);

	return found.len ? found.ptr : "";
}

static void test_note(void **state)
{
	(void)state;
	take_session("s.jsonl", CALL("t", "do it", TYPE("Plan")), 0);
	take_agent(FIRST);
	tmp_write("agent-a1.meta.json", "{\"agentType\":\"mine\"}");
	assert_string_equal(type(), "mine");
	/* One that says nothing. */
	tmp_write("agent-a1.meta.json", "{}");
	assert_string_equal(type(), "Plan");
}

static void test_result(void **state)
{
	(void)state;
	/* The prompt says nothing here. */
	take_session("s.jsonl",
		     CALL("t", "x", TYPE("Plan")) CALL("u", "do it", TYPE("no"))
			     DONE("t", ""),
		     0);
	take_agent(FIRST);
	assert_string_equal(type(), "Plan");
	assert_string_equal(type(), "Plan");
}

static void test_result_first(void **state)
{
	(void)state;
	take_session("s.jsonl", DONE("t", "") CALL("t", "x", TYPE("Plan")), 0);
	take_agent(FIRST);
	assert_string_equal(type(), "Plan");
}

/* The result's own word counts more than the call's. */
static void test_result_type(void **state)
{
	(void)state;
	take_session("s.jsonl",
		     CALL("t", "do it", TYPE("plan"))
			     DONE("t", ",\"agentType\":\"Plan\""),
		     0);
	take_agent(FIRST);
	assert_string_equal(type(), "Plan");
}

/* Of an agent that was resumed as another type. */
static void test_results_differ(void **state)
{
	(void)state;
	take_session("s.jsonl",
		     CALL("t", "do it", TYPE("Plan")) DONE("t", "")
			     CALL("u", "on", TYPE("Bash")) DONE("u", ""),
		     0);
	take_agent(FIRST);
	assert_string_equal(type(), "");
}

static void test_prompt(void **state)
{
	(void)state;
	take_session(
		"s.jsonl",
		CALL("t", "do it", TYPE("Plan")) CALL("u", "x", TYPE("no")), 0);
	take_agent("{\"type\":\"mode\"}\n" FIRST);
	assert_string_equal(type(), "Plan");
}

static void test_prompts_agree(void **state)
{
	(void)state;
	take_session("s.jsonl",
		     CALL("t", "do it", TYPE("Plan"))
			     CALL("u", "do it", TYPE("Plan")),
		     0);
	take_agent(FIRST);
	assert_string_equal(type(), "Plan");
}

static void test_prompts_differ(void **state)
{
#define TWO CALL("t", "do it", TYPE("Plan")) CALL("u", "do it", TYPE("Bash"))
	(void)state;
	take_session("s.jsonl", TWO, 0);
	take_agent(FIRST);
	assert_string_equal(type(), "");
	/* One of them is known to have started another agent. */
	take_session("s.jsonl", TWO OTHER("u"), strlen(TWO));
	assert_string_equal(type(), "Plan");
}

/* A call that names no type might be the one. */
static void test_prompt_untyped(void **state)
{
	(void)state;
	take_session("s.jsonl",
		     CALL("t", "do it", TYPE("Plan")) CALL("u", "do it", ""),
		     0);
	take_agent(FIRST);
	assert_string_equal(type(), "");
}

static void test_grows(void **state)
{
#define OLD CALL("u", "x", TYPE("no"))
	(void)state;
	take_session("s.jsonl", OLD, 0);
	take_agent("{\"type\":\"mode\"}\n");
	assert_string_equal(type(), "");
	/* The prompt comes later, and the call too. */
	take_agent("{\"type\":\"mode\"}\n" FIRST);
	assert_string_equal(type(), "");
	take_session("s.jsonl", OLD CALL("t", "do it", TYPE("Plan")),
		     strlen(OLD));
	assert_string_equal(type(), "Plan");
	take_session("s.jsonl",
		     OLD CALL("t", "do it", TYPE("Plan")) DONE("u", ""),
		     strlen(OLD CALL("t", "do it", TYPE("Plan"))));
	assert_string_equal(type(), "no");
}

static void test_rewritten(void **state)
{
	uint32_t id;

	(void)state;
	id = take_session("s.jsonl", CALL("t", "do it", TYPE("Plan")), 0);
	take_agent(FIRST);
	assert_string_equal(type(), "Plan");
	ccfc_index_source_reset(index_, id);
	take_session("s.jsonl", CALL("t", "do it", TYPE("Bash")), 0);
	assert_string_equal(type(), "Bash");
	ccfc_index_source_gone(index_, id, true);
	assert_string_equal(type(), "");
}

/* It cannot be read now, and can the next time. */
static void test_unreadable(void **state)
{
	(void)state;
	take_session("s.jsonl", CALL("t", "do it", TYPE("Plan")), 0);
	take_agent(FIRST);
	assert_int_equal(unlink(tmp_path("s.jsonl")), 0);
	assert_string_equal(type(), "");
	tmp_write("s.jsonl", CALL("t", "do it", TYPE("Plan")));
	assert_string_equal(type(), "Plan");
}

/* What agents have in their own transcripts is not the session's word. */
static void test_other_transcripts(void **state)
{
	const struct ccfc_name other = { .kind = CCFC_NAME_AGENT,
					 .agent = CCFC_SLICE_LIT("a2") };

	(void)state;
	take_in("agent-a2.jsonl", &other, CALL("t", "do it", TYPE("Plan")), 0);
	take_agent(FIRST);
	assert_string_equal(type(), "");
	/* The session goes on in a second file. */
	take_session("s.jsonl", DONE("t", ""), 0);
	take_session("s2.jsonl", CALL("t", "x", TYPE("Bash")), 0);
	assert_string_equal(type(), "Bash");
}

static void test_no_agent(void **state)
{
	(void)state;
	agent = take_session("s.jsonl", CALL("t", "do it", TYPE("Plan")), 0);
	assert_string_equal(type(), "");
}

/* Prompts tell only where all was read; ids do so anyway. */
static void test_too_long(void **state)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	size_t gap = (size_t)64 << 20, end;

	(void)state;
	memset(ccfc_buf_reserve(&text, gap), ' ', gap);
	for (text.len = gap; gap; gap -= 4096)
		text.ptr[gap - 1] = '\n';
	gap = text.len;
	ccfc_buf_puts(&text, CALL("t", "do it", TYPE("Plan")));
	end = text.len;
	ccfc_buf_puts(&text, DONE("t", ""));
	ccfc_buf_putc(&text, '\0');
	take_agent(FIRST);
	text.ptr[end] = '\0';
	take_session("s.jsonl", text.ptr, gap);
	assert_string_equal(type(), "");
	text.ptr[end] = '{';
	take_session("s.jsonl", text.ptr, end);
	assert_string_equal(type(), "Plan");
	ccfc_buf_release(&text);
}

static int setup(void **state)
{
	(void)state;
	tmp_make();
	index_ = ccfc_index_new(NULL);
	env = (struct ccfc_history_env){ .index = index_,
					 .tail = ccfc_tail_new(1 << 20),
					 .parser = ccfc_parser_new(NULL) };
	history = ccfc_history_new(&env);
	ccfc_arena_init(&arena);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ccfc_arena_release(&arena);
	ccfc_history_free(history);
	ccfc_parser_free(env.parser);
	ccfc_tail_free(env.tail);
	ccfc_index_free(index_);
	tmp_drop();
	return 0;
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_note),
		TEST(test_result),
		TEST(test_result_first),
		TEST(test_result_type),
		TEST(test_results_differ),
		TEST(test_prompt),
		TEST(test_prompts_agree),
		TEST(test_prompts_differ),
		TEST(test_prompt_untyped),
		TEST(test_grows),
		TEST(test_rewritten),
		TEST(test_unreadable),
		TEST(test_other_transcripts),
		TEST(test_no_agent),
		TEST(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
