/* All facts and sums of an index at once; the daemon takes them in pieces. */
#ifndef CCFC_TEST_WHOLE_TALLIES_H
#define CCFC_TEST_WHOLE_TALLIES_H

#include "index/index_internal.h"
#include "index/query/totals.h"

/* By session, in the arena. */
static inline struct ccfc_tally *tally_all(const struct ccfc_index *index,
					   struct ccfc_arena *arena)
{
	struct ccfc_tallying s;

	ccfc_tally_begin(&s, index, arena);
	while (ccfc_tally_some(&s, UINT32_MAX))
		;
	return s.out;
}

/* One session's. */
static inline void tally_session(struct ccfc_tally *out,
				 const struct ccfc_index *index,
				 uint32_t session)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_tallying s;

	ccfc_tally_begin_session(&s, out, index, session, &arena);
	while (session && ccfc_tally_some(&s, UINT32_MAX))
		;
	ccfc_arena_release(&arena);
}

typedef void (*said_fn)(void *ctx, const struct ccfc_message_fact *said);
typedef void (*used_fn)(void *ctx, const struct ccfc_call_fact *used);
typedef void (*look_fn)(void *ctx, const struct ccfc_read_fact *look);

static inline void tally_said(const struct ccfc_index *index, said_fn fn,
			      void *ctx)
{
	struct ccfc_message_fact said;

	for (uint32_t i = 0; i < index->messages.n; i++)
		if (ccfc_tally_message_at(&said, index, i))
			fn(ctx, &said);
}

static inline void tally_used(const struct ccfc_index *index, used_fn fn,
			      void *ctx)
{
	struct ccfc_call_fact used;

	for (uint32_t i = 0; i < index->calls.n; i++)
		if (ccfc_tally_call_at(&used, index, i))
			fn(ctx, &used);
}

/* All reads; only those of one file or one session, unless that is 0. */
static inline void tally_looks(const struct ccfc_index *index, uint32_t file,
			       uint32_t session, look_fn fn, void *ctx)
{
	struct ccfc_read_fact look;

	for (uint32_t i = 0; i < index->reads.n; i++)
		if (ccfc_tally_read_at(&look, index, i) &&
		    (!file || look.file == file) &&
		    (!session || look.session == session))
			fn(ctx, &look);
}

#endif
