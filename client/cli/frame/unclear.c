/* Arguments that are missing or mean several things; see unclear.h. */
#include "cli/frame/unclear.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "cli/frame/pick.h"

#include <stdlib.h>

#define BEFORE "before:"

const char *ccfc_unclear_argument(const struct ccfc_command *command, int *len)
{
	const char *p = command->usage;

	while (*p && (*p < 'A' || *p > 'Z'))
		p++;
	for (*len = 0; p[*len] >= 'A' && p[*len] <= 'Z';)
		(*len)++;
	return p;
}

bool ccfc_unclear_fill(struct ccfc_cli *cli, const struct ccfc_command *command,
		       struct ccfc_opts *opts, char **owned)
{
	int len;
	struct ccfc_slice kind =
		ccfc_slice_str(ccfc_unclear_argument(command, &len));

	kind.len = (size_t)len;
	if (opts->nargs)
		return false;
	if (ccfc_slice_is(kind, "SESSION") && !command->writes)
		*owned = ccfc_strdup("@");
	else if (ccfc_slice_is(kind, "SESSION"))
		ccfc_pick_session(owned, cli);
	else if (ccfc_slice_is(kind, "FILE") || ccfc_slice_is(kind, "PATH"))
		ccfc_pick_file(owned, cli);
	if (!*owned)
		return false;
	opts->args[opts->nargs++] = *owned;
	return true;
}

/* Is the error about a session of that name? */
static bool is_about(const struct ccfc_err *err, const char *word)
{
	static const char kind[] = "session ";
	const char *p = err->what + sizeof(kind) - 1;
	size_t len = strlen(word);

	return len && !strncmp(err->what, kind, sizeof(kind) - 1) &&
	       !strncmp(p, word, len) && p[len] == ':' && p[len + 1] == ' ';
}

/* Replaces the word at *slot if the error is about it. */
static bool replace_word(const char **slot, struct ccfc_cli *cli,
			 const struct ccfc_err *err, char **owned, bool *listed)
{
	const char *word = *slot;
	struct ccfc_buf text = CCFC_BUF_INIT;
	char *chosen = NULL;

	if (!word || *listed)
		return false;
	if (ccfc_slice_starts(ccfc_slice_str(word), BEFORE)) {
		ccfc_buf_puts(&text, BEFORE);
		word += sizeof(BEFORE) - 1;
	}
	if (is_about(err, word) &&
	    ccfc_pick_meant(&chosen, listed, cli, word)) {
		ccfc_buf_puts(&text, chosen);
		*owned = ccfc_buf_detach(&text, NULL);
		*slot = *owned;
	}
	ccfc_buf_release(&text);
	free(chosen);
	return *owned;
}

/* The name in "index.ts:17" or "./index.ts" if the error is about it. */
static struct ccfc_slice is_named_in(const struct ccfc_err *err,
				     const char *word)
{
	const char *end = strstr(err->what, ": ");
	struct ccfc_slice what = ccfc_slice_str(err->what);

	while (!strncmp(word, "./", 2))
		word += 2;
	if (!end || !ccfc_slice_ends(what, " files have that name"))
		return CCFC_SLICE_NONE;
	what.len = (size_t)(end - err->what);
	if (strncmp(word, what.ptr, what.len) != 0 ||
	    (word[what.len] && word[what.len] != ':'))
		return CCFC_SLICE_NONE;
	return ccfc_slice(word, what.len);
}

/* Replaces a file's name at *slot; keeps a line number after it. */
static bool replace_file(const char **slot, struct ccfc_cli *cli,
			 const struct ccfc_err *err, char **owned)
{
	struct ccfc_slice name =
		*slot ? is_named_in(err, *slot) : CCFC_SLICE_NONE;
	struct ccfc_buf text = CCFC_BUF_INIT;
	char *chosen = NULL;

	if (!name.len || !ccfc_pick_named(&chosen, cli, name))
		return false;
	ccfc_buf_puts(&text, chosen);
	ccfc_buf_puts(&text, name.ptr + name.len);
	*owned = ccfc_buf_detach(&text, NULL);
	*slot = *owned;
	free(chosen);
	return true;
}

bool ccfc_unclear_choose(struct ccfc_cli *cli, const struct ccfc_err *err,
			 struct ccfc_opts *opts, char **owned, bool *listed)
{
	*listed = false;
	for (int i = 0; i < opts->nargs; i++)
		if (replace_word(&opts->args[i], cli, err, owned, listed) ||
		    replace_file(&opts->args[i], cli, err, owned))
			return true;
	for (int i = 0; i < CCFC_OPT_MAX; i++)
		if (replace_word(&opts->values[0][i].text, cli, err, owned,
				 listed))
			return true;
	return false;
}
