/*
 * Forgetting in the daemon; see forgetting.h. Each list comes with a new line
 * parser; the previous list stays until nobody can use it any more.
 */
#include "forgetting.h"

#include "base/alloc.h"
#include "forget/forgotten_lines.h"
#include "ingest/excluded.h"
#include "os/log.h"
#include "store/store.h"
#include "transcript/record.h"

#include <stdatomic.h>
#include <stdlib.h>

/* A list, and the sieve of lines that uses it, for writers of the archive. */
struct sifting {
	struct ccfc_forgotten *list;
	struct ccfc_parser *parser;
	struct ccfc_forgotten_lines *lines;
	struct ccfc_archive_sieve sieve;
};

struct ccfc_forgetting {
	const struct ccfc_config *config;
	_Atomic(struct sifting *) now;	  /* the core sets it */
	struct sifting *before;		  /* may still be in use; or NULL */
	struct ccfc_excluded *excluded;	  /* the core's */
	struct ccfc_excluded *unobserved; /* the observer's */
};

/* --- lines --- */

static bool is_forgotten_line(void *ctx, struct ccfc_slice session, char *line,
			      size_t len, bool *any)
{
	struct sifting *sifting = ctx;
	struct ccfc_record record, rest;

	ccfc_record_parse(sifting->parser, &record, ccfc_slice(line, len));
	if (ccfc_forgotten_lines_has(sifting->lines, &record,
				     ccfc_slice(line, len)))
		return true;
	rest = record;
	if (!ccfc_forgotten_lines_thin(sifting->lines, session, &rest))
		return false;
	*any = true;
	return !ccfc_forgotten_lines_blank(sifting->lines, session, &record,
					   line, len);
}

static struct sifting *new_sifting(const struct ccfc_config *config,
				   struct ccfc_forgotten *list)
{
	struct sifting *s = ccfc_calloc(1, sizeof(*s));

	s->list = list;
	s->parser = ccfc_parser_new(&config->tools);
	s->lines = ccfc_forgotten_lines_new(list, config->home);
	s->sieve = (struct ccfc_archive_sieve){
		.list = list,
		.all = ccfc_forgotten_files(list),
		.blanks = is_forgotten_line,
		.ctx = s,
	};
	return s;
}

static void free_sifting(struct sifting *s)
{
	if (!s)
		return;
	ccfc_forgotten_lines_free(s->lines);
	ccfc_parser_free(s->parser);
	ccfc_forgotten_free(s->list);
	free(s);
}

const struct ccfc_forgotten *
ccfc_forgetting_list(const struct ccfc_forgetting *f)
{
	return f->now->list;
}

const struct ccfc_archive_sieve *
ccfc_forgetting_sieve(const struct ccfc_forgetting *f)
{
	return ccfc_forgotten_any(f->now->list) ? &f->now->sieve : NULL;
}

struct ccfc_excluded *ccfc_forgetting_excluded(const struct ccfc_forgetting *f)
{
	return f->excluded;
}

bool ccfc_forgetting_ignores(void *forgetting, struct ccfc_slice session,
			     struct ccfc_slice cwd)
{
	struct ccfc_forgetting *f = forgetting;

	return ccfc_forgotten_session(f->now->list, session) ||
	       ccfc_excluded_has(f->unobserved, cwd);
}

void ccfc_forgetting_take(struct ccfc_forgetting *f,
			  struct ccfc_forgotten *list)
{
	free_sifting(f->before);
	f->before = f->now;
	f->now = new_sifting(f->config, list);
}

struct ccfc_removal *ccfc_forgetting_removal(const struct ccfc_forgetting *f)
{
	return ccfc_removal_new(f->config->state_dir, f->config->home,
				f->now->list, &f->now->sieve);
}

int ccfc_forgetting_done(struct ccfc_forgetting *f, struct ccfc_err *err)
{
	return ccfc_forgotten_save(f->now->list, false, err);
}

void ccfc_forgetting_restore(struct ccfc_forgetting *f)
{
	struct ccfc_forgotten *list = f->now->list;
	struct ccfc_err err;

	if (ccfc_forgotten_any(list) &&
	    ccfc_forgotten_save(list, ccfc_forgotten_due(list), &err))
		ccfc_log(CCFC_LOG_ERROR, "%s", err.what);
}

/* --- life --- */

/* All steps at once, because nothing is open. */
static int remove_all(struct ccfc_forgetting *f, struct ccfc_err *err)
{
	struct ccfc_removal *removal = ccfc_forgetting_removal(f);
	struct ccfc_archive *archive = NULL;
	int r = ccfc_archive_new(&archive, f->config->state_dir,
				 &f->config->archive, err);

	if (!r)
		r = ccfc_removal_prepare(removal, archive, err);
	if (!r)
		r = ccfc_removal_exchange(removal, err);
	if (!r)
		r = ccfc_removal_sweep(removal, archive, NULL, err);
	if (!r)
		r = ccfc_forgetting_done(f, err);
	ccfc_archive_free(archive);
	ccfc_removal_free(removal);
	return r;
}

/* Opening the store repairs a damaged one. */
static int finish_removal(struct ccfc_forgetting *f, struct ccfc_err *err)
{
	const struct ccfc_config *config = f->config;
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
	return remove_all(f, err);
}

int ccfc_forgetting_new(struct ccfc_forgetting **out,
			const struct ccfc_config *config, struct ccfc_err *err)
{
	struct ccfc_forgetting *f;
	struct ccfc_forgotten *list = NULL;
	struct ccfc_err why = { 0 };
	int r = ccfc_forgotten_new(&list, config->state_dir, err);

	if (r)
		return r;
	f = ccfc_calloc(1, sizeof(*f));
	f->config = config;
	f->now = new_sifting(config, list);
	/* The globs were checked with the config file. */
	ccfc_excluded_new(&f->excluded, config->exclude, config->home, NULL);
	ccfc_excluded_new(&f->unobserved, config->exclude, config->home, NULL);
	if (ccfc_forgotten_due(list)) {
		ccfc_log(CCFC_LOG_INFO, "finishing an interrupted removal");
		if (finish_removal(f, &why))
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
	free_sifting(f->now);
	free_sifting(f->before);
	ccfc_excluded_free(f->excluded);
	ccfc_excluded_free(f->unobserved);
	free(f);
}
