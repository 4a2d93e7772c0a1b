/*
 * The conversions between a file and git's copy of it: attributes, and for line
 * ends also core.autocrlf; see gitattributes(5) and git_objects.h.
 */
#include "cli/blame/git.h"
#include "cli/blame/git_objects.h"

#include <stdio.h>
#include <strings.h>

enum attr { TEXT, CRLF, EOL, IDENT, FILTER, ENCODING, ATTRS };

static const char *const names[ATTRS] = {
	[TEXT] = "text",     [CRLF] = "crlf",
	[EOL] = "eol",	     [IDENT] = "ident",
	[FILTER] = "filter", [ENCODING] = "working-tree-encoding",
};

/* "<path> <attribute> <value>", for each attribute asked for. */
static void read_values(struct ccfc_slice values[ATTRS], struct ccfc_slice says)
{
	struct ccfc_slice path, name, value;

	while (ccfc_git_next(&path, &says) && ccfc_git_next(&name, &says) &&
	       ccfc_git_next(&value, &says))
		for (int i = 0; i < ATTRS; i++)
			if (ccfc_slice_is(name, names[i]))
				values[i] = value;
}

static bool is_unspecified(struct ccfc_slice value)
{
	return !value.len || ccfc_slice_is(value, "unspecified");
}

static bool names_something(struct ccfc_slice value)
{
	return !is_unspecified(value) && !ccfc_slice_is(value, "unset") &&
	       !ccfc_slice_is(value, "set");
}

/* Without an attribute, the user's or the repository's setting applies. */
static bool is_autocrlf(const struct ccfc_repo *repo)
{
	static const char *const args[] = { "config", "--get", "core.autocrlf",
					    NULL };
	struct ccfc_git_place place = { .dir = repo->top };
	/* A name without a value is true. */
	static const char *const on[] = { "true\n", "input\n", "yes\n",
					  "on\n",   "1\n",     "\n" };
	struct ccfc_buf words = CCFC_BUF_INIT;
	bool is = false;

	if (!ccfc_git_run(&words, &place, args, NULL) && words.len)
		for (size_t i = 0; i < sizeof(on) / sizeof(*on); i++)
			is |= !strcasecmp(words.ptr, on[i]);
	ccfc_buf_release(&words);
	return is;
}

static void read_eol(struct ccfc_git_attrs *attrs,
		     const struct ccfc_slice values[ATTRS],
		     const struct ccfc_repo *repo)
{
	struct ccfc_slice text = values[TEXT];

	if (is_unspecified(text)) /* "crlf" is the older name of "text" */
		text = values[CRLF];
	if (ccfc_slice_is(text, "unset"))
		attrs->eol = CCFC_EOL_KEPT;
	else if (ccfc_slice_is(text, "auto"))
		attrs->eol = CCFC_EOL_AUTO;
	else if (!is_unspecified(text) || names_something(values[EOL]))
		attrs->eol = CCFC_EOL_TURNED;
	else
		attrs->eol = is_autocrlf(repo) ? CCFC_EOL_AUTO : CCFC_EOL_KEPT;
}

/* git stores UTF-8, so the encoding UTF-8 needs no conversion. */
static void read_other(struct ccfc_git_attrs *attrs,
		       const struct ccfc_slice values[ATTRS])
{
	for (int i = FILTER; i <= ENCODING; i++)
		if (names_something(values[i]) &&
		    (i != ENCODING || values[i].len != 5 ||
		     strncasecmp(values[i].ptr, "UTF-8", 5) != 0))
			snprintf(attrs->other, sizeof(attrs->other), "%s=%.*s",
				 names[i], (int)values[i].len, values[i].ptr);
}

int ccfc_objects_attrs(struct ccfc_git_attrs *attrs,
		       const struct ccfc_objects *o, struct ccfc_err *err)
{
	struct ccfc_git_place place = { .dir = o->repo->top,
					.git_dir = o->git_dir,
					.objects = o->objects,
					.work_tree = o->repo->top };
	const char *args[ATTRS + 5] = { "check-attr", "-z" };
	struct ccfc_slice values[ATTRS] = { { 0 } };
	struct ccfc_buf words = CCFC_BUF_INIT;
	int code, n = 2;

	*attrs = (struct ccfc_git_attrs){ 0 };
	for (int i = 0; i < ATTRS; i++)
		args[n++] = names[i];
	args[n++] = "--";
	args[n] = o->repo->name;
	code = ccfc_git_run(&words, &place, args, err);
	if (!code) {
		read_values(values, ccfc_buf_view(&words));
		read_eol(attrs, values, o->repo);
		attrs->ident = ccfc_slice_is(values[IDENT], "set");
		read_other(attrs, values);
	}
	ccfc_buf_release(&words);
	return code;
}
