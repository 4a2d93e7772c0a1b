/*
 * Merges an imported archive. For each transcript:
 *
 * - If it is known (same session, same agent, all its bytes), nothing is added,
 *   whatever its path is.
 * - If it is known in part and the file is gone, it gets the missing bytes: the
 *   longer one wins. The common rows of both are equal.
 * - Everything else is added under its old path. If a file exists there, or
 *   another transcript is known by that path, it gets a path of its own,
 *   <root>/ccfc-import-<digits>/projects/…, which is not watched, so that the
 *   two are never mixed up. Lines shared with others are recognized by their
 *   ids, as in forks.
 *
 * Files beside a transcript follow the transcript; of two with the same name
 * the existing one stays.
 *
 * The merge may be interrupted anywhere and started again: blobs come first,
 * and a merged transcript is known the next time.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE ((size_t)256 << 10)

/* A known transcript. */
struct known {
	char *file, *path, *session, *agent;
	bool is_agent;
};

/* Files of `session` below the root `from` go below the root `to`. */
struct way {
	char *from, *to, *session;
};

struct merge {
	struct ccfc_archive *into, *from;
	struct ccfc_archive_imported *out;
	struct {
		struct known *items;
		uint32_t n, cap;
	} known;
	struct {
		struct way *items;
		uint32_t n, cap;
	} ways;
	struct ccfc_err *err;
	int r;
};

/* --- blobs --- */

static void move_blob(void *ctx, const struct ccfc_blob_key *key, uint64_t room)
{
	struct merge *m = ctx;

	(void)room;
	if (!m->r)
		m->r = ccfc_blobs_move(m->into->blobs, m->from->blobs, key,
				       m->err);
	if (!m->r)
		m->r = ccfc_blobs_sync(m->into->blobs, key, 1, m->err);
}

/* --- known transcripts --- */

static void add_known(void *ctx, const char *file)
{
	struct merge *m = ctx;
	struct ccfc_archive_manifest a = { 0 };

	if (!ccfc_archive_manifest_read(&a, file, NULL)) {
		struct known k = { .file = ccfc_strdup(file),
				   .path = ccfc_strdup(a.path),
				   .session = ccfc_strdup(a.session),
				   .agent = ccfc_strdup(a.agent),
				   .is_agent = a.is_agent };

		CCFC_VEC_PUSH(m->known, k);
	}
	ccfc_archive_manifest_release(&a);
}

static void release_merge(struct merge *m)
{
	for (uint32_t i = 0; i < m->known.n; i++) {
		free(m->known.items[i].file);
		free(m->known.items[i].path);
		free(m->known.items[i].session);
		free(m->known.items[i].agent);
	}
	for (uint32_t i = 0; i < m->ways.n; i++) {
		free(m->ways.items[i].from);
		free(m->ways.items[i].to);
		free(m->ways.items[i].session);
	}
	free(m->known.items);
	free(m->ways.items);
}

static bool is_same_one(const struct known *k,
			const struct ccfc_archive_manifest *a)
{
	return k->is_agent == a->is_agent && !strcmp(k->session, a->session) &&
	       !strcmp(k->agent, a->agent);
}

/* --- comparing --- */

/* Are the first one's bytes the beginning of the second one's? */
static bool begins_with(struct ccfc_attic_file *less, uint64_t size,
			struct ccfc_attic_file *more)
{
	char *x = ccfc_malloc(PIECE), *y = ccfc_malloc(PIECE);
	uint64_t at = 0;
	bool same = true;

	while (same && at < size) {
		size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;

		same = ccfc_archive_read(less, x, n, at) == (ssize_t)n &&
		       ccfc_archive_read(more, y, n, at) == (ssize_t)n &&
		       !memcmp(x, y, n);
		at += n;
	}
	free(x);
	free(y);
	return same;
}

/* Is a version of one manifest the beginning of a version of the other? */
static bool is_beginning(struct ccfc_archive *a, const char *less, uint32_t gen,
			 const char *more, uint32_t other)
{
	struct ccfc_attic_file *x = NULL, *y = NULL;
	uint64_t n = 0, k = 0;
	bool is = !ccfc_archive_open_manifest(a, &x, less, gen, &n, NULL) &&
		  !ccfc_archive_open_manifest(a, &y, more, other, &k, NULL) &&
		  n <= k && begins_with(x, n, y);

	if (x)
		ccfc_archive_close(x);
	if (y)
		ccfc_archive_close(y);
	return is;
}

/* Has the known one all versions of the other one? */
static bool has_all(struct ccfc_archive *a, const char *file,
		    const struct ccfc_archive_manifest *m, const char *known)
{
	struct ccfc_archive_manifest k = { 0 };
	bool all = !ccfc_archive_manifest_read(&k, known, NULL);

	for (uint32_t i = 0; all && i < m->versions.n; i++) {
		bool one = false;

		for (uint32_t j = 0; !one && j < k.versions.n; j++)
			one = is_beginning(a, file, m->versions.items[i].since,
					   known, k.versions.items[j].since);
		all = one;
	}
	ccfc_archive_manifest_release(&k);
	return all;
}

/* --- one transcript --- */

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static char *root_of(const char *path)
{
	const char *end = ccfc_archive_root_end(path);

	return ccfc_strndup(path, end ? (size_t)(end - path) : strlen(path));
}

static void add_way(struct merge *m, const char *from, const char *to,
		    const char *session)
{
	struct way w = { root_of(from), root_of(to), ccfc_strdup(session) };

	CCFC_VEC_PUSH(m->ways, w);
}

/* A path without a file, always the same for the same transcript. */
static void make_own_path(struct ccfc_buf *out,
			  const struct ccfc_archive_manifest *a)
{
	const char *end = ccfc_archive_root_end(a->path);
	const struct ccfc_archive_version *last =
		&a->versions.items[a->versions.n - 1];
	struct ccfc_buf what = CCFC_BUF_INIT;
	char hex[CCFC_SHA256_HEX + 1];

	ccfc_buf_printf(&what, "%s %llu %llx", a->path,
			(unsigned long long)last->end,
			(unsigned long long)last->marker);
	ccfc_sha256_hex(hex, ccfc_buf_view(&what));
	ccfc_buf_release(&what);
	if (!end)
		end = a->path + strlen(a->path);
	ccfc_buf_append(out, a->path, (size_t)(end - a->path));
	ccfc_buf_printf(out, "/ccfc-import-%.8s%s", hex, end);
}

/* Adds the missing bytes to a known transcript whose file is gone. */
static int lengthen_known(struct merge *m, struct ccfc_archive_manifest *a,
			  const struct known *k)
{
	struct ccfc_archive_manifest old = { 0 };
	struct ccfc_archive_version *last, *more = &a->versions.items[0];
	struct ccfc_archive_version swap;
	int r = ccfc_archive_manifest_read(&old, k->file, m->err);

	if (!r) {
		last = &old.versions.items[old.versions.n - 1];
		swap = *last;
		*last = *more;
		last->since = swap.since;
		*more = swap;
		if (a->written > old.written)
			old.written = a->written;
		r = ccfc_archive_manifest_write(&old, k->file, m->err);
		m->out->bytes += last->end - swap.end;
	}
	m->out->longer++;
	ccfc_archive_manifest_release(&old);
	return r;
}

static bool can_lengthen(struct merge *m, const char *file,
			 const struct ccfc_archive_manifest *a,
			 const struct known *k)
{
	return a->versions.n == 1 && !is_there(k->path) &&
	       is_beginning(m->into, k->file, CCFC_ATTIC_LAST, file,
			    CCFC_ATTIC_LAST);
}

static int add_new(struct merge *m, struct ccfc_archive_manifest *a)
{
	struct ccfc_buf own = CCFC_BUF_INIT, name = CCFC_BUF_INIT;
	int r;

	ccfc_archive_manifest_name(&name, m->into->sources,
				   ccfc_slice_str(a->path));
	if (is_there(a->path) || is_there(name.ptr)) {
		make_own_path(&own, a);
		add_way(m, a->path, own.ptr, a->session);
		free(a->path);
		a->path = ccfc_buf_detach(&own, NULL);
		ccfc_archive_manifest_name(&name, m->into->sources,
					   ccfc_slice_str(a->path));
	} else {
		add_way(m, a->path, a->path, a->session);
	}
	r = ccfc_archive_manifest_write(a, name.ptr, m->err);
	m->out->transcripts++;
	for (uint32_t i = 0; i < a->versions.n; i++)
		m->out->bytes += a->versions.items[i].end;
	ccfc_buf_release(&own);
	ccfc_buf_release(&name);
	return r;
}

static int merge_one(struct merge *m, const char *file,
		     struct ccfc_archive_manifest *a)
{
	const struct known *longer = NULL;

	for (uint32_t i = 0; i < m->known.n; i++) {
		const struct known *k = &m->known.items[i];

		if (!is_same_one(k, a))
			continue;
		if (has_all(m->into, file, a, k->file)) {
			m->out->known++;
			add_way(m, a->path, k->path, a->session);
			return 0;
		}
		if (!longer && can_lengthen(m, file, a, k))
			longer = k;
	}
	if (!longer)
		return add_new(m, a);
	add_way(m, a->path, longer->path, a->session);
	return lengthen_known(m, a, longer);
}

static void merge_source(void *ctx, const char *file)
{
	struct merge *m = ctx;
	struct ccfc_archive_manifest a = { 0 };

	if (m->r)
		return;
	m->r = ccfc_archive_manifest_read(&a, file, m->err);
	if (!m->r && a.versions.n)
		m->r = merge_one(m, file, &a);
	ccfc_archive_manifest_release(&a);
}

/* --- files beside transcripts --- */

static char *way_of(const struct merge *m, const char *dir)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < m->ways.n; i++) {
		const struct way *w = &m->ways.items[i];
		size_t len = strlen(w->from);

		if (strncmp(dir, w->from, len) != 0 || dir[len] != '/' ||
		    !strstr(dir + len, w->session))
			continue;
		ccfc_buf_printf(&path, "%s%s", w->to, dir + len);
		return ccfc_buf_detach(&path, NULL);
	}
	return ccfc_strdup(dir);
}

static bool has_file(const struct ccfc_kept_dir *d, const char *name)
{
	for (uint32_t i = 0; i < d->files.n; i++)
		if (!strcmp(d->files.items[i].name, name))
			return true;
	return false;
}

static void merge_dir(void *ctx, const char *file)
{
	struct merge *m = ctx;
	struct ccfc_kept_dir d = { 0 }, old = { 0 };
	struct ccfc_buf name = CCFC_BUF_INIT;
	char *path;

	if (m->r)
		return;
	m->r = ccfc_kept_dir_read(&d, file, m->err);
	path = m->r ? NULL : way_of(m, d.path);
	if (path) {
		ccfc_archive_manifest_name(&name, m->into->files,
					   ccfc_slice_str(path));
		if (ccfc_kept_dir_read(&old, name.ptr, NULL))
			ccfc_kept_dir_release(&old);
		if (!old.path)
			old.path = ccfc_strdup(path);
		for (uint32_t i = 0; i < d.files.n; i++) {
			struct ccfc_kept_file *f = &d.files.items[i];

			if (has_file(&old, f->name))
				continue;
			CCFC_VEC_PUSH(old.files, *f);
			*f = (struct ccfc_kept_file){ 0 };
		}
		if (d.written > old.written)
			old.written = d.written;
		m->r = ccfc_kept_dir_write(&old, name.ptr, m->err);
	}
	free(path);
	ccfc_kept_dir_release(&d);
	ccfc_kept_dir_release(&old);
	ccfc_buf_release(&name);
}

int ccfc_import_merge(struct ccfc_archive *into, struct ccfc_archive *from,
		      struct ccfc_archive_imported *out, struct ccfc_err *err)
{
	struct merge m = { .into = into, .from = from, .out = out, .err = err };

	ccfc_blobs_each(from->blobs, move_blob, &m);
	if (!m.r)
		ccfc_archive_each_file(into->sources, add_known, &m);
	if (!m.r)
		ccfc_archive_each_file(from->sources, merge_source, &m);
	if (!m.r)
		ccfc_archive_each_file(from->files, merge_dir, &m);
	release_merge(&m);
	return m.r;
}
