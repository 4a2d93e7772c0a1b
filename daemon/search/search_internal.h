/* Shared by the files of a running search. */
#ifndef CCFC_SEARCH_SEARCH_INTERNAL_H
#define CCFC_SEARCH_SEARCH_INTERNAL_H

#include "search/hits.h"

#include <pthread.h>

/* Shared by all threads of a search. */
struct ccfc_search_run_shared {
	pthread_mutex_t lock; /* of `hits` */
	struct ccfc_hits hits;
	atomic_uint_least64_t bytes; /* scanned */
	atomic_bool over;	     /* no more time or bytes, or cancelled */
};

/* One thread of a search. */
struct ccfc_search_run {
	const struct ccfc_search *search;
	struct ccfc_search_run_shared *shared;
	struct ccfc_matcher *matcher;
	struct ccfc_matcher *words[CCFC_WORDS_MAX]; /* for search->words */
	int64_t deadline;
	/* As in the result: */
	uint64_t scanned_texts;
	bool truncated;
};

/* Is the search over? `ctx` is the run; checks the clock. */
bool ccfc_search_run_over(void *ctx);
/* The same, without checking the clock. */
static inline bool ccfc_search_run_stopped(const struct ccfc_search_run *run)
{
	return atomic_load_explicit(&run->shared->over, memory_order_relaxed);
}

/* `run` is filled in except for the matcher, which is made here. */
int ccfc_search_run_init(struct ccfc_search_run *run, struct ccfc_err *err);
void ccfc_search_run_release(struct ccfc_search_run *run);

/* Adds to the number of scanned bytes. */
void ccfc_search_run_scanned(struct ccfc_search_run *run, uint64_t bytes);

/* Does the question cover that session, time and role? */
bool ccfc_search_run_wants(const struct ccfc_search_run *run, uint32_t session,
			   int64_t time, enum ccfc_text_role role);

/* Searches a text: 1 if it matches, with count and len of `hit`; or 0. */
int ccfc_search_run_text(struct ccfc_search_run *run,
			 const struct ccfc_text *text, struct ccfc_hit *hit,
			 struct ccfc_err *err);
void ccfc_search_run_hit(struct ccfc_search_run *run,
			 const struct ccfc_hit *hit);

/* transcripts.c: all of the transcripts, by up to search->threads threads. */
int ccfc_search_run_sources(struct ccfc_search_run *run, struct ccfc_err *err);

/* hit_line.c: reads the line of a hit again, to show it. */
struct ccfc_hit_line;
struct ccfc_hit_line *ccfc_hit_line_new(struct ccfc_search_run *run);
void ccfc_hit_line_free(struct ccfc_hit_line *line);
bool ccfc_hit_line_show(struct ccfc_hit_line *line, struct ccfc_found *out,
			const struct ccfc_hit *hit, struct ccfc_arena *arena);

#endif
