/* Manifests in memory; see manifests.h. */
#include "archive/manifests.h"

#include "base/alloc.h"

#include <stdlib.h>

/* Digits of a SHA-256 in a name: enough that no two paths share them. */
#define NAME_DIGITS 40

void ccfc_archive_manifest_name(struct ccfc_buf *out, const char *dir,
				struct ccfc_slice path)
{
	char hex[CCFC_SHA256_HEX + 1];

	ccfc_sha256_hex(hex, path);
	ccfc_buf_clear(out);
	ccfc_buf_printf(out, "%s/%.*s", dir, NAME_DIGITS, hex);
}

uint64_t ccfc_archive_version_cut(const struct ccfc_archive_version *version)
{
	const struct ccfc_segment *last;

	if (!version->segments.n)
		return 0;
	last = &version->segments.items[version->segments.n - 1];
	return last->offset + last->len;
}

struct ccfc_archive_version *
ccfc_archive_manifest_version(const struct ccfc_archive_manifest *m,
			      uint32_t gen)
{
	uint32_t i = m->versions.n;

	while (i && m->versions.items[i - 1].since > gen)
		i--;
	return i ? &m->versions.items[i - 1] : NULL;
}

struct ccfc_archive_version *
ccfc_archive_manifest_add(struct ccfc_archive_manifest *m, uint32_t since)
{
	CCFC_VEC_PUSH(m->versions,
		      ((struct ccfc_archive_version){ .since = since }));
	return &m->versions.items[m->versions.n - 1];
}

void ccfc_archive_manifest_release(struct ccfc_archive_manifest *m)
{
	for (uint32_t i = 0; i < m->versions.n; i++) {
		free(m->versions.items[i].segments.items);
		ccfc_buf_release(&m->versions.items[i].rest);
	}
	free(m->versions.items);
	free(m->path);
	free(m->session);
	free(m->agent);
	memset(m, 0, sizeof(*m));
}

void ccfc_kept_dir_release(struct ccfc_kept_dir *d)
{
	for (uint32_t i = 0; i < d->files.n; i++) {
		free(d->files.items[i].name);
		ccfc_buf_release(&d->files.items[i].packed);
	}
	free(d->files.items);
	free(d->path);
	memset(d, 0, sizeof(*d));
}
