/* Paths that the index knows, one name further; see complete_path.h. */
#include "cli/complete/complete_path.h"

#include "base/alloc.h"
#include "cli/frame/connect.h"
#include "cli/frame/listing.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Files considered; the last changed ones come first. */
#define FILES_MAX 1000

struct walk {
	struct ccfc_candidates *to;
	char *typed; /* the directory as it was typed, with its "/" */
	struct ccfc_slice name; /* how the name begins */
	const char *directory;	/* absolute */
	struct ccfc_buf path;	/* a candidate */
};

/* Adds the first name of `file` below the directory, unless it is on disk. */
static void add_file(struct walk *w, struct ccfc_slice file)
{
	size_t len = strlen(w->directory);
	struct ccfc_slice rest;
	const char *slash;
	struct stat st;

	if (!ccfc_slice_starts(file, w->directory) || file.len <= len + 1 ||
	    file.ptr[len] != '/')
		return;
	rest = ccfc_slice(file.ptr + len + 1, file.len - len - 1);
	slash = memchr(rest.ptr, '/', rest.len);
	ccfc_buf_clear(&w->path);
	ccfc_buf_puts(&w->path, w->typed);
	ccfc_buf_append(&w->path, rest.ptr,
			slash ? (size_t)(slash - rest.ptr) : rest.len);
	if (!lstat(w->path.ptr, &st))
		return;
	if (slash)
		ccfc_buf_putc(&w->path, '/');
	ccfc_candidates_add(w->to, ccfc_buf_view(&w->path),
			    slash ? CCFC_SLICE_NONE
				  : CCFC_SLICE_LIT("not on disk"));
}

/*
 * A pattern for all names with the prefix, and for all files below such
 * directories.
 */
static void put_pattern(struct ccfc_buf *out, const struct walk *w)
{
	struct ccfc_slice directory = ccfc_slice_str(w->directory);

	ccfc_listing_escape(out, directory);
	ccfc_buf_puts(out, "/{");
	ccfc_listing_escape(out, w->name);
	ccfc_buf_puts(out, "*,");
	ccfc_listing_escape(out, w->name);
	ccfc_buf_puts(out, "*/**}");
}

static bool ask_paths(struct walk *w, struct ccfc_client *client,
		      const char *directory)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_buf pattern = CCFC_BUF_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj files;
	uint32_t before = w->to->seen.n;

	w->directory = strcmp(directory, "/") ? directory : "";
	put_pattern(&pattern, w);
	query.limit = FILES_MAX;
	ccfc_file_match(&reply, client, pattern.ptr, &query, NULL);
	ccfc_buf_release(&pattern);
	if (!reply)
		return false;
	files = ccfc_cli_value(reply);
	for (uint32_t i = 0; i < ccfc_obj_len(files) &&
			     w->to->seen.n - before < CCFC_COMPLETE_MAX;
	     i++)
		add_file(w, ccfc_obj_get_str(ccfc_obj_at(files, i), "path"));
	ccfc_reply_free(reply);
	return true;
}

/* Tries the typed name, then the name without symbolic links. */
void ccfc_complete_paths(struct ccfc_candidates *to, struct ccfc_client *client,
			 const struct ccfc_cwd *where)
{
	struct ccfc_slice prefix = to->prefix;
	struct walk w = { .to = to };
	size_t len = prefix.len;
	char *path, *real;

	/* The shell expands "~"; a candidate's "~" would be quoted. */
	if (ccfc_slice_starts(prefix, "~"))
		return;
	while (len && prefix.ptr[len - 1] != '/')
		len--;
	w.typed = ccfc_strndup(len ? prefix.ptr : "", len);
	w.name = ccfc_slice(prefix.ptr + len, prefix.len - len);
	path = ccfc_cwd_absolute(where, len ? w.typed : ".");
	real = ccfc_cwd_real(where, len ? w.typed : ".");
	if (!ask_paths(&w, client, path) && strcmp(path, real) != 0)
		ask_paths(&w, client, real);
	ccfc_buf_release(&w.path);
	free(w.typed);
	free(path);
	free(real);
}
