/* Previews and writes changes of files; see write_back.h. */
#include "cli/undo/write_back.h"

#include "base/alloc.h"
#include "cli/patch/patch.h"
#include "cli/write/claude_dirs.h"
#include "cli/write/old_content.h"
#include "diff/unified.h"

#include <stdlib.h>

int ccfc_write_back_recover(struct ccfc_err *err)
{
	struct ccfc_undo undo;
	int r = ccfc_undo_open(&undo, false, err);

	ccfc_undo_close(&undo);
	return r;
}

bool ccfc_write_back_restored(const struct ccfc_target *present)
{
	struct ccfc_undo undo;
	bool yes = !ccfc_undo_open(&undo, false, NULL) &&
		   ccfc_undo_restored(&undo, present->path, present->sha256);

	ccfc_undo_close(&undo);
	return yes;
}

void ccfc_write_back_preview(struct ccfc_out *out, const struct ccfc_cwd *where,
			     const struct ccfc_target *present,
			     const struct ccfc_file_edit *edit)
{
	struct ccfc_slice name =
		ccfc_cwd_short(where, ccfc_slice_str(edit->path));
	struct ccfc_buf diff = CCFC_BUF_INIT;
	struct ccfc_unified u = {
		.old_exists = present->exists,
		.new_exists = edit->exists,
		.old_text = ccfc_buf_view(&present->content),
		.new_text = edit->content,
		.context = 3,
	};

	if (name.len && name.ptr[0] == '/')
		name = ccfc_slice(name.ptr + 1, name.len - 1);
	u.name = name;
	if (ccfc_old_content_is_binary(u.old_text) ||
	    ccfc_old_content_is_binary(u.new_text)) {
		ccfc_out_field(out, name);
		ccfc_buf_printf(&out->buf, ": binary, %zu bytes, then %zu\n",
				u.old_text.len, u.new_text.len);
	} else {
		ccfc_unified(&diff, &u, NULL, NULL);
		ccfc_patch_print(out, ccfc_buf_view(&diff));
	}
	ccfc_out_check(out);
	ccfc_buf_release(&diff);
}

void ccfc_write_back_print_id(struct ccfc_out *out, const char *id)
{
	ccfc_buf_printf(&out->buf, "undo with: ccfc restore --undo %s\n", id);
}

int ccfc_write_back_check(const struct ccfc_cli *cli, const char *command,
			  const struct ccfc_cwd *where,
			  const struct ccfc_file_edit *edits, uint32_t n,
			  struct ccfc_err *err)
{
	const char **paths = ccfc_calloc((size_t)n + 1, sizeof(*paths));
	int r;

	for (uint32_t i = 0; i < n; i++)
		paths[i] = edits[i].path;
	r = ccfc_claude_roots_dirs_check(cli, command, where, paths, n, err);
	free(paths);
	return r;
}

int ccfc_write_back(char id[CCFC_UNDO_ID_MAX],
		    const struct ccfc_file_edits *edits, struct ccfc_err *err)
{
	struct ccfc_undo undo;
	int r = ccfc_undo_open(&undo, true, err);

	if (!r)
		r = ccfc_undo_apply(id, &undo, edits, err);
	ccfc_undo_close(&undo);
	return r;
}
