/*
 * Parts of the replies about history: what is known of a file's content, and
 * diffs. Field names are those of PROTOCOL.md (STATE). On a worker.
 *
 * Content is sent as bytes. All content of a reply together is bounded: beyond
 * that, content is cut and diffs are left out (half a diff is of no use).
 */
#ifndef CCFC_SERVE_RPC_CONTENT_REPLY_H
#define CCFC_SERVE_RPC_CONTENT_REPLY_H

#include "history/plan/delta.h"
#include "serve/rpc/history_job.h"
#include "serve/rpc/reply.h"

#define CCFC_REPLY_FULL "the reply is full; ask for less at a time"

/* Sends content whole, not cut at 64 KiB, unless maxContent is given. */
void ccfc_states_want_whole(struct ccfc_request *rq);

/*
 * Counts the bytes of a reconstructed state. False: the reply has too many; do
 * not make more states.
 */
bool ccfc_states_charge(struct ccfc_request *rq, size_t bytes);

/* Opens the chain of the requested file. */
int ccfc_states_open(struct ccfc_chain **out, struct ccfc_request *rq,
		     const struct ccfc_history_job *job, struct ccfc_err *err);
/* The same, also for a file without changes (ccfc_chain_open_seen). */
int ccfc_states_open_seen(struct ccfc_chain **out, struct ccfc_request *rq,
			  const struct ccfc_history_job *job,
			  struct ccfc_err *err);

/*
 * A session's changes of one file: those of the list, and the inferred ones of
 * the open chain, if the request's tools and evidence allow them. In `arena`.
 */
struct ccfc_states_changes {
	uint32_t *items;
	uint32_t n;
};
struct ccfc_states_changes ccfc_states_changes(const struct ccfc_request *rq,
					       const struct ccfc_chain *chain,
					       uint32_t session,
					       const uint32_t *changes,
					       uint32_t n,
					       struct ccfc_arena *arena);

/* fidelity, knownBy, why, size and sha256, into an open map. */
void ccfc_reply_state_facts(struct ccfc_pack *p,
			    const struct ccfc_content_state *state);
/*
 * These fields, `exists`, and on request the content or the known lines, into
 * an open map. True when the content was cut.
 */
bool ccfc_reply_state_fields(struct ccfc_request *rq,
			     const struct ccfc_content_state *state,
			     bool content);
/* A whole STATE under `key`. */
bool ccfc_reply_state(struct ccfc_request *rq, const char *key,
		      const struct ccfc_content_state *state, bool content);

/* Packs changeId, sessionId and timestamp into an open map. */
void ccfc_reply_change_ref(struct ccfc_request *rq, uint32_t change);
/* The same for a state without a change: a backup of the session. */
void ccfc_reply_seen_ref(struct ccfc_request *rq, uint32_t session,
			 int64_t time);

/* linesAdded and linesRemoved of a diff; nil if binary or not known. */
void ccfc_reply_delta_lines(struct ccfc_pack *p,
			    const struct ccfc_delta *delta);
/*
 * binary, fidelity, why and diff, into an open map. False when the diff was
 * left out because the reply is full.
 */
bool ccfc_reply_delta(struct ccfc_request *rq, const struct ccfc_delta *delta,
		      struct ccfc_slice diff);

/*
 * The name of a file in diffs and in recovered files: relative to `base` if it
 * is below it, else its path without the leading slash.
 */
struct ccfc_slice ccfc_states_name(const struct ccfc_request *rq, uint32_t file,
				   struct ccfc_slice base);

#endif
