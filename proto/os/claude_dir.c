/* Claude Code's directories; see claude_dir.h. */
#include "os/claude_dir.h"

#include "base/alloc.h"
#include "base/path.h"
#include "os/config_file.h"
#include "os/dirs.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void ccfc_claude_roots_release(struct ccfc_claude_roots *roots)
{
	for (uint32_t i = 0; i < roots->n; i++)
		free(roots->items[i]);
	free(roots->items);
	*roots = (struct ccfc_claude_roots){ 0 };
}

static bool normalise(struct ccfc_buf *out, const char *path)
{
	struct ccfc_buf home = CCFC_BUF_INIT;
	char here[PATH_MAX];
	bool ok;

	if (!getcwd(here, sizeof(here)))
		here[0] = '\0';
	ccfc_dirs_home(&home, NULL);
	ok = ccfc_path_normalise(out, ccfc_slice_str(path),
				 ccfc_slice_str(here), ccfc_buf_view(&home));
	ccfc_buf_release(&home);
	return ok;
}

bool ccfc_claude_roots_add(struct ccfc_claude_roots *roots, const char *path)
{
	struct ccfc_buf root = CCFC_BUF_INIT;

	if (!normalise(&root, path)) {
		ccfc_buf_release(&root);
		return false;
	}
	for (uint32_t i = 0; i < roots->n; i++) {
		if (!strcmp(roots->items[i], root.ptr)) {
			ccfc_buf_release(&root);
			return true;
		}
	}
	CCFC_VEC_PUSH(*roots, ccfc_buf_detach(&root, NULL));
	return true;
}

static void add_listed(struct ccfc_claude_roots *roots, const char *value)
{
	struct stat st;
	char *copy, *save = NULL;

	/* A directory may have a colon in its name. */
	if (!strchr(value, ':') || !stat(value, &st)) {
		ccfc_claude_roots_add(roots, value);
		return;
	}
	copy = ccfc_strdup(value);
	for (char *w = strtok_r(copy, ":", &save); w;
	     w = strtok_r(NULL, ":", &save))
		ccfc_claude_roots_add(roots, w);
	free(copy);
}

void ccfc_claude_roots_add_default(struct ccfc_claude_roots *roots)
{
	const char *dir = getenv("CLAUDE_CONFIG_DIR");
	struct ccfc_buf path = CCFC_BUF_INIT;

	if (dir && *dir) {
		add_listed(roots, dir);
		return;
	}
	if (ccfc_dirs_home(&path, NULL) < 0)
		return;
	ccfc_buf_puts(&path, "/.claude");
	ccfc_claude_roots_add(roots, path.ptr);
	ccfc_buf_release(&path);
}

static int add_root(void *data, const char *key, char *value)
{
	return !strcmp(key, "root") && !ccfc_claude_roots_add(data, value)
		       ? CCFC_EINVAL
		       : 0;
}

void ccfc_claude_roots_add_all(struct ccfc_claude_roots *roots)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	ccfc_claude_roots_add_default(roots);
	if (!ccfc_dirs_config(&path, NULL))
		ccfc_config_file_read(path.ptr, false, add_root, roots, NULL);
	ccfc_buf_release(&path);
}
