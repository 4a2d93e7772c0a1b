/*
 * Copies the archive's files; see state_export.h. Manifests may be replaced
 * while they are copied: the daemon's list has their sums, and where one does
 * not fit the list is asked for again.
 */
#include "cli/write/state_export.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/map.h"
#include "base/sha256.h"
#include "cli/frame/connect.h"
#include "cli/system/file_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 50
#define PAGE  10000
#define PIECE ((size_t)256 << 10)

struct file {
	char *name;
	char sum[CCFC_SHA256_HEX + 1];
	uint64_t bytes;
};

struct job {
	struct ccfc_cli *cli;
	const char *dir;
	char *state; /* the archive's directory */
	struct {
		struct file *items;
		uint32_t n, cap;
	} files; /* that were copied */
	struct ccfc_map by_name;
	struct ccfc_err *err;
};

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

static int make_dirs(struct job *job)
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

static bool is_file(const void *ctx, uint32_t id, const void *key)
{
	const struct job *job = ctx;

	return !strcmp(job->files.items[id].name, key);
}

static struct file *find_file(struct job *job, const char *name)
{
	uint32_t id = ccfc_map_get(&job->by_name, ccfc_hash(name, strlen(name)),
				   is_file, job, name);

	return id == CCFC_ID_NONE ? NULL : &job->files.items[id];
}

static struct file *add_file(struct job *job, const char *name)
{
	struct file *f;

	CCFC_VEC_GROW(job->files);
	f = job->files.items + job->files.n;
	if (!f)
		abort(); /* it has just grown */
	*f = (struct file){ .name = ccfc_strdup(name) };
	ccfc_map_put(&job->by_name, ccfc_hash(name, strlen(name)),
		     job->files.n++);
	return f;
}

/* A file of the export; -1 and errno. */
static int open_target(struct ccfc_buf *path, const struct job *job,
		       const char *name)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
	char *slash;
	int fd;

	ccfc_buf_printf(path, "%s/%s", job->dir, name);
	fd = open(path->ptr, flags, 0600);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	slash = strrchr(path->ptr, '/');
	*slash = '\0';
	mkdir(path->ptr, 0700);
	*slash = '/';
	return open(path->ptr, flags, 0600);
}

static int close_target(struct job *job, int fd, int r, const char *path)
{
	if (!r && fsync(fd))
		r = ccfc_err_io(job->err, errno, "export: %s", path);
	if (close(fd) && !r)
		r = ccfc_err_io(job->err, errno, "export: %s", path);
	return r;
}

static int write_file(struct job *job, struct file *f, struct ccfc_slice bytes)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int fd = open_target(&path, job, f->name), r = 0;

	if (fd < 0 || ccfc_write_all(fd, bytes))
		r = ccfc_err_io(job->err, errno, "export: %s", path.ptr);
	if (fd >= 0)
		r = close_target(job, fd, r, path.ptr);
	ccfc_sha256_hex(f->sum, bytes);
	f->bytes = bytes.len;
	ccfc_buf_release(&path);
	return r;
}

/* A name of the archive's, which the daemon gave. */
static bool is_fine(const char *name)
{
	return *name && *name != '/' && !strstr(name, "..") &&
	       !strchr(name, '\n');
}

/* Copies all bytes, and sums them up; -1 and errno. */
static int copy_bytes(struct file *f, int in, int out)
{
	unsigned char bytes[CCFC_SHA256_BYTES];
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_sha256 sum;
	ssize_t n;

	ccfc_sha256_init(&sum);
	f->bytes = 0;
	do {
		char *to = ccfc_buf_reserve(&buf, PIECE);

		n = read(in, to, PIECE);
		if (n > 0) {
			ccfc_sha256_add(&sum, to, (size_t)n);
			f->bytes += (uint64_t)n;
			if (ccfc_write_all(out, ccfc_slice(to, (size_t)n)))
				n = -1;
		}
	} while (n > 0 || (n < 0 && errno == EINTR));
	ccfc_sha256_end(&sum, bytes);
	ccfc_hex_write(f->sum, bytes, sizeof(bytes));
	ccfc_buf_release(&buf);
	return n < 0 ? -1 : 0;
}

static int copy_open(struct job *job, struct file *f, int in)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int out = open_target(&path, job, f->name), r = 0;

	if (out < 0 || copy_bytes(f, in, out))
		r = ccfc_err_io(job->err, errno, "export: %s", path.ptr);
	if (out >= 0)
		r = close_target(job, out, r, path.ptr);
	ccfc_buf_release(&path);
	return r;
}

/*
 * Copies one file of the list. *again: it is not there any more, or not as the
 * list says.
 */
static int copy_file(struct job *job, const char *name, const char *sum,
		     bool *again)
{
	struct file *f = find_file(job, name);
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
		f = f ? f : add_file(job, name);
		r = copy_open(job, f, in);
		*again |= *sum && strcmp(sum, f->sum) != 0;
		close(in);
	}
	ccfc_buf_release(&path);
	return r;
}

static int copy_list(struct job *job, struct ccfc_state_export *out,
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

/* --- names and tags --- */

static void put_label(struct ccfc_buf *out, struct ccfc_obj s)
{
	struct ccfc_obj tags = ccfc_obj_get(s, "tags");

	if (!ccfc_obj_get_str(s, "name").len && !ccfc_obj_len(tags))
		return;
	ccfc_buf_slice(out, ccfc_obj_get_str(s, "sessionId"));
	ccfc_buf_putc(out, '\t');
	ccfc_buf_slice(out, ccfc_obj_get_str(s, "name"));
	for (uint32_t i = 0; i < ccfc_obj_len(tags); i++) {
		ccfc_buf_putc(out, '\t');
		ccfc_buf_slice(out, ccfc_obj_str(ccfc_obj_at(tags, i)));
	}
	ccfc_buf_putc(out, '\n');
}

static int copy_labels(struct job *job, const struct ccfc_query *query)
{
	struct ccfc_query all = CCFC_QUERY_INIT;
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj sessions;
	uint32_t n;
	int r;

	all.project_path = query->project_path;
	all.cwd = query->cwd;
	all.limit = PAGE;
	do {
		r = ccfc_session_list(&reply, job->cli->client, &all, job->err);
		sessions = ccfc_obj_get(ccfc_cli_value(reply), "sessions");
		n = r ? 0 : ccfc_obj_len(sessions);
		for (uint32_t i = 0; i < n; i++)
			put_label(&text, ccfc_obj_at(sessions, i));
		ccfc_reply_free(reply);
		all.offset += n;
	} while (n == PAGE);
	/* No session at all, or none behind the last page. */
	if (r == CCFC_ENOTFOUND)
		r = 0;
	if (!r && text.len)
		r = write_file(job, add_file(job, "labels"),
			       ccfc_buf_view(&text));
	ccfc_buf_release(&text);
	return r;
}

/* --- the list --- */

static int by_name(const void *x, const void *y)
{
	const struct file *a = x, *b = y;

	return strcmp(a->name, b->name);
}

/* It is written under another name first: a whole export has a whole list. */
static int write_list(struct job *job, struct ccfc_state_export *out)
{
	struct ccfc_buf text = CCFC_BUF_INIT, from = CCFC_BUF_INIT,
			to = CCFC_BUF_INIT;
	struct file list = { .name = (char *)"ccfc-export.new" };
	char sum[CCFC_SHA256_HEX + 1];
	int r;

	if (job->files.n)
		qsort(job->files.items, job->files.n, sizeof(*job->files.items),
		      by_name);
	ccfc_buf_puts(&text, "ccfc-export 1\n");
	for (uint32_t i = 0; i < job->files.n; i++) {
		const struct file *f = &job->files.items[i];

		ccfc_buf_printf(&text, "%s %llu %s\n", f->sum,
				(unsigned long long)f->bytes, f->name);
		out->bytes += (int64_t)f->bytes;
	}
	out->files = job->files.n;
	ccfc_sha256_hex(sum, ccfc_buf_view(&text));
	ccfc_buf_printf(&text, "end %s\n", sum);
	r = write_file(job, &list, ccfc_buf_view(&text));
	ccfc_buf_printf(&from, "%s/ccfc-export.new", job->dir);
	ccfc_buf_printf(&to, "%s/ccfc-export", job->dir);
	if (!r && rename(from.ptr, to.ptr))
		r = ccfc_err_io(job->err, errno, "export: %s", to.ptr);
	ccfc_buf_release(&text);
	ccfc_buf_release(&from);
	ccfc_buf_release(&to);
	return r;
}

static int find_state(struct job *job)
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
	struct job job = { .cli = cli, .dir = dir, .err = err };
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
		r = copy_labels(&job, query);
	if (!r)
		r = write_list(&job, out);
	for (uint32_t i = 0; i < job.files.n; i++)
		free(job.files.items[i].name);
	free(job.files.items);
	ccfc_map_release(&job.by_name);
	free(job.state);
	return r;
}
