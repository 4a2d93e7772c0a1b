/* Cuts; see cut.h. */
#include "archive/cut.h"

#include "base/hash.h"

/* One newline in so many is a cut, by the bytes in front of it. */
#define ONE_IN 16u
#define BEFORE 48u

/* As long as an id; no line of a transcript has such bytes. */
#define BLANK                                                                  \
	"\x01"                                                                 \
	"ccfc:this-session's-id-stood-here-"                                   \
	"\x02"
#define ID_LEN (sizeof(BLANK) - 1)
_Static_assert(ID_LEN == 36, "as long as a UUID");

size_t ccfc_cut_next(struct ccfc_slice bytes)
{
	size_t max = bytes.len < CCFC_CUT_MAX ? bytes.len : CCFC_CUT_MAX;
	size_t at = CCFC_CUT_MIN, last = 0;

	while (at < max) {
		const char *nl = memchr(bytes.ptr + at, '\n', max - at);

		if (!nl)
			break;
		at = (size_t)(nl - bytes.ptr) + 1;
		last = at;
		if (ccfc_hash(nl - BEFORE, BEFORE) % ONE_IN == 0)
			return at;
	}
	if (max < CCFC_CUT_MAX)
		return 0;
	return last ? last : max;
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

/* By its first byte, which is nowhere else: much quicker than memmem. */
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

void ccfc_cut_fill(char *bytes, size_t len, struct ccfc_slice session)
{
	const char *at = bytes, *end = bytes + len;

	while ((at = find_blank(at, end))) {
		memcpy(bytes + (at - bytes), session.ptr, ID_LEN);
		at += ID_LEN;
	}
}

bool ccfc_cut_is_odd(struct ccfc_slice bytes)
{
	return bytes.len && find_blank(bytes.ptr, bytes.ptr + bytes.len);
}
