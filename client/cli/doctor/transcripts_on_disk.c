/* Transcripts on disk; see transcripts_on_disk.h. */
#include "cli/doctor/transcripts_on_disk.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The deepest is <dir>/<session>/subagents/workflows/<wf>/<file>. */
#define DEPTH_MAX 8
#define FILES_MAX 1000000u
#define TAIL_MAX  65536
#define REST_MAX  (64 << 20)

struct walk {
	struct ccfc_transcripts *out;
	struct ccfc_buf path;
	uint32_t root;
};

static void note_denied(struct walk *w)
{
	if (!w->out->denied)
		w->out->denied = ccfc_strdup(w->path.ptr);
	w->out->denials++;
}

static int64_t mtime_of(const struct stat *st)
{
#ifdef __APPLE__
	return (int64_t)st->st_mtime * 1000;
#else
	return (int64_t)st->st_mtim.tv_sec * 1000 +
	       st->st_mtim.tv_nsec / 1000000;
#endif
}

static void add_file(struct walk *w, const struct stat *st)
{
	struct ccfc_transcript t = { .path = ccfc_strdup(w->path.ptr),
				     .mtime = mtime_of(st),
				     .size = (int64_t)st->st_size,
				     .root = w->root };

	CCFC_VEC_PUSH(w->out[0], t);
	if (access(w->path.ptr, R_OK))
		note_denied(w);
}

static void walk_dir(struct walk *w, unsigned depth);

/*
 * Sessions are in their project's directory, agents beside them or deeper.
 * Other .jsonl files belong to the client.
 */
static bool is_transcript(struct ccfc_slice name, unsigned depth)
{
	if (!ccfc_slice_ends(name, ".jsonl"))
		return false;
	if (depth == 1)
		return !ccfc_slice_is(name, "journal.jsonl") &&
		       !ccfc_slice_is(name, "history.jsonl");
	return depth > 2 && ccfc_slice_starts(name, "agent-");
}

static void walk_entry(struct walk *w, const char *name, unsigned depth)
{
	size_t len = w->path.len;
	struct stat st;

	ccfc_buf_printf(&w->path, "/%s", name);
	if (w->out->n >= FILES_MAX || lstat(w->path.ptr, &st))
		st.st_mode = 0;
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
		walk_dir(w, depth + 1);
	else if (S_ISREG(st.st_mode) &&
		 is_transcript(ccfc_slice_str(name), depth))
		add_file(w, &st);
	w->path.len = len;
	w->path.ptr[len] = '\0';
}

static void walk_dir(struct walk *w, unsigned depth)
{
	DIR *dir = opendir(w->path.ptr);
	struct dirent *e;

	if (!dir) {
		if (errno == EACCES || errno == EPERM)
			note_denied(w);
		return;
	}
	/* A directory that is readable but not searchable only has names. */
	if (access(w->path.ptr, X_OK))
		note_denied(w);
	else
		while ((e = readdir(dir)))
			if (e->d_name[0] != '.')
				walk_entry(w, e->d_name, depth);
	closedir(dir);
}

static int by_age(const void *x, const void *y)
{
	const struct ccfc_transcript *a = x, *b = y;

	if (a->mtime != b->mtime)
		return a->mtime < b->mtime ? -1 : 1;
	return strcmp(a->path, b->path);
}

void ccfc_transcripts_find(struct ccfc_transcripts *out,
			   const struct ccfc_claude_roots *roots)
{
	struct walk w = { .out = out };

	*out = (struct ccfc_transcripts){ 0 };
	for (w.root = 0; w.root < roots->n; w.root++) {
		ccfc_buf_clear(&w.path);
		ccfc_buf_printf(&w.path, "%s/projects", roots->items[w.root]);
		walk_dir(&w, 0);
	}
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items), by_age);
	ccfc_buf_release(&w.path);
}

void ccfc_transcripts_release(struct ccfc_transcripts *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->items[i].path);
	free(t->items);
	free(t->denied);
	*t = (struct ccfc_transcripts){ 0 };
}

/* An unfinished line does not count as unread. */
bool ccfc_transcript_is_read(const struct ccfc_transcript *t, int64_t read)
{
	bool line = false;
	char *tail;
	ssize_t n;
	int fd;

	if (read >= t->size)
		return true;
	if (read < 0 || t->size - read > REST_MAX)
		return false;
	fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	tail = ccfc_malloc(TAIL_MAX);
	while (!line && (n = pread(fd, tail, TAIL_MAX, (off_t)read)) != 0) {
		line = n < 0 || memchr(tail, '\n', (size_t)n);
		read += n;
	}
	free(tail);
	close(fd);
	return !line;
}
