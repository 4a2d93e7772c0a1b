/*
 * The undo area and its journal. A process that was killed is made up by
 * renaming a manifest from "done" back to "begun"; the functional tests kill
 * real ones.
 */
#include "tree.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/undo/undo.h"

static struct ccfc_undo undo;
static struct ccfc_err err;
static char id[CCFC_UNDO_ID_MAX];

static int setup(void **state)
{
	int r = tree_setup(state);

	setenv("CCFC_STATE_DIR", in_tree("state"), 1);
	return r || mkdir(in_tree("p"), 0755);
}

static void reopen(void)
{
	ccfc_undo_close(&undo);
	assert_int_equal(ccfc_undo_open(&undo, true, &err), 0);
}

static int teardown(void **state)
{
	ccfc_undo_close(&undo);
	return tree_teardown(state);
}

/* What is to become of a file of the tree; NULL: no such file. */
static struct ccfc_file_edit edit(const char *name, const char *old,
				  const char *text)
{
	static char hashes[16][CCFC_SHA256_HEX + 1];
	static unsigned turn;
	char *hash = hashes[turn++ % 16];

	hash[0] = '\0';
	if (old)
		ccfc_sha256_hex(hash, ccfc_slice_str(old));
	return (struct ccfc_file_edit){ .path = in_tree(name),
					.expect = hash,
					.exists = text,
					.content = ccfc_slice_str(text) };
}

static int apply(const struct ccfc_file_edit *edits, uint32_t n)
{
	struct ccfc_file_edits e = { .command = "a test",
				     .items = edits,
				     .n = n };

	return ccfc_undo_apply(id, &undo, &e, &err);
}

/* a and b are replaced, c is removed, x/d is made. */
static void change_four(void)
{
	struct ccfc_file_edit edits[4];

	put_file("p/a", "a\n");
	put_file("p/c", "c\n");
	edits[0] = edit("p/a", "a\n", "A\n");
	edits[1] = edit("p/c", "c\n", NULL);
	edits[2] = edit("p/x/y/d", NULL, "D\n");
	edits[3] = edit("p/x/e", NULL, "");
	assert_int_equal(apply(edits, 4), 0);
}

static void check_new(void)
{
	check_file("p/a", "A\n");
	check_file("p/c", NULL);
	check_file("p/x/y/d", "D\n");
	check_file("p/x/e", "");
}

static void check_old(void)
{
	check_file("p/a", "a\n");
	check_file("p/c", "c\n");
	assert_int_equal(count_in("p"), 2);
}

/* The state that a kill right before the end leaves. */
static void make_begun(void)
{
	int dir = ccfc_undo_entry_dir(&undo, id);

	assert_int_equal(renameat(dir, "done", dir, "begun"), 0);
	close(dir);
}

static void test_apply(void **state)
{
	const struct ccfc_manifest *m;
	struct ccfc_buf blob = CCFC_BUF_INIT;
	struct stat st;

	(void)state;
	reopen();
	change_four();
	check_new();
	reopen();
	assert_int_equal(undo.entries.n, 1);
	assert_string_equal(undo.entries.items[0].id, id);
	assert_int_equal(undo.entries.items[0].state, CCFC_UNDO_DONE);
	m = &undo.entries.items[0].manifest;
	assert_string_equal(m->command, "a test");
	assert_int_equal(m->files.n, 4);
	assert_string_equal(m->files.items[0].path, in_tree("p/a"));
	assert_int_equal(m->files.items[0].attr.mode, 0644);
	assert_string_equal(m->files.items[1].now, "");
	assert_string_equal(m->files.items[2].was, "");
	assert_int_equal(m->files.items[2].dirs, 2);
	assert_int_equal(
		ccfc_undo_blob(&blob, &undo, undo.entries.items, 1, &err), 0);
	assert_string_equal(blob.ptr, "c\n");
	ccfc_buf_release(&blob);
	assert_int_equal(stat(in_tree("state/undo"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void test_killed(void **state)
{
	(void)state;
	reopen();
	change_four();
	make_begun();
	reopen();
	check_old();
	assert_int_equal(undo.entries.n, 0);
	assert_int_equal(count_in("state/undo"), 1); /* the lock */
}

/* Some done, some not; a temporary file is left of one. */
static void test_killed_half_way(void **state)
{
	const struct ccfc_undo_file *files;
	char temp[64];

	(void)state;
	reopen();
	change_four();
	reopen();
	files = undo.entries.items[0].manifest.files.items;
	snprintf(temp, sizeof(temp), "p/%s", files[1].temp);
	put_file(temp, "half of it");
	put_file("p/c", "c\n");
	make_begun();
	reopen();
	check_old();
	assert_int_equal(undo.entries.n, 0);
}

/* What somebody wrote after the kill is not touched, and nothing is lost. */
static void test_killed_and_changed_since(void **state)
{
	struct ccfc_buf blob = CCFC_BUF_INIT;

	(void)state;
	reopen();
	change_four();
	put_file("p/a", "mine\n");
	put_file("p/x/y/d", "mine too\n");
	make_begun();
	reopen();
	check_file("p/a", "mine\n");
	check_file("p/c", "c\n");
	check_file("p/x/y/d", "mine too\n");
	check_file("p/x/e", NULL);
	assert_int_equal(undo.entries.n, 1);
	assert_int_equal(undo.entries.items[0].state, CCFC_UNDO_UNDONE);
	assert_int_equal(
		ccfc_undo_blob(&blob, &undo, undo.entries.items, 0, &err), 0);
	assert_string_equal(blob.ptr, "a\n");
	ccfc_buf_release(&blob);
}

/* Killed before the manifest had its name: nothing was touched. */
static void test_killed_before_it_began(void **state)
{
	(void)state;
	reopen();
	assert_int_equal(
		mkdir(in_tree("state/undo/20260101-000000-000-abcd"), 0700), 0);
	put_file("state/undo/20260101-000000-000-abcd/0", "old");
	put_file("state/undo/20260101-000000-000-abcd/new", "ccfc-undo");
	put_file("state/undo/notes.txt", "not ours");
	reopen();
	assert_int_equal(undo.entries.n, 0);
	assert_int_equal(count_in("state/undo"), 2);
}

static void check_refused(const struct ccfc_file_edit *edits, uint32_t n,
			  const char *why)
{
	assert_true(apply(edits, n) < 0);
	if (!strstr(err.what, why))
		fail_msg("%s", err.what);
	assert_int_equal(count_in("state/undo"), 1); /* the lock */
}

static void test_all_or_nothing(void **state)
{
	struct ccfc_file_edit edits[3];

	(void)state;
	reopen();
	put_file("p/a", "a\n");
	edits[0] = edit("p/a", "a\n", "A\n");
	edits[1] = edit("p/b", "b\n", "B\n");
	check_refused(edits, 2, "p/b was changed meanwhile");

	edits[1] = edit("p/a", "a\n", "AA\n");
	check_refused(edits, 2, "are one file");

	assert_int_equal(symlink("d", in_tree("p/link")), 0);
	edits[1] = edit("p/d/x", NULL, "1\n");
	edits[2] = edit("p/link/x", NULL, "1\n");
	check_refused(edits, 3, "p/link/x: a symbolic link");
	check_file("p/a", "a\n");
	assert_int_equal(count_in("p"), 2);

	/* Found out at the very end: the third is what the second is in. */
	edits[2] = edit("p/d", NULL, "1\n");
	assert_true(apply(edits, 3) < 0);
	assert_non_null(strstr(err.what, "p/d is a directory"));
	check_file("p/a", "a\n");
	assert_int_equal(count_in("p"), 2);
}

static void test_several_names(void **state)
{
	struct ccfc_file_edit one;
	struct ccfc_file_edits e = { .command = "", .force = true, .n = 1 };

	(void)state;
	reopen();
	put_file("p/a", "a\n");
	assert_int_equal(link(in_tree("p/a"), in_tree("p/b")), 0);
	one = edit("p/a", "a\n", "A\n");
	check_refused(&one, 1, "p/a has 2 names");
	check_file("p/a", "a\n");
	e.items = &one;
	assert_int_equal(ccfc_undo_apply(id, &undo, &e, &err), 0);
	check_file("p/a", "A\n");
	check_file("p/b", "a\n");
}

static void test_blob_is_checked(void **state)
{
	struct ccfc_buf blob = CCFC_BUF_INIT;
	char name[96];

	(void)state;
	reopen();
	change_four();
	reopen();
	snprintf(name, sizeof(name), "state/undo/%s/0", id);
	put_file(name, "b\n");
	assert_int_equal(
		ccfc_undo_blob(&blob, &undo, undo.entries.items, 0, &err),
		CCFC_ECORRUPT);
	ccfc_buf_release(&blob);
}

/* ---- entries ---- */

static void put_entry(int64_t time, unsigned n, const char *text)
{
	char t[CCFC_TIME_TEXT_MAX], name[96], *p;

	ccfc_time_format(t, time);
	snprintf(name, sizeof(name), "state/undo/%.4s%.2s%.2s-000000-000-%04x",
		 t, t + 5, t + 8, n);
	assert_int_equal(mkdir(in_tree(name), 0700), 0);
	p = name + strlen(name);
	snprintf(p, 8, "/done");
	put_file(name, text);
}

static void put_dated(int64_t time, unsigned n)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_manifest m;

	ccfc_manifest_init(&m, "old");
	m.time = time;
	ccfc_manifest_write(&text, &m);
	put_entry(time, n, text.ptr);
	ccfc_manifest_release(&m);
	ccfc_buf_release(&text);
}

static void test_prune(void **state)
{
	int64_t now = ccfc_time_now(), day = 24 * 3600 * INT64_C(1000);

	(void)state;
	reopen();
	for (unsigned i = 0; i < 40; i++)
		put_dated(now - 40 * day, i);
	for (unsigned i = 0; i < 90; i++)
		put_dated(now - 2 * day, i);
	reopen();
	assert_int_equal(undo.entries.n, 100); /* of the old ones ten */
	for (unsigned i = 0; i < 30; i++)
		put_dated(now - 3 * day, i);
	reopen();
	assert_int_equal(undo.entries.n, 120); /* all of the young */
	assert_int_equal(count_in("state/undo"), 121);
}

static void test_order(void **state)
{
	char newest[CCFC_UNDO_ID_MAX];
	struct ccfc_file_edit one;
	int64_t future = ccfc_time_now() + 100000000;

	(void)state;
	reopen();
	put_dated(future, 1);
	reopen();
	put_file("p/a", "a\n");
	one = edit("p/a", "a\n", "A\n");
	assert_int_equal(apply(&one, 1), 0);
	memcpy(newest, id, sizeof(newest));
	reopen();
	assert_string_equal(ccfc_undo_find(&undo, NULL, &err)->id, newest);
	/* by the start of an id */
	newest[17] = '\0';
	assert_non_null(ccfc_undo_find(&undo, newest, &err));
	assert_null(ccfc_undo_find(&undo, "2", &err));
	assert_int_equal(err.code, CCFC_EAMBIGUOUS);
	assert_null(ccfc_undo_find(&undo, "19", &err));
	assert_int_equal(err.code, CCFC_ENOTFOUND);
}

/* An undo whose process was killed before it marked what it took back. */
static void test_undone(void **state)
{
	char first[CCFC_UNDO_ID_MAX];
	struct ccfc_file_edit one;
	struct ccfc_file_edits e = { .command = "undo",
				     .kind = CCFC_UNDO_UNDO,
				     .n = 1 };

	(void)state;
	reopen();
	put_file("p/a", "a\n");
	one = edit("p/a", "a\n", "A\n");
	assert_int_equal(apply(&one, 1), 0);
	memcpy(first, id, sizeof(first));
	one = edit("p/a", "A\n", "a\n");
	e.items = &one;
	e.undoes = first;
	reopen();
	assert_int_equal(ccfc_undo_apply(id, &undo, &e, &err), 0);
	reopen();
	assert_int_equal(undo.entries.n, 2);
	assert_int_equal(undo.entries.items[0].state, CCFC_UNDO_UNDONE);
	assert_int_equal(undo.entries.items[1].state, CCFC_UNDO_DONE);
	/* an undo is not what the next one takes back by itself */
	assert_null(ccfc_undo_find(&undo, NULL, &err));
	assert_non_null(ccfc_undo_find(&undo, id, &err));
}

/* ---- manifests ---- */

static void test_manifest(void **state)
{
	static const char path[] = "/a b/%41\n\x01\xff/\xe2\x82\xac";
	struct ccfc_buf text = CCFC_BUF_INIT, again = CCFC_BUF_INIT;
	struct ccfc_manifest m;
	struct ccfc_undo_file *file;

	(void)state;
	ccfc_manifest_init(&m, "restore \x1b[31m --at=x");
	m.time = 1765360800123;
	m.kind = CCFC_UNDO_UNDO;
	strcpy(m.undoes, "20260101-000000-000-abcd");
	file = ccfc_manifest_add(&m, path);
	ccfc_sha256_hex(file->was, CCFC_SLICE_LIT("x"));
	file->attr = (struct ccfc_attr){ 04755, UINT32_MAX - 1, 1000 };
	strcpy(file->temp, ".ccfc-0123456789abcdef");
	ccfc_manifest_write(&text, &m);
	ccfc_manifest_release(&m);

	ccfc_manifest_init(&m, "");
	assert_int_equal(ccfc_manifest_read(&m, ccfc_buf_view(&text), &err), 0);
	assert_string_equal(m.files.items[0].path, path);
	ccfc_manifest_write(&again, &m);
	assert_string_equal(again.ptr, text.ptr);
	ccfc_manifest_release(&m);
	/* one that is cut off anywhere is not used */
	for (size_t n = 0; n < text.len; n++) {
		ccfc_manifest_init(&m, "");
		assert_int_equal(
			ccfc_manifest_read(&m, ccfc_slice(text.ptr, n), NULL),
			CCFC_ECORRUPT);
		ccfc_manifest_release(&m);
	}
	ccfc_buf_release(&text);
	ccfc_buf_release(&again);
}

static void check_bad(const char *good, const char *part, const char *bad)
{
	const char *at = strstr(good, part);
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_manifest m;

	assert_non_null(at);
	ccfc_buf_append(&text, good, (size_t)(at - good));
	ccfc_buf_puts(&text, bad);
	ccfc_buf_puts(&text, at + strlen(part));
	ccfc_manifest_init(&m, "");
	if (ccfc_manifest_read(&m, ccfc_buf_view(&text), NULL) != CCFC_ECORRUPT)
		fail_msg("%s is taken for %s", bad, part);
	ccfc_manifest_release(&m);
	ccfc_buf_release(&text);
}

static void test_bad_manifest(void **state)
{
	static const char good[] =
		"ccfc-undo 1\ntime 2026-01-31T10:00:00.000Z\n"
		"command x\nkind change\nundoes -\npath /a\n"
		"old "
		"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921"
		"a4881 644 0 0\nnew -\ntemp .ccfc-0123456789abcdef\ndirs 0\n"
		"end\n";
	struct ccfc_manifest m;

	(void)state;
	ccfc_manifest_init(&m, "");
	assert_int_equal(ccfc_manifest_read(&m, ccfc_slice_str(good), &err), 0);
	ccfc_manifest_release(&m);
	check_bad(good, "undo 1", "undo 2");
	check_bad(good, "kind change", "kind chance");
	check_bad(good, "path /a", "path a");
	check_bad(good, "path /a", "path /%0");
	check_bad(good, "path /a", "path /%00a");
	check_bad(good, "4881 644", "488x 644");
	check_bad(good, " 644", " 10000");
	check_bad(good, " 0 0", " 0");
	check_bad(good, "new -", "new ");
	check_bad(good, ".ccfc-0123456789abcdef", "/etc/passwd-0123456789");
	check_bad(good, ".ccfc-0123456789abcdef", ".ccfc-0123456789/../ab");
	check_bad(good, "dirs 0", "dirs -1");
	check_bad(good, "end\n", "end\nmore\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_apply),
		TEST(test_killed),
		TEST(test_killed_half_way),
		TEST(test_killed_and_changed_since),
		TEST(test_killed_before_it_began),
		TEST(test_all_or_nothing),
		TEST(test_several_names),
		TEST(test_blob_is_checked),
		TEST(test_prune),
		TEST(test_order),
		TEST(test_undone),
		cmocka_unit_test(test_manifest),
		cmocka_unit_test(test_bad_manifest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
