/*
 * Reads an unfinished command line; see complete.h. The parser follows opt.c,
 * but checks nothing: the line is about to change.
 */
#include "cli/complete/complete.h"

#include "base/alloc.h"

#include <stdlib.h>

static const struct ccfc_opt *find_option(const struct ccfc_complete *c,
					  struct ccfc_slice name, char letter)
{
	for (int t = 0; t < 2; t++)
		for (const struct ccfc_opt *o = c->tables[t]; o && o->name; o++)
			if (letter ? o->letter == letter
				   : ccfc_slice_is(name, o->name))
				return o;
	return NULL;
}

/* "--name" and "--name=…"; *value is the text after "=", or NULL. */
static const struct ccfc_opt *read_long(struct ccfc_complete *c,
					const char *word, const char **value)
{
	const char *eq = strchr(word, '=');
	size_t len = eq ? (size_t)(eq - word) : strlen(word);

	*value = eq ? eq + 1 : NULL;
	return find_option(c, ccfc_slice(word + 2, len - 2), 0);
}

/*
 * "-0o…": the option that takes a value, or the last one. NULL: there is none.
 */
static const struct ccfc_opt *read_letters(struct ccfc_complete *c,
					   const char *word, const char **value)
{
	const struct ccfc_opt *o = NULL;

	*value = NULL;
	for (const char *p = word + 1; *p; p++) {
		o = find_option(c, CCFC_SLICE_NONE, *p);
		if (!o)
			return NULL;
		if (o->type != CCFC_OPT_FLAG) {
			*value = p[1] ? p + 1 : NULL;
			return o;
		}
		if (p[1])
			CCFC_VEC_PUSH(c->given, o);
	}
	return o;
}

static const struct ccfc_opt *read_option(struct ccfc_complete *c,
					  const char *word, const char **value)
{
	return word[1] == '-' ? read_long(c, word, value)
			      : read_letters(c, word, value);
}

static void read_argument(struct ccfc_complete *c, const char *word)
{
	bool files = c->command && !strcmp(c->command->name, "files") &&
		     !c->nargs && ccfc_files_has(word);

	if (c->command && !files) {
		c->args[c->nargs++] = word;
		return;
	}
	c->command = ccfc_cli_find(word, NULL);
	c->nothing = !c->command;
	c->tables[0] = c->command ? c->command->options : NULL;
}

/* The last word is a value; the part from `from` on is completed. */
static void complete_value(struct ccfc_complete *c, const struct ccfc_opt *o,
			   const char *word, const char *from)
{
	const char *comma;

	c->option = o;
	c->place = ccfc_slice_str(o->arg ? o->arg : "");
	/* An option with fixed words has no other values. */
	if (!ccfc_opt_choices(o))
		c->kinds = ccfc_complete_kinds(c->place, true);
	if (o->type == CCFC_OPT_LIST || o->type == CCFC_OPT_STATES ||
	    o->type == CCFC_OPT_EXTS) {
		comma = strrchr(from, ',');
		from = comma ? comma + 1 : from;
	}
	if (c->kinds & CCFC_KIND_WHEN && !strncmp(from, "before:", 7))
		from += 7;
	c->stem = ccfc_slice(word, (size_t)(from - word));
	c->prefix = ccfc_slice_str(from);
}

static void complete_word(struct ccfc_complete *c, const char *word, bool ended)
{
	const struct ccfc_opt *o;
	const char *value;

	c->prefix = ccfc_slice_str(word);
	if (!ended && word[0] == '-') {
		o = word[1] ? read_option(c, word, &value) : NULL;
		if (o && value)
			complete_value(c, o, word, value);
		else
			c->options = true;
		return;
	}
	if (!c->command) {
		c->kinds = CCFC_KIND_COMMAND;
		return;
	}
	c->place = ccfc_complete_place(c->command->usage, c->nargs);
	c->kinds = ccfc_complete_kinds(c->place, false);
	/* Without a place for an argument, options are offered. */
	c->options = !c->place.len && !word[0] && !ended;
}

void ccfc_complete_read(struct ccfc_complete *c, int n,
			const char *const *words)
{
	const struct ccfc_opt *pending = NULL;
	bool ended = false;
	const char *value;

	*c = (struct ccfc_complete){ .tables = { ccfc_cli_global,
						 ccfc_cli_common } };
	c->args = ccfc_calloc((size_t)n, sizeof(*c->args));
	for (int i = 0; i + 1 < n && !c->nothing; i++) {
		const struct ccfc_opt *o;

		if (pending) {
			pending = NULL;
		} else if (!ended && !strcmp(words[i], "--")) {
			ended = c->command != NULL;
		} else if (!ended && words[i][0] == '-' && words[i][1]) {
			o = read_option(c, words[i], &value);
			if (o)
				CCFC_VEC_PUSH(c->given, o);
			if (o && !value && o->type != CCFC_OPT_FLAG &&
			    (!ccfc_opt_is_free(o) || words[i][1] != '-'))
				pending = o;
		} else {
			read_argument(c, words[i]);
		}
	}
	if (c->nothing)
		return;
	if (pending)
		complete_value(c, pending, words[n - 1], words[n - 1]);
	else
		complete_word(c, words[n - 1], ended);
}

void ccfc_complete_release(struct ccfc_complete *c)
{
	free(c->given.items);
	free(c->args);
}

bool ccfc_complete_wants_files(const struct ccfc_complete *c)
{
	/* A session may be given as the path of its transcript. */
	if (c->kinds & CCFC_KIND_SESSION && c->prefix.len &&
	    memchr(c->prefix.ptr, '/', c->prefix.len))
		return true;
	return c->kinds & (CCFC_KIND_PATH | CCFC_KIND_FILE);
}

bool ccfc_complete_wants_dirs(const struct ccfc_complete *c)
{
	return c->kinds & CCFC_KIND_DIR;
}
