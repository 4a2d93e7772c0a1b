/*
 * Writing the file of texts.h. Within store/ only: the rest of the daemon goes
 * through store.h, because the store's commits say how many bytes of the file
 * are valid. Core thread.
 *
 * Adding never fails for the caller: texts wait in memory until they could be
 * written, and a text is never written twice, because a failed write is
 * repeated at the same place. Only if the disk is full and CCFC_TEXTS_WAIT
 * bytes wait, further texts are refused.
 */
#ifndef CCFC_STORE_TEXTS_TEXTS_WRITE_H
#define CCFC_STORE_TEXTS_TEXTS_WRITE_H

#include "store/texts/texts.h"

#define CCFC_TEXTS_WAIT (64u << 20)

struct ccfc_texts_file;

enum ccfc_texts_found {
	CCFC_TEXTS_FIT,	  /* the store's file */
	CCFC_TEXTS_SHORT, /* the store's file, without its last texts */
	CCFC_TEXTS_NONE,  /* there was none: a new file */
	CCFC_TEXTS_ALIEN, /* another file, put aside: a new file */
};

/*
 * Opens <dir>/texts. The store gives the file's id `id` (0: the store has no
 * file) and its length `length`; bytes beyond that are cut off.
 */
int ccfc_texts_file_new(struct ccfc_texts_file **out, const char *dir,
			uint64_t id, uint64_t length,
			enum ccfc_texts_found *found, struct ccfc_err *err);
/* The same with <dir>/texts<tail>. */
int ccfc_texts_file_new_at(struct ccfc_texts_file **out, const char *dir,
			   const char *tail, uint64_t id, uint64_t length,
			   enum ccfc_texts_found *found, struct ccfc_err *err);
void ccfc_texts_file_free(struct ccfc_texts_file *file);

uint64_t ccfc_texts_file_id(const struct ccfc_texts_file *file);
/* Bytes that were written, the file's beginning among them. */
uint64_t ccfc_texts_file_length(const struct ccfc_texts_file *file);

/*
 * Adds a text; the writer fills in the head's magic, len, check and
 * CCFC_TEXT_FOLDS. `escaped`: it is the inside of a JSON string. False: it was
 * refused.
 */
bool ccfc_texts_file_add(struct ccfc_texts_file *file,
			 const struct ccfc_text_head *head,
			 struct ccfc_slice text, bool escaped);

/* Would a text be accepted now? */
bool ccfc_texts_file_takes(const struct ccfc_texts_file *file);

/* Writes the waiting texts. */
int ccfc_texts_file_flush(struct ccfc_texts_file *file, struct ccfc_err *err);

/*
 * Is the open file still the one in the directory? 0: none is there; -1:
 * another one is.
 */
int ccfc_texts_file_is_there(const struct ccfc_texts_file *file);

/*
 * The file was removed: writes its content to a new file of that name, from the
 * descriptor that is still open.
 */
int ccfc_texts_file_again(struct ccfc_texts_file *file, struct ccfc_err *err);

/* Makes the written bytes durable. */
int ccfc_texts_file_sync(const struct ccfc_texts_file *file,
			 struct ccfc_err *err);

/* A view of the texts written so far. */
void ccfc_texts_file_view(const struct ccfc_texts_file *file,
			  struct ccfc_texts_view *out);

#endif
