/*
 * Skeletons, pages, trees and tasks of small transcripts. A line of the
 * transcript is written with ` for ".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "conversation/conversation.h"

#define SESSION "s"
#define T(n)	"`timestamp`:`2025-12-10T10:00:0" #n "Z`"
#define USER(id, parent, more)                                                 \
	"{`type`:`user`,`sessionId`:`s`,`uuid`:`" id "`,`parentUuid`:`" parent \
	"`," more ",`message`:{`content`:`" id "`}}\n"
#define CALL(id, call, name, input)                                            \
	"{`type`:`assistant`,`sessionId`:`s`,`uuid`:`" id                      \
	"`,`message`:{`content`:[{`type`:`tool_use`,`id`:`" call               \
	"`,`name`:`" name "`,`input`:" input "}]}}\n"
#define RESULT(id, call, error)                                                \
	"{`type`:`user`,`sessionId`:`s`,`uuid`:`" id                           \
	"`,`message`:{`content`:[{`type`:`tool_result`,`tool_use_id`:`" call   \
	"`,`content`:`x`,`is_error`:" error "}]}}\n"

struct world {
	char path[2][64];
	struct ccfc_conversation_source sources[2];
	uint32_t n;
	struct ccfc_conversation_reader reader;
	struct ccfc_arena arena;
	struct ccfc_conversation *conv;
	struct ccfc_buf text;
};

static void add(struct world *w, const char *lines, const char *agent)
{
	char *path = w->path[w->n];
	size_t len = strlen(lines);
	FILE *f;
	int fd;

	snprintf(path, sizeof(w->path[0]), "/tmp/ccfc-talk-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	for (size_t i = 0; i < len; i++)
		fputc(lines[i] == '`' ? '"' : lines[i], f);
	fclose(f);
	w->sources[w->n++] = (struct ccfc_conversation_source){
		.path = path,
		.agent = ccfc_slice_str(agent),
		.end = len,
		.is_agent = agent,
		.own = true,
	};
}

static void read_all(struct world *w)
{
	ccfc_conversation_reader_init(&w->reader, UINT64_MAX);
	assert_int_equal(ccfc_conversation_read(
				 &w->conv, &w->reader, CCFC_SLICE_LIT(SESSION),
				 w->sources, w->n, CCFC_SLICE_NONE, NULL),
			 0);
}

static void drop(struct world *w)
{
	ccfc_conversation_free(w->conv);
	ccfc_conversation_reader_release(&w->reader);
	ccfc_arena_release(&w->arena);
	ccfc_buf_release(&w->text);
	for (uint32_t i = 0; i < w->n; i++)
		unlink(w->path[i]);
}

static void put_id(struct world *w, uint32_t line)
{
	struct ccfc_conversation_record r;
	struct ccfc_slice id;

	assert_true(ccfc_conversation_open(&w->reader, &r, w->conv, line));
	id = ccfc_conversation_name(&w->reader, r.fields[CCFC_FIELD_UUID]);
	ccfc_buf_printf(&w->text, "%.*s", (int)id.len, id.len ? id.ptr : "");
}

static const char *page(struct world *w, uint32_t agent, uint64_t offset,
			uint64_t limit)
{
	struct ccfc_conversation_page p;

	ccfc_buf_clear(&w->text);
	ccfc_buf_puts(&w->text, "");
	if (ccfc_conversation_page(&p, w->conv, CCFC_CONVERSATION_SAID, agent,
				   offset, limit, CCFC_CONVERSATION_NONE,
				   &w->arena, NULL))
		return "none";
	for (uint32_t i = 0; i < p.n; i++) {
		put_id(w, p.lines[i]);
		ccfc_buf_putc(&w->text, ' ');
	}
	return w->text.ptr;
}

/* "id<parent:depth" of each node. */
static const char *tree(struct world *w)
{
	struct ccfc_conversation_tree t;

	ccfc_buf_clear(&w->text);
	assert_int_equal(ccfc_conversation_tree(&t, w->conv, 0, 100, NULL), 0);
	for (uint32_t i = 0; i < t.n; i++) {
		put_id(w, t.nodes[i].line);
		if (t.nodes[i].parent != CCFC_CONVERSATION_NONE) {
			ccfc_buf_putc(&w->text, '<');
			put_id(w, t.nodes[i].parent);
		}
		ccfc_buf_printf(&w->text, ":%u ", t.nodes[i].depth);
	}
	return w->text.ptr;
}

static void test_order_and_pages(void **state)
{
	struct world w = { 0 };

	(void)state;
	add(&w,
	    USER("b", "", T(2)) USER("a", "", T(1)) "broken\n" USER(
		    "a", "", T(9)) "{`type`:`mode`,`sessionId`:`s`}\n"
				   "{`type`:`user`,`sessionId`:`other`,"
				   "`uuid`:`no`,`message`:{}}\n" USER("c", "",
								      "`x`:1"),
	    NULL);
	read_all(&w);
	/* c has the time of the copy before it. */
	assert_string_equal(page(&w, CCFC_CONVERSATION_NONE, 0, 9), "a b c ");
	assert_string_equal(page(&w, CCFC_CONVERSATION_NONE, 1, 1), "b ");
	assert_string_equal(page(&w, CCFC_CONVERSATION_NONE, 3, 1), "none");
	assert_int_equal(w.conv->types.n, 3); /* user, malformed, mode */
	assert_true(ccfc_conversation_fits(w.conv, CCFC_SLICE_LIT(SESSION),
					   w.sources, 1));
	w.sources[0].end++;
	assert_false(ccfc_conversation_fits(w.conv, CCFC_SLICE_LIT(SESSION),
					    w.sources, 1));
	drop(&w);
}

static void test_only_what_was_indexed(void **state)
{
	struct world w = { 0 };

	(void)state;
	add(&w, USER("a", "", T(1)) USER("b", "", T(2)), NULL);
	/* As if it had been read before its newline was there. */
	w.sources[0].end--;
	read_all(&w);
	assert_string_equal(page(&w, CCFC_CONVERSATION_NONE, 0, 9), "a b ");
	drop(&w);
	w = (struct world){ 0 };
	add(&w, USER("a", "", T(1)) USER("b", "", T(2)), NULL);
	w.sources[0].end -= 2;
	read_all(&w);
	assert_string_equal(page(&w, CCFC_CONVERSATION_NONE, 0, 9), "a ");
	drop(&w);
}

static void test_cycles_end(void **state)
{
	struct world w = { 0 };

	(void)state;
	/* A tail on a cycle of three, entered behind where it is cut. */
	add(&w,
	    USER("x", "z", T(1)) USER("y", "x", T(2)) USER("z", "y", T(3))
		    USER("t", "y", T(4)) USER("u", "z", T(5))
			    USER("self", "self", T(6)),
	    NULL);
	read_all(&w);
	assert_string_equal(tree(&w), "x:0 y<x:0 z<y:1 u<z:1 t<y:1 self:0 ");
	drop(&w);
}

static void test_agents_under_calls(void **state)
{
	struct world w = { 0 };
	uint32_t agent;

	(void)state;
	add(&w,
	    USER("a", "", T(1)) CALL("c", "t1", "Task",
				     "{`prompt`:`p`,`subagent_type`:`Plan`}")
		    RESULT("r", "t1", "false"),
	    NULL);
	add(&w, USER("p", "", T(2)), "a1");
	read_all(&w);
	assert_string_equal(tree(&w), "a:0 c:0 p<c:1 r:0 ");
	assert_int_equal(ccfc_conversation_find_agent(
				 &agent, w.conv, CCFC_SLICE_LIT("a"), NULL),
			 0);
	assert_int_equal(ccfc_conversation_started(w.conv, ccfc_hash("t1", 2)),
			 agent);
	assert_true(ccfc_slice_is(w.conv->agents.items[agent].type, "Plan"));
	assert_string_equal(page(&w, agent, 0, 9), "p ");
	drop(&w);
}

static void test_failed_plans_do_not_count(void **state)
{
	struct world w = { 0 };
	struct ccfc_conversation_tasks tasks;

	(void)state;
	add(&w,
	    CALL("a", "t1", "TodoWrite",
		 "{`todos`:[{`content`:`x`,`status`:`odd`}]}")
		    RESULT("b", "t1", "false")
			    CALL("c", "t2", "TodoWrite", "{`todos`:[]}")
				    RESULT("d", "t2", "true"),
	    NULL);
	read_all(&w);
	ccfc_conversation_tasks(&tasks, &w.reader, w.conv, 100, &w.arena);
	assert_int_equal(tasks.n, 1);
	assert_true(ccfc_slice_is(tasks.items[0].content, "x"));
	assert_true(ccfc_slice_is(tasks.items[0].status, "pending"));
	drop(&w);
}

/* The text of any value, cut at whole characters. */
static void test_values(void **state)
{
	static const struct {
		const char *json;
		size_t max;
		const char *text;
		bool cut;
	} rows[] = {
		{ "\"a\\u00e9b\"", 9,
		  "a\xc3\xa9"
		  "b",
		  false },
		{ "\"a\\u00e9b\"", 2, "a", true },
		{ "\"\\ud83d\\ude00\"", 4, "\xf0\x9f\x98\x80", false },
		{ "\"\\ud83d\"", 9, "\xef\xbf\xbd", false },
		{ "[ 1 , {\"a\" : \"b c\"} ]", 99, "[1,{\"a\":\"b c\"}]",
		  false },
		{ "[1,2]", 3, "[1,", true },
		{ "[1,2]", 5, "[1,2]", false },
		{ "-1.5e3", 9, "-1.5e3", false },
		{ "null", 9, "null", false },
	};
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_json json;

	(void)state;
	ccfc_json_init(&json);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char line[256] = { 0 };
		bool cut = false;
		struct ccfc_slice got;

		snprintf(line, 128, "{\"v\": %s }", rows[i].json);
		assert_true(ccfc_json_parse(&json, ccfc_slice_str(line)));
		got = ccfc_conversation_value(&json, 3, rows[i].max, &cut,
					      &arena);
		assert_true(ccfc_slice_is(got, rows[i].text));
		assert_int_equal(cut, rows[i].cut);
	}
	ccfc_json_release(&json);
	ccfc_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_pages),
		cmocka_unit_test(test_only_what_was_indexed),
		cmocka_unit_test(test_cycles_end),
		cmocka_unit_test(test_agents_under_calls),
		cmocka_unit_test(test_failed_plans_do_not_count),
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
