/* Segments; see cut.h. */
#include "archive/cut.h"

#include "base/hash.h"

/*
 * The average distance of possible cuts. With a much smaller distance, two
 * transcripts that were once cut at different places would never agree again.
 */
#define SPACING ((uint64_t)256 << 10)
#define BEFORE	48u

/* As long as an id; these bytes are in no line of a transcript. */
#define BLANK                                                                  \
	"\x01"                                                                 \
	"ccfc:this-session's-id-stood-here-"                                   \
	"\x02"
#define ID_LEN (sizeof(BLANK) - 1)
_Static_assert(ID_LEN == 36, "as long as a UUID");

/* Is the end of a line a cut? The longer the line, the likelier. */
static bool is_place(const char *newline, size_t line_len)
{
	return ccfc_hash(newline - BEFORE, BEFORE) >> 32 <
	       ((uint64_t)line_len << 32) / SPACING;
}

/* Searches for the first byte, which is rare: much faster than memmem. */
static const char *find_blank(const char *at, const char *end)
{
	while (end - at >= (ptrdiff_t)ID_LEN &&
	       (at = memchr(at, BLANK[0], (size_t)(end - at) - ID_LEN + 1))) {
		if (!memcmp(at, BLANK, ID_LEN))
			return at;
		at++;
	}
	return NULL;
}

/* A cut within a line: in front of the replaced id, if it would divide one. */
static size_t before_blank(struct ccfc_slice bytes, size_t at)
{
	size_t from = at - (ID_LEN - 1);
	size_t end = at + ID_LEN - 1 < bytes.len ? at + ID_LEN - 1 : bytes.len;
	const char *blank = find_blank(bytes.ptr + from, bytes.ptr + end);

	return blank ? (size_t)(blank - bytes.ptr) : at;
}

size_t ccfc_cut_next(struct ccfc_slice bytes)
{
	size_t max = bytes.len < CCFC_CUT_MAX ? bytes.len : CCFC_CUT_MAX;
	size_t at = CCFC_CUT_MIN, last = 0;
	const char *start = NULL, *nl;

	if (max < CCFC_CUT_MIN)
		return 0;
	/* The first line has begun before `at`: its end is no cut. */
	while ((nl = memchr(bytes.ptr + at, '\n', max - at))) {
		at = (size_t)(nl - bytes.ptr) + 1;
		last = at;
		if (start && is_place(nl, (size_t)(nl - start)))
			return at;
		start = nl + 1;
	}
	if (max < CCFC_CUT_MAX)
		return 0;
	return last ? last : before_blank(bytes, max);
}

bool ccfc_cut_has_id(struct ccfc_slice session)
{
	return session.len == ID_LEN && memchr(session.ptr, '-', ID_LEN);
}

void ccfc_cut_blank(char *bytes, size_t len, struct ccfc_slice session)
{
	char *at = bytes, *end = bytes + len;

	while ((at = memmem(at, (size_t)(end - at), session.ptr, ID_LEN))) {
		memcpy(at, BLANK, ID_LEN);
		at += ID_LEN;
	}
}

void ccfc_cut_fill(char *bytes, size_t len, struct ccfc_slice session)
{
	const char *at = bytes, *end = bytes + len;

	while ((at = find_blank(at, end))) {
		memcpy(bytes + (at - bytes), session.ptr, ID_LEN);
		at += ID_LEN;
	}
}

/* The bytes that [from, from + ID_LEN) and [at, at + len) have in common. */
static void put_part(char *to, size_t at, size_t len, size_t from,
		     struct ccfc_slice session)
{
	size_t begin = from > at ? from : at;
	size_t end = from + ID_LEN < at + len ? from + ID_LEN : at + len;

	memcpy(to + (begin - at), session.ptr + (begin - from), end - begin);
}

void ccfc_cut_copy(char *to, struct ccfc_slice segment, size_t at, size_t len,
		   struct ccfc_slice session)
{
	/* An id may begin before the part, or end after it. */
	size_t before = at < ID_LEN ? at : ID_LEN - 1;
	size_t after = segment.len - at - len;
	const char *from = segment.ptr + at - before;
	const char *end =
		segment.ptr + at + len + (after < ID_LEN ? after : ID_LEN - 1);

	memcpy(to, segment.ptr + at, len);
	while (len && (from = find_blank(from, end))) {
		put_part(to, at, len, (size_t)(from - segment.ptr), session);
		from += ID_LEN;
	}
}

bool ccfc_cut_is_odd(struct ccfc_slice bytes)
{
	return bytes.len && find_blank(bytes.ptr, bytes.ptr + bytes.len);
}
