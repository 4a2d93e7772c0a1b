/*
 * The least that an HTTP server on libmicrohttpd can do: it answers every
 * request with the bytes of standard input. tests/bench/web.py compares ccfcd
 * with it. Reads standard input, prints its port, and runs until it is killed.
 */
#include <microhttpd.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BODY_MAX (1 << 20)

static char body[BODY_MAX];
static size_t len;

static enum MHD_Result answer(void *arg, struct MHD_Connection *connection,
			      const char *url, const char *verb,
			      const char *version, const char *data,
			      size_t *data_len, void **seen)
{
	struct MHD_Response *response;
	enum MHD_Result r;

	(void)arg;
	(void)url;
	(void)verb;
	(void)version;
	(void)data;
	(void)data_len;
	if (!*seen) {
		*seen = body;
		return MHD_YES;
	}
	response = MHD_create_response_from_buffer(len, body,
						   MHD_RESPMEM_PERSISTENT);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", "application/json");
	r = MHD_queue_response(connection, 200, response);
	MHD_destroy_response(response);
	return r;
}

int main(void)
{
	struct MHD_Daemon *daemon;
	const union MHD_DaemonInfo *info;

	len = fread(body, 1, sizeof(body), stdin);
	daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL,
				  answer, NULL, MHD_OPTION_END);
	if (!daemon)
		return 1;
	info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
	printf("%u\n", (unsigned)info->port);
	fflush(stdout);
	for (;;)
		pause();
}
