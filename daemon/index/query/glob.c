/*
 * Path patterns; see glob.h. Braces are expanded into alternatives first; each
 * alternative is a list of components. Matching goes component by component
 * with one point to come back to for "**", and byte by byte within a component
 * with one point to come back to for "*": the last star is the only one that
 * ever needs to be moved, so no pattern is exponential. Alternatives often
 * differ in their ending only, so an alternative is skipped if the path begins
 * or ends differently. The memory of a pattern is limited when it is compiled,
 * and its time by the number of steps that its user grants.
 */
#include "index/query/glob.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <stdint.h>
#include <stdlib.h>

#define PATTERN_MAX	 4096u
#define ALTERNATIVES_MAX 64u
#define EXPANDED_MAX	 65536u /* bytes of all alternatives */
#define BRACE_DEPTH_MAX	 16

struct alternative {
	struct {
		struct ccfc_slice *items;
		uint32_t n, cap;
	} parts; /* one for each component */
	char *text;
	/* Literal bytes of `text` with which each path must begin and end. */
	struct ccfc_slice head, tail;
};

struct ccfc_glob {
	struct alternative *items;
	uint32_t n, cap;
	size_t bytes;
	uint64_t steps; /* left */
};

bool ccfc_glob_is_pattern(struct ccfc_slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (memchr("*?[{\\", text.ptr[i], 5))
			return true;
	return false;
}

/* --- matching --- */

/* Matches c against the class at p ("[a-z]"); returns what follows it. */
static const char *match_class(const char *p, const char *end, unsigned char c,
			       bool *hit)
{
	const char *start = ++p;
	bool negate = p < end && (*p == '!' || *p == '^');

	*hit = false;
	if (negate)
		start = ++p;
	for (; p < end && (*p != ']' || p == start); p++) {
		unsigned char lo = (unsigned char)*p, hi = lo;

		if (*p == '\\' && p + 1 < end)
			lo = hi = (unsigned char)*++p;
		if (p + 2 < end && p[1] == '-' && p[2] != ']') {
			hi = (unsigned char)p[2];
			p += 2;
		}
		*hit |= lo <= c && c <= hi;
	}
	*hit ^= negate;
	return p < end ? p + 1 : NULL;
}

static size_t char_length(const char *s, const char *end)
{
	size_t n = 1;

	while (s + n < end && ((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static void spend_steps(uint64_t *steps, uint64_t n)
{
	*steps -= n < *steps ? n : *steps;
}

/* One step at p against s: how many bytes of s it takes, 0 if it fails. */
static size_t match_one(const char **p, const char *pend, const char *s,
			const char *send, uint64_t *steps)
{
	const char *after;
	bool hit;

	switch (**p) {
	case '?':
		(*p)++;
		return char_length(s, send);
	case '[':
		after = match_class(*p, pend, (unsigned char)*s, &hit);
		spend_steps(steps, (uint64_t)((after ? after : pend) - *p));
		if (after) {
			*p = after;
			return hit;
		}
		break; /* no closing bracket: a plain '[' */
	case '\\':
		if (*p + 1 < pend)
			(*p)++;
		break;
	default:
		break;
	}
	return *(*p)++ == *s;
}

static bool match_component(struct ccfc_slice pattern, struct ccfc_slice name,
			    uint64_t *steps)
{
	const char *p = pattern.ptr, *pend = p + pattern.len;
	const char *s = name.ptr, *send = s + name.len;
	const char *star = NULL, *retry = NULL;

	while (s < send && *steps) {
		const char *at = p;
		size_t n = 0;

		(*steps)--;
		if (p < pend && *p == '*') {
			star = ++p;
			retry = s;
			continue;
		}
		if (p < pend)
			n = match_one(&at, pend, s, send, steps);
		if (n) {
			p = at;
			s += n;
		} else if (star) {
			p = star;
			retry += char_length(retry, send);
			s = retry;
		} else {
			return false;
		}
	}
	while (p < pend && *p == '*')
		p++;
	return s == send && p == pend;
}

static bool is_globstar(struct ccfc_slice part)
{
	return part.len == 2 && part.ptr[0] == '*' && part.ptr[1] == '*';
}

/* The component at *pos; moves *pos behind it. */
static struct ccfc_slice next_component(struct ccfc_slice path, size_t *pos)
{
	size_t start = *pos;
	const char *slash = memchr(path.ptr + start, '/', path.len - start);
	size_t end = slash ? (size_t)(slash - path.ptr) : path.len;

	*pos = slash ? end + 1 : path.len + 1;
	return ccfc_slice(path.ptr + start, end - start);
}

static bool match_alternative(const struct alternative *alt,
			      struct ccfc_slice path, uint64_t *steps)
{
	uint32_t i = 0, star = 0;
	size_t pos = 0, retry = 0;
	bool has_star = false;

	while (pos <= path.len && *steps) {
		size_t next = pos;
		struct ccfc_slice name = next_component(path, &next);

		(*steps)--;
		if (i < alt->parts.n && is_globstar(alt->parts.items[i])) {
			has_star = true;
			star = ++i;
			retry = pos;
			/* At the end it takes all that lies below. */
			if (i == alt->parts.n)
				return true;
			continue;
		}
		if (i < alt->parts.n &&
		    match_component(alt->parts.items[i], name, steps)) {
			i++;
			pos = next;
		} else if (has_star) {
			i = star;
			next_component(path, &retry);
			pos = retry;
		} else {
			return false;
		}
	}
	return pos > path.len && i == alt->parts.n;
}

static bool may_match(const struct alternative *alt, struct ccfc_slice path)
{
	return path.len >= alt->head.len && path.len >= alt->tail.len &&
	       !memcmp(path.ptr, alt->head.ptr, alt->head.len) &&
	       !memcmp(path.ptr + path.len - alt->tail.len, alt->tail.ptr,
		       alt->tail.len);
}

void ccfc_glob_grant(struct ccfc_glob *glob, uint64_t steps)
{
	glob->steps = steps;
}

uint64_t ccfc_glob_left(const struct ccfc_glob *glob)
{
	return glob->steps;
}

bool ccfc_glob_is_spent(const struct ccfc_glob *glob)
{
	return !glob->steps;
}

bool ccfc_glob_match(struct ccfc_glob *glob, struct ccfc_slice path)
{
	/* Both sides start with a slash: the empty first component. */
	for (uint32_t i = 0; i < glob->n; i++) {
		spend_steps(&glob->steps, 1);
		if (may_match(&glob->items[i], path) &&
		    match_alternative(&glob->items[i], path, &glob->steps))
			return true;
	}
	return false;
}

/* --- compiling --- */

/*
 * The tail is only taken from the last component: "**" may match nothing, and
 * then the slash after it is missing too.
 */
static void find_ends(struct alternative *alt, struct ccfc_slice text)
{
	size_t from = 0, to = text.len;

	while (from < text.len && !memchr("*?[]\\", text.ptr[from], 5))
		from++;
	while (to && !memchr("*?[]\\/", text.ptr[to - 1], 6))
		to--;
	alt->head = ccfc_slice(text.ptr, from);
	alt->tail = ccfc_slice_from(text, to);
}

static void add_alternative(struct ccfc_glob *glob, struct ccfc_slice text)
{
	struct alternative alt = { 0 };
	struct ccfc_slice copy;
	size_t pos = 0;

	alt.text = ccfc_strndup(text.ptr, text.len);
	copy = ccfc_slice(alt.text, text.len);
	while (pos <= copy.len) {
		struct ccfc_slice part = next_component(copy, &pos);

		CCFC_VEC_PUSH(alt.parts, part);
	}
	find_ends(&alt, copy);
	glob->bytes += text.len;
	CCFC_VEC_PUSH(*glob, alt);
}

/*
 * The first group that is closed, from its brace to *end; p.len if there is
 * none. One pass: of all groups that turn out to be closed, the one that was
 * opened first.
 */
static size_t find_brace(struct ccfc_slice p, size_t *end)
{
	uint16_t open[PATTERN_MAX];
	size_t depth = 0, first = p.len;

	for (size_t i = 0; i < p.len; i++) {
		if (p.ptr[i] == '\\') {
			i++;
		} else if (p.ptr[i] == '{') {
			open[depth++] = (uint16_t)i;
		} else if (p.ptr[i] == '}' && depth) {
			if (open[--depth] < first) {
				first = open[depth];
				*end = i;
			}
			/* No open group began before it. */
			if (!depth)
				break;
		}
	}
	return first;
}

static int expand_braces(struct ccfc_glob *glob, struct ccfc_slice p, int depth,
			 struct ccfc_err *err);

/* Expands one choice of the group open..end, with the text around it. */
static int expand_choice(struct ccfc_glob *glob, struct ccfc_slice p,
			 size_t open, size_t end, struct ccfc_slice choice,
			 int depth, struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	int r;

	ccfc_buf_append(&text, p.ptr, open);
	ccfc_buf_slice(&text, choice);
	ccfc_buf_append(&text, p.ptr + end + 1, p.len - end - 1);
	r = expand_braces(glob, ccfc_buf_view(&text), depth + 1, err);
	ccfc_buf_release(&text);
	return r;
}

static int expand_braces(struct ccfc_glob *glob, struct ccfc_slice p, int depth,
			 struct ccfc_err *err)
{
	size_t end = 0, open = find_brace(p, &end), from;
	int nested = 0, r = 0;

	if (glob->n >= ALTERNATIVES_MAX || depth > BRACE_DEPTH_MAX ||
	    p.len > PATTERN_MAX || glob->bytes + p.len > EXPANDED_MAX)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "pattern: braces give too many choices");
	if (open == p.len) {
		add_alternative(glob, p);
		return 0;
	}
	from = open + 1;
	for (size_t i = from; i <= end && !r; i++) {
		char c = p.ptr[i];

		if (c == '\\') {
			i++;
			continue;
		}
		if (i == end || (c == ',' && !nested)) {
			r = expand_choice(glob, p, open, end,
					  ccfc_slice(p.ptr + from, i - from),
					  depth, err);
			from = i + 1;
		}
		nested += (c == '{') - (c == '}');
	}
	return r;
}

int ccfc_glob_new(struct ccfc_glob **out, struct ccfc_slice pattern,
		  struct ccfc_err *err)
{
	struct ccfc_glob *glob;
	int r;

	if (!pattern.len || pattern.len > PATTERN_MAX)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "pattern: empty or over %u bytes",
				    PATTERN_MAX);
	glob = ccfc_calloc(1, sizeof(*glob));
	glob->steps = UINT64_MAX;
	r = expand_braces(glob, pattern, 0, err);
	if (r) {
		ccfc_glob_free(glob);
		return r;
	}
	*out = glob;
	return 0;
}

void ccfc_glob_free(struct ccfc_glob *glob)
{
	if (!glob)
		return;
	for (uint32_t i = 0; i < glob->n; i++) {
		free(glob->items[i].text);
		free(glob->items[i].parts.items);
	}
	free(glob->items);
	free(glob);
}

/* --- anchoring --- */

static void append_escaped(struct ccfc_buf *out, struct ccfc_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (memchr("*?[]{}\\", text.ptr[i], 7))
			ccfc_buf_putc(out, '\\');
		ccfc_buf_putc(out, text.ptr[i]);
	}
}

/* Appends the components of a pattern, folding "." and "..". */
static void append_folded(struct ccfc_buf *out, size_t root,
			  struct ccfc_slice pattern)
{
	size_t pos = 0;

	while (pos <= pattern.len) {
		struct ccfc_slice part = next_component(pattern, &pos);

		if (!part.len || ccfc_slice_is(part, "."))
			continue;
		if (ccfc_slice_is(part, "..")) {
			while (out->len > root && out->ptr[--out->len] != '/')
				;
			continue;
		}
		ccfc_buf_putc(out, '/');
		ccfc_buf_slice(out, part);
	}
}

int ccfc_glob_anchor(struct ccfc_buf *out, struct ccfc_slice pattern,
		     struct ccfc_slice base, struct ccfc_err *err)
{
	size_t root = out->len;
	bool drive = pattern.len > 2 && pattern.ptr[1] == ':';

	if (!pattern.len)
		return ccfc_err_set(err, CCFC_EINVAL, "pattern: is empty");
	if (drive) {
		/* "C:/x" has no leading slash, nor have its paths. */
		ccfc_buf_append(out, pattern.ptr, 2);
		root += 2;
		pattern = ccfc_slice(pattern.ptr + 2, pattern.len - 2);
	} else if (pattern.ptr[0] != '/') {
		if (!base.len || base.ptr[0] != '/')
			return ccfc_err_set(err, CCFC_EINVAL,
					    "pattern: is relative and there "
					    "is no directory to start from");
		while (base.len && base.ptr[base.len - 1] == '/')
			base.len--;
		append_escaped(out, base);
	}
	append_folded(out, root, pattern);
	if (out->len == root)
		ccfc_buf_putc(out, '/');
	return 0;
}
