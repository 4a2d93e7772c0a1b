/*
 * Changes put together piece by piece, for who may not keep others waiting: the
 * sessions of a file, the files of a session, the files that a filter leaves.
 *
 * Something may be applied to the index between two pieces: then each change
 * counts as it stands when its turn comes, and those that are new since the
 * beginning may be missing. Nothing here changes the index.
 */
#ifndef CCFC_INDEX_QUERY_GROUPING_H
#define CCFC_INDEX_QUERY_GROUPING_H

#include "index/query/query.h"
#include "index/query/sorting.h"

/* A change and its sort keys. */
struct ccfc_grouped {
	uint32_t key; /* file or session */
	uint32_t change;
	int64_t time;
	const struct ccfc_index *index;
};

struct ccfc_grouping {
	struct ccfc_groups out; /* when all is done; in the arena */
	/* grouping.c's own: */
	const struct ccfc_index *index;
	const struct ccfc_filter *filter;
	struct ccfc_arena *arena;
	uint32_t file, session; /* one of them is 0 */
	struct ccfc_grouped *rows;
	uint32_t n, most, at;
	bool is_sorting;
	struct ccfc_sorting sorting;
};

/* As ccfc_query_file_sessions, ccfc_query_session_files. */
void ccfc_group_by_session(struct ccfc_grouping *g,
			   const struct ccfc_index *index, uint32_t file,
			   const struct ccfc_filter *filter,
			   struct ccfc_arena *arena);
void ccfc_group_by_file(struct ccfc_grouping *g, const struct ccfc_index *index,
			uint32_t session, const struct ccfc_filter *filter,
			struct ccfc_arena *arena);
/* Groups about so many changes; false when all is done. */
bool ccfc_grouping_some(struct ccfc_grouping *g, uint32_t rows);

/* A file that the filter leaves at least one change of. */
struct ccfc_matched {
	uint32_t file;
	uint32_t change; /* the last one that the filter accepts */
	int64_t last;	 /* its time */
	struct ccfc_slice path;
};

struct ccfc_matching {
	/* When all is done: most recently changed first, then by path. */
	struct ccfc_matched *items; /* in the arena */
	uint32_t n;
	/* grouping.c's own: */
	const struct ccfc_index *index;
	const struct ccfc_filter *filter;
	struct ccfc_arena *arena;
	uint32_t files;	   /* that are gone through */
	uint32_t file, at; /* how far: a file, and its changes */
	bool has;	   /* one of its changes is accepted, this: */
	struct ccfc_grouped best;
	bool is_sorting;
	struct ccfc_sorting sorting;
};

void ccfc_match_begin(struct ccfc_matching *m, const struct ccfc_index *index,
		      const struct ccfc_filter *filter,
		      struct ccfc_arena *arena);
/* Checks about so many files and changes; false when all is done. */
bool ccfc_match_some(struct ccfc_matching *m, uint32_t rows);

#endif
