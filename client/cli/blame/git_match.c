/* Lines of a file and lines of HEAD; see git_match.h. */
#include "cli/blame/git_match.h"

#include "diff/diff.h"

static bool starts_at(struct ccfc_slice s, size_t i, const char *what)
{
	return ccfc_slice_starts(ccfc_slice(s.ptr + i, s.len - i), what);
}

static bool has_crlf(struct ccfc_slice s)
{
	for (size_t i = 0; i + 1 < s.len; i++)
		if (s.ptr[i] == '\r' && s.ptr[i + 1] == '\n')
			return true;
	return false;
}

/* A NUL, or a CR without LF: "auto" does not convert such a file. */
static bool looks_binary(struct ccfc_slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!s.ptr[i] || (s.ptr[i] == '\r' &&
				  (i + 1 == s.len || s.ptr[i + 1] != '\n')))
			return true;
	return false;
}

static bool turns_crlf(const struct ccfc_git_attrs *attrs,
		       struct ccfc_slice head, struct ccfc_slice content)
{
	if (attrs->eol != CCFC_EOL_AUTO)
		return attrs->eol == CCFC_EOL_TURNED;
	return !has_crlf(head) && !looks_binary(content);
}

/* The length of "$Id: …$" at the beginning of `s`; 0: none. */
static size_t ident_length(struct ccfc_slice s)
{
	static const char id[] = "$Id:";

	if (!ccfc_slice_starts(s, id))
		return 0;
	for (size_t i = sizeof(id) - 1; i < s.len && s.ptr[i] != '\n'; i++)
		if (s.ptr[i] == '$')
			return i + 1;
	return 0;
}

/* Appends `s` as git would store it. The number of lines stays the same. */
static void clean_as_git(struct ccfc_buf *out, struct ccfc_slice s, bool crlf,
			 bool ident)
{
	for (size_t i = 0; i < s.len;) {
		size_t n = 0;

		if (ident && s.ptr[i] == '$')
			n = ident_length(ccfc_slice(s.ptr + i, s.len - i));
		if (n)
			ccfc_buf_puts(out, "$Id$");
		else if (!crlf || !starts_at(s, i, "\r\n"))
			ccfc_buf_putc(out, s.ptr[i]);
		i += n ? n : 1;
	}
}

/* For -w: removes white space except newlines; the last line gets a newline. */
static struct ccfc_slice remove_white_space(struct ccfc_arena *arena,
					    struct ccfc_slice s)
{
	char *to = ccfc_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == '\n' || !strchr(" \t\r\v\f", s.ptr[i]) ||
		    !s.ptr[i])
			to[n++] = s.ptr[i];
	if (s.len && s.ptr[s.len - 1] != '\n')
		to[n++] = '\n';
	return ccfc_slice(to, n);
}

/* Walks along both texts: between the blocks of the diff lines are equal. */
static void pair_lines(struct ccfc_git_match *m, const struct ccfc_diff *diff,
		       const struct ccfc_git_match_range *range)
{
	uint32_t block = 0;
	int64_t shift = 0; /* from a line of the file to that of HEAD */

	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t at = (uint32_t)(range->from - 1) + i, head;
		const struct ccfc_block *b;

		for (; block < diff->n; block++) {
			b = &diff->blocks[block];
			if (at < b->b + b->bn)
				break;
			shift = (int64_t)b->a + b->an - b->b - b->bn;
		}
		if (block < diff->n && at >= diff->blocks[block].b)
			continue;
		head = (uint32_t)(at + shift) + 1;
		m->lines[i].head = head;
		if (!m->first)
			m->first = head;
		m->last = head;
	}
}

static void fill_texts(struct ccfc_git_match *m, struct ccfc_slice content,
		       const struct ccfc_git_match_range *range)
{
	struct ccfc_split raw;
	int64_t to;

	ccfc_split(&raw, content, &m->arena);
	to = range->to < raw.n ? range->to : raw.n;
	if (to < range->from)
		return;
	m->n = (uint32_t)(to - range->from + 1);
	m->lines = ccfc_arena_alloc(&m->arena, m->n * sizeof(*m->lines));
	for (uint32_t i = 0; i < m->n; i++) {
		struct ccfc_slice s = raw.lines[range->from - 1 + i];

		if (ccfc_slice_ends(s, "\n"))
			s.len--;
		m->lines[i] = (struct ccfc_git_match_line){ 0, s };
	}
}

void ccfc_git_match(struct ccfc_git_match *m, struct ccfc_slice head,
		    struct ccfc_slice content,
		    const struct ccfc_git_attrs *attrs,
		    const struct ccfc_git_match_range *range)
{
	bool crlf = turns_crlf(attrs, head, content);
	struct ccfc_buf cleaned = CCFC_BUF_INIT;
	struct ccfc_split old, new;
	struct ccfc_slice ours = content;
	struct ccfc_diff diff;

	fill_texts(m, content, range);
	if (crlf || attrs->ident) {
		clean_as_git(&cleaned, content, crlf, attrs->ident);
		ours = ccfc_buf_view(&cleaned);
	}
	if (range->ignore_space) {
		head = remove_white_space(&m->arena, head);
		ours = remove_white_space(&m->arena, ours);
	}
	ccfc_split(&old, head, &m->arena);
	ccfc_split(&new, ours, &m->arena);
	ccfc_diff(&diff, &old, &new, &m->arena);
	pair_lines(m, &diff, range);
	ccfc_buf_release(&cleaned);
}
