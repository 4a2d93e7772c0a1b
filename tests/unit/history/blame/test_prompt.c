/* The prompt of a change, read where it stands: or not known. */
#include "../source/tmp.h"
#include "base/time.h"
#include "history/blame/prompt.h"
#include "index/query/query.h"
#include "transcript/record.h"

#define PROMPT                                                                 \
	"{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"s\","              \
	"\"timestamp\":\"2025-12-10T10:00:00.000Z\","                          \
	"\"message\":{\"content\":\"make it caf\\u00e9\"}}\n"
#define CALL                                                                   \
	"{\"type\":\"assistant\",\"uuid\":\"u2\",\"sessionId\":\"s\","         \
	"\"timestamp\":\"2025-12-10T10:00:01.000Z\",\"message\":{\"content\":" \
	"[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Write\",\"input\":"  \
	"{\"file_path\":\"/p/a\",\"content\":\"x\"}}]}}\n"

static struct ccfc_history_env env;
static struct ccfc_index *index_;
static struct ccfc_arena arena;

static void take_in(const char *rel, const char *text)
{
	const struct ccfc_name name = { .kind = CCFC_NAME_SESSION };
	uint32_t id;
	const char *at = text;

	tmp_write(rel, text);
	id = ccfc_index_source(index_, ccfc_slice_str(tmp_path(rel)), &name);
	for (const char *end; (end = strchr(at, '\n')); at = end + 1) {
		size_t len = (size_t)(end - at);
		char *line = calloc(1, len + CCFC_TAIL_PADDING);
		struct ccfc_record record;

		memcpy(line, at, len);
		ccfc_record_parse(env.parser, &record, ccfc_slice(line, len));
		ccfc_index_apply(index_, id, &record, (uint64_t)(at - text),
				 len);
		free(line);
	}
	ccfc_index_settle(index_);
}

/* NULL: it is not known. */
static const char *prompt_of(uint32_t change, size_t max)
{
	const struct ccfc_prompt *prompt =
		ccfc_query_prompt(index_, &index_->changes.items[change]);

	return prompt ? ccfc_prompt_read(&env, prompt, max, &arena).ptr : NULL;
}

static void test_text(void **state)
{
	(void)state;
	take_in("1.jsonl", PROMPT CALL);
	assert_string_equal(prompt_of(0, SIZE_MAX), "make it caf\xc3\xa9");
	assert_string_equal(prompt_of(0, 13), "make it caf\xc3\xa9");
	/* Not within a character. */
	assert_string_equal(prompt_of(0, 12), "make it caf");
	assert_string_equal(prompt_of(0, 4), "make");
	assert_string_equal(prompt_of(0, 0), "");
}

static void test_unknown(void **state)
{
	(void)state;
	take_in("1.jsonl", CALL PROMPT);
	assert_non_null(prompt_of(0, SIZE_MAX));
	/* Other bytes stand there now, or none. */
	tmp_write("1.jsonl", CALL "{\"type\":\"user\",\"uuid\":\"u9\"}");
	assert_null(prompt_of(0, SIZE_MAX));
	assert_int_equal(unlink(tmp_path("1.jsonl")), 0);
	assert_null(prompt_of(0, SIZE_MAX));
}

/* A line of the same length that is another prompt. */
static void test_another(void **state)
{
	char text[] = PROMPT;
	char *uuid = strstr(text, "u1");

	(void)state;
	take_in("1.jsonl", PROMPT CALL);
	uuid[1] = '7';
	tmp_write("1.jsonl", text);
	assert_null(prompt_of(0, SIZE_MAX));
	uuid[1] = '1';
	tmp_write("1.jsonl", text);
	assert_non_null(prompt_of(0, SIZE_MAX));
	ccfc_index_source_gone(index_, 0, true);
	assert_null(prompt_of(0, SIZE_MAX));
}

static void test_none(void **state)
{
	(void)state;
	take_in("1.jsonl", CALL);
	assert_null(prompt_of(0, SIZE_MAX));
}

static int setup(void **state)
{
	(void)state;
	tmp_make();
	index_ = ccfc_index_new(NULL);
	env = (struct ccfc_history_env){ .index = index_,
					 .tail = ccfc_tail_new(1 << 20),
					 .parser = ccfc_parser_new(NULL) };
	ccfc_arena_init(&arena);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ccfc_arena_release(&arena);
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
		TEST(test_text),
		TEST(test_unknown),
		TEST(test_another),
		TEST(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
