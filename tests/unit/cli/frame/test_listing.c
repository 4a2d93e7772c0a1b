/* The tables of `list` and `search` against the specification's examples. */
#include "golden.h"

#include "cli/frame/listing.h"
#include "cli/out/render.h"

static const char list_text[] =
	"Session: abc123-def456\n"
	"Project: /home/user/my-project\n"
	"Branch:  feature/auth\n"
	"Period:  2025-12-10 10:00 - 2025-12-10 12:30\n"
	"\n"
	"Changed Files (5 files, 12 changes):\n"
	"\n"
	"  PATH                          CHANGES  FIRST CHANGE          TOOLS\n"
	"  src/auth/login.ts             4        2025-12-10 10:05:23   Edit\n"
	"  src/auth/logout.ts            2        2025-12-10 10:15:42   "
	"Edit, Write\n"
	"  src/models/user.ts            3        2025-12-10 10:22:11   Edit\n"
	"  tests/auth.test.ts            2        2025-12-10 11:45:33   Write\n"
	"  README.md                     1        2025-12-10 12:28:01   Edit\n"
	"\n"
	"By Extension: .ts (4), .md (1)\n"
	"By Directory: src/auth/ (2), src/models/ (1), tests/ (1)\n";

static const char search_text[] =
	"File: src/auth/login.ts\n"
	"Modified by 3 sessions:\n"
	"\n"
	"  SESSION ID       PROJECT                 BRANCH          CHANGES  "
	"LAST MODIFIED\n"
	"  abc123-def456    /home/user/my-project   feature/auth    4        "
	"2025-12-10 12:30\n"
	"  xyz789-uvw012    /home/user/my-project   main            2        "
	"2025-12-08 15:22\n"
	"  mno345-pqr678    /home/user/my-project   fix/login-bug   1        "
	"2025-12-05 09:15\n"
	"\n"
	"Total: 7 changes across 3 sessions\n";

static void test_list(void **state)
{
	struct ccfc_out out = memory_out(0);
	struct packed p;

	(void)state;
	golden_pack_summary(packed_init(&p));
	ccfc_list_print(&out, packed_root(&p), false, false);
	assert_string_equal(out.buf.ptr, list_text);
	ccfc_buf_release(&out.buf);
	packed_release(&p);
}

static void test_search(void **state)
{
	struct ccfc_out out = memory_out(0);
	struct packed p;

	(void)state;
	golden_pack_history(packed_init(&p));
	ccfc_search_print(&out, packed_root(&p),
			  ccfc_slice_str("src/auth/login.ts"), 0, false);
	assert_string_equal(out.buf.ptr, search_text);
	ccfc_buf_release(&out.buf);
	packed_release(&p);
}

/* On a terminal of 70 columns: short ids, cut paths. */
static void test_terminal(void **state)
{
	struct ccfc_out out = memory_out(70);
	struct packed p;

	(void)state;
	golden_pack_history(packed_init(&p));
	ccfc_search_print(&out, packed_root(&p),
			  ccfc_slice_str("src/auth/login.ts"), 0, false);
	assert_string_equal(
		out.buf.ptr,
		"File: src/auth/login.ts\n"
		"Modified by 3 sessions:\n"
		"\n"
		"  SESSION ID    PROJECT         BRANCH          CHANGES  LAST "
		"MODIFIED\n"
		"  abc123-d      /hom\u2026-project   feature/auth    4        "
		"2025-12-10\n"
		"  xyz789-u      /hom\u2026-project   main            2        "
		"2025-12-08\n"
		"  mno345-p      /hom\u2026-project   fix/login-bug   1        "
		"2025-12-05\n"
		"\n"
		"Total: 7 changes across 3 sessions\n");
	ccfc_buf_release(&out.buf);
	packed_release(&p);
}

/* One of each, a branch that is not known, and more sessions than shown. */
static void test_singular(void **state)
{
	struct ccfc_out out = memory_out(0);
	struct ccfc_pack *p;
	struct packed packed;

	(void)state;
	p = packed_init(&packed);
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "totalSessions", 2);
	ccfc_pack_kv_int(p, "totalChanges", 1);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	golden_pack_match(p, "abc", NULL, 1, "");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_search_print(&out, packed_root(&packed),
			  ccfc_slice_str("a\033]0;x\ab"), 0, false);
	assert_string_equal(
		out.buf.ptr,
		"File: a^[]0;x^Gb\n"
		"Modified by 2 sessions:\n"
		"\n"
		"  SESSION ID    PROJECT                 BRANCH   CHANGES  "
		"LAST MODIFIED\n"
		"  abc           /home/user/my-project   -        1        "
		"-\n"
		"\n"
		"Total: 1 change across 2 sessions\n"
		"more: --offset=1\n");
	ccfc_buf_release(&out.buf);
	packed_release(&packed);
}

static void pack_prompts(struct ccfc_pack *p, const char *const *prompts)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "sessionId", "abc");
	ccfc_pack_cstr(p, "changes");
	ccfc_pack_array(p);
	for (; *prompts; prompts++) {
		ccfc_pack_map(p);
		if (**prompts)
			ccfc_pack_kv_cstr(p, "prompt", *prompts);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

/* --why: each prompt once under its session, cut to the terminal. */
static void test_why(void **state)
{
	static const char *const one[] = { "add a login", "add a login", "",
					   "add a login", NULL };
	static const char *const two[] = {
		"use\x1b[31m tokens", "and then all the rest of it, please",
		NULL
	};
	struct ccfc_out out = memory_out(32);
	struct ccfc_pack *p;
	struct packed packed;

	(void)state;
	p = packed_init(&packed);
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	pack_prompts(p, one);
	pack_prompts(p, two);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_search_print(&out, packed_root(&packed), ccfc_slice_str("a"), 0,
			  false);
	assert_non_null(strstr(out.buf.ptr, "\n    add a login\n  abc"));
	assert_non_null(strstr(out.buf.ptr, "\n    use^[[31m tokens\n    and"));
	assert_non_null(strstr(out.buf.ptr, " all the rest of it…\n"));
	ccfc_buf_release(&out.buf);
	packed_release(&packed);
}

static void pack_change(struct ccfc_pack *p, const char *time, const char *tool,
			const char *old, const char *new)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "timestamp", time);
	ccfc_pack_kv_cstr(p, "tool", tool);
	if (old)
		ccfc_pack_kv_cstr(p, "oldContent", old);
	if (new)
		ccfc_pack_kv_cstr(p, "newContent", new);
}

static void pack_edit(struct ccfc_pack *p, const char *old, const char *new)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "oldContent", old);
	ccfc_pack_kv_cstr(p, "newContent", new);
	ccfc_pack_end(p);
}

static void pack_changes(struct ccfc_pack *p)
{
	ccfc_pack_array(p);
	pack_change(p, "2025-12-10T10:05:23.000Z", "Edit",
		    "const token = generateToken();",
		    "const token = generateToken(user.id, { expiresIn: '1h' "
		    "});");
	ccfc_pack_kv_cstr(p, "state", "applied");
	ccfc_pack_end(p);
	pack_change(p, "2025-12-10T10:08:15.000Z", "MultiEdit", NULL, NULL);
	ccfc_pack_kv_cstr(p, "agentId", "a1b2c3d");
	ccfc_pack_cstr(p, "edits");
	ccfc_pack_array(p);
	pack_edit(p, "a\n", "b\n\nc");
	pack_edit(p, "d", "");
	ccfc_pack_end(p);
	ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_pack_end(p);
	pack_change(p, "", "Write", NULL, "");
	ccfc_pack_kv_cstr(p, "state", "failed");
	ccfc_pack_kv_cstr(p, "agentId", "x");
	ccfc_pack_end(p);
	pack_change(p, "", "Write", NULL, NULL);
	ccfc_pack_kv_bool(p, "binary", true);
	ccfc_pack_end(p);
	pack_change(p, "", "Write", NULL, NULL);
	ccfc_pack_kv_cstr(p, "contentUnavailable", "transcript is gone");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static const char changes_text[] =
	"\n=== src/auth/login.ts (5 changes) ===\n"
	"\n[1] 2025-12-10 10:05:23 (Edit)\n"
	"  - const token = generateToken();\n"
	"  + const token = generateToken(user.id, { expiresIn: '1h' });\n"
	"\n[2] 2025-12-10 10:08:15 (MultiEdit, agent a1b2c3d)\n"
	"  - a\n"
	"  + b\n"
	"  +\n"
	"  + c\n"
	"  - d\n"
	"  (cut here: the content is longer)\n"
	"\n[3] - (Write, failed, agent x)\n"
	"  (empty)\n"
	"\n[4] - (Write)\n"
	"  (binary content, not shown)\n"
	"\n[5] - (Write)\n"
	"  (content unavailable: transcript is gone)\n";

static void test_changes(void **state)
{
	struct ccfc_out out = memory_out(0);
	struct packed p;

	(void)state;
	pack_changes(packed_init(&p));
	ccfc_render_changes(&out, ccfc_slice_str("src/auth/login.ts"),
			    packed_root(&p));
	assert_string_equal(out.buf.ptr, changes_text);
	ccfc_buf_release(&out.buf);
	packed_release(&p);
}

/* Content is exact in a pipe and safe on a terminal. */
static void test_content(void **state)
{
	static const struct {
		unsigned width;
		const char *text;
	} rows[] = {
		{ 0, "\n=== f (1 change) ===\n\n[1] - (Write)\n"
		     "  + \tx\033[2J\r\n" },
		{ 80, "\n=== f (1 change) ===\n\n[1] - (Write)\n"
		      "  + \tx^[[2J^M\n" },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct ccfc_out out = memory_out(rows[i].width);
		struct ccfc_pack *p;
		struct packed packed;

		p = packed_init(&packed);
		ccfc_pack_array(p);
		pack_change(p, "", "Write", NULL, "\tx\033[2J\r\n");
		ccfc_pack_end(p);
		ccfc_pack_end(p);
		ccfc_render_changes(&out, ccfc_slice_str("f"),
				    packed_root(&packed));
		assert_string_equal(out.buf.ptr, rows[i].text);
		ccfc_buf_release(&out.buf);
		packed_release(&packed);
	}
}

static void test_paths(void **state)
{
	static const struct {
		unsigned width;
		char end;
		const char *text;
		size_t len;
	} rows[] = {
		{ 0, '\n', "a\033\xff\n", 4 },
		{ 0, '\0', "a\033\xff", 4 },
		{ 80, '\0', "a\033\xff", 4 },
		{ 80, '\n', "a^[\\xff\n", 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out out = memory_out(rows[i].width);

		ccfc_render_path(&out, ccfc_slice_str("a\033\xff"),
				 rows[i].end);
		assert_int_equal(out.buf.len, rows[i].len);
		assert_memory_equal(out.buf.ptr, rows[i].text, rows[i].len);
		ccfc_buf_release(&out.buf);
	}
}

/* Ids are shortened as far as they stay different, 8 at the least. */
static void test_id_length(void **state)
{
	static const struct {
		const char *ids[4];
		size_t length;
	} rows[] = {
		{ { "abc" }, 8 },
		{ { "01234567-a", "11234567-a" }, 8 },
		{ { "01234567a", "01234567b" }, 9 },
		{ { "01234567-a", "01234567-b" }, 10 },
		{ { "01234567-a", "x", "01234567-b" }, 10 },
		{ { "01234567-a", "01234567-a" }, 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out tty = memory_out(80), pipe = memory_out(0);
		struct ccfc_pack *p;
		struct packed packed;

		p = packed_init(&packed);
		ccfc_pack_array(p);
		for (int j = 0; rows[i].ids[j]; j++)
			golden_pack_match(p, rows[i].ids[j], NULL, 1, "");
		ccfc_pack_end(p);
		packed_root(&packed);
		assert_int_equal(
			ccfc_render_id_length(&tty, ccfc_doc_root(packed.doc)),
			rows[i].length);
		assert_true(ccfc_render_id_length(&pipe,
						  ccfc_doc_root(packed.doc)) ==
			    SIZE_MAX);
		packed_release(&packed);
	}
}

static void test_bytes(void **state)
{
	static const struct {
		int64_t n;
		const char *text;
	} rows[] = {
		{ 0, "0 bytes" },
		{ 1, "1 byte" },
		{ 1023, "1023 bytes" },
		{ 1024, "1.0 KiB" },
		{ 1536, "1.5 KiB" },
		{ 1048575, "1.0 MiB" },
		{ INT64_C(5) << 30, "5.0 GiB" },
		{ INT64_C(5000) << 40, "5000.0 TiB" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf buf = CCFC_BUF_INIT;

		ccfc_render_bytes(&buf, rows[i].n);
		assert_string_equal(buf.ptr, rows[i].text);
		ccfc_buf_release(&buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_singular),
		cmocka_unit_test(test_why),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_content),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_id_length),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
