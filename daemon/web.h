/*
 * Whether the daemon serves HTTP: off, until the settings or a client say
 * otherwise. Core thread; the server itself has its own thread (http/http.h).
 */
#ifndef CCFC_WEB_H
#define CCFC_WEB_H

#include "base/buf.h"
#include "base/err.h"

struct ccfc_web;

/* Instead of a port: HTTP is off. */
#define CCFC_WEB_OFF (-1)

/* Both texts are borrowed. */
struct ccfc_web *ccfc_web_new(const char *socket_path, const char *state_dir);
/* Stops the server first. NULL is allowed. */
void ccfc_web_free(struct ccfc_web *web);

/*
 * Starts serving on a port; 0: any free one. A running server stays, unless
 * another port is wanted: then a new server replaces it.
 */
int ccfc_web_start(struct ccfc_web *web, int port, struct ccfc_err *err);
void ccfc_web_stop(struct ccfc_web *web);

/* The port, or CCFC_WEB_OFF. */
int ccfc_web_port(const struct ccfc_web *web);
/* Appends the address of the page, with the token in its fragment. */
void ccfc_web_url(struct ccfc_buf *out, const struct ccfc_web *web);

#endif
