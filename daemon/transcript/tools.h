/*
 * The table of write tools: which tools change files, and the keys of their
 * paths and texts. Shells are in it too; the files that a command changes
 * follow from its result and its text. Users add rows in the config file ("tool
 * = NAME PATHKEY [NEWKEY [OLDKEY]]", NAME may have * and ?).
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
	CCFC_TOOL_OPAQUE,      /* path only; the texts are not known */
	CCFC_TOOL_COMMAND,     /* as EDIT; "command" says what is done */
	CCFC_TOOL_SHELL,       /* a command line of a POSIX shell */
	CCFC_TOOL_SHELL_OTHER, /* a command line of another shell */
};

struct ccfc_tool {
	char *pattern; /* name, or a pattern with * and ? */
	/*
	 * keys may have alternatives: "path|file_path"; for a shell: the key of
	 * the command line
	 */
	char *path_key;
	char *new_key; /* may be NULL */
	char *old_key; /* may be NULL */
	enum ccfc_tool_shape shape;
};

struct ccfc_tools {
	struct ccfc_tool *items;
	uint32_t n, cap;
};

/* The built-in rows. */
void ccfc_tools_init(struct ccfc_tools *tools);
void ccfc_tools_release(struct ccfc_tools *tools);

/*
 * Adds a user's row; the strings are copied; all keys but the path's may be
 * NULL.
 */
void ccfc_tools_add(struct ccfc_tools *tools, const char *pattern,
		    const char *path_key, const char *new_key,
		    const char *old_key);

/* The row for a tool's name, or NULL; later rows win. */
const struct ccfc_tool *ccfc_tools_find(const struct ccfc_tools *tools,
					struct ccfc_slice name);

#endif
