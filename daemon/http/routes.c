/* The table of routes, and finding one; see routes.h. */
#include "http/routes.h"

#include "http/url.h"

#define GET  "GET"
#define POST "POST"

const struct ccfc_route ccfc_routes[] = {
#define ROUTE(verb, path, method, about)                                       \
	{ verb, path, CCFC_METHOD_##method, about },
#include "http/routes.def"
#undef ROUTE
};

const size_t ccfc_route_count = sizeof(ccfc_routes) / sizeof(*ccfc_routes);

/* Adds the value that stands at an option's place in the path. */
static bool add_route_value(struct ccfc_route_match *m, struct ccfc_slice place,
			    struct ccfc_slice text)
{
	if (!text.len || m->n == CCFC_ROUTE_VALUES)
		return false;
	m->values[m->n].option =
		ccfc_option_find(ccfc_slice(place.ptr + 1, place.len - 2));
	m->values[m->n++].text = text;
	return true;
}

static bool is_route(struct ccfc_route_match *m, const struct ccfc_route *route,
		     struct ccfc_slice path)
{
	struct ccfc_slice wanted = ccfc_slice_str(route->path), place, text;

	m->n = 0;
	while (ccfc_url_segment(&wanted, &place)) {
		if (!ccfc_url_segment(&path, &text))
			return false;
		if (*place.ptr == '{' ? !add_route_value(m, place, text)
				      : !ccfc_slice_eq(place, text))
			return false;
	}
	return !path.len;
}

void ccfc_route_find(struct ccfc_route_match *out, struct ccfc_slice verb,
		     struct ccfc_slice path)
{
	*out = (struct ccfc_route_match){ 0 };
	for (size_t i = 0; i < ccfc_route_count; i++) {
		if (!is_route(out, &ccfc_routes[i], path))
			continue;
		if (ccfc_slice_is(verb, ccfc_routes[i].verb)) {
			out->route = &ccfc_routes[i];
			return;
		}
		out->allowed = ccfc_routes[i].verb;
	}
}

/* Familiar names, unless the method has an option of that name. */
static const struct {
	const char *name;
	enum ccfc_option option;
} aliases[] = {
	{ "project", CCFC_OPT_PROJECT_PATH },
	{ "from", CCFC_OPT_FROM_DATE },
	{ "to", CCFC_OPT_TO_DATE },
};
#define ALIASES (sizeof(aliases) / sizeof(*aliases))

bool ccfc_route_takes(const struct ccfc_route *route, int option)
{
	const struct ccfc_method_row *method = &ccfc_method_rows[route->method];
	uint64_t without = CCFC_OPT(NOTIFY) | CCFC_OPT(PROGRESS);

	return ((method->required | method->optional) & ~without &
		CCFC_OPT_BIT(option)) != 0;
}

const char *ccfc_route_alias(const struct ccfc_route *route, int option)
{
	for (size_t i = 0; i < ALIASES; i++) {
		int own = ccfc_option_find(ccfc_slice_str(aliases[i].name));

		if ((int)aliases[i].option == option &&
		    (own < 0 || !ccfc_route_takes(route, own)))
			return aliases[i].name;
	}
	return NULL;
}

int ccfc_route_option(const struct ccfc_route *route, struct ccfc_slice name)
{
	int option = ccfc_option_find(name);

	if (option >= 0 && ccfc_route_takes(route, option))
		return option;
	for (size_t i = 0; i < ALIASES; i++)
		if (ccfc_slice_is(name, aliases[i].name) &&
		    ccfc_route_takes(route, (int)aliases[i].option))
			return (int)aliases[i].option;
	return -1;
}
