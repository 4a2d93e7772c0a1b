/* An open transcript; see input.h. */
#include "source/input.h"

#include "os/whole_io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool ccfc_input_means_gone(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR || errnum == ELOOP ||
	       errnum == ENXIO || errnum == ENAMETOOLONG;
}

static enum ccfc_input_status
open_regular(struct ccfc_input *in, const char *path, struct ccfc_err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && ccfc_input_means_gone(errno))
		return CCFC_INPUT_GONE;
	if (fd < 0 || fstat(fd, &st) < 0) {
		int why = errno;

		ccfc_err_errno(err, why, "%s", path);
		if (fd >= 0)
			close(fd);
		errno = why;
		return CCFC_INPUT_ERROR;
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return CCFC_INPUT_GONE;
	}
	in->fd = fd;
	in->size = (uint64_t)st.st_size;
	in->dev = (uint64_t)st.st_dev;
	in->ino = (uint64_t)st.st_ino;
	return CCFC_INPUT_OPEN;
}

enum ccfc_input_status ccfc_input_open_kept(struct ccfc_input *in,
					    const struct ccfc_attic *attic,
					    const char *path, uint32_t gen,
					    struct ccfc_err *err)
{
	int r;

	*in = CCFC_INPUT_NONE;
	in->attic = attic;
	r = attic ? attic->open(attic->ctx, &in->kept, path, gen, &in->size,
				err)
		  : CCFC_ENOTFOUND;
	if (!r)
		return CCFC_INPUT_OPEN;
	return r == CCFC_ENOTFOUND ? CCFC_INPUT_GONE : CCFC_INPUT_ERROR;
}

enum ccfc_input_status ccfc_input_open(struct ccfc_input *in,
				       const struct ccfc_attic *attic,
				       const char *path, struct ccfc_err *err)
{
	enum ccfc_input_status status;

	*in = CCFC_INPUT_NONE;
	status = open_regular(in, path, err);
	if (status == CCFC_INPUT_GONE && attic)
		status = ccfc_input_open_kept(in, attic, path, CCFC_ATTIC_LAST,
					      err);
	return status;
}

bool ccfc_input_is_open(const struct ccfc_input *in)
{
	return in->fd >= 0 || in->kept;
}

void ccfc_input_close(struct ccfc_input *in)
{
	if (in->kept)
		in->attic->close(in->kept);
	if (in->fd >= 0)
		close(in->fd);
	*in = CCFC_INPUT_NONE;
}

ssize_t ccfc_input_read(const struct ccfc_input *in, char *to, size_t len,
			uint64_t offset)
{
	if (in->kept)
		return in->attic->read(in->kept, to, len, offset);
	return ccfc_read_at(in->fd, to, len, offset);
}
