/*
 * Connections that do not send their request; see http_internal.h.
 * libmicrohttpd only hangs up on silent connections. Another user of the
 * machine, without the token, could occupy every connection by sending a byte
 * now and then. So there is a limit for the whole request, and one for reading
 * a file of the page, which needs no token.
 */
#include "http/http_internal.h"

#include "base/alloc.h"
#include "base/time.h"

#include <stdlib.h>
#include <sys/socket.h>

/* Longer than the limit for silence, which ends a connection anyway. */
#define TIME_MS (15 * 1000)

struct ccfc_arrival {
	struct ccfc_http *http;
	struct ccfc_arrival *next, *previous;
	struct MHD_Connection *connection;
	int64_t since; /* 0: nothing is due; in no list */
};

static void unlink_arrival(struct ccfc_arrival *a)
{
	struct ccfc_arrivals *all = &a->http->arrivals;

	if (!a->since)
		return;
	*(a->previous ? &a->previous->next : &all->first) = a->next;
	*(a->next ? &a->next->previous : &all->last) = a->previous;
	a->next = a->previous = NULL;
	a->since = 0;
}

static void list_last(struct ccfc_arrival *a)
{
	struct ccfc_arrivals *all = &a->http->arrivals;

	unlink_arrival(a);
	a->since = ccfc_time_monotonic();
	a->previous = all->last;
	*(all->last ? &all->last->next : &all->first) = a;
	all->last = a;
}

static struct ccfc_arrival *arrival_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = ccfc_mhd.get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

void ccfc_arrival_notify(void *arg, struct MHD_Connection *connection,
			 void **context,
			 enum MHD_ConnectionNotificationCode what)
{
	struct ccfc_arrival *a = *context;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		a = ccfc_calloc(1, sizeof(*a));
		a->http = arg;
		a->connection = connection;
		list_last(a);
		*context = a;
	} else if (a) {
		unlink_arrival(a);
		free(a);
		*context = NULL;
	}
}

void ccfc_arrival_begin(struct MHD_Connection *connection)
{
	struct ccfc_arrival *a = arrival_of(connection);

	if (a)
		list_last(a);
}

void ccfc_arrival_done(struct MHD_Connection *connection)
{
	struct ccfc_arrival *a = arrival_of(connection);

	if (a)
		unlink_arrival(a);
}

/* libmicrohttpd notices the end of the connection, and closes it. */
static void shut_connection_down(struct ccfc_arrival *a)
{
	const union MHD_ConnectionInfo *info = ccfc_mhd.get_connection_info(
		a->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
	unlink_arrival(a);
}

int ccfc_arrivals_check(struct ccfc_http *http, int ms)
{
	struct ccfc_arrivals *all = &http->arrivals;
	int64_t left = 0;

	if (!all->first)
		return ms;
	while (all->first) {
		left = all->first->since + TIME_MS - ccfc_time_monotonic();
		if (left > 0)
			break;
		shut_connection_down(all->first);
	}
	if (left <= 0)
		return 0; /* libmicrohttpd has to close connections */
	return ms < 0 || left < ms ? (int)left : ms;
}
