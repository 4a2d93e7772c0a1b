/* Lines of a text; see text_lines.h. */
#include "history/step/text_lines.h"

#include "base/alloc.h"

#include <stdlib.h>

void ccfc_text_lines_read(struct ccfc_text_lines *lines, struct ccfc_slice text)
{
	const char *at = text.ptr, *end = ccfc_slice_end(text);

	lines->n = 0;
	lines->open = text.len && end[-1] != '\n';
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		const char *stop = nl ? nl : end;

		CCFC_VEC_PUSH(*lines, ccfc_slice(at, (size_t)(stop - at)));
		at = nl ? nl + 1 : end;
	}
}

void ccfc_text_lines_release(struct ccfc_text_lines *lines)
{
	free(lines->items);
	*lines = (struct ccfc_text_lines){ 0 };
}

bool ccfc_line_shows(struct ccfc_slice shown, struct ccfc_slice line)
{
	size_t tabs = 0;

	while (tabs < line.len && line.ptr[tabs] == '\t')
		tabs++;
	if (shown.len != line.len + tabs)
		return false;
	for (size_t i = 0; i < 2 * tabs; i++)
		if (shown.ptr[i] != ' ')
			return false;
	return !(line.len - tabs) ||
	       !memcmp(shown.ptr + 2 * tabs, line.ptr + tabs, line.len - tabs);
}

/* The length of the indentation, and its width as shown in a patch. */
static size_t skip_indent(struct ccfc_slice line, size_t *columns)
{
	size_t i = 0;

	*columns = 0;
	for (; i < line.len && line.ptr[i] == '\t'; i++)
		*columns += 2;
	for (; i < line.len && line.ptr[i] == ' '; i++)
		(*columns)++;
	return i;
}

bool ccfc_line_shown_alike(struct ccfc_slice a, struct ccfc_slice b)
{
	size_t m, n, i = skip_indent(a, &m), j = skip_indent(b, &n);

	return m == n && ccfc_slice_eq(ccfc_slice(a.ptr + i, a.len - i),
				       ccfc_slice(b.ptr + j, b.len - j));
}
