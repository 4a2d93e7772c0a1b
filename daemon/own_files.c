/*
 * The daemon's own files; see own_files.h.
 *
 * A directory is removed file by file. So the daemon waits for a moment after
 * the first event: new files in a directory that is being removed would be in
 * the way. Each check sets the watches again, because the old ones may belong
 * to directories without a path. The daemon's own changes cause events too,
 * even failed ones, so the wait gets longer with each failure. While something
 * is wrong, the daemon also checks once a minute.
 *
 * The directories above are only watched for being removed or moved. The last
 * one that exists is also watched for new names: the missing one will appear
 * there.
 */
#include "own_files.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "notify.h"
#include "os/holder.h"
#include "os/log.h"
#include "source/watch.h"
#include "store/lock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define SETTLE_MS    20
#define RETRY_MS     60000
#define FAILURES_MAX 8 /* more do not lengthen the wait */

struct ccfc_own_files {
	struct ccfc_own_files_env env;
	struct ccfc_watch *watch; /* NULL: not available */
	int mounts;		  /* -1: the system has none */
	int64_t due;		  /* monotonic; 0: nothing to check */
	int failures;		  /* looks in a row that repaired nothing */
	uint64_t looks;
	struct ccfc_err deaf; /* why there is no socket; code 0: there is one */
	struct ccfc_err
		homeless; /* why there is no store; code 0: there is one */
	int64_t lost, restored; /* times; 0: never */
};

/* --- watching --- */

/* Watches the directories above `path`, a file. */
static void watch_dirs_above(struct ccfc_watch *watch, const char *path)
{
	char *dir = ccfc_strdup(path);
	enum ccfc_watch_depth depth = CCFC_WATCH_NAMES;

	for (char *slash; (slash = strrchr(dir, '/'));) {
		*slash = '\0';
		if (ccfc_watch_add(watch, dir[0] ? dir : "/", depth) >= 0)
			depth = CCFC_WATCH_ONLY_SELF;
	}
	free(dir);
}

static void renew_watch(struct ccfc_own_files *p)
{
	struct ccfc_buf lock = CCFC_BUF_INIT;

	ccfc_watch_free(p->watch);
	p->watch = NULL;
	if (ccfc_watch_new(&p->watch, NULL))
		return;
	watch_dirs_above(p->watch, p->env.socket_path);
	ccfc_buf_printf(&lock, "%s/" CCFC_HOLDER_FILE, p->env.state_dir);
	watch_dirs_above(p->watch, lock.ptr);
	ccfc_buf_release(&lock);
}

static void on_event(void *ctx, const struct ccfc_watch_event *event)
{
	(void)event;
	*(bool *)ctx = true;
}

/* --- the socket --- */

/* Logs an error once: the next try may fail in the same way. */
static void log_once(struct ccfc_err *last, const struct ccfc_err *err,
		     const char *what)
{
	if (strcmp(last->what, err->what) != 0)
		ccfc_log(CCFC_LOG_ERROR, "%s: %s", what, err->what);
	*last = *err;
}

static void restore_socket(struct ccfc_own_files *p)
{
	struct ccfc_err err = { 0 };

	if (ccfc_server_listen_again(p->env.server, &err)) {
		log_once(&p->deaf, &err,
			 "the socket is gone and cannot be created again");
		ccfc_notify("STATUS=not reachable: %s", err.what);
		return;
	}
	p->deaf = (struct ccfc_err){ 0 };
	ccfc_log(CCFC_LOG_WARN, "the socket was gone; listening again on %s",
		 p->env.socket_path);
	ccfc_notify("STATUS=listening again on %s", p->env.socket_path);
}

static void check_socket(struct ccfc_own_files *p)
{
	if (!ccfc_server_is_there(p->env.server)) {
		restore_socket(p);
		return;
	}
	if (p->deaf.code) {
		ccfc_log(CCFC_LOG_INFO, "the socket is back at %s",
			 p->env.socket_path);
		ccfc_notify("STATUS=listening again on %s", p->env.socket_path);
	}
	p->deaf = (struct ccfc_err){ 0 };
}

/* --- the state directory --- */

/* Fails if another daemon was quicker and has the directory. */
static int retake_lock(struct ccfc_own_files *p, struct ccfc_err *err)
{
	long pid;
	int lock = ccfc_lock_take(p->env.state_dir, &pid, err);

	if (lock < 0)
		return lock;
	close(*p->env.lock);
	*p->env.lock = lock;
	return 0;
}

static int fail_store_replaced(const struct ccfc_own_files *p,
			       struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EBUSY,
		     "%s: the store was replaced by another one while the "
		     "daemon ran",
		     p->env.state_dir);
	ccfc_err_hint(err, "the next ccfcd reads the new store");
	return CCFC_EBUSY;
}

/* CCFC_EBUSY: another daemon has the directory, or replaced the store. */
static int restore_state(struct ccfc_own_files *p, struct ccfc_err *err)
{
	int r = 0;

	if (!ccfc_lock_is_there(*p->env.lock, p->env.state_dir))
		r = retake_lock(p, err);
	if (r)
		return r;
	switch (ccfc_store_look(p->env.store)) {
	case CCFC_STORE_REPLACED:
		return fail_store_replaced(p, err);
	case CCFC_STORE_MISSING:
		return ccfc_store_make_anew(p->env.store, p->env.index, err);
	default:
		return 0;
	}
}

/* Negative: as CCFC_EBUSY of restore_state. */
static int check_state_dir(struct ccfc_own_files *p, struct ccfc_err *err)
{
	struct ccfc_err why = { 0 };
	int r;

	if (ccfc_lock_is_there(*p->env.lock, p->env.state_dir) &&
	    ccfc_store_look(p->env.store) == CCFC_STORE_THERE)
		return 0;
	if (!p->homeless.code)
		p->lost = ccfc_time_now();
	r = restore_state(p, &why);
	if (r == CCFC_EBUSY) {
		if (err)
			*err = why;
		return r;
	}
	if (r) {
		log_once(&p->homeless, &why,
			 "the state directory was removed and cannot be "
			 "created again");
		ccfc_notify("STATUS=nothing is stored: %s", why.what);
		return 0;
	}
	p->homeless = (struct ccfc_err){ 0 };
	p->restored = ccfc_time_now();
	p->env.restored(p->env.ctx);
	ccfc_log(CCFC_LOG_ERROR,
		 "%s: files were removed while the daemon ran; they were "
		 "written again from memory",
		 p->env.state_dir);
	ccfc_notify("STATUS=the store was removed, and written again");
	return 0;
}

/* --- looking --- */

int ccfc_own_files_look(struct ccfc_own_files *p, struct ccfc_err *err)
{
	int r;

	renew_watch(p);
	p->due = 0;
	r = check_state_dir(p, err);
	if (r < 0)
		return r;
	check_socket(p);
	p->looks++;
	ccfc_holder_write(*p->env.lock, p->env.socket_path, p->looks,
			  p->deaf.code ? p->deaf.what : NULL);
	if (p->deaf.code || p->homeless.code)
		p->due = ccfc_time_monotonic() + RETRY_MS;
	else
		p->failures = 0;
	return 0;
}

void ccfc_own_files_poll(const struct ccfc_own_files *p,
			 struct pollfd fds[CCFC_OWN_FILES_FDS])
{
	fds[0] = (struct pollfd){ .fd = p->watch ? ccfc_watch_fd(p->watch) : -1,
				  .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = p->mounts, .events = POLLPRI };
}

int ccfc_own_files_timeout_ms(const struct ccfc_own_files *p)
{
	int64_t left;

	if (!p->due)
		return -1;
	left = p->due - ccfc_time_monotonic();
	return left > 0 ? (int)left : 0;
}

int ccfc_own_files_dispatch(struct ccfc_own_files *p, const struct pollfd *fds,
			    struct ccfc_err *err)
{
	int64_t soon = ccfc_time_monotonic() + (SETTLE_MS << p->failures);
	bool any = fds[1].revents;

	if (fds[0].revents)
		ccfc_watch_read(p->watch, on_event, &any);
	if (any && (!p->due || p->due > soon))
		p->due = soon;
	if (!p->due || ccfc_own_files_timeout_ms(p) > 0)
		return 0;
	if (p->failures < FAILURES_MAX)
		p->failures++;
	return ccfc_own_files_look(p, err);
}

void ccfc_own_files_state(const struct ccfc_own_files *p,
			  struct ccfc_state_news *out)
{
	*out = (struct ccfc_state_news){
		.problem = p->homeless.code ? p->homeless.what : NULL,
		.lost = p->lost,
		.restored = p->restored,
	};
}

/* --- life --- */

struct ccfc_own_files *ccfc_own_files_new(const struct ccfc_own_files_env *env)
{
	struct ccfc_own_files *p = ccfc_calloc(1, sizeof(*p));

	p->env = *env;
	/* Polled, never read: a mount appeared or vanished. */
	p->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	return p;
}

void ccfc_own_files_store(struct ccfc_own_files *p, struct ccfc_store *store,
			  struct ccfc_index *index)
{
	p->env.store = store;
	p->env.index = index;
}

void ccfc_own_files_free(struct ccfc_own_files *p)
{
	if (!p)
		return;
	ccfc_holder_write(*p->env.lock, NULL, p->looks, NULL);
	ccfc_watch_free(p->watch);
	if (p->mounts >= 0)
		close(p->mounts);
	free(p);
}
