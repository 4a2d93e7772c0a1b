/*
 * How commands ask the daemon: connect when first needed, read a reply as wire
 * objects, and print a note if the answer may be incomplete.
 */
#ifndef CCFC_CLI_FRAME_CONNECT_H
#define CCFC_CLI_FRAME_CONNECT_H

#include "cli/frame/cli.h"
#include "wire/obj.h"

#include <ccfc/client.h>

/*
 * Connects unless already connected. The error is the library's. If the daemon
 * does not read what CLAUDE_CONFIG_DIR names, the next call fails with
 * CCFC_EDENIED.
 */
int ccfc_cli_connect(struct ccfc_cli *cli, enum ccfc_spawn spawn,
		     struct ccfc_err *err);
void ccfc_cli_disconnect(struct ccfc_cli *cli);

/*
 * Calls a method by its name, for commands that run for long: connects when
 * first needed, and once more if the daemon has been restarted since.
 * CCFC_EAGAIN: the daemon hangs. The editor or agent that this command serves
 * would have to wait, too.
 */
int ccfc_cli_call(struct ccfc_reply **reply, struct ccfc_cli *cli,
		  const char *method, struct ccfc_slice params,
		  struct ccfc_err *err);

/*
 * If nothing was found because Claude Code has no directory of transcripts,
 * adds a hint about that.
 */
void ccfc_cli_explain_nothing(struct ccfc_err *err);

/* The reply's value; lives as long as the reply. */
struct ccfc_obj ccfc_cli_value(const struct ccfc_reply *reply);

/* Prints a note if the daemon was still indexing when it answered. */
void ccfc_cli_note_indexing(struct ccfc_obj value);

#endif
