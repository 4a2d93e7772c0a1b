/*
 * The tail as a property: however a file is appended and looked at, the same
 * lines come out at the same offsets.
 */
#include "source/tail.h"

#include "tmp.h"

#define FILE_NAME "t.jsonl"
#define DEFAULT	  CCFC_TAIL_DEFAULT_MAX_LINE

struct text {
	char *ptr;
	size_t len;
};

static size_t line_length(size_t max_line)
{
	const size_t chunk = 256u << 10;

	switch (tmp_random(12)) {
	case 0:
		return 0;
	case 1:
		return tmp_random(4);
	case 2:
		return chunk - 3 + tmp_random(6);
	case 3:
		return chunk / 2 - 3 + tmp_random(6);
	case 4:
		return 2 * chunk + tmp_random(4096);
	case 5:
		return max_line < chunk ? max_line - 2 + tmp_random(5) : 255;
	default:
		return tmp_random(3000);
	}
}

/* Bytes of all kinds but newlines: NULs, halves of UTF-8, quotes. */
static void fill(char *to, size_t len)
{
	static const char some[] = "\0a\xc3\xa4\xe2\x82\xac\"{}\r\\\xff";

	uint32_t x = (uint32_t)tmp_random(UINT32_MAX);

	for (size_t i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		to[i] = some[(x >> 16) % (sizeof(some) - 1)];
	}
}

static struct text make_text(int lines, size_t max_line, bool small)
{
	struct text text = { NULL, 0 };

	for (int i = 0; i < lines; i++) {
		size_t len = small ? tmp_random(20) : line_length(max_line);

		text.ptr = realloc(text.ptr, text.len + len + 1);
		assert_non_null(text.ptr);
		fill(text.ptr + text.len, len);
		text.len += len;
		/* Mostly with a newline at the end. */
		if (i + 1 < lines || tmp_random(3))
			text.ptr[text.len++] = '\n';
	}
	return text;
}

struct expect {
	struct text text;
	size_t at;
	size_t max_line;
	uint64_t seed;
};

/* Is `line` the next line of the text? */
static void check_line(struct expect *e, const struct ccfc_line *line)
{
	const char *from = e->text.ptr + e->at;
	const char *nl = memchr(from, '\n', e->text.len - e->at);
	size_t len = nl ? (size_t)(nl - from) : 0;

	if (!nl || line->offset != e->at || line->len != len ||
	    line->too_long != (len > e->max_line) ||
	    (!line->too_long && memcmp(line->ptr, from, len)))
		fail_msg("seed %llu: wrong line at %zu",
			 (unsigned long long)e->seed, e->at);
	if (!line->too_long)
		tmp_touch(line->ptr + len, CCFC_TAIL_PADDING);
	e->at += len + 1;
}

static void read_lines(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
		       struct expect *e)
{
	struct ccfc_line line;
	struct ccfc_err err;

	if (ccfc_tail_open(tail, tmp_path(FILE_NAME), cursor, &err) !=
	    CCFC_TAIL_OPEN)
		fail_msg("seed %llu: not opened at %zu",
			 (unsigned long long)e->seed, e->at);
	while (ccfc_tail_next(tail, cursor, &line, &err) > 0)
		check_line(e, &line);
	ccfc_tail_close(tail, cursor);
}

static size_t last_newline(const struct text *text, size_t len)
{
	while (len && text->ptr[len - 1] != '\n')
		len--;
	return len;
}

/* Appends the text in pieces of up to `piece` bytes, looking after each. */
static void run_property(uint64_t seed, size_t max_line, size_t piece,
			 bool small)
{
	struct ccfc_tail *tail = ccfc_tail_new(max_line);
	struct ccfc_cursor cursor = { 0 };
	struct expect e = { .max_line = max_line, .seed = seed };
	size_t done = 0;

	tmp_seed(seed);
	e.text = make_text(small ? 60 : 40, max_line, small);
	tmp_write(FILE_NAME, "");
	while (done < e.text.len) {
		size_t n = piece == 1 ? 1 : 1 + tmp_random(piece);

		if (n > e.text.len - done)
			n = e.text.len - done;
		tmp_put(FILE_NAME, e.text.ptr + done, n, O_APPEND);
		done += n;
		read_lines(tail, &cursor, &e);
		/* All whole lines there are, and not one byte more. */
		if (e.at != last_newline(&e.text, done) ||
		    cursor.offset != e.at)
			fail_msg("seed %llu: at %zu of %zu",
				 (unsigned long long)seed, e.at, done);
	}
	free(e.text.ptr);
	ccfc_tail_free(tail);
}

static void test_any_chunking(void **state)
{
	static const size_t limits[] = { DEFAULT, 1000, 300 << 10 };

	(void)state;
	for (uint64_t seed = 1; seed <= 9; seed++) {
		size_t max_line = limits[seed % 3];

		run_property(seed, max_line, 1, true);
		run_property(seed, 7, 5, true);
		run_property(seed, max_line, SIZE_MAX / 2, false);
		run_property(seed, max_line, 300 << 10, false);
		run_property(seed, max_line, 9000, false);
	}
}

/* A tail may be given up in the middle and gone on with from the cursor. */
static void test_close_in_the_middle(void **state)
{
	struct ccfc_tail *tail = ccfc_tail_new(DEFAULT);
	struct ccfc_cursor cursor = { 0 };
	struct expect e = { .max_line = DEFAULT, .seed = 77 };
	struct ccfc_line line;

	(void)state;
	tmp_seed(e.seed);
	e.text = make_text(60, DEFAULT, false);
	tmp_put(FILE_NAME, e.text.ptr, e.text.len, O_TRUNC);
	for (int r = 1; r > 0;) {
		assert_int_equal(ccfc_tail_open(tail, tmp_path(FILE_NAME),
						&cursor, NULL),
				 CCFC_TAIL_OPEN);
		for (uint64_t n = 1 + tmp_random(3); n && r > 0; n--) {
			r = ccfc_tail_next(tail, &cursor, &line, NULL);
			if (r > 0)
				check_line(&e, &line);
		}
		ccfc_tail_close(tail, &cursor);
	}
	assert_int_equal(e.at, last_newline(&e.text, e.text.len));
	free(e.text.ptr);
	ccfc_tail_free(tail);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, tmp_setup, tmp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_any_chunking),
		TEST(test_close_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
