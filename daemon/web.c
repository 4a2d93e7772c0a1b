/* Starts and stops HTTP; see web.h. */
#include "web.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "http/http.h"
#include "os/log.h"

#include <stdlib.h>
#include <string.h>

struct ccfc_web {
	const char *socket_path, *state_dir;
	struct ccfc_http *http; /* NULL: off */
	char token[CCFC_HTTP_TOKEN_LEN + 1];
};

struct ccfc_web *ccfc_web_new(const char *socket_path, const char *state_dir)
{
	struct ccfc_web *web = ccfc_calloc(1, sizeof(*web));

	web->socket_path = socket_path;
	web->state_dir = state_dir;
	return web;
}

void ccfc_web_free(struct ccfc_web *web)
{
	if (!web)
		return;
	ccfc_web_stop(web);
	free(web);
}

/*
 * The usual port of this state directory, so that an open page finds the next
 * daemon. It is below the ports that the system gives to connections.
 */
static int usual_port(const struct ccfc_web *web)
{
	return 20000 +
	       (int)(ccfc_hash(web->state_dir, strlen(web->state_dir)) % 12000);
}

static int start_http(struct ccfc_http **out, struct ccfc_web *web, int port,
		      struct ccfc_err *err)
{
	struct ccfc_http_setup setup = { web->socket_path, web->token, port };
	int r;

	if (port)
		return ccfc_http_start(out, &setup, err);
	setup.port = usual_port(web);
	r = ccfc_http_start(out, &setup, err);
	if (r != CCFC_EBUSY)
		return r;
	setup.port = 0;
	return ccfc_http_start(out, &setup, err);
}

int ccfc_web_start(struct ccfc_web *web, int port, struct ccfc_err *err)
{
	struct ccfc_http *http;
	int r;

	if (web->http && (!port || port == ccfc_http_port(web->http)))
		return 0;
	r = ccfc_http_token(web->token, web->state_dir, err);
	if (!r)
		r = start_http(&http, web, port, err);
	if (r)
		return r;
	ccfc_web_stop(web);
	web->http = http;
	ccfc_log(CCFC_LOG_INFO, "serving http://127.0.0.1:%d/",
		 ccfc_http_port(http));
	return 0;
}

void ccfc_web_stop(struct ccfc_web *web)
{
	ccfc_http_free(web->http);
	web->http = NULL;
}

int ccfc_web_port(const struct ccfc_web *web)
{
	return web->http ? ccfc_http_port(web->http) : CCFC_WEB_OFF;
}

void ccfc_web_url(struct ccfc_buf *out, const struct ccfc_web *web)
{
	if (web->http)
		ccfc_buf_printf(out, "http://127.0.0.1:%d/#token=%s",
				ccfc_http_port(web->http), web->token);
}
