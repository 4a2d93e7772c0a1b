/* What a line says of agents that were started. */
#include "facts.h"

#include "base/hash.h"
#include "transcript/content/agent_launch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define ASSISTANT(blocks)                                                      \
	"{`type`:`assistant`,`message`:{`content`:[" blocks "]}}"
#define CALL(id, name, input)                                                  \
	"{`type`:`tool_use`,`id`:`" id "`,`name`:`" name "`,`input`:" input "}"
#define TASK(id)   CALL(id, "Task", "{`prompt`:`p`,`subagent_type`:`Plan`}")
#define RESULT(id) "{`type`:`tool_result`,`tool_use_id`:`" id "`,`content`:`x`}"
#define USER(blocks, detail)                                                   \
	"{`type`:`user`,`message`:{`content`:[" blocks                         \
	"]},`toolUseResult`:" detail "}"
#define PROGRESS(type, call, data)                                             \
	"{`type`:`" type "`,`parentToolUseID`:" call ",`data`:" data "}"
#define PROMPT(content) "{`type`:`user`,`message`:{`content`:" content "}}"

struct row {
	const char *line;
	const char *says;
};

static struct ccfc_parser *parser;
static struct ccfc_arena arena;
static struct ccfc_buf said;

typedef void say_fn(struct ccfc_slice line);

static void put_hash(const char *name, uint64_t hash)
{
	static const char *const known[] = { "t", "u", "v", "a1", "p", "p\nq" };

	if (!hash)
		return;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (ccfc_hash_slice(ccfc_slice_str(known[i])) != hash)
			continue;
		ccfc_buf_printf(&said, "%s=%s ", name, known[i]);
		return;
	}
	ccfc_buf_printf(&said, "%s=? ", name);
}

static void say_launches(struct ccfc_slice line)
{
	struct ccfc_launch l[2];
	uint32_t n = ccfc_launch_read(parser, l, 2, line, &arena);

	for (uint32_t i = 0; i < n; i++) {
		put_hash("call", l[i].call);
		put_hash("agent", l[i].agent);
		put_hash("prompt", l[i].prompt);
		ccfc_buf_printf(&said, "%.*s;", (int)l[i].type.len,
				l[i].type.len ? l[i].type.ptr : "");
	}
}

static void say_prompt(struct ccfc_slice line)
{
	uint64_t prompt;

	if (!ccfc_launch_prompt(parser, &prompt, line))
		return;
	ccfc_buf_puts(&said, "user ");
	put_hash("prompt", prompt);
}

static void check(say_fn *say, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *line = quoted(rows[i].line);

		ccfc_buf_clear(&said);
		ccfc_arena_clear(&arena);
		say(ccfc_slice(line, strlen(rows[i].line)));
		ccfc_buf_putc(&said, '\0');
		if (strcmp(said.ptr, rows[i].says))
			fail_msg("%s:\n got '%s'\nwant '%s'", rows[i].line,
				 said.ptr, rows[i].says);
		free(line);
	}
}

#define CHECK(say, rows) check(say, rows, sizeof(rows) / sizeof(*(rows)))

static void test_calls(void **state)
{
	static const struct row rows[] = {
		{ ASSISTANT(TASK("t")), "call=t prompt=p Plan;" },
		{ ASSISTANT(CALL("t", "Agent",
				 "{`subagent_type`:`a\\u00e9`,`prompt`:"
				 "`p\\nq`}")),
		  "call=t prompt=p\nq a\xc3\xa9;" },
		/* The client chose the type, or the call is no good. */
		{ ASSISTANT(CALL("t", "Agent", "{`prompt`:`p`}")),
		  "call=t prompt=p ;" },
		{ ASSISTANT(CALL("t", "Task", "{`subagent_type`:7}")),
		  "call=t ;" },
		{ ASSISTANT(CALL("t", "Task", "`Plan`")), "" },
		{ ASSISTANT(CALL("", "Task", "{`subagent_type`:`Plan`}")), "" },
		{ ASSISTANT(CALL("t", "Bash", "{`subagent_type`:`Plan`}")),
		  "" },
		{ ASSISTANT(CALL("v", "Read", "{}") "," TASK("t")),
		  "call=t prompt=p Plan;" },
		/* As many as there is room for. */
		{ ASSISTANT(TASK("t") "," TASK("u") "," TASK("v")),
		  "call=t prompt=p Plan;call=u prompt=p Plan;" },
		/* A copy in a record of another kind. */
		{ "{`type`:`api-request-blob`,`message`:{`content`:[" TASK(
			  "t") "]}}",
		  "" },
		{ "{`type`:`user`,`message`:{`content`:[" TASK("t") "]}}", "" },
		{ "{`type`:`assistant`", "" },
	};

	(void)state;
	CHECK(say_launches, rows);
}

static void test_results(void **state)
{
	static const struct row rows[] = {
		{ USER(RESULT("t"), "{`status`:`completed`,`agentId`:`a1`}"),
		  "call=t agent=a1 ;" },
		{ USER(RESULT("t"), "{`isAsync`:true,`status`:`async_launched`,"
				    "`agentId`:`a1`,`outputFile`:`/x`}"),
		  "call=t agent=a1 ;" },
		{ USER(RESULT("t"), "{`agentId`:`a1`,`agentType`:`Plan`}"),
		  "call=t agent=a1 Plan;" },
		/* Whose it is cannot be told. */
		{ USER(RESULT("t") "," RESULT("u"), "{`agentId`:`a1`}"), "" },
		{ USER(RESULT("") "," RESULT("u"), "{`agentId`:`a1`}"), "" },
		{ USER("", "{`agentId`:`a1`}"), "" },
		{ USER(RESULT("t"), "{`agentId`:7}"), "" },
		{ USER(RESULT("t"), "{`content`:{`agentId`:`a1`}}"), "" },
		{ USER(RESULT("t"), "`agentId`"), "" },
		/* The record's own. */
		{ "{`type`:`user`,`agentId`:`a1`,`message`:{`content`:[" RESULT(
			  "t") "]}}",
		  "" },
	};

	(void)state;
	CHECK(say_launches, rows);
}

static void test_progress(void **state)
{
#define DATA "{`type`:`agent_progress`,`agentId`:`a1`}"
	static const struct row rows[] = {
		{ PROGRESS("progress", "`t`", DATA), "call=t agent=a1 ;" },
		{ PROGRESS("progress", "7", DATA), "" },
		{ PROGRESS("attachment", "`t`", DATA), "" },
		{ PROGRESS("progress", "`t`", "`agent_progress`"), "" },
		{ PROGRESS("progress", "`t`", "{`type`:`agent_progress`}"),
		  "" },
		{ PROGRESS("progress", "`t`",
			   "{`type`:`bash_progress`,`agentId`:`a1`}"),
		  "" },
	};

	(void)state;
	CHECK(say_launches, rows);
}

static void test_prompts(void **state)
{
#define TEXT(text) "{`type`:`text`,`text`:`" text "`}"
	static const struct row rows[] = {
		{ PROMPT("`p`"), "user prompt=p " },
		{ PROMPT("`p\\nq`"), "user prompt=p\nq " },
		{ PROMPT("[" TEXT("p") "]"), "user prompt=p " },
		{ PROMPT("[" TEXT("p") "," TEXT("q") "]"), "user " },
		{ PROMPT("[]"), "user " },
		{ PROMPT("`\\q`"), "user " },
		{ PROMPT("``"), "user " },
		{ "{`type`:`assistant`,`message`:{`content`:`p`}}", "" },
		{ "{`type`:`user`", "" },
	};

	(void)state;
	CHECK(say_prompt, rows);
}

static int set_up(void **state)
{
	(void)state;
	parser = ccfc_parser_new(NULL);
	ccfc_arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ccfc_parser_free(parser);
	ccfc_arena_release(&arena);
	ccfc_buf_release(&said);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_prompts),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
