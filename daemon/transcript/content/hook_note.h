/*
 * The client's note that a hook changed a file right after a call: an
 * attachment, a few lines after the call's result. Pure; `line` is padded as
 * for ccfc_record_parse.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_HOOK_NOTE_H
#define CCFC_TRANSCRIPT_CONTENT_HOOK_NOTE_H

#include "transcript/record.h"

/* Is the line such a note, about the call with that id? */
bool ccfc_hook_note_is_of(struct ccfc_parser *parser, struct ccfc_slice line,
			  struct ccfc_slice id);

#endif
