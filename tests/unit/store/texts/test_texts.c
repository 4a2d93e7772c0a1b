/*
 * The file of texts: what is added is read, what is not committed is cut off,
 * what is damaged is skipped and the rest is still read.
 */
#include "base/hash.h"
#include "base/time.h"
#include "scratch.h"
#include "store/texts/texts_format.h"
#include "store/texts/texts_write.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static struct ccfc_texts_file *open_texts(const char *dir, uint64_t id,
					  uint64_t length,
					  enum ccfc_texts_found want)
{
	struct ccfc_texts_file *file;
	enum ccfc_texts_found found;
	struct ccfc_err err = { 0 };

	if (ccfc_texts_file_new(&file, dir, id, length, &found, &err))
		fail_msg("%s", err.what);
	assert_int_equal(found, want);
	return file;
}

static void add(struct ccfc_texts_file *file, uint32_t n, const char *raw)
{
	struct ccfc_text_head head = { .offset = n, .time = 77 };

	assert_true(
		ccfc_texts_file_add(file, &head, ccfc_slice_str(raw), true));
}

static void flush(struct ccfc_texts_file *file)
{
	assert_int_equal(ccfc_texts_file_flush(file, NULL), 0);
}

/* The texts as "offset text|…", and how many places are damaged. */
static void check_view(struct ccfc_texts_view view, size_t size, bool verify,
		       const char *want, uint64_t damaged)
{
	struct ccfc_texts_reader *reader = ccfc_texts_reader_new(&view, size);
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_text_head head;
	struct ccfc_slice text;

	ccfc_texts_verify(reader, verify);
	while (ccfc_texts_next(reader, &head, &text)) {
		char tail[16];

		memcpy(tail, text.ptr + text.len, sizeof(tail));
		ccfc_buf_printf(&out, "%llu ", (unsigned long long)head.offset);
		ccfc_buf_slice(&out, text);
		ccfc_buf_putc(&out, '|');
	}
	assert_int_equal(ccfc_texts_next(reader, &head, &text), 0);
	assert_string_equal(out.ptr ? out.ptr : "", want);
	assert_int_equal(ccfc_texts_damaged(reader), damaged);
	if (!damaged)
		assert_int_equal(ccfc_texts_scanned(reader),
				 view.end - view.start);
	ccfc_buf_release(&out);
	ccfc_texts_reader_free(reader);
}

static void check(const struct ccfc_texts_file *file, const char *want,
		  uint64_t damaged)
{
	struct ccfc_texts_view view;

	ccfc_texts_file_view(file, &view);
	check_view(view, 0, false, want, damaged);
	check_view(view, 1, true, want, damaged);
	ccfc_texts_view_release(&view);
	assert_int_equal(view.fd, -1);
}

static char *path_of(const char *dir)
{
	static char path[600];

	snprintf(path, sizeof(path), "%s/texts", dir);
	return path;
}

static void test_there_and_back(void **state)
{
	struct ccfc_texts_file *file =
		open_texts(*state, 0, 0, CCFC_TEXTS_NONE);
	uint64_t id = ccfc_texts_file_id(file);
	uint64_t length;
	struct stat st;

	check(file, "", 0);
	add(file, 1, "one");
	check(file, "", 0);
	flush(file);
	check(file, "1 one|", 0);
	add(file, 2, "a\\n\\u00e9\\ud83d\\ude00\\ud83d\\\"");
	add(file, 3, "");
	add(file, 4, "\xff");
	flush(file);
	check(file,
	      "1 one|2 a\n\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd\"|3 |"
	      "4 \xef\xbf\xbd|",
	      0);
	length = ccfc_texts_file_length(file);
	/* Never committed: */
	add(file, 5, "five");
	flush(file);
	add(file, 6, "six");
	ccfc_texts_file_free(file);
	assert_int_equal(stat(path_of(*state), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	file = open_texts(*state, id, length, CCFC_TEXTS_FIT);
	assert_int_equal(ccfc_texts_file_length(file), length);
	add(file, 7, "seven");
	flush(file);
	check(file,
	      "1 one|2 a\n\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd\"|3 |"
	      "4 \xef\xbf\xbd|7 seven|",
	      0);
	ccfc_texts_file_free(file);
}

static void test_flags(void **state)
{
	static const struct {
		const char *text;
		uint32_t flags;
	} cases[] = {
		{ "sk", 0 },
		{ "\\u017f", CCFC_TEXT_FOLDS },
		{ "a\xe2\x84\xaa", CCFC_TEXT_FOLDS },
		{ "\xe2\x84\xab \xc5\xbe", 0 },
	};
	struct ccfc_texts_file *file =
		open_texts(*state, 0, 0, CCFC_TEXTS_NONE);
	struct ccfc_texts_reader *reader;
	struct ccfc_texts_view view;
	struct ccfc_text_head head;
	struct ccfc_slice text;

	for (uint32_t i = 0; i < 4; i++)
		add(file, i, cases[i].text);
	flush(file);
	ccfc_texts_file_view(file, &view);
	reader = ccfc_texts_reader_new(&view, 0);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(ccfc_texts_next(reader, &head, &text), 1);
		assert_int_equal(head.flags, cases[i].flags);
		assert_int_equal(head.time, 77);
	}
	ccfc_texts_reader_free(reader);
	ccfc_texts_view_release(&view);
	ccfc_texts_file_free(file);
}

/* Texts of all lengths around those of a piece, and one that is cut. */
static void test_lengths(void **state)
{
	struct ccfc_texts_file *file =
		open_texts(*state, 0, 0, CCFC_TEXTS_NONE);
	struct ccfc_text_head head = { 0 }, got;
	size_t big = CCFC_TEXT_MAX + 10;
	char *bytes = ccfc_malloc(big);
	struct ccfc_texts_reader *reader;
	struct ccfc_texts_view view;
	struct ccfc_slice text;

	memset(bytes, 'x', big);
	/* A character over the end is left out. */
	memcpy(bytes + CCFC_TEXT_MAX - 1, "\xc3\xa9", 2);
	for (size_t n = 3900; n < 4300; n++)
		assert_true(ccfc_texts_file_add(file, &head,
						ccfc_slice(bytes, n), true));
	assert_true(ccfc_texts_file_add(file, &head, ccfc_slice(bytes, big),
					false));
	flush(file);
	ccfc_texts_file_view(file, &view);
	reader = ccfc_texts_reader_new(&view, 4096);
	ccfc_texts_verify(reader, true);
	for (size_t n = 3900; n < 4300; n++) {
		assert_int_equal(ccfc_texts_next(reader, &got, &text), 1);
		assert_int_equal(text.len, n);
	}
	assert_int_equal(ccfc_texts_next(reader, &got, &text), 1);
	assert_int_equal(text.len, CCFC_TEXT_MAX - 1);
	assert_int_equal(ccfc_texts_next(reader, &got, &text), 0);
	assert_int_equal(ccfc_texts_damaged(reader), 0);
	ccfc_texts_reader_free(reader);
	ccfc_texts_view_release(&view);
	ccfc_texts_file_free(file);
	free(bytes);
}

static void poke(const char *dir, uint64_t offset, const void *bytes, size_t n)
{
	int fd = open(path_of(dir), O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, n, (off_t)offset), n);
	close(fd);
}

/* Each text of the damaged file is 80 bytes: a head and up to 8 of text. */
#define AT(n) (CCFC_TEXTS_START + (n)*80)

static struct ccfc_texts_file *four(const char *dir)
{
	struct ccfc_texts_file *file = open_texts(dir, 0, 0, CCFC_TEXTS_NONE);

	for (uint32_t i = 0; i < 4; i++)
		add(file, i, "abc");
	flush(file);
	assert_int_equal(ccfc_texts_file_length(file), AT(4));
	return file;
}

static void test_damage(void **state)
{
	struct ccfc_texts_file *file = four(*state);
	struct ccfc_texts_view view;
	uint32_t len = 0x7fffffff;

	ccfc_texts_file_view(file, &view);
	poke(*state, AT(1) + 72, "X", 1);
	/* A byte of a text shows in its checksum only. */
	check_view(view, 0, false, "0 abc|1 Xbc|2 abc|3 abc|", 0);
	check_view(view, 0, true, "0 abc|2 abc|3 abc|", 1);
	poke(*state, AT(1), "X", 1);
	check(file, "0 abc|2 abc|3 abc|", 1);
	poke(*state, AT(2) + 4, &len, sizeof(len));
	check(file, "0 abc|3 abc|", 1);
	/* A length that leads into the next text. */
	len = 90;
	poke(*state, AT(0) + 4, &len, sizeof(len));
	check_view(view, 0, true, "3 abc|", 1);
	len = CCFC_TEXT_MAX;
	poke(*state, AT(3) + 4, &len, sizeof(len));
	check_view(view, 0, true, "", 1);
	ccfc_texts_view_release(&view);
	ccfc_texts_file_free(file);
}

/* Cut at every byte while it is read. */
static void test_cut(void **state)
{
	struct ccfc_texts_file *file = four(*state);
	const char *all = "0 abc|1 abc|2 abc|3 abc|";
	struct ccfc_texts_view view;

	ccfc_texts_file_view(file, &view);
	for (uint64_t end = AT(4); end-- > 0;) {
		size_t whole = end < AT(0) ? 0 : (end - AT(0)) / 80;
		struct ccfc_buf want = CCFC_BUF_INIT;

		ccfc_buf_append(&want, all, whole * 6);
		assert_int_equal(truncate(path_of(*state), (off_t)end), 0);
		check_view(view, 0, false, want.ptr, 1);
		check_view(view, 0, true, want.ptr, 1);
		ccfc_buf_release(&want);
	}
	ccfc_texts_view_release(&view);
	check_view(view, 0, false, "", 0);
	ccfc_texts_file_free(file);
}

static void test_short(void **state)
{
	struct ccfc_texts_file *file = four(*state);
	uint64_t id = ccfc_texts_file_id(file);

	ccfc_texts_file_free(file);
	assert_int_equal(truncate(path_of(*state), AT(3) - 8), 0);
	file = open_texts(*state, id, AT(4), CCFC_TEXTS_SHORT);
	assert_int_equal(ccfc_texts_file_length(file), AT(2));
	add(file, 9, "new");
	flush(file);
	check(file, "0 abc|1 abc|9 new|", 0);
	ccfc_texts_file_free(file);
}

static int count_aside(const char *dir)
{
	char command[700];
	FILE *out;
	int n = -1;

	snprintf(command, sizeof(command),
		 "ls '%s' | grep -c texts.damaged-[0-9]", dir);
	out = popen(command, "r");
	assert_non_null(out);
	assert_int_equal(fscanf(out, "%d", &n), 1);
	pclose(out);
	return n;
}

static void test_alien(void **state)
{
	struct ccfc_texts_file *file = four(*state);
	uint64_t id = ccfc_texts_file_id(file);

	ccfc_texts_file_free(file);
	/* Not one of which a few bits turned over, as test_mended has. */
	file = open_texts(*state, ~id, AT(4), CCFC_TEXTS_ALIEN);
	assert_true(ccfc_texts_file_id(file) != id);
	check(file, "", 0);
	assert_int_equal(count_aside(*state), 1);
	ccfc_texts_file_free(file);
	/* One without any text is not worth keeping. */
	file = open_texts(*state, id, AT(4), CCFC_TEXTS_NONE);
	assert_int_equal(count_aside(*state), 1);
	ccfc_texts_file_free(file);
}

/* How it begins is damaged: it is ours all the same. */
static void test_mended(void **state)
{
	struct ccfc_texts_file *file = four(*state);
	uint64_t id = ccfc_texts_file_id(file);
	struct stat before, after;
	char path[600];
	int fd;

	ccfc_texts_file_free(file);
	snprintf(path, sizeof(path), "%s/texts", (const char *)*state);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &before), 0);
	assert_int_equal(pwrite(fd, "b", 1, 0), 1); /* was a c */
	for (int i = 0; i < 2; i++) {
		file = open_texts(*state, id, AT(4), CCFC_TEXTS_FIT);
		ccfc_texts_file_free(file);
		assert_int_equal(pread(fd, path, 1, 0), 1);
		assert_int_equal(path[0], 'c');
	}
	assert_int_equal(fstat(fd, &after), 0);
	assert_true(before.st_size == after.st_size);
	close(fd);
	assert_int_equal(count_aside(*state), 0);
}

static void test_in_the_way(void **state)
{
	struct ccfc_texts_file *file;
	enum ccfc_texts_found found;
	struct ccfc_err err = { 0 };

	assert_int_equal(symlink("elsewhere", path_of(*state)), 0);
	assert_true(ccfc_texts_file_new(&file, *state, 0, 0, &found, &err) < 0);
	assert_non_null(strstr(err.what, "/texts: "));
	unlink(path_of(*state));
	assert_int_equal(mkdir(path_of(*state), 0700), 0);
	assert_true(ccfc_texts_file_new(&file, *state, 0, 0, &found, &err) < 0);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A disk that is full in the middle of a text: written once, later. */
static void test_full(void **state)
{
	struct ccfc_texts_file *file = four(*state);
	struct ccfc_err err = { 0 };
	char *big = ccfc_calloc(1, 1u << 20);
	struct ccfc_text_head head = { 0 };

	signal(SIGXFSZ, SIG_IGN);
	limit_files(AT(4) + 100);
	add(file, 4, "abc");
	add(file, 5, "abc");
	assert_int_equal(ccfc_texts_file_flush(file, &err), CCFC_EIO);
	assert_non_null(strstr(err.what, "cannot write"));
	assert_int_equal(ccfc_texts_file_length(file), AT(4));
	check(file, "0 abc|1 abc|2 abc|3 abc|", 0);
	add(file, 6, "abc");
	limit_files(RLIM_INFINITY);
	flush(file);
	check(file, "0 abc|1 abc|2 abc|3 abc|4 abc|5 abc|6 abc|", 0);
	/* And one that stays full takes no more some day. */
	limit_files(AT(4));
	for (int i = 0; i < 65; i++)
		ccfc_texts_file_add(file, &head, ccfc_slice(big, 1u << 20),
				    false);
	assert_false(ccfc_texts_file_takes(file));
	assert_false(
		ccfc_texts_file_add(file, &head, ccfc_slice(big, 1), false));
	limit_files(RLIM_INFINITY);
	flush(file);
	assert_true(ccfc_texts_file_takes(file));
	ccfc_texts_file_free(file);
	free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_there_and_back, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_flags, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lengths, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alien, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mended, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_the_way, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
