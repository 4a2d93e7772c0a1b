/*
 * A file's state in history, as file.at gives it: whether its content is
 * known, and the words for it when it is not, or not for certain.
 */
#ifndef CCFC_CLI_WRITE_OLD_CONTENT_H
#define CCFC_CLI_WRITE_OLD_CONTENT_H

#include "base/buf.h"
#include "base/err.h"
#include "wire/obj.h"

enum ccfc_past_how {
	CCFC_PAST_EXACT,
	CCFC_PAST_RECONSTRUCTED,
	CCFC_PAST_PARTIAL, /* some lines */
	CCFC_PAST_ABSENT,  /* the file did not exist */
	CCFC_PAST_NOTHING,
};

struct ccfc_past {
	enum ccfc_past_how how;
	struct ccfc_slice fidelity, source, why, sha256;
	struct ccfc_slice content; /* EXACT and RECONSTRUCTED only */
	struct ccfc_obj parts;	   /* PARTIAL: [{line, lines, text}] */
};

/*
 * Reads the reply of file.at, asked with content. Content that is not all
 * there, or does not have the hash that it should, counts as not known.
 * Slices are borrowed from the reply, or constant.
 */
void ccfc_past_read(struct ccfc_past *past, struct ccfc_obj reply);

/* Appends "reconstructed: WHY". */
void ccfc_past_words(struct ccfc_buf *out, const struct ccfc_past *past);

/* Has it NUL bytes? Such content is not for a terminal. */
bool ccfc_past_is_binary(struct ccfc_slice content);

#endif
