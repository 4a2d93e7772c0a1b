/*
 * The diff of a call that edits a file, from its input alone: what readers of a
 * conversation want to see, not the fields of the tool. The numbers of lines
 * are those of the edited text, since the file's are not in the input; so the
 * diff has no hunk headers.
 */
#include "cli/conversation/message_stream.h"

#include "diff/unified.h"

#define TEXT_MAX ((size_t)1 << 20) /* a longer edit has no diff */

/* Copies the hunks without their heads, with "…" between them. */
static void put_hunks(struct ccfc_buf *out, struct ccfc_slice diff)
{
	bool body = false;

	while (diff.len) {
		const char *nl = memchr(diff.ptr, '\n', diff.len);
		size_t n = nl ? (size_t)(nl - diff.ptr) + 1 : diff.len;
		struct ccfc_slice line = ccfc_slice(diff.ptr, n);
		bool hunk = ccfc_slice_starts(line, "@@");

		if (hunk && body)
			ccfc_buf_puts(out, "…\n");
		else if (!hunk && body && line.ptr[0] != '\\')
			ccfc_buf_slice(out, line);
		body |= hunk;
		diff = ccfc_slice(diff.ptr + n, diff.len - n);
	}
}

static bool put_edit(struct ccfc_buf *out, struct ccfc_obj edit)
{
	struct ccfc_obj old = ccfc_obj_get(edit, "old_string");
	struct ccfc_obj fresh = ccfc_obj_get(edit, "new_string");
	struct ccfc_buf diff = CCFC_BUF_INIT;
	struct ccfc_unified u = { .name = CCFC_SLICE_LIT("f"),
				  .old_exists = true,
				  .new_exists = true,
				  .old_text = ccfc_obj_str(old),
				  .new_text = ccfc_obj_str(fresh),
				  .context = 3 };

	if (!ccfc_obj_is_str(old) || !ccfc_obj_is_str(fresh) ||
	    u.old_text.len + u.new_text.len > TEXT_MAX)
		return false;
	ccfc_unified(&diff, &u, NULL, NULL);
	put_hunks(out, ccfc_buf_view(&diff));
	ccfc_buf_release(&diff);
	return true;
}

bool ccfc_call_diff(struct ccfc_buf *out, struct ccfc_obj call)
{
	struct ccfc_obj input = ccfc_obj_get(call, "input");
	struct ccfc_obj edits = ccfc_obj_get(input, "edits");
	size_t before = out->len;

	if (put_edit(out, input))
		return out->len > before;
	for (uint32_t i = 0; i < ccfc_obj_len(edits); i++) {
		if (i)
			ccfc_buf_puts(out, "…\n");
		if (!put_edit(out, ccfc_obj_at(edits, i)))
			return false;
	}
	return out->len > before;
}
