/*
 * Errors of the daemon in the words of the command line. The daemon names
 * methods and options as every client knows them: "file.blame: option
 * 'fromDate' is later than option 'toDate'".
 */
#ifndef CCFC_CLI_FRAME_SPELLING_H
#define CCFC_CLI_FRAME_SPELLING_H

#include "base/buf.h"
#include "cli/frame/cli.h"

/* The command line that runs; `command` is NULL before it is known. */
struct ccfc_spelling {
	const struct ccfc_command *command;
	int argc;
	char **argv; /* words that only the caller can have written */
};

/*
 * Appends an error's text or hint. A method at its beginning becomes the
 * command, an option the user's word for it, a moment its local time. A text
 * may repeat words of the caller; where these look like the name of an option,
 * nothing is replaced.
 */
void ccfc_spelling_append(struct ccfc_buf *out,
			  const struct ccfc_spelling *spelling,
			  struct ccfc_slice text);

/*
 * Appends a text with its moments in local time, as everything else shows them,
 * except moments that the caller wrote.
 */
void ccfc_spelling_times(struct ccfc_buf *out,
			 const struct ccfc_spelling *spelling,
			 struct ccfc_slice text);

/*
 * Appends what the user types for the option of that name: "--from", or the
 * word of a usage line, "SESSION". False: the option has no word.
 */
bool ccfc_spelling_of(struct ccfc_buf *out, const struct ccfc_command *command,
		      struct ccfc_slice option);

#endif
