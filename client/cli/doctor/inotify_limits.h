/*
 * inotify's limits for a user, and their use, from /proc on Linux. Other
 * systems have none.
 */
#ifndef CCFC_CLI_DOCTOR_INOTIFY_LIMITS_H
#define CCFC_CLI_DOCTOR_INOTIFY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct ccfc_inotify_limit {
	int64_t max;	     /* -1: not known */
	int64_t used;	     /* by all processes of this user */
	const char *setting; /* the sysctl name of `max` */
};

struct ccfc_inotify_limits {
	struct ccfc_inotify_limit watches;
	struct ccfc_inotify_limit instances;
};

/* `proc` is /proc; tests have their own. False: there are no such limits. */
bool ccfc_inotify_limits_read(struct ccfc_inotify_limits *out,
			      const char *proc);

#endif
