/* What was installed with the command; see installed.h. */
#include "cli/setup/installed.h"

#include "base/path.h"
#include "cli/frame/cwd.h"
#include "cli/system/child.h"
#include "lib/lib.h"
#include "os/own_path.h"

#include <stdlib.h>
#include <unistd.h>

void ccfc_installed_share(struct ccfc_buf *out)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool found = false;

	if (ccfc_own_path(&path)) {
		path.len -= ccfc_path_basename(ccfc_buf_view(&path)).len;
		ccfc_buf_puts(&path, "../share/ccfc");
		found = ccfc_cwd_is_directory(path.ptr);
	}
	path.len -= found ? strlen("/ccfc") : 0;
	if (!found || !ccfc_path_normalise(out, ccfc_buf_view(&path),
					   CCFC_SLICE_NONE, CCFC_SLICE_NONE))
		ccfc_buf_puts(out, CCFC_DATADIR);
	ccfc_buf_release(&path);
}

int ccfc_installed_daemon(struct ccfc_buf *out, struct ccfc_err *err)
{
	char *named = ccfc_lib_find_daemon();
	struct ccfc_cwd where = { 0 };
	size_t start = out->len;
	int code = 0;

	if (!strchr(named, '/')) {
		ccfc_child_find(out, named);
	} else {
		code = ccfc_cwd_init(&where, err);
		if (!code) {
			char *path = ccfc_cwd_absolute(&where, named);

			if (!access(path, X_OK))
				ccfc_buf_puts(out, path);
			free(path);
		}
		ccfc_cwd_release(&where);
	}
	if (!code && out->len == start) {
		code = ccfc_err_set(err, CCFC_EIO, "%s: not found", named);
		ccfc_err_hint(err, "install ccfcd beside ccfc or set "
				   "CCFC_DAEMON");
	}
	free(named);
	return code;
}
