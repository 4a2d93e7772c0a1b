/*
 * What `ccfc export --all` wrote: files of an archive as they are, and the list
 * of them, "ccfc-export". The list is text:
 *
 *   ccfc-export 1
 *   <SHA-256> <bytes> <name>      a line for each file
 *   end <SHA-256 of all before>
 *
 * The list is written last. Names are those of an archive's files; "labels",
 * which the client reads; "seen", disk events, and their contents,
 * "observed/…". Other names are refused, so nothing is written elsewhere.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"
#include "base/hex.h"
#include "os/whole_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD	 "ccfc-export 1\n"
#define LIST_MAX ((size_t)256 << 20)
#define FILE_MAX ((uint64_t)1 << 30)
#define PIECE	 ((size_t)256 << 10)

static bool is_hex(struct ccfc_slice s, size_t len)
{
	if (s.len != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!strchr("0123456789abcdef", s.ptr[i]) || !s.ptr[i])
			return false;
	return true;
}

/* "ab/cdef…" */
static bool is_blob(struct ccfc_slice s)
{
	return s.len == 2 + 1 + 62 && is_hex(ccfc_slice(s.ptr, 2), 2) &&
	       s.ptr[2] == '/' && is_hex(ccfc_slice_from(s, 3), 62);
}

static bool is_name(struct ccfc_slice s)
{
	if (ccfc_slice_starts(s, "sources/"))
		return is_hex(ccfc_slice_from(s, 8), 40);
	if (ccfc_slice_starts(s, "files/"))
		return is_hex(ccfc_slice_from(s, 6), 40);
	if (ccfc_slice_starts(s, "blobs/"))
		return is_blob(ccfc_slice_from(s, 6));
	if (ccfc_slice_starts(s, "observed/"))
		return is_blob(ccfc_slice_from(s, 9));
	return ccfc_slice_is(s, "labels") || ccfc_slice_is(s, "seen");
}

static int read_list(struct ccfc_buf *out, const char *from,
		     struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int fd, r = 0;
	ssize_t n = 1;

	ccfc_buf_printf(&path, "%s/ccfc-export", from);
	fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	while (fd >= 0 && n > 0 && out->len <= LIST_MAX) {
		n = read(fd, ccfc_buf_reserve(out, PIECE), PIECE);
		out->len += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || n < 0)
		r = ccfc_err_io(err, errno, "%s", path.ptr);
	else if (out->len > LIST_MAX)
		r = ccfc_err_set(err, CCFC_ETOOBIG, "%s: is too long",
				 path.ptr);
	if (fd >= 0)
		close(fd);
	ccfc_buf_release(&path);
	return r;
}

/* Cuts off the last line, the checksum, which must match the rest. */
static bool check_list(struct ccfc_slice *list)
{
	const size_t tail = 4 + CCFC_SHA256_HEX + 1;
	char hex[CCFC_SHA256_HEX + 1];
	struct ccfc_slice end;

	if (list->len < strlen(HEAD) + tail || !ccfc_slice_starts(*list, HEAD))
		return false;
	end = ccfc_slice_from(*list, list->len - tail);
	list->len -= tail;
	ccfc_sha256_hex(hex, *list);
	return ccfc_slice_starts(end, "end ") && end.ptr[tail - 1] == '\n' &&
	       !memcmp(end.ptr + 4, hex, CCFC_SHA256_HEX);
}

struct entry {
	struct ccfc_slice sum, name;
	uint64_t size;
};

/* One line; false: it is invalid. */
static bool take_entry(struct entry *e, struct ccfc_slice line)
{
	const char *end = line.ptr + line.len, *at;

	e->sum = ccfc_slice(line.ptr, line.len < CCFC_SHA256_HEX
					      ? line.len
					      : CCFC_SHA256_HEX);
	e->size = 0;
	at = line.ptr + CCFC_SHA256_HEX;
	if (!is_hex(e->sum, CCFC_SHA256_HEX) || at >= end || *at++ != ' ')
		return false;
	while (at < end && *at >= '0' && *at <= '9' && e->size <= FILE_MAX)
		e->size = e->size * 10 + (uint64_t)(*at++ - '0');
	if (at >= end || *at++ != ' ')
		return false;
	e->name = ccfc_slice(at, (size_t)(end - at));
	return is_name(e->name) && e->size <= FILE_MAX;
}

/* Copies up to the size in the list, and computes the checksum. */
static int copy_bytes(int in, int out, const struct entry *e,
		      struct ccfc_buf *buf, char hex[CCFC_SHA256_HEX + 1])
{
	unsigned char bytes[CCFC_SHA256_BYTES];
	struct ccfc_sha256 sum;
	uint64_t done = 0;

	ccfc_sha256_init(&sum);
	for (;;) {
		ssize_t n = read(in, ccfc_buf_reserve(buf, PIECE), PIECE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += (uint64_t)n;
		if (done > e->size)
			break;
		ccfc_sha256_add(&sum, buf->ptr, (size_t)n);
		if (ccfc_write_all(out, ccfc_slice(buf->ptr, (size_t)n)))
			return -1;
	}
	ccfc_sha256_end(&sum, bytes);
	ccfc_hex_write(hex, bytes, sizeof(bytes));
	if (done != e->size)
		hex[0] = '\0';
	return fsync(out);
}

static int copy_file(const char *from, const char *to, const struct entry *e,
		     struct ccfc_err *err)
{
	char hex[CCFC_SHA256_HEX + 1];
	struct ccfc_buf buf = CCFC_BUF_INIT;
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int out = -1, r = 0;

	if (in < 0)
		return errno == ENOENT ? ccfc_err_set(err, CCFC_ECORRUPT,
						      "%s: is missing", from)
				       : ccfc_err_io(err, errno, "%s", from);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		   0600);
	if (out < 0 || copy_bytes(in, out, e, &buf, hex))
		r = ccfc_err_io(err, errno, "%s", out < 0 ? to : from);
	else if (memcmp(hex, e->sum.ptr, CCFC_SHA256_HEX) != 0)
		r = ccfc_err_set(err, CCFC_ECORRUPT,
				 hex[0] ? "%s: is damaged"
					: "%s: has another length",
				 from);
	if (out >= 0 && !r)
		ccfc_copy_time(in, out);
	close(in);
	if (out >= 0 && close(out) && !r)
		r = ccfc_err_io(err, errno, "%s", to);
	ccfc_buf_release(&buf);
	return r;
}

/* Disk events and their contents have a directory of their own. */
static void name_target(struct ccfc_buf *to, const struct ccfc_archive *into,
			struct ccfc_slice name)
{
	const char *dir = "";

	if (ccfc_slice_is(name, "seen")) {
		name = ccfc_slice_str(CCFC_IMPORT_LINES);
		dir = CCFC_IMPORT_SEEN "/";
	} else if (ccfc_slice_starts(name, "observed/")) {
		name = ccfc_slice_from(name, strlen("observed/"));
		dir = CCFC_IMPORT_SEEN "/" CCFC_IMPORT_CONTENTS "/";
	}
	ccfc_buf_printf(to, "%s/%s%.*s", into->dir, dir, (int)name.len,
			name.ptr);
}

/* Creates all directories of a path from `from` on. */
static int make_dirs(struct ccfc_buf *path, size_t from, struct ccfc_err *err)
{
	char *slash = path->ptr + from;
	int r = 0;

	while (!r && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		if (mkdir(path->ptr, 0700) && errno != EEXIST)
			r = ccfc_err_io(err, errno, "%s", path->ptr);
		*slash = '/';
	}
	return r;
}

static int take_file(const char *from, struct ccfc_archive *into,
		     const struct entry *e, struct ccfc_err *err)
{
	struct ccfc_buf source = CCFC_BUF_INIT, to = CCFC_BUF_INIT;
	int r;

	ccfc_buf_printf(&source, "%s/%.*s", from, (int)e->name.len,
			e->name.ptr);
	name_target(&to, into, e->name);
	r = make_dirs(&to, strlen(into->dir), err);
	if (!r)
		r = copy_file(source.ptr, to.ptr, e, err);
	ccfc_buf_release(&source);
	ccfc_buf_release(&to);
	return r;
}

int ccfc_export_read(const char *from, struct ccfc_archive *into,
		     struct ccfc_err *err)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_slice left;
	int r = read_list(&bytes, from, err);

	left = ccfc_buf_view(&bytes);
	if (!r && !check_list(&left))
		r = ccfc_err_set(err, CCFC_ECORRUPT,
				 "%s/ccfc-export: is cut off or damaged", from);
	if (!r)
		left = ccfc_slice_from(left, strlen(HEAD));
	while (!r && left.ptr && left.len) {
		const char *nl = memchr(left.ptr, '\n', left.len);
		struct entry e;

		if (!nl || !take_entry(&e, ccfc_slice(left.ptr,
						      (size_t)(nl - left.ptr))))
			r = ccfc_err_set(err, CCFC_ECORRUPT,
					 "%s/ccfc-export: not valid", from);
		else
			r = take_file(from, into, &e, err);
		if (!r)
			left = ccfc_slice_from(left,
					       (size_t)(nl + 1 - left.ptr));
	}
	ccfc_buf_release(&bytes);
	return r;
}
