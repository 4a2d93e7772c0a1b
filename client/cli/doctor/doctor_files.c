/*
 * May the daemon, and nobody else, read and write its files? Is there enough
 * disk space?
 */
#include "cli/doctor/doctor.h"
#include "cli/out/render.h"
#include "os/dirs.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MIB	   ((uint64_t)1 << 20)
#define SPACE_FAIL (16 * MIB)
#define SPACE_WARN (256 * MIB)

/* A finding about a path, and the command for it: "chmod 700 PATH". */
static void add_permission_finding(struct ccfc_doctor *d, enum ccfc_level level,
				   const char *path, const char *what,
				   const char *why, const char *command)
{
	struct ccfc_finding *f =
		ccfc_doctor_say(d, level, "permissions", "%s %s", path, what);

	ccfc_buf_puts(&f->why, why);
	ccfc_buf_printf(&f->fix, "%s ", command);
	ccfc_doctor_quote(&f->fix, path);
}

/* Does access() allow `mode`? Reports it if not. */
static bool check_access(struct ccfc_doctor *d, const char *path,
			 const struct stat *st, int mode)
{
	bool ours = st->st_uid == geteuid();

	if (!access(path, mode))
		return true;
	add_permission_finding(d, CCFC_LEVEL_FAIL, path,
			       mode & W_OK ? "cannot be written"
					   : "cannot be read",
			       ours ? "its mode does not let you"
				    : "it belongs to another user",
			       !ours	     ? "sudo chown -R \"$(id -un)\""
			       : mode & W_OK ? "chmod u+rwX"
					     : "chmod u+rX");
	return false;
}

static bool check_state(struct ccfc_doctor *d)
{
	static const char *const names[] = { "index.db", "index.db-wal",
					     "texts", "ccfcd.lock",
					     "ccfcd.log" };
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct stat st;
	bool good;

	if (!d->state.len || stat(d->state.ptr, &st))
		return true; /* the daemon makes the directory */
	good = check_access(d, d->state.ptr, &st, R_OK | W_OK | X_OK);
	if (good && (st.st_mode & 022)) {
		good = false;
		add_permission_finding(
			d, CCFC_LEVEL_FAIL, d->state.ptr, "is open to others",
			"they may write to it, and no daemon starts there",
			"chmod 700");
	} else if (good && (st.st_mode & 077)) {
		good = false;
		add_permission_finding(
			d, CCFC_LEVEL_WARN, d->state.ptr, "is open to others",
			"it holds the data about your sessions", "chmod 700");
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/%s", d->state.ptr, names[i]);
		if (!stat(path.ptr, &st) &&
		    !check_access(d, path.ptr, &st, R_OK | W_OK))
			good = false;
	}
	ccfc_buf_release(&path);
	return good;
}

/* The daemon listens in no directory that others may write to. */
static bool check_socket_dir(struct ccfc_doctor *d, const char *dir)
{
	struct ccfc_finding *f;
	struct stat st;

	if (stat(dir, &st))
		return true;
	if (st.st_uid != geteuid()) {
		f = ccfc_doctor_say(d, CCFC_LEVEL_FAIL, "permissions",
				    "%s belongs to another user", dir);
		ccfc_buf_puts(&f->why, "the daemon does not listen there");
		ccfc_buf_puts(&f->fix,
			      "export CCFC_SOCKET=\"$HOME/.ccfc.sock\"");
		return false;
	}
	if (st.st_mode & 022) {
		add_permission_finding(
			d, CCFC_LEVEL_FAIL, dir, "may be written to by others",
			"the daemon does not listen there", "chmod go-w");
		return false;
	}
	return true;
}

static bool check_socket(struct ccfc_doctor *d)
{
	struct ccfc_buf dir = CCFC_BUF_INIT;
	struct stat st;
	bool good;

	if (!d->socket.len)
		return true;
	ccfc_buf_slice(&dir, ccfc_buf_view(&d->socket));
	dir.len = (size_t)(strrchr(dir.ptr, '/') - dir.ptr);
	dir.ptr[dir.len] = '\0';
	good = check_socket_dir(d, dir.len ? dir.ptr : "/");
	ccfc_buf_release(&dir);
	if (lstat(d->socket.ptr, &st) || !S_ISSOCK(st.st_mode))
		return good;
	if (st.st_uid == geteuid() && (st.st_mode & 0777) != 0600) {
		add_permission_finding(
			d, CCFC_LEVEL_WARN, d->socket.ptr, "has another mode",
			"ccfc creates it with mode 600", "chmod 600");
		return false;
	}
	return good;
}

static bool check_config(struct ccfc_doctor *d)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct stat st;
	bool good = true;

	if (ccfc_dirs_config(&path, NULL) < 0 || stat(path.ptr, &st)) {
		ccfc_buf_release(&path);
		return true;
	}
	good = check_access(d, path.ptr, &st, R_OK);
	if (good && (st.st_mode & 022)) {
		good = false;
		add_permission_finding(d, CCFC_LEVEL_WARN, path.ptr,
				       "may be written to by others",
				       "it says what the daemon reads",
				       "chmod go-w");
	}
	ccfc_buf_release(&path);
	return good;
}

static void check_space(struct ccfc_doctor *d)
{
	struct ccfc_finding *f;
	struct statvfs fs;
	uint64_t left;

	if (!d->state.len || statvfs(d->state.ptr, &fs))
		return;
	left = (uint64_t)fs.f_bavail * fs.f_frsize;
	f = ccfc_doctor_add(d,
			    left < SPACE_FAIL	? CCFC_LEVEL_FAIL
			    : left < SPACE_WARN ? CCFC_LEVEL_WARN
						: CCFC_LEVEL_OK,
			    "space");
	ccfc_render_bytes(&f->what, (int64_t)left);
	ccfc_buf_printf(&f->what, " are free where %s is", d->state.ptr);
	if (f->level == CCFC_LEVEL_OK)
		return;
	ccfc_buf_puts(&f->why, "the index cannot be kept on a full disk; this "
			       "shows what is large in your home directory");
	ccfc_buf_puts(&f->fix, "du -xh ~ | sort -h | tail -n 20");
}

void ccfc_doctor_files(struct ccfc_doctor *d)
{
	bool state = check_state(d), socket = check_socket(d);
	bool config = check_config(d);

	if (state && socket && config)
		ccfc_doctor_say(d, CCFC_LEVEL_OK, "permissions",
				"state directory, socket and config are yours "
				"alone");
	check_space(d);
}
