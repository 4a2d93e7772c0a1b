/* Does the locale have UTF-8? See locale_utf8.h. */
#include "cli/out/locale_utf8.h"

#include <stdlib.h>
#include <strings.h>

bool ccfc_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (int i = 0; i < 3 && !(value && *value); i++)
		value = getenv(names[i]);
	/* "C.UTF-8", "de_DE.utf8@euro" */
	for (; value && *value; value++)
		if (!strncasecmp(value, "utf-8", 5) ||
		    !strncasecmp(value, "utf8", 4))
			return true;
	return false;
}

const char *ccfc_ellipsis(void)
{
	return ccfc_is_utf8() ? "…" : "...";
}
