/*
 * Candidates from the tables of commands and options; reads usage lines; see
 * complete.h.
 */
#include "cli/complete/complete.h"

/* Words of a usage, and of an option's `arg`. */
static const struct {
	const char *word;
	unsigned kinds, option; /* as an argument, as an option's value */
} words[] = {
	{ "SESSION", CCFC_KIND_SESSION, CCFC_KIND_SESSION },
	{ "CHANGE", CCFC_KIND_CHANGE, CCFC_KIND_CHANGE },
	{ "PATH", CCFC_KIND_PATH, CCFC_KIND_PATH },
	{ "GLOB", CCFC_KIND_PATH, CCFC_KIND_PATH },
	/* An argument is a file to ask about; an option has one to write. */
	{ "FILE", CCFC_KIND_PATH, CCFC_KIND_FILE },
	{ "DIR", CCFC_KIND_DIR, CCFC_KIND_DIR },
	{ "DIRS", CCFC_KIND_DIR, CCFC_KIND_DIR },
	{ "COMMAND", CCFC_KIND_COMMAND, CCFC_KIND_COMMAND },
	{ "WHEN", 0, CCFC_KIND_WHEN },
	{ "AGENT", CCFC_KIND_AGENT, CCFC_KIND_AGENT },
	{ "BRANCH", CCFC_KIND_BRANCH, CCFC_KIND_BRANCH },
	{ "MODEL", CCFC_KIND_MODEL, CCFC_KIND_MODEL },
	{ "TOOLS", CCFC_KIND_TOOL, CCFC_KIND_TOOL },
};

/* The first of the parts that '|' separates; *rest is the text after it. */
static struct ccfc_slice first_part(struct ccfc_slice *rest)
{
	const char *bar = rest->len ? memchr(rest->ptr, '|', rest->len) : NULL;
	size_t len = bar ? (size_t)(bar - rest->ptr) : rest->len;
	struct ccfc_slice part = ccfc_slice(rest->ptr, len);

	rest->ptr += bar ? len + 1 : len;
	rest->len -= bar ? len + 1 : len;
	return part;
}

unsigned ccfc_complete_kinds(struct ccfc_slice place, bool option)
{
	unsigned kinds = 0;

	while (place.len) {
		struct ccfc_slice part = first_part(&place);

		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (ccfc_slice_is(part, words[i].word))
				kinds |= option ? words[i].option
						: words[i].kinds;
	}
	return kinds;
}

/* The next word of a usage's first line; false after the last one. */
static bool next_word(struct ccfc_slice *word, const char **p)
{
	size_t len;

	*p += strspn(*p, " ");
	len = strcspn(*p, " \n");
	*word = ccfc_slice(*p, len);
	*p += len;
	return len > 0;
}

/* The placeholder for an argument, without brackets. */
static struct ccfc_slice strip_placeholder_marks(struct ccfc_slice word,
						 bool *repeats)
{
	static const char dots[] = "…";

	if (ccfc_slice_starts(word, "["))
		word = ccfc_slice(word.ptr + 1, word.len - 1);
	if (ccfc_slice_ends(word, "]"))
		word.len--;
	*repeats = ccfc_slice_ends(word, dots);
	if (*repeats)
		word.len -= sizeof(dots) - 1;
	return word;
}

struct ccfc_slice ccfc_complete_place(const char *usage, int i)
{
	const char *p = usage;
	struct ccfc_slice word;
	bool repeats;

	next_word(&word, &p); /* the command */
	while (next_word(&word, &p)) {
		if (ccfc_slice_starts(word, "[-") ||
		    ccfc_slice_starts(word, "[options")) {
			while (!ccfc_slice_ends(word, "]"))
				if (!next_word(&word, &p))
					break;
			continue;
		}
		word = strip_placeholder_marks(word, &repeats);
		if (!word.len || word.ptr[0] == '-')
			continue;
		if (repeats || i-- == 0)
			return word;
	}
	return CCFC_SLICE_NONE;
}

static void add_commands(struct ccfc_candidates *to)
{
	for (int i = 0; ccfc_commands[i]; i++)
		ccfc_candidates_add(to, ccfc_slice_str(ccfc_commands[i]->name),
				    ccfc_slice_str(ccfc_commands[i]->summary));
}

static bool is_given(const struct ccfc_complete *c, const struct ccfc_opt *o)
{
	if (o->type == CCFC_OPT_LIST || o->type == CCFC_OPT_WORDS ||
	    o->type == CCFC_OPT_NAMED || o->type == CCFC_OPT_EXTS ||
	    o->type == CCFC_OPT_STATES)
		return false; /* each use adds values */
	for (uint32_t i = 0; i < c->given.n; i++)
		if (c->given.items[i] == o)
			return true;
	return false;
}

static void add_option(struct ccfc_candidates *to, const struct ccfc_opt *o)
{
	char letter[] = { '-', o->letter, '\0' };
	struct ccfc_slice about = ccfc_slice_str(o->help);
	struct ccfc_buf name = CCFC_BUF_INIT;

	if (o->letter)
		ccfc_candidates_add(to, ccfc_slice_str(letter), about);
	ccfc_buf_printf(&name, "--%s", o->name);
	if (o->type == CCFC_OPT_FLAG || ccfc_opt_is_free(o))
		ccfc_candidates_add(to, ccfc_buf_view(&name), about);
	ccfc_buf_putc(&name, '=');
	if (o->type != CCFC_OPT_FLAG)
		ccfc_candidates_add(to, ccfc_buf_view(&name), about);
	ccfc_buf_release(&name);
}

static void add_options(struct ccfc_candidates *to,
			const struct ccfc_complete *c)
{
	for (int t = 0; t < 2; t++)
		for (const struct ccfc_opt *o = c->tables[t]; o && o->name; o++)
			if (!is_given(c, o))
				add_option(to, o);
}

/* Is `word` already in the list, before the completed element? */
static bool in_list(struct ccfc_slice stem, struct ccfc_slice word)
{
	const char *end = stem.ptr + stem.len, *start;

	while (end > stem.ptr && end[-1] == ',') {
		for (start = --end;
		     start > stem.ptr && start[-1] != ',' && start[-1] != '=';)
			start--;
		if (ccfc_slice_eq(ccfc_slice(start, (size_t)(end - start)),
				  word))
			return true;
		end = start;
	}
	return false;
}

static void add_choices(struct ccfc_candidates *to,
			const struct ccfc_complete *c)
{
	const char *p = ccfc_opt_choices(c->option);
	struct ccfc_slice part;

	while (ccfc_opt_next_part(&part, &p, '|'))
		if (!in_list(c->stem, part))
			ccfc_candidates_add(to, part, CCFC_SLICE_NONE);
}

/* Adds the words of "list|search|index" in a usage. */
static void add_words(struct ccfc_candidates *to, struct ccfc_slice place)
{
	while (place.len) {
		struct ccfc_slice part = first_part(&place);

		if (part.len && part.ptr[0] >= 'a' && part.ptr[0] <= 'z')
			ccfc_candidates_add(to, part, CCFC_SLICE_NONE);
	}
}

void ccfc_complete_tables(struct ccfc_candidates *to,
			  const struct ccfc_complete *c)
{
	if (c->nothing)
		return;
	if (c->option) {
		add_choices(to, c);
		if (c->kinds & CCFC_KIND_WHEN &&
		    !ccfc_slice_ends(c->stem, "before:"))
			ccfc_candidates_add(
				to, CCFC_SLICE_LIT("before:"),
				CCFC_SLICE_LIT("before a session or a change"));
	} else if (c->options) {
		add_options(to, c);
	} else {
		add_words(to, c->place);
	}
	if (c->kinds & CCFC_KIND_COMMAND)
		add_commands(to);
}
