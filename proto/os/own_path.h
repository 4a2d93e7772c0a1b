/*
 * Where the running program lies, which is how an installed one finds what
 * was installed with it wherever the prefix is.
 */
#ifndef CCFC_OS_OWN_PATH_H
#define CCFC_OS_OWN_PATH_H

#include "base/buf.h"

/*
 * Appends the absolute path of the program's file. False, and nothing
 * appended, where the system does not say.
 */
bool ccfc_own_path(struct ccfc_buf *out);

#endif
