/*
 * Manifests on disk: a mark, the length of the head, the head, its sum, and
 * the contents that the head counts. Numbers are little-endian. A file is
 * written beside its place, synced, and renamed there.
 */
#include "archive/cut.h"
#include "archive/manifests.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "os/whole_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK_LEN      8u
#define SOURCE_MARK   "ccfcman1"
#define DIR_MARK      "ccfcdir1"
#define FILE_MAX      ((uint64_t)256 << 20)
#define VERSION_BYTES 32u
/* A flag in the number for a marker's length, which is much shorter. */
#define NO_NOTE	      0x8000u
#define SEGMENT_BYTES (16u + CCFC_SHA256_BYTES)
#define ENTRY_BYTES   (24u + CCFC_SHA256_BYTES)

/* --- numbers --- */

static void put_number(struct ccfc_buf *out, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		ccfc_buf_putc(out, (char)(v >> (8 * i)));
}

static void put_text(struct ccfc_buf *out, const char *text)
{
	struct ccfc_slice s = ccfc_slice_str(text);

	put_number(out, s.len, 4);
	ccfc_buf_slice(out, s);
}

/* The bytes left to read; `bad`: they were too few, or are not valid. */
struct cursor {
	struct ccfc_slice left;
	bool bad;
};

static struct ccfc_slice take_bytes(struct cursor *c, uint64_t n)
{
	struct ccfc_slice s = { c->left.ptr, (size_t)n };

	if (c->bad || n > c->left.len) {
		c->bad = true;
		return CCFC_SLICE_NONE;
	}
	c->left = ccfc_slice_from(c->left, (size_t)n);
	return s;
}

static uint64_t take_number(struct cursor *c, int bytes)
{
	struct ccfc_slice s = take_bytes(c, (uint64_t)bytes);
	uint64_t v = 0;

	for (size_t i = 0; i < s.len; i++)
		v |= (uint64_t)(unsigned char)s.ptr[i] << (8 * i);
	return v;
}

static char *take_text(struct cursor *c)
{
	struct ccfc_slice s = take_bytes(c, take_number(c, 4));

	return ccfc_strndup(s.ptr ? s.ptr : "", s.len);
}

static void take_key(struct ccfc_blob_key *key, struct cursor *c)
{
	struct ccfc_slice s = take_bytes(c, CCFC_SHA256_BYTES);

	if (s.len)
		memcpy(key->bytes, s.ptr, s.len);
}

/* A count of things that take at least `each` bytes. */
static uint32_t take_count(struct cursor *c, size_t each)
{
	uint64_t n = take_number(c, 4);

	if (n > c->left.len / each)
		c->bad = true;
	return c->bad ? 0 : (uint32_t)n;
}

/* --- files --- */

static int read_all(struct ccfc_buf *out, int64_t *written, const char *file,
		    struct ccfc_err *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	int r = 0;

	*written = 0;
	if (fd < 0)
		return errno == ENOENT ? ccfc_err_set(err, CCFC_ENOTFOUND,
						      "%s: is not there", file)
				       : ccfc_err_io(err, errno, "%s", file);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > FILE_MAX)
		r = ccfc_err_set(err, CCFC_ECORRUPT, "%s: not a manifest",
				 file);
	if (!r)
		*written = (int64_t)st.st_mtim.tv_sec;
	/* The checksums show that a file ends too early. */
	if (!r && ccfc_read_bytes(out, fd, (size_t)st.st_size) && errno)
		r = ccfc_err_io(err, errno, "%s", file);
	close(fd);
	return r;
}

/* Reads and checks the head of a file with this mark; `c` gets the rest. */
static int open_head(struct cursor *head, struct cursor *c,
		     struct ccfc_slice all, const char *mark, const char *file,
		     struct ccfc_err *err)
{
	uint64_t len;

	*c = (struct cursor){ .left = all };
	if (!ccfc_slice_starts(take_bytes(c, MARK_LEN), mark))
		c->bad = true;
	len = take_number(c, 8);
	*head = (struct cursor){ .left = take_bytes(c, len) };
	if (take_number(c, 8) != ccfc_hash_slice(head->left))
		c->bad = true;
	if (c->bad)
		return ccfc_err_set(err, CCFC_ECORRUPT, "%s: is damaged", file);
	return 0;
}

static int sync_dir_of(const char *file)
{
	char *dir = ccfc_strdup(file);
	int fd, r;

	*strrchr(dir, '/') = '\0';
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = fd < 0 ? -1 : fsync(fd);
	if (fd >= 0)
		close(fd);
	free(dir);
	return r;
}

/* `file`.new is a leftover of an interrupted write, and is replaced. */
static int replace_file(const char *file, struct ccfc_slice bytes,
			int64_t written, struct ccfc_err *err)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { .tv_sec = (time_t)written } };
	struct ccfc_buf name = CCFC_BUF_INIT;
	int fd, r = 0;

	ccfc_buf_printf(&name, "%s.new", file);
	fd = open(name.ptr,
		  O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || ccfc_write_all(fd, bytes) ||
	    (written && futimens(fd, times)) || fsync(fd))
		r = ccfc_err_io(err, errno, "%s", name.ptr);
	if (fd >= 0 && close(fd) && !r)
		r = ccfc_err_io(err, errno, "%s", name.ptr);
	if (!r && (rename(name.ptr, file) || sync_dir_of(file)))
		r = ccfc_err_io(err, errno, "%s", file);
	if (r)
		unlink(name.ptr);
	ccfc_buf_release(&name);
	return r;
}

static int write_file(const char *file, const char *mark,
		      const struct ccfc_buf *head, const struct ccfc_buf *rest,
		      int64_t written, struct ccfc_err *err)
{
	struct ccfc_buf all = CCFC_BUF_INIT;
	int r;

	ccfc_buf_puts(&all, mark);
	put_number(&all, head->len, 8);
	ccfc_buf_slice(&all, ccfc_buf_view(head));
	put_number(&all, ccfc_hash_slice(ccfc_buf_view(head)), 8);
	ccfc_buf_slice(&all, ccfc_buf_view(rest));
	r = replace_file(file, ccfc_buf_view(&all), written, err);
	ccfc_buf_release(&all);
	return r;
}

void ccfc_archive_manifest_touch(const char *file, int64_t written)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { .tv_sec = (time_t)written } };

	(void)utimensat(AT_FDCWD, file, times, AT_SYMLINK_NOFOLLOW);
}

/* --- a transcript --- */

/* `has_id`: segments may be stored without the session's id. */
static void take_version(struct ccfc_archive_version *v, struct cursor *c,
			 struct cursor *rest, bool has_id)
{
	uint32_t n;
	uint64_t at = 0, packed;

	v->marker_len = (uint32_t)take_number(c, 2);
	v->rest_no_note = v->marker_len & NO_NOTE;
	v->marker_len &= ~NO_NOTE;
	v->rest_runs = (uint32_t)take_number(c, 2);
	v->end = take_number(c, 8);
	v->marker = take_number(c, 8);
	packed = take_number(c, 4);
	n = take_count(c, SEGMENT_BYTES);
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_segment s = { .offset = take_number(c, 8) };

		s.len = (uint32_t)take_number(c, 4);
		s.flags = (uint32_t)take_number(c, 1);
		s.runs = (uint32_t)take_number(c, 3);
		take_key(&s.key, c);
		c->bad |= s.offset != at || !s.len || s.len > CCFC_CUT_MAX ||
			  s.runs > s.len ||
			  (!has_id && (s.flags & CCFC_SEGMENT_PLAIN));
		at += s.len;
		CCFC_VEC_PUSH(v->segments, s);
	}
	c->bad |= at > v->end || v->end - at > CCFC_CUT_MAX ||
		  v->rest_runs > v->end - at;
	/* A truncated file may have lost only the rest. */
	ccfc_buf_slice(&v->rest, take_bytes(rest, packed));
}

int ccfc_archive_manifest_read(struct ccfc_archive_manifest *out,
			       const char *file, struct ccfc_err *err)
{
	struct ccfc_buf all = CCFC_BUF_INIT;
	struct cursor c, rest;
	int64_t written;
	int r = read_all(&all, &written, file, err);

	*out = (struct ccfc_archive_manifest){ .written = written };
	if (!r)
		r = open_head(&c, &rest, ccfc_buf_view(&all), SOURCE_MARK, file,
			      err);
	if (!r) {
		uint32_t n;
		bool has_id;

		out->path = take_text(&c);
		out->session = take_text(&c);
		has_id = ccfc_cut_has_id(ccfc_slice_str(out->session));
		out->agent = take_text(&c);
		out->is_agent = take_number(&c, 1);
		out->owner = (uint8_t)take_number(&c, 1);
		n = take_count(&c, VERSION_BYTES);
		for (uint32_t i = 0; i < n; i++)
			take_version(ccfc_archive_manifest_add(
					     out, (uint32_t)take_number(&c, 4)),
				     &c, &rest, has_id);
		if (c.bad)
			r = ccfc_err_set(err, CCFC_ECORRUPT, "%s: not valid",
					 file);
	}
	ccfc_buf_release(&all);
	return r;
}

static void put_version(struct ccfc_buf *head,
			const struct ccfc_archive_version *v)
{
	put_number(head, v->since, 4);
	put_number(head, v->marker_len | (v->rest_no_note ? NO_NOTE : 0), 2);
	put_number(head, v->rest_runs, 2);
	put_number(head, v->end, 8);
	put_number(head, v->marker, 8);
	put_number(head, v->rest.len, 4);
	put_number(head, v->segments.n, 4);
	for (uint32_t i = 0; i < v->segments.n; i++) {
		const struct ccfc_segment *s = &v->segments.items[i];

		put_number(head, s->offset, 8);
		put_number(head, s->len, 4);
		put_number(head, s->flags, 1);
		put_number(head, s->runs, 3);
		ccfc_buf_append(head, s->key.bytes, CCFC_SHA256_BYTES);
	}
}

int ccfc_archive_manifest_write(const struct ccfc_archive_manifest *m,
				const char *file, struct ccfc_err *err)
{
	struct ccfc_buf head = CCFC_BUF_INIT, rest = CCFC_BUF_INIT;
	int r;

	put_text(&head, m->path);
	put_text(&head, m->session);
	put_text(&head, m->agent);
	put_number(&head, m->is_agent, 1);
	put_number(&head, m->owner, 1);
	put_number(&head, m->versions.n, 4);
	for (uint32_t i = 0; i < m->versions.n; i++) {
		put_version(&head, &m->versions.items[i]);
		ccfc_buf_slice(&rest,
			       ccfc_buf_view(&m->versions.items[i].rest));
	}
	r = write_file(file, SOURCE_MARK, &head, &rest, m->written, err);
	ccfc_buf_release(&head);
	ccfc_buf_release(&rest);
	return r;
}

/* --- files of a directory --- */

static void take_file(struct ccfc_kept_dir *out, struct cursor *c,
		      struct cursor *rest)
{
	struct ccfc_kept_file f = { .name = take_text(c) };

	f.mtime = (int64_t)take_number(c, 8);
	f.size = take_number(c, 8);
	take_key(&f.key, c);
	ccfc_buf_slice(&f.packed, take_bytes(rest, take_number(c, 4)));
	CCFC_VEC_PUSH(out->files, f);
}

int ccfc_kept_dir_read(struct ccfc_kept_dir *out, const char *file,
		       struct ccfc_err *err)
{
	struct ccfc_buf all = CCFC_BUF_INIT;
	struct cursor c, rest;
	int64_t written;
	int r = read_all(&all, &written, file, err);

	*out = (struct ccfc_kept_dir){ .written = written };
	if (!r)
		r = open_head(&c, &rest, ccfc_buf_view(&all), DIR_MARK, file,
			      err);
	if (!r) {
		uint32_t n;

		out->path = take_text(&c);
		out->seen = (int64_t)take_number(&c, 8);
		n = take_count(&c, ENTRY_BYTES);
		for (uint32_t i = 0; i < n; i++)
			take_file(out, &c, &rest);
		if (c.bad)
			r = ccfc_err_set(err, CCFC_ECORRUPT, "%s: not valid",
					 file);
	}
	ccfc_buf_release(&all);
	return r;
}

int ccfc_kept_dir_write(const struct ccfc_kept_dir *d, const char *file,
			struct ccfc_err *err)
{
	struct ccfc_buf head = CCFC_BUF_INIT, rest = CCFC_BUF_INIT;
	int r;

	put_text(&head, d->path);
	put_number(&head, (uint64_t)d->seen, 8);
	put_number(&head, d->files.n, 4);
	for (uint32_t i = 0; i < d->files.n; i++) {
		const struct ccfc_kept_file *f = &d->files.items[i];

		put_text(&head, f->name);
		put_number(&head, (uint64_t)f->mtime, 8);
		put_number(&head, f->size, 8);
		ccfc_buf_append(&head, f->key.bytes, CCFC_SHA256_BYTES);
		put_number(&head, f->packed.len, 4);
		ccfc_buf_slice(&rest, ccfc_buf_view(&f->packed));
	}
	r = write_file(file, DIR_MARK, &head, &rest, d->written, err);
	ccfc_buf_release(&head);
	ccfc_buf_release(&rest);
	return r;
}
