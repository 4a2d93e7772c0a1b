/*
 * Sessions with a running client, by the notes that clients keep in
 * <claude>/sessions, one file <pid>.json each. A killed client leaves its note,
 * so a note counts only if the process that wrote it is alive.
 */
#ifndef CCFC_OBSERVE_LIVE_SESSIONS_H
#define CCFC_OBSERVE_LIVE_SESSIONS_H

#include <stdint.h>

#define CCFC_LIVE_MAX 256u

struct ccfc_live_session {
	char *id;
	char *cwd; /* absolute, normalised */
	long pid;
};

struct ccfc_live_sessions {
	struct ccfc_live_session *items; /* sorted by pid */
	uint32_t n, cap;
};

/* Adds the live sessions of one Claude directory. */
void ccfc_live_read(struct ccfc_live_sessions *out, const char *root);
void ccfc_live_release(struct ccfc_live_sessions *list);

#endif
