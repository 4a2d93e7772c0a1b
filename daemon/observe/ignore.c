/*
 * Patterns of a .gitignore; see ignore.h.
 *
 * A pattern is cut at its slashes. Its parts are held against the names of the
 * path; "**" stands for any number of names. If a star can match in several
 * ways, only the last star is tried again, for names and for characters alike:
 * what earlier stars matched does not affect the rest.
 */
#include "observe/ignore.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

struct part {
	struct ccfc_slice text;
	bool any; /* "**": any number of names */
};

struct pattern {
	/* As in git, the text before the first special character is compared
	 * literally; the rest is a pattern for the rest of the path. */
	struct ccfc_slice start;
	struct part *parts;
	uint32_t n;
	bool anchored; /* matches from the list's directory on; else a name */
	bool dirs;     /* directories only */
	bool negative;
};

struct ccfc_ignore {
	char *text;
	struct {
		struct pattern *items;
		uint32_t n, cap;
	} patterns;
};

/* --- one name --- */

struct class_name {
	const char *name;
	int (*has)(int c);
};

static const struct class_name classes[] = {
	{ "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank },
	{ "cntrl", iscntrl }, { "digit", isdigit }, { "graph", isgraph },
	{ "lower", islower }, { "print", isprint }, { "punct", ispunct },
	{ "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit },
};

/*
 * The length of a class like "[:alpha:]" at p; 0: not a class; -1: an unknown
 * class.
 */
static int class_at(struct ccfc_slice p, unsigned char c, bool *fits)
{
	size_t end = 2;

	if (p.len < 2 || p.ptr[0] != '[' || p.ptr[1] != ':')
		return 0;
	while (end < p.len && p.ptr[end] != ']')
		end++;
	if (end >= p.len)
		return -1;
	/* "[[:a]" is a set of these characters. */
	if (end < 3 || p.ptr[end - 1] != ':')
		return 0;
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (ccfc_slice_is(ccfc_slice(p.ptr + 2, end - 3),
				  classes[i].name)) {
			*fits |= c < 0x80 && classes[i].has(c);
			return (int)end + 1;
		}
	return -1;
}

/* A character of a set, perhaps after a backslash. */
static bool set_char(struct ccfc_slice p, size_t *at, unsigned char *out)
{
	if (*at < p.len && p.ptr[*at] == '\\')
		(*at)++;
	if (*at >= p.len)
		return false;
	*out = (unsigned char)p.ptr[(*at)++];
	return true;
}

/*
 * The length of the set at the beginning of `p`, or 0: the set is invalid and
 * matches nothing. *fits: is `c` in the set?
 */
static size_t set_at(struct ccfc_slice p, unsigned char c, bool *fits)
{
	bool found = false, negative;
	size_t at = 1, first;

	negative = at < p.len && (p.ptr[at] == '!' || p.ptr[at] == '^');
	at += negative;
	for (first = at; at < p.len && (p.ptr[at] != ']' || at == first);) {
		unsigned char from, to;
		int n = class_at(ccfc_slice_from(p, at), c, &found);

		if (n < 0)
			return 0;
		at += (size_t)n;
		if (n)
			continue;
		if (!set_char(p, &at, &from))
			return 0;
		to = from;
		if (at + 1 < p.len && p.ptr[at] == '-' &&
		    p.ptr[at + 1] != ']') {
			at++;
			if (!set_char(p, &at, &to))
				return 0;
		}
		found |= c >= from && c <= to;
	}
	if (at >= p.len)
		return 0;
	*fits = found != negative && c != '/';
	return at + 1;
}

/*
 * Matches one character against the pattern, which does not begin with a star.
 * The length of the pattern used, or 0: no match.
 */
static size_t one_fits(struct ccfc_slice p, unsigned char c)
{
	bool fits = false;
	size_t n;

	switch (p.ptr[0]) {
	case '?':
		return 1;
	case '[':
		n = set_at(p, c, &fits);
		return fits ? n : 0;
	case '\\':
		return p.len > 1 && (unsigned char)p.ptr[1] == c ? 2 : 0;
	default:
		return (unsigned char)p.ptr[0] == c;
	}
}

static bool name_fits(struct ccfc_slice p, struct ccfc_slice name)
{
	size_t at = 0, i = 0, star = SIZE_MAX, tried = 0;

	while (i < name.len) {
		size_t n;

		if (at < p.len && p.ptr[at] == '*') {
			star = ++at;
			tried = i;
			continue;
		}
		n = at < p.len ? one_fits(ccfc_slice_from(p, at),
					  (unsigned char)name.ptr[i])
			       : 0;
		if (n) {
			at += n;
			i++;
		} else if (star != SIZE_MAX) {
			at = star;
			i = ++tried;
		} else {
			return false;
		}
	}
	while (at < p.len && p.ptr[at] == '*')
		at++;
	return at == p.len;
}

/* --- a path --- */

static struct ccfc_slice first_name(struct ccfc_slice path)
{
	const char *slash = path.len ? memchr(path.ptr, '/', path.len) : NULL;

	return slash ? ccfc_slice(path.ptr, (size_t)(slash - path.ptr)) : path;
}

/* What follows the first name. */
static struct ccfc_slice rest_of(struct ccfc_slice path)
{
	size_t n = first_name(path).len;

	return ccfc_slice_from(path, n < path.len ? n + 1 : n);
}

static bool path_fits(const struct pattern *p, struct ccfc_slice path)
{
	struct ccfc_slice tried = CCFC_SLICE_NONE;
	uint32_t at = 0, any = UINT32_MAX;

	if (p->start.len > path.len ||
	    (p->start.len && memcmp(path.ptr, p->start.ptr, p->start.len)))
		return false;
	path = ccfc_slice_from(path, p->start.len);
	while (path.len) {
		if (at < p->n && p->parts[at].any) {
			/* "a/" and "**" do not match "a" itself. */
			if (at + 1 == p->n)
				return true;
			any = ++at;
			tried = path;
		} else if (at < p->n &&
			   name_fits(p->parts[at].text, first_name(path))) {
			at++;
			path = rest_of(path);
		} else if (any != UINT32_MAX) {
			at = any;
			tried = path = rest_of(tried);
		} else {
			return false;
		}
	}
	return at == p->n;
}

static struct ccfc_slice last_name(struct ccfc_slice path)
{
	size_t n = path.len;

	while (n && path.ptr[n - 1] != '/')
		n--;
	return ccfc_slice_from(path, n);
}

enum ccfc_ignore_verdict ccfc_ignore_match(const struct ccfc_ignore *list,
					   struct ccfc_slice path, bool is_dir)
{
	for (uint32_t i = list ? list->patterns.n : 0; i-- > 0;) {
		const struct pattern *p = &list->patterns.items[i];

		if (p->dirs && !is_dir)
			continue;
		if (p->anchored ? path_fits(p, path)
				: name_fits(p->parts[0].text, last_name(path)))
			return p->negative ? CCFC_IGNORE_NOT : CCFC_IGNORE_YES;
	}
	return CCFC_IGNORE_UNDECIDED;
}

bool ccfc_ignore_excludes(const struct ccfc_ignore_level *level,
			  struct ccfc_slice path, bool is_dir)
{
	for (; level; level = level->above) {
		enum ccfc_ignore_verdict verdict = ccfc_ignore_match(
			level->own, ccfc_slice_from(path, level->prefix),
			is_dir);

		if (verdict != CCFC_IGNORE_UNDECIDED)
			return verdict == CCFC_IGNORE_YES;
	}
	return false;
}

/* --- reading --- */

/* Trailing spaces do not count, unless a backslash escapes them. */
static struct ccfc_slice trim_end(struct ccfc_slice line)
{
	size_t end = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == '\\' && i + 1 < line.len)
			i++;
		else if (line.ptr[i] == ' ')
			continue;
		end = i + 1;
	}
	return ccfc_slice(line.ptr, end);
}

/* Where the next slash outside a set is; text.len: there is none. */
static size_t next_slash(struct ccfc_slice text, size_t at)
{
	while (at < text.len && text.ptr[at] != '/') {
		bool fits;
		size_t n = 0;

		if (text.ptr[at] == '[')
			n = set_at(ccfc_slice_from(text, at), 'a', &fits);
		else if (text.ptr[at] == '\\' && at + 1 < text.len &&
			 text.ptr[at + 1] != '/')
			n = 2;
		at += n ? n : 1;
	}
	return at;
}

/* Two stars or more, and nothing else. */
static bool is_any(struct ccfc_slice part)
{
	for (size_t i = 0; i < part.len; i++)
		if (part.ptr[i] != '*')
			return false;
	return part.len > 1;
}

static void cut_literal_start(struct pattern *p, struct ccfc_slice text)
{
	uint32_t slashes = 1;

	while (p->start.len < text.len &&
	       !strchr("*?[\\", text.ptr[p->start.len]))
		p->start.len++;
	p->start.ptr = text.ptr;
	text = ccfc_slice_from(text, p->start.len);
	if (!text.len)
		return;
	for (size_t i = 0; i < text.len; i++)
		slashes += text.ptr[i] == '/';
	p->parts = ccfc_calloc(slashes, sizeof(*p->parts));
	for (size_t at = 0; at <= text.len;) {
		size_t end = next_slash(text, at);
		struct part part = { .text = ccfc_slice(text.ptr + at,
							end - at) };

		/* A backslash before a slash is ignored. */
		if (end < text.len && ccfc_slice_ends(part.text, "\\"))
			part.text.len--;
		part.any = is_any(part.text);
		/* Two "**" in a row are the same as one. */
		if (!part.any || !p->n || !p->parts[p->n - 1].any)
			p->parts[p->n++] = part;
		at = end + 1;
	}
}

/* Does the pattern end with a backslash that escapes nothing? */
static bool ends_in_backslash(struct ccfc_slice text)
{
	size_t n = 0;

	while (n < text.len && text.ptr[text.len - 1 - n] == '\\')
		n++;
	return n % 2;
}

static void add_pattern(struct ccfc_ignore *list, struct ccfc_slice line)
{
	struct pattern p = { 0 };

	if (line.len && line.ptr[0] == '!') {
		p.negative = true;
		line = ccfc_slice_from(line, 1);
	}
	if (line.len && line.ptr[line.len - 1] == '/') {
		p.dirs = true;
		line.len--;
	}
	p.anchored = memchr(line.ptr, '/', line.len) != NULL;
	if (line.len && line.ptr[0] == '/')
		line = ccfc_slice_from(line, 1);
	if (!line.len || ends_in_backslash(line))
		return;
	if (p.anchored) {
		cut_literal_start(&p, line);
	} else {
		p.parts = ccfc_calloc(1, sizeof(*p.parts));
		p.parts[p.n++].text = line;
	}
	CCFC_VEC_PUSH(list->patterns, p);
}

static void read_lines(struct ccfc_ignore *list, struct ccfc_slice text)
{
	if (ccfc_slice_starts(text, "\xef\xbb\xbf"))
		text = ccfc_slice_from(text, 3);
	while (text.len && list->patterns.n < CCFC_IGNORE_PATTERNS) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		struct ccfc_slice line = text;

		if (nl)
			line.len = (size_t)(nl - text.ptr);
		text = ccfc_slice_from(text, line.len + (nl ? 1 : 0));
		if (ccfc_slice_ends(line, "\r"))
			line.len--;
		if (!line.len || line.ptr[0] == '#')
			continue;
		line = trim_end(line);
		if (line.len)
			add_pattern(list, line);
	}
}

struct ccfc_ignore *ccfc_ignore_parse(struct ccfc_slice text)
{
	struct ccfc_ignore *list = ccfc_calloc(1, sizeof(*list));

	if (text.len > CCFC_IGNORE_BYTES)
		text.len = CCFC_IGNORE_BYTES;
	list->text = ccfc_strndup(text.ptr ? text.ptr : "", text.len);
	read_lines(list, ccfc_slice(list->text, text.len));
	if (list->patterns.n)
		return list;
	ccfc_ignore_free(list);
	return NULL;
}

void ccfc_ignore_free(struct ccfc_ignore *list)
{
	if (!list)
		return;
	for (uint32_t i = 0; i < list->patterns.n; i++)
		free(list->patterns.items[i].parts);
	free(list->patterns.items);
	free(list->text);
	free(list);
}
