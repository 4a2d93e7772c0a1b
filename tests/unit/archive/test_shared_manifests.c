/* Manifests in memory: one for all readers, until the file is another one. */
#include "archive/shared_manifests.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void write_manifest(const char *file, const char *session)
{
	struct ccfc_archive_manifest m = { .written = 1000 };

	m.path = ccfc_strdup("/p/t.jsonl");
	m.session = ccfc_strdup(session);
	m.agent = ccfc_strdup("");
	assert_int_equal(ccfc_archive_manifest_write(&m, file, NULL), 0);
	ccfc_archive_manifest_release(&m);
}

static const struct ccfc_shared_manifest *
take(struct ccfc_shared_manifests *all, const char *file, const char *session)
{
	const struct ccfc_shared_manifest *shared;

	assert_int_equal(ccfc_shared_manifest_take(all, &shared, file, NULL),
			 0);
	assert_string_equal(shared->manifest.session, session);
	return shared;
}

static void test_replaced(void **state)
{
	struct ccfc_shared_manifests *all = ccfc_shared_manifests_new();
	const struct ccfc_shared_manifest *first, *again, *other;
	char dir[] = "/tmp/ccfc-shared-XXXXXX", file[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/m", dir);
	assert_int_equal(ccfc_shared_manifest_take(all, &first, file, NULL),
			 CCFC_ENOTFOUND);
	assert_null(first);
	write_manifest(file, "first");
	first = take(all, file, "first");
	again = take(all, file, "first");
	assert_ptr_equal(first, again);
	/* What is in use stays as it was. */
	write_manifest(file, "other");
	other = take(all, file, "other");
	ccfc_shared_manifests_drop(all);
	assert_string_equal(first->manifest.session, "first");
	ccfc_shared_manifest_give(all, first);
	ccfc_shared_manifest_give(all, again);
	ccfc_shared_manifests_drop(all);
	again = take(all, file, "other");
	assert_ptr_equal(again, other);
	unlink(file);
	assert_int_equal(ccfc_shared_manifest_take(all, &first, file, NULL),
			 CCFC_ENOTFOUND);
	ccfc_shared_manifest_give(all, again);
	ccfc_shared_manifest_give(all, other);
	ccfc_shared_manifests_free(all);
	rmdir(dir);
}

/* The bytes of a manifest's file. */
static struct ccfc_buf manifest_bytes(const char *file, const char *session)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	FILE *f;

	write_manifest(file, session);
	f = fopen(file, "r");
	assert_non_null(f);
	bytes.len = fread(ccfc_buf_reserve(&bytes, 4096), 1, 4096, f);
	fclose(f);
	return bytes;
}

static void overwrite(const char *file, const struct ccfc_buf *bytes)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes->ptr, 1, bytes->len, f), bytes->len);
	assert_int_equal(fclose(f), 0);
}

/* Notes the file's present time, as if its clock had not moved since. */
static void set_time(const struct ccfc_shared_manifest *shared,
		     const char *file)
{
	struct stat st;

	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(shared->ino, st.st_ino);
	((struct ccfc_shared_manifest *)shared)->changed = st.st_ctim;
}

/*
 * A replaced file whose inode is the same, and its time: here the file is
 * overwritten, since nobody can choose an inode.
 */
static void test_same_inode(void **state)
{
	struct ccfc_shared_manifests *all = ccfc_shared_manifests_new();
	const struct ccfc_shared_manifest *first, *other;
	char dir[] = "/tmp/ccfc-shared-XXXXXX", file[64];
	struct ccfc_buf bytes;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/m", dir);
	bytes = manifest_bytes(file, "much longer");
	write_manifest(file, "short");
	first = take(all, file, "short");
	overwrite(file, &bytes);
	set_time(first, file);
	other = take(all, file, "much longer");
	ccfc_shared_manifest_give(all, first);
	ccfc_shared_manifest_give(all, other);
	ccfc_shared_manifests_free(all);
	ccfc_buf_release(&bytes);
	unlink(file);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_same_inode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
