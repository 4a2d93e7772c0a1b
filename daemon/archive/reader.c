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
	const struct ccfc_shared_manifest *shared;
	const struct ccfc_archive_version *version;
	struct ccfc_cached rest;
	struct ccfc_ordered last; /* the segment `number`; no bytes: none */
	struct ccfc_buf bytes;	  /* the memory of `last` */
	uint32_t number;	  /* the number of segments: the rest */
	uint64_t end;		  /* where the last read ended */
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
	s->flags = v->rest_no_note ? CCFC_SEGMENT_NO_NOTE : 0;
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
	r = ccfc_shared_manifest_take(a->manifests, &f->shared, file, err);
	why = errno;
	if (!r)
		f->version = ccfc_archive_manifest_version(&f->shared->manifest,
							   gen);
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

/* One reader less: without any, nothing stays in memory. */
static void leave(struct ccfc_archive *a)
{
	if (ccfc_segment_cache_leave(a->cache))
		ccfc_shared_manifests_drop(a->manifests);
}

void ccfc_archive_close(struct ccfc_attic_file *f)
{
	if (f->shared)
		ccfc_shared_manifest_give(f->archive->manifests, f->shared);
	leave(f->archive);
	ccfc_buf_release(&f->bytes);
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

/* A segment as it is stored. */
struct stored {
	struct ccfc_ordered ordered;
	struct ccfc_blob_parts parts;
	size_t len;
};

/* Makes room for it in `bytes`; false: it is damaged. */
static bool measure_stored(struct stored *out, struct ccfc_buf *bytes,
			   const struct ccfc_segment *s,
			   struct ccfc_packed *packed)
{
	out->ordered = (struct ccfc_ordered){ .len = s->len, .runs = s->runs };
	if (!ccfc_packed_parts(&out->parts, packed))
		return false;
	out->len = out->parts.ends[out->parts.n - 1];
	if (!ccfc_ordered_measure(&out->ordered, out->len))
		return false;
	out->ordered.bytes = ccfc_buf_reserve(bytes, out->len);
	return true;
}

static void put_id_back(const struct stored *stored, struct ccfc_buf *bytes,
			const struct ccfc_segment *s, struct ccfc_slice session)
{
	size_t table = ccfc_ordered_table(&stored->ordered);

	if (s->flags & CCFC_SEGMENT_PLAIN)
		ccfc_cut_fill(bytes->ptr + table, stored->len - table, session);
}

/* False: it is damaged. */
static bool read_stored(struct stored *out, struct ccfc_buf *bytes,
			const struct ccfc_segment *s,
			struct ccfc_packed *packed, struct ccfc_slice session)
{
	if (!measure_stored(out, bytes, s, packed) ||
	    !ccfc_packed_whole(bytes->ptr, packed, &out->parts) ||
	    !ccfc_ordered_is_valid(&out->ordered))
		return false;
	put_id_back(out, bytes, s, session);
	return true;
}

/*
 * What can be read of a damaged segment, with newlines in place of damaged
 * parts, as from the cache. False: nothing. The last part needs all others.
 */
static bool read_undamaged(struct stored *out, struct ccfc_buf *bytes,
			   const struct ccfc_segment *s,
			   struct ccfc_packed *packed,
			   struct ccfc_slice session)
{
	const struct ccfc_blob_parts *parts = &out->parts;

	if (!measure_stored(out, bytes, s, packed) || parts->n < 2 ||
	    !ccfc_packed_part(bytes->ptr, packed, parts, 0, NULL) ||
	    !ccfc_ordered_is_valid(&out->ordered))
		return false;
	for (uint32_t i = 1; i < parts->n; i++) {
		size_t from = parts->ends[i - 1];

		if (i + 1 == parts->n ||
		    !ccfc_packed_part(bytes->ptr + from, packed, parts, i,
				      bytes->ptr))
			memset(bytes->ptr + from, '\n', parts->ends[i] - from);
	}
	put_id_back(out, bytes, s, session);
	return true;
}

int ccfc_archive_get_segment(struct ccfc_archive *archive, struct ccfc_buf *out,
			     const struct ccfc_segment *s,
			     struct ccfc_slice session)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_packed packed;
	struct stored stored;
	int r = ccfc_packed_open(&packed, archive->blobs, &s->key, NULL);

	if (!r && !read_stored(&stored, &bytes, s, &packed, session))
		r = CCFC_ECORRUPT;
	ccfc_packed_close(&packed);
	if (!r) {
		ccfc_ordered_undo(ccfc_buf_reserve(out, s->len),
				  &stored.ordered);
		out->len += s->len;
	}
	ccfc_buf_release(&bytes);
	return r;
}

/* No descriptor is left: the blob cannot be opened now. */
static ssize_t fail_for_now(void)
{
	errno = EMFILE;
	return -1;
}

/* Bytes that cannot be read are newlines. */
static void fill_newlines(struct ccfc_attic_file *f, size_t len)
{
	char *to = ccfc_buf_reserve(&f->bytes, len);

	memset(to, '\n', len);
	f->last = (struct ccfc_ordered){ .bytes = to, .len = len };
}

/* False: nothing of it can be read. */
static bool read_last(struct ccfc_attic_file *f, const struct ccfc_segment *s,
		      struct ccfc_packed *packed)
{
	struct ccfc_slice session = ccfc_slice_str(f->shared->manifest.session);
	struct stored stored;

	if (!read_stored(&stored, &f->bytes, s, packed, session) &&
	    !read_undamaged(&stored, &f->bytes, s, packed, session))
		return false;
	f->last = stored.ordered;
	return true;
}

static int load_last(struct ccfc_attic_file *f, uint32_t number)
{
	const struct ccfc_cached cached = get_cached(f, number);
	struct ccfc_packed packed;
	int r = 0;

	f->last.bytes = NULL;
	f->number = number;
	if (cached.packed.len)
		ccfc_packed_use(&packed, f->archive->blobs, cached.packed);
	else
		r = ccfc_packed_open(&packed, f->archive->blobs,
				     &cached.segment.key, NULL);
	if (r != CCFC_EIO && (r || !read_last(f, &cached.segment, &packed))) {
		fill_newlines(f, cached.segment.len);
		r = 0;
	}
	ccfc_packed_close(&packed);
	return r;
}

/* A reader that reads forward needs each segment once, and has one buffer. */
static ssize_t read_next(struct ccfc_attic_file *f, uint32_t number, char *to,
			 size_t at, size_t len)
{
	size_t done = 0;

	if ((f->number != number || !f->last.bytes) && load_last(f, number))
		return fail_for_now();
	while (done < len && at + done < f->last.len) {
		struct ccfc_ordered_piece piece =
			ccfc_ordered_find(&f->last, at + done);

		if (piece.len > len - done)
			piece.len = len - done;
		memcpy(to + done, f->last.bytes + piece.from, piece.len);
		done += piece.len;
	}
	return (ssize_t)done;
}

/* Segments that are read out of order stay in the cache. */
static ssize_t read_segment(struct ccfc_attic_file *f, char *to, size_t len,
			    uint64_t offset)
{
	uint32_t number = find_segment(f, offset);
	const struct ccfc_cached cached = get_cached(f, number);
	size_t at = (size_t)(offset - cached.segment.offset);
	bool forward =
		offset == f->end || (f->last.bytes && number == f->number);
	ssize_t n = ccfc_segment_cache_read(
		f->archive->cache, to, &cached,
		ccfc_slice_str(f->shared->manifest.session), at, len, !forward);

	if (n < 0)
		return fail_for_now();
	return n ? n : read_next(f, number, to, at, len);
}

bool ccfc_archive_may_have_note(struct ccfc_attic_file *f, uint64_t offset,
				size_t len)
{
	uint64_t end = offset + len;

	while (offset < end && offset < f->version->end) {
		const struct ccfc_cached cached =
			get_cached(f, find_segment(f, offset));

		if (!(cached.segment.flags & CCFC_SEGMENT_NO_NOTE))
			return true;
		offset = cached.segment.offset + cached.segment.len;
	}
	/* The file may have bytes that are not kept yet. */
	return offset < end;
}

void ccfc_archive_hold(void *ctx)
{
	struct ccfc_archive *a = ctx;

	ccfc_segment_cache_enter(a->cache);
}

void ccfc_archive_end_hold(void *ctx)
{
	struct ccfc_archive *a = ctx;

	leave(a);
}

bool ccfc_archive_load(struct ccfc_attic_file *f, uint64_t offset,
		       bool (*over)(void *ctx), void *ctx)
{
	struct ccfc_cached cached;

	if (offset >= f->version->end)
		return true;
	cached = get_cached(f, find_segment(f, offset));
	return ccfc_segment_cache_load(f->archive->cache, &cached,
				       (size_t)(offset - cached.segment.offset),
				       over, ctx);
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

/*
 * The manifest of a transcript; the caller releases `m` in any case. An error
 * that will not pass is CCFC_ENOTFOUND: then the file alone counts.
 */
static int read_manifest_of(struct ccfc_archive_manifest *m,
			    const struct ccfc_archive *a, const char *path,
			    struct ccfc_err *err)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	int r, why;

	ccfc_archive_manifest_name(&name, a->sources, ccfc_slice_str(path));
	errno = 0;
	r = ccfc_archive_manifest_read(m, name.ptr, NULL);
	why = errno;
	ccfc_buf_release(&name);
	if (r && (why == EMFILE || why == ENFILE)) {
		ccfc_err_errno(err, why, "%s", path);
		return CCFC_EAGAIN;
	}
	return r || !m->versions.n ? CCFC_ENOTFOUND : 0;
}

int ccfc_archive_look(struct ccfc_archive *a, const char *path,
		      struct ccfc_archive_kept *out, struct ccfc_err *err)
{
	struct ccfc_archive_manifest m;
	const struct ccfc_archive_version *last;
	int r = read_manifest_of(&m, a, path, err);

	if (!r) {
		last = &m.versions.items[m.versions.n - 1];
		*out = (struct ccfc_archive_kept){
			.first = m.versions.items[0].since,
			.since = last->since,
			.end = last->end,
			.marker = last->marker,
			.marker_len = last->marker_len,
			.owner = m.owner,
		};
	}
	ccfc_archive_manifest_release(&m);
	return r;
}

int ccfc_archive_next_version(struct ccfc_archive *a, const char *path,
			      uint32_t gen, uint32_t *since,
			      struct ccfc_err *err)
{
	struct ccfc_archive_manifest m;
	int r = read_manifest_of(&m, a, path, err);
	uint32_t i = 0;

	while (!r && i < m.versions.n && m.versions.items[i].since <= gen)
		i++;
	if (!r && i == m.versions.n)
		r = CCFC_ENOTFOUND;
	if (!r)
		*since = m.versions.items[i].since;
	ccfc_archive_manifest_release(&m);
	return r;
}
