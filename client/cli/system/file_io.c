/* Reading all of a file, and names for new ones; see file_io.h. */
#include "cli/system/file_io.h"

#include <ccfc/protocol.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

int ccfc_read_all(struct ccfc_buf *out, int fd)
{
	size_t start = out->len, step = 65536;
	struct stat st;

	/* One more than there is: the end is seen without growing again. */
	if (!fstat(fd, &st) && st.st_size > 0 &&
	    st.st_size < (off_t)CCFC_REPLY_MAX_BYTES)
		step = (size_t)st.st_size + 1;
	for (;;) {
		char *at = ccfc_buf_reserve(out, step);
		ssize_t n = read(fd, at, step);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		out->len += (size_t)n;
		out->ptr[out->len] = '\0';
		if (!n)
			return 0;
		if (out->len - start > CCFC_REPLY_MAX_BYTES) {
			errno = EFBIG;
			return -1;
		}
		step = step > (size_t)n ? step - (size_t)n : 65536;
	}
}

void ccfc_random_hex(char *out, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[16];

	/* It fails on no system that we know; a fixed name would be a trap. */
	if (n > sizeof(bytes) * 2 || getentropy(bytes, sizeof(bytes)) < 0)
		abort();
	for (size_t i = 0; i < n; i++)
		out[i] = digits[bytes[i / 2] >> (i % 2 ? 4 : 0) & 15];
	out[n] = '\0';
}

int ccfc_sync_dir(int fd)
{
	/* Some file systems cannot; they have nothing to lose either. */
	if (fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return -1;
	return 0;
}
