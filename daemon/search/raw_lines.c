/*
 * Lines that may match; see raw_lines.h. JSON writes most characters unescaped.
 * So if a text has the literal, its line has the literal's longest run of such
 * characters, except where it is written with \u escapes, or with one of the
 * two non-ASCII letters that fold to an s and a k (byte_scan.h).
 *
 * Lines are split only around such places: other lines are skipped at the speed
 * of memory. In a line without suspects the matches are where the run is,
 * unless it begins inside an escape ("\nnot" has no "nno"): its strings need
 * not be unescaped for counting.
 */
#include "search/raw_lines.h"

#include "base/utf8.h"
#include "transcript/json/unescape.h"

/*
 * Letters of these scripts have no case: Hebrew to Myanmar, the East Asian
 * ones, and pictures. (More have none; these are the ones that are written.)
 */
static bool has_no_case(uint32_t c)
{
	return (c >= 0x590 && c < 0x10a0) || (c >= 0x2e80 && c < 0xa4d0) ||
	       (c >= 0xac00 && c < 0xd7a4) || (c >= 0x1f300 && c < 0x1fb00);
}

static uint32_t code_point_of(const unsigned char *p, int len)
{
	uint32_t c = p[0] & (0x7fu >> len);

	for (int i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

/* The length of the character at s if JSON may write it unescaped, else 0. */
static size_t plain_char(struct ccfc_slice s)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	int n;

	if (*p < 0x80)
		return *p >= ' ' && *p != 0x7f && !strchr("\"\\/", *p);
	n = ccfc_utf8_step(p, s.len);
	return n > 0 && has_no_case(code_point_of(p, n)) ? (size_t)n : 0;
}

static struct ccfc_slice longest_run(struct ccfc_slice s)
{
	struct ccfc_slice best = CCFC_SLICE_NONE;

	for (size_t i = 0; i < s.len; i++) {
		size_t from = i, n;

		while (i < s.len &&
		       (n = plain_char(ccfc_slice(s.ptr + i, s.len - i))))
			i += n;
		if (i - from > best.len)
			best = ccfc_slice(s.ptr + from, i - from);
	}
	return best;
}

void ccfc_raw_lines_init(struct ccfc_raw_lines *raw,
			 const struct ccfc_pattern_want *want)
{
	struct ccfc_slice run = longest_run(want->text);

	raw->all = want->regex || !run.len;
	raw->whole = !raw->all && run.len == want->text.len;
	if (!raw->all)
		ccfc_byte_scan_init(&raw->scan, run, !want->case_sensitive);
}

void ccfc_raw_lines_begin(struct ccfc_raw_lines_walk *walk,
			  const struct ccfc_raw_lines *raw,
			  struct ccfc_slice lines)
{
	*walk = (struct ccfc_raw_lines_walk){ .raw = raw, .lines = lines };
}

bool ccfc_raw_lines_next(struct ccfc_raw_lines_walk *walk,
			 struct ccfc_slice *line)
{
	const struct ccfc_raw_lines *raw = walk->raw;
	const char *start, *end, *p = walk->lines.ptr;
	size_t place = walk->at;

	if (!raw->all)
		place = ccfc_byte_scan_find(&raw->scan, walk->lines, place);
	if (place >= walk->lines.len)
		return false;
	start = place > walk->at ? memrchr(p + walk->at, '\n', place - walk->at)
				 : NULL;
	start = start ? start + 1 : p + walk->at;
	end = memchr(p + place, '\n', walk->lines.len - place);
	*line = ccfc_slice(start, (size_t)(end - start));
	walk->at = (size_t)(end - p) + 1;
	/* There is no suspect before this place. */
	walk->plain = raw->whole &&
		      ccfc_byte_scan_suspect(&raw->scan, *line,
					     (size_t)(p + place - start)) ==
			      CCFC_NOWHERE;
	return true;
}

/* Is the byte at `at` part of an escape that begins before it? */
static bool is_escaped(struct ccfc_slice s, size_t at)
{
	size_t back = 1, run = 0, from;

	while (back <= at && back < 6 && s.ptr[at - back] != '\\')
		back++;
	if (back > at || back == 6)
		return false;
	from = at - back;
	while (run <= from && s.ptr[from - run] == '\\')
		run++;
	/*
	 * In a run of backslashes, each second one is escaped by the one before
	 * it.
	 */
	if (run % 2 == 0)
		return false;
	return back < 2 || ccfc_unescape_unit(s.ptr + from, s.ptr + s.len) >= 0;
}

uint32_t ccfc_raw_lines_count(const struct ccfc_raw_lines *raw,
			      struct ccfc_slice s, uint32_t max)
{
	const struct ccfc_needle *needle = &raw->scan.needle;
	size_t at = 0;
	uint32_t n = 0;

	while (n < max &&
	       (at = ccfc_needle_find(needle, s, at)) != CCFC_NOWHERE) {
		bool escaped = is_escaped(s, at);

		n += !escaped;
		at += escaped ? 1 : needle->len;
	}
	return n;
}
