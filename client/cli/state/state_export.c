/*
 * Copies the files of the archive; see state_export.h. Manifests may be
 * replaced while they are copied: the daemon's list has their checksums, and if
 * one does not match, the list is fetched again.
 */
#include "cli/state/state_export.h"

#include "base/alloc.h"
#include "base/sha256.h"
#include "cli/frame/connect.h"
#include "cli/state/state_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 50

/* --- the directory --- */

static int make_dir(const char *path, struct ccfc_err *err)
{
	struct dirent *entry;
	bool empty = true;
	DIR *dir;

	if (!mkdir(path, 0700))
		return 0;
	if (errno != EEXIST)
		return ccfc_err_io(err, errno, "export: %s", path);
	dir = opendir(path);
	if (!dir)
		return ccfc_err_io(err, errno, "export: %s", path);
	while ((entry = readdir(dir)))
		empty &= !strcmp(entry->d_name, ".") ||
			 !strcmp(entry->d_name, "..");
	closedir(dir);
	if (!empty)
		return ccfc_err_set(err, CCFC_EDENIED,
				    "export: %s: is not empty", path);
	if (chmod(path, 0700))
		return ccfc_err_io(err, errno, "export: %s", path);
	return 0;
}

static int make_dirs(struct ccfc_state_job *job)
{
	static const char *const names[] = { "sources", "files", "blobs" };
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = make_dir(job->dir, job->err);

	for (int i = 0; !r && i < 3; i++) {
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/%s", job->dir, names[i]);
		if (mkdir(path.ptr, 0700))
			r = ccfc_err_io(job->err, errno, "export: %s",
					path.ptr);
	}
	ccfc_buf_release(&path);
	return r;
}

/* --- files --- */

/* Is it a safe name for a file of the archive? The daemon sent it. */
static bool is_fine(const char *name)
{
	return *name && *name != '/' && !strstr(name, "..") &&
	       !strchr(name, '\n');
}

/*
 * Copies one file of the list. *again: the file is gone, or not as in the list.
 */
static int copy_file(struct ccfc_state_job *job, const char *name,
		     const char *sum, bool *again)
{
	struct ccfc_state_file *f = ccfc_state_find_file(job, name);
	struct ccfc_buf path = CCFC_BUF_INIT;
	int in, r = 0;

	if (f && (!*sum || !strcmp(sum, f->sum)))
		return 0;
	if (!is_fine(name))
		return ccfc_err_set(job->err, CCFC_EPROTO, "export: a file %s",
				    name);
	ccfc_buf_printf(&path, "%s/%s", job->state, name);
	in = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (in < 0 && errno != ENOENT)
		r = ccfc_err_io(job->err, errno, "export: %s", path.ptr);
	*again |= in < 0;
	if (in >= 0) {
		f = f ? f : ccfc_state_add_file(job, name);
		r = ccfc_state_copy_open(job, f, in);
		*again |= *sum && strcmp(sum, f->sum) != 0;
		close(in);
	}
	ccfc_buf_release(&path);
	return r;
}

static int copy_list(struct ccfc_state_job *job, struct ccfc_state_export *out,
		     const struct ccfc_query *query, bool *again)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj root, files;
	int r = ccfc_export_list(&reply, job->cli->client, query, job->err);

	if (r < 0)
		return r;
	root = ccfc_cli_value(reply);
	files = ccfc_obj_get(root, "files");
	out->transcripts = ccfc_obj_get_int(root, "transcripts", 0);
	out->missing = ccfc_obj_get_int(root, "missing", 0);
	*again = false;
	for (uint32_t i = 0; !r && i < ccfc_obj_len(files); i++) {
		struct ccfc_obj row = ccfc_obj_at(files, i);
		struct ccfc_slice name = ccfc_obj_get_str(row, "name");
		struct ccfc_slice sum = ccfc_obj_get_str(row, "sum");
		char *n = ccfc_strndup(name.ptr ? name.ptr : "", name.len);
		char *s = ccfc_strndup(sum.ptr ? sum.ptr : "", sum.len);

		r = copy_file(job, n, s, again);
		free(n);
		free(s);
	}
	ccfc_reply_free(reply);
	return r;
}

/* --- the list --- */

static int by_name(const void *x, const void *y)
{
	const struct ccfc_state_file *a = x, *b = y;

	return strcmp(a->name, b->name);
}

/* Written under another name first: only a complete export has a list. */
static int write_list(struct ccfc_state_job *job, struct ccfc_state_export *out)
{
	struct ccfc_buf text = CCFC_BUF_INIT, from = CCFC_BUF_INIT,
			to = CCFC_BUF_INIT;
	struct ccfc_state_file list = { .name = (char *)"ccfc-export.new" };
	char sum[CCFC_SHA256_HEX + 1];
	int r;

	if (job->files.n)
		qsort(job->files.items, job->files.n, sizeof(*job->files.items),
		      by_name);
	ccfc_buf_puts(&text, "ccfc-export 1\n");
	for (uint32_t i = 0; i < job->files.n; i++) {
		const struct ccfc_state_file *f = &job->files.items[i];

		ccfc_buf_printf(&text, "%s %llu %s\n", f->sum,
				(unsigned long long)f->bytes, f->name);
		out->bytes += (int64_t)f->bytes;
	}
	out->files = job->files.n;
	ccfc_sha256_hex(sum, ccfc_buf_view(&text));
	ccfc_buf_printf(&text, "end %s\n", sum);
	r = ccfc_state_write_file(job, &list, ccfc_buf_view(&text));
	ccfc_buf_printf(&from, "%s/ccfc-export.new", job->dir);
	ccfc_buf_printf(&to, "%s/ccfc-export", job->dir);
	if (!r && rename(from.ptr, to.ptr))
		r = ccfc_err_io(job->err, errno, "export: %s", to.ptr);
	ccfc_buf_release(&text);
	ccfc_buf_release(&from);
	ccfc_buf_release(&to);
	return r;
}

static int find_state(struct ccfc_state_job *job)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = ccfc_server_info(&reply, job->cli->client, job->err);

	if (r < 0)
		return r;
	ccfc_buf_slice(&path,
		       ccfc_obj_get_str(ccfc_cli_value(reply), "stateDir"));
	ccfc_buf_puts(&path, "/archive");
	job->state = ccfc_buf_detach(&path, NULL);
	ccfc_reply_free(reply);
	return 0;
}

int ccfc_state_export(struct ccfc_state_export *out, struct ccfc_cli *cli,
		      const char *dir, const struct ccfc_query *query,
		      struct ccfc_err *err)
{
	struct ccfc_state_job job = { .cli = cli, .dir = dir, .err = err };
	bool again = true;
	int r = find_state(&job);

	*out = (struct ccfc_state_export){ 0 };
	if (!r)
		r = make_dirs(&job);
	for (int i = 0; !r && again && i < TRIES; i++)
		r = copy_list(&job, out, query, &again);
	if (!r && again)
		r = ccfc_err_set(err, CCFC_EAGAIN,
				 "export: the archive changes all the time");
	if (!r)
		r = ccfc_state_copy_seen(&job, query);
	if (!r)
		r = ccfc_state_copy_labels(&job, query);
	if (!r)
		r = write_list(&job, out);
	for (uint32_t i = 0; i < job.files.n; i++)
		free(job.files.items[i].name);
	free(job.files.items);
	ccfc_map_release(&job.by_name);
	free(job.state);
	return r;
}
