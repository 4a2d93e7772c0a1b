/*
 * The grammar of commands, by recursive descent, bounded in depth. Rare
 * (coproc, select) and unknown syntax makes the whole text unsure: a partial
 * tree would give wrong effects.
 */
#include "shell/parse_impl.h"

void *ccfc_sh_make(struct ccfc_sh_parser *p, size_t size)
{
	return memset(ccfc_arena_alloc(p->arena, size), 0, size);
}

static struct ccfc_sh_node *make_node(struct ccfc_sh_parser *p,
				      enum ccfc_sh_kind kind)
{
	struct ccfc_sh_node *node = ccfc_sh_make(p, sizeof(*node));

	node->kind = kind;
	return node;
}

/* ---- blanks ---- */

void ccfc_sh_skip_blanks(struct ccfc_sh_parser *p)
{
	for (;;) {
		char c = ccfc_sh_peek(p, 0);

		if (c == ' ' || c == '\t')
			p->at++;
		else if (c == '\\' && ccfc_sh_peek(p, 1) == '\n')
			p->at += 2;
		else
			break;
	}
	if (ccfc_sh_peek(p, 0) == '#')
		while (p->at < p->text.len && p->text.ptr[p->at] != '\n')
			p->at++;
}

static void skip_newlines(struct ccfc_sh_parser *p)
{
	ccfc_sh_skip_blanks(p);
	while (!p->bad && ccfc_sh_peek(p, 0) == '\n') {
		ccfc_sh_take_newline(p);
		ccfc_sh_skip_blanks(p);
	}
}

/* ---- reserved words ---- */

/* Is this word here, ended by a byte that is not part of it? */
static bool at_reserved(struct ccfc_sh_parser *p, const char *word)
{
	size_t start = p->at;
	bool alone;

	if (!ccfc_sh_looking_at(p, word))
		return false;
	p->at += strlen(word);
	alone = ccfc_sh_at_word_end(p);
	p->at = start;
	return alone;
}

static bool take_reserved(struct ccfc_sh_parser *p, const char *word)
{
	skip_newlines(p);
	if (!at_reserved(p, word))
		return false;
	p->at += strlen(word);
	return true;
}

static void want_reserved(struct ccfc_sh_parser *p, const char *word)
{
	p->bad |= !take_reserved(p, word);
}

static bool at_list_end(struct ccfc_sh_parser *p)
{
	static const char *const ends[] = { "then", "else", "elif", "fi",
					    "do",   "done", "esac", "}" };

	if (p->at == p->text.len || ccfc_sh_peek(p, 0) == ')' ||
	    ccfc_sh_looking_at(p, ";;") || ccfc_sh_looking_at(p, ";&"))
		return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (at_reserved(p, ends[i]))
			return true;
	return false;
}

/* ---- commands ---- */

static void parse_redirects(struct ccfc_sh_parser *p, struct ccfc_sh_node *node)
{
	struct ccfc_sh_redirect **last = &node->redirects;

	ccfc_sh_skip_blanks(p);
	while (!p->bad && (*last = ccfc_sh_parse_redirect(p))) {
		last = &(*last)->next;
		ccfc_sh_skip_blanks(p);
	}
}

/* x=( … ): the items are words that are only skipped. */
static void parse_array(struct ccfc_sh_parser *p, struct ccfc_sh_word *word)
{
	struct ccfc_sh_part **last = &word->parts;

	p->at++;
	word->is_array = true;
	while (skip_newlines(p), !p->bad && ccfc_sh_peek(p, 0) != ')') {
		p->bad |= ccfc_sh_at_word_end(p);
		while (*last)
			last = &(*last)->next;
		*last = p->bad ? NULL : ccfc_sh_parse_word(p)->parts;
	}
	p->at += !p->bad;
}

static bool ends_in_equals(const struct ccfc_sh_word *word)
{
	const struct ccfc_sh_part *part = word->parts;

	return part && !part->next && part->kind == CCFC_SH_TEXT &&
	       !part->quoted && ccfc_slice_ends(part->text, "=") &&
	       ccfc_sh_name_length(part->text);
}

/* After "name()": parses the body. */
static struct ccfc_sh_node *parse_function(struct ccfc_sh_parser *p,
					   struct ccfc_slice name);

static struct ccfc_sh_node *parse_simple(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *node = make_node(p, CCFC_SH_SIMPLE);
	struct ccfc_sh_redirect **redirect = &node->redirects;
	struct ccfc_sh_word *last = NULL, *word;

	for (;;) {
		ccfc_sh_skip_blanks(p);
		if ((*redirect = ccfc_sh_parse_redirect(p))) {
			redirect = &(*redirect)->next;
			continue;
		}
		if (p->bad ||
		    (ccfc_sh_at_word_end(p) && !ccfc_sh_looking_at(p, "<(") &&
		     !ccfc_sh_looking_at(p, ">(")))
			break;
		word = ccfc_sh_parse_word(p);
		if (ccfc_sh_peek(p, 0) == '(' && ends_in_equals(word))
			parse_array(p, word);
		ccfc_sh_skip_blanks(p);
		if (!last && !node->redirects && word->parts &&
		    ccfc_sh_looking_at(p, "()")) {
			p->at += 2;
			return parse_function(p, word->parts->text);
		}
		if (last)
			last->next = word;
		else
			node->words = word;
		last = word;
	}
	p->bad |=
		ccfc_sh_peek(p, 0) == '(' || (!node->words && !node->redirects);
	return node;
}

static struct ccfc_sh_node *parse_if(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *node = make_node(p, CCFC_SH_IF), *inner = node;

	for (;;) {
		inner->first = ccfc_sh_parse_list(p);
		want_reserved(p, "then");
		inner->second = ccfc_sh_parse_list(p);
		if (p->bad || !take_reserved(p, "elif"))
			break;
		inner->third = make_node(p, CCFC_SH_IF);
		inner = inner->third;
	}
	if (!p->bad && take_reserved(p, "else"))
		inner->third = ccfc_sh_parse_list(p);
	want_reserved(p, "fi");
	return node;
}

static struct ccfc_sh_node *parse_loop(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *node = make_node(p, CCFC_SH_LOOP);

	node->first = ccfc_sh_parse_list(p);
	want_reserved(p, "do");
	node->second = ccfc_sh_parse_list(p);
	want_reserved(p, "done");
	return node;
}

static struct ccfc_slice parse_name(struct ccfc_sh_parser *p)
{
	struct ccfc_slice name = ccfc_slice_from(p->text, p->at);

	while (!ccfc_sh_at_word_end(p) &&
	       !strchr("'\"$`\\", ccfc_sh_peek(p, 0)))
		p->at++;
	name.len = p->at - (size_t)(name.ptr - p->text.ptr);
	p->bad |= !name.len;
	return name;
}

static struct ccfc_sh_node *parse_for(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *node = make_node(p, CCFC_SH_FOR);
	struct ccfc_sh_word **last = &node->words;

	ccfc_sh_skip_blanks(p);
	if (ccfc_sh_looking_at(p, "((")) {
		node->name = ccfc_slice_from(p->text, p->at);
		p->at += 2;
		ccfc_sh_skip_arithmetic(p);
		node->name.len -= p->text.len - p->at;
	} else {
		node->name = parse_name(p);
		node->is_plain = !p->bad && take_reserved(p, "in");
	}
	ccfc_sh_skip_blanks(p);
	while (node->is_plain && !p->bad && !ccfc_sh_at_word_end(p)) {
		*last = ccfc_sh_parse_word(p);
		last = &(*last)->next;
		ccfc_sh_skip_blanks(p);
	}
	if (ccfc_sh_peek(p, 0) == ';')
		p->at++;
	want_reserved(p, "do");
	node->second = ccfc_sh_parse_list(p);
	want_reserved(p, "done");
	return node;
}

/* Skips the patterns of a branch; their words may run commands. */
static void skip_patterns(struct ccfc_sh_parser *p, struct ccfc_sh_node *node)
{
	struct ccfc_sh_word **last = &node->words;

	p->at += ccfc_sh_peek(p, 0) == '(';
	while (!p->bad && ccfc_sh_peek(p, 0) != ')') {
		ccfc_sh_skip_blanks(p);
		if (ccfc_sh_peek(p, 0) == '|') {
			p->at++;
			continue;
		}
		if (ccfc_sh_peek(p, 0) == ')')
			break;
		p->bad |= ccfc_sh_at_word_end(p);
		while (*last)
			last = &(*last)->next;
		*last = p->bad ? NULL : ccfc_sh_parse_word(p);
	}
	p->at += !p->bad;
}

static struct ccfc_sh_node *parse_case(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *node = make_node(p, CCFC_SH_CASE);
	struct ccfc_sh_node **last = &node->first;

	ccfc_sh_skip_blanks(p);
	p->bad |= ccfc_sh_at_word_end(p);
	if (!p->bad)
		node->words = ccfc_sh_parse_word(p);
	want_reserved(p, "in");
	while (!p->bad && !take_reserved(p, "esac")) {
		skip_patterns(p, node);
		*last = p->bad ? NULL : ccfc_sh_parse_list(p);
		if (*last)
			last = &(*last)->next;
		if (ccfc_sh_looking_at(p, ";;&"))
			p->at += 3;
		else if (ccfc_sh_looking_at(p, ";;") ||
			 ccfc_sh_looking_at(p, ";&"))
			p->at += 2;
		else
			p->bad |= !(skip_newlines(p), at_reserved(p, "esac"));
	}
	return node;
}

/* [[ … ]]: only the commands that its words run matter. */
static struct ccfc_sh_node *parse_test(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *node = make_node(p, CCFC_SH_TEST);
	struct ccfc_sh_word **last = &node->words;

	while (!p->bad && !take_reserved(p, "]]")) {
		if (p->at == p->text.len) {
			p->bad = true;
		} else if (ccfc_sh_at_word_end(p)) {
			p->bad |= ccfc_sh_peek(p, 0) == ';';
			p->at++;
		} else {
			*last = ccfc_sh_parse_word(p);
			last = &(*last)->next;
		}
	}
	return node;
}

static struct ccfc_sh_node *parse_closed(struct ccfc_sh_parser *p,
					 enum ccfc_sh_kind kind, char end)
{
	struct ccfc_sh_node *node = make_node(p, kind);

	node->first = ccfc_sh_parse_list(p);
	skip_newlines(p);
	p->bad |= ccfc_sh_peek(p, 0) != end;
	p->at += !p->bad;
	return node;
}

static struct ccfc_sh_node *parse_compound(struct ccfc_sh_parser *p)
{
	if (ccfc_sh_looking_at(p, "((")) {
		struct ccfc_sh_node *node = make_node(p, CCFC_SH_ARITH);

		node->name = ccfc_slice_from(p->text, p->at);
		p->at += 2;
		ccfc_sh_skip_arithmetic(p);
		node->name.len -= p->text.len - p->at;
		return node;
	}
	if (ccfc_sh_peek(p, 0) == '(') {
		p->at++;
		return parse_closed(p, CCFC_SH_SUBSHELL, ')');
	}
	if (take_reserved(p, "{"))
		return parse_closed(p, CCFC_SH_GROUP, '}');
	if (take_reserved(p, "if"))
		return parse_if(p);
	if (take_reserved(p, "while") || take_reserved(p, "until"))
		return parse_loop(p);
	if (take_reserved(p, "for"))
		return parse_for(p);
	if (take_reserved(p, "case"))
		return parse_case(p);
	return take_reserved(p, "[[") ? parse_test(p) : NULL;
}

static struct ccfc_sh_node *parse_function(struct ccfc_sh_parser *p,
					   struct ccfc_slice name)
{
	struct ccfc_sh_node *node = make_node(p, CCFC_SH_FUNCTION);

	node->name = name;
	skip_newlines(p);
	node->first = p->bad ? NULL : parse_compound(p);
	p->bad |= !node->first;
	return node;
}

static struct ccfc_sh_node *parse_command(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *node;

	if (take_reserved(p, "function")) {
		struct ccfc_slice name;

		ccfc_sh_skip_blanks(p);
		name = parse_name(p);
		if (ccfc_sh_looking_at(p, "()"))
			p->at += 2;
		node = parse_function(p, name);
	} else {
		p->bad |= at_reserved(p, "coproc") ||
			  at_reserved(p, "select") || at_list_end(p);
		node = p->bad ? NULL : parse_compound(p);
		if (!node)
			return p->bad ? NULL : parse_simple(p);
	}
	if (!p->bad)
		parse_redirects(p, node);
	return node;
}

static struct ccfc_sh_node *parse_pipeline(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *node = make_node(p, CCFC_SH_PIPE);
	struct ccfc_sh_node **last = &node->first;

	for (;;) {
		if (take_reserved(p, "!"))
			node->negated = true;
		else if (!take_reserved(p, "time"))
			break;
	}
	while (!p->bad) {
		*last = parse_command(p);
		if (p->bad || !*last)
			break;
		last = &(*last)->next;
		ccfc_sh_skip_blanks(p);
		if (ccfc_sh_peek(p, 0) != '|' || ccfc_sh_peek(p, 1) == '|')
			break;
		p->at += 1 + (ccfc_sh_peek(p, 1) == '&');
		skip_newlines(p);
	}
	return node;
}

static struct ccfc_sh_node *parse_and_or(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *node = make_node(p, CCFC_SH_AND_OR);
	struct ccfc_sh_node **last = &node->first;
	enum ccfc_sh_joint joint = CCFC_SH_THEN;

	while (!p->bad) {
		*last = parse_pipeline(p);
		(*last)->joint = joint;
		last = &(*last)->next;
		ccfc_sh_skip_blanks(p);
		if (ccfc_sh_looking_at(p, "&&"))
			joint = CCFC_SH_AND;
		else if (ccfc_sh_looking_at(p, "||"))
			joint = CCFC_SH_OR;
		else
			break;
		p->at += 2;
		skip_newlines(p);
	}
	return node;
}

struct ccfc_sh_node *ccfc_sh_parse_list(struct ccfc_sh_parser *p)
{
	struct ccfc_sh_node *list = make_node(p, CCFC_SH_LIST);
	struct ccfc_sh_node **last = &list->first;

	p->bad |= ++p->depth > CCFC_SH_DEPTH_MAX;
	while (!p->bad) {
		skip_newlines(p);
		if (p->bad || at_list_end(p))
			break;
		*last = parse_and_or(p);
		if (ccfc_sh_peek(p, 0) == '&') {
			(*last)->joint = CCFC_SH_BESIDE;
			p->at++;
		} else if (ccfc_sh_peek(p, 0) == ';' &&
			   ccfc_sh_peek(p, 1) != ';' &&
			   ccfc_sh_peek(p, 1) != '&') {
			p->at++;
		} else if (ccfc_sh_peek(p, 0) != '\n' && !at_list_end(p)) {
			p->bad = true;
		}
		last = &(*last)->next;
	}
	p->depth--;
	return list;
}

struct ccfc_sh_node *ccfc_sh_parse(struct ccfc_slice text,
				   struct ccfc_arena *arena)
{
	struct ccfc_sh_parser p = { .text = text, .arena = arena };
	struct ccfc_sh_node *list;

	if (!text.len || memchr(text.ptr, '\0', text.len))
		return NULL;
	list = ccfc_sh_parse_list(&p);
	return p.bad || p.pending || p.at != text.len ? NULL : list;
}
