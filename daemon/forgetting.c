/*
 * Forgetting in the daemon; see forgetting.h.
 *
 * The order of a removal: the list says that it is under way; a new store is
 * made beside the old one; undo area, archive and observed content are cleaned
 * by what the old store knows; the new store takes the place of the old one;
 * the list says that it is done. Each step can be done again, so a kill
 * anywhere means that the next start does all of them once more.
 */
#include "forgetting.h"

#include "base/alloc.h"
#include "blobs/blobs.h"
#include "forget/forgotten_lines.h"
#include "forget/undo_area.h"
#include "ingest/excluded.h"
#include "os/log.h"
#include "store/store.h"
#include "transcript/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct ccfc_forgetting {
	const struct ccfc_config *config;
	struct ccfc_forgotten *list;
	struct ccfc_parser *parser;	    /* of the archive's thread */
	struct ccfc_forgotten_lines *lines; /* the same */
	struct ccfc_archive_sieve sieve;
	struct ccfc_excluded *excluded;	  /* the core's */
	struct ccfc_excluded *unobserved; /* the observer's */
};

/* --- lines --- */

static bool is_forgotten_line(void *ctx, struct ccfc_slice line)
{
	struct ccfc_forgetting *f = ctx;
	struct ccfc_record record;

	ccfc_record_parse(f->parser, &record, line);
	return ccfc_forgotten_lines_has(f->lines, &record);
}

const struct ccfc_forgotten *
ccfc_forgetting_list(const struct ccfc_forgetting *f)
{
	return f->list;
}

const struct ccfc_archive_sieve *
ccfc_forgetting_sieve(const struct ccfc_forgetting *f)
{
	return ccfc_forgotten_any(f->list) ? &f->sieve : NULL;
}

struct ccfc_excluded *ccfc_forgetting_excluded(const struct ccfc_forgetting *f)
{
	return f->excluded;
}

bool ccfc_forgetting_ignores(void *forgetting, struct ccfc_slice session,
			     struct ccfc_slice cwd)
{
	struct ccfc_forgetting *f = forgetting;

	return ccfc_forgotten_session(f->list, session) ||
	       ccfc_excluded_has(f->unobserved, cwd);
}

/* The list has changed, or is a new one. */
static void sift_by_list(struct ccfc_forgetting *f)
{
	ccfc_forgotten_lines_free(f->lines);
	f->lines = ccfc_forgotten_lines_new(f->list, f->config->home);
	f->sieve = (struct ccfc_archive_sieve){
		.list = f->list,
		.all = ccfc_forgotten_files(f->list),
		.blanks = is_forgotten_line,
		.ctx = f,
	};
}

void ccfc_forgetting_take(struct ccfc_forgetting *f,
			  struct ccfc_forgotten *list)
{
	ccfc_forgotten_free(f->list);
	f->list = list;
	sift_by_list(f);
}

/* --- how much there is --- */

static uint64_t bytes_below(int at, const char *name, int depth)
{
	int fd = openat(at, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *item;
	uint64_t bytes = 0;
	struct stat st;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (item = readdir(dir))) {
		if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, ".."))
			continue;
		if (fstatat(dirfd(dir), item->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISDIR(st.st_mode) && depth)
			bytes += bytes_below(dirfd(dir), item->d_name,
					     depth - 1);
		else if (S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	}
	if (dir)
		closedir(dir);
	return bytes;
}

/* --- removing --- */

struct removal {
	struct ccfc_forgetting *f;
	struct ccfc_store_rest rest;
	struct ccfc_blobs *blobs;
};

static bool goes(void *ctx, struct ccfc_slice path)
{
	const struct removal *r = ctx;

	return ccfc_forgotten_below(r->f->list, path) ||
	       ccfc_store_rest_touched(&r->rest, path);
}

static uint32_t clean_undo(struct removal *r)
{
	const struct ccfc_undo_area_wish wish = {
		.goes = goes,
		.ctx = r,
		.before = ccfc_forgotten_before(r->f->list),
	};

	return ccfc_undo_area_forget(r->f->config->state_dir, &wish);
}

static int clean_archive(struct removal *r, struct ccfc_err *err)
{
	struct ccfc_archive *archive = NULL;
	int code = ccfc_archive_new(&archive, r->f->config->state_dir,
				    &r->f->config->archive, err);

	if (!code)
		code = ccfc_archive_forget(archive, &r->f->sieve,
					   r->rest.shared.items,
					   r->rest.shared.n, err);
	ccfc_archive_free(archive);
	return code;
}

static void drop_unnamed(void *ctx, const struct ccfc_blob_key *key,
			 uint64_t room)
{
	struct removal *r = ctx;
	char hex[CCFC_SHA256_HEX + 1];

	(void)room;
	ccfc_blob_key_hex(hex, key);
	if (!ccfc_store_rest_has(&r->rest, hex))
		ccfc_blobs_remove(r->blobs, key, NULL);
}

/* All content that nothing names any more goes, whatever it was kept for. */
static int clean_observed(struct removal *r, struct ccfc_err *err)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct stat st;
	int code = 0;

	ccfc_buf_printf(&path, "%s/blobs", r->f->config->state_dir);
	if (!stat(path.ptr, &st)) {
		code = ccfc_blobs_new(&r->blobs, path.ptr, err);
		if (!code)
			ccfc_blobs_each(r->blobs, drop_unnamed, r);
		ccfc_blobs_free(r->blobs);
	}
	ccfc_buf_release(&path);
	return code;
}

/* Where a daemon that a client started writes its log, which names paths. */
static void empty_log(const char *dir)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	int fd;

	ccfc_buf_printf(&path, "%s/ccfcd.log", dir);
	fd = open(path.ptr, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0)
		close(fd);
	ccfc_buf_release(&path);
}

int ccfc_forgetting_remove(struct ccfc_forgetting_result *out,
			   struct ccfc_forgetting *f, struct ccfc_err *err)
{
	const char *dir = f->config->state_dir;
	struct removal r = { .f = f };
	uint64_t before = bytes_below(AT_FDCWD, dir, 4), after;
	int code =
		ccfc_store_forget(&r.rest, dir, f->config->home, f->list, err);

	*out = (struct ccfc_forgetting_result){ 0 };
	if (!code)
		out->undo = clean_undo(&r);
	if (!code)
		code = clean_archive(&r, err);
	if (!code)
		code = clean_observed(&r, err);
	if (!code)
		code = ccfc_store_forget_end(dir, err);
	ccfc_store_rest_release(&r.rest);
	if (!code)
		empty_log(dir);
	if (!code)
		code = ccfc_forgotten_save(f->list, false, err);
	after = bytes_below(AT_FDCWD, dir, 4);
	out->bytes = before > after ? before - after : 0;
	return code;
}

/* --- life --- */

/* Opening the store once mends a damaged one. */
static int finish(struct ccfc_forgetting *f, struct ccfc_err *err)
{
	const struct ccfc_config *config = f->config;
	struct ccfc_forgetting_result result;
	struct ccfc_store *store = NULL;
	struct ccfc_index *index = NULL;
	bool stale;
	int r = ccfc_store_forget_resume(config->state_dir, err);

	if (!r)
		r = ccfc_store_start(&store, &index, config->state_dir,
				     config->home, &stale, err);
	if (r)
		return r;
	ccfc_store_free(store);
	ccfc_index_free(index);
	return ccfc_forgetting_remove(&result, f, err);
}

int ccfc_forgetting_new(struct ccfc_forgetting **out,
			const struct ccfc_config *config, struct ccfc_err *err)
{
	struct ccfc_forgetting *f = ccfc_calloc(1, sizeof(*f));
	struct ccfc_err why = { 0 };
	int r;

	f->config = config;
	r = ccfc_forgotten_new(&f->list, config->state_dir, err);
	if (r) {
		free(f);
		return r;
	}
	f->parser = ccfc_parser_new(&config->tools);
	/* The globs were checked with the config file. */
	ccfc_excluded_new(&f->excluded, config->exclude, config->home, NULL);
	ccfc_excluded_new(&f->unobserved, config->exclude, config->home, NULL);
	sift_by_list(f);
	if (ccfc_forgotten_due(f->list)) {
		ccfc_log(CCFC_LOG_INFO, "finishing what was to be forgotten");
		if (finish(f, &why))
			ccfc_log(CCFC_LOG_ERROR,
				 "not all could be forgotten: %s; the next "
				 "start tries again",
				 why.what);
	}
	*out = f;
	return 0;
}

void ccfc_forgetting_free(struct ccfc_forgetting *f)
{
	if (!f)
		return;
	ccfc_forgotten_free(f->list);
	ccfc_forgotten_lines_free(f->lines);
	ccfc_parser_free(f->parser);
	ccfc_excluded_free(f->excluded);
	ccfc_excluded_free(f->unobserved);
	free(f);
}
