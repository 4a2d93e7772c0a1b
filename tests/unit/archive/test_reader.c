/* What readers learn of kept transcripts. */
#include "archive/archive.h"

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

static void test_notes(void **state)
{
	static const char *const texts[] = { LINE LINE, LINE NOTE };
	const struct ccfc_archive_limits limits = { .mode = CCFC_ARCHIVE_ALL };
	char dir[] = "/tmp/ccfc-archive-XXXXXX", clean[64];
	struct ccfc_archive *archive;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(ccfc_archive_new(&archive, dir, &limits, NULL), 0);
	ccfc_archive_sift(archive, NULL);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct ccfc_attic *attic = ccfc_archive_attic(archive);
		struct ccfc_slice bytes = ccfc_slice_str(texts[i]);
		struct ccfc_attic_file *file;
		char path[128];
		uint64_t size;

		snprintf(path, sizeof(path), "%s/%zu/" SESSION ".jsonl", dir,
			 i);
		keep(archive, path, bytes);
		assert_int_equal(attic->open(attic->ctx, &file, path,
					     CCFC_ATTIC_LAST, &size, NULL),
				 0);
		assert_int_equal(size, bytes.len);
		assert_int_equal(attic->may_have_note(file, 0, bytes.len), i);
		/* Of what comes later, nothing is known. */
		assert_true(attic->may_have_note(file, 0, bytes.len + 1));
		assert_true(attic->may_have_note(file, size, 1));
		assert_true(attic->may_have_note(file, size + 1, 1));
		attic->close(file);
	}
	ccfc_archive_free(archive);
	snprintf(clean, sizeof(clean), "rm -r %s", dir);
	assert_int_equal(system(clean), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
