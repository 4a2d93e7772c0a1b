/*
 * Watching directories with inotify; see watch.h. Also serves BSD and macOS
 * through libinotify-kqueue, which has the same calls. For that library's sake:
 * no fcntl on the descriptor; nothing relies on IN_CLOSE_WRITE; flags only
 * where they exist; an event may come in pieces, and an incomplete one stays in
 * the buffer until the next read.
 */
#include "source/watch.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#ifndef IN_MASK_ADD
#define IN_MASK_ADD 0
#endif
#ifndef IN_EXCL_UNLINK
#define IN_EXCL_UNLINK 0
#endif
#ifndef IN_ONLYDIR
#define IN_ONLYDIR 0
#endif
#ifndef IN_ATTRIB
#define IN_ATTRIB 0
#endif
#ifndef IN_CLOSE_WRITE
#define IN_CLOSE_WRITE 0
#endif
#ifndef IN_MOVE_SELF
#define IN_MOVE_SELF 0
#endif

#define BUFFER_SIZE (64u << 10)
/* More than a full queue; ends the reading if events come without end. */
#define READS_MAX 256

#define MASK_SELF  (IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD)
#define MASK_NAMES (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
/* Without IN_EXCL_UNLINK, writes to a deleted file that is still open would
 * be reported under its old name. */
#define MASK_CHANGES (IN_MODIFY | IN_ATTRIB | IN_EXCL_UNLINK)

struct ccfc_watch {
	int fd;
	size_t len;
	char buf[BUFFER_SIZE];
};

int ccfc_watch_new(struct ccfc_watch **out, struct ccfc_err *err)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0)
		return ccfc_err_errno(err, errno, "inotify");
	*out = ccfc_malloc(sizeof(**out));
	(*out)->fd = fd;
	(*out)->len = 0;
	return 0;
}

void ccfc_watch_free(struct ccfc_watch *watch)
{
	if (!watch)
		return;
	close(watch->fd);
	free(watch);
}

int ccfc_watch_fd(const struct ccfc_watch *watch)
{
	return watch->fd;
}

int ccfc_watch_add(struct ccfc_watch *watch, const char *path,
		   enum ccfc_watch_depth depth)
{
	uint32_t mask = MASK_SELF;
	int wd;

	if (depth >= CCFC_WATCH_NAMES)
		mask |= MASK_NAMES;
	if (depth >= CCFC_WATCH_EVERYTHING)
		mask |= MASK_CHANGES;
	if (depth >= CCFC_WATCH_WRITERS)
		mask |= IN_CLOSE_WRITE;
	wd = inotify_add_watch(watch->fd, path, mask);
	if (wd >= 0)
		return wd;
	if (errno == ENOSPC || errno == ENOMEM || errno == EMFILE)
		return CCFC_ETOOBIG;
	return ccfc_err_errno(NULL, errno, "%s", path);
}

void ccfc_watch_remove(struct ccfc_watch *watch, int wd)
{
	/* Fails if the kernel has already dropped the watch: that is fine. */
	inotify_rm_watch(watch->fd, wd);
}

static bool translate_mask(uint32_t mask, enum ccfc_watch_what *what)
{
	if (mask & IN_Q_OVERFLOW)
		*what = CCFC_WATCH_OVERFLOW;
	else if (mask & IN_IGNORED)
		*what = CCFC_WATCH_ENDED;
	else if (mask & (IN_DELETE_SELF | IN_MOVE_SELF))
		*what = CCFC_WATCH_SELF;
	else if (mask & (IN_CREATE | IN_MOVED_TO))
		*what = CCFC_WATCH_APPEARED;
	else if (mask & (IN_DELETE | IN_MOVED_FROM))
		*what = CCFC_WATCH_VANISHED;
	else if (mask & (IN_MODIFY | IN_ATTRIB))
		*what = CCFC_WATCH_CHANGED;
	else if (mask & IN_CLOSE_WRITE)
		*what = CCFC_WATCH_WRITTEN;
	else
		return false;
	return true;
}

/* Delivers the complete events in the buffer and keeps an incomplete one. */
static void deliver_events(struct ccfc_watch *watch, ccfc_watch_fn fn,
			   void *ctx)
{
	const size_t head = offsetof(struct inotify_event, name);
	struct inotify_event ev;
	size_t at = 0;

	while (watch->len - at >= head) {
		struct ccfc_watch_event event = { .name = "" };

		memcpy(&ev, watch->buf + at, head);
		if (watch->len - at - head < ev.len)
			break;
		/* Names are padded with NULs, so they are strings. */
		if (ev.len)
			event.name = watch->buf + at + head;
		event.wd = ev.wd;
		event.is_dir = ev.mask & IN_ISDIR;
		event.cookie = ev.cookie;
		if (translate_mask(ev.mask, &event.what))
			fn(ctx, &event);
		at += head + ev.len;
	}
	watch->len -= at;
	memmove(watch->buf, watch->buf + at, watch->len);
}

void ccfc_watch_read(struct ccfc_watch *watch, ccfc_watch_fn fn, void *ctx)
{
	for (int i = 0; i < READS_MAX; i++) {
		ssize_t n = read(watch->fd, watch->buf + watch->len,
				 sizeof(watch->buf) - watch->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		watch->len += (size_t)n;
		deliver_events(watch, fn, ctx);
	}
}
