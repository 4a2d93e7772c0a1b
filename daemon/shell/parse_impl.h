/* Shared by the parts of the parser: commands, redirections, words. */
#ifndef CCFC_SHELL_PARSE_IMPL_H
#define CCFC_SHELL_PARSE_IMPL_H

#include "shell/syntax.h"

#define CCFC_SH_DEPTH_MAX 24

struct ccfc_sh_parser {
	struct ccfc_slice text;
	size_t at;
	int depth;
	bool bad; /* syntax error: the result is useless */
	struct ccfc_arena *arena;
	/* here-documents that begin after this line */
	struct ccfc_sh_redirect *pending;
};

/* The byte `ahead` bytes on; 0 after the end. */
static inline char ccfc_sh_peek(const struct ccfc_sh_parser *p, size_t ahead)
{
	return ahead < p->text.len - p->at ? p->text.ptr[p->at + ahead] : 0;
}

static inline bool ccfc_sh_looking_at(const struct ccfc_sh_parser *p,
				      const char *s)
{
	return ccfc_sh_peek(p, 0) == *s &&
	       ccfc_slice_starts(ccfc_slice_from(p->text, p->at), s);
}

void *ccfc_sh_make(struct ccfc_sh_parser *p, size_t size);

/* A list of commands, ended by ")", "}", a reserved word or ";;". */
struct ccfc_sh_node *ccfc_sh_parse_list(struct ccfc_sh_parser *p);

void ccfc_sh_skip_blanks(struct ccfc_sh_parser *p);

/* A redirection, if one begins here; else NULL. */
struct ccfc_sh_redirect *ccfc_sh_parse_redirect(struct ccfc_sh_parser *p);

/* Reads a newline and the here-documents that begin after it. */
void ccfc_sh_take_newline(struct ccfc_sh_parser *p);

/* The next word, of at least one byte. */
struct ccfc_sh_word *ccfc_sh_parse_word(struct ccfc_sh_parser *p);

/* Does a word end here: at a blank, an operator, or the end of the text? */
bool ccfc_sh_at_word_end(const struct ccfc_sh_parser *p);

/* The text of a here-document as a word. */
struct ccfc_sh_word *ccfc_sh_parse_body(struct ccfc_sh_parser *p,
					struct ccfc_slice body, bool literal);

/* Skips to after "))"; the "((" has been read. */
void ccfc_sh_skip_arithmetic(struct ccfc_sh_parser *p);

#endif
