/* A store in a scratch directory: cmocka's setup and teardown, opening. */
#ifndef TESTS_STORE_SCRATCH_H
#define TESTS_STORE_SCRATCH_H

#include "base/alloc.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static inline int setup(void **state)
{
	const char *base = getenv("TMPDIR");
	char path[512];

	snprintf(path, sizeof(path), "%s/ccfc-store-XXXXXX",
		 base ? base : "/tmp");
	*state = ccfc_strdup(path);
	return mkdtemp(*state) ? 0 : -1;
}

static inline void wipe(const char *dir)
{
	static const char *const names[] = { "index.db", "index.db-wal",
					     "index.db-shm", "ccfcd.lock",
					     "texts" };
	char path[600];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
}

static inline int teardown(void **state)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	if (system(command))
		return -1;
	free(*state);
	return 0;
}

static inline struct ccfc_index *reload(struct ccfc_store **store,
					const char *dir)
{
	struct ccfc_index *index = ccfc_index_new("/home/u");
	struct ccfc_err err = { 0 };
	bool stale;

	assert_int_equal(ccfc_store_new(store, dir, &err), 0);
	if (ccfc_store_load(*store, index, &stale, &err))
		fail_msg("%s", err.what);
	assert_false(stale);
	return index;
}

/* Settles and stores; index->events are still there. */
static inline void settle_and_store(struct ccfc_store *store,
				    struct ccfc_index *index)
{
	struct ccfc_err err = { 0 };

	ccfc_index_settle(index);
	if (ccfc_store_commit(store, index, &err))
		fail_msg("%s", err.what);
	ccfc_index_stored(index);
}

#endif
