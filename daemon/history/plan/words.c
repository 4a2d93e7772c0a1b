/* Keywords in paths and contents; see words.h. */
#include "history/plan/words.h"

#include "base/buf.h"

static void lower_case(struct ccfc_buf *out, struct ccfc_slice s)
{
	char *to = ccfc_buf_reserve(out, s.len);

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		to[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
	}
	out->len += s.len;
	out->ptr[out->len] = '\0';
}

bool ccfc_word_in(struct ccfc_slice word, struct ccfc_slice text)
{
	struct ccfc_buf w = CCFC_BUF_INIT, t = CCFC_BUF_INIT;
	bool found;

	if (word.len > text.len)
		return false;
	lower_case(&w, word);
	lower_case(&t, text);
	found = memmem(t.ptr, t.len, w.ptr, w.len);
	ccfc_buf_release(&w);
	ccfc_buf_release(&t);
	return found;
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
