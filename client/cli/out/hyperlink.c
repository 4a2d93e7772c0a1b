/* Links on a terminal; see hyperlink.h. */
#include "cli/out/hyperlink.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK	  "\033]8;;"
#define LINK_END  "\033\\"
#define HOST_MAX  256
#define VTE_LEAST 5000 /* VTE 0.50, the first one with links */

static bool is_among(const char *name, const char *const *words)
{
	const char *value = getenv(name);

	for (; value && *words; words++)
		if (!strncmp(value, *words, strlen(*words)))
			return true;
	return false;
}

bool ccfc_hyperlink_is_known(void)
{
	static const char *const programs[] = { "iTerm.app", "WezTerm",
						"vscode",    "ghostty",
						"Hyper",     "Tabby",
						NULL };
	static const char *const terms[] = { "xterm-kitty", "xterm-ghostty",
					     "alacritty",   "foot",
					     "wezterm",	    "contour",
					     NULL };
	const char *vte = getenv("VTE_VERSION");

	return (vte && strtol(vte, NULL, 10) >= VTE_LEAST) ||
	       getenv("WT_SESSION") || getenv("KONSOLE_VERSION") ||
	       is_among("TERM_PROGRAM", programs) || is_among("TERM", terms);
}

/* The terminal may be on another machine than the file. */
static void put_host(struct ccfc_buf *out)
{
	char host[HOST_MAX];

	if (gethostname(host, sizeof(host) - 1) < 0)
		return;
	host[sizeof(host) - 1] = '\0';
	ccfc_buf_puts(out, host);
}

void ccfc_hyperlink_begin(struct ccfc_buf *out, struct ccfc_slice path)
{
	static const char plain[] = "/-._~0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (!path.len || path.ptr[0] != '/')
		return;
	ccfc_buf_puts(out, LINK "file://");
	put_host(out);
	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] && strchr(plain, path.ptr[i]))
			ccfc_buf_putc(out, path.ptr[i]);
		else
			ccfc_buf_printf(out, "%%%02X",
					(unsigned char)path.ptr[i]);
	ccfc_buf_puts(out, LINK_END);
}

void ccfc_hyperlink_end(struct ccfc_buf *out)
{
	ccfc_buf_puts(out, LINK LINK_END);
}
