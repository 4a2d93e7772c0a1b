/*
 * The path of the running program, from which an installed program finds the
 * files installed with it.
 */
#ifndef CCFC_OS_OWN_PATH_H
#define CCFC_OS_OWN_PATH_H

#include "base/buf.h"

/*
 * Appends the absolute path of the program's file. False (and nothing
 * appended): the system does not give it.
 */
bool ccfc_own_path(struct ccfc_buf *out);

#endif
