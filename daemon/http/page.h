/* The files of the page (client/web), which the build puts into the daemon. */
#ifndef CCFC_HTTP_PAGE_H
#define CCFC_HTTP_PAGE_H

#include <stddef.h>

struct ccfc_page_file {
	const char *path; /* of the URL: "/app.js" */
	const char *type; /* of its content */
	const char *tag;  /* its ETag */
	const unsigned char *gzip;
	size_t gzip_len;
	size_t len; /* before compression */
};

/* The last row has no path. The table is empty if the build left the page
 * out. */
extern const struct ccfc_page_file ccfc_page_files[];

#endif
