/* Which files of the archive a transcript needs; see archive.h. */
#include "archive/archive_internal.h"

#include "base/alloc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE ((size_t)64 << 10)

struct listing {
	ccfc_archive_file_fn fn;
	void *ctx;
};

static void list_blob(const struct listing *l, const struct ccfc_blob_key *key)
{
	char hex[CCFC_SHA256_HEX + 1], name[CCFC_SHA256_HEX + 16];

	ccfc_blob_key_hex(hex, key);
	snprintf(name, sizeof(name), "blobs/%.2s/%s", hex, hex + 2);
	l->fn(l->ctx, name, NULL);
}

/* The checksum of a manifest's file, which may be replaced at any time. */
static bool sum_file(char hex[CCFC_SHA256_HEX + 1], const char *file)
{
	struct ccfc_buf all = CCFC_BUF_INIT;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0) {
		n = read(fd, ccfc_buf_reserve(&all, PIECE), PIECE);
		all.len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	ccfc_sha256_hex(hex, ccfc_buf_view(&all));
	ccfc_buf_release(&all);
	return !n;
}

static void list_manifest(const struct listing *l, const char *folder,
			  const char *file, const char *sum)
{
	struct ccfc_buf name = CCFC_BUF_INIT;

	ccfc_buf_printf(&name, "%s%s", folder, strrchr(file, '/'));
	l->fn(l->ctx, name.ptr, sum);
	ccfc_buf_release(&name);
}

/*
 * The manifest may be replaced after its checksum was taken: then the checksum
 * of the copy does not match.
 */
static bool list_source(struct ccfc_archive *a, const struct listing *l,
			const char *path, struct ccfc_archive_manifest *m)
{
	struct ccfc_buf file = CCFC_BUF_INIT;
	char sum[CCFC_SHA256_HEX + 1];
	bool kept;

	ccfc_archive_manifest_name(&file, a->sources, ccfc_slice_str(path));
	kept = sum_file(sum, file.ptr) &&
	       !ccfc_archive_manifest_read(m, file.ptr, NULL);
	if (kept)
		list_manifest(l, "sources", file.ptr, sum);
	for (uint32_t i = 0; kept && i < m->versions.n; i++)
		for (uint32_t k = 0; k < m->versions.items[i].segments.n; k++)
			list_blob(l,
				  &m->versions.items[i].segments.items[k].key);
	ccfc_buf_release(&file);
	return kept;
}

static void list_dir(struct ccfc_archive *a, const struct listing *l,
		     struct ccfc_slice dir)
{
	struct ccfc_kept_dir d = { 0 };
	struct ccfc_buf file = CCFC_BUF_INIT;
	char sum[CCFC_SHA256_HEX + 1];

	ccfc_archive_manifest_name(&file, a->files, dir);
	if (sum_file(sum, file.ptr) &&
	    !ccfc_kept_dir_read(&d, file.ptr, NULL)) {
		list_manifest(l, "files", file.ptr, sum);
		for (uint32_t i = 0; i < d.files.n; i++)
			if (!d.files.items[i].packed.len)
				list_blob(l, &d.files.items[i].key);
	}
	ccfc_kept_dir_release(&d);
	ccfc_buf_release(&file);
}

bool ccfc_archive_files(struct ccfc_archive *archive, const char *path,
			ccfc_archive_file_fn fn, void *ctx)
{
	const struct listing l = { fn, ctx };
	const char *end = ccfc_archive_root_end(path);
	const char *slash = strrchr(path, '/');
	struct ccfc_archive_manifest m = { 0 };
	struct ccfc_buf dir = CCFC_BUF_INIT;
	bool kept = list_source(archive, &l, path, &m);

	if (kept && m.is_agent && slash) {
		list_dir(archive, &l, ccfc_slice(path, (size_t)(slash - path)));
	} else if (kept && end) {
		ccfc_buf_append(&dir, path, (size_t)(end - path));
		ccfc_buf_printf(&dir, "/file-history/%s", m.session);
		list_dir(archive, &l, ccfc_buf_view(&dir));
	}
	ccfc_archive_manifest_release(&m);
	ccfc_buf_release(&dir);
	return kept;
}
