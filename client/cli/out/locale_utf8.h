/* Does the user's terminal show more than ASCII? By LC_ALL, LC_CTYPE, LANG. */
#ifndef CCFC_CLI_OUT_LOCALE_UTF8_H
#define CCFC_CLI_OUT_LOCALE_UTF8_H

#include <stdbool.h>

bool ccfc_is_utf8(void);

/* "…", or "...". */
const char *ccfc_ellipsis(void);

#endif
