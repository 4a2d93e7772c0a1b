/* The HTTP server and its thread; see http.h. */
#include "http/http_internal.h"

#include "base/alloc.h"
#include "base/time.h"
#include "os/log.h"
#include "os/pipe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections: streams, and some for questions. */
#define CONNECTIONS_MAX (CCFC_HTTP_STREAMS_MAX + 64u)
/* Bytes of a request's head. */
#define HEAD_MAX (32u * 1024)
/* A connection without a byte from or to the client ends. */
#define IDLE_MS 10000

/* The thread, and what its owner needs to end it. */
struct server {
	struct ccfc_http http; /* first */
	struct ccfc_awaited mhd_ready, stop_ready;
	pthread_t thread;
	int stop[2]; /* closed by the owner: end */
	bool over;
};

/* --- libmicrohttpd's callbacks --- */

/* Decodes nothing, because a URL must be split before it is decoded. */
static size_t leave_escaped(void *arg, struct MHD_Connection *connection,
			    char *text)
{
	(void)arg;
	(void)connection;
	return strlen(text);
}

static void *on_url(void *arg, const char *url,
		    struct MHD_Connection *connection)
{
	struct ccfc_exchange *ex = ccfc_exchange_new(arg, url);

	ex->connection = connection;
	return ex;
}

static void on_completed(void *arg, struct MHD_Connection *connection,
			 void **con_cls, enum MHD_RequestTerminationCode why)
{
	(void)arg;
	(void)why;
	if (*con_cls)
		ccfc_exchange_free(*con_cls);
	*con_cls = NULL;
	ccfc_arrival_begin(connection);
}

/* The head has been read: refuses the request, or goes on. */
static enum MHD_Result begin_exchange(struct ccfc_exchange *ex,
				      const char *verb)
{
	int status = 0;
	const char *why = ccfc_http_refusal(ex, verb, &status);
	const char *code = status == 404		    ? "not-found"
			   : status == 413		    ? "too-big"
			   : status == 401 || status == 403 ? "denied"
							    : "invalid";

	ex->begun = true;
	if (!why)
		return MHD_YES;
	ccfc_answer_error(ex, status, code, why, "");
	return ccfc_answer_send(ex);
}

static void append_body(struct ccfc_exchange *ex, const char *data, size_t len)
{
	ex->too_long |= ex->body.len + len > CCFC_HTTP_BODY_MAX;
	if (!ex->too_long)
		ccfc_buf_append(&ex->body, data, len);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection,
				  const char *url, const char *verb,
				  const char *version, const char *data,
				  size_t *len, void **con_cls)
{
	struct ccfc_exchange *ex = *con_cls;

	(void)arg;
	(void)url;
	(void)version;
	if (!ex->begun)
		return begin_exchange(ex, verb);
	if (*len) {
		append_body(ex, data, *len);
		*len = 0;
		return MHD_YES;
	}
	if (!ex->status) {
		/* A route was admitted with the token. */
		if (ex->match.route)
			ccfc_arrival_done(connection);
		else
			ccfc_arrival_begin(connection);
		return ccfc_exchange_start(ex);
	}
	if (ex->stream && ex->status == 200)
		return ccfc_stream_send(ex);
	return ccfc_answer_send(ex);
}

static void on_log(void *arg, const char *fmt, va_list ap)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	(void)arg;
	ccfc_buf_vprintf(&text, fmt, ap);
	while (text.len && text.ptr[text.len - 1] == '\n')
		text.ptr[--text.len] = '\0';
	ccfc_log(CCFC_LOG_DEBUG, "http: %s", text.ptr);
	ccfc_buf_release(&text);
}

/* --- the thread --- */

static void mhd_is_ready(struct ccfc_awaited *self, uint32_t events)
{
	/* run_server calls ccfc_mhd.run in every turn. */
	(void)self;
	(void)events;
}

static void stop_is_ready(struct ccfc_awaited *self, uint32_t events)
{
	struct server *server =
		(struct server *)((char *)self -
				  offsetof(struct server, stop_ready));

	(void)events;
	server->over = true;
}

/* Ms until a connection is too slow or idle; -1: no limit. */
static int time_left(struct ccfc_http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int left = ccfc_backend_rest(http->backend);

	if (ccfc_mhd.get_timeout(http->mhd, &ms) == MHD_YES) {
		if (ms > 60000)
			ms = 60000;
		if (left < 0 || ms < (unsigned)left)
			left = (int)ms;
	}
	return ccfc_arrivals_check(http, left);
}

static void end_exchanges(struct ccfc_http *http)
{
	for (struct ccfc_exchange *ex = http->exchanges; ex; ex = ex->next)
		ccfc_exchange_resume(ex);
	ccfc_mhd.stop_daemon(http->mhd);
	http->mhd = NULL;
}

static void *run_server(void *arg)
{
	struct server *server = arg;
	struct ccfc_http *http = &server->http;

	while (!server->over) {
		ccfc_waiting_run(http->waiting, time_left(http));
		ccfc_mhd.run(http->mhd);
	}
	end_exchanges(http);
	return NULL;
}

/* --- start and end --- */

/* The socket, or an error. */
static int listen_on(int port, struct ccfc_err *err)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		return ccfc_err_io(err, errno, "no socket for the web");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 128) < 0 || ccfc_fd_nonblock(fd) < 0) {
		int errnum = errno;

		close(fd);
		if (errnum != EADDRINUSE)
			return ccfc_err_io(err, errnum, "127.0.0.1:%d", port);
		ccfc_err_set(err, CCFC_EBUSY,
			     "127.0.0.1:%d: another program has this port",
			     port);
		ccfc_err_hint(err, "--port=0 takes any free one");
		return CCFC_EBUSY;
	}
	return fd;
}

static int start_mhd(struct ccfc_http *http, int fd, struct ccfc_err *err)
{
	struct sockaddr_in address = { 0 };
	socklen_t len = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &len) == 0)
		http->port = ntohs(address.sin_port);
	http->mhd = ccfc_mhd.start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
		NULL, NULL, on_request, http, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_EXTERNAL_LOGGER, on_log, http,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)ccfc_time_patience(IDLE_MS) / 1000,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK,
		leave_escaped, http, MHD_OPTION_URI_LOG_CALLBACK, on_url, http,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
		MHD_OPTION_NOTIFY_CONNECTION, ccfc_arrival_notify, http,
		MHD_OPTION_END);
	if (http->mhd)
		return 0;
	close(fd);
	return ccfc_err_set(err, CCFC_EIO, "the web server cannot start");
}

static int start_thread(struct server *server, struct ccfc_err *err)
{
	struct ccfc_http *http = &server->http;
	const union MHD_DaemonInfo *info =
		ccfc_mhd.get_daemon_info(http->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	int r;

	server->mhd_ready =
		(struct ccfc_awaited){ mhd_is_ready, info->epoll_fd };
	server->stop_ready =
		(struct ccfc_awaited){ stop_is_ready, server->stop[0] };
	ccfc_waiting_add(http->waiting, &server->mhd_ready, EPOLLIN);
	ccfc_waiting_add(http->waiting, &server->stop_ready, EPOLLIN);
	r = pthread_create(&server->thread, NULL, run_server, server);
	if (!r)
		return 0;
	ccfc_mhd.stop_daemon(http->mhd);
	return ccfc_err_io(err, r, "no thread for the web");
}

static void free_server(struct server *server)
{
	struct ccfc_http *http = &server->http;

	ccfc_backend_free(http->backend);
	ccfc_waiting_free(http->waiting);
	ccfc_buf_release(&http->openapi);
	for (int i = 0; i < 2; i++)
		if (server->stop[i] >= 0)
			close(server->stop[i]);
	free(http->socket_path);
	free(http->token);
	free(server);
}

static int start_server(struct server *server, int port, struct ccfc_err *err)
{
	struct ccfc_http *http = &server->http;
	int r = ccfc_mhd_load(err), fd;

	if (r)
		return r;
	http->waiting = ccfc_waiting_new();
	if (!http->waiting || ccfc_pipe(server->stop) < 0)
		return ccfc_err_io(err, errno, "no descriptors for the web");
	http->backend = ccfc_backend_new(http->socket_path, http->waiting);
	fd = listen_on(port, err);
	r = fd < 0 ? fd : start_mhd(http, fd, err);
	return r ? r : start_thread(server, err);
}

int ccfc_http_start(struct ccfc_http **out, const struct ccfc_http_setup *setup,
		    struct ccfc_err *err)
{
	struct server *server = ccfc_calloc(1, sizeof(*server));
	int r;

	server->stop[0] = server->stop[1] = -1;
	server->http.socket_path = ccfc_strdup(setup->socket_path);
	server->http.token = ccfc_strdup(setup->token);
	r = start_server(server, setup->port, err);
	if (r) {
		free_server(server);
		return r;
	}
	*out = &server->http;
	return 0;
}

void ccfc_http_free(struct ccfc_http *http)
{
	struct server *server = (struct server *)http;

	if (!http)
		return;
	close(server->stop[1]);
	server->stop[1] = -1;
	pthread_join(server->thread, NULL);
	free_server(server);
}

int ccfc_http_port(const struct ccfc_http *http)
{
	return http->port;
}
