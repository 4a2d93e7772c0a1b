/* The tail: every way of changing or replacing a file is noticed. */
#include "source/tail.h"

#include "tmp.h"

#define FILE_NAME "t.jsonl"
#define DEFAULT	  CCFC_TAIL_DEFAULT_MAX_LINE

struct look {
	enum ccfc_tail_status status;
	int lines;
	uint64_t bytes;
	char last[64];
	bool last_too_long;
};

/* Opens, reads all lines, closes. */
static struct look look(struct ccfc_tail *tail, struct ccfc_cursor *cursor)
{
	struct look out = { .status = CCFC_TAIL_ERROR };
	struct ccfc_line line;
	struct ccfc_err err;
	int r;

	out.status = ccfc_tail_open(tail, tmp_path(FILE_NAME), cursor, &err);
	if (out.status != CCFC_TAIL_OPEN)
		return out;
	while ((r = ccfc_tail_next(tail, cursor, &line, &err)) > 0) {
		out.lines++;
		out.bytes += line.len + 1;
		out.last_too_long = line.too_long;
		assert_true(line.offset + line.len + 1 == cursor->offset);
		if (line.too_long) {
			assert_null(line.ptr);
			continue;
		}
		tmp_touch(line.ptr, line.len + CCFC_TAIL_PADDING);
		snprintf(out.last, sizeof(out.last), "%.*s",
			 line.len < 60 ? (int)line.len : 60, line.ptr);
	}
	assert_int_equal(r, 0);
	assert_int_equal(ccfc_tail_next(tail, cursor, &line, &err), 0);
	ccfc_tail_close(tail, cursor);
	return out;
}

static char big[2 << 20];

static void append_big(size_t len)
{
	memset(big, 'x', len);
	tmp_put(FILE_NAME, big, len, O_APPEND);
}

static void make_same(struct ccfc_tail *tail)
{
	(void)tail;
}

static void make_longer(struct ccfc_tail *tail)
{
	(void)tail;
	tmp_append(FILE_NAME, "four\n");
}

static void make_shorter(struct ccfc_tail *tail)
{
	(void)tail;
	assert_int_equal(truncate(tmp_path(FILE_NAME), 4), 0);
}

static void make_empty(struct ccfc_tail *tail)
{
	(void)tail;
	assert_int_equal(truncate(tmp_path(FILE_NAME), 0), 0);
}

static void make_other_bytes(struct ccfc_tail *tail)
{
	(void)tail;
	tmp_put(FILE_NAME, "ONE\nTWO\nthreE\n", 14, 0);
}

static void make_shrunk_and_grown(struct ccfc_tail *tail)
{
	(void)tail;
	tmp_write(FILE_NAME, "one\n");
	tmp_append(FILE_NAME, "deux\ntrois\nquatre\ncinq\n");
}

static void make_replaced(struct ccfc_tail *tail)
{
	(void)tail;
	tmp_write("new", "another file\nthat is longer than it was\n");
	tmp_rename("new", FILE_NAME);
}

static void make_copied_over(struct ccfc_tail *tail)
{
	(void)tail;
	tmp_write("new", "one\ntwo\nthree\nfour\n");
	tmp_rename("new", FILE_NAME);
}

static void make_recreated(struct ccfc_tail *tail)
{
	(void)tail;
	tmp_unlink(FILE_NAME);
	tmp_write(FILE_NAME, "eins\nzwei\ndrei\nvier\n");
}

static void make_gone(struct ccfc_tail *tail)
{
	(void)tail;
	tmp_unlink(FILE_NAME);
}

static void make_dir(struct ccfc_tail *tail)
{
	make_gone(tail);
	tmp_mkdir(FILE_NAME);
}

static void make_fifo(struct ccfc_tail *tail)
{
	make_gone(tail);
	assert_int_equal(mkfifo(tmp_path(FILE_NAME), 0644), 0);
}

static void make_loop(struct ccfc_tail *tail)
{
	make_gone(tail);
	assert_int_equal(symlink(FILE_NAME, tmp_path(FILE_NAME)), 0);
}

static void make_unreadable(struct ccfc_tail *tail)
{
	(void)tail;
	assert_int_equal(chmod(tmp_path(FILE_NAME), 0), 0);
}

static const struct {
	const char *what;
	void (*make)(struct ccfc_tail *tail);
	enum ccfc_tail_status status;
	int lines;
} changes[] = {
	{ "nothing", make_same, CCFC_TAIL_OPEN, 0 },
	{ "appended", make_longer, CCFC_TAIL_OPEN, 1 },
	{ "truncated", make_shorter, CCFC_TAIL_RESET, 0 },
	{ "emptied", make_empty, CCFC_TAIL_RESET, 0 },
	{ "same size, other bytes", make_other_bytes, CCFC_TAIL_RESET, 0 },
	{ "shrunk, then grown", make_shrunk_and_grown, CCFC_TAIL_RESET, 0 },
	{ "replaced by rename", make_replaced, CCFC_TAIL_RESET, 0 },
	{ "replaced by a copy", make_copied_over, CCFC_TAIL_OPEN, 1 },
	{ "deleted and created", make_recreated, CCFC_TAIL_RESET, 0 },
	{ "deleted", make_gone, CCFC_TAIL_GONE, 0 },
	{ "a directory", make_dir, CCFC_TAIL_GONE, 0 },
	{ "a fifo", make_fifo, CCFC_TAIL_GONE, 0 },
	{ "a symlink loop", make_loop, CCFC_TAIL_GONE, 0 },
	{ "unreadable", make_unreadable, CCFC_TAIL_ERROR, 0 },
};

static void test_changes(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct ccfc_cursor cursor = { 0 }, before;
		struct look got;

		tmp_write(FILE_NAME, "one\ntwo\nthree\n");
		assert_int_equal(look(tail, &cursor).lines, 3);
		before = cursor;
		changes[i].make(tail);
		got = look(tail, &cursor);
		if (got.status != changes[i].status ||
		    got.lines != changes[i].lines)
			fail_msg("%s: status %d, %d lines", changes[i].what,
				 (int)got.status, got.lines);
		if (got.status != CCFC_TAIL_OPEN)
			assert_memory_equal(&cursor, &before, sizeof(cursor));
		chmod(tmp_path(FILE_NAME), 0755);
		remove(tmp_path(FILE_NAME));
	}
	ccfc_tail_free(tail);
}

/* A copy is the same file, and the cursor learns its new identity. */
static void test_identity(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);
	struct ccfc_cursor cursor = { 0 };
	struct stat st;

	(void)state;
	tmp_write(FILE_NAME, "one\ntwo\nthree\n");
	look(tail, &cursor);
	make_copied_over(tail);
	assert_int_equal(look(tail, &cursor).status, CCFC_TAIL_OPEN);
	assert_int_equal(stat(tmp_path(FILE_NAME), &st), 0);
	assert_true(cursor.dev == (uint64_t)st.st_dev);
	assert_true(cursor.ino == (uint64_t)st.st_ino);
	assert_int_equal(cursor.marker_len, cursor.offset);
	ccfc_tail_free(tail);
}

/* Whatever a damaged store gives as a cursor is data. */
static void test_bad_cursors(void **state)
{
	static const struct ccfc_cursor bad[] = {
		{ .offset = 4, .marker_len = 0 },
		{ .offset = 4, .marker_len = 4, .marker = 1 },
		{ .offset = 4, .marker_len = UINT32_MAX },
		{ .offset = UINT64_MAX, .marker_len = 256 },
		{ .offset = (uint64_t)INT64_MAX, .marker_len = 256 },
		{ .offset = 8, .marker_len = 8, .probe = UINT64_MAX },
	};
	struct ccfc_cursor odd = { .marker_len = UINT32_MAX,
				   .probe = UINT64_MAX };
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);

	(void)state;
	tmp_write(FILE_NAME, "one\ntwo\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ccfc_cursor cursor = bad[i];

		assert_int_equal(look(tail, &cursor).status, CCFC_TAIL_RESET);
	}
	assert_int_equal(look(tail, &odd).lines, 2);
	ccfc_tail_free(tail);
}

/* The file shrinks between open and reading: no error, no stale bytes. */
static void test_shrinks_while_open(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);
	struct ccfc_cursor cursor = { 0 };
	struct ccfc_line line;

	(void)state;
	tmp_write(FILE_NAME, "one\ntwo\nthree\n");
	assert_int_equal(
		ccfc_tail_open(tail, tmp_path(FILE_NAME), &cursor, NULL),
		CCFC_TAIL_OPEN);
	make_shorter(tail);
	assert_int_equal(ccfc_tail_next(tail, &cursor, &line, NULL), 1);
	assert_int_equal(ccfc_tail_next(tail, &cursor, &line, NULL), 0);
	ccfc_tail_close(tail, &cursor);
	assert_int_equal(cursor.offset, 4);
	tmp_append(FILE_NAME, "more\n");
	assert_int_equal(look(tail, &cursor).lines, 1);
	ccfc_tail_free(tail);
}

/* The marker is of what was read, not of what has replaced it since. */
static void test_rewritten_while_open(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);
	struct ccfc_cursor cursor = { 0 };
	struct ccfc_line line;

	(void)state;
	tmp_write(FILE_NAME, "one\ntwo\n");
	assert_int_equal(
		ccfc_tail_open(tail, tmp_path(FILE_NAME), &cursor, NULL),
		CCFC_TAIL_OPEN);
	assert_int_equal(ccfc_tail_next(tail, &cursor, &line, NULL), 1);
	tmp_write(FILE_NAME, "ONE\nTWO\n");
	assert_int_equal(ccfc_tail_next(tail, &cursor, &line, NULL), 1);
	assert_memory_equal(line.ptr, "two", 3);
	ccfc_tail_close(tail, &cursor);
	assert_int_equal(look(tail, &cursor).status, CCFC_TAIL_RESET);
	ccfc_tail_free(tail);
}

/* What is appended while we read is for the next look. */
static void test_grows_while_open(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);
	struct ccfc_cursor cursor = { 0 };
	struct ccfc_line line;

	(void)state;
	tmp_write(FILE_NAME, "one\n");
	assert_int_equal(
		ccfc_tail_open(tail, tmp_path(FILE_NAME), &cursor, NULL),
		CCFC_TAIL_OPEN);
	tmp_append(FILE_NAME, "two\n");
	assert_int_equal(ccfc_tail_next(tail, &cursor, &line, NULL), 1);
	assert_int_equal(ccfc_tail_next(tail, &cursor, &line, NULL), 0);
	ccfc_tail_close(tail, &cursor);
	assert_int_equal(look(tail, &cursor).lines, 1);
	ccfc_tail_free(tail);
}

/*
 * A long line that comes byte by byte costs what was appended: the bytes
 * before the probe are not read again, so a newline put there is not seen.
 */
static void test_probe_saves_reading(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);
	struct ccfc_cursor cursor = { 0 };

	(void)state;
	tmp_write(FILE_NAME, "one\n");
	look(tail, &cursor);
	append_big(1 << 20);
	look(tail, &cursor);
	assert_int_equal(cursor.probe, 4 + (1 << 20));
	tmp_put(FILE_NAME, "one\nxx\n", 7, 0);
	for (int i = 0; i < 10; i++) {
		tmp_append(FILE_NAME, "y");
		assert_int_equal(look(tail, &cursor).lines, 0);
	}
	tmp_append(FILE_NAME, "\ntwo\n");
	assert_int_equal(look(tail, &cursor).lines, 3);
	assert_int_equal(cursor.offset, 4 + (1 << 20) + 10 + 5);
	ccfc_tail_free(tail);
}

/* The unfinished line was taken back and written anew meanwhile. */
static void test_rewritten_rest(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);
	struct ccfc_cursor cursor = { 0 };

	(void)state;
	tmp_write(FILE_NAME, "one\nhalf a li");
	assert_int_equal(look(tail, &cursor).lines, 1);
	tmp_write(FILE_NAME, "one\ntwo\nhalf an");
	assert_int_equal(look(tail, &cursor).lines, 1);
	tmp_append(FILE_NAME, "other\n");
	assert_string_equal(look(tail, &cursor).last, "half another");

	/* Also a long one, when the file is now shorter than the probe. */
	append_big(1 << 20);
	look(tail, &cursor);
	assert_int_equal(
		truncate(tmp_path(FILE_NAME), (off_t)cursor.offset + 10), 0);
	tmp_append(FILE_NAME, "\n");
	assert_string_equal(look(tail, &cursor).last, "xxxxxxxxxx");
	ccfc_tail_free(tail);
}

/* A line that is too long and not finished yet; then lines behind it. */
static void test_too_long_in_pieces(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(1000);
	struct ccfc_cursor cursor = { 0 };
	struct look got;

	(void)state;
	tmp_write(FILE_NAME, "one\n");
	append_big(700 << 10);
	assert_int_equal(look(tail, &cursor).lines, 1);
	append_big(700 << 10);
	assert_int_equal(look(tail, &cursor).lines, 0);
	tmp_append(FILE_NAME, "\n");
	got = look(tail, &cursor);
	assert_int_equal(got.lines, 1);
	assert_true(got.last_too_long);
	assert_int_equal(got.bytes, (1400 << 10) + 1);
	tmp_append(FILE_NAME, "two\n");
	assert_string_equal(look(tail, &cursor).last, "two");
	ccfc_tail_free(tail);
}

static void test_read_at(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(1 << 20);
	const char *path = tmp_path(FILE_NAME);
	struct ccfc_slice got;
	struct ccfc_err err;

	(void)state;
	tmp_write(FILE_NAME, "one\ntwo\n");
	append_big(900 << 10);
	assert_int_equal(ccfc_tail_read_at(tail, &got, path, 4, 3, &err), 0);
	assert_true(ccfc_slice_is(got, "two"));
	tmp_touch(got.ptr, got.len + CCFC_TAIL_PADDING);
	assert_int_equal(
		ccfc_tail_read_at(tail, &got, path, 8, 900 << 10, &err), 0);
	assert_memory_equal(got.ptr, big, 900 << 10);
	tmp_touch(got.ptr, got.len + CCFC_TAIL_PADDING);
	assert_int_equal(
		ccfc_tail_read_at(tail, &got, path, 9, 900 << 10, &err),
		CCFC_ENOTFOUND);
	assert_int_equal(
		ccfc_tail_read_at(tail, &got, path, UINT64_MAX, 2, NULL),
		CCFC_ENOTFOUND);
	assert_int_equal(ccfc_tail_read_at(tail, &got, path, 0, 2 << 20, &err),
			 CCFC_ETOOBIG);
	make_unreadable(tail);
	assert_int_equal(ccfc_tail_read_at(tail, &got, path, 0, 1, NULL),
			 CCFC_EDENIED);
	tmp_unlink(FILE_NAME);
	assert_int_equal(ccfc_tail_read_at(tail, &got, path, 0, 1, &err),
			 CCFC_ENOTFOUND);
	ccfc_tail_free(tail);
}

/* As often as *ctx says, then it is over. */
static bool is_over(void *ctx)
{
	int *left = ctx;

	return (*left)-- <= 0;
}

static void test_until(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(1 << 20);
	const char *path = tmp_path(FILE_NAME);
	struct ccfc_cursor cursor = { 0 };
	struct ccfc_line line;
	struct ccfc_slice got;
	int left = 1;

	(void)state;
	tmp_write(FILE_NAME, "one\ntwo\n");
	ccfc_tail_until(tail, is_over, &left);
	assert_int_equal(ccfc_tail_read_at(tail, &got, path, 0, 3, NULL), 0);
	assert_int_equal(ccfc_tail_read_at(tail, &got, path, 0, 3, NULL),
			 CCFC_EAGAIN);
	assert_int_equal(ccfc_tail_open(tail, path, &cursor, NULL),
			 CCFC_TAIL_OPEN);
	assert_int_equal(ccfc_tail_next(tail, &cursor, &line, NULL),
			 CCFC_EAGAIN);
	ccfc_tail_close(tail, &cursor);
	assert_int_equal(cursor.offset, 0);
	/* It is not asked again. */
	assert_true(ccfc_tail_is_over(tail));
	assert_int_equal(left, -1);
	left = 100;
	ccfc_tail_until(tail, is_over, &left);
	assert_false(ccfc_tail_is_over(tail));
	assert_int_equal(ccfc_tail_read_at(tail, &got, path, 4, 3, NULL), 0);
	ccfc_tail_free(tail);
}

/* Lines of some megabytes, which make the buffer grow and shrink again. */
static void test_growing(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);
	struct ccfc_cursor cursor = { 0 };

	(void)state;
	tmp_write(FILE_NAME, "");
	for (int i = 1; i <= 3; i++) {
		for (int n = 0; n < 4 * i; n++)
			append_big(sizeof(big));
		tmp_append(FILE_NAME, "\nshort\n");
		assert_string_equal(look(tail, &cursor).last, "short");
	}
	assert_int_equal(cursor.offset, 24 * sizeof(big) + 3 * 7);
	ccfc_tail_free(tail);
	ccfc_tail_free(NULL);
}

/* Looks at what stands behind the last newline, and takes `n` bytes of it. */
static const char *rest(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
			size_t max, size_t n)
{
	static char text[64];
	struct ccfc_line line;
	struct ccfc_err err;
	int r;

	assert_int_equal(
		ccfc_tail_open(tail, tmp_path(FILE_NAME), cursor, &err),
		CCFC_TAIL_OPEN);
	while (ccfc_tail_next(tail, cursor, &line, &err) > 0)
		;
	r = ccfc_tail_rest(tail, cursor, &line, max, &err);
	assert_true(r >= 0);
	text[0] = '\0';
	if (r) {
		assert_true(line.offset == cursor->offset);
		tmp_touch(line.ptr, line.len + CCFC_TAIL_PADDING);
		snprintf(text, sizeof(text), "%.*s",
			 line.len < 60 ? (int)line.len : 60, line.ptr);
		if (n)
			ccfc_tail_take(tail, cursor, n);
	}
	ccfc_tail_close(tail, cursor);
	return text;
}

static void put(const char *text)
{
	tmp_put(FILE_NAME, text, strlen(text), O_APPEND);
}

static void test_rest(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);
	struct ccfc_cursor c = { 0 };
	struct look l;

	(void)state;
	put("one\ntwo");
	assert_string_equal(rest(tail, &c, 2, 0), "");
	/* Nothing new since the last look. */
	assert_string_equal(rest(tail, &c, 100, 0), "");
	put("+");
	assert_string_equal(rest(tail, &c, 100, 4), "two+");
	assert_int_equal(c.offset, 8);
	/* Its newline makes no line, also with white space before it. */
	put(" \nthree\nfour");
	l = look(tail, &c);
	assert_int_equal(l.lines, 1);
	assert_string_equal(l.last, "three");
	/* What follows in the same line is one. */
	assert_string_equal(rest(tail, &(struct ccfc_cursor){ 0 }, 100, 0),
			    "four");
	c.probe = 0;
	assert_string_equal(rest(tail, &c, 100, 4), "four");
	put("five\n");
	l = look(tail, &c);
	assert_int_equal(l.lines, 1);
	assert_string_equal(l.last, "five");
	/* A rest of several chunks, of which the first were searched before. */
	append_big(sizeof(big));
	l = look(tail, &c);
	assert_int_equal(l.lines, 0);
	put("}");
	assert_int_equal(strlen(rest(tail, &c, SIZE_MAX, sizeof(big) + 1)), 60);
	put("\n");
	l = look(tail, &c);
	assert_int_equal(l.lines, 0);
	assert_string_equal(rest(tail, &c, SIZE_MAX, 0), "");
	ccfc_tail_free(tail);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, tmp_setup, tmp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_changes),
		TEST(test_identity),
		TEST(test_bad_cursors),
		TEST(test_shrinks_while_open),
		TEST(test_grows_while_open),
		TEST(test_rewritten_while_open),
		TEST(test_probe_saves_reading),
		TEST(test_rewritten_rest),
		TEST(test_too_long_in_pieces),
		TEST(test_read_at),
		TEST(test_until),
		TEST(test_growing),
		TEST(test_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
