/*
 * The texts of a change, read from its lines on request; the index does not
 * keep them. Pure functions over bytes.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_CHANGE_TEXT_H
#define CCFC_TRANSCRIPT_CONTENT_CHANGE_TEXT_H

#include "transcript/record.h"

/* One pair of texts. A MultiEdit has several, the other tools one. */
struct ccfc_edit {
	struct ccfc_slice old_text; /* ptr NULL: none (Write) */
	struct ccfc_slice new_text; /* ptr NULL: not known */
};

struct ccfc_change_text {
	struct ccfc_edit *edits;
	uint32_t nedits;
};

/*
 * Fills `out` from the call line and the result line of the change `id`. Either
 * may be empty (gone); both are padded as for ccfc_record_parse. Where they
 * differ, the result wins. With several files in one call, `part` selects the
 * file. Texts are unescaped UTF-8 (lone surrogates become U+FFFD) in `arena`.
 * False when neither line has the texts of that id: the lines have changed and
 * the content is not available.
 */
bool ccfc_content_read(struct ccfc_parser *parser, struct ccfc_change_text *out,
		       struct ccfc_slice id, uint32_t part,
		       struct ccfc_slice call_line,
		       struct ccfc_slice result_line, struct ccfc_arena *arena);

#endif
