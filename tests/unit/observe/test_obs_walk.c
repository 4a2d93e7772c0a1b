/* Directories that are read late: what is found there keeps its time. */
#include "observe/observe_internal.h"

#include "base/time.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* The clock of files ticks. */
#define TICK_MS 20

struct world {
	char dir[64], root[PATH_MAX];
	struct ccfc_observe_settings settings;
	struct ccfc_obs obs;
	struct ccfc_obs_project project;
	struct ccfc_sighting seen;
	uint32_t nseen;
};

static void on_sighting(void *ctx, struct ccfc_sighting *sighting)
{
	struct world *w = ctx;

	free(w->seen.path);
	w->seen = *sighting;
	w->nseen++;
}

static void on_event(void *ctx, const struct ccfc_watch_event *event)
{
	ccfc_obs_event(&((struct world *)ctx)->obs, event);
}

/* As the observer's thread does. */
static void read_events(struct world *w)
{
	w->obs.drained = w->obs.reading;
	w->obs.reading = ccfc_time_now();
	ccfc_watch_read(w->obs.watch, on_event, w);
}

static void path_in(char out[PATH_MAX], const struct world *w, const char *name)
{
	snprintf(out, PATH_MAX, "%s/%s", w->dir, name);
}

static void make_dir(const struct world *w, const char *name)
{
	char path[PATH_MAX];

	path_in(path, w, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void make_file(const struct world *w, const char *name)
{
	char path[PATH_MAX];
	int fd;

	path_in(path, w, name);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x\n", 2), 2);
	close(fd);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	strcpy(w->dir, "/tmp/ccfc-walk-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	w->settings = (struct ccfc_observe_settings){
		.mode = CCFC_OBSERVE_PATHS, .dirs = 100, .files = 100
	};
	w->obs = (struct ccfc_obs){
		.env = { .settings = &w->settings, .state_dir = "/nowhere" },
		.base = -1,
		.reading = ccfc_time_now(),
		.noticed = CCFC_TIME_NONE,
		.emit = on_sighting,
		.ctx = w,
	};
	assert_int_equal(ccfc_watch_new(&w->obs.watch, NULL), 0);
	w->project.root = w->root;
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	char command[128];

	ccfc_obs_leave(&w->obs, &w->project);
	ccfc_obs_release(&w->obs);
	free(w->seen.path);
	snprintf(command, sizeof(command), "rm -r %s", w->dir);
	assert_int_equal(system(command), 0);
	free(w);
	return 0;
}

static void watch_all(struct world *w, const char *below)
{
	path_in(w->root, w, below);
	ccfc_obs_enter(&w->obs, &w->project);
	assert_null(w->project.problem);
	while (ccfc_obs_walk(&w->obs))
		;
	read_events(w);
}

/*
 * The events are taken in, and more than a second later, with events in
 * between, their directory is read. Returns when they were taken in.
 */
static int64_t read_late(struct world *w)
{
	int64_t taken;

	read_events(w);
	taken = ccfc_time_now();
	while (ccfc_time_now() < taken + 1200)
		usleep(10000);
	read_events(w);
	read_events(w);
	while (ccfc_obs_walk(&w->obs))
		;
	ccfc_obs_look_now(&w->obs, 10);
	ccfc_obs_hand_on(&w->obs);
	return taken;
}

static void assert_seen(const struct world *w, int64_t from, int64_t to)
{
	assert_int_equal(w->nseen, 1);
	assert_in_range(w->seen.time, from - TICK_MS, to);
	/* After that it was not as before any more. */
	assert_true(w->seen.held <= to);
}

static void test_new_directory(void **state)
{
	struct world *w = *state;
	int64_t began;

	watch_all(w, "");
	began = ccfc_time_now();
	make_dir(w, "new");
	make_dir(w, "new/below");
	make_file(w, "new/below/f");
	assert_seen(w, began, read_late(w));
	assert_true(w->seen.after.exists && w->seen.own);
}

static void test_moved_directory(void **state)
{
	struct world *w = *state;
	char from[PATH_MAX], to[PATH_MAX];
	int64_t began;

	make_dir(w, "a");
	make_dir(w, "b");
	make_dir(w, "b/c");
	make_file(w, "b/c/f");
	watch_all(w, "a/");
	/* The file has the time at which it was written outside. */
	while (ccfc_time_now() < w->obs.reading + 1200)
		usleep(10000);
	read_events(w);
	read_events(w);
	path_in(from, w, "b/c");
	path_in(to, w, "a/c");
	began = ccfc_time_now();
	assert_int_equal(rename(from, to), 0);
	assert_seen(w, began, read_late(w));
	assert_true(w->seen.after.exists && !w->seen.own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_new_directory, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_moved_directory, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
