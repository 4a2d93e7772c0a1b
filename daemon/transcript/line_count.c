/*
 * Line counts of texts and of changes.
 *
 * The size of the smallest diff follows from the length of the longest common
 * subsequence of lines alone: added = new - common, removed = old - common.
 * That length is computed with one bit per old line (Hyyrö's bit-parallel
 * method): a zero bit marks a line at which the common subsequence grows, and
 * each new line updates all bits with a few word operations and a carry.
 */
#include "transcript/line_count.h"

#include "base/hash.h"

struct line {
	struct ccfc_slice text;
	uint64_t hash;
};

struct lines {
	struct line *items;
	uint32_t n;
};

/* The old lines by their hash: bucket → line → next line of the bucket. */
struct buckets {
	uint32_t *head; /* number of a line + 1; 0: none */
	uint32_t *next;
	uint32_t mask;
};

static uint64_t count_newlines(struct ccfc_slice text)
{
	const char *p = text.ptr;
	const char *end = text.ptr + text.len;
	uint64_t n = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		n++;
		p++;
	}
	return n;
}

int32_t ccfc_line_count(struct ccfc_slice text)
{
	if (!text.len)
		return 0;
	return (int32_t)(count_newlines(text) +
			 (text.ptr[text.len - 1] != '\n'));
}

/* Is the escape at p a newline? Sets its length. */
static bool is_newline_escape(const char *p, const char *end, size_t *len)
{
	*len = 2;
	if (end - p >= 6 && p[1] == 'u') {
		*len = 6;
		return !memcmp(p + 2, "000", 3) && (p[5] | 0x20) == 'a';
	}
	return end - p >= 2 && p[1] == 'n';
}

int32_t ccfc_line_count_raw(struct ccfc_slice raw)
{
	const char *p = raw.ptr;
	const char *end = raw.len ? raw.ptr + raw.len : raw.ptr;
	const char *tail = raw.ptr; /* behind the last newline */
	int32_t n = 0;
	size_t len;

	while (p < end && (p = memchr(p, '\\', (size_t)(end - p)))) {
		bool newline = is_newline_escape(p, end, &len);

		p += len;
		if (newline) {
			n++;
			tail = p;
		}
	}
	return n + (tail < end);
}

/*
 * Removes the common lines at the start of both texts, then those at the end.
 */
static void trim_common(struct ccfc_slice *a, struct ccfc_slice *b)
{
	size_t min = a->len < b->len ? a->len : b->len;
	size_t same = 0;
	size_t cut;

	if (!min)
		return;
	while (same < min && a->ptr[same] == b->ptr[same])
		same++;
	if (same == a->len && same == b->len) {
		a->len = b->len = 0;
		return;
	}
	while (same && a->ptr[same - 1] != '\n')
		same--;
	*a = ccfc_slice(a->ptr + same, a->len - same);
	*b = ccfc_slice(b->ptr + same, b->len - same);
	min -= same;
	for (same = cut = 0; same < min; same++) {
		if (a->ptr[a->len - 1 - same] != b->ptr[b->len - 1 - same])
			break;
		if (a->ptr[a->len - 1 - same] == '\n')
			cut = same;
	}
	/* One text may be the end of the other, after a newline. */
	if (same == min &&
	    (same == a->len || a->ptr[a->len - 1 - same] == '\n') &&
	    (same == b->len || b->ptr[b->len - 1 - same] == '\n'))
		cut = same;
	a->len -= cut;
	b->len -= cut;
}

static struct lines split_lines(struct ccfc_arena *arena,
				struct ccfc_slice text, uint32_t n)
{
	struct lines out = { ccfc_arena_alloc(arena, n * sizeof(struct line)),
			     n };
	const char *p = text.ptr;
	const char *end = text.ptr + text.len;

	for (uint32_t i = 0; i < n; i++) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((eol ? eol : end) - p);

		out.items[i].text = ccfc_slice(p, len);
		out.items[i].hash = ccfc_hash(p, len);
		p += len + 1;
	}
	return out;
}

static struct buckets bucket_lines(struct ccfc_arena *arena, struct lines lines)
{
	struct buckets out = { NULL, NULL, 1 };

	while (out.mask < lines.n)
		out.mask = out.mask * 2 + 1;
	out.head = ccfc_arena_alloc(arena, (out.mask + 1) * sizeof(uint32_t));
	out.next = ccfc_arena_alloc(arena, lines.n * sizeof(uint32_t));
	memset(out.head, 0, (out.mask + 1) * sizeof(uint32_t));
	for (uint32_t i = lines.n; i-- > 0;) {
		uint32_t *head = &out.head[lines.items[i].hash & out.mask];

		out.next[i] = *head;
		*head = i + 1;
	}
	return out;
}

/* Sets the bits of the old lines that equal `line`; false if there is none. */
static bool set_matches(uint64_t *match, struct lines lines,
			const struct buckets *buckets, const struct line *line)
{
	uint32_t i = buckets->head[line->hash & buckets->mask];
	bool any = false;

	for (; i; i = buckets->next[i - 1]) {
		const struct line *other = &lines.items[i - 1];

		if (other->hash != line->hash ||
		    !ccfc_slice_eq(other->text, line->text))
			continue;
		match[(i - 1) / 64] |= UINT64_C(1) << (i - 1) % 64;
		any = true;
	}
	return any;
}

/* One new line: rows = (rows + u) | (rows - u), where u = rows & match. */
static void advance_match_row(uint64_t *rows, uint64_t *match, uint32_t words)
{
	unsigned carry = 0;

	for (uint32_t w = 0; w < words; w++) {
		uint64_t u = rows[w] & match[w];
		uint64_t sum = rows[w] + carry;

		carry = sum < carry;
		sum += u;
		carry |= sum < u;
		rows[w] = sum | (rows[w] - u);
		match[w] = 0;
	}
}

static uint32_t common_lines(struct ccfc_arena *arena, struct lines a,
			     struct lines b)
{
	struct buckets buckets = bucket_lines(arena, a);
	uint32_t words = (a.n + 63) / 64;
	uint64_t *rows = ccfc_arena_alloc(arena, words * sizeof(uint64_t));
	uint64_t *match = ccfc_arena_alloc(arena, words * sizeof(uint64_t));
	uint32_t common = 0;

	memset(rows, 0xff, words * sizeof(uint64_t));
	memset(match, 0, words * sizeof(uint64_t));
	for (uint32_t i = 0; i < b.n; i++)
		if (set_matches(match, a, &buckets, &b.items[i]))
			advance_match_row(rows, match, words);
	/* The bits after the last line never match, so they stay set. */
	for (uint32_t w = 0; w < words; w++)
		common += (uint32_t)__builtin_popcountll(~rows[w]);
	return common;
}

/* May texts of n and m lines be compared? */
static bool spend_budget(uint64_t *budget, uint32_t n, uint32_t m)
{
	uint64_t product = (uint64_t)n * m;

	if (!product || product > CCFC_LINES_PRODUCT || product > *budget)
		return false;
	*budget -= product;
	return true;
}

void ccfc_line_count_diff(struct ccfc_arena *arena, uint64_t *budget,
			  struct ccfc_slice old_text,
			  struct ccfc_slice new_text, int32_t *added,
			  int32_t *removed)
{
	uint32_t common = 0;
	uint32_t n;
	uint32_t m;

	trim_common(&old_text, &new_text);
	n = (uint32_t)ccfc_line_count(old_text);
	m = (uint32_t)ccfc_line_count(new_text);
	if (spend_budget(budget, n, m))
		common = common_lines(arena, split_lines(arena, old_text, n),
				      split_lines(arena, new_text, m));
	*added = (int32_t)(m - common);
	*removed = (int32_t)(n - common);
}
