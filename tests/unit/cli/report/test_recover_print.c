/* ccfc recover: what is written, and above all where nothing is. */
#include "fake.h"

#include "base/alloc.h"
#include "cli/write/new_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* DIR/out is what recover writes to; the rest has to stay as it is. */
struct box {
	char dir[32];
	char *out;
};

static char *join(const char *a, const char *b)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;

	ccfc_buf_printf(&buf, "%s/%s", a, b);
	return ccfc_buf_detach(&buf, NULL);
}

static int setup(void **state)
{
	struct box *box = ccfc_calloc(1, sizeof(*box));

	setenv("CCFC_NO_SPAWN", "1", 1);
	strcpy(box->dir, "/tmp/ccfc-recover-XXXXXX");
	if (!mkdtemp(box->dir))
		return -1;
	box->out = join(box->dir, "out");
	*state = box;
	return 0;
}

static void remove_tree(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char *sub = join(path, e->d_name);

		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
		    unlink(sub) < 0)
			remove_tree(sub);
		free(sub);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

static int teardown(void **state)
{
	struct box *box = *state;

	remove_tree(box->dir);
	free(box->out);
	free(box);
	return 0;
}

static void put_file(const char *dir, const char *name, const char *text)
{
	char *path = join(dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	free(path);
}

/* The file's text; NULL expects that there is none. */
static void check_file(const char *dir, const char *name, const char *text)
{
	char *path = join(dir, name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct ccfc_buf content;

	if (!text) {
		assert_int_equal(fd, -1);
	} else {
		assert_true(fd >= 0);
		read_back(&content, fd);
		assert_string_equal(content.ptr, text);
		ccfc_buf_release(&content);
	}
	free(path);
}

/* Entries of a directory, without "." and "..". */
static int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

/* ---- the daemon's part ---- */

static void pack_file(struct ccfc_pack *p, const char *path, const char *name)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", path);
	ccfc_pack_kv_cstr(p, "name", name);
	ccfc_pack_kv_cstr(p, "changeId", "toolu_1");
	ccfc_pack_kv_cstr(p, "sessionId", "abc");
	ccfc_pack_kv_cstr(p, "timestamp", "2025-12-10T12:30:01.000Z");
	ccfc_pack_end(p);
}

static void begin_files(struct ccfc_pack *p, int total)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "total", total);
	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
}

static void end_files(struct ccfc_pack *p)
{
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_info(struct ccfc_pack *p)
{
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "roots");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "path", "/nowhere/.claude");
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_at(struct ccfc_pack *p, const char *fidelity, const char *why,
		    bool exists, const char *content)
{
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "state");
	ccfc_pack_map(p);
	ccfc_pack_kv_bool(p, "exists", exists);
	ccfc_pack_kv_cstr(p, "fidelity", fidelity);
	ccfc_pack_kv_cstr(p, "source", "result");
	if (why)
		ccfc_pack_kv_cstr(p, "why", why);
	if (content)
		ccfc_pack_kv_bin(p, "content", ccfc_slice_str(content));
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_hello(struct ccfc_pack *p)
{
	pack_at(p, "exact", NULL, true, "hello\n");
}

static void pack_empty(struct ccfc_pack *p)
{
	pack_at(p, "reconstructed", "replayed", true, "");
}

static void pack_unknown(struct ccfc_pack *p)
{
	pack_at(p, "unknown", "no backup", true, NULL);
}

static void pack_absent(struct ccfc_pack *p)
{
	pack_at(p, "exact", NULL, false, NULL);
}

#define LIST(check, pack)                                                      \
	{                                                                      \
		"session.recover", check, pack, 0, NULL, false                 \
	}
#define INFO                                                                   \
	{                                                                      \
		"server.info", NULL, pack_info, 0, NULL, false                 \
	}
#define AT(pack)                                                               \
	{                                                                      \
		"file.at", NULL, pack, 0, NULL, false                          \
	}
#define AT_OF(check, pack)                                                     \
	{                                                                      \
		"file.at", check, pack, 0, NULL, false                         \
	}

/* ---- what is written ---- */

static void pack_three(struct ccfc_pack *p)
{
	begin_files(p, 4);
	pack_file(p, "/p/src/a.c", "src/a.c");
	pack_file(p, "/p/src/b.c", "src/b.c");
	pack_file(p, "/p/c", "c");
	end_files(p);
}

static void pack_fourth(struct ccfc_pack *p)
{
	begin_files(p, 4);
	pack_file(p, "/p/gone", "gone");
	end_files(p);
}

static bool check_first(struct ccfc_obj params)
{
	struct ccfc_obj words = ccfc_obj_get(params, "keywords");

	return ccfc_slice_is(ccfc_obj_get_str(params, "session"), "abc") &&
	       ccfc_obj_len(words) == 2 &&
	       ccfc_slice_is(ccfc_obj_str(ccfc_obj_at(words, 0)), "x, y") &&
	       !ccfc_obj_get_int(params, "offset", 0);
}

static bool check_second(struct ccfc_obj params)
{
	return ccfc_obj_get_int(params, "offset", 0) == 3;
}

static bool check_content(struct ccfc_obj params)
{
	return ccfc_slice_is(ccfc_obj_get_str(params, "path"), "/p/src/a.c") &&
	       ccfc_slice_is(ccfc_obj_get_str(params, "at"), "toolu_1") &&
	       ccfc_obj_len(params) == 2;
}

#define HELLO "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const char written_table[] =
	"  FILE                          RESULT   SOURCE  FIDELITY       "
	"SHA-256\n"
	"  src/a.c                       written  result  exact          " HELLO
	"\n"
	"  src/b.c                       written  result  reconstructed  " EMPTY
	"\n"
	"  c                             unknown  result  unknown        -\n"
	"  gone                          absent   result  exact          -\n";

static void test_written(void **state)
{
	const struct box *box = *state;
	static const struct fake_step steps[] = {
		LIST(check_first, pack_three),
		LIST(check_second, pack_fourth),
		INFO,
		AT_OF(check_content, pack_hello),
		AT(pack_empty),
		AT(pack_unknown),
		AT(pack_absent),
		{ 0 },
	};
	struct fake_result r;
	struct ccfc_buf report, table = CCFC_BUF_INIT;
	char *path = join(box->out, "REPORT.json");

	fake_run(&r,
		 ARGV("recover", "abc", "-o", box->out, "-k", "x, y", "-kz"),
		 steps);
	assert_string_equal(r.err.ptr,
			    "ccfc: note: c: not written: unknown: no backup\n");
	ccfc_buf_printf(&table,
			"%s\n2 of 4 written below %s, with REPORT.json\n",
			written_table, box->out);
	assert_string_equal(r.out.ptr, table.ptr);
	assert_int_equal(r.status, 0);
	assert_true(r.script_done);
	check_file(box->out, "src/a.c", "hello\n");
	check_file(box->out, "src/b.c", "");
	assert_int_equal(count_entries(box->out), 2);
	read_back(&report, open(path, O_RDONLY | O_CLOEXEC));
	assert_non_null(strstr(report.ptr, "\"written\": 2,"));
	assert_non_null(strstr(report.ptr,
			       "      \"file\": \"src/a.c\",\n"
			       "      \"result\": \"written\",\n"
			       "      \"source\": \"result\",\n"
			       "      \"fidelity\": \"exact\",\n"
			       "      \"why\": null,\n"
			       "      \"size\": 6,\n"
			       "      \"sha256\": \"" HELLO "\"\n"));
	ccfc_buf_release(&report);
	ccfc_buf_release(&table);
	fake_release(&r);
	free(path);
}

/* ---- where nothing is written ---- */

static void pack_hostile(struct ccfc_pack *p)
{
	begin_files(p, 7);
	pack_file(p, "/p/x", "../x");
	pack_file(p, "/p/y", "/y");
	pack_file(p, "/p/z", "a/../../../z");
	pack_file(p, "..", "./..");
	pack_file(p, "/p/l", "link/l");
	pack_file(p, "/p/old", "old");
	pack_file(p, "/q/y", "y");
	end_files(p);
}

static void test_hostile(void **state)
{
	const struct box *box = *state;
	static const struct fake_step steps[] = {
		LIST(NULL, pack_hostile), INFO,		  AT(pack_hello),
		AT(pack_hello),		  AT(pack_hello), AT(pack_hello),
		AT(pack_hello),		  AT(pack_hello), { 0 },
	};
	struct ccfc_buf expected = CCFC_BUF_INIT;
	char *link = join(box->out, "link"), *away = join(box->dir, "away");

	assert_int_equal(mkdir(box->out, 0700), 0);
	assert_int_equal(mkdir(away, 0700), 0);
	assert_int_equal(symlink(away, link), 0);
	put_file(box->out, "old", "mine");
	put_file(box->out, "REPORT.json", "mine");
	ccfc_buf_printf(&expected,
			"ccfc: recover: ..: no name to write it under\n"
			"ccfc: %s/link/l: a file or a symbolic link is in the "
			"way\n"
			"ccfc: %s/old: already exists, and is left as it is\n",
			box->out, box->out);
	fake_check(ARGV("recover", "abc", "--output", box->out), steps, 2, NULL,
		   expected.ptr);
	check_file(box->dir, "x", NULL);
	check_file(box->out, "x", "hello\n");
	check_file(box->out, "y", "hello\n");
	check_file(box->out, "z", "hello\n");
	check_file(box->out, "old", "mine");
	check_file(box->out, "REPORT.json", "mine");
	/* Of two files of one name the second has its whole path. */
	check_file(box->out, "q/y", "hello\n");
	assert_int_equal(count_entries(away), 0);
	/* x y z q link old, and two reports; no temporary files. */
	assert_int_equal(count_entries(box->out), 8);
	assert_int_equal(count_entries(box->dir), 2);
	ccfc_buf_release(&expected);
	free(link);
	free(away);
}

static void pack_one(struct ccfc_pack *p)
{
	begin_files(p, 1);
	pack_file(p, "/p/a", "a");
	end_files(p);
}

static void pack_nothing(struct ccfc_pack *p)
{
	begin_files(p, 0);
	end_files(p);
}

static bool check_deleted(struct ccfc_obj params)
{
	return ccfc_obj_get_bool(params, "deleted", false) &&
	       ccfc_slice_is(ccfc_obj_get_str(params, "projectPath"),
			     "/no/such");
}

/* Nothing at all is made, not even the directory. */
static void test_nothing(void **state)
{
	const struct box *box = *state;
	static const struct fake_step none[] = {
		LIST(check_deleted, pack_nothing), { 0 }
	};
	static const struct fake_step claude[] = { LIST(NULL, pack_one),
						   INFO,
						   { 0 } };

	fake_check(ARGV("recover", "--deleted", "--project=/no/such/", "-o",
			box->out),
		   none, 1, "",
		   "ccfc: recover: nothing found: no such file is gone\n");
	fake_check(ARGV("recover", "abc", "-o/nowhere/.claude/x/../y"), claude,
		   2, "",
		   "ccfc: recover: /nowhere/.claude/y: below "
		   "/nowhere/.claude, where nothing is written\n"
		   "hint: choose another with -o DIR\n");
	fake_check(ARGV("recover"), NULL, 2, "",
		   "ccfc: recover: which session, or --deleted?\n"
		   "hint: ccfc recover --list lists the files of this "
		   "project that are gone\n");
	fake_check(ARGV("recover", "a", "--deleted"), NULL, 2, "",
		   "ccfc: recover: --deleted: is of all sessions, not of "
		   "'a'\n");
	fake_check(ARGV("recover", "a", "--project=x"), NULL, 2, "",
		   "ccfc: recover: --project: only with --deleted\n");
	assert_int_equal(count_entries(box->dir), 0);
}

/* Only what is gone: exit 1. What is not known: 2. A daemon that goes: 3. */
static void test_status(void **state)
{
	const struct box *box = *state;
	static const struct fake_step absent[] = {
		LIST(NULL, pack_one), INFO, AT(pack_absent), { 0 }
	};
	static const struct fake_step unknown[] = {
		LIST(NULL, pack_one), INFO, AT(pack_unknown), { 0 }
	};
	static const struct fake_step refused[] = {
		LIST(NULL, pack_one),
		INFO,
		{ "file.at", NULL, NULL, CCFC_EIO, NULL, false },
		{ 0 },
	};
	static const struct fake_step gone[] = { LIST(NULL, pack_one),
						 INFO,
						 { 0 } };

	fake_check(ARGV("recover", "abc", "-o", box->out), absent, 1, NULL, "");
	fake_check(ARGV("recover", "abc", "-o", box->out), unknown, 2, NULL,
		   "ccfc: note: a: not written: unknown: no backup\n");
	fake_check(ARGV("recover", "abc", "-o", box->out), refused, 2, NULL,
		   "ccfc: what: why\nhint: try^[this\n");
	fake_check(ARGV("recover", "abc", "-o", box->out), gone, 3, NULL, NULL);
	check_file(box->out, "a", NULL);
	assert_int_equal(count_entries(box->out), 4);
}

/* ---- below it all ---- */

static void test_names(void **state)
{
	static const struct {
		const char *name, *normal;
	} rows[] = {
		{ "a/b", "a/b" },     { "/etc/passwd", "etc/passwd" },
		{ "../x", "x" },      { "a/../../x", "x" },
		{ "a//./b/", "a/b" }, { "C:/x/..", "C:" },
		{ "~/x", "~/x" },     { "...", "..." },
		{ "..", NULL },	      { "/", NULL },
		{ "", NULL },	      { "a/..", NULL },
	};
	struct ccfc_buf out = CCFC_BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool ok;

		ccfc_buf_clear(&out);
		ok = ccfc_new_files_name(&out, ccfc_slice_str(rows[i].name));
		assert_int_equal(ok, rows[i].normal != NULL);
		assert_string_equal(out.len ? out.ptr : "",
				    ok ? rows[i].normal : "");
	}
	assert_false(ccfc_new_files_name(&out, CCFC_SLICE_LIT("a\0b")));
	ccfc_buf_release(&out);
}

/* A name that slipped through as it is still leads nowhere. */
static void test_confined(void **state)
{
	static const char *const names[] = { "../x", "a/../../x", ".." };
	const struct box *box = *state;
	struct ccfc_new_files keep;
	struct ccfc_err err;

	assert_int_equal(ccfc_new_files_init(&keep, box->out, &err), 0);
	for (int i = 0; i < 3; i++)
		assert_int_not_equal(ccfc_new_files_write(&keep, names[i],
							  CCFC_SLICE_LIT("!"),
							  &err),
				     CCFC_KEPT);
	assert_int_equal(count_entries(box->dir), 1);
	ccfc_new_files_release(&keep);
}

/* No room: nothing of the file is left. A limit stands in for the disk. */
static void test_full(void **state)
{
	const struct box *box = *state;
	struct rlimit old, limit;
	struct ccfc_new_files keep;
	struct ccfc_err err;

	assert_int_equal(ccfc_new_files_init(&keep, box->out, &err), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 4;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(ccfc_new_files_write(&keep, "a",
					      CCFC_SLICE_LIT("too long"), &err),
			 CCFC_NEW_FILES_FULL);
	assert_int_equal(
		ccfc_new_files_write(&keep, "b", CCFC_SLICE_LIT("fits"), &err),
		CCFC_KEPT);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_non_null(strstr(err.what, "/out/a: File too large"));
	assert_int_equal(count_entries(box->out), 1);
	assert_int_equal(
		ccfc_new_files_write(&keep, "b", CCFC_SLICE_LIT("new"), &err),
		CCFC_NEW_FILES_EXISTS);
	check_file(box->out, "b", "fits");
	ccfc_new_files_release(&keep);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_written), TEST(test_hostile), TEST(test_nothing),
		TEST(test_status),  TEST(test_names),	TEST(test_confined),
		TEST(test_full),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
