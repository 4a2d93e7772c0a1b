/*
 * Archived transcripts for readers; see source/attic.h. An open one has its
 * manifest in memory; segments, and the rest after them, are in a cache shared
 * with other readers (segment_cache.h).
 */
#include "archive/archive_internal.h"
#include "archive/cut.h"
#include "archive/line_order.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>

/* A reader that goes on with so many bytes reads all of a transcript. */
#define FORWARD_MIN ((size_t)64 << 10)

struct ccfc_attic_file {
	struct ccfc_archive *archive;
	struct ccfc_archive_manifest manifest;
	const struct ccfc_archive_version *version;
	struct ccfc_cached rest;
	struct ccfc_buf last; /* the segment `number`; empty: none */
	uint32_t number;      /* as many as there are segments: the rest */
	uint64_t end;	      /* of what was read last */
};

/* The rest as a segment for the cache. Its key is one of its packed bytes. */
static void name_rest(struct ccfc_attic_file *f)
{
	const struct ccfc_archive_version *v = f->version;
	struct ccfc_segment *s = &f->rest.segment;
	uint64_t hash = ccfc_hash(v->rest.ptr, v->rest.len);

	f->rest.packed = ccfc_buf_view(&v->rest);
	s->offset = ccfc_archive_version_cut(v);
	s->len = (uint32_t)(v->end - s->offset);
	s->runs = v->rest_runs;
	memcpy(s->key.bytes, &hash, sizeof(hash));
}

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
	name_rest(f);
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
	ccfc_buf_release(&f->last);
	ccfc_archive_manifest_release(&f->manifest);
	free(f);
}

/* The number of the segment, or of the rest, with this offset. */
static uint32_t find_segment(const struct ccfc_attic_file *f, uint64_t offset)
{
	const struct ccfc_archive_version *v = f->version;
	uint32_t low = 0, high = v->segments.n;

	if (offset >= f->rest.segment.offset)
		return v->segments.n;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (v->segments.items[mid].offset <= offset)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static struct ccfc_cached get_cached(const struct ccfc_attic_file *f,
				     uint32_t number)
{
	if (number == f->version->segments.n)
		return f->rest;
	return (struct ccfc_cached){
		.segment = f->version->segments.items[number]
	};
}

/* Writes the segment's bytes in their order; the id is not put back. */
static int put_in_order(char *to, struct ccfc_archive *a,
			const struct ccfc_segment *s, struct ccfc_slice packed)
{
	struct ccfc_ordered stored = { NULL, s->len, s->runs };
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	size_t table = ccfc_ordered_table(s->runs), len;
	int r = CCFC_ECORRUPT;

	if (!ccfc_blob_extent_len(&len, packed, CCFC_BLOB_WHOLE) ||
	    len != s->len + table)
		return r;
	if (!s->runs)
		return ccfc_blob_unpack_extent(to, a->blobs, packed,
					       CCFC_BLOB_WHOLE, NULL);
	stored.bytes = ccfc_buf_reserve(&bytes, len);
	if (!ccfc_blob_unpack_extent(bytes.ptr, a->blobs, packed,
				     CCFC_BLOB_WHOLE, NULL) &&
	    ccfc_ordered_is_valid(&stored)) {
		ccfc_ordered_undo(to, &stored);
		r = 0;
	}
	ccfc_buf_release(&bytes);
	return r;
}

int ccfc_archive_get_segment(struct ccfc_archive *archive, struct ccfc_buf *out,
			     const struct ccfc_segment *s,
			     struct ccfc_slice session)
{
	char *to = ccfc_buf_reserve(out, s->len);
	struct ccfc_buf packed = CCFC_BUF_INIT;
	int r = ccfc_blobs_get_packed(&packed, archive->blobs, &s->key,
				      s->len + ccfc_ordered_table(s->runs),
				      NULL);

	if (!r)
		r = put_in_order(to, archive, s, ccfc_buf_view(&packed));
	ccfc_buf_release(&packed);
	if (r)
		return r;
	if (s->flags & CCFC_SEGMENT_PLAIN)
		ccfc_cut_fill(to, s->len, session);
	out->len += s->len;
	return 0;
}

/* Unreadable bytes read as newlines. */
static void fill_newlines(struct ccfc_buf *out, uint64_t len)
{
	ccfc_buf_clear(out);
	memset(ccfc_buf_reserve(out, (size_t)len), '\n', (size_t)len);
	out->len = (size_t)len;
}

/* No descriptor is left: the blob cannot be opened now. */
static ssize_t fail_for_now(void)
{
	errno = EMFILE;
	return -1;
}

static int load_last(struct ccfc_attic_file *f, uint32_t number)
{
	ccfc_buf_clear(&f->last);
	f->number = number;
	if (number == f->version->segments.n)
		return ccfc_archive_unpack_rest(&f->last, f->version);
	return ccfc_archive_get_segment(f->archive, &f->last,
					&f->version->segments.items[number],
					ccfc_slice_str(f->manifest.session));
}

/* A reader that reads forward needs each segment once, and has one buffer. */
static ssize_t read_next(struct ccfc_attic_file *f, uint32_t number, char *to,
			 size_t at, size_t len)
{
	if (f->number != number || !f->last.len) {
		int r = load_last(f, number);

		if (r == CCFC_EIO)
			return fail_for_now();
		if (r)
			fill_newlines(&f->last,
				      get_cached(f, number).segment.len);
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
	uint32_t number = find_segment(f, offset);
	const struct ccfc_cached cached = get_cached(f, number);
	size_t at = (size_t)(offset - cached.segment.offset);
	bool forward = offset == f->end || (f->last.len && number == f->number);
	ssize_t n = ccfc_segment_cache_read(f->archive->cache, to, &cached,
					    ccfc_slice_str(f->manifest.session),
					    at, len, !forward);

	if (n < 0)
		return fail_for_now();
	return n ? n : read_next(f, number, to, at, len);
}

void ccfc_archive_hold(void *ctx)
{
	struct ccfc_archive *a = ctx;

	ccfc_segment_cache_enter(a->cache);
}

void ccfc_archive_end_hold(void *ctx)
{
	struct ccfc_archive *a = ctx;

	ccfc_segment_cache_leave(a->cache);
}

bool ccfc_archive_load(struct ccfc_attic_file *f, uint64_t offset,
		       uint64_t *end, bool (*over)(void *ctx), void *ctx)
{
	struct ccfc_cached cached;

	*end = UINT64_MAX;
	if (offset >= f->version->end)
		return true;
	cached = get_cached(f, find_segment(f, offset));
	*end = cached.segment.offset + cached.segment.len;
	return ccfc_segment_cache_load(f->archive->cache, &cached, over, ctx);
}

ssize_t ccfc_archive_read(struct ccfc_attic_file *f, char *to, size_t len,
			  uint64_t offset)
{
	size_t done = 0;

	while (done < len && offset < f->version->end) {
		ssize_t n = read_segment(f, to + done, len - done, offset);

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
