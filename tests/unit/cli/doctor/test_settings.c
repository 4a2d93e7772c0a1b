/* One number out of a file of settings, and which file wins. */
#include "cli_test.h"

#include "cli/doctor/doctor.h"
#include "cli/doctor/retention.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "cleanupPeriodDays"

static void test_values(void **state)
{
	static const struct {
		const char *json;
		enum ccfc_setting_kind kind;
		int64_t number;
		unsigned line, open_line;
		bool one_line, empty;
	} cases[] = {
		{ "{}", CCFC_SETTING_ABSENT, 0, 0, 1, false, true },
		{ "\n\n {\n}\n", CCFC_SETTING_ABSENT, 0, 0, 3, false, true },
		{ "{\"" KEY "\":30}", CCFC_SETTING_NUMBER, 30, 1, 1, true,
		  false },
		{ "\xef\xbb\xbf{\"" KEY "\": 0 }", CCFC_SETTING_NUMBER, 0, 1, 1,
		  true, false },
		{ "{\"a\":[],\n\"" KEY "\":\n-5}", CCFC_SETTING_NUMBER, -5, 2,
		  1, false, false },
		{ "{\"" KEY "\": 3e1}", CCFC_SETTING_NUMBER, 30, 1, 1, true,
		  false },
		{ "{\"" KEY "\": 1.5}", CCFC_SETTING_OTHER, 1, 1, 1, true,
		  false },
		{ "{\"" KEY "\": 1e300}", CCFC_SETTING_OTHER, 0, 1, 1, true,
		  false },
		{ "{\"" KEY "\": \"30\"}", CCFC_SETTING_OTHER, 0, 1, 1, true,
		  false },
		{ "{\"" KEY "\": null}", CCFC_SETTING_OTHER, 0, 1, 1, true,
		  false },
		{ "{\"" KEY "\": 1, \"" KEY "\": 2}", CCFC_SETTING_NUMBER, 2, 1,
		  1, true, false },
		{ "{\"x\": {\"" KEY "\": 1}, \"y\": \"\\\"" KEY "\\u0041\"}",
		  CCFC_SETTING_ABSENT, 0, 0, 1, false, false },
	};
	struct ccfc_setting s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ccfc_slice json = ccfc_slice_str(cases[i].json);

		print_message("%s\n", cases[i].json);
		assert_int_equal(ccfc_setting_find(&s, json, KEY, NULL), 0);
		assert_int_equal(s.kind, cases[i].kind);
		assert_int_equal(s.number, cases[i].number);
		assert_int_equal(s.line, cases[i].line);
		assert_int_equal(s.open_line, cases[i].open_line);
		assert_int_equal(s.one_line, cases[i].one_line);
		assert_int_equal(s.empty, cases[i].empty);
	}
}

static void test_no_json(void **state)
{
	static const char *const bad[] = {
		"",
		"30",
		"[]",
		"{",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{\"a\":01}",
		"{\"a\":1.}",
		"{\"a\":1e}",
		"{\"a\":-}",
		"{a:1}",
		"{\"a\":tru}",
		"{\"a\":\"\n\"}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12g4\"}",
		"{} {}",
		"{\"a\":1 // x\n}",
	};
	struct ccfc_setting s;
	struct ccfc_err err;
	char deep[400];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		print_message("%s\n", bad[i]);
		assert_int_equal(ccfc_setting_find(&s, ccfc_slice_str(bad[i]),
						   KEY, &err),
				 CCFC_EINVAL);
		assert_int_equal(s.kind, CCFC_SETTING_ABSENT);
	}
	ccfc_setting_find(&s, CCFC_SLICE_LIT("{\n\"a\":\n!}"), KEY, &err);
	assert_string_equal(err.what, "line 3: is not JSON");
	/* What comes after a NUL is not taken for white space. */
	assert_int_equal(
		ccfc_setting_find(&s, ccfc_slice("{}\0", 3), KEY, &err),
		CCFC_EINVAL);
	memset(deep, '[', sizeof(deep));
	memcpy(deep, "{\"a\":", 5);
	assert_int_equal(ccfc_setting_find(&s, ccfc_slice(deep, sizeof(deep)),
					   KEY, &err),
			 CCFC_EINVAL);
}

/* ---- which file ---- */

static char dir[64], managed[96];

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ccfc-settings-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(managed, sizeof(managed), "%s/managed.json", dir);
	return 0;
}

static int drop_dir(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void check(int64_t days, const char *file, const char *fix)
{
	struct ccfc_buf want = CCFC_BUF_INIT, got = CCFC_BUF_INIT;
	struct ccfc_retention r;

	ccfc_retention_init(&r, dir, managed);
	assert_int_equal(r.days, days);
	assert_true(ccfc_slice_ends(ccfc_buf_view(&r.file), file));
	ccfc_retention_fix(&got, &r, 99);
	ccfc_buf_printf(&want, "%s %s", fix, r.file.ptr);
	assert_string_equal(got.ptr, want.ptr);
	ccfc_buf_release(&want);
	ccfc_buf_release(&got);
	ccfc_retention_release(&r);
}

static void test_who_wins(void **state)
{
	(void)state;
	check(30, "/settings.json", "echo '{ \"" KEY "\": 99 }' >");
	put("settings.json", "{ \"model\": \"x\" }");
	check(30, "/settings.json", "sed -i.bak '1s/{/{ \"" KEY "\": 99,/'");
	put("settings.json", "{\n\"" KEY "\": 90 }");
	check(90, "/settings.json",
	      "sed -i.bak '2s/\"" KEY "\"[^,}]*/\"" KEY "\": 99/'");
	put("settings.local.json", "{\"" KEY "\":\n60}");
	check(60, "/settings.local.json", "\"${EDITOR:-vi}\"");
	put("managed.json", "{\"" KEY "\": 10}");
	check(10, "/managed.json",
	      "sudo sed -i.bak '1s/\"" KEY "\"[^,}]*/\"" KEY "\": 99/'");
	/* What cannot be understood says nothing. */
	put("managed.json", "{\"" KEY "\": -1}");
	put("settings.local.json", "{");
	check(90, "/settings.json",
	      "sed -i.bak '2s/\"" KEY "\"[^,}]*/\"" KEY "\": 99/'");
}

static void test_trouble(void **state)
{
	struct ccfc_retention r;

	(void)state;
	put("settings.json", "{ \"" KEY "\": true }");
	ccfc_retention_init(&r, dir, managed);
	assert_int_equal(r.days, 30);
	assert_true(r.is_default);
	assert_non_null(
		strstr(r.trouble.ptr, "line 1: " KEY " is not a number"));
	assert_true(ccfc_slice_ends(ccfc_buf_view(&r.trouble_file),
				    "/settings.json"));
	ccfc_retention_release(&r);
}

static void test_no_file(void **state)
{
	struct ccfc_setting s;
	struct ccfc_err err;

	(void)state;
	assert_int_equal(ccfc_setting_read(&s, "/nonexistent", KEY, &err),
			 CCFC_ENOTFOUND);
	/* Nobody waits for one that is no file, or reads it all. */
	assert_int_equal(ccfc_setting_read(&s, "/dev/zero", KEY, &err),
			 CCFC_ETOOBIG);
	assert_int_equal(ccfc_setting_read(&s, dir, KEY, &err), CCFC_ETOOBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_no_json),
		cmocka_unit_test_setup_teardown(test_who_wins, make_dir,
						drop_dir),
		cmocka_unit_test_setup_teardown(test_trouble, make_dir,
						drop_dir),
		cmocka_unit_test_setup_teardown(test_no_file, make_dir,
						drop_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
