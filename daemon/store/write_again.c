/*
 * Writes a store again whose files were removed while it was open. Nothing is
 * lost: the index is in memory, and the removed file of texts can still be
 * read. Other files in their place are not touched.
 */
#include "base/buf.h"
#include "store/db.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* 1: ours, 0: none, -1: another one. */
static int index_is_there(const struct ccfc_store *store)
{
	struct stat st;

	if (lstat(store->path, &st))
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	return st.st_dev == store->dev && st.st_ino == store->ino ? 1 : -1;
}

static int texts_are_there(const struct ccfc_store *store)
{
	return store->texts ? ccfc_texts_file_is_there(store->texts) : 1;
}

enum ccfc_store_place ccfc_store_look(const struct ccfc_store *store)
{
	int index = index_is_there(store), texts = texts_are_there(store);

	/* After a failed try there is no database, and no file is ours. */
	if (index < 0 || texts < 0 || (index && !store->db))
		return CCFC_STORE_REPLACED;
	return index && texts ? CCFC_STORE_THERE : CCFC_STORE_MISSING;
}

/* Creates the file, only if there is none: it is surely not another's. */
static int begin_write_again(struct ccfc_store *store, struct ccfc_err *err)
{
	int fd = open(store->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return ccfc_err_io(err, errno,
				   "store %s: cannot create it "
				   "again",
				   store->path);
	if (!fstat(fd, &st)) {
		store->dev = st.st_dev;
		store->ino = st.st_ino;
	}
	close(fd);
	return 0;
}

static void undo_write_again(struct ccfc_store *store)
{
	static const char *const tails[] = { "-wal", "-shm", "" };
	struct ccfc_buf name = CCFC_BUF_INIT;
	bool ours = index_is_there(store) > 0;

	ccfc_db_close(store);
	for (int i = 0; ours && i < 3; i++) {
		ccfc_buf_clear(&name);
		ccfc_buf_printf(&name, "%s%s", store->path, tails[i]);
		unlink(name.ptr);
	}
	ccfc_buf_release(&name);
}

static int write_index_again(struct ccfc_store *store, struct ccfc_index *index,
			     struct ccfc_err *err)
{
	int r = begin_write_again(store, err);

	if (r)
		return r;
	r = ccfc_db_open(store, err);
	if (!r) {
		store->texts_length = 0;
		r = ccfc_store_commit(store, index, err);
	}
	if (r)
		undo_write_again(store);
	return r;
}

int ccfc_store_make_anew(struct ccfc_store *store, struct ccfc_index *index,
			 struct ccfc_err *err)
{
	int r = 0;

	/* First, so that no commit counts texts which are not there. */
	if (!texts_are_there(store))
		r = ccfc_texts_file_again(store->texts, err);
	if (r || index_is_there(store))
		return r;
	ccfc_db_close(store);
	ccfc_index_mark_all(index);
	r = write_index_again(store, index, err);
	if (!r)
		ccfc_index_stored(index);
	return r;
}
