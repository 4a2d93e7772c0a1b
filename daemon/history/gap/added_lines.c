/* The lines that a gap added; see added_lines.h. */
#include "history/gap/added_lines.h"

#include "base/hash.h"
#include "diff/diff.h"
#include "shell/shell.h"

/*
 * A line with this many letters and digits is unlikely to be written twice by
 * chance.
 */
#define MEANT_MIN 16u
/*
 * Limits for texts that are compared, and for text that a command may have
 * added.
 */
#define TEXT_MAX  ((size_t)4 << 20)
#define ADDED_MAX ((size_t)CCFC_SHELL_COMMAND_MAX)

static struct ccfc_slice trim_space(struct ccfc_slice s)
{
	while (s.len && strchr(" \t\r\n", s.ptr[s.len - 1]) && s.ptr[s.len - 1])
		s.len--;
	while (s.len && strchr(" \t", *s.ptr) && *s.ptr)
		s = ccfc_slice_from(s, 1);
	return s;
}

bool ccfc_text_has(struct ccfc_slice text, struct ccfc_slice part)
{
	return part.len <= text.len &&
	       memmem(text.ptr, text.len, part.ptr, part.len);
}

static bool is_distinctive(struct ccfc_slice line)
{
	uint32_t n = 0;

	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = (unsigned char)line.ptr[i];

		n += (c >= '0' && c <= '9') ||
		     ((c | 32) >= 'a' && (c | 32) <= 'z') || c >= 0x80;
	}
	return n >= MEANT_MIN;
}

/* The text after a gap. */
static bool read_text_after_gap(struct ccfc_buf *out, struct ccfc_chain *chain,
				uint32_t i)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_form form;
	bool got;

	if (i < chain->n)
		return ccfc_chain_text(out, chain, i, false);
	got = ccfc_chain_disk_bytes(&bytes, chain);
	if (got)
		ccfc_form_decode(out, &form, ccfc_buf_view(&bytes));
	ccfc_buf_release(&bytes);
	return got &&
	       ccfc_hash_slice(ccfc_buf_view(out)) == chain->disk_state.hash;
}

static void collect_added_lines(struct ccfc_added_lines *a,
				struct ccfc_slice before,
				struct ccfc_slice after)
{
	struct ccfc_split x, y;
	struct ccfc_diff diff;
	size_t bytes = 0;

	ccfc_split(&x, before, &a->arena);
	ccfc_split(&y, after, &a->arena);
	ccfc_diff(&diff, &x, &y, &a->arena);
	a->lines = ccfc_arena_alloc(&a->arena,
				    (diff.added + 1u) * sizeof(*a->lines));
	for (uint32_t k = 0; k < diff.n; k++) {
		const struct ccfc_block *block = &diff.blocks[k];

		for (uint32_t b = block->b; b < block->b + block->bn; b++) {
			struct ccfc_slice line = trim_space(y.lines[b]);

			bytes += line.len;
			if (!line.len)
				continue;
			a->lines[a->n++] = line;
			/* Moved text is not new. */
			a->meant |= is_distinctive(line) &&
				    !ccfc_text_has(before, line);
		}
	}
	if (bytes > ADDED_MAX)
		a->meant = false;
}

bool ccfc_added_lines_find(struct ccfc_added_lines *a, struct ccfc_chain *chain,
			   uint32_t i)
{
	struct ccfc_buf before = CCFC_BUF_INIT, after = CCFC_BUF_INIT;
	bool got = true;

	*a = (struct ccfc_added_lines){ .arena = CCFC_ARENA_INIT };
	if (chain->nodes[i - 1].after.exists)
		got = ccfc_chain_text(&before, chain, i - 1, true);
	if (got && read_text_after_gap(&after, chain, i) &&
	    before.len <= TEXT_MAX && after.len <= TEXT_MAX) {
		struct ccfc_slice copy =
			ccfc_arena_copy(&a->arena, ccfc_buf_view(&after));

		collect_added_lines(a, ccfc_buf_view(&before), copy);
	}
	ccfc_buf_release(&before);
	ccfc_buf_release(&after);
	return a->meant;
}
