/*
 * libmicrohttpd, loaded when HTTP is first served: the library brings gnutls,
 * which would cost every daemon memory and time, and few daemons serve HTTP.
 */
#ifndef CCFC_HTTP_MHD_H
#define CCFC_HTTP_MHD_H

#include "base/err.h"

#include <microhttpd.h>

#define CCFC_MHD_FUNCTIONS(X)                                                  \
	X(start_daemon)                                                        \
	X(stop_daemon)                                                         \
	X(run)                                                                 \
	X(get_timeout)                                                         \
	X(get_daemon_info)                                                     \
	X(get_connection_info)                                                 \
	X(get_connection_values)                                               \
	X(lookup_connection_value)                                             \
	X(suspend_connection)                                                  \
	X(resume_connection)                                                   \
	X(create_response_from_buffer)                                         \
	X(create_response_from_callback)                                       \
	X(add_response_header)                                                 \
	X(queue_response)                                                      \
	X(destroy_response)

/* Each is MHD_<name>. */
struct ccfc_mhd {
#define X(name) __typeof__(MHD_##name) *name;
	CCFC_MHD_FUNCTIONS(X)
#undef X
};

extern struct ccfc_mhd ccfc_mhd;

/*
 * Fills ccfc_mhd once, on the core thread, before the HTTP thread begins.
 * CCFC_EIO: the library is not installed, or is another version.
 */
int ccfc_mhd_load(struct ccfc_err *err);

#endif
