/* Keywords in paths and contents. The case of ASCII letters is ignored. */
#ifndef CCFC_HISTORY_PLAN_WORDS_H
#define CCFC_HISTORY_PLAN_WORDS_H

#include "history/history.h"

bool ccfc_word_in(struct ccfc_slice word, struct ccfc_slice text);
/* In the whole content, or in its known lines. */
bool ccfc_word_in_state(struct ccfc_slice word,
			const struct ccfc_content_state *state);

#endif
