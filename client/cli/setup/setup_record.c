/*
 * The record of what setup did; see setup.h. Lines as in kvfile.h:
 *
 *	ccfc-setup 1
 *	service 3		bits of CCFC_SETUP_…
 *	file /home/dev/.config/systemd/user/ccfcd.service	these five
 *	sha256 0123…						for each
 *	dirs 2
 *	was 0123… | -		while it is being written
 *	temp .ccfc-0123456789abcdef | -
 *	end -
 */
#include "base/alloc.h"
#include "cli/setup/setup.h"
#include "cli/system/file_io.h"
#include "cli/write/kvfile.h"
#include "cli/write/new_file.h"
#include "os/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define FILES_MAX 1024
#define SERVICE_BITS                                                           \
	(CCFC_SETUP_ENABLED | CCFC_SETUP_STARTED | CCFC_SETUP_LOADED)

static bool read_temp(char out[CCFC_TEMP_MAX], struct ccfc_slice v)
{
	out[0] = '\0';
	return ccfc_slice_is(v, "-") || ccfc_kvfile_read_temp(out, v);
}

static bool read_row(struct ccfc_setup_record *record, struct ccfc_slice *text)
{
	char sha256[CCFC_SHA256_HEX + 1], was[CCFC_SHA256_HEX + 1];
	char temp[CCFC_TEMP_MAX];
	struct ccfc_setup_file *file;
	unsigned long dirs;
	struct ccfc_slice v;
	char *path = ccfc_kvfile_take(&v, text, "file") ? ccfc_kvfile_decode(v)
							: NULL;
	bool ok = path && path[0] == '/' && record->files.n < FILES_MAX &&
		  ccfc_kvfile_take(&v, text, "sha256") &&
		  ccfc_kvfile_take_hash(sha256, &v) && !v.len && *sha256 &&
		  ccfc_kvfile_take(&v, text, "dirs") &&
		  ccfc_kvfile_take_number(&dirs, &v, 10) && !v.len &&
		  ccfc_kvfile_take(&v, text, "was") &&
		  ccfc_kvfile_take_hash(was, &v) && !v.len &&
		  ccfc_kvfile_take(&v, text, "temp") && read_temp(temp, v);

	if (ok) {
		file = ccfc_setup_record_put(record, path, sha256,
					     (unsigned)dirs);
		memcpy(file->was, was, sizeof(was));
		memcpy(file->temp, temp, sizeof(temp));
	}
	free(path);
	return ok;
}

static bool parse_record(struct ccfc_setup_record *record,
			 struct ccfc_slice text)
{
	unsigned long service;
	struct ccfc_slice v;

	if (!ccfc_kvfile_take(&v, &text, "ccfc-setup") ||
	    !ccfc_slice_is(v, "1") || !ccfc_kvfile_take(&v, &text, "service") ||
	    !ccfc_kvfile_take_number(&service, &v, 10) || v.len ||
	    service & ~(unsigned long)SERVICE_BITS)
		return false;
	record->service = (unsigned)service;
	while (!ccfc_slice_is(text, "end -\n"))
		if (!read_row(record, &text))
			return false;
	return true;
}

/* 1: it was read; 0: there is none. */
static int read_file(struct ccfc_buf *out, const char *path,
		     struct ccfc_err *err)
{
	int code = 1, fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0
				       : ccfc_err_io(err, errno, "%s", path);
	if (ccfc_read_all(out, fd) < 0)
		code = ccfc_err_io(err, errno, "%s", path);
	close(fd);
	return code;
}

int ccfc_setup_record_init(struct ccfc_setup_record *record,
			   struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	int code = ccfc_dirs_state(&path, err);

	*record = (struct ccfc_setup_record){ .lock = -1 };
	if (code < 0)
		return code;
	ccfc_buf_puts(&path, "/setup");
	record->path = ccfc_buf_detach(&path, NULL);
	code = read_file(&text, record->path, err);
	ccfc_sha256_hex(record->seen, ccfc_buf_view(&text));
	if (code > 0 && !parse_record(record, ccfc_buf_view(&text))) {
		code = ccfc_err_set(err, CCFC_ECORRUPT,
				    "%s: damaged, or of another version",
				    record->path);
		ccfc_err_hint(err, "it says what setup did; without this "
				   "file setup starts over, and --remove has "
				   "nothing to undo");
	}
	ccfc_buf_release(&text);
	return code < 0 ? code : 0;
}

/* Locks the directory, so no lock file is left. */
static int lock_directory(struct ccfc_setup_record *record,
			  struct ccfc_err *err)
{
	struct ccfc_buf dir = CCFC_BUF_INIT;
	int code = ccfc_dirs_state(&dir, err);

	if (!code)
		code = ccfc_dirs_make(dir.ptr, err);
	if (!code) {
		record->lock =
			open(dir.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (record->lock < 0)
			code = ccfc_err_io(err, errno, "%s", dir.ptr);
	}
	if (!code && flock(record->lock, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK) {
			code = ccfc_err_io(err, errno, "%s: lock", dir.ptr);
		} else {
			code = ccfc_err_set(err, CCFC_EBUSY,
					    "setup: another setup is running");
			ccfc_err_hint(err, "run it again when the other has "
					   "ended");
		}
	}
	ccfc_buf_release(&dir);
	return code;
}

int ccfc_setup_record_lock(struct ccfc_setup_record *record,
			   struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	char now[CCFC_SHA256_HEX + 1];
	int code = lock_directory(record, err);

	if (!code)
		code = read_file(&text, record->path, err);
	ccfc_sha256_hex(now, ccfc_buf_view(&text));
	if (code >= 0 && strcmp(now, record->seen) != 0) {
		code = ccfc_err_set(err, CCFC_EAGAIN,
				    "setup: another setup ran meanwhile; "
				    "nothing was done");
		ccfc_err_hint(err, "run it again");
	}
	ccfc_buf_release(&text);
	return code < 0 ? code : 0;
}

void ccfc_setup_record_release(struct ccfc_setup_record *record)
{
	for (uint32_t i = 0; i < record->files.n; i++)
		free(record->files.items[i].path);
	free(record->files.items);
	/* Without a path it was never begun. */
	if (record->path && record->lock >= 0)
		close(record->lock);
	free(record->path);
}

int ccfc_setup_record_save(const struct ccfc_setup_record *record,
			   struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_new_file save;
	int code;

	if (!record->files.n && !record->service)
		return unlink(record->path) < 0 && errno != ENOENT
			       ? ccfc_err_io(err, errno, "%s", record->path)
			       : 0;
	ccfc_buf_printf(&text, "ccfc-setup 1\nservice %u\n", record->service);
	for (uint32_t i = 0; i < record->files.n; i++) {
		const struct ccfc_setup_file *file = &record->files.items[i];

		ccfc_kvfile_put(&text, "file", file->path);
		ccfc_buf_printf(&text, "sha256 %s\ndirs %u\nwas %s\ntemp %s\n",
				file->sha256, file->dirs,
				*file->was ? file->was : "-",
				*file->temp ? file->temp : "-");
	}
	ccfc_buf_puts(&text, "end -\n");
	code = ccfc_dirs_make_parent(record->path, err);
	if (!code) {
		code = ccfc_new_file_init(&save, record->path, true, err);
		if (!code && ccfc_write_all(save.fd, ccfc_buf_view(&text)) < 0)
			code = ccfc_err_io(err, errno, "%s", record->path);
		if (!code)
			code = ccfc_new_file_commit(&save, true, err);
		ccfc_new_file_release(&save);
	}
	ccfc_buf_release(&text);
	return code;
}

struct ccfc_setup_file *
ccfc_setup_record_find(const struct ccfc_setup_record *record, const char *path)
{
	for (uint32_t i = 0; i < record->files.n; i++)
		if (!strcmp(record->files.items[i].path, path))
			return &record->files.items[i];
	return NULL;
}

bool ccfc_setup_file_is(const struct ccfc_setup_file *file,
			const struct ccfc_target *found)
{
	return found->exists && (ccfc_target_is(found, file->sha256) ||
				 ccfc_target_is(found, file->was));
}

struct ccfc_setup_file *ccfc_setup_record_put(struct ccfc_setup_record *record,
					      const char *path,
					      const char *sha256, unsigned dirs)
{
	struct ccfc_setup_file *file = ccfc_setup_record_find(record, path);

	if (!file) {
		struct ccfc_setup_file empty = { .path = ccfc_strdup(path) };

		CCFC_VEC_PUSH(record->files, empty);
		file = &record->files.items[record->files.n - 1];
	}
	memcpy(file->sha256, sha256, sizeof(file->sha256));
	file->dirs = dirs;
	file->was[0] = file->temp[0] = '\0';
	return file;
}

void ccfc_setup_record_drop(struct ccfc_setup_record *record, const char *path)
{
	struct ccfc_setup_file *file = ccfc_setup_record_find(record, path);
	struct ccfc_setup_file *end = record->files.items + record->files.n;

	if (!file)
		return;
	free(file->path);
	/* In order: the last step is undone first. */
	memmove(file, file + 1, (size_t)(end - file - 1) * sizeof(*file));
	record->files.n--;
}
