/*
 * Settings: built-in defaults, then the config file, then the environment,
 * then the command line; later ones win.
 *
 * The config file has one `key = value` a line, # starts a comment:
 *
 *   root = /path            a Claude directory; may be given several times
 *   tool = NAME PATHKEY [NEWKEY [OLDKEY]]
 *                           a further tool that writes files
 *   max-line = 256M         longest line that is read
 *   web = on                off (default), on, or a port: the REST API
 *   log-level = info        error, warn, info or debug
 *   observe = content       what is kept of files that are seen to change:
 *                           off, paths or content
 *   exclude = GLOB          projects that are never read; several times
 *   observe-exclude = PATTERN
 *                           not observed, as in .gitignore; several times
 *   observe-dirs = 16384    bounds of what is watched and held
 *   observe-files = 65536
 *   observe-bytes = 64M
 *   keep-bytes = 512M       how much content is kept on disk
 *   keep-days = 30          and for how long
 *   archive = all           all, changes (sessions that changed files) or off
 *   archive-budget = 10G    how much of the disk the archive may take; 0: all
 *   archive-age = 0         days until a transcript is removed; 0: never
 */
#ifndef CCFC_CONFIG_H
#define CCFC_CONFIG_H

#include "archive/archive.h"
#include "base/err.h"
#include "observe/observe.h"
#include "os/claude_dir.h"
#include "transcript/tools.h"

#include <stddef.h>

struct ccfc_config {
	struct ccfc_claude_roots roots;
	char *state_dir;
	char *socket_path;
	char *home; /* may be NULL */
	struct ccfc_tools tools;
	size_t max_line;
	struct ccfc_observe_settings observe;
	char *exclude;	  /* projects: a glob a line; NULL: none */
	char *unobserved; /* a pattern a line; what observe.exclude points to */
	struct ccfc_archive_limits archive;
	int log_level;
	int web_port; /* 0: any; CCFC_WEB_OFF */
	int ready_fd; /* gets a byte once the socket listens; -1: none */
	bool roots_are_given; /* on the command line: no others count */
};

/*
 * 0; 1: --help or --version was printed; CCFC_EINVAL: names the wrong option or
 * the line of the file.
 */
int ccfc_config_read(struct ccfc_config *config, int argc, char **argv,
		     struct ccfc_err *err);
void ccfc_config_release(struct ccfc_config *config);

#endif
