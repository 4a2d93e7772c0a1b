/*
 * Commits of lines; see git_blame.h. The porcelain format has a header for each
 * line, "<hex> <orig line> <line> [<lines in the group>]"; after it, where a
 * commit appears for the first time, "key value" lines about it; then a tab and
 * the line itself.
 */
#include "cli/blame/git_blame.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/blame/git_match.h"
#include "cli/blame/git_objects.h"
#include "cli/system/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES_MAX (1u << 27)

void ccfc_git_blame_release(struct ccfc_git_blame *blame)
{
	ccfc_buf_release(&blame->bytes);
	ccfc_buf_release(&blame->content);
	free(blame->commits.items);
	free(blame->lines.items);
}

static bool next_line(struct ccfc_slice *line, struct ccfc_slice *rest)
{
	const char *nl;
	size_t n;

	if (!rest->len)
		return false;
	nl = memchr(rest->ptr, '\n', rest->len);
	n = nl ? (size_t)(nl - rest->ptr) : rest->len;
	*line = ccfc_slice(rest->ptr, n);
	n += nl != NULL;
	*rest = ccfc_slice(rest->ptr + n, rest->len - n);
	return true;
}

static size_t hex_length(struct ccfc_slice s)
{
	size_t n = 0;

	while (n < s.len && strchr("0123456789abcdef", s.ptr[n]) && s.ptr[n])
		n++;
	return n;
}

/* Reads a decimal number at s[*at] and moves *at past it; -1: none. */
static int64_t read_number(struct ccfc_slice s, size_t *at)
{
	int64_t n = -1;

	while (*at < s.len && s.ptr[*at] >= '0' && s.ptr[*at] <= '9') {
		n = (n < 0 ? 0 : n) * 10 + (s.ptr[(*at)++] - '0');
		if (n > INT64_MAX / 100)
			return -1;
	}
	return n;
}

static bool all_zero(struct ccfc_slice id)
{
	for (size_t i = 0; i < id.len; i++)
		if (id.ptr[i] != '0')
			return false;
	return true;
}

/*
 * Lines of one commit are usually together, so the last commits are tried
 * first.
 */
static int32_t find_commit(struct ccfc_git_blame *blame, struct ccfc_slice id)
{
	struct ccfc_git_commit commit = { .time = CCFC_TIME_NONE };

	for (uint32_t i = blame->commits.n; i-- > 0;)
		if (ccfc_slice_is(id, blame->commits.items[i].id))
			return (int32_t)i;
	memcpy(commit.id, id.ptr, id.len);
	CCFC_VEC_PUSH(blame->commits, commit);
	return (int32_t)blame->commits.n - 1;
}

/* "<hex> <orig> <final> [<n>]"; false: not such a line. */
static bool read_header(struct ccfc_git_blame *blame, struct ccfc_slice s)
{
	size_t n = hex_length(s), at = n + 1;
	struct ccfc_git_line line = { .commit = -1 };
	int64_t orig, final;

	if ((n != 40 && n != 64) || n == s.len || s.ptr[n] != ' ')
		return false;
	orig = read_number(s, &at);
	if (orig < 0 || orig > LINES_MAX || at == s.len || s.ptr[at++] != ' ')
		return false;
	final = read_number(s, &at);
	/* The lines come in order, from the first one. */
	if (!blame->lines.n)
		blame->first = final;
	if (final != blame->first + blame->lines.n || final < 1 ||
	    final > LINES_MAX)
		return false;
	if (!all_zero(ccfc_slice(s.ptr, n)))
		line.commit = find_commit(blame, ccfc_slice(s.ptr, n));
	line.orig = (uint32_t)orig;
	CCFC_VEC_PUSH(blame->lines, line);
	return true;
}

static bool strip_key(struct ccfc_slice *value, struct ccfc_slice s,
		      const char *key)
{
	size_t n = strlen(key);

	if (!ccfc_slice_starts(s, key))
		return false;
	*value = ccfc_slice(s.ptr + n, s.len - n);
	return true;
}

static void read_key(struct ccfc_git_commit *commit, struct ccfc_slice s)
{
	struct ccfc_slice value;
	size_t at = 0;

	if (strip_key(&commit->author, s, "author ") ||
	    strip_key(&commit->mail, s, "author-mail ") ||
	    strip_key(&commit->zone, s, "author-tz ") ||
	    strip_key(&commit->summary, s, "summary "))
		return;
	if (strip_key(&value, s, "author-time ")) {
		int64_t sec = read_number(value, &at);

		if (sec >= 0 && sec < INT64_MAX / 1000)
			commit->time = sec * 1000;
	}
}

int ccfc_git_blame_parse(struct ccfc_git_blame *blame, struct ccfc_buf *bytes,
			 struct ccfc_err *err)
{
	struct ccfc_slice rest, s;
	bool inside = false; /* after a header */

	*blame = (struct ccfc_git_blame){ .bytes = *bytes };
	ccfc_buf_init(bytes);
	rest = ccfc_buf_view(&blame->bytes);
	while (next_line(&s, &rest)) {
		struct ccfc_git_line *line;

		if (!inside) {
			if (!read_header(blame, s))
				return ccfc_err_set(err, CCFC_EPROTO,
						    "git: git blame gave no "
						    "answer");
			inside = true;
			continue;
		}
		line = &blame->lines.items[blame->lines.n - 1];
		if (s.len && s.ptr[0] == '\t') {
			line->text = ccfc_slice(s.ptr + 1, s.len - 1);
			inside = false;
		} else if (line->commit >= 0) {
			read_key(&blame->commits.items[line->commit], s);
		}
	}
	return 0;
}

/* Asks for the commits of the lines of HEAD that matched. */
static int ask_head(struct ccfc_git_blame *blame, const struct ccfc_objects *o,
		    const struct ccfc_git_match *match, bool ignore_space,
		    struct ccfc_err *err)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	char range[64], map[128];
	/* In a separate git directory, git would not find a mailmap. */
	const char *args[16] = { "-c",
				 map,
				 "blame",
				 "--porcelain",
				 "--no-textconv",
				 "--no-progress",
				 "--ignore-revs-file",
				 "" };
	int code, n = 8;

	if (!match->first)
		return 0;
	snprintf(map, sizeof(map), "mailmap.blob=%s:.mailmap", o->repo->head);
	snprintf(range, sizeof(range), "-L%u,%u", match->first, match->last);
	if (ignore_space)
		args[n++] = "-w";
	args[n++] = range;
	args[n++] = o->repo->head;
	args[n++] = "--";
	args[n] = o->name;
	code = ccfc_objects_ask(&bytes, o, args, err);
	if (!code)
		code = ccfc_git_blame_parse(blame, &bytes, err);
	ccfc_buf_release(&bytes);
	return code;
}

/* Replaces the lines of HEAD by the lines of the file. */
static void take_head_lines(struct ccfc_git_blame *blame,
			    const struct ccfc_git_match *match, int64_t from)
{
	struct ccfc_git_blame head = *blame;

	blame->lines.items = NULL;
	blame->lines.n = blame->lines.cap = 0;
	blame->first = from;
	for (uint32_t i = 0; i < match->n; i++) {
		struct ccfc_git_line line = { .commit = -1 };
		int64_t at = (int64_t)match->lines[i].head - head.first;

		if (match->lines[i].head && at >= 0 && at < head.lines.n)
			line = head.lines.items[at];
		line.text = match->lines[i].text;
		CCFC_VEC_PUSH(blame->lines, line);
	}
	free(head.lines.items);
}

static int read_work_file(struct ccfc_buf *out, const char *path,
			  struct ccfc_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	int code = 0;

	if (fd < 0)
		return ccfc_err_errno(err, errno, "git: %s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		code = ccfc_err_set(err, CCFC_EDENIED,
				    "git: %s is not a regular file", path);
	else if (ccfc_read_all(out, fd) < 0)
		code = ccfc_err_io(err, errno, "git: %s", path);
	close(fd);
	return code;
}

static int blame_repo(struct ccfc_git_blame *blame,
		      const struct ccfc_repo *repo,
		      const struct ccfc_git_match_range *range,
		      struct ccfc_err *err)
{
	struct ccfc_buf old = CCFC_BUF_INIT, content = CCFC_BUF_INIT;
	struct ccfc_git_match match = { .arena = CCFC_ARENA_INIT };
	struct ccfc_git_attrs attrs = { 0 };
	struct ccfc_objects o;
	int code = ccfc_objects_open(&o, repo, err);

	if (!code)
		code = ccfc_objects_content(&old, &o, err);
	blame->untracked = code == CCFC_ENOTFOUND;
	if (!code)
		code = read_work_file(&content, repo->path, err);
	/* Equal contents need no conversion. */
	if (!code &&
	    !ccfc_slice_eq(ccfc_buf_view(&old), ccfc_buf_view(&content)))
		code = ccfc_objects_attrs(&attrs, &o, err);
	if (!code) {
		ccfc_git_match(&match, ccfc_buf_view(&old),
			       ccfc_buf_view(&content), &attrs, range);
		code = ask_head(blame, &o, &match, range->ignore_space, err);
	}
	blame->content = content;
	if (!code) {
		take_head_lines(blame, &match, range->from);
		memcpy(blame->filter, attrs.other, sizeof(attrs.other));
	}
	ccfc_objects_close(&o);
	ccfc_arena_release(&match.arena);
	ccfc_buf_release(&old);
	return code;
}

int ccfc_git_blame_read(struct ccfc_git_blame *blame, const char *path,
			int64_t from, int64_t to, bool ignore_space,
			struct ccfc_err *err)
{
	struct ccfc_git_match_range range = { from ? from : 1,
					      to ? to : INT64_MAX,
					      ignore_space };
	struct ccfc_repo repo;
	int code = ccfc_repo_find(&repo, path, err);

	*blame = (struct ccfc_git_blame){ 0 };
	if (!code && !*repo.head) {
		blame->untracked = true;
		code = ccfc_err_set(err, CCFC_ENOTFOUND,
				    "git: the repository has no commit yet");
	}
	if (!code)
		code = blame_repo(blame, &repo, &range, err);
	ccfc_repo_release(&repo);
	return code;
}

static struct ccfc_slice without_cr(struct ccfc_slice s)
{
	if (ccfc_slice_ends(s, "\r"))
		s.len--;
	return s;
}

const struct ccfc_git_line *ccfc_git_blame_line(const struct ccfc_git_blame *b,
						int64_t line,
						struct ccfc_slice text)
{
	const struct ccfc_git_line *found;

	if (line < b->first || line - b->first >= b->lines.n)
		return NULL;
	found = &b->lines.items[line - b->first];
	return ccfc_slice_eq(without_cr(found->text), without_cr(text)) ? found
									: NULL;
}

const struct ccfc_git_commit *
ccfc_git_blame_commit(const struct ccfc_git_blame *blame, int64_t line,
		      struct ccfc_slice text)
{
	const struct ccfc_git_line *l = ccfc_git_blame_line(blame, line, text);

	return l && l->commit >= 0 ? &blame->commits.items[l->commit] : NULL;
}
