/*
 * Numbered lines back to a text; see numbered_lines.h.
 *
 * Clients up to some 2.1 write " 1→line"; newer and very old ones have a tab in
 * place of the arrow. A text that ends with a newline has an empty numbered
 * line at its end, so the lines joined by newlines are the text in any case.
 * The client cuts off after 2,000 lines, and lines after 2,000 characters: a
 * text as long as that is refused. Older clients add a reminder of their own
 * after the lines; any other text there may say that something was left out.
 */
#include "transcript/content/numbered_lines.h"

#include <stdint.h>

#define LINES_MAX 2000u
#define UNITS_MAX 2000u
#define ARROW	  "\xe2\x86\x92"
#define OPENING	  "<system-reminder>"
#define CLOSING	  "</system-reminder>"
/* The start of the reminder after the lines. */
#define REMINDER "Whenever you read a file"
/* The text for an empty file, which is one empty line. */
#define EMPTY                                                                  \
	OPENING "Warning: the file exists but is shorter than the provided "   \
		"offset (1). The file has 1 lines." CLOSING

static bool skip_text(struct ccfc_slice *s, const char *text)
{
	size_t n = strlen(text);

	if (!ccfc_slice_starts(*s, text))
		return false;
	*s = ccfc_slice(s->ptr + n, s->len - n);
	return true;
}

static void skip_space(struct ccfc_slice *s)
{
	while (skip_text(s, " ") || skip_text(s, "\n") || skip_text(s, "\t") ||
	       skip_text(s, "\r"))
		;
}

/* "    12→" or "12\t", where 12 is `want`. */
static bool skip_number(struct ccfc_slice *s, uint32_t want, const char *mark)
{
	struct ccfc_slice at = *s;
	uint32_t n = 0;

	while (skip_text(&at, " "))
		;
	if (ccfc_slice_starts(at, "0"))
		return false;
	while (at.len && *at.ptr >= '0' && *at.ptr <= '9' && n < LINES_MAX) {
		n = n * 10 + (uint32_t)(*at.ptr - '0');
		at = ccfc_slice(at.ptr + 1, at.len - 1);
	}
	if (n != want || !skip_text(&at, mark))
		return false;
	*s = at;
	return true;
}

/* Cuts a line off `s` and returns it without its newline; the newline stays. */
static struct ccfc_slice take_line(struct ccfc_slice *s)
{
	const char *nl = s->len ? memchr(s->ptr, '\n', s->len) : NULL;
	size_t n = nl ? (size_t)(nl - s->ptr) : s->len;
	struct ccfc_slice line = ccfc_slice(s->ptr, n);

	*s = ccfc_slice(s->ptr + n, s->len - n);
	return line;
}

/* The number of UTF-16 units: characters as the client counts them. */
static size_t count_units(struct ccfc_slice line)
{
	size_t n = 0;

	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = (unsigned char)line.ptr[i];

		n += (c & 0xc0) != 0x80;
		n += c >= 0xf0;
	}
	return n;
}

/* Are there only the client's reminders? */
static bool is_end(struct ccfc_slice s)
{
	for (skip_space(&s); s.len; skip_space(&s)) {
		const char *end;

		if (!skip_text(&s, OPENING))
			return false;
		skip_space(&s);
		if (!skip_text(&s, REMINDER))
			return false;
		end = memmem(s.ptr, s.len, CLOSING, strlen(CLOSING));
		if (!end)
			return false;
		s = ccfc_slice(end, s.len - (size_t)(end - s.ptr));
		skip_text(&s, CLOSING);
	}
	return true;
}

bool ccfc_numbered_lines_text(struct ccfc_slice *text, struct ccfc_slice shown,
			      struct ccfc_arena *arena)
{
	const char *mark = ARROW;
	struct ccfc_slice rest = shown, next;
	char *out;
	size_t len = 0;
	uint32_t n = 1;

	if (ccfc_slice_is(shown, EMPTY)) {
		*text = CCFC_SLICE_LIT("");
		return true;
	}
	if (!skip_number(&rest, n, mark)) {
		mark = "\t";
		if (!skip_number(&rest, n, mark))
			return false;
	}
	out = ccfc_arena_alloc(arena, shown.len);
	for (;;) {
		struct ccfc_slice line = take_line(&rest);

		if (n >= LINES_MAX || count_units(line) >= UNITS_MAX)
			return false;
		memcpy(out + len, line.ptr, line.len);
		len += line.len;
		next = rest;
		if (!skip_text(&next, "\n") || !skip_number(&next, n + 1, mark))
			break;
		out[len++] = '\n';
		rest = next;
		n++;
	}
	*text = ccfc_slice(out, len);
	return is_end(rest);
}
