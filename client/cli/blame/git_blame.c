/*
 * Commits of lines; see git_blame.h. The porcelain format has a header for
 * each line, "<hex> <orig line> <line> [<lines in the group>]"; behind it,
 * where a commit appears for the first time, "key value" lines about it; then a
 * tab and the line itself.
 */
#include "cli/blame/git_blame.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/blame/git.h"

#include <stdio.h>
#include <stdlib.h>

#define LINES_MAX (1u << 27)

void ccfc_git_blame_release(struct ccfc_git_blame *blame)
{
	ccfc_buf_release(&blame->bytes);
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

/* A decimal number at s[*at], and *at moved behind it; -1. */
static int64_t read_number_git_blame(struct ccfc_slice s, size_t *at)
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

/* Lines of one commit come together mostly: the last ones are tried first. */
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

/* "<hex> <orig> <final> [<n>]"; false when it is none. */
static bool read_header(struct ccfc_git_blame *blame, struct ccfc_slice s)
{
	size_t n = hex_length(s), at = n + 1;
	struct ccfc_git_line line = { .commit = -1 };
	int64_t orig, final;

	if ((n != 40 && n != 64) || n == s.len || s.ptr[n] != ' ')
		return false;
	orig = read_number_git_blame(s, &at);
	if (orig < 0 || orig > LINES_MAX || at == s.len || s.ptr[at++] != ' ')
		return false;
	final = read_number_git_blame(s, &at);
	/* One line after the other, from the first on. */
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

static bool take_key(struct ccfc_slice *value, struct ccfc_slice s,
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

	if (take_key(&commit->author, s, "author ") ||
	    take_key(&commit->mail, s, "author-mail ") ||
	    take_key(&commit->zone, s, "author-tz ") ||
	    take_key(&commit->summary, s, "summary "))
		return;
	if (take_key(&value, s, "author-time ")) {
		int64_t sec = read_number_git_blame(value, &at);

		if (sec >= 0 && sec < INT64_MAX / 1000)
			commit->time = sec * 1000;
	}
}

int ccfc_git_blame_parse(struct ccfc_git_blame *blame, struct ccfc_buf *bytes,
			 struct ccfc_err *err)
{
	struct ccfc_slice rest, s;
	bool inside = false; /* behind a header */

	*blame = (struct ccfc_git_blame){ .bytes = *bytes };
	ccfc_buf_init(bytes);
	rest = ccfc_buf_view(&blame->bytes);
	while (next_line(&s, &rest)) {
		struct ccfc_git_line *line;

		if (!inside) {
			if (!read_header(blame, s))
				return ccfc_err_set(err, CCFC_EPROTO,
						    "git: no answer of blame");
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

int ccfc_git_blame_read(struct ccfc_git_blame *blame, const char *path,
			int64_t from, int64_t to, bool ignore_space,
			struct ccfc_err *err)
{
	const char *args[12] = {
		"blame",	 "--porcelain",	       "--no-textconv",
		"--no-progress", "--ignore-revs-file", ""
	};
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	char range[64], *dir, *name;
	int code, n = 6;

	*blame = (struct ccfc_git_blame){ 0 };
	if (ignore_space)
		args[n++] = "-w";
	if (from || to) {
		snprintf(range, sizeof(range), "-L%lld,",
			 (long long)(from ? from : 1));
		if (to)
			snprintf(range + strlen(range), 32, "%lld",
				 (long long)to);
		args[n++] = range;
	}
	ccfc_git_split(&dir, &name, path);
	args[n++] = "--";
	args[n] = name;
	code = ccfc_git_run(&bytes, dir, args, err);
	if (!code)
		code = ccfc_git_blame_parse(blame, &bytes, err);
	ccfc_buf_release(&bytes);
	free(dir);
	free(name);
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
