/* Lines of a file as -L names them, after git: "N,M", "N,+COUNT", "N", ",M". */
#ifndef CCFC_CLI_WORDS_LINE_RANGE_H
#define CCFC_CLI_WORDS_LINE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The first and the last line, from 1; 0: that side is open. False: not a
 * range, or its end is before its start.
 */
bool ccfc_line_range_parse(int64_t *from, int64_t *to, const char *text);

#endif
