/* Keywords in paths and contents; see words.h. */
#include "history/words.h"

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool starts(const char *text, struct ccfc_slice word)
{
	for (size_t i = 0; i < word.len; i++)
		if (fold(text[i]) != fold(word.ptr[i]))
			return false;
	return true;
}

bool ccfc_word_in(struct ccfc_slice word, struct ccfc_slice text)
{
	for (size_t i = 0; i + word.len <= text.len; i++)
		if (starts(text.ptr + i, word))
			return true;
	return false;
}

bool ccfc_word_in_state(struct ccfc_slice word,
			const struct ccfc_content_state *state)
{
	if (state->fidelity >= CCFC_FIDELITY_RECONSTRUCTED)
		return state->exists && ccfc_word_in(word, state->bytes);
	for (uint32_t i = 0;
	     state->fidelity == CCFC_FIDELITY_PARTIAL && i < state->nknown; i++)
		if (ccfc_word_in(word, state->known[i].text))
			return true;
	return false;
}
