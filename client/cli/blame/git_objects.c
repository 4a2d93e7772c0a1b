/* A git directory of our own, to read another repository; see git_objects.h. */
#include "cli/blame/git_objects.h"

#include "base/alloc.h"
#include "cli/blame/git.h"
#include "cli/system/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The entries of the git directory, directories first. `to`: the file of the
 * repository that a LINK names. No entry can name a program.
 */
static const struct entry {
	const char *name;
	enum { FOLDER, HEAD, CONFIG, LINK } kind;
	const char *to;
} entries[] = {
	{ "refs", FOLDER, NULL },
	{ "info", FOLDER, NULL },
	{ "HEAD", HEAD, NULL },
	{ "config", CONFIG, NULL },
	{ "shallow", LINK, "shallow" },
	{ "info/attributes", LINK, "info/attributes" },
};
#define ENTRIES (sizeof(entries) / sizeof(*entries))

static void block_signals(sigset_t *old)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

static int write_file(const char *path, struct ccfc_slice text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int code = fd < 0 ? -1 : ccfc_write_all(fd, text);

	if (fd >= 0 && close(fd) < 0)
		code = -1;
	return code;
}

static int make_config(const char *path, const struct ccfc_repo *repo)
{
	static const char sha1[] = "[core]\n\trepositoryformatversion = 0\n"
				   "\tbare = true\n";
	static const char sha256[] = "[core]\n\trepositoryformatversion = 1\n"
				     "\tbare = true\n"
				     "[extensions]\n\tobjectFormat = sha256\n";

	return write_file(
		path, ccfc_slice_str(strlen(repo->head) == 64 ? sha256 : sha1));
}

static int make_entry(const struct ccfc_objects *o, const struct entry *e)
{
	struct ccfc_buf path = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	int code;

	ccfc_buf_printf(&path, "%s/%s", o->git_dir, e->name);
	switch (e->kind) {
	case FOLDER:
		code = mkdir(path.ptr, 0700);
		break;
	case HEAD:
		ccfc_buf_printf(&text, "%s\n", o->repo->head);
		code = write_file(path.ptr, ccfc_buf_view(&text));
		break;
	case CONFIG:
		code = make_config(path.ptr, o->repo);
		break;
	default:
		ccfc_buf_printf(&text, "%s/%s", o->repo->common, e->to);
		code = symlink(text.ptr, path.ptr);
	}
	ccfc_buf_release(&path);
	ccfc_buf_release(&text);
	return code;
}

int ccfc_objects_open(struct ccfc_objects *o, const struct ccfc_repo *repo,
		      struct ccfc_err *err)
{
	const char *tmp = getenv("TMPDIR");
	struct ccfc_buf path = CCFC_BUF_INIT;

	*o = (struct ccfc_objects){ .repo = repo };
	ccfc_buf_printf(&path, "%s/objects", repo->common);
	o->objects = ccfc_buf_detach(&path, NULL);
	/* A relative path would depend on the current directory. */
	ccfc_buf_printf(&path, "%s/ccfc-git-XXXXXX",
			tmp && *tmp == '/' ? tmp : "/tmp");
	block_signals(&o->signals);
	o->git_dir = ccfc_buf_detach(&path, NULL);
	if (!mkdtemp(o->git_dir)) {
		int code = ccfc_err_io(err, errno, "git: %s", o->git_dir);

		free(o->git_dir);
		o->git_dir = NULL;
		return code;
	}
	for (size_t i = 0; i < ENTRIES; i++)
		if (make_entry(o, &entries[i]) < 0)
			return ccfc_err_io(err, errno, "git: %s/%s", o->git_dir,
					   entries[i].name);
	return 0;
}

/* Removes only our own entries; git writes nothing here. */
static void remove_entries(const char *dir)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	for (size_t i = ENTRIES; i-- > 0;) {
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/%s", dir, entries[i].name);
		if (entries[i].kind == FOLDER)
			rmdir(path.ptr);
		else
			unlink(path.ptr);
	}
	ccfc_buf_release(&path);
	rmdir(dir);
}

void ccfc_objects_close(struct ccfc_objects *o)
{
	if (!o->repo)
		return;
	if (o->git_dir)
		remove_entries(o->git_dir);
	sigprocmask(SIG_SETMASK, &o->signals, NULL);
	free(o->git_dir);
	free(o->objects);
	free(o->name);
}

int ccfc_objects_ask(struct ccfc_buf *out, const struct ccfc_objects *o,
		     const char *const *args, struct ccfc_err *err)
{
	struct ccfc_git_place place = { .dir = o->git_dir,
					.git_dir = o->git_dir,
					.objects = o->objects };

	return ccfc_git_run(out, &place, args, err);
}

/* "<mode> blob <id>\t<name>"; only a regular file has content. */
static int read_entry(char id[65], const char *name, struct ccfc_slice says,
		      struct ccfc_err *err)
{
	const char *tab = says.len ? memchr(says.ptr, '\t', says.len) : NULL;
	size_t n = tab ? (size_t)(tab - says.ptr) : 0;
	static const size_t before = sizeof("100644 blob ") - 1;

	if (!says.len)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "git: no such path '%s' in HEAD", name);
	if (!ccfc_slice_starts(says, "100") ||
	    (n != before + 40 && n != before + 64))
		return ccfc_err_set(err, CCFC_EDENIED,
				    "git: '%s' is not a regular file in HEAD",
				    name);
	memcpy(id, says.ptr + before, n - before);
	id[n - before] = '\0';
	return 0;
}

static int find_blob(char id[65], const struct ccfc_objects *o,
		     struct ccfc_err *err)
{
	const char *args[] = { "ls-tree",     "-z",    "--full-tree", "--",
			       o->repo->head, o->name, NULL };
	struct ccfc_buf words = CCFC_BUF_INIT;
	int code = ccfc_objects_ask(&words, o, args, err);

	if (!code)
		code = read_entry(id, o->name, ccfc_buf_view(&words), err);
	ccfc_buf_release(&words);
	return code;
}

/* "R<score>", the old name and the new one, for each file. */
static bool read_old_name(struct ccfc_objects *o, struct ccfc_slice says)
{
	struct ccfc_slice kind, old, new;

	while (ccfc_git_next(&kind, &says) && ccfc_git_next(&old, &says) &&
	       ccfc_git_next(&new, &says)) {
		if (!ccfc_slice_is(new, o->repo->name))
			continue;
		free(o->name);
		o->name = ccfc_strdup(old.ptr);
		return true;
	}
	return false;
}

/*
 * After `git mv` only the index has the new name. The index is compared with
 * HEAD, as git does; an index that cannot be read from here (a split index has
 * a second file beside it) gives no old name.
 */
static bool find_old_name(struct ccfc_objects *o)
{
	const char *args[] = {
		"diff-index",
		"--cached",
		"-z",
		"-M",
		"--no-ext-diff",
		"--no-textconv",
		"--diff-filter=R",
		"--name-status",
		o->repo->head,
		NULL,
	};
	struct ccfc_buf index = CCFC_BUF_INIT, words = CCFC_BUF_INIT;
	struct ccfc_git_place place = { .dir = o->git_dir,
					.git_dir = o->git_dir,
					.objects = o->objects };
	bool found;

	ccfc_buf_printf(&index, "%s/index", o->repo->git_dir);
	place.index = index.ptr;
	found = ccfc_git_run(&words, &place, args, NULL) == 0 &&
		read_old_name(o, ccfc_buf_view(&words));
	ccfc_buf_release(&index);
	ccfc_buf_release(&words);
	return found;
}

int ccfc_objects_content(struct ccfc_buf *out, struct ccfc_objects *o,
			 struct ccfc_err *err)
{
	char id[65];
	const char *args[] = { "cat-file", "blob", id, NULL };
	int code;

	free(o->name);
	o->name = ccfc_strdup(o->repo->name);
	code = find_blob(id, o, err);
	if (code == CCFC_ENOTFOUND && find_old_name(o))
		code = find_blob(id, o, err);
	return code ? code : ccfc_objects_ask(out, o, args, err);
}
