/*
 * Redirections, and their here-documents, which begin after the line; see
 * parse_impl.h.
 */
#include "shell/parse_impl.h"

#include <ctype.h>

#define HERE_END_MAX 64u /* bytes of the word that ends a here-document */

/* ---- here-documents ---- */

/* Reads a line, without its newline, which is skipped. */
static struct ccfc_slice take_line(struct ccfc_sh_parser *p)
{
	struct ccfc_slice rest = ccfc_slice_from(p->text, p->at);
	const char *end = rest.len ? memchr(rest.ptr, '\n', rest.len) : NULL;

	if (end)
		rest.len = (size_t)(end - rest.ptr);
	p->at += rest.len + (end != NULL);
	return rest;
}

/* The next line of a here-document; false: its end, or it is missing. */
static bool take_here_line(struct ccfc_sh_parser *p,
			   const struct ccfc_sh_redirect *here,
			   struct ccfc_slice *line)
{
	p->bad |= p->at == p->text.len; /* the text was cut off here */
	*line = take_line(p);
	while (here->strips_tabs && line->len && line->ptr[0] == '\t')
		*line = ccfc_slice_from(*line, 1);
	return !p->bad && !ccfc_slice_eq(*line, here->end);
}

static void read_here_document(struct ccfc_sh_parser *p,
			       struct ccfc_sh_redirect *here)
{
	struct ccfc_slice line;
	size_t start = p->at, n = 0;
	char *body;

	while (take_here_line(p, here, &line))
		;
	if (p->bad)
		return;
	body = ccfc_sh_make(p, p->at - start);
	p->at = start;
	while (take_here_line(p, here, &line)) {
		if (line.len)
			memcpy(body + n, line.ptr, line.len);
		n += line.len;
		body[n++] = '\n';
	}
	here->word = ccfc_sh_parse_body(p, ccfc_slice(body, n), here->literal);
}

void ccfc_sh_take_newline(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_redirect *here = p->pending;

	p->at++;
	p->pending = NULL;
	for (; here && !p->bad; here = here->pending)
		read_here_document(p, here);
}

/* ---- redirections ---- */

/* The spelling of a here-document's end, without quotes. */
static void read_here_end(struct ccfc_sh_parser *p,
			  struct ccfc_sh_redirect *here,
			  const struct ccfc_sh_word *word)
{
	const struct ccfc_sh_part *part;
	char *end = ccfc_sh_make(p, HERE_END_MAX);

	for (part = word->parts; part; part = part->next) {
		p->bad |= part->kind != CCFC_SH_TEXT ||
			  part->text.len > HERE_END_MAX - here->end.len;
		if (p->bad)
			return;
		memcpy(end + here->end.len, part->text.ptr, part->text.len);
		here->end = ccfc_slice(end, here->end.len + part->text.len);
	}
	here->literal = word->quoted;
	if (!p->pending) {
		p->pending = here;
	} else {
		struct ccfc_sh_redirect *last = p->pending;

		while (last->pending)
			last = last->pending;
		last->pending = here;
	}
}

static const struct {
	const char *text;
	enum ccfc_sh_redirect_op op;
	int fd;
	bool adds;
} operators[] = {
	{ "&>>", CCFC_SH_BOTH, 1, true },
	{ "&>", CCFC_SH_BOTH, 1, false },
	{ "<<<", CCFC_SH_HERE_LINE, 0, false },
	{ "<<", CCFC_SH_HERE, 0, false },
	{ "<&", CCFC_SH_DUP, 0, false },
	{ "<>", CCFC_SH_INOUT, 0, false },
	{ "<", CCFC_SH_IN, 0, false },
	{ ">>", CCFC_SH_ADD, 1, false },
	{ ">&", CCFC_SH_DUP, 1, false },
	{ ">|", CCFC_SH_OUT, 1, false },
	{ ">", CCFC_SH_OUT, 1, false },
};

/* ">&" is for descriptors; before a name it means "&>". */
static void read_dup(struct ccfc_sh_redirect *redirect)
{
	const struct ccfc_sh_part *part = redirect->word->parts;

	if (part && (part->kind != CCFC_SH_TEXT ||
		     (!isdigit((unsigned char)part->text.ptr[0]) &&
		      part->text.ptr[0] != '-')))
		redirect->op = CCFC_SH_BOTH;
}

/* A redirection, if one begins here. */
struct ccfc_sh_redirect *ccfc_sh_parse_redirect(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_redirect *redirect;
	size_t start = p->at, i = 0;
	const size_t n = sizeof(operators) / sizeof(*operators);

	while (isdigit((unsigned char)ccfc_sh_peek(p, 0)))
		p->at++;
	/* Usually none begins here. */
	if (!strchr("<>&", ccfc_sh_peek(p, 0)))
		i = n;
	while (i < n && !ccfc_sh_looking_at(p, operators[i].text))
		i++;
	if (i == n || p->at - start > 2 || ccfc_sh_looking_at(p, "<(") ||
	    ccfc_sh_looking_at(p, ">(")) {
		p->at = start;
		return NULL;
	}
	redirect = ccfc_sh_make(p, sizeof(*redirect));
	redirect->op = operators[i].op;
	redirect->adds = operators[i].adds;
	redirect->fd = operators[i].fd;
	if (p->at > start)
		redirect->fd = p->text.ptr[p->at - 1] - '0';
	p->at += strlen(operators[i].text);
	if (redirect->op == CCFC_SH_HERE && ccfc_sh_peek(p, 0) == '-') {
		redirect->strips_tabs = true;
		p->at++;
	}
	ccfc_sh_skip_blanks(p);
	redirect->word = ccfc_sh_parse_word(p);
	p->bad |= !redirect->word->parts && !redirect->word->quoted;
	if (redirect->op == CCFC_SH_HERE)
		read_here_end(p, redirect, redirect->word);
	else if (redirect->op == CCFC_SH_DUP && redirect->fd)
		read_dup(redirect);
	return redirect;
}
