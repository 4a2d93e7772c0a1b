/*
 * Blanks the lines that must not be archived: see ccfc_archive_sieve. Unless
 * the sieve asks about all lines, a line is parsed only if it names another
 * session than that of its transcript; few do.
 */
#include "archive/archive_internal.h"

#include <string.h>

/* As clients write it: without a space, in either spelling. */
static const char *const keys[] = { "\"sessionId\":\"", "\"session_id\":\"" };

static bool names_other(struct ccfc_slice line, struct ccfc_slice own)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const size_t n = strlen(keys[i]);
		struct ccfc_slice left = line;
		const char *at;

		while ((at = memmem(left.ptr, left.len, keys[i], n))) {
			left = ccfc_slice_from(left,
					       (size_t)(at - left.ptr) + n);
			if (!own.len || left.len <= own.len ||
			    memcmp(left.ptr, own.ptr, own.len) != 0 ||
			    left.ptr[own.len] != '"')
				return true;
		}
	}
	return false;
}

size_t ccfc_archive_sift_lines(const struct ccfc_archive_sieve *sieve,
			       struct ccfc_slice session,
			       struct ccfc_buf *bytes, size_t from, bool ends,
			       bool *any)
{
	/* The parser may read a little beyond the end of a line. */
	ccfc_buf_reserve(bytes, CCFC_TAIL_PADDING);
	while (from < bytes->len) {
		char *start = bytes->ptr + from;
		char *newline = memchr(start, '\n', bytes->len - from);
		struct ccfc_slice line;

		if (!newline && !ends)
			return from;
		line = ccfc_slice(start, newline ? (size_t)(newline - start)
						 : bytes->len - from);
		if ((sieve->all || names_other(line, session)) &&
		    sieve->blanks(sieve->ctx, session, start, line.len, any)) {
			memset(start, ' ', line.len);
			*any = true;
		}
		from += line.len + (newline != NULL);
	}
	return from;
}
