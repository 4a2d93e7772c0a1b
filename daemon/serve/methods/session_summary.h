/*
 * The summary of a session, for session.list and session.get. Field names are
 * those of the protocol (PROTOCOL.md). Core thread; nothing here fails.
 */
#ifndef CCFC_SERVE_METHODS_SESSION_SUMMARY_H
#define CCFC_SERVE_METHODS_SESSION_SUMMARY_H

#include "index/query/totals.h"
#include "wire/pack.h"

/*
 * Packs the fields of a session's summary into an open map. `tally` has the
 * session's totals; the status is relative to `now`. Checks the transcript's
 * size on disk once.
 */
void ccfc_reply_session(struct ccfc_pack *p, const struct ccfc_index *index,
			uint32_t session, const struct ccfc_tally *tally,
			int64_t now);

/* Packs `title`: one line, shortened like a prompt; nil if there is none. */
enum ccfc_title ccfc_reply_title(struct ccfc_pack *p,
				 const struct ccfc_index *index,
				 uint32_t session);

/* `input`, `output`, `cacheRead`, `cacheWrite`, into an open map. */
void ccfc_reply_token_counts(struct ccfc_pack *p, const struct ccfc_tokens *t);
/* Packs a map of these four under `key`. */
void ccfc_reply_tokens(struct ccfc_pack *p, const char *key,
		       const struct ccfc_tokens *tokens);

/* The sum of all four, for sorting. */
static inline uint64_t ccfc_tokens_sum(const struct ccfc_tokens *t)
{
	return t->input + t->output + t->cache_write + t->cache_read;
}

#endif
