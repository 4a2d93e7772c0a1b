/* The token of the REST API; see http.h. */
#include "http/http.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_token(const char *s)
{
	return strspn(s, "0123456789abcdef") == CCFC_HTTP_TOKEN_LEN &&
	       !s[CCFC_HTTP_TOKEN_LEN];
}

/*
 * Reads a token that only its owner can read. A file that others may read, or
 * that has something else in it, is not trusted.
 */
static bool read_token(char *out, const char *path)
{
	char text[CCFC_HTTP_TOKEN_LEN + 2];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && !(st.st_mode & 077))
		n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!is_token(text))
		return false;
	memcpy(out, text, CCFC_HTTP_TOKEN_LEN + 1);
	return true;
}

static int make_token(char *out, struct ccfc_err *err)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[CCFC_HTTP_TOKEN_LEN / 2];

	if (getentropy(bytes, sizeof(bytes)) < 0)
		return ccfc_err_io(err, errno, "no random bytes for a token");
	for (size_t i = 0; i < sizeof(bytes); i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[CCFC_HTTP_TOKEN_LEN] = '\0';
	return 0;
}

/* Writes a new file and renames it, so the token is never cut off. */
static int write_token(const char *token, const char *path,
		       struct ccfc_err *err)
{
	struct ccfc_buf temporary = CCFC_BUF_INIT;
	bool written = false;
	int fd;

	ccfc_buf_printf(&temporary, "%s.new", path);
	unlink(temporary.ptr);
	fd = open(temporary.ptr,
		  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0) {
		written = write(fd, token, CCFC_HTTP_TOKEN_LEN) ==
				  CCFC_HTTP_TOKEN_LEN &&
			  write(fd, "\n", 1) == 1 && fsync(fd) == 0;
		close(fd);
		written = written && rename(temporary.ptr, path) == 0;
	}
	ccfc_buf_release(&temporary);
	return written ? 0 : ccfc_err_io(err, errno, "%s", path);
}

int ccfc_http_token(char out[CCFC_HTTP_TOKEN_LEN + 1], const char *state_dir,
		    struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = 0;

	ccfc_buf_printf(&path, "%s/web-token", state_dir);
	if (!read_token(out, path.ptr)) {
		r = make_token(out, err);
		if (!r)
			r = write_token(out, path.ptr, err);
	}
	ccfc_buf_release(&path);
	return r;
}
