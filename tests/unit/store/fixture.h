/* The daemon's ingest over a scratch directory; after ingest.h or ingest.c. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include "scratch.h"

#include <sys/resource.h>

struct fixture {
	const char *dir;
	struct ccfc_store *store;
	struct ccfc_index *index;
	struct ccfc_tail *tail;
	struct ccfc_parser *parser;
	struct ccfc_ingest *ingest;
	uint32_t published;
};

static inline void count_events(void *ctx)
{
	struct fixture *f = ctx;

	f->published += f->index->events.n;
}

static inline void start_with(struct fixture *f, struct ccfc_index *index)
{
	f->index = index;
	f->tail = ccfc_tail_new(CCFC_TAIL_DEFAULT_MAX_LINE);
	f->parser = ccfc_parser_new(NULL);
	f->ingest = ccfc_ingest_new(f->index, f->store, f->tail, f->parser,
				    count_events, f);
}

static inline void start(struct fixture *f)
{
	start_with(f, reload(&f->store, f->dir));
}

static inline void stop(struct fixture *f)
{
	ccfc_ingest_free(f->ingest);
	ccfc_parser_free(f->parser);
	ccfc_tail_free(f->tail);
	ccfc_store_free(f->store);
	ccfc_index_free(f->index);
}

static inline const char *at(const struct fixture *f, const char *name)
{
	static char paths[4][600];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s.jsonl", f->dir, name);
	return path;
}

static inline void look(struct fixture *f, const char *name)
{
	const struct ccfc_name as = { .kind = CCFC_NAME_SESSION,
				      .session = CCFC_SLICE_LIT("s") };

	ccfc_ingest_look(f->ingest, at(f, name), &as, true);
}

static inline void limit_files(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#endif
