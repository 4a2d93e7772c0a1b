/*
 * The daemon's own files: its socket, and its state directory with the lock and
 * the store. Both may be removed while it runs (at logout, for example, the
 * runtime directory is). The daemon notices this by inotify on their
 * directories and by changes of the mounts, and checks on SIGHUP, which clients
 * send (os/holder.h). It creates a missing socket again, and writes a missing
 * store again from memory. It never touches other files in their place. Core
 * thread.
 */
#ifndef CCFC_OWN_FILES_H
#define CCFC_OWN_FILES_H

#include "base/err.h"
#include "index/index.h"
#include "serve/net/server.h"
#include "serve/rpc/service.h"
#include "store/store.h"

#include <poll.h>

struct ccfc_own_files;

/* Everything outlives the struct ccfc_own_files. */
struct ccfc_own_files_env {
	const char *socket_path;
	const char *state_dir;
	struct ccfc_server *server;
	struct ccfc_store *store;
	struct ccfc_index *index;
	int *lock; /* the descriptor; changes if the lock is retaken */
	/* The store was removed and written again: restores other files. */
	void (*restored)(void *ctx);
	void *ctx;
};

/* Never fails: without watches it checks on SIGHUP only. */
struct ccfc_own_files *ccfc_own_files_new(const struct ccfc_own_files_env *env);
/* The store was opened anew. */
void ccfc_own_files_store(struct ccfc_own_files *own_files,
			  struct ccfc_store *store, struct ccfc_index *index);
/* Tells clients that the daemon does not listen any more. */
void ccfc_own_files_free(struct ccfc_own_files *own_files);

/* What to poll for, and for how long at most (-1: no limit). */
#define CCFC_OWN_FILES_FDS 2
void ccfc_own_files_poll(const struct ccfc_own_files *own_files,
			 struct pollfd fds[CCFC_OWN_FILES_FDS]);
int ccfc_own_files_timeout_ms(const struct ccfc_own_files *own_files);

/*
 * After poll(): checks, a moment after the first event. Negative: another
 * daemon has the state directory now, or its store was replaced: this one must
 * end.
 */
int ccfc_own_files_dispatch(struct ccfc_own_files *own_files,
			    const struct pollfd *fds, struct ccfc_err *err);
/* Checks now. */
int ccfc_own_files_look(struct ccfc_own_files *own_files, struct ccfc_err *err);

/* Whether the state directory was lost, and restored. */
void ccfc_own_files_state(const struct ccfc_own_files *own_files,
			  struct ccfc_state_news *out);

#endif
