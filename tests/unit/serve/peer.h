/*
 * A tiny blocking client for the tests of serve/: connect, write, read a
 * whole message, with a time limit so that a lost reply fails the test.
 */
#ifndef CCFC_TEST_SERVE_PEER_H
#define CCFC_TEST_SERVE_PEER_H

#include "base/buf.h"
#include "wire/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define PEER_TIMEOUT_S 200

static inline int peer_connect(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = PEER_TIMEOUT_S };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	memcpy(sun.sun_path, path, strlen(path) + 1);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&sun, sizeof(sun)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static inline bool peer_write(int fd, struct ccfc_slice s)
{
	size_t at = 0;

	while (at < s.len) {
		ssize_t n = send(fd, s.ptr + at, s.len - at, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

/*
 * The next message into `out` (cleared first); bytes beyond it are kept in
 * `rest` for the next call. False at the end of the stream.
 */
static inline bool peer_read(int fd, struct ccfc_buf *rest,
			     struct ccfc_buf *out)
{
	struct ccfc_framer f;
	size_t len;

	ccfc_framer_init(&f, &ccfc_frame_reply);
	ccfc_buf_clear(out);
	while (!rest->len ||
	       ccfc_framer_next(&f, &len, ccfc_buf_view(rest), NULL) != 1) {
		char *p = ccfc_buf_reserve(rest, 65536);
		ssize_t n = recv(fd, p, 65536, 0);

		if (n <= 0)
			return false;
		rest->len += (size_t)n;
	}
	ccfc_buf_append(out, rest->ptr, len);
	ccfc_buf_consume(rest, len);
	return true;
}

/* Does the peer hang up (whatever it says before)? */
static inline bool peer_is_hung_up(int fd)
{
	char sink[4096];
	ssize_t n;

	do
		n = recv(fd, sink, sizeof(sink), 0);
	while (n > 0);
	return n == 0 || errno == ECONNRESET;
}

#endif
