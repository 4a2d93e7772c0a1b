/*
 * Other spellings of commands; see command_alias.h. Words that other tools use
 * for the same thing are accepted; if the command would write something, there
 * is only a hint.
 */
#include "cli/words/command_alias.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *first, *second; /* NULL: one word */
	const char *command;
} aliases[] = {
	{ "history", NULL, "log" },	   { "usage", NULL, "stats" },
	{ "tokens", NULL, "stats" },	   { "cost", NULL, "stats" },
	{ "session", "list", "sessions" }, { "session", "show", "show" },
	{ "session", "export", "export" }, { "annotate", NULL, "blame" },
};

static const struct {
	const char *word, *hint;
} hints[] = {
	{ "session", "ccfc session list, ccfc session show; or ccfc sessions" },
	{ "undo", "ccfc revert SESSION undoes a session, ccfc restore --undo "
		  "the last restore or revert" },
	{ "share", "ccfc export makes a document of a session" },
	{ "last",
	  "ccfc show is about the latest session; @ means it elsewhere, "
	  "@-1 the one before it" },
	{ "latest", "ccfc show is about the latest session; @ means it "
		    "elsewhere, @-1 the one before it" },
	{ "find", "ccfc search FILE, or ccfc grep TEXT" },
	{ "config", "settings are in ccfc.conf(5); ccfc doctor checks them" },
};

int ccfc_alias_find(const char **name, int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++) {
		int words = aliases[i].second ? 2 : 1;

		if (argc < words || strcmp(argv[0], aliases[i].first) != 0 ||
		    (words > 1 && strcmp(argv[1], aliases[i].second) != 0))
			continue;
		*name = aliases[i].command;
		return words;
	}
	return 0;
}

const char *ccfc_alias_hint(const char *word)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		if (!strcmp(word, hints[i].word))
			return hints[i].hint;
	return NULL;
}
