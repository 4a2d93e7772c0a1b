/* Manifests in memory: one for all readers, until the file is another one. */
#include "archive/shared_manifests.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
