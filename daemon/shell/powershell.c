/*
 * Simple PowerShell: one cmdlet of a short list in a command, with literal
 * paths. Everything else is unsure.
 */
#include "shell/shell_walk.h"

#include <ctype.h>

#define WORDS_MAX 16

static const struct cmdlet {
	const char *name;
	enum ccfc_shell_op op;
	bool reads;
} cmdlets[] = {
	{ "set-content", CCFC_SHELL_WRITE, false },
	{ "out-file", CCFC_SHELL_WRITE, false },
	{ "add-content", CCFC_SHELL_APPEND, false },
	{ "remove-item", CCFC_SHELL_DELETE, false },
	{ "move-item", CCFC_SHELL_RENAME, false },
	{ "copy-item", CCFC_SHELL_COPY, false },
	{ "get-content", 0, true },
	{ "get-childitem", 0, true },
	{ "get-location", 0, true },
	{ "test-path", 0, true },
	{ "select-string", 0, true },
};

/* Splits the text into words; false unless all words are plain. */
static bool split_words(struct ccfc_slice text, struct ccfc_slice *words,
			uint32_t *n)
{
	size_t i = 0;

	for (*n = 0; i < text.len; ++*n) {
		size_t start = i;
		char quote = text.ptr[i] == '\'' || text.ptr[i] == '"'
				     ? text.ptr[i]
				     : 0;

		if (*n == WORDS_MAX)
			return false;
		for (i += quote != 0; i < text.len; i++) {
			char c = text.ptr[i];

			if (quote ? c == quote : c == ' ')
				break;
			if (!c || strchr("$`\n;|&(){}@<>,#*?[]", c) ||
			    (!quote && (c == '\'' || c == '"')))
				return false;
		}
		if (quote && i == text.len)
			return false;
		words[*n] = ccfc_slice(text.ptr + start + (quote != 0),
				       i - start - (quote != 0));
		i += quote != 0;
		if (i < text.len && text.ptr[i] != ' ')
			return false;
		while (i < text.len && text.ptr[i] == ' ')
			i++;
	}
	return *n > 0;
}

static bool is_word(struct ccfc_slice word, const char *lower)
{
	size_t n = strlen(lower);

	for (size_t i = 0; i < word.len && i < n; i++)
		if (tolower((unsigned char)word.ptr[i]) != lower[i])
			return false;
	return word.len == n;
}

static const struct cmdlet *find_cmdlet(struct ccfc_slice name)
{
	for (size_t i = 0; i < sizeof(cmdlets) / sizeof(*cmdlets); i++)
		if (is_word(name, cmdlets[i].name))
			return &cmdlets[i];
	return NULL;
}

/* The value of the option, if it is given. */
static struct ccfc_slice option_value(const struct ccfc_slice *words,
				      uint32_t n, const char *name)
{
	for (uint32_t i = 1; i + 1 < n; i++)
		if (is_word(words[i], name))
			return words[i + 1];
	return CCFC_SLICE_NONE;
}

static bool has_option(const struct ccfc_slice *words, uint32_t n,
		       const char *name)
{
	for (uint32_t i = 1; i < n; i++)
		if (is_word(words[i], name))
			return true;
	return false;
}

void ccfc_sh_walk_powershell(struct ccfc_sh_walk *w, struct ccfc_slice text)
{
	struct ccfc_slice words[WORDS_MAX], to;
	const struct cmdlet *cmdlet = NULL;
	struct ccfc_sh_field path = { .known = true };
	struct ccfc_shell_effect *effect;
	uint32_t n = 0;
	bool moves;

	if (split_words(text, words, &n))
		cmdlet = find_cmdlet(words[0]);
	if (!cmdlet || has_option(words, n, "-whatif")) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_PROGRAM,
			       n ? words[0] : CCFC_SLICE_NONE);
		return;
	}
	if (cmdlet->reads)
		return;
	moves = cmdlet->op == CCFC_SHELL_RENAME ||
		cmdlet->op == CCFC_SHELL_COPY;
	path.text = option_value(words, n, "-path");
	if (!path.text.len)
		path.text = option_value(words, n, "-literalpath");
	if (!path.text.len)
		path.text = option_value(words, n, "-filepath");
	to = option_value(words, n, "-destination");
	if (!path.text.len || (moves && !to.len)) {
		ccfc_sh_unsure(w, CCFC_SHELL_WHY_TARGET, words[0]);
		return;
	}
	if (moves) {
		struct ccfc_slice from = ccfc_sh_path(w, &path);

		path.text = to;
		effect = ccfc_sh_effect(w, cmdlet->op, &path);
		if (effect) {
			effect->from = from;
			effect->into = true;
		}
	} else {
		effect = ccfc_sh_effect(w, cmdlet->op, &path);
	}
	if (effect)
		effect->tree = cmdlet->op != CCFC_SHELL_WRITE &&
			       cmdlet->op != CCFC_SHELL_APPEND;
}
