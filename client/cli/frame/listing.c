/* Shared by `list`, `search`, `log` and `restore`; see listing.h. */
#include "cli/frame/listing.h"

int ccfc_listing_prepare(struct ccfc_question *q, bool show_changes,
			 struct ccfc_err *err)
{
	const char *command = q->opts->command;

	if (show_changes && q->format == CCFC_FORMAT_PATHS)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: --show-changes: does not go with "
				    "--format=paths",
				    command);
	if (q->query.states && q->format == CCFC_FORMAT_DIFF)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: --state: only changes that took "
				    "effect have a diff",
				    command);
	if (show_changes && q->format != CCFC_FORMAT_DIFF)
		q->query.content = CCFC_CONTENT_YES;
	/* A table shows only how many changes there are. */
	if (!show_changes &&
	    (q->format == CCFC_FORMAT_TABLE || q->format == CCFC_FORMAT_PATHS))
		q->query.changes = CCFC_CONTENT_NO;
	return 0;
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
