/*
 * What was installed with the command: found from where its own file is, so
 * that a prefix may be moved.
 */
#ifndef CCFC_CLI_SETUP_INSTALLED_H
#define CCFC_CLI_SETUP_INSTALLED_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends the directory "share" that belongs to …/bin/ccfc, if there is
 * something of ccfc's in it; else the one that the build was made for.
 */
void ccfc_installed_share(struct ccfc_buf *out);

/*
 * Appends the absolute path of the daemon's program, the one that a command
 * would start. CCFC_EIO with a hint.
 */
int ccfc_installed_daemon(struct ccfc_buf *out, struct ccfc_err *err);

#endif
