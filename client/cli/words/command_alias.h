/* Other spellings of commands, and hints for words that are none. */
#ifndef CCFC_CLI_WORDS_COMMAND_ALIAS_H
#define CCFC_CLI_WORDS_COMMAND_ALIAS_H

/*
 * How many of the words are another spelling ("history", "session list"), and
 * the command's name in *name; 0: they are none.
 */
int ccfc_alias_find(const char **name, int argc, char **argv);

/* What to say about a word that is no command; NULL: nothing special. */
const char *ccfc_alias_hint(const char *word);

#endif
