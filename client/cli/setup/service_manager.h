/*
 * The daemon as a service of the user: which manager this machine has
 * (systemd's user manager, or launchd), the state of ccfcd in it, and the files
 * that it reads. Nothing is changed here.
 */
#ifndef CCFC_CLI_SETUP_SERVICE_MANAGER_H
#define CCFC_CLI_SETUP_SERVICE_MANAGER_H

#include "base/buf.h"
#include "base/err.h"

#define CCFC_SERVICE_UNIT  "ccfcd.service"
#define CCFC_SERVICE_LABEL "ccfc.ccfcd"

enum ccfc_manager {
	CCFC_MANAGER_NONE,
	CCFC_MANAGER_SYSTEMD,
	CCFC_MANAGER_LAUNCHD,
};

struct ccfc_user_service {
	enum ccfc_manager manager;
	bool found;   /* the manager knows it */
	bool masked;  /* systemd: the user masked it */
	bool enabled; /* starts with the session; launchd: found */
	bool active;  /* runs, or is starting */
	char *file;   /* the file it was read from; NULL: not known */
};

/* By the program that is found in PATH. */
enum ccfc_manager ccfc_service_manager(void);

/*
 * Asks the manager. CCFC_EIO with a hint: the manager does not answer;
 * `manager` is set then. Release it also after an error.
 */
int ccfc_service_probe(struct ccfc_user_service *service, struct ccfc_err *err);
void ccfc_service_release(struct ccfc_user_service *service);

/*
 * Runs a command of the manager; CCFC_EIO: it failed, with its message and a
 * hint.
 */
int ccfc_service_run(const char *const *argv, struct ccfc_err *err);

/* The command that makes systemd read its files again. */
extern const char *const ccfc_service_reload[];

/*
 * The path of the user's own service file, and of the drop-in for the
 * environment of a system-wide service (systemd only). The caller frees it.
 */
int ccfc_service_path(char **out, enum ccfc_manager manager,
		      struct ccfc_err *err);
int ccfc_service_drop_in(char **out, struct ccfc_err *err);

/* "gui/501": launchd's domain for this user's agents. */
void ccfc_service_domain(struct ccfc_buf *out);

/* ---- service_file.c ---- */

/*
 * Appends the service file for the program `daemon`. CCFC_EINVAL: its path or
 * the environment cannot be expressed.
 */
int ccfc_service_write(struct ccfc_buf *out, enum ccfc_manager manager,
		       const char *daemon, struct ccfc_err *err);

/*
 * Appends a drop-in with the variables that the daemon uses and that a service
 * does not get from the user's shell; nothing if none is set.
 */
int ccfc_service_write_drop_in(struct ccfc_buf *out, struct ccfc_err *err);

#endif
