/*
 * The undo area as a directory: opening, locking, listing, cleaning up; see
 * undo.h. How files are changed is in journal.c.
 *
 * One lock protects the area: its holder knows that a "begun" entry belongs to
 * a dead process, and that nobody else is writing an entry.
 */
#include "cli/undo/undo.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/frame/cli.h"
#include "cli/system/file_io.h"
#include "os/dirs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY_MS (24 * 60 * 60 * INT64_C(1000))

static const char *const state_names[] = {
	[CCFC_UNDO_BEGUN] = "begun",
	[CCFC_UNDO_DONE] = "done",
	[CCFC_UNDO_UNDONE] = "undone",
};

/* "Not found" is an answer of the daemon, with its own exit status. */
static int not_nothing(struct ccfc_err *err)
{
	if (err)
		err->code = CCFC_EIO;
	return CCFC_EIO;
}

static int fail_on_area(const struct ccfc_undo *u, struct ccfc_err *err)
{
	ccfc_err_errno(err, errno, "cannot use %s", u->path);
	return not_nothing(err);
}

int ccfc_undo_entry_dir(const struct ccfc_undo *u, const char *id)
{
	return openat(u->dir, id,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- deleting ---- */

void ccfc_undo_drop(const struct ccfc_undo *u, const char *id)
{
	int fd = ccfc_undo_entry_dir(u, id);

	if (fd < 0)
		return;
	/* Entries without a manifest are deleted next time. */
	for (int i = 0; i < 3; i++)
		unlinkat(fd, state_names[i], 0);
	ccfc_dirs_empty(fd);
	unlinkat(u->dir, id, AT_REMOVEDIR);
}

/* Deletes entries older than a month, except for the last hundred. */
static void prune_entries(struct ccfc_undo *u)
{
	int64_t limit = ccfc_time_now() - CCFC_UNDO_DAYS * DAY_MS;
	uint32_t n = 0;

	for (uint32_t i = 0; i < u->entries.n; i++) {
		struct ccfc_undo_entry *entry = &u->entries.items[i];

		if (u->entries.n - i > CCFC_UNDO_KEEP &&
		    entry->state != CCFC_UNDO_BEGUN &&
		    entry->manifest.time < limit) {
			ccfc_undo_drop(u, entry->id);
			ccfc_manifest_release(&entry->manifest);
		} else {
			u->entries.items[n++] = *entry;
		}
	}
	u->entries.n = n;
}

/* ---- reading ---- */

/* As journal.c makes them; nothing else in the area is touched. */
static bool is_id(const char *name)
{
	size_t n = strlen(name);

	return n >= 16 && n < CCFC_UNDO_ID_MAX &&
	       strspn(name, "0123456789abcdef-") == n;
}

/* The manifest of the entry whose directory is `dir`; ENOENT: it has none. */
static int read_manifest(struct ccfc_undo_entry *entry, int dir,
			 struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	int fd = -1, r;

	for (int i = 0; fd < 0 && i < 3; i++) {
		fd = openat(dir, state_names[i],
			    O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		entry->state = (enum ccfc_undo_state)i;
		if (fd < 0 && errno != ENOENT)
			break;
	}
	if (fd < 0)
		return ccfc_err_errno(err, errno, "its manifest");
	r = ccfc_read_all(&text, fd);
	if (r < 0)
		r = ccfc_err_errno(err, errno, "its manifest");
	else
		r = ccfc_manifest_read(&entry->manifest, ccfc_buf_view(&text),
				       err);
	close(fd);
	ccfc_buf_release(&text);
	return r;
}

static void load_entry(struct ccfc_undo *u, const char *id)
{
	struct ccfc_undo_entry entry = { 0 };
	int dir = ccfc_undo_entry_dir(u, id), r;
	struct ccfc_err err;

	if (dir < 0)
		return;
	snprintf(entry.id, sizeof(entry.id), "%s", id);
	ccfc_manifest_init(&entry.manifest, "");
	r = read_manifest(&entry, dir, &err);
	close(dir);
	if (!r) {
		CCFC_VEC_PUSH(u->entries, entry);
		return;
	}
	ccfc_manifest_release(&entry.manifest);
	if (r == CCFC_ENOTFOUND)
		ccfc_undo_drop(u, id); /* it had not begun */
	else
		ccfc_cli_note("%s/%s cannot be used: %s", u->path, id,
			      err.what);
}

static int by_id(const void *a, const void *b)
{
	const struct ccfc_undo_entry *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static int load_entries(struct ccfc_undo *u, struct ccfc_err *err)
{
	int fd = openat(u->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *item;

	if (!dir) {
		int r = fail_on_area(u, err);

		if (fd >= 0)
			close(fd);
		return r;
	}
	while ((item = readdir(dir)))
		if (is_id(item->d_name))
			load_entry(u, item->d_name);
	closedir(dir);
	if (u->entries.n)
		qsort(u->entries.items, u->entries.n, sizeof(*u->entries.items),
		      by_id);
	return 0;
}

/* Notes an undo whose process was killed before its note. */
static void note_undone(struct ccfc_undo *u)
{
	for (uint32_t i = 0; i < u->entries.n; i++) {
		const struct ccfc_undo_entry *undo = &u->entries.items[i];

		if (undo->state == CCFC_UNDO_BEGUN || !*undo->manifest.undoes)
			continue;
		for (uint32_t k = 0; k < i; k++) {
			struct ccfc_undo_entry *entry = &u->entries.items[k];

			if (entry->state == CCFC_UNDO_DONE &&
			    !strcmp(entry->id, undo->manifest.undoes))
				ccfc_undo_mark(u, entry, CCFC_UNDO_UNDONE,
					       NULL);
		}
	}
}

/* ---- what a killed process left ---- */

static void note_rolled_back(const struct ccfc_undo *u,
			     const struct ccfc_undo_entry *entry,
			     const struct ccfc_undo_report *report,
			     const struct ccfc_err *err)
{
	if (report->failed)
		ccfc_cli_note("'ccfc %s' was interrupted, and %u of its files "
			      "could not be put back yet: %s",
			      entry->manifest.command, report->failed,
			      err->what);
	else if (report->restored)
		ccfc_cli_note("'ccfc %s' was interrupted; %u of its files had "
			      "been changed and are as before again",
			      entry->manifest.command, report->restored);
	else
		ccfc_cli_note("'ccfc %s' was interrupted; none of its files is "
			      "changed",
			      entry->manifest.command);
	if (report->left)
		ccfc_cli_note("%u others are neither as before nor as that "
			      "command left them: not touched; what they were "
			      "is in %s/%s",
			      report->left, u->path, entry->id);
}

static void roll_back_interrupted(struct ccfc_undo *u)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < u->entries.n; i++) {
		struct ccfc_undo_entry *entry = &u->entries.items[i];
		struct ccfc_undo_report report = { 0 };
		struct ccfc_err err = { 0 };

		if (entry->state == CCFC_UNDO_BEGUN) {
			ccfc_undo_roll_back(&report, u, entry, &err);
			note_rolled_back(u, entry, &report, &err);
		}
		if (entry->state == CCFC_UNDO_BEGUN && !report.failed)
			ccfc_manifest_release(&entry->manifest);
		else
			u->entries.items[n++] = *entry;
	}
	u->entries.n = n;
}

/* ---- opening ---- */

/* Makes it, and makes its name durable. */
static int make_area(const struct ccfc_undo *u, struct ccfc_err *err)
{
	struct ccfc_buf parent = CCFC_BUF_INIT;
	int fd, r = ccfc_dirs_make(u->path, err);

	if (r < 0)
		return not_nothing(err);
	ccfc_buf_printf(&parent, "%s/..", u->path);
	fd = open(parent.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || ccfc_sync_dir(fd) < 0)
		r = fail_on_area(u, err);
	if (fd >= 0)
		close(fd);
	ccfc_buf_release(&parent);
	return r;
}

static int lock_undo_dir(struct ccfc_undo *u, struct ccfc_err *err)
{
	u->lock = openat(u->dir, "lock",
			 O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (u->lock < 0)
		return fail_on_area(u, err);
	if (!flock(u->lock, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		ccfc_cli_note("waiting for another ccfc that changes files");
	while (flock(u->lock, LOCK_EX) < 0)
		if (errno != EINTR)
			return fail_on_area(u, err);
	return 0;
}

static int open_area(struct ccfc_undo *u, bool make, struct ccfc_err *err)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

	u->dir = open(u->path, flags);
	if (u->dir >= 0)
		return 0;
	if (errno != ENOENT)
		return fail_on_area(u, err);
	if (!make)
		return 0;
	if (make_area(u, err) < 0)
		return CCFC_EIO;
	u->dir = open(u->path, flags);
	return u->dir < 0 ? fail_on_area(u, err) : 0;
}

int ccfc_undo_open(struct ccfc_undo *u, bool make, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = ccfc_dirs_state(&path, err);

	*u = (struct ccfc_undo){ .dir = -1, .lock = -1 };
	ccfc_buf_puts(&path, "/undo");
	u->path = ccfc_buf_detach(&path, NULL);
	if (r < 0)
		return not_nothing(err);
	r = open_area(u, make, err);
	if (r < 0 || u->dir < 0)
		return r;
	r = lock_undo_dir(u, err);
	if (!r)
		r = load_entries(u, err);
	if (!r) {
		roll_back_interrupted(u);
		note_undone(u);
		prune_entries(u);
	}
	return r;
}

void ccfc_undo_close(struct ccfc_undo *u)
{
	for (uint32_t i = 0; i < u->entries.n; i++)
		ccfc_manifest_release(&u->entries.items[i].manifest);
	free(u->entries.items);
	if (u->lock >= 0)
		close(u->lock);
	if (u->dir >= 0)
		close(u->dir);
	free(u->path);
	*u = (struct ccfc_undo){ .dir = -1, .lock = -1 };
}

/* ---- entries ---- */

static struct ccfc_undo_entry *newest_change(struct ccfc_undo *u,
					     struct ccfc_err *err)
{
	for (uint32_t i = u->entries.n; i--;) {
		struct ccfc_undo_entry *entry = &u->entries.items[i];

		if (entry->state == CCFC_UNDO_DONE &&
		    entry->manifest.kind != CCFC_UNDO_UNDO)
			return entry;
	}
	ccfc_err_set(err, CCFC_ENOTFOUND, "nothing to undo");
	return NULL;
}

struct ccfc_undo_entry *ccfc_undo_find(struct ccfc_undo *u, const char *id,
				       struct ccfc_err *err)
{
	struct ccfc_undo_entry *found = NULL;

	if (!id)
		return newest_change(u, err);
	for (uint32_t i = 0; i < u->entries.n; i++) {
		struct ccfc_undo_entry *entry = &u->entries.items[i];

		if (!*id || entry->state == CCFC_UNDO_BEGUN ||
		    strncmp(entry->id, id, strlen(id)) != 0)
			continue;
		if (found) {
			ccfc_err_set(err, CCFC_EAMBIGUOUS,
				     "restore: several ids start with '%s'",
				     id);
			ccfc_err_hint(err, "ccfc restore --list shows them");
			return NULL;
		}
		found = entry;
	}
	if (!found) {
		ccfc_err_set(err, CCFC_ENOTFOUND,
			     "restore: no undo entry has the id '%s'", id);
		ccfc_err_hint(err, "ccfc restore --list shows the ids");
	}
	return found;
}

bool ccfc_undo_restored(const struct ccfc_undo *u, const char *path,
			const char *sha256)
{
	for (uint32_t i = u->entries.n; i--;) {
		const struct ccfc_undo_entry *entry = &u->entries.items[i];
		const struct ccfc_manifest *m = &entry->manifest;

		for (uint32_t k = 0; k < m->files.n; k++)
			if (!strcmp(m->files.items[k].path, path))
				return entry->state == CCFC_UNDO_DONE &&
				       m->kind == CCFC_UNDO_RESTORE &&
				       !strcmp(m->files.items[k].now, sha256);
	}
	return false;
}

int ccfc_undo_blob(struct ccfc_buf *out, const struct ccfc_undo *u,
		   const struct ccfc_undo_entry *entry, uint32_t i,
		   struct ccfc_err *err)
{
	char name[16], sha256[CCFC_SHA256_HEX + 1];
	int dir = ccfc_undo_entry_dir(u, entry->id), fd = -1;
	size_t start = out->len;
	int r = 0;

	snprintf(name, sizeof(name), "%u", i);
	if (dir >= 0)
		fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || ccfc_read_all(out, fd) < 0)
		r = fail_on_area(u, err);
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	if (r < 0)
		return r;
	ccfc_sha256_hex(sha256, ccfc_slice(out->ptr ? out->ptr + start : NULL,
					   out->len - start));
	if (!strcmp(sha256, entry->manifest.files.items[i].was))
		return 0;
	return ccfc_err_set(err, CCFC_ECORRUPT,
			    "%s/%s/%s was changed since it was kept", u->path,
			    entry->id, name);
}

int ccfc_undo_mark(const struct ccfc_undo *u, struct ccfc_undo_entry *entry,
		   enum ccfc_undo_state state, struct ccfc_err *err)
{
	int dir = ccfc_undo_entry_dir(u, entry->id), r = 0;

	if (dir < 0 ||
	    renameat(dir, state_names[entry->state], dir, state_names[state]) ||
	    ccfc_sync_dir(dir) < 0)
		r = fail_on_area(u, err);
	else
		entry->state = state;
	if (dir >= 0)
		close(dir);
	return r;
}
