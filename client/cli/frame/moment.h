/*
 * A point in time for a file, for commands with --at. The daemon accepts RFC
 * 3339 only, so local forms are converted here: times of the local zone, "@-1"
 * and other words for a session, and the path of a transcript.
 */
#ifndef CCFC_CLI_FRAME_MOMENT_H
#define CCFC_CLI_FRAME_MOMENT_H

#include "cli/frame/opt.h"

#define CCFC_AT_OPTION                                                         \
	{                                                                      \
		"at", 0, CCFC_OPT_MOMENT, "WHEN",                              \
			.help = "a change, a session, a time; see above",      \
			CCFC_ASKS(at)                                          \
	}

/* For the help of all commands with --at. */
#define CCFC_AT_WHEN                                                           \
	"WHEN is\n"                                                            \
	"  CHANGE   a change's id, or its first 6 characters and more: right " \
	"after it\n"                                                           \
	"  SESSION  an id, or a transcript's path: after its last change of "  \
	"the file\n"                                                           \
	"  TIME     yesterday, '2 days ago', 10:00, '2025-12-31 14:05' in "    \
	"local time, or\n           RFC 3339. A day and a minute mean their "  \
	"ends\n"                                                               \
	"  before:CHANGE, before:SESSION"
#define CCFC_AT_ABOUT                                                          \
	CCFC_AT_WHEN                                                           \
	"\nWithout it: after the file's last change."

/*
 * Converts --at for the daemon; the caller frees *out. CCFC_EINVAL: the
 * session's name is empty; CCFC_EIO: there is no current directory.
 */
int ccfc_moment_text(char **out, const char *given, struct ccfc_err *err);

#endif
