/* What doctor goes by: limits in /proc, transcripts on disk, quotes. */
#include "cli_test.h"

#include "cli/doctor/doctor.h"
#include "cli/doctor/inotify_limits.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[64];

static int make_top(void **state)
{
	(void)state;
	strcpy(top, "/tmp/ccfc-doctor-XXXXXX");
	return mkdtemp(top) ? 0 : -1;
}

static int drop_top(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

/* Writes a file, and the directories on the way to it. */
static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	for (char *p = path + strlen(top) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_link(const char *name, const char *target)
{
	char path[256];

	put(name, "");
	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(target, path), 0);
}

static void test_watches(void **state)
{
	struct ccfc_inotify_limits w;

	(void)state;
	assert_false(ccfc_inotify_limits_read(&w, top));
	put("sys/fs/inotify/max_user_watches", "1000\n");
	put("sys/fs/inotify/max_user_instances", "128\n");
	assert_true(ccfc_inotify_limits_read(&w, top));
	assert_int_equal(w.watches.max, 1000);
	assert_string_equal(w.watches.setting, "fs.inotify.max_user_watches");
	assert_int_equal(w.watches.used, 0);

	put("sys/user/max_inotify_watches", "50\n");
	put("sys/user/max_inotify_instances", "128\n");
	put_link("17/fd/4", "anon_inode:inotify");
	put("17/fdinfo/4", "pos:\t0\ninotify wd:1 ino:2\ninotify wd:2 ino:3\n");
	put_link("17/fd/5", "/dev/null");
	put("17/fdinfo/5", "inotify wd:1\n");
	put_link("18/fd/0", "anon_inode:inotify");
	put("18/fdinfo/0", "pos:\t0\ninotify wd:9 ino:2\n");
	put_link("self/fd/4", "anon_inode:inotify");
	assert_true(ccfc_inotify_limits_read(&w, top));
	assert_int_equal(w.watches.max, 50);
	assert_string_equal(w.watches.setting, "user.max_inotify_watches");
	assert_string_equal(w.instances.setting,
			    "fs.inotify.max_user_instances");
	assert_int_equal(w.watches.used, 3);
	assert_int_equal(w.instances.used, 2);
}

static void set_age(const char *name, time_t when)
{
	struct timespec times[2] = { { when, 0 }, { when, 500000000 } };
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void check_path(const struct ccfc_transcript *t, const char *name)
{
	assert_string_equal(t->path + strlen(top) + 1, name);
}

static void test_transcripts(void **state)
{
	struct ccfc_transcripts t;
	struct ccfc_claude_roots roots = { 0 };
	char missing[96];

	(void)state;
	put("projects/-p/b.jsonl", "x\n");
	put("projects/-p/a.jsonl", "one\ntwo");
	put("projects/-p/history.jsonl", "");
	put("projects/-p/notes.json", "");
	put("projects/-p/.x.jsonl", "");
	put("projects/top.jsonl", "");
	put("projects/-p/a/other.jsonl", "");
	put("projects/-p/a/subagents/agent-1.jsonl", "");
	put("projects/-p/a/subagents/workflows/w/agent-2.jsonl", "");
	put_link("projects/-p/linked.jsonl", "a.jsonl");
	set_age("projects/-p/a/subagents/workflows/w/agent-2.jsonl", 100);
	set_age("projects/-p/a/subagents/agent-1.jsonl", 300);
	set_age("projects/-p/a.jsonl", 200);
	set_age("projects/-p/b.jsonl", 400);
	snprintf(missing, sizeof(missing), "%s/missing", top);
	ccfc_claude_roots_add(&roots, missing);
	ccfc_claude_roots_add(&roots, top);
	ccfc_transcripts_find(&t, &roots);
	assert_int_equal(t.n, 4);
	check_path(&t.items[0],
		   "projects/-p/a/subagents/workflows/w/agent-2.jsonl");
	check_path(&t.items[1], "projects/-p/a.jsonl");
	check_path(&t.items[2], "projects/-p/a/subagents/agent-1.jsonl");
	check_path(&t.items[3], "projects/-p/b.jsonl");
	assert_int_equal(t.items[1].mtime, 200500);
	assert_int_equal(t.items[1].size, 7);
	assert_int_equal(t.items[1].root, 1);
	assert_int_equal(t.denials, 0);
	/* "two" was never ended. */
	assert_true(ccfc_transcript_is_read(&t.items[1], 7));
	assert_true(ccfc_transcript_is_read(&t.items[1], 4));
	assert_false(ccfc_transcript_is_read(&t.items[1], 3));
	assert_false(ccfc_transcript_is_read(&t.items[1], 0));
	assert_false(ccfc_transcript_is_read(&t.items[1], -1));
	ccfc_transcripts_release(&t);
	ccfc_claude_roots_release(&roots);
}

static void test_quote(void **state)
{
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "/home/me/.claude", "/home/me/.claude" },
		{ "", "''" },
		{ "-rf", "'-rf'" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "$(x)`y`;~", "'$(x)`y`;~'" },
		{ "\xc3\xa4", "'\xc3\xa4'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_doctor_quote(&out, cases[i].word);
		assert_string_equal(out.ptr, cases[i].want);
		ccfc_buf_release(&out);
	}
}

static void test_telling(void **state)
{
	struct ccfc_cli cli = { .out = memory_out(0) };
	struct ccfc_doctor d = { .cli = &cli };
	struct ccfc_finding *f;

	(void)state;
	ccfc_doctor_say(&d, CCFC_LEVEL_OK, "one", "fine");
	assert_int_equal(ccfc_doctor_worst(&d), CCFC_LEVEL_OK);
	f = ccfc_doctor_say(&d, CCFC_LEVEL_FAIL, "two", "a\x1b[2Jb");
	ccfc_buf_puts(&f->why, "so");
	ccfc_buf_puts(&f->fix, "mend it");
	ccfc_doctor_say(&d, CCFC_LEVEL_NOTE, "three", "%d", 3);
	assert_int_equal(ccfc_doctor_worst(&d), CCFC_LEVEL_FAIL);
	ccfc_doctor_print(&d);
	assert_string_equal(cli.out.buf.ptr, "ok    one: fine\n"
					     "fail  two: a^[[2Jb: so\n"
					     "      mend it\n"
					     "note  three: 3\n");
	ccfc_buf_release(&cli.out.buf);
	ccfc_doctor_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_watches, make_top,
						drop_top),
		cmocka_unit_test_setup_teardown(test_transcripts, make_top,
						drop_top),
		cmocka_unit_test(test_quote),
		cmocka_unit_test(test_telling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
