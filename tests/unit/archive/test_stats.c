/* What the archive says of itself while its thread works, and when that may
 * begin. */
#include "archive/archive.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SESSION "5e550000-0000-4000-8000-000000000001"
#define LINE	"{\"sessionId\":\"" SESSION "\",\"type\":\"user\"}\n"

/* The archive's thread waits at its first line until it may go on. */
struct gate {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	bool reached, open;
};

static bool wait_at_gate(void *ctx, struct ccfc_slice session, char *line,
			 size_t len, bool *any)
{
	struct gate *gate = ctx;

	(void)session, (void)line, (void)len, (void)any;
	pthread_mutex_lock(&gate->lock);
	gate->reached = true;
	pthread_cond_broadcast(&gate->moved);
	while (!gate->open)
		pthread_cond_wait(&gate->moved, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	return false;
}

static uint64_t waiting(struct ccfc_archive *archive)
{
	struct ccfc_archive_stats stats;

	ccfc_archive_stats(archive, &stats);
	return stats.waiting;
}

static void keep_line(struct ccfc_archive *archive, const char *path)
{
	const struct ccfc_slice line = ccfc_slice_str(LINE);
	struct ccfc_archive_note note = {
		.path = path,
		.name = { .session = ccfc_slice_str(SESSION) },
		.since = 1,
		.cursor = { .offset = line.len },
		.now = true,
	};

	ccfc_archive_stage(archive, 0, 1, 0, line);
	ccfc_archive_note(archive, &note);
}

static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

static void test_busy_one_waits(void **state)
{
	const struct ccfc_archive_limits limits = { .mode = CCFC_ARCHIVE_ALL };
	struct gate gate = { .lock = PTHREAD_MUTEX_INITIALIZER,
			     .moved = PTHREAD_COND_INITIALIZER };
	const struct ccfc_archive_sieve sieve = { .all = true,
						  .blanks = wait_at_gate,
						  .ctx = &gate };
	char dir[] = "/tmp/ccfc-archive-XXXXXX", path[128], clean[64];
	struct ccfc_archive *archive;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(ccfc_archive_new(&archive, dir, &limits, NULL), 0);
	ccfc_archive_sift(archive, &sieve);
	assert_int_equal(waiting(archive), 0);
	snprintf(path, sizeof(path), "%s/" SESSION ".jsonl", dir);
	keep_line(archive, path);
	pthread_mutex_lock(&gate.lock);
	while (!gate.reached)
		pthread_cond_wait(&gate.moved, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
	/* It is in nobody's queue now, and not kept either. */
	assert_int_equal(waiting(archive), 1);
	pthread_mutex_lock(&gate.lock);
	gate.open = true;
	pthread_cond_broadcast(&gate.moved);
	pthread_mutex_unlock(&gate.lock);
	assert_int_equal(ccfc_archive_settle(archive, never, NULL, NULL), 0);
	assert_int_equal(waiting(archive), 0);
	ccfc_archive_free(archive);
	snprintf(clean, sizeof(clean), "rm -r %s", dir);
	assert_int_equal(system(clean), 0);
}

static int threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* An import that was cut off could bring back what was forgotten since. */
static void test_nothing_before_the_sieve(void **state)
{
	const struct ccfc_archive_limits limits = { .mode = CCFC_ARCHIVE_ALL };
	char dir[] = "/tmp/ccfc-archive-XXXXXX", path[128], clean[64];
	struct ccfc_archive *archive;
	int before = threads();

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/archive", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/archive/import.ready", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(ccfc_archive_new(&archive, dir, &limits, NULL), 0);
	assert_int_equal(threads(), before);
	assert_int_equal(access(path, F_OK), 0);
	ccfc_archive_sift(archive, NULL);
	while (!access(path, F_OK))
		sched_yield();
	ccfc_archive_free(archive);
	snprintf(clean, sizeof(clean), "rm -r %s", dir);
	assert_int_equal(system(clean), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_one_waits),
		cmocka_unit_test(test_nothing_before_the_sieve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
