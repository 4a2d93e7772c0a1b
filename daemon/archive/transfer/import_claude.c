/*
 * Imports a copy of a Claude directory: each transcript is archived with the
 * files beside it, as if it were a present one. The copy is only read; links
 * are not followed.
 */
#include "archive/archive_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "source/input.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct walk {
	struct ccfc_archive *into;
	size_t root; /* length of <from>/projects/ */
	struct ccfc_buf path;
	struct ccfc_err *err;
};

/* Sets the end of the job, as if the core had read the whole file. */
static int set_end(struct ccfc_archive_job *job, struct ccfc_err *err)
{
	char bytes[CCFC_TAIL_MARKER_MAX];
	struct ccfc_input in;
	size_t len;
	int r = 0;

	if (ccfc_input_open(&in, NULL, job->path, err) != CCFC_INPUT_OPEN)
		return ccfc_err_set(err, CCFC_EIO, "%s: cannot be read",
				    job->path);
	job->end = in.size;
	len = in.size < sizeof(bytes) ? (size_t)in.size : sizeof(bytes);
	if (ccfc_input_read(&in, bytes, len, in.size - len) != (ssize_t)len)
		r = ccfc_err_io(err, errno, "%s", job->path);
	job->marker_len = (uint32_t)len;
	job->marker = ccfc_hash(bytes, len);
	ccfc_input_close(&in);
	return r;
}

static int take_transcript(struct walk *w, const struct ccfc_name *name)
{
	struct ccfc_archive_job *job = ccfc_calloc(1, sizeof(*job));
	int r;

	job->path = ccfc_strdup(w->path.ptr);
	job->session = ccfc_strndup(name->session.ptr ? name->session.ptr : "",
				    name->session.len);
	job->agent = ccfc_strndup(name->agent.ptr ? name->agent.ptr : "",
				  name->agent.len);
	job->is_agent = name->kind == CCFC_NAME_AGENT;
	r = set_end(job, w->err);
	if (!r && job->end)
		r = ccfc_archive_do(w->into, job, w->err);
	if (!r && job->end)
		r = ccfc_archive_keep_files(w->into, job, w->err);
	ccfc_archive_job_free(job);
	return r;
}

static int walk_dir(struct walk *w);

static int take_entry(struct walk *w)
{
	struct ccfc_name name = ccfc_name_classify(
		ccfc_slice_from(ccfc_buf_view(&w->path), w->root));
	struct stat st;

	if (name.kind == CCFC_NAME_OTHER || lstat(w->path.ptr, &st))
		return 0;
	if (S_ISDIR(st.st_mode))
		return name.kind == CCFC_NAME_DIR ? walk_dir(w) : 0;
	if (!S_ISREG(st.st_mode) || name.kind == CCFC_NAME_DIR)
		return 0;
	return take_transcript(w, &name);
}

/* Only directories with known names are entered, so the depth is bounded. */
static int walk_dir(struct walk *w)
{
	DIR *dir = opendir(w->path.ptr);
	size_t len = w->path.len;
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return ccfc_err_io(w->err, errno, "%s", w->path.ptr);
	while (!r && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		ccfc_buf_printf(&w->path, "/%s", entry->d_name);
		r = take_entry(w);
		w->path.len = len;
		w->path.ptr[len] = '\0';
	}
	closedir(dir);
	return r;
}

int ccfc_import_claude(const char *from, struct ccfc_archive *into,
		       struct ccfc_err *err)
{
	struct walk w = { .into = into, .err = err };
	int r;

	ccfc_buf_printf(&w.path, "%s/projects", from);
	w.root = w.path.len + 1;
	r = walk_dir(&w);
	ccfc_buf_release(&w.path);
	return r;
}
