/*
 * Parts of replies: the maps that several methods give. Field names are those
 * of the protocol (PROTOCOL.md). Nothing here fails.
 */
#ifndef CCFC_SERVE_RPC_REPLY_H
#define CCFC_SERVE_RPC_REPLY_H

#include "serve/rpc/request.h"

#define CCFC_CLOCK_TEXT_MAX 48

/* "epoch:seq" */
const char *ccfc_reply_clock_text(char out[CCFC_CLOCK_TEXT_MAX], uint64_t epoch,
				  uint64_t seq);
/* The key `clock`, and `indexing` while that runs: for every result map. */
void ccfc_reply_clock(struct ccfc_pack *p, struct ccfc_service *service);
/* The same as of the moment of asking: on a worker, and in slices. */
void ccfc_reply_asked(struct ccfc_request *rq);
/* The project that was meant by a word, if one was; the above has it. */
void ccfc_reply_scope(struct ccfc_request *rq);
/* The fields of a struct ccfc_scan_progress, into an open map. */
void ccfc_reply_progress(struct ccfc_pack *p,
			 const struct ccfc_scan_progress *at);

/* A string, nil where it is empty. */
void ccfc_reply_str(struct ccfc_pack *p, const char *key, struct ccfc_slice s);
/* An interned string, nil for 0. */
void ccfc_reply_id(struct ccfc_pack *p, const char *key,
		   const struct ccfc_index *index, uint32_t string);
/* A list of interned strings, as it is or in byte order. */
void ccfc_reply_ids(struct ccfc_pack *p, const char *key,
		    const struct ccfc_index *index, const struct ccfc_ids *ids,
		    bool sorted);

/* In byte order. */
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
/* An item of `candidates`: a change, or a command of a shell. */
void ccfc_reply_candidate(struct ccfc_pack *p, const struct ccfc_index *index,
			  const struct ccfc_change *change);
/* Of these `evidence` and `command`; nil without a change (NULL). */
void ccfc_reply_evidence(struct ccfc_pack *p, const struct ccfc_index *index,
			 const struct ccfc_change *change);
/* `command` alone. */
void ccfc_reply_command(struct ccfc_pack *p, const struct ccfc_index *index,
			const struct ccfc_change *change);
/*
 * The session's commands whose effects are not known: unknownCommands, how many
 * they are, and commands, the first of them. An excerpt has them with
 * CCFC_EXCERPT_COMMANDS.
 */
void ccfc_reply_unknown(struct ccfc_pack *p, const struct ccfc_index *index,
			uint32_t session);
/* Of these two `commands` alone. */
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
/* Fields of a FileChange without its content, into an open map. */
void ccfc_reply_change_fields(struct ccfc_pack *p,
			      const struct ccfc_index *index,
			      const struct ccfc_change *change);
/* An array of FileChange under `changes`, with content if asked for. */
void ccfc_reply_changes(struct ccfc_request *rq, const uint32_t *changes,
			uint32_t n);
/* The fields that a change's content has (change_content.c). */
void ccfc_reply_content(struct ccfc_request *rq,
			const struct ccfc_change *change);

/*
 * A prompt or a title as replies show it: one line of at most
 * CCFC_PROMPT_SHORT characters, "…" at the end if the text was cut. White space
 * at the ends is dropped; a run of it in between is one blank.
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
/* `promptFull`: all of it, up to 64 KiB. True when it was cut. */
bool ccfc_reply_prompt_full(struct ccfc_request *rq,
			    const struct ccfc_change *change);

/* linesAdded and linesRemoved of several; nil where none is known. */
struct ccfc_lines {
	int64_t added, removed;
	bool any_added, any_removed;
};
void ccfc_lines_add(struct ccfc_lines *lines, const struct ccfc_index *index,
		    const struct ccfc_group *group);
void ccfc_reply_lines(struct ccfc_pack *p, const struct ccfc_lines *lines);
/*
 * changeCount, toolsUsed, linesAdded and linesRemoved of a group, and its
 * changes unless `includeChanges` is false: about `left` of them from `at` on,
 * which begins with 0. True: there are more.
 */
bool ccfc_reply_group_some(struct ccfc_request *rq,
			   const struct ccfc_group *group, uint32_t *at,
			   uint32_t *left);

/*
 * The fields of IndexStats, clock included, into an open map (server_info.c).
 */
void ccfc_reply_stats(struct ccfc_pack *p, struct ccfc_service *service);

#endif
