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

int ccfc_claude_roots_dirs_init(struct ccfc_roots *roots,
				const struct ccfc_cli *cli,
				struct ccfc_err *err)
{
	const char *mine = getenv("CLAUDE_CONFIG_DIR");
	struct ccfc_reply *reply;
	struct ccfc_obj list;
	int code;

	*roots = (struct ccfc_roots){ 0 };
	/* The daemon may have been started with another. */
	if (mine && *mine)
		CCFC_VEC_PUSH(*roots, ccfc_strdup(mine));
	code = ccfc_server_info(&reply, cli->client, err);
	if (code < 0)
		return code;
	list = ccfc_obj_get(ccfc_cli_value(reply), "roots");
	for (uint32_t i = 0; i < ccfc_obj_len(list); i++) {
		struct ccfc_slice path =
			ccfc_obj_get_str(ccfc_obj_at(list, i), "path");

		if (path.len)
			CCFC_VEC_PUSH(*roots, ccfc_strndup(path.ptr, path.len));
	}
	ccfc_reply_free(reply);
	return 0;
}

void ccfc_claude_roots_dirs_release(struct ccfc_roots *roots)
{
	for (uint32_t i = 0; i < roots->n; i++)
		free(roots->items[i]);
	free(roots->items);
}

int ccfc_claude_roots_dirs_refuse(const struct ccfc_roots *roots,
				  const char *command,
				  const struct ccfc_cwd *where,
				  const char *path, struct ccfc_err *err)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < roots->n; i++)
		code = ccfc_claude_roots_dirs_check_one(command, where, path,
							roots->items[i], err);
	return code;
}

int ccfc_claude_roots_dirs_check(const struct ccfc_cli *cli,
				 const char *command,
				 const struct ccfc_cwd *where,
				 const char *const *paths, uint32_t n,
				 struct ccfc_err *err)
{
	struct ccfc_roots roots;
	int code = ccfc_claude_roots_dirs_init(&roots, cli, err);

	for (uint32_t i = 0; !code && i < n; i++)
		code = ccfc_claude_roots_dirs_refuse(&roots, command, where,
						     paths[i], err);
	ccfc_claude_roots_dirs_release(&roots);
	return code;
}
