/*
 * Lines of bash; see complete.h. bash passes words in pieces, cut at '=' and
 * ':' too and with their quotes, and expects back the part after the last cut,
 * quoted to match. So the line is parsed here, as bash does it.
 */
#include "cli/complete/complete.h"

#include "base/alloc.h"

#include <stdlib.h>

/* One pass over a line. */
struct reader {
	const char *p;
	const char *breaks;
	struct ccfc_buf word; /* without quotes */
	size_t kept;	      /* bytes of it that readline does not replace */
	size_t opened;	      /* the same, if the last quote stays open */
	char quote;	      /* the open quote, or 0 */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void put_char(struct reader *r, char c)
{
	ccfc_buf_putc(&r->word, c);
}

/* readline cuts after an open quote, but not after closed ones. */
static void toggle_quote(struct reader *r, char quote)
{
	r->quote = r->quote ? '\0' : quote;
	r->opened = r->word.len;
}

/* In double quotes a backslash is literal, except before these. */
static bool is_escape(const struct reader *r)
{
	return r->p[0] == '\\' && r->p[1] &&
	       (!r->quote || (r->quote == '"' && strchr("$`\"\\", r->p[1])));
}

static void read_char(struct reader *r)
{
	char c = *r->p;

	if (is_escape(r)) {
		put_char(r, r->p[1]);
		r->p += 2;
		return;
	}
	r->p++;
	if (r->quote ? c == r->quote : c == '\'' || c == '"') {
		toggle_quote(r, c);
		return;
	}
	/* A backslash at the end begins an unfinished escape. */
	if (c == '\\' && !r->quote)
		return;
	put_char(r, c);
	if (!r->quote && strchr(r->breaks, c))
		r->kept = r->word.len;
}

/* Reads one word; its rest is in the reader's `kept` and `quote`. */
static char *read_bash_word(struct reader *r)
{
	ccfc_buf_clear(&r->word);
	r->kept = 0;
	r->quote = '\0';
	while (*r->p && (r->quote || !is_blank(*r->p)))
		read_char(r);
	return ccfc_strndup(r->word.len ? r->word.ptr : "", r->word.len);
}

void ccfc_bash_init(struct ccfc_bash *bash, const char *line,
		    const char *breaks)
{
	struct reader r = { .p = line, .breaks = breaks };
	/* At most one more word than there are blanks. */
	size_t room = 2;

	*bash = (struct ccfc_bash){ 0 };
	for (const char *p = line; *p; p++)
		room += is_blank(*p);
	bash->words = ccfc_calloc(room, sizeof(*bash->words));
	do {
		while (is_blank(*r.p))
			r.p++;
		bash->words[bash->n++] = read_bash_word(&r);
	} while (*r.p);
	bash->kept = ccfc_strndup(r.word.len ? r.word.ptr : "",
				  r.quote ? r.opened : r.kept);
	bash->quote = r.quote;
	ccfc_buf_release(&r.word);
}

void ccfc_bash_release(struct ccfc_bash *bash)
{
	for (int i = 0; i < bash->n; i++)
		free(bash->words[i]);
	free(bash->words);
	free(bash->kept);
}

/*
 * Letters, digits, non-ASCII bytes, and characters without a meaning for bash.
 */
static bool is_harmless(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (unsigned char)c >= 0x80 ||
	       strchr("_-./,:=@%+", c);
}

void ccfc_bash_quote(struct ccfc_buf *out, struct ccfc_slice text, char quote)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (quote == '\'' && c == '\'') {
			ccfc_buf_puts(out, "'\\''");
			continue;
		}
		if (quote == '"' ? strchr("$`\"\\", c) != NULL
				 : !quote && !is_harmless(c))
			ccfc_buf_putc(out, '\\');
		ccfc_buf_putc(out, c);
	}
}
