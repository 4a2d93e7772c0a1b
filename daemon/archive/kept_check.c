/* Checks and lists the whole archive; see archive.h. */
#include "archive/archive_internal.h"
#include "archive/cut.h"
#include "archive/line_order.h"

#include "base/alloc.h"

#include <stdlib.h>

#define CONTENT_MAX ((size_t)1 << 30)

struct check {
	struct ccfc_archive *archive;
	struct ccfc_archive_check *out;
	bool (*over)(void *ctx);
	void *ctx;
};

/* Is the segment as long as it should be, and its order of lines valid? */
static bool check_order(struct ccfc_slice stored, const struct ccfc_segment *s)
{
	struct ccfc_ordered ordered = { .bytes = stored.ptr,
					.len = s->len,
					.runs = s->runs };

	return ccfc_ordered_measure(&ordered, stored.len) &&
	       ccfc_ordered_is_valid(&ordered);
}

static void check_segment(struct check *c, const struct ccfc_segment *s)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;

	c->out->blobs++;
	if (ccfc_blobs_get(&bytes, c->archive->blobs, &s->key, CONTENT_MAX,
			   NULL) ||
	    !check_order(ccfc_buf_view(&bytes), s)) {
		c->out->bad_blobs++;
		c->out->lost_bytes += s->len;
	}
	ccfc_buf_release(&bytes);
}

static void check_blob(struct check *c, const struct ccfc_blob_key *key,
		       uint64_t size)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;

	c->out->blobs++;
	if (ccfc_blobs_get(&bytes, c->archive->blobs, key, CONTENT_MAX, NULL) ||
	    bytes.len != size) {
		c->out->bad_blobs++;
		c->out->lost_bytes += size;
	}
	ccfc_buf_release(&bytes);
}

static void check_packed(struct check *c, const struct ccfc_buf *packed,
			 uint64_t size)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;

	if (ccfc_blob_unpack(&bytes, c->archive->blobs, ccfc_buf_view(packed),
			     CCFC_CUT_MAX, NULL) ||
	    bytes.len != size) {
		c->out->bad_manifests++;
		c->out->lost_bytes += size;
	}
	ccfc_buf_release(&bytes);
}

static void check_rest(struct check *c, const struct ccfc_archive_version *v,
		       uint64_t size)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;

	if (ccfc_archive_unpack_rest(&bytes, c->archive, v)) {
		c->out->bad_manifests++;
		c->out->lost_bytes += size;
	}
	ccfc_buf_release(&bytes);
}

static void check_source(struct check *c, const char *file)
{
	struct ccfc_archive_manifest m = { 0 };
	int r = ccfc_archive_manifest_read(&m, file, NULL);

	c->out->manifests++;
	if (r && r != CCFC_ENOTFOUND)
		c->out->bad_manifests++;
	for (uint32_t i = 0; !r && i < m.versions.n; i++) {
		const struct ccfc_archive_version *v = &m.versions.items[i];
		uint64_t rest = v->end - ccfc_archive_version_cut(v);

		for (uint32_t k = 0; k < v->segments.n && !c->over(c->ctx); k++)
			check_segment(c, &v->segments.items[k]);
		if (rest)
			check_rest(c, v, rest);
	}
	ccfc_archive_manifest_release(&m);
}

static void check_files(struct check *c, const char *file)
{
	struct ccfc_kept_dir d = { 0 };
	int r = ccfc_kept_dir_read(&d, file, NULL);

	c->out->manifests++;
	if (r && r != CCFC_ENOTFOUND)
		c->out->bad_manifests++;
	for (uint32_t i = 0; !r && i < d.files.n && !c->over(c->ctx); i++) {
		const struct ccfc_kept_file *f = &d.files.items[i];

		if (f->packed.len)
			check_packed(c, &f->packed, f->size);
		else
			check_blob(c, &f->key, f->size);
	}
	ccfc_kept_dir_release(&d);
}

static void on_source(void *ctx, const char *file)
{
	struct check *c = ctx;

	if (!c->over(c->ctx))
		check_source(c, file);
}

static void on_files(void *ctx, const char *file)
{
	struct check *c = ctx;

	if (!c->over(c->ctx))
		check_files(c, file);
}

void ccfc_archive_check(struct ccfc_archive *archive,
			struct ccfc_archive_check *out, bool (*over)(void *ctx),
			void *ctx)
{
	struct check c = { archive, out, over, ctx };

	*out = (struct ccfc_archive_check){ 0 };
	ccfc_archive_each_file(archive->sources, on_source, &c);
	ccfc_archive_each_file(archive->files, on_files, &c);
}

/* --- listing --- */

struct listing {
	void (*fn)(void *ctx, const char *path, const struct ccfc_name *name);
	void *ctx;
};

static void list_source(void *ctx, const char *file)
{
	struct listing *l = ctx;
	struct ccfc_archive_manifest m = { 0 };

	if (!ccfc_archive_manifest_read(&m, file, NULL) && m.versions.n) {
		struct ccfc_name name = {
			.kind = m.is_agent ? CCFC_NAME_AGENT
					   : CCFC_NAME_SESSION,
			.session = ccfc_slice_str(m.session),
			.agent = ccfc_slice_str(m.agent),
		};

		l->fn(l->ctx, m.path, &name);
	}
	ccfc_archive_manifest_release(&m);
}

void ccfc_archive_each(struct ccfc_archive *archive,
		       void (*fn)(void *ctx, const char *path,
				  const struct ccfc_name *name),
		       void *ctx)
{
	struct listing l = { fn, ctx };

	ccfc_archive_each_file(archive->sources, list_source, &l);
}
