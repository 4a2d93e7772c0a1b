/*
 * A file's state from file.at: whether its content is known, and the
 * explanation if it is not, or not exactly.
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
 * Reads the reply of file.at, asked with content. Incomplete content, or
 * content with a wrong hash, counts as not known. Slices are borrowed from the
 * reply, or constant.
 */
void ccfc_old_content_read(struct ccfc_old_content *past,
			   struct ccfc_obj reply);

/* Appends "reconstructed: WHY". */
void ccfc_old_content_words(struct ccfc_buf *out,
			    const struct ccfc_old_content *past);

/* Does it have NUL bytes? Such content is not printed on a terminal. */
bool ccfc_old_content_is_binary(struct ccfc_slice content);

#endif
