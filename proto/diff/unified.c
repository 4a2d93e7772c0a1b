/*
 * Unified diffs in git's form; see unified.h. Two kinds of names are quoted
 * although git would not do so, because patch reads them wrong (git reads
 * both): a name that ends in a space, which patch cuts off; and a name with a
 * space that is only in the "diff --git" line (of an empty file that is created
 * or deleted), where patch ends the name at the first space.
 */
#include "diff/unified.h"

/* git's short ids of an empty file and of no file. */
#define EMPTY	   "e69de29"
#define NOTHING	   "0000000"
#define NO_NEWLINE "\\ No newline at end of file\n"

static bool must_quote(struct ccfc_slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.ptr[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			return true;
	}
	return ccfc_slice_ends(name, " ");
}

static bool has_space(struct ccfc_slice name)
{
	return name.len && memchr(name.ptr, ' ', name.len);
}

static void put_escaped(struct ccfc_buf *out, unsigned char c)
{
	static const char letters[] = "abtnvfr"; /* from 7 on */

	if (c >= 7 && c <= 13)
		ccfc_buf_printf(out, "\\%c", letters[c - 7]);
	else if (c == '"' || c == '\\')
		ccfc_buf_printf(out, "\\%c", c);
	else if (c < 0x20 || c >= 0x7f)
		ccfc_buf_printf(out, "\\%03o", c);
	else
		ccfc_buf_putc(out, (char)c);
}

static void put_name(struct ccfc_buf *out, const char *prefix,
		     struct ccfc_slice name, bool quote)
{
	if (!quote) {
		ccfc_buf_puts(out, prefix);
		ccfc_buf_slice(out, name);
		return;
	}
	ccfc_buf_putc(out, '"');
	ccfc_buf_puts(out, prefix);
	for (size_t i = 0; i < name.len; i++)
		put_escaped(out, (unsigned char)name.ptr[i]);
	ccfc_buf_putc(out, '"');
}

void ccfc_unified_name(struct ccfc_buf *out, const char *prefix,
		       struct ccfc_slice name)
{
	put_name(out, prefix, name, must_quote(name));
}

/* "--- a/name" or "+++ b/name"; a tab marks the end of a name with spaces. */
static void put_side(struct ccfc_buf *out, const char *mark, const char *prefix,
		     struct ccfc_slice name, bool exists)
{
	ccfc_buf_puts(out, mark);
	if (exists) {
		ccfc_unified_name(out, prefix, name);
		if (has_space(name))
			ccfc_buf_putc(out, '\t');
	} else {
		ccfc_buf_puts(out, "/dev/null");
	}
	ccfc_buf_putc(out, '\n');
}

static void put_header(struct ccfc_buf *out, const struct ccfc_unified *u,
		       bool hunks)
{
	bool quote = must_quote(u->name) || (!hunks && has_space(u->name));

	ccfc_buf_puts(out, "diff --git ");
	put_name(out, "a/", u->name, quote);
	ccfc_buf_putc(out, ' ');
	put_name(out, "b/", u->name, quote);
	ccfc_buf_putc(out, '\n');
	if (!u->old_exists)
		ccfc_buf_puts(out, "new file mode 100644\n");
	if (!u->new_exists)
		ccfc_buf_puts(out, "deleted file mode 100644\n");
	if (!hunks) {
		/* Only this line tells `patch -R` that the file is empty. */
		ccfc_buf_printf(out, "index %s..%s\n",
				u->old_exists ? EMPTY : NOTHING,
				u->new_exists ? EMPTY : NOTHING);
		return;
	}
	put_side(out, "--- ", "a/", u->name, u->old_exists);
	put_side(out, "+++ ", "b/", u->name, u->new_exists);
}

/* An empty range is named by the line before it. */
static void put_range(struct ccfc_buf *out, char mark, uint32_t start,
		      uint32_t n)
{
	ccfc_buf_printf(out, "%c%u", mark, n ? start + 1 : start);
	if (n != 1)
		ccfc_buf_printf(out, ",%u", n);
}

static void put_lines(struct ccfc_buf *out, char mark,
		      const struct ccfc_split *text, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < from + n; i++) {
		struct ccfc_slice line = text->lines[i];

		ccfc_buf_putc(out, mark);
		ccfc_buf_slice(out, line);
		if (!ccfc_slice_ends(line, "\n"))
			ccfc_buf_puts(out, "\n" NO_NEWLINE);
	}
}

struct texts {
	struct ccfc_split a, b;
	uint32_t context;
};

/* How many blocks from the first on share a hunk: their context touches. */
static uint32_t hunk_blocks(const struct ccfc_block *blocks, uint32_t n,
			    uint32_t context)
{
	uint32_t k = 1;

	while (k < n && blocks[k].a - (blocks[k - 1].a + blocks[k - 1].an) <=
				2 * (uint64_t)context)
		k++;
	return k;
}

static void put_hunk(struct ccfc_buf *out, const struct texts *t,
		     const struct ccfc_block *blocks, uint32_t n)
{
	const struct ccfc_block *last = &blocks[n - 1];
	uint32_t a_end = last->a + last->an, b_end = last->b + last->bn;
	uint32_t before = blocks->a < t->context ? blocks->a : t->context;
	uint32_t rest = t->a.n - a_end;
	uint32_t after = rest < t->context ? rest : t->context;
	uint32_t a = blocks->a - before, b = blocks->b - before;

	ccfc_buf_puts(out, "@@ ");
	put_range(out, '-', a, a_end + after - a);
	ccfc_buf_putc(out, ' ');
	put_range(out, '+', b, b_end + after - b);
	ccfc_buf_puts(out, " @@\n");
	for (uint32_t i = 0; i < n; i++) {
		put_lines(out, ' ', &t->a, a, blocks[i].a - a);
		put_lines(out, '-', &t->a, blocks[i].a, blocks[i].an);
		put_lines(out, '+', &t->b, blocks[i].b, blocks[i].bn);
		a = blocks[i].a + blocks[i].an;
	}
	put_lines(out, ' ', &t->a, a, after);
}

void ccfc_unified(struct ccfc_buf *out, const struct ccfc_unified *u,
		  uint64_t *added, uint64_t *removed)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct texts t = { .context = u->context };
	struct ccfc_diff diff;

	ccfc_split(&t.a, u->old_text, &arena);
	ccfc_split(&t.b, u->new_text, &arena);
	ccfc_diff(&diff, &t.a, &t.b, &arena);
	if (diff.n || u->old_exists != u->new_exists)
		put_header(out, u, diff.n > 0);
	for (uint32_t i = 0, n; i < diff.n; i += n) {
		n = hunk_blocks(&diff.blocks[i], diff.n - i, u->context);
		put_hunk(out, &t, &diff.blocks[i], n);
	}
	if (added)
		*added = diff.added;
	if (removed)
		*removed = diff.removed;
	ccfc_arena_release(&arena);
}
