/* Pieces of messages in each format, and agents that are found. */
#include "fake.h"

#include "cli/conversation/message_stream.h"

static void check_out(struct ccfc_out *out, const char *want)
{
	assert_string_equal(out->buf.len ? out->buf.ptr : "", want);
	ccfc_buf_release(&out->buf);
}

/* ---- texts ---- */

static void test_code(void **state)
{
	struct ccfc_out out = memory_out(0);

	(void)state;
	ccfc_md_code(&out, CCFC_SLICE_LIT("a\n"), "sh");
	check_out(&out, "```sh\na\n```\n\n");
	out = memory_out(0);
	ccfc_md_code(&out, CCFC_SLICE_LIT("```\n````x"), "");
	check_out(&out, "`````\n```\n````x\n`````\n\n");
	out = memory_out(0);
	ccfc_md_code(&out, CCFC_SLICE_NONE, "");
	check_out(&out, "```\n```\n\n");
	out = memory_out(80);
	ccfc_md_code(&out, CCFC_SLICE_LIT("\033[1m"), "");
	check_out(&out, "```\n^[[1m\n```\n\n");
}

static void test_open_fences(void **state)
{
	static const char *const rows[][2] = {
		{ "a", "a\n\n" },
		{ "```\na", "```\na\n```\n\n" },
		{ "```\na\n```", "```\na\n```\n\n" },
		{ "````c\n```\n", "````c\n```\n````\n\n" },
		{ "~~~\n```", "~~~\n```\n~~~\n\n" },
		{ "``` `` x", "``` `` x\n\n" },
		{ "    ```\n", "    ```\n\n" },
		{ "```\n```x\n", "```\n```x\n```\n\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out out = memory_out(0);

		ccfc_md_text(&out, ccfc_slice_str(rows[i][0]));
		check_out(&out, rows[i][1]);
	}
}

static void test_words(void **state)
{
	struct ccfc_out out = memory_out(0);

	(void)state;
	ccfc_md_words(&out, CCFC_SLICE_LIT("a_b*c\n<i>[x]|"));
	check_out(&out, "a\\_b\\*c \\<i\\>\\[x\\]\\|");
}

static void test_html(void **state)
{
	static const char *const rows[][2] = {
		{ "a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;" },
		{ "\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\033\a\r\n\t", "&#9243;&#9223;&#13;\n\t" },
		{ "\xe2\x80\xae", "&lt;U+202E&gt;" },
		{ "\xc2\x9b\x7f", "\\x9b\\x7f" },
		{ "\xe6\x97\xa5", "\xe6\x97\xa5" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out out = memory_out(0);

		ccfc_html_text(&out.buf, ccfc_slice_str(rows[i][0]));
		check_out(&out, rows[i][1]);
	}
	struct ccfc_out out = memory_out(0);

	ccfc_html_text(&out.buf, ccfc_slice("a\0b", 3));
	check_out(&out, "a&#9216;b");
}

static void test_lines(void **state)
{
	struct ccfc_out out = memory_out(0);

	(void)state;
	setenv("LC_ALL", "C.UTF-8", 1);
	ccfc_text_lines(&out, CCFC_SLICE_LIT("a\n\nb\nc\nd\n"), 2,
			CCFC_STYLE_FAINT, true, 3);
	check_out(&out, "  a\n  \n  b\n  … 2 more lines\n");
	out = memory_out(0);
	setenv("LC_ALL", "C", 1);
	ccfc_text_lines(&out, CCFC_SLICE_LIT("a\nb"), 0, CCFC_STYLE_FAINT, true,
			1);
	check_out(&out, "a\n... 1 more line\n");
	out = memory_out(0);
	ccfc_text_lines(&out, CCFC_SLICE_LIT("a\nb"), 0, CCFC_STYLE_FAINT, true,
			2);
	check_out(&out, "a\nb\n");
}

/* ---- runs ---- */

#define SESSION "9a"

static void pack_info(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", SESSION);
	ccfc_pack_kv_cstr(p, "title", "<t>");
	ccfc_pack_cstr(p, "agents");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "count", 2);
	ccfc_pack_end(p);
	ccfc_pack_kv_int(p, "totalMessages", 2);
	ccfc_pack_end(p);
}

static void pack_message(struct ccfc_pack *p, const char *id, const char *text,
			 const char *agent, bool cut)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "id", id);
	ccfc_pack_kv_cstr(p, "role", "user");
	ccfc_pack_kv_cstr(p, "content", text);
	if (agent) {
		ccfc_pack_cstr(p, "toolCalls");
		ccfc_pack_array(p);
		ccfc_pack_map(p);
		ccfc_pack_kv_cstr(p, "id", "c");
		ccfc_pack_cstr(p, "agent");
		ccfc_pack_map(p);
		ccfc_pack_kv_cstr(p, "agentId", agent);
		ccfc_pack_end(p);
		ccfc_pack_end(p);
		ccfc_pack_end(p);
	}
	if (cut)
		ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_pack_end(p);
}

static void begin_page(struct ccfc_pack *p, int total)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "totalMessages", total);
	ccfc_pack_cstr(p, "messages");
	ccfc_pack_array(p);
}

static void end_page(struct ccfc_pack *p)
{
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

/* The second has no room in this answer. */
static void pack_both(struct ccfc_pack *p)
{
	begin_page(p, 2);
	pack_message(p, "m1", "one", "A", false);
	pack_message(p, "m2", "tw", NULL, true);
	end_page(p);
}

static void pack_second(struct ccfc_pack *p)
{
	begin_page(p, 2);
	pack_message(p, "m2", "two", NULL, false);
	end_page(p);
}

static void pack_of_agent(struct ccfc_pack *p)
{
	begin_page(p, 1);
	pack_message(p, "m3", "x", "A", false);
	end_page(p);
}

/* An agent that no call names. */
static void pack_events(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "totalEvents", 1);
	ccfc_pack_cstr(p, "events");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "agentId", "B");
	ccfc_pack_end(p);
	end_page(p);
}

static bool is_first(struct ccfc_obj params)
{
	return ccfc_obj_get_int(params, "limit", 0) == 200 &&
	       ccfc_obj_get_int(params, "offset", 0) == 0;
}

static bool is_alone(struct ccfc_obj params)
{
	return ccfc_obj_get_int(params, "limit", 0) == 1 &&
	       ccfc_obj_get_int(params, "offset", 0) == 1;
}

static bool is_agent_a(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "agentId"), "A") &&
	       is_first(params);
}

static bool is_agent_b(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "agentId"), "B");
}

static void test_export(void **state)
{
	static const struct fake_step steps[] = {
		{ "session.get", NULL, pack_info, 0, NULL, false },
		{ "session.messages", is_first, pack_both, 0, NULL, false },
		{ "session.messages", is_alone, pack_second, 0, NULL, false },
		{ "session.messages", is_agent_a, pack_of_agent, 0, NULL,
		  false },
		{ "session.timeline", NULL, pack_events, 0, NULL, false },
		{ "session.messages", is_agent_b, NULL, CCFC_ENOTFOUND, NULL,
		  false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("export", SESSION, "--format=json"), steps,
		   CCFC_EXIT_FOUND,
		   "{\n\"session\": {\n\"sessionId\": \"9a\",\n"
		   "\"title\": \"<t>\",\n\"agents\": {\"count\":2},\n"
		   "\"totalMessages\": 2\n},\n\"messages\": [\n"
		   "{\"id\":\"m1\",\"role\":\"user\",\"content\":\"one\","
		   "\"toolCalls\":[{\"id\":\"c\",\"agent\":{\"agentId\":"
		   "\"A\"}}]},\n"
		   "{\"id\":\"m2\",\"role\":\"user\",\"content\":\"two\"}\n"
		   "],\n\"agents\": [\n"
		   "{\"agentId\":\"A\",\"toolUseId\":\"c\",\"messages\":[\n"
		   "{\"id\":\"m3\",\"role\":\"user\",\"content\":\"x\","
		   "\"toolCalls\":[{\"id\":\"c\",\"agent\":{\"agentId\":"
		   "\"A\"}}]}\n]},\n"
		   "{\"agentId\":\"B\",\"messages\":[\n]}\n]\n}\n",
		   "");
}

/* What was written until the daemon failed is not left in a file. */
static void test_failure(void **state)
{
	static const struct fake_step steps[] = {
		{ "session.get", NULL, pack_info, 0, NULL, false },
		{ "session.messages", NULL, NULL, CCFC_EIO, NULL, false },
		{ 0 },
	};

	(void)state;
	fake_check(ARGV("export", SESSION, "--format=json"), steps,
		   CCFC_EXIT_ERROR, NULL, "ccfc: what: why\nhint: try^[this\n");
}

static void test_options(void **state)
{
	static const struct fake_step steps[] = {
		{ "session.get", NULL, pack_info, 0, NULL, false },
		{ "session.reads", NULL, NULL, CCFC_ENOTFOUND, NULL, false },
		{ 0 },
	};

	(void)state;
	/* A value of its own only behind '=': what follows is the session. */
	fake_check(ARGV("show", "--files=read", SESSION), steps,
		   CCFC_EXIT_NOTHING, "",
		   "ccfc: show: nothing found: the session has no files\n");
	fake_check(ARGV("show", "--files", SESSION), NULL,
		   CCFC_EXIT_UNREACHABLE, "", NULL);
	fake_check(ARGV("show", "--files=x", SESSION), NULL, CCFC_EXIT_ERROR,
		   "",
		   "ccfc: show: --files=x: no such choice\n"
		   "hint: one of all, modified, read\n");
}

static int set_up(void **state)
{
	setenv("CCFC_NO_SPAWN", "1", 1);
	return use_utc(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_open_fences),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_html),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_export),
		cmocka_unit_test(test_failure),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
