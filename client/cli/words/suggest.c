/* Did you mean; see suggest.h. */
#include "cli/words/suggest.h"

#include <stddef.h>
#include <string.h>

#define WORD_MAX 32
#define FAR	 99

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

unsigned ccfc_suggest_distance(const char *a, const char *b)
{
	/* Three rows are enough: a swap looks two rows up. */
	unsigned rows[3][WORD_MAX];
	size_t la = strlen(a), lb = strlen(b);

	if (la >= WORD_MAX || lb >= WORD_MAX)
		return FAR;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *cur = rows[i % 3], *up = rows[(i + 2) % 3];
		const unsigned *upup = rows[(i + 1) % 3];

		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			cur[j] = min3(up[j] + 1, cur[j - 1] + 1,
				      up[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && upup[j - 2] + 1 < cur[j])
				cur[j] = upup[j - 2] + 1;
		}
	}
	return rows[la % 3][lb];
}

void ccfc_suggest_init(struct ccfc_suggest *s, const char *word)
{
	s->word = word;
	s->best = NULL;
	s->distance = FAR;
}

void ccfc_suggest_try(struct ccfc_suggest *s, const char *candidate)
{
	size_t len = strlen(s->word);
	unsigned d = ccfc_suggest_distance(s->word, candidate);

	/* A correct beginning counts as one slip: "stat", "form". */
	if (len >= 2 && d > 1 && !strncmp(s->word, candidate, len))
		d = 1;
	/* One slip in three letters is a slip; more is another word. */
	if (d > (len + 2) / 3 || d >= s->distance)
		return;
	s->distance = d;
	s->best = candidate;
}
