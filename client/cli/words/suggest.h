/*
 * "Did you mean": the nearest of several candidates by edit distance. Nothing
 * is suggested when nothing is near.
 */
#ifndef CCFC_CLI_WORDS_SUGGEST_H
#define CCFC_CLI_WORDS_SUGGEST_H

struct ccfc_suggest {
	const char *word; /* borrowed */
	const char *best; /* borrowed from the candidates, NULL for none */
	unsigned distance;
};

void ccfc_suggest_init(struct ccfc_suggest *s, const char *word);
void ccfc_suggest_try(struct ccfc_suggest *s, const char *candidate);

/*
 * Insertions, deletions, substitutions and swaps of neighbours that turn `a`
 * into `b`; 99: one of them has more than 31 bytes.
 */
unsigned ccfc_suggest_distance(const char *a, const char *b);

#endif
