/*
 * Kept transcripts, for readers; see source/attic.h. An open one has its
 * manifest and the last segments in memory, so that lines near each other cost
 * one decompression.
 */
#include "archive/archive_internal.h"
#include "archive/cut.h"

#include "base/alloc.h"

#include <stdlib.h>

#define SLOTS 2u
#define REST  UINT32_MAX /* instead of a segment's number */

struct slot {
	bool used;
	uint32_t segment;
	struct ccfc_buf bytes;
};

struct ccfc_attic_file {
	struct ccfc_archive *archive;
	struct ccfc_archive_manifest manifest;
	const struct ccfc_archive_version *version;
	struct slot slots[SLOTS]; /* the one that was used last is first */
};

struct ccfc_attic_file *ccfc_archive_open(void *ctx, const char *path,
					  uint32_t gen, uint64_t *size)
{
	struct ccfc_archive *a = ctx;
	struct ccfc_attic_file *f = ccfc_calloc(1, sizeof(*f));
	struct ccfc_buf name = CCFC_BUF_INIT;

	f->archive = a;
	ccfc_archive_manifest_name(&name, a->sources, ccfc_slice_str(path));
	if (!ccfc_archive_manifest_read(&f->manifest, name.ptr, NULL))
		f->version = ccfc_archive_manifest_version(&f->manifest, gen);
	ccfc_buf_release(&name);
	if (!f->version) {
		ccfc_archive_close(f);
		return NULL;
	}
	*size = f->version->end;
	return f;
}

void ccfc_archive_close(struct ccfc_attic_file *f)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		ccfc_buf_release(&f->slots[i].bytes);
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

bool ccfc_archive_get_segment(struct ccfc_archive *archive,
			      struct ccfc_buf *out,
			      const struct ccfc_segment *s,
			      struct ccfc_slice session)
{
	if (ccfc_blobs_get_quickly(out, archive->blobs, &s->key, s->len,
				   NULL) ||
	    out->len != s->len)
		return false;
	if (s->flags & CCFC_SEGMENT_PLAIN)
		ccfc_cut_fill(out->ptr, out->len, session);
	return true;
}

static void load(struct ccfc_attic_file *f, struct ccfc_buf *out,
		 uint32_t segment, uint64_t len)
{
	const struct ccfc_archive_version *v = f->version;
	bool good;

	ccfc_buf_clear(out);
	if (segment == REST)
		good = !ccfc_blob_unpack(out, ccfc_buf_view(&v->rest),
					 CCFC_CUT_MAX, NULL) &&
		       out->len == len;
	else
		good = ccfc_archive_get_segment(
			f->archive, out, &v->segments.items[segment],
			ccfc_slice_str(f->manifest.session));
	if (good)
		return;
	ccfc_buf_clear(out);
	memset(ccfc_buf_reserve(out, (size_t)len), '\n', (size_t)len);
	out->len = (size_t)len;
}

/* The bytes around an offset, and where they begin. */
static const struct ccfc_buf *bytes_at(struct ccfc_attic_file *f,
				       uint64_t offset, uint64_t *start)
{
	const struct ccfc_archive_version *v = f->version;
	uint64_t cut = ccfc_archive_version_cut(v), len = v->end - cut;
	uint32_t segment = REST, i = 0;
	struct slot found;

	*start = cut;
	if (offset < cut) {
		segment = find_segment(v, offset);
		*start = v->segments.items[segment].offset;
		len = v->segments.items[segment].len;
	}
	while (i < SLOTS - 1 &&
	       !(f->slots[i].used && f->slots[i].segment == segment))
		i++;
	found = f->slots[i];
	if (!found.used || found.segment != segment) {
		load(f, &found.bytes, segment, len);
		found.segment = segment;
		found.used = true;
	}
	memmove(f->slots + 1, f->slots, i * sizeof(found));
	f->slots[0] = found;
	return &f->slots[0].bytes;
}

size_t ccfc_archive_read(struct ccfc_attic_file *f, char *to, size_t len,
			 uint64_t offset)
{
	size_t done = 0;

	while (done < len && offset < f->version->end) {
		uint64_t start;
		const struct ccfc_buf *bytes = bytes_at(f, offset, &start);
		size_t at = (size_t)(offset - start), n = bytes->len - at;

		if (n > len - done)
			n = len - done;
		memcpy(to + done, bytes->ptr + at, n);
		done += n;
		offset += n;
	}
	return done;
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
