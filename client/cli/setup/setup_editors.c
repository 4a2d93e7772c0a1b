/*
 * Plugins for the user's editors; see setup.h. Editors look for plugins below
 * /usr, where an installation has put them. For any other prefix a small file
 * is written to where the editor looks in the home directory; that file loads
 * the installed plugin, so that an update of ccfc updates the plugin too.
 */
#include "cli/setup/installed.h"
#include "cli/setup/setup.h"
#include "cli/system/child.h"
#include "os/dirs.h"

#include <string.h>
#include <unistd.h>

static int under_home(struct ccfc_buf *out, const char *tail,
		      struct ccfc_err *err)
{
	int code = ccfc_dirs_home(out, err);

	if (!code)
		ccfc_buf_printf(out, "/%s", tail);
	return code;
}

static const struct editor {
	const char *program;
	const char *plugin; /* the installed directory, below share */
	const char *probe;  /* a file in it */
	bool local;	    /* also found below /usr/local */
	int (*place)(struct ccfc_buf *out, const char *tail,
		     struct ccfc_err *err);
	const char *tail;   /* below that place: the file to be written */
	const char *before; /* its text, around the name of the directory */
	const char *after;
	const char *what;
} editors[] = {
	{ "nvim", "nvim/site/pack/ccfc/start/ccfc", "plugin/ccfc.lua", true,
	  ccfc_dirs_user_data, "nvim/site/pack/ccfc/start/ccfc/plugin/ccfc.lua",
	  "-- Written by \"ccfc setup\"; \"ccfc setup --remove\" removes it.\n"
	  "local directory = \"",
	  "\"\n"
	  "if vim.fn.isdirectory(directory) == 1 then\n"
	  "  vim.opt.runtimepath:append(directory)\n"
	  "  dofile(directory .. \"/plugin/ccfc.lua\")\n"
	  "end\n",
	  "the plugin for Neovim" },
	{ "vim", "vim/vimfiles/pack/ccfc/start/ccfc", "plugin/ccfc.vim", false,
	  under_home, ".vim/pack/ccfc/start/ccfc/plugin/ccfc.vim",
	  "\" Written by \"ccfc setup\"; \"ccfc setup --remove\" removes it.\n"
	  "let s:directory = '",
	  "'\n"
	  "if isdirectory(s:directory) && !has('nvim')\n"
	  "  let &runtimepath .= ',' .. s:directory\n"
	  "  execute 'source' fnameescape(s:directory .. '/plugin/ccfc.vim')\n"
	  "endif\n",
	  "the plugin for Vim" },
};

/* Can the name stand in any editor's settings as it is? */
static bool is_plain(const char *path)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789/._+-@ ";

	return path[strspn(path, allowed)] == '\0';
}

static bool is_found_by_itself(const char *share, const struct editor *editor)
{
	return !strcmp(share, "/usr/share") ||
	       (editor->local && !strcmp(share, "/usr/local/share"));
}

static bool has_program(const char *name)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool found = ccfc_child_find(&path, name);

	ccfc_buf_release(&path);
	return found;
}

/* The text of the file; empty: none is needed. */
static void write_text(struct ccfc_buf *out, const char *share,
		       const struct editor *editor)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	ccfc_buf_printf(&path, "%s/%s/%s", share, editor->plugin,
			editor->probe);
	if (!is_found_by_itself(share, editor) && is_plain(share) &&
	    has_program(editor->program) && !access(path.ptr, R_OK))
		ccfc_buf_printf(out, "%s%s/%s%s", editor->before, share,
				editor->plugin, editor->after);
	ccfc_buf_release(&path);
}

static int plan_editor(struct ccfc_setup *s, const char *share,
		       const struct editor *editor, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	int code = editor->place(&path, editor->tail, err);

	write_text(&text, share, editor);
	/* Without a text: one that an earlier setup wrote is not needed. */
	if (!code)
		code = ccfc_setup_want(s, path.ptr, text.len ? text.ptr : NULL,
				       editor->what, err);
	ccfc_buf_release(&path);
	ccfc_buf_release(&text);
	return code < 0 ? code : 0;
}

int ccfc_setup_plan_editors(struct ccfc_setup *s, struct ccfc_err *err)
{
	struct ccfc_buf share = CCFC_BUF_INIT;
	int code = 0;

	ccfc_installed_share(&share);
	for (size_t i = 0; !code && i < sizeof(editors) / sizeof(*editors); i++)
		code = plan_editor(s, share.ptr, &editors[i], err);
	ccfc_buf_release(&share);
	return code;
}
