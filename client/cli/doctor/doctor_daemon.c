/*
 * Does a daemon run, is it the expected one, and does it fit this program? If
 * none answers, the socket and the lock of the state directory say why.
 */
#include "cli/doctor/doctor.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "os/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_restart(const struct ccfc_doctor *d, struct ccfc_buf *fix)
{
	ccfc_doctor_stop(d, fix);
	ccfc_buf_puts(fix, " && ");
	ccfc_doctor_start(d, fix);
}

/* ---- a daemon that does not answer ---- */

/*
 * The pid of the daemon that holds the state directory; 0: none. The check
 * takes the lock for a moment: a daemon that starts at that moment waits.
 */
static long lock_holder(const struct ccfc_doctor *d)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	char text[32];
	long pid = 0;
	ssize_t n;
	int fd;

	if (!d->state.len)
		return 0;
	ccfc_buf_printf(&path, "%s/ccfcd.lock", d->state.ptr);
	fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ccfc_buf_release(&path);
	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		n = read(fd, text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = '\0';
		pid = strtol(text, NULL, 10);
		pid = pid > 1 ? pid : 0;
	}
	close(fd);
	return pid;
}

static bool is_blocked(const struct ccfc_doctor *d)
{
	struct stat st;

	return d->socket.len && !lstat(d->socket.ptr, &st) &&
	       !S_ISSOCK(st.st_mode);
}

static void in_the_way(struct ccfc_doctor *d)
{
	struct ccfc_finding *f =
		ccfc_doctor_say(d, CCFC_LEVEL_FAIL, "daemon",
				"%s is not a socket", d->socket.ptr);
	struct ccfc_buf aside = CCFC_BUF_INIT;

	ccfc_buf_puts(&f->why, "the daemon cannot listen there");
	ccfc_buf_printf(&aside, "%s.old", d->socket.ptr);
	ccfc_buf_puts(&f->fix, "mv ");
	ccfc_doctor_quote(&f->fix, d->socket.ptr);
	ccfc_buf_putc(&f->fix, ' ');
	ccfc_doctor_quote(&f->fix, aside.ptr);
	ccfc_buf_puts(&f->fix, " && ");
	ccfc_doctor_start(d, &f->fix);
	ccfc_buf_release(&aside);
}

static void say_runs_elsewhere(struct ccfc_doctor *d, long pid)
{
	struct ccfc_finding *f = ccfc_doctor_say(
		d, CCFC_LEVEL_FAIL, "daemon",
		"one runs (pid %ld), but it does not listen at %s", pid,
		d->socket.ptr);

	ccfc_buf_puts(&f->why, "its socket was removed, or CCFC_SOCKET was "
			       "different when it was started");
	ccfc_buf_printf(&f->fix, "kill %ld && ", pid);
	ccfc_doctor_start(d, &f->fix);
}

static void not_running(struct ccfc_doctor *d)
{
	long pid = lock_holder(d);
	struct stat st = { 0 };
	struct ccfc_finding *f;

	lstat(d->socket.ptr, &st);
	if (pid) {
		say_runs_elsewhere(d, pid);
		return;
	}
	f = ccfc_doctor_say(d, CCFC_LEVEL_WARN, "daemon", "none is running%s",
			    st.st_mode ? " (the last one left its socket)"
				       : "");
	ccfc_buf_puts(&f->why, "transcripts deleted before the next start "
			       "are not indexed");
	ccfc_doctor_start(d, &f->fix);
}

/* Appends the command that fixes the reason why the daemon does not answer. */
static void put_fix(const struct ccfc_doctor *d, struct ccfc_buf *fix)
{
	int code = d->daemon_err.code;
	long pid = lock_holder(d);
	struct stat st;

	if (code == CCFC_EDENIED && !lstat(d->socket.ptr, &st) &&
	    st.st_uid == geteuid()) {
		ccfc_buf_puts(fix, "chmod 600 ");
		ccfc_doctor_quote(fix, d->socket.ptr);
	} else if (code == CCFC_EDENIED || code == CCFC_EINVAL) {
		ccfc_buf_puts(fix, "export CCFC_SOCKET=\"$HOME/.ccfc.sock\"");
	} else if (pid && (code == CCFC_EAGAIN || code == CCFC_EBUSY)) {
		ccfc_buf_printf(fix, "kill -9 %ld; sleep 1; ", pid);
		ccfc_doctor_start(d, fix);
	} else {
		put_restart(d, fix);
	}
}

static void no_answer(struct ccfc_doctor *d)
{
	struct ccfc_finding *f = ccfc_doctor_add(d, CCFC_LEVEL_FAIL, "daemon");

	if (d->daemon_err.code == CCFC_EAGAIN)
		ccfc_buf_printf(&f->what, "the one at %s does not answer",
				d->socket.ptr);
	ccfc_buf_puts(f->what.len ? &f->why : &f->what, d->daemon_err.what);
	if (!f->why.len)
		ccfc_buf_puts(&f->why, d->daemon_err.hint);
	put_fix(d, &f->fix);
}

/* ---- a daemon that answers ---- */

static void check_version(struct ccfc_doctor *d, struct ccfc_obj info)
{
	struct ccfc_slice version =
		ccfc_slice_cut(ccfc_obj_get_str(info, "version"), 32);
	long long protocol = (long long)ccfc_obj_get_int(info, "protocol", 0);
	bool same = ccfc_slice_is(version, CCFC_VERSION);
	bool speaks = protocol == CCFC_PROTOCOL_VERSION;
	struct ccfc_finding *f = ccfc_doctor_add(d,
						 !speaks ? CCFC_LEVEL_FAIL
						 : !same ? CCFC_LEVEL_WARN
							 : CCFC_LEVEL_OK,
						 "version");

	ccfc_buf_puts(&f->what, "the daemon is ");
	ccfc_buf_slice(&f->what, version);
	ccfc_buf_printf(&f->what, " (protocol %lld), this ccfc " CCFC_VERSION,
			protocol);
	if (!speaks)
		ccfc_buf_printf(&f->what, " (protocol %d)",
				CCFC_PROTOCOL_VERSION);
	if (same && speaks)
		return;
	ccfc_buf_puts(&f->why, "the daemon was started before an upgrade, or "
			       "from another installation");
	put_restart(d, &f->fix);
}

/* Was the program replaced by another build of the same version? */
static void check_program(struct ccfc_doctor *d, struct ccfc_obj info)
{
	long long pid = (long long)ccfc_obj_get_int(info, "pid", 0);
	char link[64], target[4096];
	struct ccfc_finding *f;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%lld/exe", pid);
	n = readlink(link, target, sizeof(target));
	if (n <= 0 ||
	    !ccfc_slice_ends(ccfc_slice(target, (size_t)n), " (deleted)"))
		return;
	f = ccfc_doctor_say(d, CCFC_LEVEL_WARN, "version",
			    "the daemon's program was replaced since it was "
			    "started");
	put_restart(d, &f->fix);
}

static void check_state(struct ccfc_doctor *d, struct ccfc_obj info)
{
	struct ccfc_slice state = ccfc_obj_get_str(info, "stateDir");
	struct ccfc_finding *f;

	if (!state.len || ccfc_slice_eq(state, ccfc_buf_view(&d->state)))
		return;
	f = ccfc_doctor_say(d, CCFC_LEVEL_NOTE, "daemon",
			    "its index is in %.*s, not in %s", (int)state.len,
			    state.ptr, d->state.len ? d->state.ptr : "HOME");
	ccfc_buf_puts(&f->why, "CCFC_STATE_DIR or XDG_STATE_HOME was "
			       "different when it was started");
	put_restart(d, &f->fix);
	/* From here on the daemon's directories are checked. */
	ccfc_buf_clear(&d->state);
	ccfc_buf_slice(&d->state, state);
}

static bool has_root(const struct ccfc_claude_roots *roots, const char *path)
{
	for (uint32_t i = 0; i < roots->n; i++)
		if (!strcmp(roots->items[i], path))
			return true;
	return false;
}

/* Does the daemon read the directories of this shell's environment? */
static void check_roots(struct ccfc_doctor *d)
{
	struct ccfc_claude_roots wanted = { 0 };

	ccfc_claude_roots_add_all(&wanted);
	for (uint32_t i = 0; i < wanted.n; i++) {
		struct ccfc_finding *f;

		if (has_root(&d->roots, wanted.items[i]))
			continue;
		f = ccfc_doctor_say(d, CCFC_LEVEL_WARN, "daemon",
				    "it does not read %s", wanted.items[i]);
		ccfc_buf_puts(
			&f->why,
			"CLAUDE_CONFIG_DIR or the config file was different "
			"when it was started");
		put_restart(d, &f->fix);
	}
	ccfc_claude_roots_release(&wanted);
}

static void check_running(struct ccfc_doctor *d)
{
	struct ccfc_obj info = ccfc_doctor_info(d);
	struct ccfc_finding *f = ccfc_doctor_say(
		d, CCFC_LEVEL_OK, "daemon", "pid %lld at %s, since ",
		(long long)ccfc_obj_get_int(info, "pid", 0), d->socket.ptr);

	ccfc_render_time(&f->what, ccfc_obj_get(info, "startedAt"),
			 CCFC_RENDER_MINUTE);
	check_state(d, info);
	check_roots(d);
	check_version(d, info);
	check_program(d, info);
}

void ccfc_doctor_daemon(struct ccfc_doctor *d)
{
	if (!d->daemon_err.code)
		check_running(d);
	else if (is_blocked(d))
		in_the_way(d);
	else if (d->daemon_err.code == CCFC_EUNREACHABLE && d->socket.len)
		not_running(d);
	else
		no_answer(d);
}
