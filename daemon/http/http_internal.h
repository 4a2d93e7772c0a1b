/*
 * Shared by the files of this folder that use libmicrohttpd. Everything belongs
 * to the HTTP thread.
 */
#ifndef CCFC_HTTP_HTTP_INTERNAL_H
#define CCFC_HTTP_HTTP_INTERNAL_H

#include "http/backend.h"
#include "http/http.h"
#include "http/mhd.h"
#include "http/page.h"
#include "http/routes.h"

/* A longer body is refused. */
#define CCFC_HTTP_BODY_MAX 65536u
/* Streams of events at a time. */
#define CCFC_HTTP_STREAMS_MAX 512u

struct ccfc_exchange;
struct ccfc_arrival;

/* Connections with a time limit, the oldest first; see arrival.c. */
struct ccfc_arrivals {
	struct ccfc_arrival *first, *last;
};

struct ccfc_http {
	struct MHD_Daemon *mhd;
	struct ccfc_waiting *waiting;
	struct ccfc_backend *backend;
	struct ccfc_exchange *exchanges; /* all of them, a list */
	struct ccfc_arrivals arrivals;
	uint32_t streams;
	char *socket_path;
	char *token;
	int port;
	struct ccfc_buf openapi; /* made when it is first asked for */
};

/* A stream of events to one reader; see event_stream.c. */
struct ccfc_event_stream {
	struct ccfc_awaited awaited; /* first; the reader hangs up */
	struct ccfc_exchange *exchange;
	struct ccfc_buf out; /* not yet sent */
	bool is_awaited;
	bool over;
};

/* One request and its answer. */
struct ccfc_exchange {
	struct ccfc_http *http;
	struct ccfc_exchange *next, **link;
	struct MHD_Connection *connection;
	char *url;	      /* as it was sent */
	struct ccfc_buf body; /* of a POST */
	struct ccfc_route_match match;
	uint32_t question; /* of the backend; 0: none */
	int status;	   /* of the answer; 0: there is none yet */
	const char *type;  /* of its content */
	const struct ccfc_page_file
		*file; /* the answer is a file of the page */
	struct ccfc_buf answer;
	struct ccfc_buf tag; /* ETag, or empty */
	struct ccfc_event_stream *stream;
	bool begun;	     /* its head was looked at */
	bool suspended;	     /* waits for an answer, or for events */
	bool is_glob;	     /* asked again as a glob */
	bool too_long;	     /* the body is too long */
	const char *allowed; /* the verb named in an answer 405 */
};

/* ---- arrival.c ---- */

/* libmicrohttpd calls this when a connection begins or ends. */
void ccfc_arrival_notify(void *arg, struct MHD_Connection *connection,
			 void **context,
			 enum MHD_ConnectionNotificationCode what);
/* Begins the time limit for a request, or for reading its answer. */
void ccfc_arrival_begin(struct MHD_Connection *connection);
/* Ends the time limit: the request is complete. */
void ccfc_arrival_done(struct MHD_Connection *connection);
/* Hangs up on slow connections; returns how long to wait, at most `ms`. */
int ccfc_arrivals_check(struct ccfc_http *http, int ms);

/* ---- http_request.c ---- */

/* NULL: the request is admitted. Else why it is not; `status` is set. */
const char *ccfc_http_refusal(struct ccfc_exchange *ex, const char *verb,
			      int *status);

/* ---- http_answer.c ---- */

/* Sets the answer to an error. `hint` may be empty. */
void ccfc_answer_error(struct ccfc_exchange *ex, int status, const char *code,
		       const char *what, const char *hint);
/* The same for an error of the daemon, or of a function. */
void ccfc_answer_failure(struct ccfc_exchange *ex, const struct ccfc_err *err);
/* Sets the answer to a result of the protocol, as JSON. */
void ccfc_answer_result(struct ccfc_exchange *ex, struct ccfc_obj result);
/* Sets the answer to a file of the page; false: there is none at this path. */
bool ccfc_answer_page(struct ccfc_exchange *ex, struct ccfc_slice path);
/* Sends the answer. */
enum MHD_Result ccfc_answer_send(struct ccfc_exchange *ex);
/* The headers that every answer has. */
void ccfc_answer_headers(struct MHD_Response *response);

/* ---- exchange.c ---- */

struct ccfc_exchange *ccfc_exchange_new(struct ccfc_http *http,
					const char *url);
void ccfc_exchange_free(struct ccfc_exchange *ex);
/* Asks the daemon, or answers at once. */
enum MHD_Result ccfc_exchange_start(struct ccfc_exchange *ex);
/* Suspends or resumes the request. Both may be called twice. */
void ccfc_exchange_suspend(struct ccfc_exchange *ex);
void ccfc_exchange_resume(struct ccfc_exchange *ex);

/* ---- event_stream.c ---- */

/* Subscribes; the answer follows. */
void ccfc_stream_start(struct ccfc_exchange *ex, struct ccfc_slice query);
enum MHD_Result ccfc_stream_send(struct ccfc_exchange *ex);
void ccfc_stream_free(struct ccfc_event_stream *stream);

#endif
