/* Checks whether a session may write to a path; see outside.h. */
#include "cli/write/outside.h"

#include "base/alloc.h"
#include "base/path.h"
#include "cli/write/sensitive.h"

#include <stdlib.h>

void ccfc_outside_init(struct ccfc_outside *o, const struct ccfc_cwd *where,
		       const struct ccfc_opt_value *given)
{
	*o = (struct ccfc_outside){ .where = where, .given = given };
	for (uint32_t i = 0; i < given->list.n; i++)
		CCFC_VEC_PUSH(o->named,
			      ccfc_cwd_place(where, given->list.items[i]));
}

void ccfc_outside_release(struct ccfc_outside *o)
{
	for (uint32_t i = 0; i < o->roots.n; i++) {
		free(o->roots.items[i].name);
		free(o->roots.items[i].real);
	}
	free(o->roots.items);
	for (uint32_t i = 0; i < o->named.n; i++)
		free(o->named.items[i]);
	free(o->named.items);
}

/*
 * The root of the file system is not a project, nor are the parents of the home
 * directory: a single command (cd /) makes them directories of the session.
 */
static bool is_too_much(const struct ccfc_cwd *where, const char *root)
{
	const char *home = getenv("HOME");
	char *real;
	bool yes;

	if (!strcmp(root, "/") || !home || *home != '/')
		return !strcmp(root, "/");
	real = ccfc_cwd_real(where, home);
	yes = strcmp(real, root) != 0 &&
	      ccfc_path_is_below(ccfc_slice_str(real), ccfc_slice_str(root));
	free(real);
	return yes;
}

void ccfc_outside_root(struct ccfc_outside *o, struct ccfc_slice dir)
{
	struct ccfc_outside_root root;
	char *text;

	if (!dir.len || dir.ptr[0] != '/')
		return; /* of another system */
	text = ccfc_strndup(dir.ptr, dir.len);
	root.name = ccfc_cwd_absolute(o->where, text);
	root.real = ccfc_cwd_real(o->where, text);
	free(text);
	if (!is_too_much(o->where, root.real)) {
		CCFC_VEC_PUSH(o->roots, root);
		return;
	}
	free(root.name);
	free(root.real);
}

void ccfc_outside_origin(struct ccfc_outside *o, struct ccfc_obj reply)
{
	struct ccfc_obj origin = ccfc_obj_get(reply, "origin");
	struct ccfc_obj dirs = ccfc_obj_get(origin, "directories");

	for (uint32_t i = 0; i < ccfc_obj_len(dirs); i++)
		ccfc_outside_root(o, ccfc_obj_str(ccfc_obj_at(dirs, i)));
	if (ccfc_obj_get_bool(origin, "own", false))
		return;
	o->why = ccfc_obj_get_str(origin, "why");
	if (!o->why.len)
		o->why = CCFC_SLICE_LIT("whether the session is yours is not "
					"known");
}

static bool is_below(const char *path, const char *dir)
{
	return ccfc_path_is_below(ccfc_slice_str(path), ccfc_slice_str(dir));
}

/*
 * A directory of the session may be a link by now. If it is below another
 * directory of the session and leads out of it, it counts as a link out of the
 * project.
 */
static bool leads_out_of_parent_root(const struct ccfc_outside *o,
				     const struct ccfc_outside_root *root)
{
	for (uint32_t i = 0; i < o->roots.n; i++) {
		const struct ccfc_outside_root *above = &o->roots.items[i];

		if (is_below(root->name, above->name) &&
		    !is_below(root->real, above->real))
			return true;
	}
	return false;
}

/* The deepest directory of the session that the path is below; "": none. */
static const char *project_root_of(const struct ccfc_outside *o,
				   const char *path)
{
	const char *best = "";

	for (uint32_t i = 0; i < o->roots.n; i++) {
		const struct ccfc_outside_root *root = &o->roots.items[i];

		if (strcmp(path, root->real) != 0 &&
		    is_below(path, root->real) &&
		    strlen(root->real) > strlen(best) &&
		    !leads_out_of_parent_root(o, root))
			best = root->real;
	}
	return best;
}

static bool is_named(const struct ccfc_outside *o, const char *place)
{
	for (uint32_t i = 0; i < o->named.n; i++)
		if (!strcmp(o->named.items[i], place))
			return true;
	return false;
}

enum ccfc_reach ccfc_outside_judge(struct ccfc_buf *why,
				   const struct ccfc_outside *o,
				   const char *path, const char *place,
				   struct ccfc_slice foreign)
{
	const char *root = project_root_of(o, place);
	const char *what = ccfc_sensitive(place);

	if (is_named(o, place))
		return CCFC_INSIDE;
	if (!what)
		what = ccfc_sensitive(path);
	if (!what)
		what = ccfc_sensitive_here(place, root);
	if (what) {
		ccfc_buf_puts(why, what);
		return CCFC_SENSITIVE;
	}
	if (o->given->num)
		return CCFC_INSIDE;
	if (o->why.len || foreign.len) {
		ccfc_buf_slice(why, o->why.len ? o->why : foreign);
		return CCFC_OUTSIDE;
	}
	if (*root)
		return CCFC_INSIDE;
	if (*project_root_of(o, path))
		ccfc_buf_printf(why, "a link leads out of the project, to %s",
				place);
	else
		ccfc_buf_puts(why, "outside of the session's project");
	return CCFC_OUTSIDE;
}

void ccfc_outside_hint(struct ccfc_err *err, enum ccfc_reach worst,
		       const char *place)
{
	if (worst == CCFC_SENSITIVE)
		ccfc_err_hint(err,
			      "if you trust that transcript, name it: "
			      "--outside=%.160s",
			      place);
	else
		ccfc_err_hint(err, "if you trust that transcript: --outside");
}
