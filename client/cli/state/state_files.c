/* The files of an export; see state_files.h. */
#include "cli/state/state_files.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/hex.h"
#include "cli/system/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE ((size_t)256 << 10)

static bool is_file(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_state_job *job = ctx;

	return !strcmp(job->files.items[id].name, key);
}

struct ccfc_state_file *ccfc_state_find_file(struct ccfc_state_job *job,
					     const char *name)
{
	uint32_t id = ccfc_map_get(&job->by_name, ccfc_hash(name, strlen(name)),
				   is_file, job, name);

	return id == CCFC_ID_NONE ? NULL : &job->files.items[id];
}

struct ccfc_state_file *ccfc_state_add_file(struct ccfc_state_job *job,
					    const char *name)
{
	struct ccfc_state_file *f;

	CCFC_VEC_GROW(job->files);
	f = job->files.items + job->files.n;
	if (!f)
		abort(); /* it has just grown */
	*f = (struct ccfc_state_file){ .name = ccfc_strdup(name) };
	ccfc_map_put(&job->by_name, ccfc_hash(name, strlen(name)),
		     job->files.n++);
	return f;
}

/* A file of the export; -1 and errno. */
static int open_target(struct ccfc_buf *path, const struct ccfc_state_job *job,
		       const char *name)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
	char *slash;
	int fd;

	ccfc_buf_printf(path, "%s/%s", job->dir, name);
	fd = open(path->ptr, flags, 0600);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	slash = path->ptr + strlen(job->dir);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path->ptr, 0700);
		*slash = '/';
	}
	return open(path->ptr, flags, 0600);
}

static int close_target(struct ccfc_state_job *job, int fd, int r,
			const char *path)
{
	if (!r && fsync(fd))
		r = ccfc_err_io(job->err, errno, "export: %s", path);
	if (close(fd) && !r)
		r = ccfc_err_io(job->err, errno, "export: %s", path);
	return r;
}

int ccfc_state_write_file(struct ccfc_state_job *job, struct ccfc_state_file *f,
			  struct ccfc_slice bytes)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int fd = open_target(&path, job, f->name), r = 0;

	if (fd < 0 || ccfc_write_all(fd, bytes))
		r = ccfc_err_io(job->err, errno, "export: %s", path.ptr);
	if (fd >= 0)
		r = close_target(job, fd, r, path.ptr);
	ccfc_sha256_hex(f->sum, bytes);
	f->bytes = bytes.len;
	ccfc_buf_release(&path);
	return r;
}

/* Copies all bytes, and sums them up; -1 and errno. */
static int copy_bytes(struct ccfc_state_file *f, int in, int out)
{
	unsigned char bytes[CCFC_SHA256_BYTES];
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_sha256 sum;
	ssize_t n;

	ccfc_sha256_init(&sum);
	f->bytes = 0;
	do {
		char *to = ccfc_buf_reserve(&buf, PIECE);

		n = read(in, to, PIECE);
		if (n > 0) {
			ccfc_sha256_add(&sum, to, (size_t)n);
			f->bytes += (uint64_t)n;
			if (ccfc_write_all(out, ccfc_slice(to, (size_t)n)))
				n = -1;
		}
	} while (n > 0 || (n < 0 && errno == EINTR));
	ccfc_sha256_end(&sum, bytes);
	ccfc_hex_write(f->sum, bytes, sizeof(bytes));
	ccfc_buf_release(&buf);
	return n < 0 ? -1 : 0;
}

int ccfc_state_copy_open(struct ccfc_state_job *job, struct ccfc_state_file *f,
			 int in)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int out = open_target(&path, job, f->name), r = 0;

	if (out < 0 || copy_bytes(f, in, out))
		r = ccfc_err_io(job->err, errno, "export: %s", path.ptr);
	else
		ccfc_copy_time(in, out);
	if (out >= 0)
		r = close_target(job, out, r, path.ptr);
	ccfc_buf_release(&path);
	return r;
}
