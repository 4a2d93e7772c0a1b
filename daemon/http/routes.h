/*
 * From a URL to a request of the protocol. The routes are a table (routes.def);
 * the names and kinds of parameters are those of the schema.
 */
#ifndef CCFC_HTTP_ROUTES_H
#define CCFC_HTTP_ROUTES_H

#include "base/err.h"
#include "schema/schema.h"
#include "wire/pack.h"

struct ccfc_route {
	const char *verb;
	const char *path;
	enum ccfc_method method;
	const char *about;
};

extern const struct ccfc_route ccfc_routes[];
extern const size_t ccfc_route_count;

/* Options in one path, at most. */
#define CCFC_ROUTE_VALUES 2

struct ccfc_route_match {
	const struct ccfc_route *route; /* NULL: none has this path and verb */
	const char *allowed;		/* then: the verb that the path has */
	int n;
	struct {
		int option;
		struct ccfc_slice text; /* not decoded; borrowed */
	} values[CCFC_ROUTE_VALUES];
};

/* Finds the route of an encoded path. The first one that fits wins. */
void ccfc_route_find(struct ccfc_route_match *out, struct ccfc_slice verb,
		     struct ccfc_slice path);

/* The option that a parameter of this name sets, or -1. */
int ccfc_route_option(const struct ccfc_route *route, struct ccfc_slice name);
/* The other name of an option in this API, or NULL. */
const char *ccfc_route_alias(const struct ccfc_route *route, int option);
/* May this option of the method be given as a parameter? */
bool ccfc_route_takes(const struct ccfc_route *route, int option);

/* Changes to the options that the URL's parameters give. */
struct ccfc_route_change {
	/* the parameter `path` becomes the option `pattern`, a glob */
	bool path_is_pattern;
	struct ccfc_slice since; /* clock of a stream to go on with; or empty */
};

/* Packs the map of options. CCFC_EINVAL: `err` names the parameter. */
int ccfc_route_pack(struct ccfc_pack *p, const struct ccfc_route_match *match,
		    struct ccfc_slice query,
		    const struct ccfc_route_change *change,
		    struct ccfc_err *err);

#endif
