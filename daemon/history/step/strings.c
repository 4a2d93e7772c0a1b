/*
 * The call's strings; see strings.h. Apart from replacing, the client does
 * this:
 *
 *   - An empty new text removes the newline after the old text too, so that
 *     no empty line is left.
 *   - If the old text is not found, it is searched with curly quotes taken
 *     as straight ones. Newer clients then give the new text the file's
 *     quotes.
 */
#include "history/step/strings.h"

#define CURLY_LEN 3
/* Bytes compared when searching a text with other quotes. */
#define LOOSE_MAX ((size_t)1 << 24)
#define SAMPLE	  4096

struct edit {
	struct ccfc_slice text; /* the text to search in */
	struct ccfc_slice old_text, new_text;
	bool all;
};

/* The index of the byte of `what` that is rarest in the middle of `text`. */
static size_t rarest_byte(struct ccfc_slice text, struct ccfc_slice what)
{
	const unsigned char *sample =
		(const unsigned char *)text.ptr + text.len / 2;
	const unsigned char *bytes = (const unsigned char *)what.ptr;
	uint16_t count[256] = { 0 };
	size_t best = 0;

	for (size_t i = 0; i < SAMPLE; i++)
		count[sample[i]]++;
	for (size_t i = 0; i < what.len && i < SAMPLE; i++)
		if (count[bytes[i]] < count[bytes[best]])
			best = i;
	return best;
}

/*
 * As memmem, which is slow if many lines are similar: jumps from one rare byte
 * to the next, as long as that is fast.
 */
static const char *search_by_rare_byte(struct ccfc_slice text,
				       struct ccfc_slice what)
{
	size_t k, work = 0;
	const char *at, *end;

	if (text.len < 4 * SAMPLE || what.len > text.len)
		return memmem(text.ptr, text.len, what.ptr, what.len);
	k = rarest_byte(text, what);
	at = text.ptr + k;
	end = text.ptr + (text.len - what.len) + k + 1;
	while (at < end && (at = memchr(at, what.ptr[k], (size_t)(end - at)))) {
		if (!memcmp(at - k, what.ptr, what.len))
			return at - k;
		at++;
		work += what.len;
		if (work > 16 * text.len)
			return memmem(at - k, (size_t)(end - at) + what.len - 1,
				      what.ptr, what.len);
	}
	return NULL;
}

static const char *find_from(struct ccfc_slice text, size_t from,
			     struct ccfc_slice what)
{
	if (!what.len || from > text.len)
		return NULL;
	return search_by_rare_byte(ccfc_slice(text.ptr + from, text.len - from),
				   what);
}

/* Once as the client counts: overlapping places are one. */
static bool occurs_once(struct ccfc_slice text, struct ccfc_slice what)
{
	const char *first = find_from(text, 0, what);

	return first &&
	       !find_from(text, (size_t)(first - text.ptr) + what.len, what);
}

/* --- quotes --- */

/* The straight quote for the curly quote at `s`, or 0. */
static char straight_quote(const char *s, size_t left)
{
	if (left < CURLY_LEN || memcmp(s, "\xe2\x80", 2) != 0)
		return 0;
	switch ((unsigned char)s[2]) {
	case 0x98:
	case 0x99:
		return '\'';
	case 0x9c:
	case 0x9d:
		return '"';
	default:
		return 0;
	}
}

/* The next character, curly quotes made straight, and its length in bytes. */
static char next_straight_char(struct ccfc_slice s, size_t at, size_t *len)
{
	char quote = straight_quote(s.ptr + at, s.len - at);

	*len = quote ? CURLY_LEN : 1;
	return quote ? quote : s.ptr[at];
}

/*
 * The length of the match of `what` in `text` at `at`, all quotes taken as
 * equal; 0: no match.
 */
static size_t match_ignoring_quotes(struct ccfc_slice text, size_t at,
				    struct ccfc_slice what, size_t *left)
{
	size_t i = at, j = 0, m, n;

	while (j < what.len) {
		if (i >= text.len || !*left || !--*left ||
		    next_straight_char(text, i, &m) !=
			    next_straight_char(what, j, &n))
			return 0;
		i += m;
		j += n;
	}
	return i - at;
}

static bool has_curly(struct ccfc_slice s, char quote)
{
	for (size_t i = 0; i < s.len; i++)
		if (straight_quote(s.ptr + i, s.len - i) == quote)
			return true;
	return false;
}

static bool has_any_curly(struct ccfc_slice s)
{
	return has_curly(s, '"') || has_curly(s, '\'');
}

static struct ccfc_slice find_ignoring_quotes(struct ccfc_slice text,
					      struct ccfc_slice what)
{
	size_t left = LOOSE_MAX;

	/* Without curly quotes the exact search would have found it. */
	if (!has_any_curly(text) && !has_any_curly(what))
		return CCFC_SLICE_NONE;
	for (size_t at = 0; what.len && left && at < text.len; at++) {
		size_t len = match_ignoring_quotes(text, at, what, &left);

		if (len)
			return ccfc_slice(text.ptr + at, len);
	}
	return CCFC_SLICE_NONE;
}

/* Is a quote after `s[0 … i)` an opening one? */
static bool is_opening_quote(struct ccfc_slice s, size_t i)
{
	if (!i || strchr(" \t\n\r([{", s.ptr[i - 1]))
		return true;
	/* After a dash: U+2013, U+2014. */
	return i >= 3 && !memcmp(s.ptr + i - 3, "\xe2\x80", 2) &&
	       ((unsigned char)s.ptr[i - 1] == 0x93 ||
		(unsigned char)s.ptr[i - 1] == 0x94);
}

/* ASCII letters, and all bytes that are not ASCII. */
static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80;
}

static const char *curly_quote_at(struct ccfc_slice s, size_t i)
{
	bool within = i && i + 1 < s.len && is_word_byte(s.ptr[i - 1]) &&
		      is_word_byte(s.ptr[i + 1]);

	if (s.ptr[i] == '"')
		return is_opening_quote(s, i) ? "\xe2\x80\x9c" : "\xe2\x80\x9d";
	return !within && is_opening_quote(s, i) ? "\xe2\x80\x98"
						 : "\xe2\x80\x99";
}

/* Appends `s` with those kinds of quotes curly that are curly in `like`. */
static void append_with_curly_quotes(struct ccfc_buf *out, struct ccfc_slice s,
				     struct ccfc_slice like)
{
	bool singles = has_curly(like, '\''), doubles = has_curly(like, '"');

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if ((c == '\'' && singles) || (c == '"' && doubles))
			ccfc_buf_puts(out, curly_quote_at(s, i));
		else
			ccfc_buf_putc(out, c);
	}
}

/* --- replacing --- */

static bool replace_text(struct ccfc_buf *out, const struct edit *e)
{
	struct ccfc_slice text = e->text;
	size_t at = 0;
	const char *hit;

	if (!e->all && !occurs_once(text, e->old_text))
		return false;
	while ((hit = find_from(text, at, e->old_text))) {
		ccfc_buf_append(out, text.ptr + at,
				(size_t)(hit - text.ptr) - at);
		ccfc_buf_slice(out, e->new_text);
		at = (size_t)(hit - text.ptr) + e->old_text.len;
		if (!e->all)
			break;
	}
	ccfc_buf_append(out, text.ptr + at, text.len - at);
	return at != 0;
}

/* The old text and the newline after it, if the new text is empty. */
static struct ccfc_slice with_trailing_newline(const struct edit *e,
					       struct ccfc_buf *scratch)
{
	if (e->new_text.len || ccfc_slice_ends(e->old_text, "\n"))
		return e->old_text;
	ccfc_buf_clear(scratch);
	ccfc_buf_slice(scratch, e->old_text);
	ccfc_buf_putc(scratch, '\n');
	if (!find_from(e->text, 0, ccfc_buf_view(scratch)))
		return e->old_text;
	return ccfc_buf_view(scratch);
}

static bool apply_text_edit(struct ccfc_buf *out, struct edit *e,
			    enum ccfc_quotes quotes, bool *loose)
{
	struct ccfc_buf line = CCFC_BUF_INIT, curly = CCFC_BUF_INIT;
	bool applied;

	if (!e->old_text.len) {
		/* Creates a file, or fills an empty one. */
		ccfc_buf_slice(out, e->new_text);
		return !e->text.len;
	}
	if (!find_from(e->text, 0, e->old_text))
		e->old_text = find_ignoring_quotes(e->text, e->old_text);
	if (has_curly(e->old_text, '"') || has_curly(e->old_text, '\'')) {
		*loose = true;
		if (quotes == CCFC_QUOTES_AS_FILE) {
			append_with_curly_quotes(&curly, e->new_text,
						 e->old_text);
			e->new_text = ccfc_buf_view(&curly);
		}
	}
	/* The old text alone must be unique; then the newline is added. */
	if (!e->all && !occurs_once(e->text, e->old_text)) {
		applied = false;
	} else {
		e->old_text = with_trailing_newline(e, &line);
		applied = replace_text(out, e);
	}
	ccfc_buf_release(&line);
	ccfc_buf_release(&curly);
	return applied;
}

bool ccfc_strings_apply(struct ccfc_buf *out,
			const struct ccfc_evidence *evidence,
			struct ccfc_slice before, enum ccfc_quotes quotes,
			bool *loose)
{
	struct ccfc_buf next = CCFC_BUF_INIT;
	bool applied = evidence->nedits != 0;

	ccfc_buf_clear(out);
	ccfc_buf_slice(out, before);
	for (uint32_t i = 0; applied && i < evidence->nedits; i++) {
		const struct ccfc_replacement *r = &evidence->edits[i];
		struct edit e = { ccfc_buf_view(out), r->old_text, r->new_text,
				  r->all };
		struct ccfc_buf swap;

		ccfc_buf_clear(&next);
		applied = r->old_text.ptr && r->new_text.ptr &&
			  apply_text_edit(&next, &e, quotes, loose);
		swap = *out;
		*out = next;
		next = swap;
	}
	ccfc_buf_release(&next);
	return applied;
}

bool ccfc_strings_unapply(struct ccfc_buf *out,
			  const struct ccfc_evidence *evidence,
			  struct ccfc_slice after)
{
	struct ccfc_buf next = CCFC_BUF_INIT;
	bool done = evidence->nedits != 0;

	ccfc_buf_clear(out);
	ccfc_buf_slice(out, after);
	for (uint32_t i = evidence->nedits; done && i-- > 0;) {
		const struct ccfc_replacement *r = &evidence->edits[i];
		struct edit e = { ccfc_buf_view(out), r->new_text, r->old_text,
				  false };
		struct ccfc_buf swap;

		ccfc_buf_clear(&next);
		done = r->old_text.ptr && r->new_text.ptr && !r->all &&
		       replace_text(&next, &e);
		swap = *out;
		*out = next;
		next = swap;
	}
	ccfc_buf_release(&next);
	return done;
}
