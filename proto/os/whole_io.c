/* Reading and writing all bytes; see whole_io.h. */
#include "os/whole_io.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

int ccfc_write_all(int fd, struct ccfc_slice bytes)
{
	while (bytes.len) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		bytes = ccfc_slice_from(bytes, (size_t)n);
	}
	return 0;
}

int ccfc_write_all_at(int fd, struct ccfc_slice bytes, uint64_t at)
{
	while (bytes.len) {
		ssize_t n = pwrite(fd, bytes.ptr, bytes.len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += (uint64_t)n;
		bytes = ccfc_slice_from(bytes, (size_t)n);
	}
	return 0;
}

ssize_t ccfc_read_at(int fd, void *to, size_t len, uint64_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)to + done, len - done,
				  (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int ccfc_read_bytes(struct ccfc_buf *out, int fd, size_t len)
{
	char *to = ccfc_buf_reserve(out, len);

	while (len) {
		ssize_t n = read(fd, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : 0;
			return -1;
		}
		to += n;
		len -= (size_t)n;
		out->len += (size_t)n;
	}
	return 0;
}

void ccfc_copy_time(int from, int to)
{
	struct stat st;

	if (!fstat(from, &st)) {
		const struct timespec times[2] = { st.st_atim, st.st_mtim };

		(void)futimens(to, times);
	}
}
