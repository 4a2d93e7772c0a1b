/* Imports disk events of another machine; see seen_import.h. */
#include "seen_import.h"

#include "base/alloc.h"
#include "base/path.h"
#include "index/disk/seen_line.h"
#include "index/index_internal.h"
#include "os/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Lines of one slice. */
#define SLICE 256

struct ccfc_seen_import {
	char *dir; /* NULL: none is open */
	FILE *lines;
	struct ccfc_blobs *contents; /* NULL: none came */
	char *text;		     /* of a line */
	struct ccfc_seen_line line;
	uint64_t bad; /* invalid lines */
};

struct ccfc_seen_import *ccfc_seen_import_new(void)
{
	return ccfc_calloc(1, sizeof(struct ccfc_seen_import));
}

static void close_dir(struct ccfc_seen_import *im)
{
	if (im->lines)
		fclose(im->lines);
	ccfc_blobs_free(im->contents);
	free(im->dir);
	free(im->text);
	im->text = NULL;
	im->lines = NULL;
	im->contents = NULL;
	im->dir = NULL;
}

void ccfc_seen_import_free(struct ccfc_seen_import *im)
{
	if (!im)
		return;
	close_dir(im);
	ccfc_buf_release(&im->line.text);
	free(im);
}

static bool open_dir(struct ccfc_seen_import *im, struct ccfc_archive *archive)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	im->dir = ccfc_archive_seen(archive);
	if (!im->dir)
		return false;
	im->bad = 0;
	im->text = ccfc_calloc(1, CCFC_SEEN_LINE_MAX);
	ccfc_buf_printf(&path, "%s/" CCFC_IMPORT_LINES, im->dir);
	im->lines = fopen(path.ptr, "re");
	ccfc_buf_clear(&path);
	ccfc_buf_printf(&path, "%s/" CCFC_IMPORT_CONTENTS, im->dir);
	if (!access(path.ptr, F_OK) &&
	    ccfc_blobs_new(&im->contents, path.ptr, NULL))
		im->contents = NULL;
	ccfc_buf_release(&path);
	return true;
}

/* --- exclusions --- */

/*
 * A disk event usually names no session. It is left out if a session that was
 * live at that time is forgotten, or may be: it may be that session's event.
 */
static bool is_near_forgotten(const struct ccfc_forgotten *list,
			      struct ccfc_slice near)
{
	while (near.len) {
		const char *comma = memchr(near.ptr, ',', near.len);
		size_t n = comma ? (size_t)(comma - near.ptr) : near.len;

		struct ccfc_slice id = ccfc_slice(near.ptr, n);

		if (ccfc_forgotten_session(list, id) ||
		    (ccfc_slice_is(id, CCFC_SEEN_UNNAMED) &&
		     ccfc_forgotten_any(list)))
			return true;
		near = ccfc_slice_from(near, comma ? n + 1 : n);
	}
	return false;
}

static bool is_forgotten_line(const struct ccfc_seen_import_env *env,
			      const struct ccfc_seen_line *line)
{
	const struct ccfc_forgotten *list = env->forgotten;
	struct ccfc_slice dir = line->path;

	if (line->is_mark)
		return ccfc_forgotten_session(list, line->session);
	while (dir.len && dir.ptr[dir.len - 1] != '/')
		dir.len--;
	dir.len -= dir.len > 1;
	return ccfc_excluded_has(env->excluded, dir) ||
	       ccfc_forgotten_session(list, line->by) ||
	       ccfc_forgotten_seen(list, line->path, line->event.time) ||
	       is_near_forgotten(list, line->near);
}

/* --- import --- */

/* The string of a content's key; moves the content if it was imported. */
static uint32_t import_content(struct ccfc_seen_import *im,
			       const struct ccfc_seen_import_env *env,
			       struct ccfc_slice hex)
{
	struct ccfc_blob_key key;
	char text[CCFC_SHA256_HEX + 1];
	struct ccfc_blobs *to;

	if (!hex.len)
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)hex.len, hex.ptr);
	if (im->contents && ccfc_blob_key_read(&key, text) &&
	    ccfc_blobs_has(im->contents, &key)) {
		to = ccfc_observing_make_blobs(env->observing);
		if (to)
			ccfc_blobs_move(to, im->contents, &key, NULL);
	}
	return ccfc_strtab_put(&env->index->strings, hex);
}

static void import_line(struct ccfc_seen_import *im,
			const struct ccfc_seen_import_env *env)
{
	const struct ccfc_seen_line *line = &im->line;
	struct ccfc_disk_event e = line->event;

	if (is_forgotten_line(env, line))
		return;
	if (line->is_mark) {
		ccfc_index_mark(env->index, line->session, line->call,
				line->began, line->ended);
		return;
	}
	e.file = ccfc_index_file(env->index, line->path);
	e.by = line->by.len ? ccfc_strtab_put(&env->index->strings, line->by)
			    : 0;
	e.before_key = import_content(im, env, line->before_key);
	e.after_key = import_content(im, env, line->after_key);
	ccfc_index_see_imported(env->index, &e);
}

/* Imports the next line; false: there is none. */
static bool import_next_line(struct ccfc_seen_import *im,
			     const struct ccfc_seen_import_env *env)
{
	size_t n = 0;
	int c = EOF;

	while (im->lines && (c = getc_unlocked(im->lines)) != EOF &&
	       c != '\n') {
		if (n < CCFC_SEEN_LINE_MAX)
			im->text[n] = (char)c;
		n++;
	}
	if (c == EOF && !n)
		return false;
	if (c != EOF && n <= CCFC_SEEN_LINE_MAX &&
	    ccfc_seen_read(&im->line, ccfc_slice(im->text, n)))
		import_line(im, env);
	else
		im->bad++;
	return true;
}

/* Everything is imported and stored. */
static void end_dir(struct ccfc_seen_import *im)
{
	char *dir = ccfc_strdup(im->dir);

	if (im->bad)
		ccfc_log(CCFC_LOG_WARN,
			 "import: %llu invalid lines were skipped",
			 (unsigned long long)im->bad);
	close_dir(im);
	ccfc_archive_seen_done(dir);
	free(dir);
}

bool ccfc_seen_import_step(struct ccfc_seen_import *im,
			   const struct ccfc_seen_import_env *env)
{
	bool more = true;

	if (!env->archive || (!im->dir && !open_dir(im, env->archive)))
		return false;
	for (int i = 0; i < SLICE && more; i++)
		more = import_next_line(im, env);
	ccfc_ingest_flush(env->ingest);
	/* The next start, or the next import, begins again. */
	if (*ccfc_ingest_store_error(env->ingest)) {
		close_dir(im);
		return false;
	}
	if (!more)
		end_dir(im);
	return true;
}
