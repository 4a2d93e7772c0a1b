/*
 * Short ids of changes; see change_id.h. The ids of what a command did to
 * several files have the call's whole id in common: each half is cut by itself,
 * lest one such command make every id long.
 */
#include "cli/words/change_id.h"

#include <stdlib.h>

/* A list may be without some files of a command: a little more than needed. */
#define PART_MIN 3

/* The start that most ids have in common. */
#define START_LENGTH (sizeof("toolu_01") - 1)

static struct ccfc_slice call_of(struct ccfc_slice id)
{
	const char *mark = id.len ? memchr(id.ptr, '#', id.len) : NULL;

	return ccfc_slice(id.ptr, mark ? (size_t)(mark - id.ptr) : id.len);
}

/* With its '#'; empty if there is none. */
static struct ccfc_slice part_of(struct ccfc_slice id)
{
	size_t n = call_of(id).len;

	return ccfc_slice(id.ptr + n, id.len - n);
}

static int compare_ids(const void *a, const void *b)
{
	return ccfc_slice_cmp(*(const struct ccfc_slice *)a,
			      *(const struct ccfc_slice *)b);
}

/* The number of characters that distinguish two texts; 0: they are equal. */
static size_t needed_length(struct ccfc_slice a, struct ccfc_slice b)
{
	size_t same = 0;

	while (same < a.len && same < b.len && a.ptr[same] == b.ptr[same])
		same++;
	return ccfc_slice_eq(a, b) ? 0 : same + 1;
}

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

void ccfc_change_ids_init(struct ccfc_change_ids *ids, struct ccfc_slice *list,
			  size_t n, size_t least)
{
	*ids = (struct ccfc_change_ids){ .call = least, .part = PART_MIN };
	/* In order, the nearest relative of each is its neighbour. */
	qsort(list, n, sizeof(*list), compare_ids);
	for (size_t i = 1; i < n; i++) {
		struct ccfc_slice a = call_of(list[i - 1]);
		struct ccfc_slice b = call_of(list[i]);

		if (!ccfc_slice_eq(a, b))
			ids->call = max_size(
				ids->call,
				needed_length(ccfc_slice_change_tail(a),
					      ccfc_slice_change_tail(b)));
		else
			ids->part = max_size(ids->part,
					     needed_length(part_of(list[i - 1]),
							   part_of(list[i])));
	}
}

void ccfc_change_ids_put(struct ccfc_buf *out,
			 const struct ccfc_change_ids *ids,
			 struct ccfc_slice id, bool inferred)
{
	struct ccfc_slice call = call_of(id), part = part_of(id);
	struct ccfc_slice tail = ccfc_slice_change_tail(call);
	size_t length = ids->call;

	/* Ids of another form ("seen_…") are as wide as the others. */
	if (ids->whole_start && tail.len == call.len)
		length += START_LENGTH;
	else if (ids->whole_start)
		ccfc_buf_slice(out, ccfc_slice(id.ptr, call.len - tail.len));
	ccfc_buf_slice(out, ccfc_slice_cut(tail, length));
	ccfc_buf_slice(out,
		       inferred ? part : ccfc_slice_cut(part, 1 + ids->part));
}
