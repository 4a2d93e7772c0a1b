/*
 * A file that several sessions changed: its changes in order, and when each
 * session saw it. For conflict/ only. Most files belong to one session and have
 * no contest. A contest is built when a second session changes the file, or
 * when the file is first touched after a start, and is not stored.
 */
#ifndef CCFC_INDEX_CONFLICT_CONTEST_H
#define CCFC_INDEX_CONFLICT_CONTEST_H

#include "index/index_internal.h"

/* A change is compared with at most so many earlier ones. */
#define CCFC_CONTEST_REACH 64u

/* Changes of a file are close to each other within this time, in ms. */
#define CCFC_CONTEST_RECENT (10 * 60 * 1000LL)

/* A change in the order of its file. */
struct ccfc_moment {
	int64_t from, to; /* of its call and its result */
	uint64_t original;
	uint32_t change;
	uint32_t session;
	/* Found by judging: */
	uint32_t other; /* the change that it is in conflict with */
	/*
	 * the previous change, if it is recent and of another session; or
	 * ID_NONE
	 */
	uint32_t contact;
	/* the pair's row for which it is the first contact, or ID_NONE */
	uint32_t pair;
	uint8_t kind; /* of the change's own conflict */
	bool check;   /* to be judged */
};

/* A session has seen the file. */
struct ccfc_sight {
	int64_t time;
	uint32_t session;
};

struct ccfc_contest {
	uint32_t file;
	struct {
		struct ccfc_moment *items; /* by `to`, `from`, then id */
		uint32_t n, cap;
	} moments;
	struct {
		struct ccfc_sight *items; /* by session, then time */
		uint32_t n, cap;
	} sights;
	uint32_t check_from, check_to; /* moments to judge: from … to */
	bool touched;
	bool sights_old; /* the sights must be gathered again */
};

/*
 * The last time not after `until` at which the session saw the file, or
 * CCFC_TIME_NONE.
 */
int64_t ccfc_contest_seen(const struct ccfc_contest *contest, uint32_t session,
			  int64_t until);

/* contest.c: the moment at `at` must be judged. */
void ccfc_contest_check(struct ccfc_index *index, struct ccfc_contest *contest,
			uint32_t at);

/* sights.c: sets the sights of contest->file. */
void ccfc_contest_gather_sights(struct ccfc_contest *contest,
				const struct ccfc_index *index);

/* Gathers the sights again if there may be others. */
void ccfc_contest_look_again(struct ccfc_index *index,
			     struct ccfc_contest *contest);

/* The moment of the change in its contest; NULL: it has none. */
struct ccfc_moment *ccfc_contest_find(const struct ccfc_index *index,
				      const struct ccfc_contest *contest,
				      uint32_t change);

/* A change as a moment that was not judged; false: it does not count. */
bool ccfc_contest_moment(struct ccfc_moment *out,
			 const struct ccfc_index *index, uint32_t change);

/* The contest of a file, or NULL. */
struct ccfc_contest *ccfc_contest_of(const struct ccfc_index *index,
				     uint32_t file);

/* judge.c: sets kind, other and contact of the moment at `at`. */
void ccfc_contest_judge(const struct ccfc_index *index,
			struct ccfc_contest *contest, uint32_t at);

/* Does the change replace the whole content of an existing file? */
bool ccfc_contest_replaces(const struct ccfc_index *index, uint32_t change);

/* outside_conflict.c: judges the files that were touched. */
void ccfc_outside_settle(struct ccfc_index *index);

#endif
