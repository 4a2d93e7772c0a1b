/* Candidates, as the scripts of the shells read them; see complete.h. */
#include "base/alloc.h"
#include "cli/complete/complete.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"

#include <stdlib.h>

#define ABOUT_WIDTH 72

/*
 * Newlines and tabs would break the lines; shells print other control
 * characters unchanged or in their own ways.
 */
static bool is_printable(struct ccfc_slice value)
{
	struct ccfc_buf safe = CCFC_BUF_INIT;
	bool plain;

	ccfc_safe_append(&safe, value, false);
	plain = value.len && ccfc_slice_eq(ccfc_buf_view(&safe), value);
	ccfc_buf_release(&safe);
	return plain;
}

static bool is_seen(const struct ccfc_candidates *to, struct ccfc_slice value)
{
	for (uint32_t i = 0; i < to->seen.n; i++)
		if (ccfc_slice_is(value, to->seen.items[i]))
			return true;
	return false;
}

static bool starts_with(struct ccfc_slice text, struct ccfc_slice start)
{
	return text.len >= start.len &&
	       ccfc_slice_eq(ccfc_slice(text.ptr, start.len), start);
}

/* The text with which readline replaces the end of the word. */
static void put_bash(struct ccfc_candidates *to, struct ccfc_slice value)
{
	struct ccfc_slice kept = ccfc_slice_str(to->bash->kept);
	struct ccfc_buf word = CCFC_BUF_INIT;
	struct ccfc_slice rest;

	ccfc_buf_slice(&word, to->stem);
	ccfc_buf_slice(&word, value);
	rest = ccfc_buf_view(&word);
	if (starts_with(rest, kept) && rest.len > kept.len) {
		rest = ccfc_slice(rest.ptr + kept.len, rest.len - kept.len);
		ccfc_bash_quote(to->out, rest, to->bash->quote);
		ccfc_buf_putc(to->out, '\n');
	}
	ccfc_buf_release(&word);
}

static void put_candidate_line(struct ccfc_candidates *to,
			       struct ccfc_slice value, struct ccfc_slice about)
{
	struct ccfc_buf safe = CCFC_BUF_INIT;

	ccfc_safe_append(&safe, about, false);
	ccfc_buf_slice(to->out, value);
	if (about.len)
		ccfc_buf_putc(to->out, '\t');
	ccfc_width_cut(to->out, ccfc_buf_view(&safe), ABOUT_WIDTH);
	ccfc_buf_putc(to->out, '\n');
	ccfc_buf_release(&safe);
}

void ccfc_candidates_add(struct ccfc_candidates *to, struct ccfc_slice value,
			 struct ccfc_slice about)
{
	if (!starts_with(value, to->prefix) || is_seen(to, value) ||
	    !is_printable(value))
		return;
	CCFC_VEC_PUSH(to->seen, ccfc_strndup(value.ptr, value.len));
	if (to->bash)
		put_bash(to, value);
	else
		put_candidate_line(to, value, about);
}

void ccfc_candidates_release(struct ccfc_candidates *to)
{
	for (uint32_t i = 0; i < to->seen.n; i++)
		free(to->seen.items[i]);
	free(to->seen.items);
}
