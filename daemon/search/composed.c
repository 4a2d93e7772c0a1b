/*
 * Both spellings of letters with marks; see composed.h. The pattern is taken
 * apart (NFD); each base with its marks is then written in every way between
 * all marks apart and all of them composed.
 */
#include "search/composed.h"

#include <stdint.h>

#define CHARS_MAX 1024u
#define MARKS_MAX 8u

static const struct composition {
	uint16_t composed, base, mark;
} compositions[] = {
#define C(composed, base, mark) { composed, base, mark },
/* clang-format off */
#include "search/compositions.def"
/* clang-format on */
#undef C
};
#define COMPOSITIONS (sizeof(compositions) / sizeof(*compositions))

static const struct composition *taken_apart(uint32_t c)
{
	size_t lo = 0, hi = COMPOSITIONS;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compositions[mid].composed < c)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < COMPOSITIONS && compositions[lo].composed == c
		       ? &compositions[lo]
		       : NULL;
}

/*
 * The composed character; 0: there is none. Called only for the few characters
 * of a pattern.
 */
static uint32_t put_together(uint32_t base, uint32_t mark)
{
	for (size_t i = 0; i < COMPOSITIONS; i++)
		if (compositions[i].base == base &&
		    compositions[i].mark == mark)
			return compositions[i].composed;
	return 0;
}

/* The next character; 0: not UTF-8. */
static uint32_t next_char(struct ccfc_slice *text)
{
	static const unsigned char least[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const unsigned char *p = (const unsigned char *)text->ptr;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	uint32_t c = n == 1 ? p[0] : p[0] - (uint32_t)least[n];

	if (n > text->len || (n > 1 && p[0] < 0xc2))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	*text = ccfc_slice(text->ptr + n, text->len - n);
	return c;
}

struct chars {
	uint32_t items[CHARS_MAX];
	uint32_t n;
};

static bool add_apart(struct chars *out, uint32_t c)
{
	const struct composition *of = taken_apart(c);

	if (of && !add_apart(out, of->base))
		return false;
	if (out->n == CHARS_MAX)
		return false;
	out->items[out->n++] = of ? of->mark : c;
	return true;
}

static void put_char(struct ccfc_buf *out, uint32_t c)
{
	bool word = (c >= '0' && c <= '9') ||
		    ((c | 0x20) >= 'a' && c < 0x80 && (c | 0x20) <= 'z');

	if (word)
		ccfc_buf_putc(out, (char)c);
	else
		ccfc_buf_printf(out, "\\x{%x}", c);
}

/*
 * Writes the base at `i` with the marks after it that it can be composed with;
 * returns the number of these characters.
 */
static uint32_t put_letter(struct ccfc_buf *out, const struct chars *all,
			   uint32_t i, bool *several)
{
	uint32_t forms[MARKS_MAX + 1] = { all->items[i] };
	uint32_t n = 0;

	while (n < MARKS_MAX && i + n + 1 < all->n &&
	       (forms[n + 1] = put_together(forms[n], all->items[i + n + 1])))
		n++;
	if (!n) {
		put_char(out, all->items[i]);
		return 1;
	}
	*several = true;
	ccfc_buf_puts(out, "(?:");
	for (uint32_t k = n + 1; k--;) {
		put_char(out, forms[k]);
		for (uint32_t m = k; m < n; m++)
			put_char(out, all->items[i + m + 1]);
		ccfc_buf_putc(out, k ? '|' : ')');
	}
	return n + 1;
}

bool ccfc_composed_pattern(struct ccfc_buf *out, struct ccfc_slice text)
{
	bool several = false;
	struct chars all;

	all.n = 0;
	ccfc_buf_clear(out);
	while (text.len) {
		uint32_t c = next_char(&text);

		if (!c || !add_apart(&all, c))
			return false;
	}
	for (uint32_t i = 0; i < all.n;)
		i += put_letter(out, &all, i, &several);
	return several;
}
