/*
 * A store without the forgotten items; see store.h.
 *
 * Rows are not deleted: free pages, the log and the file of texts would still
 * contain them. Everything else is written to new files, index.db.forget and
 * texts.forget, as when a damaged store is salvaged; then these take the place
 * of the old ones, index.db first. So texts.forget without index.db.forget
 * means that the last step is missing, and both mean that the new store was
 * never in place.
 */
#include "store/store.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "index/index_internal.h"
#include "store/db.h"
#include "store/salvage/import.h"
#include "store/salvage/sieve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NEW ".forget"

static void join_forget(struct ccfc_buf *out, const char *dir, const char *name)
{
	ccfc_buf_clear(out);
	ccfc_buf_printf(out, "%s/%s", dir, name);
}

static bool is_there(const char *dir, const char *name)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool there;

	join_forget(&path, dir, name);
	there = !access(path.ptr, F_OK);
	ccfc_buf_release(&path);
	return there;
}

static int remove_one(const char *dir, const char *name, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = 0;

	join_forget(&path, dir, name);
	if (unlink(path.ptr) && errno != ENOENT)
		r = ccfc_err_io(err, errno, "%s: cannot remove", path.ptr);
	ccfc_buf_release(&path);
	return r;
}

static int rename_one(const char *dir, const char *from, const char *to,
		      struct ccfc_err *err)
{
	struct ccfc_buf a = CCFC_BUF_INIT, b = CCFC_BUF_INIT;
	int r = 0;

	join_forget(&a, dir, from);
	join_forget(&b, dir, to);
	if (rename(a.ptr, b.ptr))
		r = ccfc_err_io(err, errno, "%s: cannot move", a.ptr);
	ccfc_buf_release(&a);
	ccfc_buf_release(&b);
	return r;
}

static int sync_dir(const char *dir, struct ccfc_err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;

	if (fd < 0 || fsync(fd))
		r = ccfc_err_io(err, errno, "%s: cannot write", dir);
	if (fd >= 0)
		close(fd);
	return r;
}

/* --- the new store --- */

/* Texts come first: see above. */
static int remove_new(const char *dir, struct ccfc_err *err)
{
	static const char *const names[] = { "texts" NEW, "index.db" NEW "-wal",
					     "index.db" NEW "-shm",
					     "index.db" NEW };
	int r = 0;

	for (size_t i = 0; !r && i < sizeof(names) / sizeof(*names); i++)
		r = remove_one(dir, names[i], err);
	return r;
}

/*
 * Moves the log into the file, so that the file alone has everything. Another
 * program that reads the store can prevent that.
 */
static int empty_log(const char *dir, struct ccfc_err *err)
{
	struct ccfc_store *store = NULL;
	int r = ccfc_store_new(&store, dir, err);

	if (!r && sqlite3_wal_checkpoint_v2(store->db, NULL,
					    SQLITE_CHECKPOINT_TRUNCATE, NULL,
					    NULL) != SQLITE_OK)
		r = ccfc_db_error(store, "cannot empty its log", err);
	ccfc_store_free(store);
	return r;
}

static int fill_rest(struct ccfc_store *store, struct ccfc_import *im,
		     const char *dir, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	enum ccfc_texts_found found;
	int r = ccfc_texts_file_new_at(&store->texts, dir, NEW, 0, 0, &found,
				       err);

	join_forget(&path, dir, "index.db");
	if (!r)
		r = ccfc_import_live(im, path.ptr, err);
	join_forget(&path, dir, "texts");
	if (!r)
		r = ccfc_import_texts(im, path.ptr, store->texts, err);
	if (!r) {
		ccfc_index_settle(im->index);
		ccfc_index_mark_all(im->index);
		ccfc_index_new_epoch(im->index);
		/* All transcripts are read once more, to be sure. */
		store->reader = 0;
		store->past = im->past;
		r = ccfc_store_commit(store, im->index, err);
	}
	if (!r)
		r = ccfc_store_commit_texts(store, im->index, err);
	if (!r)
		r = ccfc_texts_file_sync(store->texts, err);
	ccfc_buf_release(&path);
	return r;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_key(struct ccfc_store_rest *rest,
		    const struct ccfc_index *index, uint32_t key)
{
	struct ccfc_slice text = ccfc_index_str(index, key);

	if (key)
		CCFC_VEC_PUSH(rest->keys, ccfc_strndup(text.ptr, text.len));
}

static void note_keys(struct ccfc_store_rest *rest,
		      const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->disk_events.n; i++) {
		const struct ccfc_disk_event *e = &index->disk_events.items[i];

		if (e->gone)
			continue;
		add_key(rest, index, e->before_key);
		add_key(rest, index, e->after_key);
	}
	if (rest->keys.n)
		qsort(rest->keys.items, rest->keys.n, sizeof(*rest->keys.items),
		      by_text);
}

static void note_shared(struct ccfc_store_rest *rest,
			const struct ccfc_import *im)
{
	const struct ccfc_ids *there = &rest->sieve->shared;
	struct ccfc_ids *here = &rest->sieve->shared_here;

	for (uint32_t i = 0; i < there->n; i++) {
		uint32_t id = ccfc_import_get(&im->sources, there->items[i]);

		if (id != CCFC_ID_NONE)
			ccfc_ids_add(here, id);
	}
	for (uint32_t i = 0; i < here->n; i++) {
		uint32_t path = im->index->sources.items[here->items[i]].path;
		struct ccfc_slice text = ccfc_index_str(im->index, path);

		CCFC_VEC_PUSH(rest->shared, ccfc_strndup(text.ptr, text.len));
	}
}

int ccfc_store_forget(struct ccfc_store_rest *rest, const char *dir,
		      const char *home, const struct ccfc_forgotten *list,
		      struct ccfc_err *err)
{
	struct ccfc_import im = { .index = ccfc_index_new(home) };
	struct ccfc_store *store = NULL;
	int r;

	*rest = (struct ccfc_store_rest){ 0 };
	rest->sieve = ccfc_calloc(1, sizeof(*rest->sieve));
	rest->sieve->list = list;
	im.sieve = rest->sieve;
	r = remove_new(dir, err);
	if (!r)
		r = ccfc_store_new_at(&store, dir, NEW, err);
	if (!r)
		r = fill_rest(store, &im, dir, err);
	/* This also empties the log of the new store. */
	ccfc_store_free(store);
	if (!r) {
		note_keys(rest, im.index);
		ccfc_sieve_share_near(&im);
		note_shared(rest, &im);
	}
	ccfc_index_free(im.index);
	ccfc_import_release(&im);
	return r;
}

/* --- in place of the old one --- */

/* Stores that were moved aside, and copies, may have forgotten items, too. */
static int remove_aside(const char *dir, struct ccfc_err *err)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int r = 0;

	if (!d)
		return ccfc_err_io(err, errno, "%s", dir);
	while (!r && (entry = readdir(d))) {
		const char *name = entry->d_name;

		if (!strncmp(name, "index.db.damaged-", 17) ||
		    !strncmp(name, "texts.damaged-", 14) ||
		    !strncmp(name, "index.db.try", 12) ||
		    !strncmp(name, "index.db.new", 12) ||
		    !strcmp(name, "texts.new"))
			r = remove_one(dir, name, err);
	}
	closedir(d);
	return r;
}

int ccfc_store_forget_end(const char *dir, struct ccfc_err *err)
{
	int r = empty_log(dir, err);

	/* The old log beside the new file would be taken for its log. */
	if (!r)
		r = remove_one(dir, "index.db-wal", err);
	if (!r)
		r = remove_one(dir, "index.db-shm", err);
	if (!r)
		r = rename_one(dir, "index.db" NEW, "index.db", err);
	if (!r)
		r = rename_one(dir, "texts" NEW, "texts", err);
	if (!r)
		r = remove_aside(dir, err);
	return r ? r : sync_dir(dir, err);
}

int ccfc_store_forget_resume(const char *dir, struct ccfc_err *err)
{
	if (is_there(dir, "texts" NEW) && !is_there(dir, "index.db" NEW))
		return rename_one(dir, "texts" NEW, "texts", err);
	return remove_new(dir, err);
}

/* --- leftovers --- */

bool ccfc_store_rest_touched(const struct ccfc_store_rest *rest,
			     struct ccfc_slice path)
{
	return ccfc_sieve_touched(rest->sieve, path);
}

void ccfc_store_rest_keep(struct ccfc_store_rest *rest, struct ccfc_slice key)
{
	if (key.len)
		CCFC_VEC_PUSH(rest->more, ccfc_strndup(key.ptr, key.len));
}

bool ccfc_store_rest_has(const struct ccfc_store_rest *rest, const char *key)
{
	for (uint32_t i = 0; i < rest->more.n; i++)
		if (!strcmp(rest->more.items[i], key))
			return true;
	return rest->keys.n && bsearch(&key, rest->keys.items, rest->keys.n,
				       sizeof(*rest->keys.items), by_text);
}

void ccfc_store_rest_release(struct ccfc_store_rest *rest)
{
	for (uint32_t i = 0; i < rest->keys.n; i++)
		free(rest->keys.items[i]);
	free(rest->keys.items);
	for (uint32_t i = 0; i < rest->more.n; i++)
		free(rest->more.items[i]);
	free(rest->more.items);
	for (uint32_t i = 0; i < rest->shared.n; i++)
		free(rest->shared.items[i]);
	free(rest->shared.items);
	if (rest->sieve)
		ccfc_sieve_release(rest->sieve);
	free(rest->sieve);
	*rest = (struct ccfc_store_rest){ 0 };
}
