/* Command line options from a table; see opt.h. */
#include "cli/frame/opt.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/time.h"
#include "cli/words/dates.h"
#include "cli/words/suggest.h"

#include <ccfc/types.h>
#include <errno.h>
#include <stdlib.h>

void ccfc_opts_init(struct ccfc_opts *opts, const char *command,
		    const struct ccfc_opt *own, const struct ccfc_opt *common)
{
	*opts = (struct ccfc_opts){ .command = command,
				    .tables = { own, common } };
}

static void release_list(struct ccfc_opt_value *v)
{
	for (uint32_t i = 0; i < v->list.n; i++)
		free((void *)v->list.items[i]);
	free(v->list.items);
}

void ccfc_opts_release(struct ccfc_opts *opts)
{
	for (int t = 0; t < 2; t++)
		for (int i = 0; i < CCFC_OPT_MAX; i++)
			release_list(&opts->values[t][i]);
	free(opts->args);
}

static int bad_value(struct ccfc_err *err, const struct ccfc_opts *opts,
		     const struct ccfc_opt *opt, const char *text,
		     const char *why)
{
	return ccfc_err_set(err, CCFC_EINVAL, "%s: --%s=%s: %s", opts->command,
			    opt->name, text, why);
}

static int read_int(struct ccfc_opt_value *v, const struct ccfc_opts *opts,
		    const struct ccfc_opt *opt, struct ccfc_err *err)
{
	char *end;
	int code;

	errno = 0;
	v->num = strtoll(v->text, &end, 10);
	if (*end || end == v->text)
		return bad_value(err, opts, opt, v->text, "not a number");
	if (!errno && v->num >= opt->min && v->num <= opt->max)
		return 0;
	code = bad_value(err, opts, opt, v->text, "out of range");
	ccfc_err_hint(err, "give a number from %lld to %lld",
		      (long long)opt->min, (long long)opt->max);
	return code;
}

bool ccfc_opt_next_part(struct ccfc_slice *part, const char **p, char sep)
{
	const char *end;

	if (!*p)
		return false;
	end = strchr(*p, sep);
	*part = end ? ccfc_slice(*p, (size_t)(end - *p)) : ccfc_slice_str(*p);
	*p = end ? end + 1 : NULL;
	return true;
}

/* Hints what `text` should have been: all choices, and the nearest one. */
static void hint_choices(const char *text, const char *choices,
			 struct ccfc_err *err)
{
	struct ccfc_buf words = CCFC_BUF_INIT, all = CCFC_BUF_INIT;
	struct ccfc_suggest near;
	struct ccfc_slice part;
	const char *p = choices;

	/* `near` points to the words, so they must not move. */
	ccfc_buf_reserve(&words, strlen(choices) + 1);
	ccfc_suggest_init(&near, text);
	while (ccfc_opt_next_part(&part, &p, '|')) {
		size_t at = words.len;

		ccfc_buf_slice(&words, part);
		ccfc_buf_putc(&words, '\0');
		ccfc_suggest_try(&near, words.ptr + at);
		ccfc_buf_printf(&all, "%s%s", all.len ? ", " : "",
				words.ptr + at);
	}
	if (near.best)
		ccfc_err_hint(err, "did you mean '%s'? (one of %s)", near.best,
			      all.ptr);
	else
		ccfc_err_hint(err, "one of %s", all.ptr);
	ccfc_buf_release(&words);
	ccfc_buf_release(&all);
}

/* The index of the choice that is `text`. */
static int find_choice(int64_t *num, const char *text,
		       const struct ccfc_opts *opts, const struct ccfc_opt *opt,
		       struct ccfc_err *err)
{
	const char *p = opt->choices;
	struct ccfc_slice part;

	for (*num = 0; ccfc_opt_next_part(&part, &p, '|'); (*num)++)
		if (ccfc_slice_is(part, text))
			return 0;
	bad_value(err, opts, opt, text, "no such choice");
	hint_choices(text, opt->choices, err);
	return CCFC_EINVAL;
}

#define X(sym, num, text) "|" text
#define STATES		  "all" CCFC_STATE_LIST(X)
static const char state_choices[] = STATES;
#undef X

const char *ccfc_opt_choices(const struct ccfc_opt *opt)
{
	return opt->type == CCFC_OPT_STATES ? state_choices : opt->choices;
}

static int check_state(const char *state, const struct ccfc_opts *opts,
		       const struct ccfc_opt *opt, struct ccfc_err *err)
{
	if (!strcmp(state, "all") ||
	    ccfc_state_from_text(state, strlen(state)) >= 0)
		return 0;
	bad_value(err, opts, opt, state, "no such state");
	hint_choices(state, state_choices, err);
	return CCFC_EINVAL;
}

/* One element, and the NULL that always follows the last. */
static void push_element(struct ccfc_opt_value *v, struct ccfc_slice part,
			 bool dot)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_puts(&text, dot ? "." : "");
	ccfc_buf_slice(&text, part);
	CCFC_VEC_PUSH(v->list, ccfc_buf_detach(&text, NULL));
	CCFC_VEC_PUSH(v->list, NULL);
	v->list.n--;
}

/* The element that was pushed last. */
static int check_element(const struct ccfc_opt_value *v,
			 const struct ccfc_opts *opts,
			 const struct ccfc_opt *opt, struct ccfc_err *err)
{
	const char *text = v->list.items[v->list.n - 1];
	int64_t num;

	if (opt->type == CCFC_OPT_STATES)
		return check_state(text, opts, opt, err);
	if (opt->choices)
		return find_choice(&num, text, opts, opt, err);
	return 0;
}

static int read_list(struct ccfc_opt_value *v, const struct ccfc_opts *opts,
		     const struct ccfc_opt *opt, struct ccfc_err *err)
{
	bool dots = opt->type == CCFC_OPT_EXTS;
	const char *p = v->text;
	struct ccfc_slice part;
	uint32_t before = v->list.n;
	int code = 0;

	while (!code && ccfc_opt_next_part(&part, &p, ',')) {
		if (!part.len)
			continue;
		push_element(v, part, dots && part.ptr[0] != '.');
		code = check_element(v, opts, opt, err);
	}
	if (!code && v->list.n == before)
		return bad_value(err, opts, opt, v->text, "an empty list");
	return code;
}

static int read_date(struct ccfc_opt_value *v, const struct ccfc_opts *opts,
		     const struct ccfc_opt *opt, struct ccfc_err *err)
{
	struct ccfc_date_span span;

	if (ccfc_dates_read(&span, ccfc_slice_str(v->text), ccfc_time_now())) {
		v->num = opt->type == CCFC_OPT_TO ? span.to : span.from;
		return 0;
	}
	bad_value(err, opts, opt, v->text, "not a date");
	ccfc_err_hint(err, "yesterday, monday, 10:00, 2d, '2 days ago', 'last "
			   "week', 2025-12-31, 2025-12, or RFC 3339");
	return CCFC_EINVAL;
}

static int read_value(struct ccfc_opt_value *v, const struct ccfc_opts *opts,
		      const struct ccfc_opt *opt, struct ccfc_err *err)
{
	v->set = true;
	if (!*v->text)
		return ccfc_err_set(err, CCFC_EINVAL, "%s: --%s: empty value",
				    opts->command, opt->name);
	switch (opt->type) {
	case CCFC_OPT_INT:
		return read_int(v, opts, opt, err);
	case CCFC_OPT_CHOICE:
	case CCFC_OPT_MAYBE:
		return find_choice(&v->num, v->text, opts, opt, err);
	case CCFC_OPT_LIST:
	case CCFC_OPT_EXTS:
	case CCFC_OPT_STATES:
		return read_list(v, opts, opt, err);
	case CCFC_OPT_NAMED:
	case CCFC_OPT_WORDS:
		push_element(v, ccfc_slice_str(v->text), false);
		return 0;
	case CCFC_OPT_FROM:
	case CCFC_OPT_TO:
		return read_date(v, opts, opt, err);
	default:
		return 0;
	}
}

static int fail_unknown_option(const struct ccfc_opts *opts, const char *word,
			       struct ccfc_err *err)
{
	size_t len = strcspn(word, "=");
	struct ccfc_suggest near;
	char *name = ccfc_strndup(word, len);

	ccfc_err_set(err, CCFC_EINVAL, "%s: unknown option '%s'", opts->command,
		     name);
	ccfc_suggest_init(&near, name + strspn(name, "-"));
	for (int t = 0; t < 2; t++)
		for (const struct ccfc_opt *o = opts->tables[t]; o && o->name;
		     o++)
			ccfc_suggest_try(&near, o->name);
	if (near.best)
		ccfc_err_hint(err, "did you mean '--%s'?", near.best);
	else
		ccfc_err_hint(err, "ccfc%s%s --help lists the options",
			      strcmp(opts->command, "ccfc") ? " " : "",
			      strcmp(opts->command, "ccfc") ? opts->command
							    : "");
	free(name);
	return CCFC_EINVAL;
}

static bool is_called(const struct ccfc_opt *opt, struct ccfc_slice name)
{
	return ccfc_slice_is(name, opt->name) ||
	       (opt->alias && ccfc_slice_is(name, opt->alias));
}

static const struct ccfc_opt *find_option(struct ccfc_opts *opts,
					  struct ccfc_slice name, char letter,
					  struct ccfc_opt_value **value)
{
	for (int t = 0; t < 2; t++) {
		const struct ccfc_opt *o = opts->tables[t];

		for (int i = 0; o && o[i].name; i++) {
			*value = &opts->values[t][i];
			if (letter ? o[i].letter == letter
				   : is_called(&o[i], name))
				return &o[i];
		}
	}
	return NULL;
}

/* One "--name…" at argv[0]; returns the words taken. */
static int read_long(struct ccfc_opts *opts, int argc, char **argv,
		     struct ccfc_err *err)
{
	const char *name = argv[0] + 2, *eq = strchr(name, '=');
	struct ccfc_slice key = eq ? ccfc_slice(name, (size_t)(eq - name))
				   : ccfc_slice_str(name);
	struct ccfc_opt_value *v;
	const struct ccfc_opt *opt = find_option(opts, key, 0, &v);
	struct ccfc_opt called;
	int code;

	if (!opt)
		return fail_unknown_option(opts, argv[0], err);
	/* Errors show the word as typed. */
	called = *opt;
	if (!ccfc_slice_is(key, opt->name))
		called.name = opt->alias;
	opt = &called;
	if (opt->type == CCFC_OPT_FLAG) {
		v->set = true;
		return eq ? ccfc_err_set(err, CCFC_EINVAL,
					 "%s: --%s: takes no value",
					 opts->command, opt->name)
			  : 1;
	}
	if (!eq && ccfc_opt_is_free(opt)) {
		v->set = true;
		v->num = opt->type == CCFC_OPT_NAMED;
		return 1;
	}
	if (!eq && argc < 2)
		return ccfc_err_set(err, CCFC_EINVAL, "%s: --%s: needs a value",
				    opts->command, opt->name);
	v->text = eq ? eq + 1 : argv[1];
	code = read_value(v, opts, opt, err);
	return code < 0 ? code : eq ? 1 : 2;
}

/*
 * Bundled letters at argv[0]; returns the words taken. The first letter that
 * takes a value takes the rest of the word, or the next word.
 */
static int read_letters(struct ccfc_opts *opts, int argc, char **argv,
			struct ccfc_err *err)
{
	for (const char *p = argv[0] + 1; *p; p++) {
		struct ccfc_opt_value *v;
		const struct ccfc_opt *opt =
			find_option(opts, CCFC_SLICE_NONE, *p, &v);
		int code;

		if (!opt)
			return fail_unknown_option(opts, argv[0], err);
		if (opt->type == CCFC_OPT_FLAG) {
			v->set = true;
			continue;
		}
		if (!p[1] && argc < 2)
			return ccfc_err_set(err, CCFC_EINVAL,
					    "%s: -%c: needs a value",
					    opts->command, *p);
		v->text = p[1] ? p + 1 : argv[1];
		code = read_value(v, opts, opt, err);
		return code < 0 ? code : p[1] ? 1 : 2;
	}
	return 1;
}

static int read_opt_word(struct ccfc_opts *opts, int argc, char **argv,
			 struct ccfc_err *err)
{
	if (argv[0][1] == '-')
		return read_long(opts, argc, argv, err);
	return read_letters(opts, argc, argv, err);
}

int ccfc_opts_parse(struct ccfc_opts *opts, int argc, char **argv,
		    bool first_only, struct ccfc_err *err)
{
	bool ended = false;
	int i = 0;

	opts->args = ccfc_calloc((size_t)argc + 1, sizeof(*opts->args));
	while (i < argc) {
		int n = 1;

		if (!ended && !strcmp(argv[i], "--"))
			ended = true;
		else if (!ended && argv[i][0] == '-' && argv[i][1])
			n = read_opt_word(opts, argc - i, argv + i, err);
		else if (first_only)
			break;
		else
			opts->args[opts->nargs++] = argv[i];
		if (n < 0)
			return n;
		i += n;
	}
	opts->used = i;
	return 0;
}
