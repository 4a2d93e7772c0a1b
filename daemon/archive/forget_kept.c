/*
 * Removes the copies of forgotten sessions: the manifests of their transcripts,
 * and the files beside them. A transcript of another session that contains
 * forgotten lines is written again with blanks in their place. At the end
 * unreferenced blobs are removed: a content stays if another session has it.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"
#include "forget/forgotten.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTE ".meta.json"

struct forgetting {
	struct ccfc_archive *archive;
	const struct ccfc_archive_sieve *sieve;
	struct ccfc_err *err;
	int result; /* the first failure sticks */
};

static void remove_manifest(struct forgetting *f, const char *file)
{
	if (unlink(file) && errno != ENOENT && !f->result)
		f->result =
			ccfc_err_io(f->err, errno, "%s: cannot remove", file);
}

/* --- transcripts --- */

bool ccfc_archive_forgot(const struct ccfc_archive_sieve *sieve,
			 const char *session, const char *path)
{
	return sieve &&
	       (ccfc_forgotten_session(sieve->list, ccfc_slice_str(session)) ||
		ccfc_forgotten_source(sieve->list, ccfc_slice_str(path)));
}

/* A damaged manifest is removed, too: its session cannot be known. */
static void forget_source(void *ctx, const char *file)
{
	struct forgetting *f = ctx;
	struct ccfc_archive_manifest m = { 0 };
	int r = ccfc_archive_manifest_read(&m, file, NULL);

	if (r == CCFC_ECORRUPT ||
	    (!r && ccfc_archive_forgot(f->sieve, m.session, m.path)))
		remove_manifest(f, file);
	ccfc_archive_manifest_release(&m);
}

/* --- the files beside them --- */

/* Is a component of the path the id of a forgotten session? */
static bool names_forgotten(const struct ccfc_forgotten *list, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if (ccfc_forgotten_session(list, ccfc_slice(path, n)))
			return true;
		path += n + (path[n] == '/');
	}
	return false;
}

bool ccfc_archive_forgot_backup(const struct ccfc_archive_sieve *sieve,
				const char *dir, const char *name)
{
	const char *session = strrchr(dir, '/');

	return sieve && session &&
	       ccfc_forgotten_backup(sieve->list, ccfc_slice_str(session + 1),
				     ccfc_slice_str(name));
}

/* The note on an agent is removed with the agent's transcript. */
static bool is_note_of(const struct ccfc_forgotten *list, const char *dir,
		       const char *name)
{
	size_t n = strlen(name), tail = sizeof(NOTE) - 1;
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool goes;

	if (n <= tail || strcmp(name + n - tail, NOTE) != 0)
		return false;
	ccfc_buf_printf(&path, "%s/%.*s.jsonl", dir, (int)(n - tail), name);
	goes = ccfc_forgotten_source(list, ccfc_buf_view(&path));
	ccfc_buf_release(&path);
	return goes;
}

static bool drop_files(struct ccfc_kept_dir *d,
		       const struct ccfc_archive_sieve *sieve)
{
	uint32_t n = 0, before = d->files.n;

	for (uint32_t i = 0; i < before; i++) {
		struct ccfc_kept_file *file = &d->files.items[i];

		if (is_note_of(sieve->list, d->path, file->name) ||
		    ccfc_archive_forgot_backup(sieve, d->path, file->name)) {
			free(file->name);
			ccfc_buf_release(&file->packed);
		} else {
			d->files.items[n++] = *file;
		}
	}
	d->files.n = n;
	return n < before;
}

static void forget_files(void *ctx, const char *file)
{
	struct forgetting *f = ctx;
	struct ccfc_kept_dir d = { 0 };
	int r = ccfc_kept_dir_read(&d, file, NULL);

	if (r == CCFC_ECORRUPT ||
	    (!r && names_forgotten(f->sieve->list, d.path)))
		remove_manifest(f, file);
	else if (!r && drop_files(&d, f->sieve) && !f->result)
		f->result = ccfc_kept_dir_write(&d, file, f->err);
	ccfc_kept_dir_release(&d);
}

/* --- lines in other transcripts --- */

/* The pieces of a version: its segments, then the rest if there is one. */
static uint32_t count_pieces(const struct ccfc_archive_version *v)
{
	return v->segments.n + (v->rest.len > 0);
}

static size_t piece_len(const struct ccfc_archive_version *v, uint32_t piece)
{
	if (piece < v->segments.n)
		return v->segments.items[piece].len;
	return (size_t)(v->end - ccfc_archive_version_cut(v));
}

/* Appends a piece; damaged bytes become newlines. */
static void load_piece(struct forgetting *f, struct ccfc_buf *out,
		       const struct ccfc_archive_manifest *m,
		       const struct ccfc_archive_version *v, uint32_t piece)
{
	size_t len = piece_len(v, piece);
	int r;

	if (piece < v->segments.n)
		r = ccfc_archive_get_segment(f->archive, out,
					     &v->segments.items[piece],
					     ccfc_slice_str(m->session));
	else
		r = ccfc_archive_unpack_rest(out, f->archive, v);
	if (r == CCFC_EIO)
		f->result = ccfc_err_set(f->err, r,
					 "archive: cannot read a part of %s",
					 m->path);
	if (r) {
		memset(ccfc_buf_reserve(out, len), '\n', len);
		out->len += len;
	}
}

/*
 * Loads pieces from `first` on, up to one that ends with a line: a long line
 * lies across several pieces, and can only be recognized as a whole.
 */
static uint32_t load_lines(struct forgetting *f, struct ccfc_buf *out,
			   const struct ccfc_archive_manifest *m,
			   const struct ccfc_archive_version *v, uint32_t first)
{
	uint32_t i = first;

	ccfc_buf_clear(out);
	do
		load_piece(f, out, m, v, i);
	while (++i < count_pieces(v) && out->ptr[out->len - 1] != '\n');
	return i;
}

/* Replaces a piece. */
static int store_piece(struct forgetting *f,
		       const struct ccfc_archive_manifest *m,
		       struct ccfc_archive_version *v, uint32_t piece,
		       struct ccfc_slice bytes)
{
	if (piece == v->segments.n)
		return ccfc_archive_pack_rest(v, f->archive, bytes, f->err);
	return ccfc_archive_put_segment(f->archive, &v->segments.items[piece],
					ccfc_slice_str(m->session), bytes,
					f->err);
}

static bool sift_version(struct forgetting *f,
			 const struct ccfc_archive_manifest *m,
			 struct ccfc_archive_version *v)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	bool all = false;

	for (uint32_t i = 0, next; i < count_pieces(v) && !f->result;
	     i = next) {
		size_t at = 0;
		bool any = false;

		next = load_lines(f, &bytes, m, v, i);
		ccfc_archive_sift_lines(f->sieve, ccfc_slice_str(m->session),
					&bytes, 0, true, &any);
		for (; any && i < next && !f->result; i++) {
			size_t len = piece_len(v, i);

			f->result = store_piece(
				f, m, v, i, ccfc_slice(bytes.ptr + at, len));
			at += len;
		}
		all |= any;
	}
	ccfc_buf_release(&bytes);
	return all;
}

static void sift_transcript(struct forgetting *f, const char *path)
{
	struct ccfc_archive_manifest m = { 0 };
	struct ccfc_buf file = CCFC_BUF_INIT;
	bool any = false;

	ccfc_archive_manifest_name(&file, f->archive->sources,
				   ccfc_slice_str(path));
	if (!ccfc_archive_manifest_read(&m, file.ptr, NULL))
		for (uint32_t i = 0; i < m.versions.n; i++)
			any |= sift_version(f, &m, &m.versions.items[i]);
	if (any && !f->result)
		f->result = ccfc_archive_manifest_write(&m, file.ptr, f->err);
	ccfc_archive_manifest_release(&m);
	ccfc_buf_release(&file);
}

int ccfc_archive_forget_kept(struct ccfc_archive *archive,
			     const struct ccfc_archive_sieve *sieve,
			     char *const *shared, uint32_t nshared,
			     struct ccfc_err *err)
{
	struct forgetting f = { .archive = archive,
				.sieve = sieve,
				.err = err };

	ccfc_archive_each_file(archive->sources, forget_source, &f);
	ccfc_archive_each_file(archive->files, forget_files, &f);
	for (uint32_t i = 0; i < nshared && !f.result; i++)
		sift_transcript(&f, shared[i]);
	return f.result;
}

int ccfc_archive_forget(struct ccfc_archive *archive,
			const struct ccfc_archive_sieve *sieve,
			char *const *shared, uint32_t nshared,
			struct ccfc_err *err)
{
	int r;

	pthread_mutex_lock(&archive->work);
	r = ccfc_archive_forget_kept(archive, sieve, shared, nshared, err);
	pthread_mutex_unlock(&archive->work);
	return r;
}

void ccfc_archive_forget_contents(struct ccfc_archive *archive)
{
	pthread_mutex_lock(&archive->work);
	ccfc_archive_drop_blobs(archive);
	ccfc_archive_count(archive);
	pthread_mutex_unlock(&archive->work);
}
