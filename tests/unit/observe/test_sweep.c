/* Contents that become too old while nothing happens go all the same. */
#include "observe/observe.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ccfc-sweep-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void put_old(struct ccfc_blobs *blobs, struct ccfc_blob_key *key)
{
	const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
	char hex[CCFC_SHA256_HEX + 1], path[256];

	assert_int_equal(
		ccfc_blobs_put(blobs, key, ccfc_slice_str("old"), NULL), 0);
	ccfc_blob_key_hex(hex, key);
	snprintf(path, sizeof(path), "%s/blobs/%.2s/%s", dir, hex, hex + 2);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The thread has swept once when it starts; the content is old later. */
static void sweep_in(enum ccfc_observe_mode mode)
{
	const struct ccfc_observe_settings settings = {
		.mode = mode,
		.dirs = 10,
		.files = 10,
		.kept = { 1 << 20, 60 },
		.sweep = 20,
	};
	struct ccfc_observe_env env = { .settings = &settings,
					.state_dir = dir };
	struct ccfc_observer *observer = NULL;
	struct ccfc_blob_key key, young;
	char path[128];

	snprintf(path, sizeof(path), "%s/blobs", dir);
	assert_int_equal(ccfc_blobs_new(&env.blobs, path, NULL), 0);
	ccfc_blobs_put(env.blobs, &young, ccfc_slice_str("young"), NULL);
	put_old(env.blobs, &key);
	assert_int_equal(ccfc_observer_new(&observer, &env, NULL), 0);
	for (int i = 0; i < 3; i++) {
		while (ccfc_blobs_has(env.blobs, &key))
			usleep(1000);
		put_old(env.blobs, &key);
	}
	assert_true(ccfc_blobs_has(env.blobs, &young));
	ccfc_observer_free(observer);
	ccfc_blobs_free(env.blobs);
}

static void test_observed(void **state)
{
	(void)state;
	sweep_in(CCFC_OBSERVE_CONTENT);
}

static void test_off(void **state)
{
	(void)state;
	sweep_in(CCFC_OBSERVE_OFF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_observed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_off, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
