/*
 * Connects to a running daemon, and checks that the listener is the same user.
 * A socket file without a listener (ECONNREFUSED) counts as no socket.
 */
#include "lib/lib.h"
#include "os/dirs.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A daemon that does not accept in this time hangs. */
#define CONNECT_SECONDS 10

static int peer_uid(int fd, uid_t *uid)
{
#ifdef SO_PEERCRED
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -1;
	*uid = cred.uid;
	return 0;
#else
	gid_t gid;

	return getpeereid(fd, uid, &gid);
#endif
}

static int check_peer(int fd, const char *path, struct ccfc_err *err)
{
	uid_t uid;

	if (peer_uid(fd, &uid) < 0)
		return ccfc_err_io(err, errno, "cannot find the owner of %s",
				   path);
	if (uid == geteuid())
		return 0;
	ccfc_err_set(err, CCFC_EDENIED,
		     "the server at %s belongs to another user (%u)", path,
		     (unsigned)uid);
	ccfc_err_hint(err, "set CCFC_SOCKET to a path of your own");
	return CCFC_EDENIED;
}

static int make_socket(struct ccfc_err *err)
{
	struct timeval limit = { .tv_sec = CONNECT_SECONDS };
	int type = SOCK_STREAM;
	int fd;

#ifdef SOCK_CLOEXEC
	type |= SOCK_CLOEXEC;
#endif
	fd = socket(AF_UNIX, type, 0);
	if (fd < 0)
		return ccfc_err_io(err, errno, "cannot make a socket");
#ifdef SO_NOSIGPIPE
	setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &(int){ 1 }, sizeof(int));
#endif
	/* Bounds connect() when the queue of the listener is full. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	return fd;
}

static int connect_error(int e, const char *path, struct ccfc_err *err)
{
	switch (e) {
	case ENOENT:
	case ENOTDIR:
	case ECONNREFUSED:
		ccfc_err_set(err, CCFC_EUNREACHABLE,
			     "no daemon is running at %s", path);
		ccfc_err_hint(err, "start it with: ccfc start");
		return CCFC_EUNREACHABLE;
	case EAGAIN:
		return ccfc_err_set(err, CCFC_EBUSY,
				    "the daemon at %s does not respond", path);
	default:
		return ccfc_err_io(err, e, "cannot connect to %s", path);
	}
}

static int connect_to(int fd, const char *path, struct ccfc_err *err)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int r;

	memcpy(addr.sun_path, path, strlen(path));
	do
		r = connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	while (r < 0 && errno == EINTR);
	if (r < 0 && errno != EISCONN)
		return connect_error(errno, path, err);
	return check_peer(fd, path, err);
}

int ccfc_lib_dial(const char *path, struct ccfc_err *err)
{
	int r = ccfc_dirs_check_socket(ccfc_slice_str(path), err);
	int fd;

	if (r < 0)
		return r;
	fd = make_socket(err);
	if (fd < 0)
		return fd;
	r = connect_to(fd, path, err);
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}
