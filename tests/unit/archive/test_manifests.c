/* Manifests on disk: what was written is read, up to the largest numbers. */
#include "archive/manifests.h"

#include "base/alloc.h"
#include "source/tail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define SESSION "5e550000-0000-4000-8000-000000000001"

static void test_all_fields(void **state)
{
	static const uint32_t markers[] = { 0, 1, 255, CCFC_TAIL_MARKER_MAX };
	char dir[] = "/tmp/ccfc-manifest-XXXXXX", file[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/m", dir);
	for (size_t i = 0; i < sizeof(markers) / sizeof(*markers); i++) {
		struct ccfc_archive_manifest m = { .written = 1000 }, read;
		struct ccfc_archive_version *v;
		struct ccfc_segment s = { .len = 300000,
					  .flags = CCFC_SEGMENT_PLAIN,
					  .runs = 299999 };

		m.path = ccfc_strdup("/p/t.jsonl");
		m.session = ccfc_strdup(SESSION);
		m.agent = ccfc_strdup("");
		v = ccfc_archive_manifest_add(&m, 7);
		v->marker_len = markers[i];
		v->marker = 0x0123456789abcdefu;
		v->end = 300000 + CCFC_REST_RUNS_MAX;
		v->rest_runs = i % 2 ? CCFC_REST_RUNS_MAX : 0;
		v->rest_no_note = i / 2 % 2;
		ccfc_buf_puts(&v->rest, "the rest");
		CCFC_VEC_PUSH(v->segments, s);
		assert_int_equal(ccfc_archive_manifest_write(&m, file, NULL),
				 0);
		assert_int_equal(ccfc_archive_manifest_read(&read, file, NULL),
				 0);
		assert_int_equal(read.versions.n, 1);
		assert_int_equal(read.versions.items[0].marker_len, markers[i]);
		assert_true(read.versions.items[0].marker == v->marker);
		assert_int_equal(read.versions.items[0].rest_runs,
				 v->rest_runs);
		assert_int_equal(read.versions.items[0].rest_no_note,
				 v->rest_no_note);
		assert_int_equal(read.versions.items[0].end, v->end);
		assert_string_equal(read.versions.items[0].rest.ptr,
				    "the rest");
		assert_int_equal(read.versions.items[0].segments.n, 1);
		assert_memory_equal(read.versions.items[0].segments.items, &s,
				    sizeof(s));
		ccfc_archive_manifest_release(&m);
		ccfc_archive_manifest_release(&read);
	}
	unlink(file);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
