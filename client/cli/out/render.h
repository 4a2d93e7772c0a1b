/*
 * Parts of replies as text, shared by the commands. Objects are borrowed for
 * the call. Times are shown in the local zone; "-" means not known.
 */
#ifndef CCFC_CLI_OUT_RENDER_H
#define CCFC_CLI_OUT_RENDER_H

#include "cli/out/out.h"
#include "wire/obj.h"

#define CCFC_RENDER_MINUTE "%Y-%m-%d %H:%M"
#define CCFC_RENDER_SECOND "%Y-%m-%d %H:%M:%S"

/* A time string of a reply, formatted with strftime's `fmt`. */
void ccfc_render_time(struct ccfc_buf *out, struct ccfc_obj time,
		      const char *fmt);

/* One of server.info's unread paths: the error, since when, the next try. */
void ccfc_render_unread(struct ccfc_buf *out, struct ccfc_obj failure);

/* server.info's archive: how much is kept, and what goes next. */
void ccfc_render_archive(struct ccfc_buf *out, struct ccfc_obj archive);

/* "1 file", "5 files". */
void ccfc_render_count(struct ccfc_buf *out, int64_t n, const char *noun);

/* "640 bytes", "1.2 MiB". */
void ccfc_render_bytes(struct ccfc_buf *out, int64_t bytes);

/* An array of strings: "Edit, Write". */
void ccfc_render_join(struct ccfc_buf *out, struct ccfc_obj array);

/*
 * A map of counts, most first: ".ts (4), .md (1)"; `skip` is a key to leave
 * out, or NULL. Nothing is appended when nothing is left.
 */
void ccfc_render_tally(struct ccfc_buf *out, struct ccfc_obj map,
		       const char *skip);

/*
 * "Label:   text" with the text at column `at`, on a terminal in as many lines
 * as it takes; not for an empty text.
 */
void ccfc_render_line(struct ccfc_out *out, const char *label, unsigned at,
		      struct ccfc_slice text);

/*
 * The tool of a change, or "unknown tool" if it is known from the disk alone.
 */
struct ccfc_slice ccfc_render_tool(struct ccfc_obj change);

/*
 * What a change did to its file beyond writing it, as a shell's command can:
 * "deleted", "renamed from old", "renamed to new", "copied from old", with
 * paths below `base` as seen from there. Nothing is appended for other changes.
 */
void ccfc_render_operation(struct ccfc_buf *out, struct ccfc_obj change,
			   struct ccfc_slice base);

/*
 * Commands whose effects are not known, a line for each of the first `max`:
 * "  2025-12-10 10:05:23  $ make". `all`: how many there are.
 */
void ccfc_render_commands(struct ccfc_out *out, struct ccfc_obj commands,
			  int64_t all, uint32_t max);

/*
 * "the effects of 2 commands are not known: ccfc show ID", of a reply about a
 * session; false when all are known.
 */
bool ccfc_render_unknown(struct ccfc_buf *out, struct ccfc_obj root);

/* "\n=== title (4 changes) ===\n" and the changes with their content. */
void ccfc_render_changes(struct ccfc_out *out, struct ccfc_slice title,
			 struct ccfc_obj changes);

/* A path for --format=paths: exact except on a terminal, followed by `end`. */
void ccfc_render_path(struct ccfc_out *out, struct ccfc_slice path, char end);

/* One value as JSON and a newline; `indent` as in wire/to_json.h. */
void ccfc_render_json(struct ccfc_out *out, struct ccfc_obj value, int indent);

/*
 * A field of a line that tabs divide, followed by `end`: made safe, with blanks
 * for tabs and newlines.
 */
void ccfc_render_tsv(struct ccfc_out *out, struct ccfc_slice text, char end);

/* Each element of an array as a line of JSON. */
void ccfc_render_jsonl(struct ccfc_out *out, struct ccfc_obj array);

/*
 * The shortest length, at least `min`, at which the texts under `key` in an
 * array of maps differ. Equal texts count once.
 */
size_t ccfc_render_unique_length(struct ccfc_obj array, const char *key,
				 size_t min);

/*
 * How much of a session's id to show: all of it, or on a terminal the shortest
 * length (at least 8) at which the ids in `array` (maps with `sessionId`)
 * differ.
 */
size_t ccfc_render_id_length(const struct ccfc_out *out, struct ccfc_obj array);

#endif
