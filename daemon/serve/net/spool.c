/*
 * Spools; see spool.h. The file is in the state directory, which is on a disk
 * (the socket's is often in memory), and has no name: nothing is left of it
 * when the daemon ends, however it does.
 */
#include "serve/net/spool.h"

#include "os/whole_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MEMORY_MAX ((size_t)1 << 20)
#define SETTLE_MAX ((size_t)512 << 10)

static int named_file(const char *dir)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int fd;

	ccfc_buf_printf(&path, "%s/answer-XXXXXX", dir);
	fd = mkostemp(path.ptr, O_CLOEXEC);
	if (fd >= 0)
		unlink(path.ptr);
	ccfc_buf_release(&path);
	return fd;
}

int ccfc_spool_file(const char *dir)
{
#ifdef O_TMPFILE
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
#endif
	return named_file(dir);
}

void ccfc_spool_init(struct ccfc_spool *s, const char *dir)
{
	*s = (struct ccfc_spool){ .dir = dir, .fd = -1 };
}

void ccfc_spool_release(struct ccfc_spool *s)
{
	ccfc_buf_release(&s->mem);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->bytes = 0;
}

bool ccfc_spool_is_full(const struct ccfc_spool *s)
{
	return s->mem.len > MEMORY_MAX && !s->stays;
}

static int settle_most(struct ccfc_spool *s, size_t most, struct ccfc_err *err)
{
	struct ccfc_slice part = ccfc_slice_cut(ccfc_buf_view(&s->mem), most);

	if (!ccfc_spool_is_full(s))
		return 0;
	if (s->fd < 0)
		s->fd = ccfc_spool_file(s->dir);
	if (s->fd < 0 || ccfc_write_all_at(s->fd, part, s->bytes))
		return ccfc_err_errno(
			err, errno, "no room for a long answer in %s", s->dir);
	s->bytes += part.len;
	ccfc_buf_consume(&s->mem, part.len);
	return 0;
}

int ccfc_spool_settle(struct ccfc_spool *s, struct ccfc_err *err)
{
	return settle_most(s, SIZE_MAX, err);
}

void ccfc_spool_settle_some(struct ccfc_spool *s)
{
	if (settle_most(s, SETTLE_MAX, NULL))
		s->stays = true;
}

uint64_t ccfc_spool_size(const struct ccfc_spool *s)
{
	return s->bytes + s->mem.len;
}
