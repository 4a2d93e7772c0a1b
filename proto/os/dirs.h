/*
 * Where ccfc keeps its things, the same for the daemon and its clients. Each
 * function appends an absolute path to `out`, or fails with CCFC_ENOTFOUND
 * when it would need HOME and that is not set.
 * A relative value of an XDG variable is ignored, as its specification says;
 * one of ours is taken against the working directory.
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
 * $XDG_RUNTIME_DIR/ccfc, else in the state directory. CCFC_EINVAL when that is
 * too long for a Unix socket.
 */
int ccfc_dirs_socket(struct ccfc_buf *out, struct ccfc_err *err);

/* Its length if it fits in a sockaddr_un, else CCFC_EINVAL and a hint. */
int ccfc_dirs_check_socket(struct ccfc_slice path, struct ccfc_err *err);

/* $XDG_CONFIG_HOME/ccfc/config or ~/.config/ccfc/config, a file. */
int ccfc_dirs_config(struct ccfc_buf *out, struct ccfc_err *err);

/* $XDG_CONFIG_HOME/TAIL or ~/.config/TAIL, and the same of XDG_DATA_HOME. */
int ccfc_dirs_user_config(struct ccfc_buf *out, const char *tail,
			  struct ccfc_err *err);
int ccfc_dirs_user_data(struct ccfc_buf *out, const char *tail,
			struct ccfc_err *err);

/*
 * Makes a directory and its missing parents, all private (0700). One that is
 * there already is left as it is.
 */
int ccfc_dirs_make(const char *path, struct ccfc_err *err);

/* As ccfc_dirs_make, for the directory that the file `path` is to be in. */
int ccfc_dirs_make_parent(const char *path, struct ccfc_err *err);

#endif
