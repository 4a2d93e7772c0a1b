/* What `list` and `search` have in common; see listing.h. */
#include "cli/frame/listing.h"

int ccfc_listing_read(struct ccfc_listing *listing,
		      const struct ccfc_opts *opts, int show_changes,
		      int format, int null, int state, struct ccfc_err *err)
{
	const struct ccfc_opt_value *f = ccfc_opts_own(opts, format);
	bool zero = ccfc_opts_own(opts, null)->set;

	listing->show_changes = ccfc_opts_own(opts, show_changes)->set;
	listing->states = ccfc_opts_own(opts, state)->list.items;
	listing->format = (enum ccfc_format)f->num;
	listing->end = zero ? '\0' : '\n';
	if (zero && !f->set)
		listing->format = CCFC_FORMAT_PATHS;
	if (zero && listing->format != CCFC_FORMAT_PATHS)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: -0: goes with --format=paths only",
				    opts->command);
	if (listing->show_changes && listing->format == CCFC_FORMAT_PATHS)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: --show-changes: paths have no room "
				    "for changes",
				    opts->command);
	if (listing->states && listing->format == CCFC_FORMAT_DIFF)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: --state: only changes that took "
				    "effect have a diff",
				    opts->command);
	return 0;
}

void ccfc_listing_query(struct ccfc_query *query,
			const struct ccfc_listing *listing)
{
	query->states = listing->states;
	if (listing->show_changes && listing->format != CCFC_FORMAT_DIFF)
		query->content = CCFC_CONTENT_YES;
}

bool ccfc_listing_is_glob(const char *text)
{
	return text[strcspn(text, "*?[{")] != '\0';
}

void ccfc_listing_escape(struct ccfc_buf *pattern, struct ccfc_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (strchr("*?[]{},\\", text.ptr[i]))
			ccfc_buf_putc(pattern, '\\');
		ccfc_buf_putc(pattern, text.ptr[i]);
	}
}

int ccfc_listing_match(struct ccfc_reply **reply, struct ccfc_client *client,
		       const char *pattern, struct ccfc_query *query,
		       const struct ccfc_cwd *where, struct ccfc_err *err)
{
	int code;

	query->cwd = where->cwd;
	code = ccfc_file_match(reply, client, pattern, query, err);
	if (code != CCFC_ENOTFOUND || pattern[0] == '/' ||
	    !strcmp(where->cwd, where->physical))
		return code;
	query->cwd = where->physical;
	return ccfc_file_match(reply, client, pattern, query, err);
}
