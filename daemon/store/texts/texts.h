/*
 * Message texts, unescaped: a file beside the store, <state>/texts, for text
 * search. It outlives the transcripts.
 *
 * The file only grows, until a copy without dead texts (texts_compact.h) takes
 * its place. A batch's texts are written before the batch is committed, and
 * the commit stores the file's length: bytes beyond that length were never
 * committed and are cut off at the next start. The file begins with an id that
 * the store has too, so that a foreign file is noticed: it is moved aside, and
 * the texts are written again from the sources.
 *
 * Each text has a head, and a checksum over both: a scan skips and counts
 * damaged texts. Text is valid UTF-8: a lone surrogate or a bad byte becomes
 * U+FFFD. The same message can occur more than once, from forks and rewritten
 * transcripts: readers compare uuid and block.
 *
 * Writing: core thread. Reading: any thread, through a struct ccfc_texts_view.
 */
#ifndef CCFC_STORE_TEXTS_TEXTS_H
#define CCFC_STORE_TEXTS_TEXTS_H

#include "base/err.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

enum ccfc_text_kind {
	CCFC_TEXT_TEXT,
	CCFC_TEXT_THINKING,
	CCFC_TEXT_TASKS, /* the tool_use block of a planning call, as JSON, or
			  * the tool_result with a task's number; never searched
			  */
};

enum ccfc_text_role {
	CCFC_ROLE_USER,
	CCFC_ROLE_ASSISTANT,
};

#define CCFC_TEXT_META	    1u	/* isMeta: put in by the client */
#define CCFC_TEXT_SUMMARY   2u	/* isCompactSummary */
#define CCFC_TEXT_SIDECHAIN 4u	/* an agent's, in whatever file */
#define CCFC_TEXT_FOLDS	    8u	/* holds U+017F or U+212A, which fold to s, k */
#define CCFC_TEXT_RESULT    16u /* TASKS: a tool_result block */

/* A text's head, as in the file (native order; the file never travels). */
struct ccfc_text_head {
	uint32_t magic;
	uint32_t len;	/* of the text, which follows; then zeros up to 8 */
	uint64_t check; /* over all of the head but magic and check, and text */
	int64_t time;	/* CCFC_TIME_NONE where there is none */
	uint64_t offset; /* of the line in its transcript */
	uint32_t source; /* of the index */
	uint32_t session;
	uint32_t gen; /* the source's */
	uint16_t block;
	uint8_t kind;
	uint8_t role;
	unsigned char uuid[16]; /* of the record; zeros: none that is one */
	uint32_t flags;
	uint32_t line_len; /* of the line in its transcript */
};
_Static_assert(sizeof(struct ccfc_text_head) == 72, "no holes");

#define CCFC_TEXT_MAX (16u << 20) /* longer ones are cut */

/* The readable texts at one moment; owns a descriptor. */
struct ccfc_texts_view {
	int fd; /* -1: nothing, or with an `end`: no descriptor was left */
	uint64_t start; /* of the first head */
	uint64_t end;
	uint64_t dead; /* bytes of texts that were written again; about */
};

struct ccfc_texts_reader;

/* Reads on through a view; `size` is how much is read at once (0: 1 MiB). */
struct ccfc_texts_reader *
ccfc_texts_reader_new(const struct ccfc_texts_view *view, size_t size);
void ccfc_texts_reader_free(struct ccfc_texts_reader *reader);
/*
 * The next text: 1; 0 at the end. Head and text are valid until the next call;
 * 16 readable bytes follow the text. Damaged texts are skipped and counted;
 * checksums are only checked with `verify`.
 */
int ccfc_texts_next(struct ccfc_texts_reader *reader,
		    struct ccfc_text_head *head, struct ccfc_slice *text);
void ccfc_texts_verify(struct ccfc_texts_reader *reader, bool verify);
uint64_t ccfc_texts_damaged(const struct ccfc_texts_reader *reader);
/*
 * The errno of a failed read, or 0. A failed read ends the reading; the texts
 * after it are not counted as damaged.
 */
int ccfc_texts_error(const struct ccfc_texts_reader *reader);
uint64_t ccfc_texts_scanned(const struct ccfc_texts_reader *reader);

void ccfc_texts_view_release(struct ccfc_texts_view *view);

#endif
