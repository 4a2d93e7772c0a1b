/*
 * Choosing among several: the sessions that an ambiguous name may mean, or the
 * latest sessions or files where an argument is missing. On a terminal the
 * caller chooses by number; elsewhere the candidates are only listed.
 */
#ifndef CCFC_CLI_FRAME_PICK_H
#define CCFC_CLI_FRAME_PICK_H

#include "cli/frame/cli.h"

/*
 * Lists the sessions that `ref` may mean on stderr: id, time, title. True: the
 * caller chose one, and *out is its id, to be freed. False: nothing was chosen;
 * `listed` says whether the daemon had an answer to list.
 */
bool ccfc_pick_meant(char **out, bool *listed, struct ccfc_cli *cli,
		     const char *ref);

/*
 * On a terminal only: one of the latest sessions of the project here, or of
 * the files that were changed last. *out is to be freed.
 */
bool ccfc_pick_session(char **out, struct ccfc_cli *cli);
bool ccfc_pick_file(char **out, struct ccfc_cli *cli);
/* One of the project's files with this name; *out is relative if it can be. */
bool ccfc_pick_named(char **out, struct ccfc_cli *cli, struct ccfc_slice name);

/* Reads a line of stdin without its newline, cut to `size`; "" at the end. */
void ccfc_pick_read_line(char *word, size_t size);

#endif
