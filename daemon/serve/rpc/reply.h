/*
 * Parts of replies: maps that several methods pack. Field names are those of
 * the protocol (PROTOCOL.md). Nothing here fails.
 */
#ifndef CCFC_SERVE_RPC_REPLY_H
#define CCFC_SERVE_RPC_REPLY_H

#include "serve/rpc/request.h"

#define CCFC_CLOCK_TEXT_MAX 48

/* "epoch:seq" */
const char *ccfc_reply_clock_text(char out[CCFC_CLOCK_TEXT_MAX], uint64_t epoch,
				  uint64_t seq);
/* Packs `clock`, and `indexing` during a scan: part of every result map. */
void ccfc_reply_clock(struct ccfc_pack *p, struct ccfc_service *service);
/* The same as of the time of the request: on a worker, and in slices. */
void ccfc_reply_asked(struct ccfc_request *rq);
/*
 * The project that `here` or a name resolved to, if any; ccfc_reply_clock and
 * ccfc_reply_asked pack it too.
 */
void ccfc_reply_scope(struct ccfc_request *rq);
/* The fields of a struct ccfc_scan_progress, into an open map. */
void ccfc_reply_progress(struct ccfc_pack *p,
			 const struct ccfc_scan_progress *at);

/* A string; nil if it is empty. */
void ccfc_reply_str(struct ccfc_pack *p, const char *key, struct ccfc_slice s);
/* An interned string, nil for 0. */
void ccfc_reply_id(struct ccfc_pack *p, const char *key,
		   const struct ccfc_index *index, uint32_t string);
/* A list of interned strings, in its own order or in byte order. */
void ccfc_reply_ids(struct ccfc_pack *p, const char *key,
		    const struct ccfc_index *index, const struct ccfc_ids *ids,
		    bool sorted);

/* Sorts in byte order. */
void ccfc_reply_sort(struct ccfc_slice *list, uint32_t n);
/* Is the transcript still there? */
void ccfc_reply_source(struct ccfc_pack *p, enum ccfc_where where);

/* The fields of a change that never change once known. */
void ccfc_reply_change_facts(struct ccfc_pack *p,
			     const struct ccfc_index *index,
			     const struct ccfc_change *change);
/* The same without linesAdded and linesRemoved; and only those two. */
void ccfc_reply_change_names(struct ccfc_pack *p,
			     const struct ccfc_index *index,
			     const struct ccfc_change *change);
/*
 * The operation and its evidence: operation, renamedFrom, renamedTo or
 * copiedFrom, evidence, command, candidates (shell_reply.c).
 */
void ccfc_reply_shell(struct ccfc_pack *p, const struct ccfc_index *index,
		      const struct ccfc_change *change);
/* An item of `candidates`: a change or a shell command. */
void ccfc_reply_candidate(struct ccfc_pack *p, const struct ccfc_index *index,
			  const struct ccfc_change *change);
/*
 * Only `evidence` and `command` of ccfc_reply_shell; nil without a change
 * (NULL).
 */
void ccfc_reply_evidence(struct ccfc_pack *p, const struct ccfc_index *index,
			 const struct ccfc_change *change);
/* Only `command`. */
void ccfc_reply_command(struct ccfc_pack *p, const struct ccfc_index *index,
			const struct ccfc_change *change);
/*
 * The session's commands with unknown effects: their number as unknownCommands,
 * and the first ones as commands. An excerpt has them with
 * CCFC_EXCERPT_COMMANDS.
 */
void ccfc_reply_unknown(struct ccfc_pack *p, const struct ccfc_index *index,
			uint32_t session);
/* Only `commands` of these. */
void ccfc_reply_commands(struct ccfc_pack *p, const struct ccfc_index *index,
			 uint32_t session);
void ccfc_reply_line_counts(struct ccfc_pack *p,
			    const struct ccfc_change *change);
/* The kind of its conflict with another session, if it has one. */
void ccfc_reply_change_conflict(struct ccfc_pack *p,
				const struct ccfc_change *change);
/* Is the transcript of its call still there? */
void ccfc_reply_change_source(struct ccfc_pack *p,
			      const struct ccfc_index *index,
			      const struct ccfc_change *change);
/* The fields of a FileChange except its content, into an open map. */
void ccfc_reply_change_fields(struct ccfc_pack *p,
			      const struct ccfc_index *index,
			      const struct ccfc_change *change);
/* An array of FileChange under `changes`, with content if requested. */
void ccfc_reply_changes(struct ccfc_request *rq, const uint32_t *changes,
			uint32_t n);
/* The fields with a change's content (change_content.c). */
void ccfc_reply_content(struct ccfc_request *rq,
			const struct ccfc_change *change);

/*
 * A prompt or a title as in replies: one line of at most CCFC_PROMPT_SHORT
 * characters, "…" at the end if it was cut. White space at the ends is removed;
 * other white space becomes single blanks.
 */
#define CCFC_PROMPT_SHORT 200
struct ccfc_slice ccfc_reply_short(struct ccfc_slice text,
				   struct ccfc_arena *arena);
/*
 * The user's prompt before the change, shortened; empty: not known
 * (prompt_reply.c). The second packs it as `prompt`.
 */
struct ccfc_slice ccfc_reply_prompt_text(struct ccfc_request *rq,
					 const struct ccfc_change *change);
void ccfc_reply_prompt(struct ccfc_request *rq,
		       const struct ccfc_change *change);
/* Packs `promptFull`: the whole prompt, up to 64 KiB. True when it was cut. */
bool ccfc_reply_prompt_full(struct ccfc_request *rq,
			    const struct ccfc_change *change);

/* linesAdded and linesRemoved of several changes; nil if none is known. */
struct ccfc_lines {
	int64_t added, removed;
	bool any_added, any_removed;
};
void ccfc_lines_add(struct ccfc_lines *lines, const struct ccfc_index *index,
		    const struct ccfc_group *group);
void ccfc_reply_lines(struct ccfc_pack *p, const struct ccfc_lines *lines);
/*
 * changeCount, toolsUsed, linesAdded and linesRemoved of a group. Unless
 * `includeChanges` is false, also about `left` of its changes from *at on,
 * which starts at 0. True: there are more.
 */
bool ccfc_reply_group_some(struct ccfc_request *rq,
			   const struct ccfc_group *group, uint32_t *at,
			   uint32_t *left);

/*
 * The fields of IndexStats, clock included, into an open map (server_info.c).
 */
void ccfc_reply_stats(struct ccfc_pack *p, struct ccfc_service *service);

#endif
