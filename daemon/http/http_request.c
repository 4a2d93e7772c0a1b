/*
 * Which requests are admitted; see http_internal.h. A page of another site can
 * make a browser send requests here, and other users of the machine can
 * connect.
 */
#include "http/http_internal.h"

#include "http/url.h"

#include <stdio.h>
#include <stdlib.h>

#define NAME_MAX_LEN 64

struct header_count {
	const char *name;
	int n;
};

static enum MHD_Result count_header(void *arg, enum MHD_ValueKind kind,
				    const char *key, const char *value)
{
	struct header_count *count = arg;

	(void)kind;
	(void)value;
	if (!strcasecmp(key, count->name))
		count->n++;
	return MHD_YES;
}

/* The value of a header that occurs once, or NULL. `n`: how often. */
static const char *only_header(struct ccfc_exchange *ex, const char *name,
			       int *n)
{
	struct header_count count = { name, 0 };

	ccfc_mhd.get_connection_values(ex->connection, MHD_HEADER_KIND,
				       count_header, &count);
	*n = count.n;
	return count.n == 1 ? ccfc_mhd.lookup_connection_value(
				      ex->connection, MHD_HEADER_KIND, name)
			    : NULL;
}

/* Is `name` exactly `before`, one of the two hosts, and the port? */
static bool is_our_host(const struct ccfc_http *http, const char *before,
			const char *name)
{
	static const char *const hosts[] = { "127.0.0.1", "localhost" };
	char wanted[NAME_MAX_LEN];

	for (int i = 0; i < 2; i++) {
		snprintf(wanted, sizeof(wanted), "%s%s:%d", before, hosts[i],
			 http->port);
		if (!strcmp(name, wanted))
			return true;
	}
	return false;
}

static bool has_good_host(struct ccfc_exchange *ex)
{
	int n;
	const char *host = only_header(ex, "Host", &n);

	return host && is_our_host(ex->http, "", host);
}

/* Only pages send an origin. It must be this server's own. */
static bool has_good_origin(struct ccfc_exchange *ex)
{
	int n;
	const char *origin = only_header(ex, "Origin", &n);

	return !n || (origin && is_our_host(ex->http, "http://", origin));
}

/* Browsers say which site a request comes from; others send nothing. */
static bool has_good_site(struct ccfc_exchange *ex)
{
	int n;
	const char *site = only_header(ex, "Sec-Fetch-Site", &n);

	return !n || (site &&
		      (!strcmp(site, "same-origin") || !strcmp(site, "none")));
}

/* Takes as long for a wrong token as for the right one. */
static bool same_token(const char *a, const char *b)
{
	unsigned char differs = 0;

	if (strlen(a) != CCFC_HTTP_TOKEN_LEN)
		return false;
	for (size_t i = 0; i < CCFC_HTTP_TOKEN_LEN; i++)
		differs |= (unsigned char)(a[i] ^ b[i]);
	return !differs;
}

static bool has_token(struct ccfc_exchange *ex)
{
	static const char scheme[] = "Bearer ";
	int n;
	const char *value = only_header(ex, "Authorization", &n);

	return value && !strncasecmp(value, scheme, sizeof(scheme) - 1) &&
	       same_token(value + sizeof(scheme) - 1, ex->http->token);
}

/* Parameters of the type, such as a charset, are ignored. */
static bool is_json(const char *type)
{
	static const char json[] = "application/json";
	size_t n = sizeof(json) - 1;

	return type && !strncasecmp(type, json, n) &&
	       (!type[n] || type[n] == ';' || type[n] == ' ');
}

static const char *set_refusal(int *status, int code, const char *why)
{
	*status = code;
	return why;
}

static const char *refuse_route(struct ccfc_exchange *ex, const char *verb,
				struct ccfc_slice path, int *status)
{
	bool head = !strcmp(verb, "HEAD");
	int n;

	ccfc_route_find(&ex->match, ccfc_slice_str(head ? "GET" : verb), path);
	if (ccfc_slice_is(path, "/api/openapi.json")) {
		ex->allowed = "GET";
		return head || !strcmp(verb, "GET")
			       ? NULL
			       : set_refusal(status, 405,
					     "this is read with GET");
	}
	ex->allowed = ex->match.allowed;
	if (!ex->match.route && ex->allowed)
		return set_refusal(status, 405, "another verb is needed here");
	if (!ex->match.route)
		return set_refusal(status, 404,
				   "there is nothing of this name");
	if (!strcmp(verb, "POST") &&
	    !is_json(only_header(ex, "Content-Type", &n)))
		return set_refusal(status, 415,
				   "the body must be of type application/json");
	return NULL;
}

/* Refuses a body whose length is too large or unclear. */
static const char *refuse_body(struct ccfc_exchange *ex, int *status)
{
	int n, m;
	const char *text = only_header(ex, "Content-Length", &n), *coding;
	size_t digits = text ? strspn(text, "0123456789") : 0;
	unsigned long long len = digits ? strtoull(text, NULL, 10) : 0;

	coding = only_header(ex, "Transfer-Encoding", &m);
	if (n > 1 || (m && (n || !coding || strcasecmp(coding, "chunked"))) ||
	    (text && (!digits || text[digits])))
		return set_refusal(status, 400,
				   "the length of the body is unclear");
	if (len > CCFC_HTTP_BODY_MAX)
		return set_refusal(status, 413, "the body is too long");
	return NULL;
}

const char *ccfc_http_refusal(struct ccfc_exchange *ex, const char *verb,
			      int *status)
{
	struct ccfc_slice path, query;
	const char *why;

	if (!has_good_host(ex))
		return set_refusal(status, 403, "the Host is not this server");
	if (!has_good_origin(ex))
		return set_refusal(status, 403,
				   "another site may not ask here");
	why = refuse_body(ex, status);
	if (why)
		return why;
	ccfc_url_split(ccfc_slice_str(ex->url), &path, &query);
	if (!ccfc_slice_starts(path, "/api/")) {
		bool reads = !strcmp(verb, "GET") || !strcmp(verb, "HEAD");

		ex->allowed = "GET";
		return reads ? NULL
			     : set_refusal(status, 405, "this is read only");
	}
	if (!has_good_site(ex))
		return set_refusal(status, 403,
				   "another site may not ask here");
	if (!has_token(ex))
		return set_refusal(
			status, 401,
			"a token is needed: 'ccfc web' prints the address "
			"with it");
	return refuse_route(ex, verb, path, status);
}
