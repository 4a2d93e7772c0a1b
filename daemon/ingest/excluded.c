/* Excluded projects; see excluded.h. */
#include "ingest/excluded.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "index/query/glob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK	 ((size_t)64 << 10)
#define HEAD_MAX ((size_t)4 << 20) /* bytes searched for the directory */
#define CWD	 "\"cwd\":\""

struct ccfc_excluded {
	struct {
		struct ccfc_glob **items;
		uint32_t n, cap;
	} globs;
};

static int add_glob(struct ccfc_excluded *e, struct ccfc_slice line,
		    const char *home, struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_glob *glob = NULL;
	int r;

	while (line.len > 1 && line.ptr[line.len - 1] == '/')
		line.len--;
	if (line.len > 1 && line.ptr[0] == '~' && line.ptr[1] == '/') {
		ccfc_buf_puts(&text, home ? home : "");
		line = ccfc_slice_from(line, 1);
	} else if (line.ptr[0] != '/') {
		ccfc_buf_puts(&text, "**/");
	}
	ccfc_buf_slice(&text, line);
	r = ccfc_glob_new(&glob, ccfc_buf_view(&text), err);
	ccfc_buf_release(&text);
	if (!r)
		CCFC_VEC_PUSH(e->globs, glob);
	return r;
}

int ccfc_excluded_new(struct ccfc_excluded **out, const char *patterns,
		      const char *home, struct ccfc_err *err)
{
	struct ccfc_excluded *e;
	int r = 0;

	*out = NULL;
	if (!patterns)
		return 0;
	e = ccfc_calloc(1, sizeof(*e));
	while (!r && *patterns) {
		size_t n = strcspn(patterns, "\n");

		if (n)
			r = add_glob(e, ccfc_slice(patterns, n), home, err);
		patterns += n + (patterns[n] == '\n');
	}
	if (r)
		ccfc_excluded_free(e);
	else
		*out = e;
	return r;
}

void ccfc_excluded_free(struct ccfc_excluded *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->globs.n; i++)
		ccfc_glob_free(e->globs.items[i]);
	free(e->globs.items);
	free(e);
}

bool ccfc_excluded_has(struct ccfc_excluded *e, struct ccfc_slice dir)
{
	while (e && dir.len) {
		for (uint32_t i = 0; i < e->globs.n; i++)
			if (ccfc_glob_match(e->globs.items[i], dir))
				return true;
		while (dir.len && dir.ptr[dir.len - 1] != '/')
			dir.len--;
		while (dir.len && dir.ptr[dir.len - 1] == '/')
			dir.len--;
	}
	return false;
}

/* --- the directory of a transcript --- */

/* Appends the string from `at` on, unescaped; false: it does not end. */
static bool append_json_string(struct ccfc_buf *out, struct ccfc_slice left)
{
	for (size_t i = 0; i < left.len; i++) {
		if (left.ptr[i] == '"')
			return true;
		if (left.ptr[i] == '\\' && ++i == left.len)
			return false;
		ccfc_buf_putc(out, left.ptr[i]);
	}
	return false;
}

static bool find_cwd(struct ccfc_buf *out, const struct ccfc_buf *bytes)
{
	const size_t n = sizeof(CWD) - 1;
	const char *at = memmem(bytes->ptr, bytes->len, CWD, n);

	ccfc_buf_clear(out);
	return at &&
	       append_json_string(
		       out, ccfc_slice_from(ccfc_buf_view(bytes),
					    (size_t)(at - bytes->ptr) + n));
}

bool ccfc_excluded_transcript(struct ccfc_excluded *e, const char *path)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT, cwd = CCFC_BUF_INIT;
	bool found = false, out;
	ssize_t n = 1;
	int fd;

	if (!e)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	/* The next reader of the transcript reports the error. */
	if (fd < 0)
		return false;
	while (!found && n && bytes.len < HEAD_MAX) {
		n = read(fd, ccfc_buf_reserve(&bytes, BLOCK), BLOCK);
		if (n < 0 && errno != EINTR)
			break;
		bytes.len += n > 0 ? (size_t)n : 0;
		found = find_cwd(&cwd, &bytes);
	}
	close(fd);
	out = found ? ccfc_excluded_has(e, ccfc_buf_view(&cwd)) : n == 0;
	ccfc_buf_release(&bytes);
	ccfc_buf_release(&cwd);
	return out;
}
