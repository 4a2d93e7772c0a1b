/*
 * Archived transcripts for readers; see source/attic.h. An open one has its
 * manifest and the rest after its segments in memory; segments are in a cache
 * shared with other readers (segment_cache.h).
 */
#include "archive/archive_internal.h"
#include "archive/cut.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>

struct ccfc_attic_file {
	struct ccfc_archive *archive;
	struct ccfc_archive_manifest manifest;
	const struct ccfc_archive_version *version;
	struct ccfc_buf rest; /* behind the segments; empty: not read yet */
	struct ccfc_buf last; /* the segment `number`; empty: none */
	uint32_t number;
	uint64_t end; /* of what was read last */
};

int ccfc_archive_open_manifest(struct ccfc_archive *a,
			       struct ccfc_attic_file **out, const char *file,
			       uint32_t gen, uint64_t *size,
			       struct ccfc_err *err)
{
	struct ccfc_attic_file *f = ccfc_calloc(1, sizeof(*f));
	int r, why;

	f->archive = a;
	ccfc_segment_cache_enter(a->cache);
	r = ccfc_archive_manifest_read(&f->manifest, file, err);
	why = errno;
	if (!r)
		f->version = ccfc_archive_manifest_version(&f->manifest, gen);
	if (!f->version) {
		ccfc_archive_close(f);
		errno = why;
		return r == CCFC_EIO ? r
				     : ccfc_err_set(err, CCFC_ENOTFOUND,
						    "%s: is not kept", file);
	}
	*size = f->version->end;
	*out = f;
	return 0;
}

int ccfc_archive_open(void *ctx, struct ccfc_attic_file **out, const char *path,
		      uint32_t gen, uint64_t *size, struct ccfc_err *err)
{
	struct ccfc_archive *a = ctx;
	struct ccfc_buf name = CCFC_BUF_INIT;
	int r, why;

	ccfc_archive_manifest_name(&name, a->sources, ccfc_slice_str(path));
	r = ccfc_archive_open_manifest(a, out, name.ptr, gen, size, err);
	why = errno;
	ccfc_buf_release(&name);
	errno = why;
	return r;
}

void ccfc_archive_close(struct ccfc_attic_file *f)
{
	ccfc_segment_cache_leave(f->archive->cache);
	ccfc_buf_release(&f->rest);
	ccfc_buf_release(&f->last);
	ccfc_archive_manifest_release(&f->manifest);
	free(f);
}

/* The segment of an offset before the rest. */
static uint32_t find_segment(const struct ccfc_archive_version *v,
			     uint64_t offset)
{
	uint32_t low = 0, high = v->segments.n;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (v->segments.items[mid].offset <= offset)
			low = mid;
		else
			high = mid;
	}
	return low;
}

int ccfc_archive_get_segment(struct ccfc_archive *archive, struct ccfc_buf *out,
			     const struct ccfc_segment *s,
			     struct ccfc_slice session)
{
	int r = ccfc_blobs_get_quickly(out, archive->blobs, &s->key, s->len,
				       NULL);

	if (!r && out->len != s->len)
		r = CCFC_ECORRUPT;
	if (!r && (s->flags & CCFC_SEGMENT_PLAIN))
		ccfc_cut_fill(out->ptr, out->len, session);
	return r;
}

/* Unreadable bytes read as newlines. */
static void fill_newlines(struct ccfc_buf *out, uint64_t len)
{
	ccfc_buf_clear(out);
	memset(ccfc_buf_reserve(out, (size_t)len), '\n', (size_t)len);
	out->len = (size_t)len;
}

/* False: it cannot be opened now. */
static bool load_segment(struct ccfc_attic_file *f, struct ccfc_buf *out,
			 const struct ccfc_segment *s)
{
	int r = ccfc_archive_get_segment(f->archive, out, s,
					 ccfc_slice_str(f->manifest.session));

	if (r == CCFC_EIO)
		return false;
	if (r)
		fill_newlines(out, s->len);
	return true;
}

/* A reader that reads forward needs each segment once, and has one buffer. */
static ssize_t read_next(struct ccfc_attic_file *f, uint32_t number, char *to,
			 size_t at, size_t len)
{
	if (f->number != number || !f->last.len) {
		ccfc_buf_clear(&f->last);
		f->number = number;
		if (!load_segment(f, &f->last,
				  &f->version->segments.items[number])) {
			ccfc_buf_clear(&f->last);
			errno = EMFILE;
			return -1;
		}
	}
	if (len > f->last.len - at)
		len = f->last.len - at;
	memcpy(to, f->last.ptr + at, len);
	return (ssize_t)len;
}

/* Segments that are read out of order stay in the cache. */
static ssize_t read_segment(struct ccfc_attic_file *f, char *to, size_t len,
			    uint64_t offset)
{
	const struct ccfc_archive_version *v = f->version;
	uint32_t number = find_segment(v, offset);
	const struct ccfc_segment *s = &v->segments.items[number];
	struct ccfc_segment_id id = { .key = s->key };
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	size_t at = (size_t)(offset - s->offset), n;

	if (s->flags & CCFC_SEGMENT_PLAIN)
		memcpy(id.session, f->manifest.session, sizeof(id.session));
	n = ccfc_segment_cache_copy(f->archive->cache, &id, to, at, len);
	if (n)
		return (ssize_t)n;
	if (offset == f->end || (f->last.len && number == f->number))
		return read_next(f, number, to, at, len);
	if (!load_segment(f, &bytes, s)) {
		ccfc_buf_release(&bytes);
		errno = EMFILE;
		return -1;
	}
	n = s->len - at < len ? s->len - at : len;
	memcpy(to, bytes.ptr + at, n);
	ccfc_segment_cache_put(f->archive->cache, &id, &bytes);
	return (ssize_t)n;
}

static size_t read_rest(struct ccfc_attic_file *f, char *to, size_t len,
			uint64_t offset)
{
	const struct ccfc_archive_version *v = f->version;
	uint64_t cut = ccfc_archive_version_cut(v), size = v->end - cut;
	size_t at = (size_t)(offset - cut);

	if (!f->rest.len && (ccfc_blob_unpack(&f->rest, ccfc_buf_view(&v->rest),
					      CCFC_CUT_MAX, NULL) ||
			     f->rest.len != size))
		fill_newlines(&f->rest, size);
	if (len > f->rest.len - at)
		len = f->rest.len - at;
	memcpy(to, f->rest.ptr + at, len);
	return len;
}

ssize_t ccfc_archive_read(struct ccfc_attic_file *f, char *to, size_t len,
			  uint64_t offset)
{
	uint64_t cut = ccfc_archive_version_cut(f->version);
	size_t done = 0;

	while (done < len && offset < f->version->end) {
		ssize_t n =
			offset < cut
				? read_segment(f, to + done, len - done, offset)
				: (ssize_t)read_rest(f, to + done, len - done,
						     offset);

		if (n < 0)
			return -1;
		done += (size_t)n;
		offset += (uint64_t)n;
		f->end = offset;
	}
	return (ssize_t)done;
}

bool ccfc_archive_look(struct ccfc_archive *a, const char *path,
		       struct ccfc_archive_kept *out)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	struct ccfc_archive_manifest m;
	const struct ccfc_archive_version *last;
	bool any;

	ccfc_archive_manifest_name(&name, a->sources, ccfc_slice_str(path));
	any = !ccfc_archive_manifest_read(&m, name.ptr, NULL) && m.versions.n;
	if (any) {
		last = &m.versions.items[m.versions.n - 1];
		*out = (struct ccfc_archive_kept){
			.first = m.versions.items[0].since,
			.since = last->since,
			.end = last->end,
			.owner = m.owner,
		};
	}
	ccfc_archive_manifest_release(&m);
	ccfc_buf_release(&name);
	return any;
}
