/* Other spellings of commands, and hints for unknown words. */
#ifndef CCFC_CLI_WORDS_COMMAND_ALIAS_H
#define CCFC_CLI_WORDS_COMMAND_ALIAS_H

/*
 * The number of words that spell a command differently ("history", "session
 * list"), with the command's name in *name; 0: none.
 */
int ccfc_alias_find(const char **name, int argc, char **argv);

/* A hint for a word that is not a command; NULL: none. */
const char *ccfc_alias_hint(const char *word);

#endif
