/*
 * The table of write tools: which tools change files, where their path is and
 * where the texts are. Shells are in it too: which files a command changes,
 * its result and its text have to tell. Users add rows in the config file
 * ("tool = NAME PATHKEY [NEWKEY [OLDKEY]]", NAME may hold * and ?).
 */
#ifndef CCFC_TRANSCRIPT_TOOLS_H
#define CCFC_TRANSCRIPT_TOOLS_H

#include "base/slice.h"

#include <stdint.h>

enum ccfc_tool_shape {
	CCFC_TOOL_EDIT,	       /* path, old text, new text, replace_all */
	CCFC_TOOL_WRITE,       /* path, whole content */
	CCFC_TOOL_MULTI,       /* path (or a path in each edit), edits[] */
	CCFC_TOOL_NOTEBOOK,    /* path, cell source */
	CCFC_TOOL_OPAQUE,      /* path only; the texts are not known to us */
	CCFC_TOOL_COMMAND,     /* as EDIT, where "command" says what is done */
	CCFC_TOOL_SHELL,       /* a command line of a POSIX shell */
	CCFC_TOOL_SHELL_OTHER, /* one of a shell that nobody here reads */
};

struct ccfc_tool {
	char *pattern;	/* name, or a pattern with * and ? */
	char *path_key; /* each key may be several, as "path|file_path"; that
			 * of the command line where it is a shell */
	char *new_key;	/* may be NULL */
	char *old_key;	/* may be NULL */
	enum ccfc_tool_shape shape;
};

struct ccfc_tools {
	struct ccfc_tool *items;
	uint32_t n, cap;
};

/* The built-in rows. */
void ccfc_tools_init(struct ccfc_tools *tools);
void ccfc_tools_release(struct ccfc_tools *tools);

/* Adds a user's row; the strings are copied; NULL keys are allowed but path. */
void ccfc_tools_add(struct ccfc_tools *tools, const char *pattern,
		    const char *path_key, const char *new_key,
		    const char *old_key);

/* The row for a tool's name, later rows first, or NULL. */
const struct ccfc_tool *ccfc_tools_find(const struct ccfc_tools *tools,
					struct ccfc_slice name);

#endif
