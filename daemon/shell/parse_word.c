/* Words: quotes, expansions, here-documents; see parse_impl.h. */
#include "shell/parse_impl.h"

#include <ctype.h>

struct parts {
	struct ccfc_sh_part *first, **last;
	bool any_quote;
};

static struct ccfc_sh_part *add_part(struct ccfc_sh_parser *p, struct parts *to,
				     enum ccfc_sh_part_kind kind, bool quoted)
{
	struct ccfc_sh_part *part = ccfc_sh_make(p, sizeof(*part));

	part->kind = kind;
	part->quoted = quoted;
	*to->last = part;
	to->last = &part->next;
	return part;
}

static void add_word_text(struct ccfc_sh_parser *p, struct parts *to,
			  struct ccfc_slice text, bool quoted)
{
	if (text.len)
		add_part(p, to, CCFC_SH_TEXT, quoted)->text = text;
}

static struct ccfc_slice text_since(const struct ccfc_sh_parser *p,
				    size_t start)
{
	return ccfc_slice(p->text.ptr + start, p->at - start);
}

size_t ccfc_sh_name_length(struct ccfc_slice text)
{
	size_t n = 0;

	while (n < text.len &&
	       (text.ptr[n] == '_' || (isalpha((unsigned char)text.ptr[n])) ||
		(n && isdigit((unsigned char)text.ptr[n]))))
		n++;
	return n;
}

/* Skips a closing byte; sets `bad` if it is missing. */
static void take_end(struct ccfc_sh_parser *p, char end)
{
	if (ccfc_sh_peek(p, 0) == end)
		p->at++;
	else
		p->bad = true;
}

/* Takes the bytes before `end` and skips `end`. */
static struct ccfc_slice take_until(struct ccfc_sh_parser *p, char end)
{
	size_t start = p->at;
	struct ccfc_slice taken;

	while (p->at < p->text.len && p->text.ptr[p->at] != end)
		p->at++;
	taken = text_since(p, start);
	take_end(p, end);
	return taken;
}

/*
 * The byte that a backslash and `c` mean in $'…'; 0: rare ones, not supported.
 */
static char ansi_c(char c)
{
	static const char from[] = "ntr\\'\"abefv";
	static const char to[] = "\n\t\r\\'\"\a\b\033\f\v";
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : 0;
}

static void parse_ansi_c(struct ccfc_sh_parser *p, struct parts *to)
{
	static const char bytes[] = "\n\t\r\\'\"\a\b\033\f\v";

	while (p->at < p->text.len && ccfc_sh_peek(p, 0) != '\'') {
		size_t start = p->at;
		char c;

		while (p->at < p->text.len &&
		       !strchr("'\\", p->text.ptr[p->at]))
			p->at++;
		add_word_text(p, to, text_since(p, start), true);
		if (ccfc_sh_peek(p, 0) != '\\')
			continue;
		c = ansi_c(ccfc_sh_peek(p, 1));
		if (c)
			add_word_text(p, to, ccfc_slice(strchr(bytes, c), 1),
				      true);
		else
			add_part(p, to, CCFC_SH_OPAQUE, true);
		p->at += p->text.len - p->at < 2 ? 1 : 2;
	}
	take_end(p, '\'');
}

void ccfc_sh_skip_arithmetic(struct ccfc_sh_parser *p)
{
	int open = 2;

	for (; p->at < p->text.len && open; p->at++) {
		open += p->text.ptr[p->at] == '(';
		open -= p->text.ptr[p->at] == ')';
	}
	p->bad |= open || p->text.ptr[p->at - 2] != ')';
}

/* May this expansion do more than give a value? */
static bool is_active(struct ccfc_slice text)
{
	return memchr(text.ptr, '=', text.len) ||
	       memchr(text.ptr, '`', text.len) ||
	       ccfc_slice_contains(text, "$(") ||
	       ccfc_slice_contains(text, "++") ||
	       ccfc_slice_contains(text, "--");
}

/* Adds an expansion with an unknown value. */
static void add_unknown(struct ccfc_sh_parser *p, struct parts *to,
			struct ccfc_slice text, bool quoted)
{
	enum ccfc_sh_part_kind kind =
		is_active(text) ? CCFC_SH_HIDDEN : CCFC_SH_OPAQUE;

	add_part(p, to, kind, quoted)->text = text;
}

/* Parses a nested list of commands up to its ")". */
static void parse_run(struct ccfc_sh_parser *p, struct parts *to,
		      enum ccfc_sh_part_kind kind, bool quoted)
{
	struct ccfc_sh_part *part = add_part(p, to, kind, quoted);

	part->run = ccfc_sh_parse_list(p);
	take_end(p, ')');
}

/* The same for a text without its delimiters. */
static void parse_run_in(struct ccfc_sh_parser *p, struct parts *to,
			 struct ccfc_slice text, bool quoted)
{
	struct ccfc_sh_parser inner = { .text = text,
					.depth = p->depth,
					.arena = p->arena };
	struct ccfc_sh_part *part;

	if (memchr(text.ptr, '\\', text.len)) {
		add_part(p, to, CCFC_SH_HIDDEN, quoted)->text =
			CCFC_SLICE_LIT("`");
		return;
	}
	part = add_part(p, to, CCFC_SH_RUN, quoted);
	part->run = ccfc_sh_parse_list(&inner);
	p->bad |= inner.bad || inner.at != inner.text.len || inner.pending;
}

/* "`": ends at the next one without a backslash. */
static void parse_backquotes(struct ccfc_sh_parser *p, struct parts *to,
			     bool quoted)
{
	size_t start = ++p->at;

	while (p->at < p->text.len && p->text.ptr[p->at] != '`')
		p->at += p->text.ptr[p->at] == '\\' && ccfc_sh_peek(p, 1) ? 2
									  : 1;
	parse_run_in(p, to, text_since(p, start), quoted);
	take_end(p, '`');
}

/* "${": a plain name, or an expansion of which only the end is found. */
static void parse_braced(struct ccfc_sh_parser *p, struct parts *to,
			 bool quoted)
{
	size_t start = p->at, n;
	struct ccfc_slice inside;
	bool odd = false;
	int open = 1;

	for (; p->at < p->text.len && open; p->at++) {
		char c = p->text.ptr[p->at];

		odd |= c == '\'' || c == '"';
		if (c == '\\' && ccfc_sh_peek(p, 1))
			p->at++;
		open += c == '{';
		open -= c == '}';
	}
	inside = ccfc_slice(p->text.ptr + start, p->at - start - !open);
	/* Quotes inside have rules of their own, so the end may be wrong. */
	p->bad |= open || (odd && (is_active(inside) ||
				   memchr(inside.ptr, '{', inside.len)));
	n = ccfc_sh_name_length(inside);
	if (n && n == inside.len)
		add_part(p, to, CCFC_SH_VAR, quoted)->text = inside;
	else
		add_unknown(p, to, inside, quoted);
}

static void parse_dollar(struct ccfc_sh_parser *p, struct parts *to,
			 bool quoted)
{
	size_t start = ++p->at, n;
	char c = ccfc_sh_peek(p, 0);

	n = ccfc_sh_name_length(ccfc_slice_from(p->text, p->at));
	if (n) {
		p->at += n;
		add_part(p, to, CCFC_SH_VAR, quoted)->text =
			text_since(p, start);
	} else if (ccfc_sh_looking_at(p, "((")) {
		p->at += 2;
		ccfc_sh_skip_arithmetic(p);
		add_unknown(p, to, text_since(p, start), quoted);
	} else if (c == '(') {
		p->at++;
		parse_run(p, to, CCFC_SH_RUN, quoted);
	} else if (c == '{') {
		p->at++;
		parse_braced(p, to, quoted);
	} else if (c == '\'' && !quoted) {
		p->at++;
		to->any_quote = true;
		parse_ansi_c(p, to);
	} else if (c && strchr("@*#?$!-0123456789", c)) {
		p->at++;
		add_part(p, to, CCFC_SH_OPAQUE, quoted);
	} else if (c != '"' || quoted) {
		add_word_text(p, to, CCFC_SLICE_LIT("$"), quoted);
	}
}

/* Text in which only $, ` and \ are special, up to `end` (0: to the end). */
static void parse_soft(struct ccfc_sh_parser *p, struct parts *to, char end)
{
	while (p->at < p->text.len && !p->bad) {
		size_t start = p->at;
		char c, next;

		while (p->at < p->text.len &&
		       !(end && p->text.ptr[p->at] == end) &&
		       !strchr("$`\\", p->text.ptr[p->at]))
			p->at++;
		add_word_text(p, to, text_since(p, start), true);
		if (p->at == p->text.len)
			break;
		c = p->text.ptr[p->at];
		next = ccfc_sh_peek(p, 1);
		if (end && c == end) {
			p->at++;
			return;
		}
		if (c == '$') {
			parse_dollar(p, to, true);
		} else if (c == '`') {
			parse_backquotes(p, to, true);
		} else if (next && (strchr("$`\\\n", next) || next == end)) {
			p->at += 2;
			if (next != '\n')
				add_word_text(
					p, to,
					ccfc_slice(p->text.ptr + p->at - 1, 1),
					true);
		} else {
			add_word_text(p, to, CCFC_SLICE_LIT("\\"), true);
			p->at++;
		}
	}
	p->bad |= end != 0;
}

/* A NUL ends a word, as strchr finds it. */
static bool ends_word(char c)
{
	switch (c) {
	case '\0':
	case ' ':
	case '\t':
	case '\n':
	case ';':
	case '&':
	case '|':
	case '<':
	case '>':
	case '(':
	case ')':
		return true;
	default:
		return false;
	}
}

bool ccfc_sh_at_word_end(const struct ccfc_sh_parser *p)
{
	return p->at == p->text.len || ends_word(p->text.ptr[p->at]);
}

/* A backslash outside quotes. */
static void parse_escaped(struct ccfc_sh_parser *p, struct parts *to)
{
	char c = ccfc_sh_peek(p, 1);

	if (p->text.len - p->at < 2) {
		p->at = p->text.len;
		p->bad = true;
		return;
	}
	p->at += 2;
	if (c == '\n')
		return;
	to->any_quote = true;
	add_word_text(p, to, ccfc_slice(p->text.ptr + p->at - 1, 1), true);
}

static void parse_piece(struct ccfc_sh_parser *p, struct parts *to)
{
	size_t start = p->at;
	char c = p->text.ptr[p->at];

	switch (c) {
	case '\\':
		parse_escaped(p, to);
		break;
	case '\'':
		p->at++;
		to->any_quote = true;
		add_word_text(p, to, take_until(p, '\''), true);
		break;
	case '"':
		p->at++;
		to->any_quote = true;
		parse_soft(p, to, '"');
		break;
	case '$':
		parse_dollar(p, to, false);
		break;
	case '`':
		parse_backquotes(p, to, false);
		break;
	default:
		while (!ccfc_sh_at_word_end(p) &&
		       !strchr("\\'\"$`", p->text.ptr[p->at]))
			p->at++;
		add_word_text(p, to, text_since(p, start), false);
	}
}

struct ccfc_sh_word *ccfc_sh_parse_word(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_word *word = ccfc_sh_make(p, sizeof(*word));
	struct parts parts = { .last = &parts.first };

	if (ccfc_sh_looking_at(p, "<(") || ccfc_sh_looking_at(p, ">(")) {
		p->at += 2;
		parse_run(p, &parts, CCFC_SH_ASIDE, true);
	}
	while (!p->bad && !ccfc_sh_at_word_end(p))
		parse_piece(p, &parts);
	word->parts = parts.first;
	word->quoted = parts.any_quote;
	return word;
}

struct ccfc_sh_word *ccfc_sh_parse_body(struct ccfc_sh_parser *p,
					struct ccfc_slice body, bool literal)
{
	struct ccfc_sh_parser inner = { .text = body,
					.depth = p->depth,
					.arena = p->arena };
	struct ccfc_sh_word *word = ccfc_sh_make(p, sizeof(*word));
	struct parts parts = { .last = &parts.first };

	if (literal)
		add_word_text(p, &parts, body, true);
	else
		parse_soft(&inner, &parts, 0);
	p->bad |= inner.bad || inner.pending;
	word->parts = parts.first;
	word->quoted = true;
	return word;
}
