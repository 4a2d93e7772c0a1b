/* The directories of Claude Code; see claude_dirs.h. */
#include "cli/write/claude_dirs.h"

#include "base/alloc.h"
#include "base/path.h"
#include "cli/frame/connect.h"

#include <stdlib.h>

int ccfc_claude_roots_dirs_check_one(const char *command,
				     const struct ccfc_cwd *where,
				     const char *path, const char *root,
				     struct ccfc_err *err)
{
	char *real_root = ccfc_cwd_real(where, root);
	char *real = ccfc_cwd_real(where, path);
	int code = 0;

	if (*root &&
	    ccfc_path_is_below(ccfc_slice_str(real), ccfc_slice_str(real_root)))
		code = ccfc_err_set(err, CCFC_EDENIED,
				    "%s: %s: below %s, where nothing is "
				    "written",
				    command, path, root);
	free(real_root);
	free(real);
	return code;
}

int ccfc_claude_roots_dirs_check(const struct ccfc_cli *cli,
				 const char *command,
				 const struct ccfc_cwd *where,
				 const char *const *paths, uint32_t n,
				 struct ccfc_err *err)
{
	struct ccfc_reply *reply;
	struct ccfc_obj roots;
	int code = ccfc_server_info(&reply, cli->client, err);

	if (code < 0)
		return code;
	roots = ccfc_obj_get(ccfc_cli_value(reply), "roots");
	for (uint32_t i = 0; !code && i < ccfc_obj_len(roots); i++) {
		struct ccfc_slice text =
			ccfc_obj_get_str(ccfc_obj_at(roots, i), "path");
		char *root = ccfc_strndup(text.len ? text.ptr : "", text.len);

		for (uint32_t k = 0; !code && k < n; k++)
			code = ccfc_claude_roots_dirs_check_one(
				command, where, paths[k], root, err);
		free(root);
	}
	ccfc_reply_free(reply);
	return code;
}
