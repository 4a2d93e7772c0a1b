/* When the daemon and this program are not of one age. */
#ifndef CCFC_CLI_FRAME_VERSION_SKEW_H
#define CCFC_CLI_FRAME_VERSION_SKEW_H

#include "base/err.h"

/*
 * If the error can come of a daemon of another version, asks the daemon for
 * its own, and says so: another protocol in place of what *err says, else a
 * hint. Leaves other errors as they are.
 */
void ccfc_version_skew_explain(struct ccfc_err *err);

#endif
