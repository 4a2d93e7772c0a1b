/*
 * The files installed with the command: found relative to the command itself,
 * so that a prefix may be moved.
 */
#ifndef CCFC_CLI_SETUP_INSTALLED_H
#define CCFC_CLI_SETUP_INSTALLED_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends the directory "share" that belongs to …/bin/ccfc, if it has files of
 * ccfc; else the one configured by the build.
 */
void ccfc_installed_share(struct ccfc_buf *out);

/*
 * Appends the absolute path of the daemon that a command would start. CCFC_EIO
 * with a hint.
 */
int ccfc_installed_daemon(struct ccfc_buf *out, struct ccfc_err *err);

#endif
