/* Explains errors from a daemon of another version. */
#ifndef CCFC_CLI_FRAME_VERSION_SKEW_H
#define CCFC_CLI_FRAME_VERSION_SKEW_H

#include "base/err.h"

/*
 * If the error can come from a daemon of another version, asks the daemon for
 * its version, and says so: another protocol replaces *err, else a hint is
 * added. Other errors stay unchanged.
 */
void ccfc_version_skew_explain(struct ccfc_err *err);

#endif
