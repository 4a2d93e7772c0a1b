/*
 * The socket's name; see socket.h.
 *
 * nng would unlink a regular file at its path, and on closing it unlinks its
 * path even if another socket is there by then. So nng never sees the real
 * path: it binds a private name in the same directory, which is then linked to
 * the real one. link(2) fails if anything is there, so nothing can be
 * overwritten between looking and binding, and peers see the socket only when
 * it listens and has its mode. The private name is removed at once.
 *
 * The daemon's lock is its state directory's, not the socket's: a socket that
 * is found may be that of another daemon, so it is tried before it is removed.
 */
#include "serve/net/socket.h"

#include "base/alloc.h"
#include "os/dirs.h"
#include "os/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Our descriptors are below this when we begin to listen. */
#define FDS_MAX 256

static int check_dir(const char *dir, struct ccfc_err *err)
{
	struct stat st;

	if (stat(dir, &st) < 0)
		return ccfc_err_errno(err, errno, "%s", dir);
	if (st.st_uid != getuid() || (st.st_mode & 022)) {
		ccfc_err_set(err, CCFC_EDENIED,
			     "%s: others may write to the socket's directory",
			     dir);
		ccfc_err_hint(err, "set CCFC_SOCKET to a path in a private "
				   "directory");
		return CCFC_EDENIED;
	}
	return 0;
}

static int in_the_way(const char *path, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EBUSY,
		     "%s: in the way, and not a socket of "
		     "ccfc",
		     path);
	ccfc_err_hint(err, "move it away or set CCFC_SOCKET");
	return CCFC_EBUSY;
}

/*
 * Is it certain that nobody listens there? Otherwise a daemon with another
 * state directory would lose its clients.
 */
static bool is_stale(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bool refused;

	if (fd < 0)
		return false;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	/* A connect that waits for a full backlog might wait for ever. */
	if (ccfc_fd_nonblock(fd) < 0) {
		close(fd);
		return false;
	}
	memcpy(addr.sun_path, path, strlen(path));
	refused = connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 &&
		  errno == ECONNREFUSED;
	close(fd);
	return refused;
}

static int in_use(const char *path, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EBUSY, "%s: another daemon listens there", path);
	ccfc_err_hint(err, "stop it or set CCFC_SOCKET");
	return CCFC_EBUSY;
}

/* Removes a stale socket of ours; anything else is in the way. */
static int clear_path(const char *path, struct ccfc_err *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0
				       : ccfc_err_errno(err, errno, "%s", path);
	if (!S_ISSOCK(st.st_mode) || st.st_uid != getuid())
		return in_the_way(path, err);
	if (!is_stale(path))
		return in_use(path, err);
	if (unlink(path) < 0)
		return ccfc_err_errno(err, errno, "%s", path);
	return 0;
}

static int listen_on_path(struct ccfc_socket *s, const char *path,
			  struct ccfc_err *err)
{
	struct ccfc_buf url = CCFC_BUF_INIT;
	mode_t mask;
	int rv;

	ccfc_buf_printf(&url, "ipc://%s", path);
	rv = nng_stream_listener_alloc(&s->listener, url.ptr);
	ccfc_buf_release(&url);
	if (rv == 0) {
		mask = umask(0177);
		rv = nng_stream_listener_listen(s->listener);
		umask(mask);
	}
	if (rv == 0)
		return 0;
	return ccfc_err_set(err, CCFC_EIO, "%s: %s", path, nng_strerror(rv));
}

/* Gives the socket that listens at `name` its real name. */
static int publish_socket(struct ccfc_socket *s, const char *name,
			  const char *path, struct ccfc_err *err)
{
	struct stat st = { 0 };
	int r = 0;

	if (chmod(name, 0600) < 0 || lstat(name, &st) < 0)
		r = ccfc_err_errno(err, errno, "%s", name);
	else if (link(name, path) == 0)
		unlink(name);
	else if (errno == EEXIST)
		r = in_the_way(path, err);
	else if (rename(name, path) < 0) /* no links to sockets there */
		r = ccfc_err_errno(err, errno, "%s", path);
	if (r) {
		unlink(name);
		return r;
	}
	s->path = ccfc_strdup(path);
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return 0;
}

/*
 * nng makes the socket non-blocking without checking for errors: a blocking
 * socket would keep the daemon in accept() for ever. nng does not reveal the
 * descriptor, so it is searched among all open ones.
 */
static int never_wait(const char *name, struct ccfc_err *err)
{
	for (int fd = 0; fd < FDS_MAX; fd++) {
		struct sockaddr_un addr = { 0 };
		socklen_t len = sizeof(addr) - 1;

		if (getsockname(fd, (struct sockaddr *)&addr, &len) < 0 ||
		    addr.sun_family != AF_UNIX ||
		    strcmp(addr.sun_path, name) != 0)
			continue;
		if (ccfc_fd_nonblock(fd) < 0)
			return ccfc_err_errno(err, errno, "%s", name);
		break; /* no other socket has the name */
	}
	return 0;
}

static int listen_in_dir(struct ccfc_socket *s, const char *dir,
			 const char *path, struct ccfc_err *err)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	int r;

	ccfc_buf_printf(&name, "%s/.s%ld", dir, (long)getpid());
	r = ccfc_dirs_check_socket(ccfc_buf_view(&name), err);
	if (r >= 0)
		r = clear_path(name.ptr, err);
	if (!r)
		r = clear_path(path, err);
	if (!r)
		r = listen_on_path(s, name.ptr, err);
	if (!r)
		r = never_wait(name.ptr, err);
	if (!r)
		r = publish_socket(s, name.ptr, path, err);
	ccfc_buf_release(&name);
	return r;
}

int ccfc_socket_listen(struct ccfc_socket *s, const char *path,
		       struct ccfc_err *err)
{
	const char *slash = strrchr(path, '/');
	char *dir;
	int r;

	*s = (struct ccfc_socket){ 0 };
	if (path[0] != '/' || !slash[1])
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: not an absolute socket path", path);
	r = ccfc_dirs_check_socket(ccfc_slice_str(path), err);
	if (r < 0)
		return r;
	dir = slash == path ? ccfc_strdup("/")
			    : ccfc_strndup(path, (size_t)(slash - path));
	r = ccfc_dirs_make(dir, err);
	if (!r)
		r = check_dir(dir, err);
	if (!r)
		r = listen_in_dir(s, dir, path, err);
	free(dir);
	if (r)
		ccfc_socket_release(s);
	return r;
}

/* A listening socket keeps its inode, so the number identifies it. */
bool ccfc_socket_is_there(const struct ccfc_socket *s)
{
	struct stat st;

	return s->path && lstat(s->path, &st) == 0 && st.st_dev == s->dev &&
	       st.st_ino == s->ino;
}

void ccfc_socket_close(struct ccfc_socket *s)
{
	if (ccfc_socket_is_there(s))
		unlink(s->path);
	if (s->listener)
		nng_stream_listener_close(s->listener);
}

void ccfc_socket_release(struct ccfc_socket *s)
{
	if (s->listener)
		nng_stream_listener_free(s->listener);
	free(s->path);
	*s = (struct ccfc_socket){ 0 };
}
