/* Lines of a file as -L names them; see line_range.h. */
#include "cli/words/line_range.h"

/* Reads a number from 1 at *p and moves *p behind it; 0: none; -1: invalid. */
static int64_t read_number(const char **p)
{
	int64_t n = 0;

	if (**p < '0' || **p > '9')
		return 0;
	for (; **p >= '0' && **p <= '9'; (*p)++) {
		n = n * 10 + (**p - '0');
		if (n > INT32_MAX)
			return -1;
	}
	return n ? n : -1;
}

bool ccfc_line_range_parse(int64_t *from, int64_t *to, const char *text)
{
	bool count = false;

	*to = 0;
	*from = read_number(&text);
	if (*text == ',') {
		count = *++text == '+';
		text += count;
		*to = read_number(&text);
	}
	if (*from < 0 || *to < 0 || *text || (count && !*to) ||
	    (!*from && !*to))
		return false;
	if (count)
		*to += (*from ? *from : 1) - 1;
	return !*to || *from <= *to;
}
