/*
 * Manifests on disk: what was written is read, up to the largest numbers, and
 * so is what earlier versions wrote.
 */
#include "archive/manifests.h"

#include "base/alloc.h"
#include "base/hash.h"
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

#define FIRST_KEY  "the key of the first segment...."
#define SECOND_KEY "the key of the second segment..."

/*
 * The head of a manifest as earlier versions wrote it: the length of a marker
 * and the flags of a segment have four bytes, and there are no runs.
 */
static const char old_head[] =
	/* The path, the session, no agent. */
	"\x0a\0\0\0"
	"/p/t.jsonl"
	"\x24\0\0\0" SESSION "\0\0\0\0"
	/* It is an agent's; the owner; one version, since 7. */
	"\x01\x02"
	"\x01\0\0\0"
	"\x07\0\0\0"
	/* The marker's length, the end, the marker. */
	"\0\x01\0\0"
	"\x0a\x10\x0b\0\0\0\0\0"
	"\xef\xcd\xab\x89\x67\x45\x23\x01"
	/* The bytes of the packed rest, and two segments. */
	"\x08\0\0\0"
	"\x02\0\0\0"
	/* Offset, length, flags and key of the first. */
	"\0\0\0\0\0\0\0\0"
	"\0\x10\x06\0"
	"\x01\0\0\0" FIRST_KEY
	/* The same of the second. */
	"\0\x10\x06\0\0\0\0\0"
	"\0\0\x05\0"
	"\0\0\0\0" SECOND_KEY;

static void put_number(struct ccfc_buf *out, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		ccfc_buf_putc(out, (char)(v >> (8 * i)));
}

static void write_old(const char *file)
{
	const struct ccfc_slice head =
		ccfc_slice(old_head, sizeof(old_head) - 1);
	struct ccfc_buf all = CCFC_BUF_INIT;
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	ccfc_buf_puts(&all, "ccfcman1");
	put_number(&all, head.len);
	ccfc_buf_slice(&all, head);
	put_number(&all, ccfc_hash_slice(head));
	ccfc_buf_puts(&all, "the rest");
	assert_int_equal(fwrite(all.ptr, 1, all.len, f), all.len);
	assert_int_equal(fclose(f), 0);
	ccfc_buf_release(&all);
}

static void check_segment(const struct ccfc_segment *s, uint64_t offset,
			  uint32_t len, uint32_t flags, const char *key)
{
	assert_int_equal(s->offset, offset);
	assert_int_equal(s->len, len);
	assert_int_equal(s->flags, flags);
	assert_int_equal(s->runs, 0);
	assert_memory_equal(s->key.bytes, key, sizeof(s->key.bytes));
}

static void test_older_layout(void **state)
{
	char dir[] = "/tmp/ccfc-manifest-XXXXXX", file[64];
	const struct ccfc_archive_version *v;
	struct ccfc_archive_manifest m;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/m", dir);
	write_old(file);
	assert_int_equal(ccfc_archive_manifest_read(&m, file, NULL), 0);
	assert_string_equal(m.path, "/p/t.jsonl");
	assert_string_equal(m.session, SESSION);
	assert_string_equal(m.agent, "");
	assert_true(m.is_agent);
	assert_int_equal(m.owner, 2);
	assert_int_equal(m.versions.n, 1);
	v = &m.versions.items[0];
	assert_int_equal(v->since, 7);
	assert_int_equal(v->marker_len, 256);
	assert_int_equal(v->end, 0xb100a);
	assert_true(v->marker == 0x0123456789abcdefu);
	assert_int_equal(v->rest_runs, 0);
	/* Nobody had looked for notes. */
	assert_false(v->rest_no_note);
	assert_string_equal(v->rest.ptr, "the rest");
	assert_int_equal(v->segments.n, 2);
	check_segment(&v->segments.items[0], 0, 0x61000, CCFC_SEGMENT_PLAIN,
		      FIRST_KEY);
	check_segment(&v->segments.items[1], 0x61000, 0x50000, 0, SECOND_KEY);
	ccfc_archive_manifest_release(&m);
	unlink(file);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_fields),
		cmocka_unit_test(test_older_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
