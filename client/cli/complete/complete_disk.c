/*
 * Files on disk, for bash; see complete.h. bash's own list starts after the
 * last '=' or ':' of a word, which is wrong for -oFILE, for lists, and for
 * names with these characters.
 */
#include "base/alloc.h"
#include "cli/complete/complete.h"

#include <dirent.h>
#include <sys/stat.h>

#define ENTRIES_MAX 2000

struct walk {
	struct ccfc_candidates *to;
	bool dirs_only;
	struct ccfc_slice typed; /* the directory, with its "/"; or empty */
	struct ccfc_slice name;	 /* how the name begins */
	struct ccfc_buf path;	 /* the directory, never empty */
	struct ccfc_buf word;	 /* a candidate */
};

static bool is_directory(struct walk *w, const char *name)
{
	size_t len = w->path.len;
	struct stat st;
	bool is;

	ccfc_buf_puts(&w->path, name);
	is = !stat(w->path.ptr, &st) && S_ISDIR(st.st_mode);
	w->path.len = len;
	w->path.ptr[len] = '\0';
	return is;
}

/* Hidden files are listed when a dot was typed. */
static bool is_wanted_name(const struct walk *w, const char *name)
{
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	if (name[0] == '.' && !w->name.len)
		return false;
	return !w->name.len || !strncmp(name, w->name.ptr, w->name.len);
}

static void add_entry(struct walk *w, const char *name)
{
	bool directory = is_directory(w, name);

	if (w->dirs_only && !directory)
		return;
	ccfc_buf_clear(&w->word);
	ccfc_buf_slice(&w->word, w->typed);
	ccfc_buf_puts(&w->word, name);
	if (directory)
		ccfc_buf_putc(&w->word, '/');
	ccfc_candidates_add(w->to, ccfc_buf_view(&w->word), CCFC_SLICE_NONE);
}

void ccfc_complete_disk(struct ccfc_candidates *to, bool dirs_only)
{
	struct walk w = { .to = to, .dirs_only = dirs_only };
	struct ccfc_slice prefix = to->prefix;
	uint32_t before = to->seen.n;
	size_t len = prefix.len;
	struct dirent *entry;
	DIR *dir;

	if (ccfc_slice_starts(prefix, "~"))
		return; /* the shell expands "~" */
	while (len && prefix.ptr[len - 1] != '/')
		len--;
	w.typed = ccfc_slice(prefix.ptr, len);
	w.name = ccfc_slice(prefix.ptr + len, prefix.len - len);
	ccfc_buf_slice(&w.path, w.typed);
	if (!len)
		ccfc_buf_puts(&w.path, "./");
	dir = opendir(w.path.ptr);
	while (dir && to->seen.n - before < ENTRIES_MAX &&
	       (entry = readdir(dir)))
		if (is_wanted_name(&w, entry->d_name))
			add_entry(&w, entry->d_name);
	if (dir)
		closedir(dir);
	ccfc_buf_release(&w.path);
	ccfc_buf_release(&w.word);
}
