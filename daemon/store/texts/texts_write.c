/*
 * Writes the texts; see texts_write.h. Many waiting texts are written at once,
 * long before the commit: bytes that no commit counts are cut off at the next
 * start.
 */
#include "store/texts/texts_write.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/time.h"
#include "base/utf8.h"
#include "os/log.h"
#include "store/texts/texts_compact.h"
#include "store/texts/texts_format.h"
#include "transcript/json/unescape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WRITE_FROM (1u << 20)
#define KEEP_ROOM  (4u << 20)

struct ccfc_texts_file {
	char *path;
	int fd;
	uint64_t id;
	uint64_t length;	 /* written */
	struct ccfc_buf wait;	 /* to be written at `length` */
	struct ccfc_arena arena; /* for one text */
	bool failed;		 /* the last write failed */
};

/* --- opening --- */

static int open_file(struct ccfc_texts_file *file, struct stat *st, int flags,
		     struct ccfc_err *err)
{
	file->fd = open(file->path,
			O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
				O_NOCTTY | flags,
			0600);
	if (file->fd < 0 || fstat(file->fd, st) < 0)
		return ccfc_err_io(err, errno, "texts %s: cannot open",
				   file->path);
	if (!S_ISREG(st->st_mode))
		return ccfc_err_set(err, CCFC_EDENIED,
				    "texts %s: is not a regular file",
				    file->path);
	return 0;
}

static int count_bits(uint64_t v)
{
	int n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

enum ccfc_texts_whose ccfc_texts_is_of(const struct ccfc_texts_begin *begin,
				       uint64_t id)
{
	int wrong = count_bits(begin->id ^ id) + count_bits(begin->none);

	for (size_t i = 0; i < sizeof(begin->magic); i++)
		wrong += count_bits(
			(uint64_t)(unsigned char)(begin->magic[i] ^
						  CCFC_TEXTS_MAGIC[i]));
	if (!id || wrong > CCFC_TEXTS_WRONG_BITS)
		return CCFC_TEXTS_OTHERS;
	return wrong ? CCFC_TEXTS_MENDED : CCFC_TEXTS_OURS;
}

static int write_begin(const struct ccfc_texts_file *file, struct ccfc_err *err)
{
	const struct ccfc_texts_begin begin = { .magic = CCFC_TEXTS_MAGIC,
						.id = file->id };

	if (pwrite(file->fd, &begin, sizeof(begin), 0) !=
	    (ssize_t)sizeof(begin))
		return ccfc_err_io(err, errno, "texts %s: cannot write",
				   file->path);
	ccfc_log(CCFC_LOG_WARN,
		 "texts %s: its header was damaged and has been repaired",
		 file->path);
	return 0;
}

/* Is it the store's file? A file that cannot be read may be. */
static int look_texts_write(const struct ccfc_texts_file *file, bool *ours,
			    struct ccfc_err *err)
{
	struct ccfc_texts_begin begin;
	ssize_t n;

	*ours = false;
	do
		n = pread(file->fd, &begin, sizeof(begin), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return ccfc_err_io(err, errno, "texts %s: cannot read",
				   file->path);
	if (n != (ssize_t)sizeof(begin))
		return 0;
	switch (ccfc_texts_is_of(&begin, file->id)) {
	case CCFC_TEXTS_OTHERS:
		return 0;
	case CCFC_TEXTS_MENDED:
		*ours = true;
		return write_begin(file, err);
	default:
		*ours = true;
		return 0;
	}
}

/* Where the last whole text of a file of `size` bytes ends. */
static int last_whole(uint64_t *end, const struct ccfc_texts_file *file,
		      uint64_t size, struct ccfc_err *err)
{
	struct ccfc_texts_view view = { .fd = file->fd,
					.start = CCFC_TEXTS_START,
					.end = size };
	struct ccfc_texts_reader *reader = ccfc_texts_reader_new(&view, 0);
	struct ccfc_text_head head;
	struct ccfc_slice text;
	int r = 0;

	*end = CCFC_TEXTS_START;
	ccfc_texts_verify(reader, true);
	while (ccfc_texts_next(reader, &head, &text))
		*end = CCFC_TEXTS_START + ccfc_texts_scanned(reader);
	if (ccfc_texts_error(reader))
		r = ccfc_err_io(err, ccfc_texts_error(reader),
				"texts %s: cannot read", file->path);
	ccfc_texts_reader_free(reader);
	return r;
}

static int cut_texts_write(struct ccfc_texts_file *file, uint64_t length,
			   struct ccfc_err *err)
{
	file->length = length;
	if (ftruncate(file->fd, (off_t)length))
		return ccfc_err_io(err, errno, "texts %s: cannot cut",
				   file->path);
	return 0;
}

/* Only has to differ from the ids of earlier files. */
static uint64_t new_id(const struct ccfc_texts_file *file)
{
	struct timespec now = { 0 };
	uint64_t seed[4], id;

	clock_gettime(CLOCK_REALTIME, &now);
	seed[0] = (uint64_t)now.tv_sec;
	seed[1] = (uint64_t)now.tv_nsec;
	seed[2] = (uint64_t)getpid();
	seed[3] = (uintptr_t)file;
	id = ccfc_hash(seed, sizeof(seed)) >> 1;
	return id ? id : 1;
}

static int begin_file(struct ccfc_texts_file *file, struct ccfc_err *err)
{
	struct ccfc_texts_begin begin = { .magic = CCFC_TEXTS_MAGIC };

	file->id = begin.id = new_id(file);
	ccfc_buf_append(&file->wait, &begin, sizeof(begin));
	return ccfc_texts_file_flush(file, err);
}

static int put_aside(struct ccfc_texts_file *file, struct ccfc_err *err)
{
	struct ccfc_buf to = CCFC_BUF_INIT;
	struct stat st = { 0 };
	int r = 0;

	ccfc_buf_printf(&to, "%s.damaged-%lld", file->path,
			(long long)ccfc_time_now());
	if (rename(file->path, to.ptr))
		r = ccfc_err_io(err, errno, "texts %s: cannot move it aside",
				file->path);
	ccfc_buf_release(&to);
	if (r)
		return r;
	close(file->fd);
	return open_file(file, &st, O_EXCL, err);
}

static int begin_anew(struct ccfc_texts_file *file, uint64_t size,
		      enum ccfc_texts_found *found, struct ccfc_err *err)
{
	int r;

	*found = CCFC_TEXTS_NONE;
	/* A file without texts is not worth keeping. */
	if (size > CCFC_TEXTS_START) {
		*found = CCFC_TEXTS_ALIEN;
		r = put_aside(file, err);
	} else {
		r = cut_texts_write(file, 0, err);
	}
	return r ? r : begin_file(file, err);
}

static int open_all(struct ccfc_texts_file *file, uint64_t length,
		    enum ccfc_texts_found *found, struct ccfc_err *err)
{
	struct stat st = { 0 };
	uint64_t size;
	bool ours;
	int r = open_file(file, &st, 0, err);

	if (!r)
		r = look_texts_write(file, &ours, err);
	if (r)
		return r;
	size = (uint64_t)st.st_size;
	if (!ours || length < CCFC_TEXTS_START)
		return begin_anew(file, size, found, err);
	*found = size < length ? CCFC_TEXTS_SHORT : CCFC_TEXTS_FIT;
	if (size < length)
		r = last_whole(&length, file, size, err);
	return r ? r : cut_texts_write(file, length, err);
}

int ccfc_texts_file_new(struct ccfc_texts_file **out, const char *dir,
			uint64_t id, uint64_t length,
			enum ccfc_texts_found *found, struct ccfc_err *err)
{
	return ccfc_texts_file_new_at(out, dir, "", id, length, found, err);
}

int ccfc_texts_file_new_at(struct ccfc_texts_file **out, const char *dir,
			   const char *tail, uint64_t id, uint64_t length,
			   enum ccfc_texts_found *found, struct ccfc_err *err)
{
	struct ccfc_texts_file *file = ccfc_calloc(1, sizeof(*file));
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r;

	ccfc_buf_printf(&path, "%s/texts%s", dir, tail);
	file->path = ccfc_buf_detach(&path, NULL);
	file->fd = -1;
	file->id = id;
	r = open_all(file, length, found, err);
	if (r) {
		ccfc_texts_file_free(file);
		return r;
	}
	*out = file;
	return 0;
}

void ccfc_texts_file_free(struct ccfc_texts_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	ccfc_buf_release(&file->wait);
	ccfc_arena_release(&file->arena);
	free(file->path);
	free(file);
}

int ccfc_texts_file_sync(const struct ccfc_texts_file *file,
			 struct ccfc_err *err)
{
	if (fsync(file->fd) < 0)
		return ccfc_err_io(err, errno, "texts %s: cannot write",
				   file->path);
	return 0;
}

uint64_t ccfc_texts_file_id(const struct ccfc_texts_file *file)
{
	return file->id;
}

uint64_t ccfc_texts_file_length(const struct ccfc_texts_file *file)
{
	return file->length;
}

void ccfc_texts_file_view(const struct ccfc_texts_file *file,
			  struct ccfc_texts_view *out)
{
	out->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	out->start = CCFC_TEXTS_START;
	out->end = file->length;
}

/* --- when it was removed --- */

int ccfc_texts_file_is_there(const struct ccfc_texts_file *file)
{
	struct stat ours, there;

	if (lstat(file->path, &there))
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	return !fstat(file->fd, &ours) && ours.st_dev == there.st_dev &&
			       ours.st_ino == there.st_ino
		       ? 1
		       : -1;
}

static int copy_texts_write(int to, const struct ccfc_texts_file *file,
			    struct ccfc_err *err)
{
	char *room = ccfc_malloc(WRITE_FROM);
	uint64_t at = 0;
	int r = 0;

	while (at < file->length && !r) {
		uint64_t left = file->length - at;
		ssize_t n =
			pread(file->fd, room,
			      left < WRITE_FROM ? left : WRITE_FROM, (off_t)at);

		if (n > 0)
			n = pwrite(to, room, (size_t)n, (off_t)at);
		if (n > 0)
			at += (uint64_t)n;
		else if (!n || errno != EINTR)
			r = ccfc_err_io(err, n ? errno : EIO,
					"texts %s: cannot create it again",
					file->path);
	}
	free(room);
	return r;
}

int ccfc_texts_file_again(struct ccfc_texts_file *file, struct ccfc_err *err)
{
	struct ccfc_texts_file fresh = { .path = file->path };
	struct stat st;
	int r = open_file(&fresh, &st, O_EXCL, err);

	if (!r) {
		r = copy_texts_write(fresh.fd, file, err);
		if (r)
			unlink(file->path);
	}
	if (r) {
		if (fresh.fd >= 0)
			close(fresh.fd);
		return r;
	}
	close(file->fd);
	file->fd = fresh.fd;
	return 0;
}

/* --- when it is a copy --- */

int ccfc_texts_file_settle(struct ccfc_texts_file *file, const char *dir,
			   struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	ccfc_buf_printf(&path, "%s/texts", dir);
	if (rename(file->path, path.ptr)) {
		ccfc_buf_release(&path);
		return ccfc_err_io(err, errno, "%s: cannot move", file->path);
	}
	free(file->path);
	file->path = ccfc_buf_detach(&path, NULL);
	return 0;
}

/* --- adding --- */

/* Searches for the first byte, which is rare: much faster than memmem. */
static bool has_bytes(const char *ptr, const char *end, const char *seq,
		      size_t n)
{
	const int first = (unsigned char)seq[0];

	while ((ptr = memchr(ptr, first, (size_t)(end - ptr)))) {
		if ((size_t)(end - ptr) >= n && !memcmp(ptr, seq, n))
			return true;
		ptr++;
	}
	return false;
}

/* U+017F and U+212A: the long s, and the sign of the kelvin. */
static bool has_folding(const char *ptr, size_t len)
{
	return has_bytes(ptr, ptr + len, "\xc5\xbf", 2) ||
	       has_bytes(ptr, ptr + len, "\xe2\x84\xaa", 3);
}

/* Appends the text in its final form behind its head; returns its flags. */
static uint32_t put_text_texts_write(struct ccfc_buf *out,
				     struct ccfc_slice text)
{
	size_t start = out->len;
	bool ascii = ccfc_utf8_append(out, text);

	out->len = start + ccfc_slice_cut(ccfc_slice(out->ptr + start,
						     out->len - start),
					  CCFC_TEXT_MAX)
				   .len;
	if (ascii || !has_folding(out->ptr + start, out->len - start))
		return 0;
	return CCFC_TEXT_FOLDS;
}

static void put_texts_write(struct ccfc_buf *out, struct ccfc_text_head head,
			    struct ccfc_slice text)
{
	static const char zeros[8];
	size_t at = out->len;
	uint64_t room;

	ccfc_buf_append(out, &head, sizeof(head));
	head.flags |= put_text_texts_write(out, text);
	head.magic = CCFC_TEXT_MAGIC;
	head.len = (uint32_t)(out->len - at - sizeof(head));
	room = ccfc_texts_room(head.len);
	memcpy(out->ptr + at, &head, sizeof(head));
	head.check = ccfc_texts_check(out->ptr + at, head.len);
	memcpy(out->ptr + at, &head, sizeof(head));
	ccfc_buf_append(out, zeros, (size_t)(at + room - out->len));
}

bool ccfc_texts_file_takes(const struct ccfc_texts_file *file)
{
	return file->wait.len <= CCFC_TEXTS_WAIT;
}

bool ccfc_texts_file_add(struct ccfc_texts_file *file,
			 const struct ccfc_text_head *head,
			 struct ccfc_slice text, bool escaped)
{
	if (!ccfc_texts_file_takes(file))
		return false;
	if (escaped)
		text = ccfc_unescape(&file->arena, text, NULL);
	put_texts_write(&file->wait, *head, text);
	ccfc_arena_clear(&file->arena);
	/* The commit reports an error. */
	if (file->wait.len > WRITE_FROM && !file->failed)
		ccfc_texts_file_flush(file, NULL);
	return true;
}

int ccfc_texts_file_flush(struct ccfc_texts_file *file, struct ccfc_err *err)
{
	size_t done = 0;

	while (done < file->wait.len) {
		ssize_t n = pwrite(file->fd, file->wait.ptr + done,
				   file->wait.len - done,
				   (off_t)(file->length + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			file->failed = true;
			return ccfc_err_io(err, n ? errno : ENOSPC,
					   "texts %s: cannot write",
					   file->path);
		}
		done += (size_t)n;
	}
	file->failed = false;
	file->length += done;
	if (file->wait.cap > KEEP_ROOM)
		ccfc_buf_release(&file->wait);
	else
		ccfc_buf_clear(&file->wait);
	return 0;
}
