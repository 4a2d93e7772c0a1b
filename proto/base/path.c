/* Paths as text; see path.h. */
#include "base/path.h"

#include <ctype.h>

static bool is_sep(char c)
{
	return c == '/' || c == '\\';
}

/* "C:" followed by a slash of either kind, or by nothing. */
bool ccfc_path_has_drive(struct ccfc_slice p)
{
	return p.len >= 2 && isalpha((unsigned char)p.ptr[0]) &&
	       p.ptr[1] == ':' && (p.len == 2 || is_sep(p.ptr[2]));
}

bool ccfc_path_is_absolute(struct ccfc_slice p)
{
	return (p.len && p.ptr[0] == '/') ||
	       (ccfc_path_has_drive(p) && p.len > 2);
}

/* "/c/x" as MSYS writes "C:/x". */
static bool is_msys(struct ccfc_slice p)
{
	return p.len >= 2 && p.ptr[0] == '/' &&
	       isalpha((unsigned char)p.ptr[1]) &&
	       (p.len == 2 || p.ptr[2] == '/');
}

/* The length of "/home/NAME", "/Users/NAME" or "/root" that p starts with. */
static size_t home_length(struct ccfc_slice p)
{
	size_t n, skip;

	if (ccfc_slice_starts(p, "/root") && (p.len == 5 || p.ptr[5] == '/'))
		return 5;
	if (ccfc_slice_starts(p, "/home/"))
		skip = 6;
	else if (ccfc_slice_starts(p, "/Users/"))
		skip = 7;
	else
		return 0;
	for (n = skip; n < p.len && p.ptr[n] != '/'; n++)
		;
	return n > skip ? n : 0;
}

/* Appends the components of `rest` to out, whose root ends at `root`. */
static void append_parts(struct ccfc_buf *out, size_t root,
			 struct ccfc_slice rest, bool windows)
{
	size_t i = 0;

	while (i < rest.len) {
		size_t start = i, n;

		while (i < rest.len && rest.ptr[i] != '/' &&
		       !(windows && rest.ptr[i] == '\\'))
			i++;
		n = i++ - start;
		if (!n || (n == 1 && rest.ptr[start] == '.'))
			continue;
		if (n == 2 && !memcmp(rest.ptr + start, "..", 2)) {
			while (out->len > root && out->ptr[--out->len] != '/')
				;
			continue;
		}
		ccfc_buf_putc(out, '/');
		ccfc_buf_append(out, rest.ptr + start, n);
	}
}

/* Appends the root ("" or "C:") of an absolute path, returns what follows. */
static struct ccfc_slice append_root(struct ccfc_buf *out, struct ccfc_slice p,
				     bool msys, bool *windows)
{
	*windows = true;
	if (ccfc_path_has_drive(p) || (msys && is_msys(p))) {
		size_t letter = ccfc_path_has_drive(p) ? 0 : 1;

		ccfc_buf_putc(out, (char)toupper((unsigned char)p.ptr[letter]));
		ccfc_buf_putc(out, ':');
		return ccfc_slice(p.ptr + 2, p.len - 2);
	}
	*windows = false;
	return p;
}

static void append_absolute(struct ccfc_buf *out, struct ccfc_slice head,
			    struct ccfc_slice tail, bool msys)
{
	size_t root;
	bool windows;
	struct ccfc_slice rest = append_root(out, head, msys, &windows);

	root = out->len;
	append_parts(out, root, rest, windows);
	append_parts(out, root, tail, windows);
	if (out->len == root)
		ccfc_buf_putc(out, '/');
	ccfc_buf_reserve(out, 0);
	out->ptr[out->len] = '\0';
}

bool ccfc_path_normalise(struct ccfc_buf *out, struct ccfc_slice path,
			 struct ccfc_slice base, struct ccfc_slice home)
{
	bool win_base = ccfc_path_has_drive(base);

	if (!path.len)
		return false;
	if (ccfc_path_is_absolute(path)) {
		append_absolute(out, path, CCFC_SLICE_NONE, win_base);
		return true;
	}
	if (path.ptr[0] == '~' && (path.len == 1 || path.ptr[1] == '/')) {
		if (!home.len)
			home = ccfc_slice(base.ptr, home_length(base));
		if (!ccfc_path_is_absolute(home))
			return false;
		append_absolute(out, home,
				ccfc_slice(path.ptr + 1, path.len - 1), false);
		return true;
	}
	if (!ccfc_path_is_absolute(base))
		return false;
	append_absolute(out, base, path, false);
	return true;
}

struct ccfc_slice ccfc_path_basename(struct ccfc_slice path)
{
	size_t i = path.len;

	while (i && path.ptr[i - 1] != '/')
		i--;
	if (!i)
		return path;
	return ccfc_slice(path.ptr + i, path.len - i);
}

struct ccfc_slice ccfc_path_extension(struct ccfc_slice path)
{
	struct ccfc_slice name = ccfc_path_basename(path);

	for (size_t i = name.len; i > 1; i--)
		if (name.ptr[i - 1] == '.')
			return i == name.len ? CCFC_SLICE_NONE
					     : ccfc_slice(name.ptr + i - 1,
							  name.len - i + 1);
	return CCFC_SLICE_NONE;
}

/* Without the slash of a root: "/" and "C:/" end in one, nothing else. */
static struct ccfc_slice without_slash(struct ccfc_slice dir)
{
	if (dir.len && dir.ptr[dir.len - 1] == '/')
		dir.len--;
	return dir;
}

bool ccfc_path_is_below(struct ccfc_slice path, struct ccfc_slice dir)
{
	struct ccfc_slice d = without_slash(dir);

	if (!dir.len || path.len < dir.len)
		return false;
	return !memcmp(path.ptr, d.ptr, d.len) &&
	       (path.len == d.len || path.ptr[d.len] == '/');
}

struct ccfc_slice ccfc_path_relative(struct ccfc_slice path,
				     struct ccfc_slice dir)
{
	size_t skip = without_slash(dir).len + 1;

	if (!ccfc_path_is_below(path, dir) || path.len <= skip)
		return path;
	return ccfc_slice(path.ptr + skip, path.len - skip);
}
