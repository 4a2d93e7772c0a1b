/*
 * A file's state in history, as file.at gives it: whether its content is
 * known, and the words for it when it is not, or not for certain.
 */
#ifndef CCFC_CLI_WRITE_OLD_CONTENT_H
#define CCFC_CLI_WRITE_OLD_CONTENT_H

#include "base/buf.h"
#include "base/err.h"
#include "wire/obj.h"

enum ccfc_old_content_how {
	CCFC_OLD_CONTENT_EXACT,
	CCFC_OLD_CONTENT_RECONSTRUCTED,
	CCFC_OLD_CONTENT_PARTIAL, /* some lines */
	CCFC_OLD_CONTENT_ABSENT,  /* the file did not exist */
	CCFC_OLD_CONTENT_NOTHING,
};

struct ccfc_old_content {
	enum ccfc_old_content_how how;
	struct ccfc_slice fidelity, source, why, sha256;
	struct ccfc_slice content; /* EXACT and RECONSTRUCTED only */
	struct ccfc_obj parts;	   /* PARTIAL: [{line, lines, text}] */
};

/*
 * Reads the reply of file.at, asked with content. Content that is not all
 * there, or does not have the hash that it should, counts as not known.
 * Slices are borrowed from the reply, or constant.
 */
void ccfc_old_content_read(struct ccfc_old_content *past,
			   struct ccfc_obj reply);

/* Appends "reconstructed: WHY". */
void ccfc_old_content_words(struct ccfc_buf *out,
			    const struct ccfc_old_content *past);

/* Has it NUL bytes? Such content is not for a terminal. */
bool ccfc_old_content_is_binary(struct ccfc_slice content);

#endif
