/*
 * The texts of a change, read from its lines when somebody asks: what the
 * index does not keep. Pure functions over bytes.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_CHANGE_TEXT_H
#define CCFC_TRANSCRIPT_CONTENT_CHANGE_TEXT_H

#include "transcript/record.h"

/* One pair of texts. A MultiEdit has several, the other tools one. */
struct ccfc_edit {
	struct ccfc_slice old_text; /* ptr NULL: there is none (Write) */
	struct ccfc_slice new_text; /* ptr NULL: not known */
};

struct ccfc_change_text {
	struct ccfc_edit *edits;
	uint32_t nedits;
};

/*
 * Fills `out` from the call line and the result line of the change `id`
 * (either may be empty: gone; both padded as for ccfc_record_parse). The
 * result wins over the call where they differ. With several files in one
 * call, `part` says which. Texts are unescaped UTF-8 (lone surrogates become
 * U+FFFD) in `arena`. False when neither line has the texts of that id: then
 * the lines are not what they were and the content is not available.
 */
bool ccfc_content_read(struct ccfc_parser *parser, struct ccfc_change_text *out,
		       struct ccfc_slice id, uint32_t part,
		       struct ccfc_slice call_line,
		       struct ccfc_slice result_line, struct ccfc_arena *arena);

#endif
