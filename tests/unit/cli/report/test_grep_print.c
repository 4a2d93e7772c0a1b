/* What `grep` shows. */
#include "cli_test.h"

#include "cli/report/grep_print.h"

#define UUID "abcdef01-2345-4000-8000-000000000000"

/* A match up to its places; the caller ends the map. */
static void pack_match(struct ccfc_pack *p, const char *snippet,
		       const int (*ranges)[2], int n)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", "01234567-89ab");
	ccfc_pack_kv_cstr(p, "messageUuid", UUID);
	ccfc_pack_kv_cstr(p, "timestamp", "2025-12-10T10:05:00.000Z");
	ccfc_pack_kv_cstr(p, "role", "user");
	ccfc_pack_kv_cstr(p, "snippet", snippet);
	ccfc_pack_cstr(p, "matches");
	ccfc_pack_array(p);
	for (int i = 0; i < n; i++) {
		ccfc_pack_array(p);
		ccfc_pack_int(p, ranges[i][0]);
		ccfc_pack_int(p, ranges[i][1]);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

/* The totals, around `matches` that the caller packs between these two. */
static void pack_begin(struct ccfc_pack *p, bool truncated)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "totalMatches", 5);
	ccfc_pack_kv_int(p, "totalSessions", 1);
	ccfc_pack_kv_int(p, "scannedBytes", 2048);
	ccfc_pack_kv_bool(p, "truncated", truncated);
	ccfc_pack_cstr(p, "matches");
	ccfc_pack_array(p);
}

static void pack_end(struct ccfc_pack *p)
{
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void test_pipe(void **state)
{
	static const int ranges[][2] = { { 4, 7 } };
	struct ccfc_out out = memory_out(0);
	struct ccfc_pack *p;
	struct packed packed;

	(void)state;
	p = packed_init(&packed);
	pack_begin(p, true);
	pack_match(p, "fix log\033in\n\nnow", ranges, 1);
	ccfc_pack_kv_cstr(p, "title", "\n The\alogin \nand more");
	ccfc_pack_kv_cstr(p, "in", "text");
	ccfc_pack_kv_int(p, "count", 1);
	ccfc_pack_end(p);
	pack_match(p, "x", NULL, 0);
	ccfc_pack_kv_cstr(p, "in", "tool");
	ccfc_pack_kv_cstr(p, "toolName", "Bash");
	ccfc_pack_kv_cstr(p, "agentId", "a1b2");
	ccfc_pack_kv_int(p, "count", 3);
	ccfc_pack_kv_cstr(p, "source", "gone");
	ccfc_pack_end(p);
	pack_end(p);
	ccfc_grep_print(&out, packed_root(&packed), 0);
	assert_string_equal(
		out.buf.ptr,
		"01234567-89ab  2025-12-10 10:05  user  The^Glogin\n"
		"    fix log\033in\n"
		"    now\n"
		"  open: ccfc show 01234567-89ab --message=" UUID "\n"
		"\n"
		"01234567-89ab  2025-12-10 10:05  user, tool Bash, agent a1b2, "
		"3 times (the transcript is gone)\n"
		"    x\n"
		"  open: ccfc show 01234567-89ab --agent=a1b2 --message=" UUID
		"\n"
		"\n"
		"Total: 5 matches in 1 session, 2.0 KiB searched\n"
		"incomplete: the search ended early, or transcripts could not "
		"be read\n"
		"more: --offset=2\n");
	ccfc_buf_release(&out.buf);
	packed_release(&packed);
}

/* On a terminal: short ids, safe text, the matches in colour. */
static void test_terminal(void **state)
{
	static const int ranges[][2] = {
		{ 0, 2 }, { 4, 8 }, { 6, 9 }, { 5, 3 }, { -1, 4 }, { 9, 99 },
	};
	struct ccfc_out out = memory_out(52);
	struct ccfc_pack *p;
	struct packed packed;

	(void)state;
	out.color = true;
	p = packed_init(&packed);
	pack_begin(p, false);
	pack_match(p, "\xc3\xa9\033xab\ncde", ranges, 6);
	ccfc_pack_kv_cstr(p, "title", "a title that does not fit any more");
	ccfc_pack_end(p);
	pack_end(p);
	ccfc_grep_print(&out, packed_root(&packed), 4);
	assert_string_equal(
		out.buf.ptr,
		"\033[1m01234567\033[m  2025-12-10  user  a title that does "
		"not f…\n"
		"    \033[1;31m\xc3\xa9\033[m^[x\033[1;31mab\033[m\n"
		"    \033[1;31mc\033[mde\n"
		"  \033[2mopen: ccfc show 01234567 --message=abcdef01\033[m\n"
		"\n"
		"Total: 5 matches in 1 session, 2.0 KiB searched\n");
	ccfc_buf_release(&out.buf);
	packed_release(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_terminal),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
