/*
 * Plugins for the user's editors; see setup.h. Editors find plugins that are
 * installed below /usr. With any other prefix, a small file in the home
 * directory loads the installed plugin, so that an update of ccfc updates the
 * plugin, too.
 *
 * - Emacs only finds packages there: two files make the commands known, and
 *   turn nothing on.
 * - Kakoune has a directory `autoload`. If the user has one, Kakoune ignores
 *   the system's. So the user's is only used, never made.
 * - VS Code installs extensions itself.
 *
 * Notes say what the user has to do.
 */
#include "base/path.h"
#include "cli/setup/installed.h"
#include "cli/setup/setup.h"
#include "cli/system/child.h"
#include "cli/system/file_io.h"
#include "os/dirs.h"

#include <dirent.h>
#include <fcntl.h>
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

/* Of the site, below share; of the user, below user-emacs-directory. */
#define EMACS_PLUGIN  "emacs/site-lisp/ccfc"
#define EMACS_PACKAGE "elpa/ccfc-0/"

static bool path_exists(const char *path)
{
	return !access(path, F_OK);
}

/* As Emacs chooses: ~/.emacs.d, unless only the other one exists. */
static int under_emacs(struct ccfc_buf *out, const char *tail,
		       struct ccfc_err *err)
{
	static const char *const old[] = { ".emacs.d", ".emacs", ".emacs.el" };
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool is_old = false;
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(old) / sizeof(*old); i++) {
		ccfc_buf_clear(&path);
		code = under_home(&path, old[i], err);
		is_old |= !code && path_exists(path.ptr);
	}
	ccfc_buf_clear(&path);
	if (!code)
		code = ccfc_dirs_user_config(&path, "emacs", err);
	if (!code && (is_old || !path_exists(path.ptr))) {
		ccfc_buf_clear(&path);
		code = under_home(&path, ".emacs.d", err);
	}
	if (!code)
		ccfc_buf_printf(out, "%s/%s", path.ptr, tail);
	ccfc_buf_release(&path);
	return code;
}

/* Is the directory of the file there? */
static bool has_directory(const char *path)
{
	struct ccfc_slice file = ccfc_slice_str(path);
	struct ccfc_buf dir = CCFC_BUF_INIT;
	bool there;

	ccfc_buf_append(&dir, path, file.len - ccfc_path_basename(file).len);
	there = path_exists(dir.ptr);
	ccfc_buf_release(&dir);
	return there;
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
	bool (*is_safe)(const char *path); /* may it be written? NULL: yes */
	const char *note; /* when it is written, for the user to do */
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
	  "the plugin for Neovim", NULL, NULL },
	{ "vim", "vim/vimfiles/pack/ccfc/start/ccfc", "plugin/ccfc.vim", false,
	  under_home, ".vim/pack/ccfc/start/ccfc/plugin/ccfc.vim",
	  "\" Written by \"ccfc setup\"; \"ccfc setup --remove\" removes it.\n"
	  "let s:directory = '",
	  "'\n"
	  "if isdirectory(s:directory) && !has('nvim')\n"
	  "  let &runtimepath .= ',' .. s:directory\n"
	  "  execute 'source' fnameescape(s:directory .. '/plugin/ccfc.vim')\n"
	  "endif\n",
	  "the plugin for Vim", NULL, NULL },
	{ "emacs", EMACS_PLUGIN, "ccfc.el", true, under_emacs,
	  EMACS_PACKAGE "ccfc-pkg.el",
	  ";;; -*- no-byte-compile: t -*-\n"
	  ";; Written by \"ccfc setup\"; \"ccfc setup --remove\" removes it.\n"
	  ";; It loads ",
	  "\n"
	  "(define-package \"ccfc\" \"0\"\n"
	  "  \"Which session of Claude Code changed a file\"\n"
	  "  '((emacs \"27.1\")))\n",
	  "the package for Emacs", NULL, NULL },
	{ "emacs", EMACS_PLUGIN, "ccfc.el", true, under_emacs,
	  EMACS_PACKAGE "ccfc-autoloads.el",
	  ";;; -*- lexical-binding: t; no-byte-compile: t -*-\n"
	  ";; Written by \"ccfc setup\"; \"ccfc setup --remove\" removes it.\n"
	  "(let ((directory \"",
	  "\"))\n"
	  "  (when (file-directory-p directory)\n"
	  "    (add-to-list 'load-path directory)\n"
	  "    (autoload 'ccfc-mode \"ccfc\" nil t)\n"
	  "    (autoload 'global-ccfc-mode \"ccfc\" nil t)))\n",
	  "the package for Emacs", NULL,
	  "Emacs: have (global-ccfc-mode) in your init file" },
	{ "kak", "kak/rc/tools", "ccfc.kak", false, ccfc_dirs_user_config,
	  "kak/autoload/ccfc.kak",
	  "# Written by \"ccfc setup\"; \"ccfc setup --remove\" removes it.\n"
	  "evaluate-commands %sh{\n"
	  "\tdirectory='",
	  "'\n"
	  "\t[ -r \"$directory/ccfc.kak\" ] || exit 0\n"
	  "\tprintf \"source '%s/ccfc.kak'\\n\" \"$directory\"\n"
	  "}\n",
	  "the plugin for Kakoune", has_directory,
	  "Kakoune: have ccfc-enable in your kakrc" },
};

/* Can any editor's settings contain the name unquoted? */
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

/* Does the user's file contain the word? */
static bool file_mentions(const char *path, const char *word)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct ccfc_buf text = CCFC_BUF_INIT;
	bool found = false;

	if (fd < 0)
		return false;
	if (!ccfc_read_all(&text, fd))
		found = ccfc_slice_contains(ccfc_buf_view(&text), word);
	close(fd);
	ccfc_buf_release(&text);
	return found;
}

/* Kakoune without a directory of the user's own. */
static int note_kakrc(struct ccfc_setup *s, const char *share,
		      struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	int code = ccfc_dirs_user_config(&path, "kak/kakrc", err);

	if (!code && !file_mentions(path.ptr, "ccfc.kak")) {
		ccfc_buf_printf(&text,
				"Kakoune: have source '%s/kak/rc/tools/"
				"ccfc.kak' and ccfc-enable in your kakrc",
				share);
		ccfc_setup_add(s, CCFC_SETUP_STEP_NOTE, text.ptr, NULL);
	}
	ccfc_buf_release(&path);
	ccfc_buf_release(&text);
	return code;
}

static int plan_editor(struct ccfc_setup *s, const char *share,
		       const struct editor *editor, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	int code = editor->place(&path, editor->tail, err);
	bool safe = !code && (!editor->is_safe || editor->is_safe(path.ptr));

	write_text(&text, share, editor);
	if (!code && text.len && !safe)
		code = note_kakrc(s, share, err);
	/* Without a text: one that an earlier setup wrote is not needed. */
	if (!code)
		code = ccfc_setup_want(s, path.ptr,
				       text.len && safe ? text.ptr : NULL,
				       editor->what, err);
	if (code > 0 && text.len && safe && editor->note)
		ccfc_setup_add(s, CCFC_SETUP_STEP_NOTE, editor->note, NULL);
	ccfc_buf_release(&path);
	ccfc_buf_release(&text);
	return code < 0 ? code : 0;
}

/* --- VS Code --- */

static const struct vscode {
	const char *program;
	const char *extensions; /* below the home directory */
} vscodes[] = {
	{ "code", ".vscode/extensions" },
	{ "codium", ".vscode-oss/extensions" },
	{ "code-server", ".local/share/code-server/extensions" },
};

static bool has_extension(const char *dir)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	bool found = false;

	while (stream && !found && (entry = readdir(stream)))
		found = ccfc_slice_starts(ccfc_slice_str(entry->d_name),
					  "ccfc.ccfc-");
	if (stream)
		closedir(stream);
	return found;
}

/* Notes that the user can have VS Code install the extension. */
static int note_extension(struct ccfc_setup *s, const struct vscode *vscode,
			  struct ccfc_err *err)
{
	struct ccfc_buf dir = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	int code = under_home(&dir, vscode->extensions, err);

	if (!code && !has_extension(dir.ptr)) {
		ccfc_buf_printf(&text,
				"VS Code: client/editors/vscode/build of the "
				"sources makes ccfc.vsix; then %s "
				"--install-extension ccfc.vsix",
				vscode->program);
		ccfc_setup_add(s, CCFC_SETUP_STEP_NOTE, text.ptr, NULL);
	}
	ccfc_buf_release(&dir);
	ccfc_buf_release(&text);
	return code;
}

int ccfc_setup_plan_editors(struct ccfc_setup *s, struct ccfc_err *err)
{
	struct ccfc_buf share = CCFC_BUF_INIT;
	int code = 0;

	ccfc_installed_share(&share);
	for (size_t i = 0; !code && i < sizeof(editors) / sizeof(*editors); i++)
		code = plan_editor(s, share.ptr, &editors[i], err);
	for (size_t i = 0; !code && i < sizeof(vscodes) / sizeof(*vscodes); i++)
		if (has_program(vscodes[i].program))
			code = note_extension(s, &vscodes[i], err);
	ccfc_buf_release(&share);
	return code;
}
