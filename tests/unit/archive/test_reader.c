/* What readers learn of kept transcripts. */
#include "archive/archive.h"

#include "base/buf.h"
#include "scratch.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SESSION "5e550000-0000-4000-8000-000000000001"
#define LINE	"{\"sessionId\":\"" SESSION "\",\"type\":\"user\"}\n"
#define NOTE	"{\"type\":\"" CCFC_ATTIC_NOTE "\"}\n"

static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

/* Keeps the bytes as a transcript, which itself is not there. */
static void keep(struct ccfc_archive *archive, const char *path,
		 struct ccfc_slice bytes)
{
	struct ccfc_archive_note note = {
		.path = path,
		.name = { .session = CCFC_SLICE_LIT(SESSION) },
		.since = 1,
		.cursor = { .offset = bytes.len },
		.now = true,
	};

	ccfc_archive_stage(archive, 0, 1, 0, bytes);
	ccfc_archive_note(archive, &note);
	assert_int_equal(ccfc_archive_settle(archive, never, NULL, NULL), 0);
}

/* An archive in a directory of its own. */
struct fixture {
	char dir[64];
	struct ccfc_archive *archive;
	const struct ccfc_attic *attic;
};

static int setup(void **state)
{
	const struct ccfc_archive_limits limits = { .mode = CCFC_ARCHIVE_ALL };
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->dir, "/tmp/ccfc-archive-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(ccfc_archive_new(&f->archive, f->dir, &limits, NULL),
			 0);
	ccfc_archive_sift(f->archive, NULL);
	f->attic = ccfc_archive_attic(f->archive);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int r;

	ccfc_archive_free(f->archive);
	r = remove_tree(f->dir);
	free(f);
	return r;
}

static struct ccfc_attic_file *open_kept(struct fixture *f, const char *path,
					 size_t want)
{
	struct ccfc_attic_file *file;
	uint64_t size;

	assert_int_equal(f->attic->open(f->attic->ctx, &file, path,
					CCFC_ATTIC_LAST, &size, NULL),
			 0);
	assert_int_equal(size, want);
	return file;
}

static void test_notes(void **state)
{
	static const char *const texts[] = { LINE LINE, LINE NOTE };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct ccfc_slice bytes = ccfc_slice_str(texts[i]);
		struct ccfc_attic_file *file;
		char path[128];

		snprintf(path, sizeof(path), "%s/%zu/" SESSION ".jsonl", f->dir,
			 i);
		keep(f->archive, path, bytes);
		file = open_kept(f, path, bytes.len);
		assert_int_equal(f->attic->may_have_note(file, 0, bytes.len),
				 i);
		/* Of what comes later, nothing is known. */
		assert_true(f->attic->may_have_note(file, 0, bytes.len + 1));
		assert_true(f->attic->may_have_note(file, bytes.len, 1));
		assert_true(f->attic->may_have_note(file, bytes.len + 1, 1));
		f->attic->close(file);
	}
}

/* --- damage --- */

#define FILES 8

/* Changes of some files, and other lines; all have the same length. */
static void put_lines(struct ccfc_buf *out)
{
	for (unsigned i = 0, random = 1; out->len < 3u << 20; i++) {
		size_t end = out->len + 1024;

		if (i % 2)
			ccfc_buf_printf(
				out,
				"{\"content\":[{\"type\":\"tool_use\",\"id\":"
				"\"e%u\",\"name\":\"Edit\",\"input\":{"
				"\"file_path\":\"/%u\",\"new\":\"",
				i, i / 2 % FILES);
		else
			ccfc_buf_puts(out, "{\"type\":\"other\",\"n\":\"");
		while (out->len < end - 6) {
			random = random * 1664525u + 1013904223u;
			ccfc_buf_putc(out, (char)('a' + (random >> 20) % 20));
		}
		ccfc_buf_puts(out, i % 2 ? "\"}}]}\n" : "\"   }\n");
		assert_int_equal(out->len, end);
	}
}

static char blob_path[4096];

static int note_blob(const char *path, const struct stat *st, int type,
		     struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (type == FTW_F && strstr(path, "/blobs/"))
		snprintf(blob_path, sizeof(blob_path), "%s", path);
	return 0;
}

static void flip_byte(const char *path, long at)
{
	FILE *file = fopen(path, "r+");
	int c;

	assert_non_null(file);
	assert_int_equal(fseek(file, at, SEEK_SET), 0);
	c = fgetc(file);
	assert_int_equal(fseek(file, at, SEEK_SET), 0);
	fputc(c ^ 1, file);
	assert_int_equal(fclose(file), 0);
}

/* Reads line by line, in this direction; damaged lines become newlines. */
static void read_lines(struct fixture *f, const char *path, char *to, size_t n,
		       bool forward)
{
	struct ccfc_attic_file *file = open_kept(f, path, n);

	for (size_t i = 0; i < n / 1024; i++) {
		size_t at = (forward ? i : n / 1024 - 1 - i) * 1024;

		assert_int_equal(f->attic->read(file, to + at, 1024, at), 1024);
	}
	f->attic->close(file);
}

static size_t count_lost(const char *got, struct ccfc_slice want)
{
	size_t lost = 0;

	for (size_t at = 0; at < want.len; at += 1024) {
		if (!memcmp(got + at, want.ptr + at, 1024))
			continue;
		for (size_t i = 0; i < 1024; i++)
			assert_int_equal(got[at + i], '\n');
		lost++;
	}
	return lost;
}

/* A damaged part costs its lines, whether they are read in order or not. */
static void test_damage(void **state)
{
	struct fixture *f = *state;
	struct ccfc_buf lines = CCFC_BUF_INIT;
	char path[128], *ordered, *jumped;
	size_t least = SIZE_MAX;
	struct stat st;

	put_lines(&lines);
	ordered = malloc(lines.len);
	jumped = malloc(lines.len);
	snprintf(path, sizeof(path), "%s/p/" SESSION ".jsonl", f->dir);
	keep(f->archive, path, ccfc_buf_view(&lines));
	assert_int_equal(nftw(f->dir, note_blob, 16, FTW_PHYS), 0);
	assert_int_equal(stat(blob_path, &st), 0);
	for (int i = 0; i < 16; i++) {
		long at = (long)st.st_size * (2 * i + 1) / 32;
		size_t lost;

		flip_byte(blob_path, at);
		read_lines(f, path, ordered, lines.len, true);
		read_lines(f, path, jumped, lines.len, false);
		assert_memory_equal(ordered, jumped, lines.len);
		lost = count_lost(ordered, ccfc_buf_view(&lines));
		assert_true(lost > 0 && lost < 1100);
		least = lost < least ? lost : least;
		flip_byte(blob_path, at);
	}
	/* The last part, which is half of the segment, and one more part. */
	assert_true(least < 700);
	free(ordered);
	free(jumped);
	ccfc_buf_release(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_notes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
