/* Figures as people read them. */
#include "cli_test.h"

#include "base/time.h"
#include "cli/out/human.h"
#include "cli/out/locale_utf8.h"

static void test_count(void **state)
{
	static const struct {
		int64_t n;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1.0k" },
		{ 12345, "12.3k" },
		{ 99949, "99.9k" },
		{ 99950, "100k" },
		{ 123456, "123k" },
		{ 999499, "999k" },
		{ 999500, "1.0M" },
		{ 1234567, "1.2M" },
		{ INT64_C(2000000000), "2.0G" },
		{ INT64_MAX, "9223P" },
		{ -5, "-5" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf buf = CCFC_BUF_INIT;

		ccfc_human_count(&buf, rows[i].n);
		assert_string_equal(buf.ptr, rows[i].text);
		ccfc_buf_release(&buf);
	}
}

static void test_tokens(void **state)
{
	struct ccfc_pack *p;
	struct packed packed;

	(void)state;
	p = packed_init(&packed);
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "input", 1);
	ccfc_pack_kv_int(p, "output", 20);
	ccfc_pack_kv_int(p, "cacheRead", 300);
	ccfc_pack_kv_int(p, "cacheWrite", 4000);
	ccfc_pack_kv_int(p, "other", 50000);
	ccfc_pack_end(p);
	assert_int_equal(ccfc_human_tokens(packed_root(&packed)), 4321);
	assert_int_equal(ccfc_human_tokens((struct ccfc_obj){ NULL }), 0);
	packed_release(&packed);
	p = packed_init(&packed);
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "input", INT64_MAX);
	ccfc_pack_kv_int(p, "output", 1);
	ccfc_pack_end(p);
	assert_true(ccfc_human_tokens(packed_root(&packed)) == INT64_MAX);
	packed_release(&packed);
}

static void test_duration(void **state)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} rows[] = {
		{ -1, "-" },	     { 0, "0s" },	  { 59, "59s" },
		{ 60, "1m" },	     { 3599, "59m" },	  { 3600, "1h00m" },
		{ 3900, "1h05m" },   { 86399, "23h59m" }, { 86400, "1d00h" },
		{ 273600, "3d04h" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf buf = CCFC_BUF_INIT;

		ccfc_human_duration(&buf, rows[i].seconds);
		assert_string_equal(buf.ptr, rows[i].text);
		ccfc_buf_release(&buf);
	}
}

/* Relative to now on a terminal, the minute elsewhere. */
static void test_when(void **state)
{
	static const struct {
		const char *time, *tty, *pipe;
	} rows[] = {
		{ "2025-12-10T12:00:00.000Z", "just now", "2025-12-10 12:00" },
		{ "2025-12-10T11:59:00.000Z", "1 min ago", "2025-12-10 11:59" },
		{ "2025-12-10T11:00:01.000Z", "59 min ago",
		  "2025-12-10 11:00" },
		{ "2025-12-10T11:00:00.000Z", "1 h ago", "2025-12-10 11:00" },
		{ "2025-12-09T12:00:01.000Z", "23 h ago", "2025-12-09 12:00" },
		{ "2025-12-09T12:00:00.000Z", "1 day ago", "2025-12-09 12:00" },
		{ "2025-12-08T12:00:00.000Z", "2 days ago",
		  "2025-12-08 12:00" },
		{ "2025-12-03T12:00:01.000Z", "6 days ago",
		  "2025-12-03 12:00" },
		{ "2025-12-03T12:00:00.000Z", "2025-12-03",
		  "2025-12-03 12:00" },
		{ "2025-12-10T13:00:00.000Z", "2025-12-10 13:00",
		  "2025-12-10 13:00" },
		{ "nonsense", "-", "-" },
	};
	int64_t now =
		ccfc_time_parse(ccfc_slice_str("2025-12-10T12:00:00.000Z"));

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out tty = memory_out(80), pipe = memory_out(0);
		struct packed p;

		ccfc_pack_cstr(packed_init(&p), rows[i].time);
		packed_root(&p);
		ccfc_human_when(&tty.buf, &tty, ccfc_doc_root(p.doc), now);
		ccfc_human_when(&pipe.buf, &pipe, ccfc_doc_root(p.doc), now);
		assert_string_equal(tty.buf.ptr, rows[i].tty);
		assert_string_equal(pipe.buf.ptr, rows[i].pipe);
		ccfc_buf_release(&tty.buf);
		ccfc_buf_release(&pipe.buf);
		packed_release(&p);
	}
}

static void test_path(void **state)
{
	static const struct {
		unsigned width;
		const char *home, *path, *text;
	} rows[] = {
		{ 80, "/home/dev", "/home/dev/src", "~/src" },
		{ 80, "/home/dev/", "/home/dev/src", "~/src" },
		{ 80, "/home/dev", "/home/dev", "~" },
		{ 80, "/home/dev", "/home/developer", "/home/developer" },
		{ 80, "/", "/srv", "/srv" },
		{ 80, "/home/dev", "", "-" },
		{ 0, "/home/dev", "/home/dev/src", "/home/dev/src" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out out = memory_out(rows[i].width);

		setenv("HOME", rows[i].home, 1);
		ccfc_human_path(&out.buf, &out, ccfc_slice_str(rows[i].path));
		assert_string_equal(out.buf.ptr, rows[i].text);
		ccfc_buf_release(&out.buf);
	}
}

static void test_title(void **state)
{
	static const struct {
		const char *title, *text;
	} rows[] = {
		{ "one", "one" },   { " \n\tone two \r\nthree", "one two" },
		{ "one\n", "one" }, { " \n ", "-" },
		{ "", "-" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(ccfc_slice_is(
			ccfc_human_title(ccfc_slice_str(rows[i].title)),
			rows[i].text));
}

static void test_utf8(void **state)
{
	static const struct {
		const char *all, *ctype, *lang;
		bool utf8;
	} rows[] = {
		{ "C.UTF-8", "C", "C", true },
		{ "C", "C.UTF-8", "de_DE.UTF-8", false },
		{ "", "de_DE.utf8", "C", true },
		{ "", "", "en_US.UTF-8", true },
		{ "", "", "", false },
		{ "", "", "de_DE.ISO-8859-1", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		setenv("LC_ALL", rows[i].all, 1);
		setenv("LC_CTYPE", rows[i].ctype, 1);
		setenv("LANG", rows[i].lang, 1);
		assert_int_equal(ccfc_is_utf8(), rows[i].utf8);
	}
}

static void test_bar(void **state)
{
	static const struct {
		int64_t n, max;
		const char *utf8, *ascii;
	} rows[] = {
		{ 8, 8, "████", "####" },
		{ 4, 8, "██", "##" },
		{ 3, 8, "█▌", "##" },
		{ 1, 1000, "▏", "#" },
		{ 0, 8, "", "" },
		{ -3, 8, "", "" },
		{ 5, 0, "", "" },
		{ 90, 8, "████", "####" },
		{ INT64_MAX, INT64_MAX, "████", "####" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf a = CCFC_BUF_INIT, b = CCFC_BUF_INIT;

		ccfc_buf_puts(&a, "");
		ccfc_buf_puts(&b, "");
		ccfc_human_bar(&a, rows[i].n, rows[i].max, 4, true);
		ccfc_human_bar(&b, rows[i].n, rows[i].max, 4, false);
		assert_string_equal(a.ptr ? a.ptr : "", rows[i].utf8);
		assert_string_equal(b.ptr ? b.ptr : "", rows[i].ascii);
		ccfc_buf_release(&a);
		ccfc_buf_release(&b);
	}
}

static void test_spark(void **state)
{
	struct ccfc_buf a = CCFC_BUF_INIT, b = CCFC_BUF_INIT;

	(void)state;
	for (int64_t n = 0; n <= 8; n++) {
		ccfc_human_spark(&a, n, 8, true);
		ccfc_human_spark(&b, n, 8, false);
	}
	assert_string_equal(a.ptr, " ▁▂▃▄▅▆▇█");
	assert_string_equal(b.ptr, " .:-=+*%#");
	ccfc_buf_release(&a);
	ccfc_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),	 cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_duration), cmocka_unit_test(test_when),
		cmocka_unit_test(test_path),	 cmocka_unit_test(test_title),
		cmocka_unit_test(test_utf8),	 cmocka_unit_test(test_bar),
		cmocka_unit_test(test_spark),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
