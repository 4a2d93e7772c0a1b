/* Restores tabs in the lines of a patch; see patch_fit.h. */
#include "history/step/patch_fit.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "history/step/text_lines.h"

#include <stdlib.h>

void ccfc_patch_fit_init(struct ccfc_patch_fit *unfold,
			 const struct ccfc_evidence *evidence,
			 enum ccfc_side side)
{
	*unfold = (struct ccfc_patch_fit){ .evidence = evidence, .side = side };
	ccfc_map_init(&unfold->map);
}

void ccfc_patch_fit_release(struct ccfc_patch_fit *unfold)
{
	free(unfold->lines.items);
	ccfc_map_release(&unfold->map);
}

static bool is_folded_line(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_patch_fit *unfold = ctx;

	return ccfc_line_shows(*(const struct ccfc_slice *)key,
			       unfold->lines.items[id].line);
}

static struct ccfc_patch_fit_line *
find_folded_line(const struct ccfc_patch_fit *unfold, struct ccfc_slice shown)
{
	uint32_t id = ccfc_map_get(&unfold->map, ccfc_hash_slice(shown),
				   is_folded_line, unfold, &shown);

	return id == CCFC_ID_NONE ? NULL : &unfold->lines.items[id];
}

static void fold_tabs(struct ccfc_buf *out, struct ccfc_slice line)
{
	size_t tabs = 0;

	ccfc_buf_clear(out);
	for (; tabs < line.len && line.ptr[tabs] == '\t'; tabs++)
		ccfc_buf_puts(out, "  ");
	ccfc_buf_append(out, line.ptr + tabs, line.len - tabs);
}

static void add_line(struct ccfc_patch_fit *unfold, struct ccfc_slice line,
		     struct ccfc_buf *scratch)
{
	struct ccfc_patch_fit_line fresh = { .line = line };
	struct ccfc_patch_fit_line *same;

	fold_tabs(scratch, line);
	if (!ccfc_slice_starts(ccfc_buf_view(scratch), "  "))
		return;
	same = find_folded_line(unfold, ccfc_buf_view(scratch));
	if (same) {
		same->several |= !ccfc_slice_eq(same->line, line);
		same->line = line;
		return;
	}
	ccfc_map_put(&unfold->map, ccfc_hash_slice(ccfc_buf_view(scratch)),
		     unfold->lines.n);
	CCFC_VEC_PUSH(unfold->lines, fresh);
}

static void add_patch_lines(struct ccfc_patch_fit *unfold,
			    struct ccfc_slice text, struct ccfc_buf *scratch)
{
	struct ccfc_text_lines lines = { 0 };

	ccfc_text_lines_read(&lines, text);
	for (uint32_t i = 0; i < lines.n; i++)
		add_line(unfold, lines.items[i], scratch);
	ccfc_text_lines_release(&lines);
}

static void make_fit_table(struct ccfc_patch_fit *unfold)
{
	const struct ccfc_evidence *ev = unfold->evidence;
	struct ccfc_buf scratch = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < ev->nedits; i++)
		add_patch_lines(unfold,
				unfold->side == CCFC_SIDE_OLD
					? ev->edits[i].old_text
					: ev->edits[i].new_text,
				&scratch);
	if (unfold->side == CCFC_SIDE_NEW && ev->has_after)
		add_patch_lines(unfold, ev->after, &scratch);
	unfold->made = true;
	ccfc_buf_release(&scratch);
}

struct ccfc_slice ccfc_patch_fit_get(struct ccfc_patch_fit *unfold,
				     struct ccfc_slice shown, bool *guessed)
{
	const struct ccfc_patch_fit_line *found;

	if (!ccfc_slice_starts(shown, "  "))
		return shown;
	if (!unfold->made)
		make_fit_table(unfold);
	found = find_folded_line(unfold, shown);
	if (!found || found->several)
		*guessed = true;
	return found ? found->line : shown;
}
