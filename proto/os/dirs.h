/*
 * The directories and files of ccfc, the same for the daemon and its clients.
 * Each function appends an absolute path to `out`, or fails with CCFC_ENOTFOUND
 * if it needs HOME and HOME is not set. A relative XDG variable is ignored, as
 * its specification says; a relative CCFC variable is relative to the working
 * directory.
 */
#ifndef CCFC_OS_DIRS_H
#define CCFC_OS_DIRS_H

#include "base/buf.h"
#include "base/err.h"

/* $HOME. */
int ccfc_dirs_home(struct ccfc_buf *out, struct ccfc_err *err);

/* $CCFC_STATE_DIR, $XDG_STATE_HOME/ccfc or ~/.local/state/ccfc. */
int ccfc_dirs_state(struct ccfc_buf *out, struct ccfc_err *err);

/*
 * $CCFC_SOCKET; or ccfc.sock in $CCFC_STATE_DIR if that is set, else in
 * $XDG_RUNTIME_DIR/ccfc, else in the state directory. CCFC_EINVAL: too long for
 * a Unix socket.
 */
int ccfc_dirs_socket(struct ccfc_buf *out, struct ccfc_err *err);

/*
 * The length of `path` if it fits in a sockaddr_un, else CCFC_EINVAL and a
 * hint.
 */
int ccfc_dirs_check_socket(struct ccfc_slice path, struct ccfc_err *err);

/* $XDG_CONFIG_HOME/ccfc/config or ~/.config/ccfc/config, a file. */
int ccfc_dirs_config(struct ccfc_buf *out, struct ccfc_err *err);

/* $XDG_CONFIG_HOME/TAIL or ~/.config/TAIL, and the same of XDG_DATA_HOME. */
int ccfc_dirs_user_config(struct ccfc_buf *out, const char *tail,
			  struct ccfc_err *err);
int ccfc_dirs_user_data(struct ccfc_buf *out, const char *tail,
			struct ccfc_err *err);

/*
 * Makes a directory and its missing parents, all private (0700). An existing
 * directory is left as it is.
 */
int ccfc_dirs_make(const char *path, struct ccfc_err *err);

/* As ccfc_dirs_make, for the parent directory of the file `path`. */
int ccfc_dirs_make_parent(const char *path, struct ccfc_err *err);

/* Removes all files of the directory, not directories in it; closes `fd`. */
void ccfc_dirs_empty(int fd);

#endif
