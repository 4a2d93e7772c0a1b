/*
 * The parameters of a URL as options of a method; see routes.h. The daemon
 * checks the values; here they only get the type that the schema names.
 */
#include "http/routes.h"

#include "base/alloc.h"
#include "base/path.h"
#include "http/url.h"

#include <errno.h>
#include <stdlib.h>

/* Elements of one list, at most; the daemon may allow fewer. */
#define ELEMENTS_MAX 4096

struct parameters {
	const struct ccfc_route *route;
	struct ccfc_slice values[CCFC_OPTIONS]; /* decoded, of scalars */
	struct ccfc_buf lists[CCFC_OPTIONS];	/* elements, each with a NUL */
	struct ccfc_buf texts[CCFC_OPTIONS];	/* what `values` borrow from */
	uint64_t given;				/* options */
};

static bool is_list(int option)
{
	switch (ccfc_option_rows[option].kind) {
	case CCFC_KIND_LIST:
	case CCFC_KIND_ENDINGS:
	case CCFC_KIND_STATES:
	case CCFC_KIND_PROOFS:
		return true;
	default:
		return false;
	}
}

static int bad_value(struct ccfc_err *err, int option, const char *why)
{
	return ccfc_err_set(err, CCFC_EINVAL, "parameter '%s' %s",
			    ccfc_option_rows[option].name, why);
}

/* Commas separate elements; a comma within an element is encoded. */
static int add_elements(struct parameters *ps, int option,
			struct ccfc_slice text, struct ccfc_err *err)
{
	struct ccfc_buf *list = &ps->lists[option];

	while (text.len) {
		const char *comma = memchr(text.ptr, ',', text.len);
		size_t n = comma ? (size_t)(comma - text.ptr) : text.len;

		if (n && !ccfc_url_decode(list, ccfc_slice(text.ptr, n), true))
			return bad_value(err, option, "is not well encoded");
		if (n)
			ccfc_buf_putc(list, '\0');
		text = ccfc_slice_from(text, comma ? n + 1 : n);
	}
	ps->given |= CCFC_OPT_BIT(option);
	return 0;
}

static int add_value(struct parameters *ps, int option, struct ccfc_slice text,
		     bool in_query, struct ccfc_err *err)
{
	struct ccfc_buf *buf = &ps->texts[option];

	if (is_list(option))
		return add_elements(ps, option, text, err);
	if (ps->given & CCFC_OPT_BIT(option))
		return bad_value(err, option, "is given twice");
	if (!ccfc_url_decode(buf, text, in_query))
		return bad_value(err, option, "is not well encoded");
	if ((option == CCFC_OPT_PATH || option == CCFC_OPT_CWD ||
	     option == CCFC_OPT_PATTERN) &&
	    ps->route->method != CCFC_METHOD_TEXT_SEARCH &&
	    ccfc_url_climbs(ccfc_buf_view(buf)))
		return bad_value(err, option, "must not have '..' in it");
	ps->values[option] = ccfc_buf_view(buf);
	ps->given |= CCFC_OPT_BIT(option);
	return 0;
}

static int add_query(struct parameters *ps, struct ccfc_slice query,
		     const struct ccfc_route_change *change,
		     struct ccfc_err *err)
{
	struct ccfc_slice name, value;
	int r = 0;

	while (!r && ccfc_url_parameter(&query, &name, &value)) {
		int option;

		if (change->path_is_pattern && ccfc_slice_is(name, "path"))
			name = CCFC_SLICE_LIT("pattern");
		option = ccfc_route_option(ps->route, name);
		if (option < 0) {
			ccfc_err_set(
				err, CCFC_EINVAL, "unknown parameter '%.*s'",
				(int)(name.len < 64 ? name.len : 64), name.ptr);
			ccfc_err_hint(err, "/api/openapi.json lists them");
			return CCFC_EINVAL;
		}
		r = add_value(ps, option, value, true, err);
	}
	return r;
}

/* A relative path is relative to the project, if one is named. */
static void add_cwd(struct parameters *ps)
{
	if ((ps->given & CCFC_OPT(CWD)) ||
	    !(ps->given & CCFC_OPT(PROJECT_PATH)) ||
	    !ccfc_route_takes(ps->route, CCFC_OPT_CWD))
		return;
	ps->values[CCFC_OPT_CWD] = ps->values[CCFC_OPT_PROJECT_PATH];
	ps->given |= CCFC_OPT(CWD);
}

static int pack_number(struct ccfc_pack *p, int option, struct ccfc_slice text,
		       struct ccfc_err *err)
{
	char *end;
	long long n;

	errno = 0;
	n = text.len ? strtoll(text.ptr, &end, 10) : 0;
	if (!text.len || end != text.ptr + text.len || errno)
		return bad_value(err, option, "must be a whole number");
	ccfc_pack_int(p, n);
	return 0;
}

static int pack_flag(struct ccfc_pack *p, int option, struct ccfc_slice text,
		     struct ccfc_err *err)
{
	if (ccfc_slice_is(text, "true") || ccfc_slice_is(text, "1"))
		ccfc_pack_bool(p, true);
	else if (ccfc_slice_is(text, "false") || ccfc_slice_is(text, "0"))
		ccfc_pack_bool(p, false);
	else
		return bad_value(err, option, "must be true or false");
	return 0;
}

static int pack_list(struct ccfc_pack *p, int option,
		     const struct ccfc_buf *list, struct ccfc_err *err)
{
	int n = 0;

	ccfc_pack_array(p);
	for (size_t at = 0; at < list->len; n++) {
		struct ccfc_slice element = ccfc_slice_str(list->ptr + at);

		if (n == ELEMENTS_MAX)
			return bad_value(err, option, "has too many elements");
		ccfc_pack_str(p, element);
		at += element.len + 1;
	}
	ccfc_pack_end(p);
	return 0;
}

static int pack_value(struct ccfc_pack *p, const struct parameters *ps,
		      int option, struct ccfc_err *err)
{
	struct ccfc_slice text = ps->values[option];

	ccfc_pack_cstr(p, ccfc_option_rows[option].name);
	if (is_list(option))
		return pack_list(p, option, &ps->lists[option], err);
	switch (ccfc_option_rows[option].kind) {
	case CCFC_KIND_FLAG:
		return pack_flag(p, option, text, err);
	case CCFC_KIND_NUMBER:
	case CCFC_KIND_LINE:
		return pack_number(p, option, text, err);
	default:
		ccfc_pack_str(p, text);
		return 0;
	}
}

static int gather_parameters(struct parameters *ps,
			     const struct ccfc_route_match *match,
			     struct ccfc_slice query,
			     const struct ccfc_route_change *change,
			     struct ccfc_err *err)
{
	int r = 0;

	for (int i = 0; i < match->n && !r; i++)
		r = add_value(ps, match->values[i].option,
			      match->values[i].text, false, err);
	if (!r)
		r = add_query(ps, query, change, err);
	if (r)
		return r;
	if (change->since.len) {
		ps->values[CCFC_OPT_SINCE] = change->since;
		ps->given |= CCFC_OPT(SINCE);
	}
	add_cwd(ps);
	return 0;
}

int ccfc_route_pack(struct ccfc_pack *p, const struct ccfc_route_match *match,
		    struct ccfc_slice query,
		    const struct ccfc_route_change *change,
		    struct ccfc_err *err)
{
	struct ccfc_route route = *match->route;
	struct parameters *ps = ccfc_calloc(1, sizeof(*ps));
	int r;

	if (change->path_is_pattern)
		route.method = CCFC_METHOD_FILE_MATCH;
	ps->route = &route;
	r = gather_parameters(ps, match, query, change, err);
	ccfc_pack_map(p);
	for (int i = 0; i < CCFC_OPTIONS && !r; i++)
		if (ps->given & CCFC_OPT_BIT(i))
			r = pack_value(p, ps, i, err);
	if (!r)
		ccfc_pack_end(p);
	for (int i = 0; i < CCFC_OPTIONS; i++) {
		ccfc_buf_release(&ps->lists[i]);
		ccfc_buf_release(&ps->texts[i]);
	}
	free(ps);
	return r;
}
