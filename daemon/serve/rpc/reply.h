/*
 * Parts of replies: the maps that several methods give. Field names are those
 * of the protocol (PROTOCOL.md). Core thread; nothing here fails.
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
void ccfc_reply_source(struct ccfc_pack *p, bool present);

/* What a transcript says of a change: the fields that never go stale. */
void ccfc_reply_change_facts(struct ccfc_pack *p,
			     const struct ccfc_index *index,
			     const struct ccfc_change *change);
/* The same without the numbers of lines, and those apart. */
void ccfc_reply_change_names(struct ccfc_pack *p,
			     const struct ccfc_index *index,
			     const struct ccfc_change *change);
void ccfc_reply_line_counts(struct ccfc_pack *p,
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
 * `prompt`: what the user asked for when the change was made, in one line of
 * at most CCFC_PROMPT_SHORT characters; nil when not known (prompt_reply.c).
 */
#define CCFC_PROMPT_SHORT 200
void ccfc_reply_prompt(struct ccfc_request *rq,
		       const struct ccfc_change *change);
/* A text made that short: runs of white space are one blank. */
struct ccfc_slice ccfc_reply_short(struct ccfc_slice text,
				   struct ccfc_arena *arena);
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
/* changeCount, toolsUsed, linesAdded, linesRemoved and changes of a group. */
void ccfc_reply_group(struct ccfc_request *rq, const struct ccfc_group *group);

/* The fields of IndexStats, clock included, into an open map (server_info.c).
 */
void ccfc_reply_stats(struct ccfc_pack *p, struct ccfc_service *service);

#endif
